#!/usr/bin/env python3
"""Compares the rows of library layers with the libraries' own headers, for every installed build.

timeout: 300
"""
import os
import subprocess
import sys

BUILD = os.environ["VARVE_BUILD"]
MPI = {"mpiio": "library_check_mpiio_mpi.c", "mpi": "library_check_mpi_mpi.c"}
HDF5 = "/usr/include/hdf5/"
OPENMPI = "/usr/lib/x86_64-linux-gnu/openmpi/include"
NETCDF = "/usr/lib/x86_64-linux-gnu/netcdf/mpi/include"
MPICH = "/usr/include/x86_64-linux-gnu/mpich"

# layer, compiler with options, a header that exists if this build is installed
BUILDS = [
    ("mpiio", ["mpicc.openmpi"], OPENMPI + "/mpi.h"),
    ("mpiio", ["mpicc.mpich"], MPICH + "/mpi.h"),
    ("mpi", ["mpicc.openmpi"], OPENMPI + "/mpi.h"),
    ("mpi", ["mpicc.mpich"], MPICH + "/mpi.h"),
    ("hdf5", ["gcc", f"-I{HDF5}openmpi", f"-I{OPENMPI}"], HDF5 + "openmpi/hdf5.h"),
    ("hdf5", ["gcc", f"-I{HDF5}mpich", f"-I{MPICH}"], HDF5 + "mpich/hdf5.h"),
    ("netcdf", ["mpicc.openmpi", f"-I{NETCDF}"], NETCDF + "/netcdf_par.h"),
    ("pnetcdf", ["mpicc.openmpi"], "/usr/include/pnetcdf.h"),
]


def compiled(layer, command):
    source = os.path.join(BUILD, "generated", MPI.get(layer, f"library_check_{layer}.c"))
    return subprocess.run([*command, "-fsyntax-only", "-w", source], capture_output=True, text=True)


def main():
    looked, wrong = 0, 0
    for layer, command, header in BUILDS:
        if not os.path.exists(header):
            continue
        looked += 1
        result = compiled(layer, command)
        if result.returncode:
            wrong += 1
            print(f"{layer}, {command}:", "\n".join(result.stderr.splitlines()[:20]))
    if not looked:
        print("no library is installed")
        sys.exit(77)
    print(f"{looked} builds looked at, {wrong} differ")
    sys.exit(1 if wrong else 0)


main()
