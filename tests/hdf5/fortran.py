#!/usr/bin/env python3
"""HDF5 from Fortran: its library calls the C functions, which are recorded. Dimensions are in C's order."""
import os
import subprocess

from _hdf5 import HERE, PLACE, need, recorded, run_tests, same


def built():
    compiler = need("gfortran")
    modules = os.path.dirname(need("/usr/include/hdf5/serial/hdf5.mod"))
    made = os.path.join(PLACE, "fortran")
    os.makedirs(PLACE, exist_ok=True)
    subprocess.run([compiler, "-O1", f"-I{modules}", os.path.join(HERE, "fortran.f90"), "-o", made, "-lhdf5_serial_fortran",
                    "-lhdf5_serial"], check=True)
    return made


def test_fortran():
    output, records = recorded([built()])
    same(output.split(), b"10 11 14 15 18 19 0".split())
    calls = {}
    for record in records:
        if record["layer"] == "hdf5":
            calls.setdefault(record["function"], []).append(record["args"])
    write, read = calls["H5Dwrite"][0], calls["H5Dread"][0]
    keys = ("dset_id_path", "elements", "bytes", "selection")
    same([write[key] for key in keys], ["/group/values", 24, 96, "all"])
    same([read[key] for key in keys], ["/group/values", 6, 24, "hyperslab start=[2,1] stride=[1,1] count=[3,2] block=[1,1]"])
    same(calls["H5Dcreate2"][0]["dcpl_id_path"], "dataset create: chunk=[3,2]")
    same(calls["H5Dcreate2"][0]["space_id_path"], "simple [6,4]")
    same(calls["H5Fclose"][0]["file_id_path"], os.path.realpath("work/fortran.h5"))
    for function in ("H5Fcreate", "H5Gcreate2", "H5Dclose", "H5Pclose", "H5Gclose"):
        same((function, len(calls[function])), (function, 1))


run_tests(globals())
