#!/usr/bin/env python3
"""Programs under valgrind with the recorder in them: the recorder makes no error, and the trace is complete.

label: long
timeout: 600
"""
import os
import shutil
import subprocess
import sys

from lib import VARVE, dump_json, program, run_tests, same

PROGRAM = program("checked_calls")


def under_valgrind(*options):
    """Records the program under valgrind, with all of Varve; valgrind must report nothing."""
    result = subprocess.run(["valgrind", "-q", "--trace-children=yes", "--error-exitcode=99", "--log-file=log.%p",
                             *options, VARVE, "record", "--buffer", "64K", "-o", "t.varve", "--", PROGRAM],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    said = ""
    for name in sorted(os.listdir(".")):
        if name.startswith("log."):
            with open(name) as file:
                said += "".join(line for line in file if line.startswith(("==", "--")))
    same((result.returncode, said), (0, ""))
    # The program that starts another one under valgrind is static; this is counted.
    for line in result.stderr.splitlines():
        assert b"-linux (static)" in line, line


def check_trace():
    calls = dump_json("t.varve")
    for name in ("a", "b", "c", "child"):
        writes = [call for call in calls if call["function"] == "pwrite" and os.path.basename(call["path"]) == name]
        same([call["args"]["offset"] for call in writes], [i * 7 for i in range(3000)], name)
    same(len([call for call in calls if call["function"] == "fprintf"]), 500)
    failed = [call for call in calls if call["function"] == "open" and call.get("error") == "ENOENT"
              and call["path"] == "missing"]
    same(len(failed), 1)


def test_memory():
    under_valgrind("--leak-check=full", "--errors-for-leak-kinds=definite")
    check_trace()


def test_the_reader():
    subprocess.run([VARVE, "record", "-o", "t.varve", "--", PROGRAM], check=True)
    for words in (["dump"], ["dump", "-f", "json"], ["dump", "-f", "csv"], ["dump", "--definitions"], ["info"]):
        result = subprocess.run(["valgrind", "-q", "--error-exitcode=99", "--leak-check=full",
                                 "--errors-for-leak-kinds=definite,indirect", VARVE, *words, "t.varve"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
        same((result.returncode, result.stderr), (0, b""), words)


if os.environ.get("VARVE_SANITIZE") or VARVE.endswith("-clang") or not shutil.which("valgrind"):
    print("# skipped: no valgrind, a build with checks of its own, or one whose debug information valgrind cannot read")
    sys.exit(77)
run_tests(globals())
