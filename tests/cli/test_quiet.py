#!/usr/bin/env python3
"""--quiet hides notes, and never errors, losses or damage."""
from lib import Run, damage_last_block, holds, run_tests, same, varve


def test_notes_are_left_out():
    with Run() as run:
        run.kill()
    result = varve("dump", "t.varve")
    same(result.returncode, 0)
    holds(result.stderr, b"varve: ... lanes")
    quiet = varve("dump", "--quiet", "t.varve")
    same((quiet.returncode, quiet.stdout, quiet.stderr), (0, result.stdout, b""))
    same(varve("pack", "--recover", "--quiet", "t.varve").stderr, b"")
    holds(varve("pack", "--recover", "t.varve").stderr, b"t.varve")
    same(varve("pack", "--quiet", "--recover", "t.varve").stderr, b"")


def test_damage_and_errors_are_said():
    varve("record", "--no-pack", "-o", "t.varve", "--", "true")
    damage_last_block()
    result = varve("dump", "--quiet", "t.varve")
    same(result.returncode, 3)
    holds(result.stderr, b"damaged: ")
    result = varve("dump", "--quiet", "absent.varve")
    same(result.returncode, 4)
    holds(result.stderr, b"absent.varve")


def test_record_leaves_it_to_its_program():
    result = varve("record", "-o", "t.varve", "--", "echo", "--quiet")
    same((result.returncode, result.stdout), (0, b"--quiet\n"))
    same((lambda result: (result.returncode, result.stderr))(varve("record", "--quiet", "--", "true")), (0, b""))


run_tests(globals())
