#!/usr/bin/env python3
"""Nearly all full rows of NetCDF and PnetCDF are called by the programs of this folder, each with the same results as without
Varve."""
import json
import os

from _netcdf import built, check, need, run_tests
from lib import BUILD

# Full rows that no program calls, each with the reason.
ABSENT = {
    "nc_create_par_fortran": "of Fortran programs with parallel NetCDF, which this system has no library for",
    "nc_open_par_fortran": "likewise",
    "nc_set_chunk_cache_ints": "what Fortran calls nf90_set_chunk_cache; no program here does",
    "nc_set_var_chunk_cache_ints": "likewise",
}


def full_rows(layer):
    with open(os.path.join(BUILD, "generated", "calls.json"), encoding="utf-8") as file:
        return {row["name"] for row in json.load(file)["functions"] if row["layer"] == layer and not row["off"]}


def called(found):
    return {record["function"] for stream in found.values() for record in stream.records}


def covered(layer, made):
    rows = full_rows(layer)
    missing = sorted(rows - made - set(ABSENT))
    assert not missing, f"{len(missing)} of {len(rows)} rows are not called: {', '.join(missing)}"


def test_netcdf():
    need("mpirun.openmpi")
    made = called(check("netcdf", [built("every")])) | called(check("netcdf", [built("fortran")]))
    covered("netcdf", made | called(check("netcdf", [built("parallel")], 1)))


def test_pnetcdf():
    need("mpirun.openmpi")
    covered("pnetcdf", called(check("pnetcdf", [built("every_parallel")], 1)))


run_tests(globals())
