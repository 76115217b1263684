#!/usr/bin/env python3
"""A copy of a trace that was made while the program ran: what is readable, what is missing, and how to get the whole trace."""
import os
import shutil
import subprocess

from lib import VARVE, dump_json, holds, program, run_tests, same, varve

WRITES = 30000


def test_a_copy_of_a_live_trace():
    words = [program("writes_waiting"), str(WRITES), "done"]
    with subprocess.Popen([VARVE, "record", "--buffer", "128K", "-o", "t.varve", "--", *words], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        same(process.stdout.readline(), b"done\n")
        shutil.copytree("t.varve", "copy.varve")
        process.communicate(b"\n")
    same(len(dump_json("t.varve", "--function", "pwrite")), WRITES)
    result = varve("info", "copy.varve")
    same(result.returncode, 3, result.stderr)
    holds(result.stdout, b"copied")
    holds(result.stdout, b"copy")
    shown = varve("dump", "--format", "csv", "--function", "pwrite", "copy.varve").stdout.count(b"pwrite")
    assert 0 < shown < WRITES, shown
    result = varve("pack", "copy.varve")
    holds(result.stderr, b"varve slice copy.varve -o")
    varve("slice", "copy.varve", "-o", "rest.varve")
    same(varve("dump", "--format", "csv", "--function", "pwrite", "rest.varve").stdout.count(b"pwrite"), shown)
    os.unlink("out")


run_tests(globals())
