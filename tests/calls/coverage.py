#!/usr/bin/env python3
"""Every symbol of the table is called by a test program: this test fails for a row without a test. Runs all programs, untraced."""
import json
import os
import re
import subprocess

from _calls import BUILD, expectations, program, programs, run_tests

# Symbols that no program calls, each with the reason.
EXCLUDED = {}
NEEDS_ROOT = {"rcmd", "rcmd_af", "rresvport", "rresvport_af", "bindresvport"}
if os.geteuid() != 0:
    EXCLUDED.update({name: "needs a port of root's" for name in NEEDS_ROOT - {"bindresvport"}})

# Symbols that cannot succeed on Linux, or must not in a test, each with the reason.
FAILING = {
    **dict.fromkeys(("chflags", "fchflags", "gtty", "stty", "revoke"), "the C library always fails: not there on Linux"),
    **dict.fromkeys(("getmsg", "getpmsg", "putmsg", "putpmsg", "fattach", "fdetach"), "no STREAMS on Linux"),
    "uselib": "the kernel has it no more",
    "process_mrelease": "succeeds in the instant in which a process dies, and then only",
    "acct": "would change the accounting of the machine",
    "swapon": "would change the swap space of the machine",
    "swapoff": "would change the swap space of the machine",
}
# Symbols that only root may use.
PRIVILEGED = {"vhangup", "quotactl", "fanotify_mark", "open_by_handle_at", "setns", "process_madvise", "chroot"}


# Present kernels report that a request will be cancelled.
SUCCESS = {"io_cancel": " = -115 EINPROGRESS"}


def table(what="symbols"):
    with open(os.path.join(BUILD, "generated", "calls.json"), encoding="utf-8") as file:
        return json.load(file)[what]


def called():
    made = {}
    for name in programs():
        for expectation in expectations([program(name)])[0]:
            made.setdefault(expectation.symbol, []).append(expectation)
    return made


def test_every_symbol_is_called():
    # Symbols of libraries have tests of their own: tests/arch/reached.py compares them with calls/unreached.list.
    libraries = table("libraries")
    symbols = {row["symbol"] for row in table() if row["layer"] not in libraries}
    made = called()
    missing = sorted(symbols - set(made) - set(EXCLUDED))
    assert not missing, "no program calls " + ", ".join(missing)
    stale = sorted(name for name in EXCLUDED if name in made or name not in symbols)
    assert not stale, "excluded for nothing: " + ", ".join(stale)
    unknown = sorted(set(made) - symbols - {""})
    assert not unknown, "called, but in no row: " + ", ".join(unknown)


def test_each_is_called_as_its_function():
    functions = {row["symbol"]: row["function"] for row in table()}
    for symbol, calls in called().items():
        for expectation in calls:
            function = expectation.line.split("(")[0].strip()
            assert not symbol or functions[symbol] == function, f"{symbol} is no symbol of {function}"


def failing(made):
    """Symbols that were called and never succeeded."""
    kinds = {row["symbol"]: row["fail"] for row in table()}
    return {symbol for symbol, calls in made.items()
            if symbol and kinds[symbol] != "never"
            and all(re.search(r" = (-1|NULL|0x[f]{16}) E", call.line) and SUCCESS.get(symbol, "?") not in call.line
                    for call in calls)}


def test_each_has_succeeded():
    """Calls were made not only with failing arguments."""
    found = failing(called())
    never = sorted(found - set(FAILING) - (PRIVILEGED | NEEDS_ROOT if os.geteuid() else set()))
    assert not never, "never succeeded: " + ", ".join(never)
    stale = sorted(set(FAILING) - found)
    assert not stale, "said to fail always: " + ", ".join(stale)


def numbers():
    """The numbers of system calls by name, from the compiler."""
    macros = subprocess.run([os.environ.get("CC", "cc"), "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    return {"SYS_" + name: number for name, number in re.findall(r"#define __NR_(\w+) (\d+)", macros)}


def test_every_number_is_called():
    """Each system call that has a row for syscall() is made by its number."""
    known = numbers()
    made = {call.line.split("=")[1].split(")")[0]
            for name in programs() if name.startswith("call_direct")
            for call in expectations([program(name)])[0] if call.line.startswith("syscall(")}
    missing = [row["number"] for row in table("directs") if known.get(row["number"]) not in made]
    assert not missing, "not made by number: " + ", ".join(missing)


run_tests(globals())
