#!/usr/bin/env python3
"""Programs that become another user, or get another root, while they run: what their threads, children and new images do is
recorded as before, and nobody else gets at the run. Counts are those of the program's own arithmetic."""
import os
import shutil
import subprocess

from _faults import LIBRARY, NO_LANE, VARVE, Trace, no_core, program, run_tests, same, skip_unless_root, told_apart, varve

OTHER, STRANGER = 33, 12345
skip_unless_root()


def public():
    """The command, the library and the program where every user can read them, and a file that every user can write."""
    os.chmod(".", 0o711)
    os.makedirs("bin")
    for name in (VARVE, LIBRARY, program("users")):
        shutil.copy(name, "bin")
    with open("out", "w") as file:
        os.chmod(file.name, 0o666)


def record(words, options=(), status=0, before=()):
    result = subprocess.run([*before, "bin/varve", "record", "-o", "t.varve", *options, "--", *words], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100, preexec_fn=no_core)
    stderr, told = told_apart(result.stderr)
    same((result.returncode, stderr), (status, b""), told)
    return Trace(os.path.abspath("t.varve"), told)


def users(way, count):
    return [os.path.abspath("bin/users"), way, str(count), str(OTHER), os.path.abspath("out")]


def all_kept(trace, count):
    same((trace.complete()["pwrite"], sum(call["size"] for call in trace.calls("--function", "pwrite"))), (count, count))


def each(way):
    public()
    trace = record(users(way, 50), status=7)
    all_kept(trace, 20 * 50)
    same(len(trace.info()["processes"]), 6)


def test_setuid():
    each("setuid")


def test_setreuid():
    each("setreuid")


def test_setresuid():
    each("setresuid")


def test_by_number():
    each("syscall")


def test_effective_only():
    """A program that starts with another effective user than its own takes no LD_PRELOAD: that is known beforehand."""
    public()
    trace = record(users("seteuid", 50), status=7)
    same(trace.counts()["pwrite"], 15 * 50)
    same([(row["path"], row["why"], row["count"]) for row in trace.info()["untraced"]],
         [(os.path.abspath("bin/users"), "set-uid", 2)])


def test_full_lanes():
    """What the new user cannot write into the trace, the collector does: nothing is dropped on the way."""
    public()
    all_kept(record(users("setuid", 20000), ("--buffer", "128K"), status=7), 20 * 20000)


def test_preloaded_alone():
    """The keeper, which nobody has to start."""
    public()
    result = subprocess.run(users("setuid", 5000), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "LD_PRELOAD": os.path.abspath("bin/libvarve-record.so"),
                                 "VARVE_TRACE": os.path.abspath("t.varve"), "VARVE_BUFFER": "128K"}, timeout=100)
    same((result.returncode, result.stderr), (7, b""))
    trace = Trace(os.path.abspath("t.varve"))
    all_kept(trace, 20 * 5000)


run_tests(globals())
