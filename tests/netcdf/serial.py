#!/usr/bin/env python3
"""NetCDF from one process: calls, arguments, selections, elements and bytes, in each format, from C and Fortran."""
import json
import subprocess

from _netcdf import VARVE, built, check, run_tests


def test_classic():
    check("netcdf", [built("serial"), "classic"])


def test_offset():
    check("netcdf", [built("serial"), "offset"])


def test_data():
    check("netcdf", [built("serial"), "data"])


def test_netcdf4():
    check("netcdf", [built("serial"), "netcdf4"])


def test_many_blocks():
    """Names and handles are defined in each block anew."""
    check("netcdf", [built("every")], options=("--buffer", "64K"))


def test_fortran():
    check("netcdf", [built("fortran")])


def test_errors():
    """Error codes have names: negative ones those of NetCDF, positive ones those of the system."""
    with open("text", "w") as file:
        file.write("not a NetCDF file\n")
    subprocess.run([VARVE, "record", "-o", "failing.varve", "--", built("errors")], check=True)
    dump = [VARVE, "dump", "--layer", "netcdf", "failing.varve"]
    lines = subprocess.run(dump, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    ends = [line.split(" = ")[1] for line in lines]
    assert ends == ["-51 NC_ENOTNC", "2 ENOENT", "-33 NC_EBADID"], ends
    calls = [json.loads(line) for line in subprocess.run([*dump, "-f", "json"], stdout=subprocess.PIPE, check=True).stdout.splitlines()]
    assert [(call["result"], call["error"]) for call in calls] == [(-51, "NC_ENOTNC"), (2, "ENOENT"), (-33, "NC_EBADID")], calls


run_tests(globals())
