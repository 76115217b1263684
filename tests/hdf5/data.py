#!/usr/bin/env python3
"""Records of HDF5's calls: names, selections, datatypes, property lists, elements and bytes, as the program expects."""
import os

from _hdf5 import build, expected_in, held_against, recorded, run_tests, same


def checked(flavour, *options):
    said = os.path.abspath("expectations")
    output, records = recorded([build("data", flavour)], options=options, EXPECTATIONS=said)
    same(output, b"done\n")
    held_against(expected_in(said), records)
    os.unlink(said)
    return records


def lead_to_the_file(records):
    """The file, the objects in it and the descriptor below: calls with them refer to the same file."""
    file = os.stat("work/data.h5")
    functions = ("H5Fcreate", "H5Fclose", "H5Gclose", "H5Dread", "H5Dwrite", "H5Dflush", "H5Aread", "H5Awrite", "pwrite", "pread")
    for record in records:
        if record["function"] in functions and not record.get("failed"):
            same((record["function"], record["ordinal"], record.get("device"), record.get("inode")),
                 (record["function"], record["ordinal"], file.st_dev, file.st_ino))


def test_serial():
    records = checked("serial")
    lead_to_the_file(records)
    # The high level library's calls refer to the same file.
    made, given = [next(r for r in records if r["function"] == name) for name in ("H5Fcreate", "H5LTmake_dataset_int")]
    same(given["args"]["loc_id"], made["result"])


def test_many_blocks():
    lead_to_the_file(checked("serial", "--buffer", "64K"))


def test_openmpi_without_mpi():
    checked("openmpi")


def test_mpich_without_mpi():
    checked("mpich")


def test_later_versions():
    """Functions of HDF5 1.12 and 1.14, which are not installed: a library provides them, as declared there, and calls this
    HDF5."""
    later = build("later", "serial", "-shared", "-fPIC", output="later.so")
    program = build("since", "serial", later)
    said = os.path.abspath("expectations")
    output, records = recorded([program], EXPECTATIONS=said)
    same(output, b"right 3 0\n")
    held_against(expected_in(said), records)


run_tests(globals())
