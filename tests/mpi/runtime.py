#!/usr/bin/env python3
"""timeout: 300
What the MPI library does for itself is of class runtime, whichever layers are recorded; what the program does is not.
"""
import json
import os
import subprocess

from _mpi import VARVE, LAUNCH, QUIET, build, run_tests, same

# Files that the program writes, as runtime.c calls them.
OWN = {"mine.before", "mine.inside", "mine.after"}


def recorded(mpi, *options):
    subprocess.run(["rm", "-rf", "t.varve"], check=True)
    subprocess.run([f"mpirun.{mpi}", *LAUNCH[mpi], "-n", "2", VARVE, "record", "-o", "t.varve", *options, "--", build(mpi, "runtime.c")],
                   check=True, env=dict(os.environ, **QUIET), stdin=subprocess.DEVNULL, timeout=100)
    done = subprocess.run([VARVE, "dump", "--by-stream", "--format", "json", "t.varve"], stdout=subprocess.PIPE, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(mpi, *options):
    """The system calls of class runtime, by rank; the program's own."""
    theirs, own = {0: 0, 1: 0}, []
    for record in recorded(mpi, *options):
        name = os.path.basename(record.get("path", "") or record.get("absolute", ""))
        if name in OWN:
            own.append((record["rank"], name, record.get("runtime", False)))
        elif record["layer"] in ("posix", "socket"):
            theirs[record["rank"]] += record.get("runtime", False)
            # The library talks to its launcher: that is never the program's.
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
