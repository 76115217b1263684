#!/usr/bin/env python3
"""One file records them all: the same preload library, in one run, for programs in C and Fortran of each MPI, of each build of
HDF5, and for one without any of them. It needs nothing but the C library.
timeout: 300
"""
import os
import re
import shutil
import subprocess
from collections import Counter

from _mpi import HERE, LAUNCH, LIBRARIES, QUIET, VARVE, build
from lib import dump_json, run_tests, same, varve

LIBRARY = os.environ["VARVE_LIBRARY"]
HEADERS = "/usr/include/hdf5"
HDF5 = {"serial": "cc", "openmpi": "mpicc.openmpi", "mpich": "mpicc.mpich"}
RANKS = 2
FILE = os.path.join(HERE, "hdf5_file.c")


def commands():
    """Each program with its launcher and its library: name and number of processes."""
    for mpi in (mpi for mpi in LIBRARIES if shutil.which(f"mpicc.{mpi}")):
        start = [f"mpirun.{mpi}", *LAUNCH[mpi], "-n", str(RANKS)]
        for source in ("proof.c", "proof_f08.f90", "proof_mpif.f"):
            if source == "proof.c" or shutil.which(f"mpifort.{mpi}"):
                yield [*start, build(mpi, source, output=f"{mpi}-{source.split('.')[0]}")], "libmpi" if mpi == "openmpi" else "libmpich", RANKS
    for flavour, compiler in HDF5.items():
        if shutil.which(compiler) and os.path.exists(f"{HEADERS}/{flavour}"):
            name = os.path.abspath(f"hdf5-{flavour}")
            subprocess.run([compiler, f"-I{HEADERS}/{flavour}", "-o", name, FILE, f"-lhdf5_{flavour}"], check=True)
            yield [name, f"{flavour}.h5"], f"libhdf5_{flavour}", 1
    yield ["cat", FILE], None, 0


def test_one_file():
    every = list(commands())
    if len(every) == 1:
        print("skipped: neither MPI nor HDF5 is installed")
        raise SystemExit(77)
    script = " && ".join(" ".join(words) for words, _, _ in every)
    result = subprocess.run([VARVE, "record", "-o", "t.varve", "--", "sh", "-c", script], stdin=subprocess.DEVNULL, timeout=200,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, **QUIET))
    same((result.returncode, result.stderr), (0, ""), result.stdout)
    expected = Counter()
    for _, library, processes in every:
        if library:
            expected[library] += processes
    found = Counter()
    records = dump_json("t.varve", "--by-stream")
    for record in records:
        if (record["layer"], record["function"]) == ("varve", "library"):
            found[re.split(r"\.so|-", os.path.basename(record["args"]["path"]))[0]] += 1
    # HDF5 that is built with an MPI calls it, too.
    same({library: found[library] for library in expected if "hdf5" in library}, {k: v for k, v in expected.items() if "hdf5" in k})
    assert all(found[library] >= count for library, count in expected.items()), (found, expected)
    same(set(found), set(expected))
    calls = Counter(record["function"] for record in records if record["layer"] in ("mpi", "hdf5") and not record["depth"])
    same(calls["MPI_Allreduce"], sum(count for library, count in expected.items() if "mpi" in library and "hdf5" not in library))
    same((calls["H5Fcreate"], calls["H5Fclose"]), (len([1 for _, library, _ in every if library and "hdf5" in library]),) * 2)
    print(dict(found))


def test_needs_nothing():
    """This file is the preloaded one."""
    same(os.path.realpath(varve("config", "--preload").stdout.decode().strip()), os.path.realpath(LIBRARY))
    if not shutil.which("readelf"):
        print("skipped: readelf is not installed")
        return
    listed = subprocess.run(["readelf", "-d", LIBRARY], stdout=subprocess.PIPE, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", listed))
    assert needed <= {"libc.so.6", "ld-linux-x86-64.so.2"}, needed


run_tests(globals())
