#!/usr/bin/env python3
"""timeout: 300
Calls that the MPI library makes for itself have the mark runtime, for any choice of layers; the program's calls do not.
"""
import json
import os
import subprocess

from _mpi import VARVE, LAUNCH, QUIET, build, run_tests, same

# Files that the program writes, with the names in runtime.c.
OWN = {"mine.before", "mine.inside", "mine.after"}


def recorded(mpi, *options):
    subprocess.run(["rm", "-rf", "t.varve"], check=True)
    subprocess.run([f"mpirun.{mpi}", *LAUNCH[mpi], "-n", "2", VARVE, "record", "-o", "t.varve", *options, "--", build(mpi, "runtime.c")],
                   check=True, env=dict(os.environ, **QUIET), stdin=subprocess.DEVNULL, timeout=100)
    done = subprocess.run([VARVE, "dump", "--by-stream", "--format", "json", "t.varve"], stdout=subprocess.PIPE, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(mpi, *options):
    """The system calls with the mark runtime, by rank; the program's own."""
    theirs, own = {0: 0, 1: 0}, []
    for record in recorded(mpi, *options):
        name = os.path.basename(record.get("path", "") or record.get("absolute", ""))
        if name in OWN:
            own.append((record["rank"], name, record.get("runtime", False)))
        elif record["layer"] in ("posix", "socket"):
            theirs[record["rank"]] += record.get("runtime", False)
            # The library communicates with its launcher: these calls never belong to the program.
            if record["layer"] == "socket" or record["function"].startswith("epoll"):
                same(record.get("runtime"), True, str(record))
    same({mark for _, _, mark in own}, {False}, "class of the program's own calls")
    same({name for rank, name, _ in own if rank == 0}, OWN)
    assert min(theirs.values()) > 20, theirs
    return theirs


def test_all_layers(mpi):
    check(mpi)


def test_without_the_layers_of_mpi(mpi):
    check(mpi, "--layer", "posix,socket")


run_tests(globals())
