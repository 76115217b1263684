#!/usr/bin/env python3
"""timeout: 600
The records of MPI are equal to what happened: programs write for each call what its record must contain, and there must be no
other records.
"""
import json

from _mpi import build, recorded, records, run_tests, same


def expected(rank):
    with open(f"work/expected.{rank}", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def shown(record):
    return f"{record['function']} {record['args']} = {record.get('result')}"


def agree(mpi, source, ranks):
    program = build(mpi, source)
    output, status, ranked = recorded(mpi, ranks, [program])
    same((output, status), ([], 0), "output and status")
    same(sorted(ranked), list(range(ranks)), "ranks")
    for rank, calls in ranked.items():
        wanted, got = expected(rank), calls[1:]
        same(calls[0]["args"]["rank"], rank, "MPI_Init")
        for number, (want, have) in enumerate(zip(wanted, got)):
            same(have["function"], want["function"], f"rank {rank}, call {number}: {shown(have)}; after {shown(got[number - 1])}")
            for name, value in want["args"].items():
                there = have.get("result") if name == "=" else have["args"].get(name)
                same(there, value, f"rank {rank}, call {number}, {name} of {shown(have)}")
            same(have.get("runtime", False), False, "class")
        same(len(got), len(wanted), f"rank {rank}: number of calls")


def test_messages(mpi):
    agree(mpi, "oracle_messages.c", 2)


def test_files(mpi):
    agree(mpi, "oracle_files.c", 2)
    # The file of MPI is the file that the library opens for it.
    for calls in (c for r, c in records("t.varve", ("posix", "mpiio")).items() if r >= 0):
        files = {layer: {(c["device"], c["inode"]) for c in calls if c["layer"] == layer and "device" in c
                         and c.get("absolute", "").endswith("/work/data")} for layer in ("posix", "mpiio")}
        same(len(files["mpiio"]), 1, "files of MPI")
        same(files["posix"], files["mpiio"], "the same file")


run_tests(globals())
