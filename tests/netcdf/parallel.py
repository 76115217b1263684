#!/usr/bin/env python3
"""Parallel NetCDF and PnetCDF with 1, 2 and 4 processes under Open MPI: calls, arguments, selections, elements, bytes, requests.

label: long
timeout: 300
"""
from _netcdf import built, check, need, run_tests

need("mpirun.openmpi")


def test_netcdf():
    for ranks in (1, 2, 4):
        check("netcdf", [built("parallel")], ranks)


def test_pnetcdf():
    for ranks in (1, 2, 4):
        check("pnetcdf", [built("every_parallel")], ranks)


def test_pnetcdf_many_blocks():
    check("pnetcdf", [built("every_parallel")], 2, ("--buffer", "64K"))


def test_pnetcdf_fortran():
    for ranks in (1, 2, 4):
        check("pnetcdf", [built("fortran_parallel")], ranks)


run_tests(globals())
