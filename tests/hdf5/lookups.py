#!/usr/bin/env python3
"""Functions of HDF5 and NetCDF that a program looks up with dlsym in libraries that it opened itself: each call is recorded,
for the build of the pointer, and the program does and prints the same as without Varve."""
import glob
import os
import subprocess
import sys
from collections import Counter

from _hdf5 import build, recorded, run_tests, same
from lib import varve
from real._real import need

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
ROUNDS = 5
PYTHON = """
import ctypes, sys
number, text = ctypes.c_int64, ctypes.c_char_p
for at, path in enumerate(sys.argv[1:]):
    hdf5 = ctypes.CDLL(path)
    hdf5.H5Fcreate.restype, hdf5.H5Fcreate.argtypes = number, [text, ctypes.c_uint, number, number]
    hdf5.H5Gcreate2.restype, hdf5.H5Gcreate2.argtypes = number, [number, text, number, number, number]
    hdf5.H5Gclose.argtypes = hdf5.H5Fclose.argtypes = [number]
    file = hdf5.H5Fcreate(b"file%d.h5" % at, 2, 0, 0)
    for i in range(20):
        hdf5.H5Gclose(hdf5.H5Gcreate2(file, b"group%d" % i, 0, 0, 0))
    print(hdf5.H5Fclose(file))
"""
NETCDF = """
import ctypes, sys
netcdf, file = ctypes.CDLL(sys.argv[1]), ctypes.c_int()
variable, dimension = ctypes.c_int(), ctypes.c_int()
steps = [netcdf.nc_create(b"file.nc", 0, ctypes.byref(file)), netcdf.nc_def_dim(file, b"row", ctypes.c_size_t(4), ctypes.byref(dimension)),
         netcdf.nc_def_var(file, b"field", 4, 1, ctypes.byref(dimension), ctypes.byref(variable)), netcdf.nc_enddef(file)]
for i in range(7):
    steps.append(netcdf.nc_put_var_int(file, variable, (ctypes.c_int * 4)(i, 2, 3, 4)))
print(steps, netcdf.nc_close(file), netcdf.nc_close(99))
"""


def library(name):
    found = sorted(glob.glob(f"{LIBRARIES}/lib{name}.so.*"))
    return found[0] if found else need(f"{LIBRARIES}/lib{name}.so")


def alike(words):
    """Output and records; the output is that of a run without Varve."""
    plain = subprocess.run(words, cwd=os.path.join(os.getcwd()), stdout=subprocess.PIPE, timeout=100)
    output, records = recorded(words)
    same((plain.stdout, plain.returncode), (output, 0))
    same(varve("info", "t.varve").stdout.decode().splitlines()[0].split()[0], "complete")
    return output.decode(), records


def of_layer(records, layer, names=None):
    return [r for r in records if r["layer"] == layer and not r["depth"] and (names is None or r["function"] in names)]


def libraries(records):
    return [r["args"]["path"] for r in records if r["function"] == "library" and r["layer"] == "varve"]


def pointers(*builds):
    paths = [library(f"hdf5_{build}") for build in builds]
    _, records = alike([build("looked"), *paths])
    mine = of_layer(records, "hdf5")
    count = len(paths)
    per_turn = {"H5Fcreate": 1, "H5Screate_simple": 1, "H5Dcreate2": 1, "H5Dwrite": ROUNDS, "H5Dclose": 1, "H5Sclose": 1,
                "H5Fclose": 1}
    same(Counter(r["function"] for r in mine), {name: 2 * count * times for name, times in per_turn.items()})
    same(sum(r["args"]["bytes"] for r in mine if r["function"] == "H5Dwrite"), 2 * count * ROUNDS * 40)
    closed = sorted(os.path.basename(r["args"]["file_id_path"]) for r in mine if r["function"] == "H5Fclose")
    same(closed, sorted(f"file{turn}-{at}.h5" for turn in range(2) for at in range(count)))
    used = {path for path in libraries(records) if "hdf5" in path}
    same(used, set(paths))


def test_one_build():
    pointers("serial")


def test_builds_side_by_side():
    """Called from the same places of the program."""
    pointers("serial", "openmpi", "mpich")


def test_python():
    """Python calls through libffi."""
    paths = [library(f"hdf5_{build}") for build in ("serial", "openmpi")]
    _, records = alike([sys.executable, "-c", PYTHON, *paths])
    same(Counter(r["function"] for r in of_layer(records, "hdf5")), {"H5Fcreate": 2, "H5Gcreate2": 40, "H5Gclose": 40, "H5Fclose": 2})
    same([p for p in libraries(records) if "hdf5" in p], paths)


def test_netcdf():
    _, records = alike([sys.executable, "-c", NETCDF, library("netcdf")])
    mine = of_layer(records, "netcdf")
    same(Counter(r["function"] for r in mine),
         {"nc_create": 1, "nc_def_dim": 1, "nc_def_var": 1, "nc_enddef": 1, "nc_put_var_int": 7, "nc_close": 2})
    same(sum(r["args"]["bytes"] for r in mine if r["function"] == "nc_put_var_int"), 7 * 16)


run_tests(globals())
