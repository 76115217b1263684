#!/usr/bin/env python3
"""Records of HDF5's calls: names, selections, datatypes, property lists, elements and bytes, as the program says."""
import os

from _hdf5 import build, expected_in, held_against, recorded, run_tests, same


def checked(flavour, *options):
    said = os.path.abspath("expectations")
    output, records = recorded([build("data", flavour)], options=options, HDF5_EXPECTATIONS=said)
    same(output, b"done\n")
    held_against(expected_in(said), records)
    os.unlink(said)
    return records


def test_serial():
    records = checked("serial")
    file = os.stat("work/data.h5")
    for record in records:
        if record["function"] in ("H5Fcreate", "H5Fclose", "pwrite"):
            same((record["function"], record.get("device"), record.get("inode")),
                 (record["function"], file.st_dev, file.st_ino))
    # The high level library's calls are about the same file.
    made, given = [next(r for r in records if r["function"] == name) for name in ("H5Fcreate", "H5LTmake_dataset_int")]
    same(given["args"]["loc_id"], made["result"])


def test_many_blocks():
    checked("serial", "--buffer", "64K")


def test_openmpi_without_mpi():
    checked("openmpi")


def test_mpich_without_mpi():
    checked("mpich")


run_tests(globals())
