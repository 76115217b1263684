#!/usr/bin/env python3
"""The recorder's calls of HDF5 have no effect on the program: its output and its errors are the same as without Varve, and HDF5
opens no files for them."""
import os
import shutil
import subprocess

from _hdf5 import build, inside, recorded, run_tests, same


def alike(case):
    """Records of the case; its output must be the same as without Varve."""
    program = build("asks")
    shutil.rmtree("work", ignore_errors=True)
    os.mkdir("work")
    words = ["sh", "-c", 'exec "$0" "$1" 2>&1', program, case]
    plain = subprocess.run(words, cwd="work", check=True, stdout=subprocess.PIPE).stdout
    assert plain.count(b"\n") > 1, plain
    for options in ([], ["--also", "hdf5"]):
        output, records = recorded(words, options=options)
        same(output.decode(), plain.decode(), options)
    return [record for record in records if record["layer"] in ("hdf5", "posix")]


def paths(records, function, argument):
    return [r["args"].get(argument) for r in records if r["function"] == function and not r["depth"]]


def test_found_by_reference_or_address():
    records = alike("found")
    # Only their file is known.
    closed = paths(records, "H5Oclose", "object_id_path")
    same([os.path.basename(path) for path in closed], ["found.h5"] * 4)
    same(paths(records, "H5Dclose", "dset_id_path")[-1], "?/good")


def test_filters_that_are_not_there():
    records = alike("filters")
    same(paths(records, "H5Pclose", "plist_id_path")[0], "dataset create: chunk=[4]; filter=32000")


def test_stack_of_errors():
    alike("errors")


def test_sources_of_virtual_datasets():
    """They are opened where the program causes it: in H5Dread."""
    records = alike("virtual")
    at = next(i for i, r in enumerate(records) if r["function"] == "H5Dread")
    same((records[at]["args"]["elements"], records[at]["args"]["bytes"]), (10, 40))

    def opened(some):
        return [r["function"] for r in some if "open" in r["function"] and "source.h5" in str(r["args"]) and not r.get("failed")]

    same(len(opened(inside(records, at))), 1, records[at:])


run_tests(globals())
