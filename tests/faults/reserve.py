#!/usr/bin/env python3
"""Lanes in reserve (ADR 77): relatives of a process that has ended take them, none that is taken is removed, and none stays that
nobody can take. Counts are those of the program's own arithmetic."""
import os
import subprocess

from _faults import VARVE, Trace, program, run_tests, same, skip_unless_root, told_apart

RESERVE = program("reserve")
skip_unless_root()


def command(*words):
    return [VARVE, "record", "-o", "t.varve", "--", RESERVE, *map(str, words), os.path.abspath("out")]


def test_the_maker_ends_first():
    """Its child takes the lanes while the collector looks at those of a process that is gone."""
    os.mkdir("root", 0o755)
    for _ in range(3):
        result = subprocess.run(command("heirs", 40, 1000, os.path.abspath("root")), stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=100)
        stderr, told = told_apart(result.stderr)
        same((result.returncode, stderr, os.path.getsize("out")), (0, b"", 40000), told)
        same(Trace("t.varve", told).complete()["write"], 40000)
        subprocess.run(["rm", "-r", "t.varve", "out"], check=True)


run_tests(globals())
