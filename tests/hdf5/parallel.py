#!/usr/bin/env python3
"""HDF5 over MPI-IO: the calls that each rank expects, and the calls of MPI and of the system inside.
timeout: 300
"""
import glob
import os

from _hdf5 import build, expected_in, held_against, inside, recorded, run_tests, same, start

BYTES = 8 * 20000 * 4


def checked(flavour, ranks):
    words = [*start(flavour, ranks), build("parallel", flavour)]
    output, records = recorded(words, EXPECTATIONS=os.path.abspath("expected"), OMPI_MCA_io="ompio")
    same(sorted(output.decode().split("\n"))[1:], [f"rank {rank} of {ranks}: right" for rank in range(ranks)])
    files = glob.glob("expected.*")
    same(len(files), ranks)
    written, calls = 0, set()
    for file in files:
        pid = int(file.rpartition(".")[2])
        mine = [record for record in records if record["tid"] == pid]
        held_against(expected_in(file), mine)
        for at, record in enumerate(mine):
            if record["function"] == "H5Dwrite" and record["args"]["dset_id_path"] == "/plain":
                below = list(inside(mine, at))
                written += sum(r["size"] for r in below if r["layer"] == "posix" and r["function"].startswith("pwrite"))
                calls |= {r["function"] for r in below if r["layer"] == "mpiio"}
                assert at + 1 < len(mine)
    # The library decides which rank's system calls transfer the data.
    same(written, BYTES * ranks)
    assert "MPI_File_write_at_all" in calls, calls


def test_openmpi_1():
    checked("openmpi", 1)


def test_openmpi_2():
    checked("openmpi", 2)


def test_openmpi_4():
    checked("openmpi", 4)


def test_openmpi_8():
    checked("openmpi", 8)


def test_mpich_1():
    checked("mpich", 1)


def test_mpich_2():
    checked("mpich", 2)


run_tests(globals())
