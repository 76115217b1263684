#!/usr/bin/env python3
"""timeout: 600
Every call of MPI is recorded exactly once: from C, through mpif.h, `use mpi` and `use mpi_f08`, and with a tool that defines
MPI's names itself, in the program or in a library of its own. The program sees no difference.
"""
from collections import Counter

from _mpi import build, run_tests, same, transparent

CALLS = ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_split", "MPI_File_open", "MPI_File_write_at", "MPI_File_close", "MPI_Allreduce",
         "MPI_Ibcast", "MPI_Wait", "MPI_Comm_free", "MPI_Finalize"]
RANKS = 2


def prove(mpi, program, said=()):
    output, ranks = transparent(mpi, RANKS, [program])
    same(output, sorted([f"rank {r} sum 1 ierr 0" for r in range(RANKS)] + list(said)), "output")
    same(sorted(ranks), list(range(RANKS)), "ranks")
    for rank, calls in ranks.items():
        seen = Counter(c["function"] for c in calls)
        for call in CALLS:
            same(seen[call], 1, f"rank {rank} {call}")
        outer = [c["function"] for c in calls if c["depth"] == 0]
        same([c for c in outer if c in CALLS], CALLS, f"rank {rank}: order")
        by_name = {c["function"]: c for c in calls}
        same(by_name["MPI_Init"]["args"]["rank"], rank, "rank by MPI")
        same(by_name["MPI_Comm_split"]["args"]["members"], str(rank), "members")
        same(by_name["MPI_File_write_at"]["args"]["bytes"], 4, "bytes")
        same(by_name["MPI_Allreduce"]["args"]["bytes"], 4, "bytes")
        same(by_name["MPI_Ibcast"]["args"]["request"], by_name["completion"]["args"]["request"], "request")
        same(by_name["MPI_Ibcast"]["args"]["bytes"], 0 if rank else 4, "bytes at the root only")
        same([c["result"] for c in calls if c["function"] in CALLS], [0] * len(CALLS), "results")


def test_c(mpi):
    prove(mpi, build(mpi, "proof.c"))


def test_mpif(mpi):
    prove(mpi, build(mpi, "proof_mpif.f"))


def test_use_mpi(mpi):
    prove(mpi, build(mpi, "proof_mpi.f90"))


def test_use_mpi_f08(mpi):
    prove(mpi, build(mpi, "proof_f08.f90"))


def test_tool_in_the_program(mpi):
    prove(mpi, build(mpi, "proof.c", "tool.c"), [f"rank {r} tool 6" for r in range(RANKS)])


def test_tool_in_a_library(mpi):
    tool = build(mpi, "tool.c", output="libtool.so", options=["-shared", "-fPIC"])
    prove(mpi, build(mpi, "proof.c", options=[tool]), [f"rank {r} tool 6" for r in range(RANKS)])


run_tests(globals())
