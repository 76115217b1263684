#!/usr/bin/env python3
"""The recorder's calls of NetCDF are not noticed: the calls of HDF5 are the same, one by one, as without them."""
import os

from _netcdf import MPIRUN, VARVE, built, dumped, need, ran, run_tests, sample
from lib import remove_trace


def below(command, *options):
    """The library's calls, for each process in its order: functions, and results that are not handles."""
    remove_trace("t.varve")
    status, _, errors = ran(command, "work", [VARVE, "record", "-o", os.path.abspath("t.varve"), *options, "--"])
    assert status == 0, errors
    found = {}
    for record in dumped():
        if record["layer"] in ("hdf5", "mpiio") or record["function"].startswith(("pread", "pwrite")):
            found.setdefault((record.get("rank"), record["thread"]), []).append(
                (record["function"], record.get("size"), record["args"].get("offset")))
    return found


def unnoticed(command, layer):
    asked, not_asked = below(command), below(command, "--skip", layer)
    assert sum(len(calls) for calls in asked.values()) > 5
    assert sorted(asked) == sorted(not_asked, key=str)
    for key, calls in asked.items():
        for at, (one, other) in enumerate(zip(calls, not_asked[key])):
            assert one == other, f"call {at}: {one}, without the layer {other}"
        assert len(calls) == len(not_asked[key])


def test_writing_and_reading():
    unnoticed([built("serial"), "netcdf4"], "netcdf")


def test_every_function():
    unnoticed([built("every")], "netcdf")


def test_fortran():
    unnoticed([built("fortran")], "netcdf")


def test_reading_what_others_wrote():
    """Attributes and variables of a file that was only opened: NetCDF reads them when the recorder asks for them."""
    need("ncgen", "ncdump", "nccopy")
    name = os.path.abspath(sample("nc4"))
    unnoticed(["ncdump", name], "netcdf")
    unnoticed(["nccopy", "-k", "nc4", "-d", "2", name, "copy.nc"], "netcdf")


def test_parallel():
    need("mpirun.openmpi")
    unnoticed([*MPIRUN, "-n", "1", built("parallel")], "netcdf")
    unnoticed([*MPIRUN, "-n", "1", built("fortran_parallel")], "pnetcdf")


run_tests(globals())
