#!/usr/bin/env python3
"""NetCDF from one process: calls, arguments, selections, elements and bytes, in each format, from C and Fortran."""
from _netcdf import built, check, run_tests


def test_classic():
    check("netcdf", [built("serial"), "classic"])


def test_offset():
    check("netcdf", [built("serial"), "offset"])


def test_data():
    check("netcdf", [built("serial"), "data"])


def test_netcdf4():
    check("netcdf", [built("serial"), "netcdf4"])


def test_many_blocks():
    """Names and handles are told in each block anew."""
    check("netcdf", [built("every")], options=("--buffer", "64K"))


def test_fortran():
    check("netcdf", [built("fortran")])


run_tests(globals())
