#!/usr/bin/env python3
"""--quiet leaves out notes, and never what is wrong, missing or damaged."""
import os
import signal
import subprocess

from _harness import VARVE, holds, run_tests, same, varve, wait_for_end


def left_in_lanes():
    """A trace whose `varve record` was killed together with its program: all is there, but in lanes."""
    process = subprocess.Popen([VARVE, "record", "-o", "t.varve", "--", "sh", "-c", "echo $$; read wait"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    pid = process.stdout.readline().decode().strip()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    wait_for_end(pid)
    process.stdin.close()
    process.stdout.close()


def test_notes_are_left_out():
    left_in_lanes()
    result = varve("dump", "t.varve")
    same(result.returncode, 0)
    holds(result.stderr, b"still in lanes: ")
    quiet = varve("dump", "--quiet", "t.varve")
    same((quiet.returncode, quiet.stdout, quiet.stderr), (0, result.stdout, b""))
    same(varve("pack", "--recover", "--quiet", "t.varve").stderr, b"")
    holds(varve("pack", "--recover", "t.varve").stderr, b"nothing is left to recover")
    same(varve("pack", "--quiet", "--recover", "t.varve").stderr, b"")


def test_damage_and_errors_are_said():
    varve("record", "-o", "t.varve", "--", "true")
    with open("t.varve/data.0", "r+b") as file:
        file.seek(-40, os.SEEK_END)
        file.write(b"damaged")
    result = varve("dump", "--quiet", "t.varve")
    same(result.returncode, 3)
    holds(result.stderr, b"damaged: ")
    result = varve("dump", "--quiet", "absent.varve")
    same(result.returncode, 4)
    holds(result.stderr, b"absent.varve")


def test_record_leaves_it_to_its_program():
    result = varve("record", "-o", "t.varve", "--", "echo", "--quiet")
    same((result.returncode, result.stdout), (0, b"--quiet\n"))
    same(varve("record", "--quiet", "--", "true").returncode, 125)


run_tests(globals())
