#!/usr/bin/env python3
"""Calls are nested as they were made: HDF5's in NetCDF's, MPI's in those, system calls in those; all on one file."""
import os

from _netcdf import built, check, inside, need, run_tests


def files(stream, functions):
    """Device and inode of the files of calls of these functions."""
    return {(r["device"], r["inode"]) for r in stream.records if r["function"] in functions and "inode" in r and "field" in r["path"]}


def test_classic():
    stream = check("netcdf", [built("serial"), "classic"])[0]
    assert inside(stream, ["nc_close", "*write*"]) or inside(stream, ["nc_sync", "*write*"])


def test_netcdf4():
    stream = check("netcdf", [built("serial"), "netcdf4"])[0]
    assert inside(stream, ["nc_sync", "H5Fflush", "pwrite*"])
    assert inside(stream, ["nc_put_vara_double", "H5Dwrite"])
    assert inside(stream, ["nc_get_var_double", "H5Dread", "pread*"])
    same = files(stream, {"nc_put_vara_double", "H5Dwrite", "pwrite64", "pwrite"})
    assert len(same) == 1, same
    assert next(iter(same))[1] == os.stat("traced/field.nc").st_ino


def test_parallel():
    need("mpirun.openmpi")
    for stream in check("netcdf", [built("parallel")], 2).values():
        assert inside(stream, ["nc_put_vara_double", "H5Dwrite", "MPI_File_write_at_all"])
        assert inside(stream, ["nc_put_vara_int", "H5Dwrite", "MPI_File_write_at", "pwrite*"])


def test_pnetcdf():
    need("mpirun.openmpi")
    for stream in check("pnetcdf", [built("fortran_parallel")], 2).values():
        assert inside(stream, ["ncmpi_put_vara_double_all", "MPI_File_write*_all"])
        assert inside(stream, ["ncmpi_wait_all", "MPI_File_*"])


run_tests(globals())
