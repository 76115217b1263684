#!/usr/bin/env python3
"""Lanes in reserve (ADR 77): children of a process that has ended take them, no lane in use is removed, and no lane remains
that no process can take. Counts come from the program's own arithmetic."""
import os
import subprocess
import time

from lib import VARVE, Trace, need_root, program, remove_trace, run_tests, same, told_apart

RESERVE = program("reserve")
FEW = 48  # the control page, and the lanes of the parent
need_root()


def command(*words):
    return [VARVE, "record", "-o", "t.varve", "--", RESERVE, *map(str, words), os.path.abspath("out")]


def test_the_maker_ends_first():
    """Its child takes the lanes while the collector checks those of a process that has ended."""
    os.mkdir("root", 0o755)
    for _ in range(3):
        result = subprocess.run(command("heirs", 40, 1000, os.path.abspath("root")), stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=100)
        stderr, told = told_apart(result.stderr)
        same((result.returncode, stderr, os.path.getsize("out")), (0, b"", 40000), told)
        same(Trace("t.varve", told).complete()["write"], 40000)
        subprocess.run(["rm", "-r", "t.varve", "out"], check=True)


def children(count, user, end):
    """Files of lanes that exist when all children have ended."""
    remove_trace("t.varve")
    os.makedirs("root", exist_ok=True)
    with open("out", "w") as file:
        os.chmod(file.name, 0o666)
    process = subprocess.Popen(command(end, count, os.path.abspath("root"), user), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    same(process.stdout.readline(), b"done\n")
    with open("t.varve/lanes") as file:
        lanes = file.read()
    # The collector takes them in its next check; it checks repeatedly.
    until = time.monotonic() + 100
    while (found := len(os.listdir(lanes))) > FEW and time.monotonic() < until:
        time.sleep(0.05)
    stderr, told = told_apart(process.communicate(b"\n", timeout=100)[1])
    same((process.returncode, stderr, os.path.getsize("out")), (0, b"", count), told)
    same(Trace("t.varve", told).complete()["write"], count)
    return found


def test_lanes_go_with_who_made_them():
    """A child that has changed its root and has not forked: its unused lanes are removed when it ends."""
    found = children(40, 0, "children")
    assert found <= FEW, found


def test_none_for_a_call_that_cannot_succeed():
    os.chmod(".", 0o711)
    found = children(40, 33, "children")
    assert found <= FEW, found


run_tests(globals())
