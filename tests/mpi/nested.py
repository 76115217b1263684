#!/usr/bin/env python3
"""A signal handler that calls MPI, between any two instructions of a call of MPI: each record has its own communicator.

The library belongs to the test, and its functions may be called in this way. The program is single-stepped by the processor's
trap flag, and the handler runs at each instruction of Varve's code. The direction shows which communicator was given.
"""
import os
import subprocess

from lib import dump_json, run_tests, same, varve

HERE = os.path.dirname(os.path.abspath(__file__))


def compiled(output, source, *words):
    subprocess.run(["cc", "-O1", "-mno-red-zone", "-o", output, os.path.join(HERE, source), *words], check=True)
    return os.path.abspath(output)


def test_between_any_two_instructions():
    compiled("libmpi.so", "cart_shift.c", "-shared", "-fPIC")
    program = compiled("steps", "cart_shift_steps.c", "-L.", "-lmpi", "-Wl,-rpath," + os.getcwd())
    done = varve("record", "-o", "t.varve", "--buffer", "8M", "--also", "mpi", "--", program)
    same(done.returncode, 0, done.stderr)
    calls = dump_json("t.varve", "--function", "MPI_Cart_shift")
    same(len(calls) > 1000, True, len(calls))
    of = {}
    for call in calls:
        arguments = call["args"]
        if arguments["comm"]:  # during work on the table the handle is omitted, and this is counted
            of.setdefault(arguments["direction"], set()).add(arguments["comm"])
    same([(direction, sorted(found)) for direction, found in of.items() if len(found) != 1], [])
    same(len(set.union(*of.values())), len(of))


run_tests(globals())
