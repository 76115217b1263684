#!/usr/bin/env python3
"""timeout: 200
Explicit offsets of MPI-IO are positions in bytes if the view has no gaps, and absent otherwise."""
from _mpi import build, recorded, run_tests, same

BYTES = [("MPI_File_write_at", 40), ("MPI_File_write_at", 120), ("MPI_File_iwrite_at", 128), ("MPI_File_read_at_all", 124),
         ("MPI_File_write_at_all_begin", 132), ("MPI_File_write_at", None), ("MPI_File_read_at", 24), ("MPI_File_read", None)]


def moves(calls):
    return [(call["function"], call.get("offset")) for call in calls
            if call["function"] in dict(BYTES) and call["depth"] == 0]


def test_offsets(mpi):
    _, _, ranks = recorded(mpi, 1, [build(mpi, "offsets.c")])
    [calls] = ranks.values()
    same(moves(calls), BYTES)


def test_views_that_are_not_seen(mpi):
    _, _, ranks = recorded(mpi, 1, [build(mpi, "offsets.c")], ["--skip", "MPI_File_set_view"])
    [calls] = ranks.values()
    same(moves(calls), [(name, None) for name, _ in BYTES])


if __name__ == "__main__":
    run_tests(globals())
