#!/usr/bin/env python3
"""HDF5's own tools and h5py: same output, status and files with and without Varve.
label: long
timeout: 600
"""
import os
import subprocess

from _hdf5 import build, need, run_tests, same, transparent

WRITE = """
import h5py, numpy
with h5py.File("new.h5", "w") as file:
    group = file.create_group("group")
    data = group.create_dataset("data", (40, 30), chunks=(8, 8), compression="gzip", shuffle=True, maxshape=(None, 30), dtype="f8")
    data[...] = numpy.arange(1200.0).reshape(40, 30)
    data.resize((60, 30))
    data[50:60:2, 3:9] = 7
    data.attrs["units"] = "metres"
    file["words"] = [b"one", b"two"]
    file["soft"] = h5py.SoftLink("/group/data")
    file.create_dataset("record", data=numpy.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]))
with h5py.File("new.h5", "r+") as file:
    print(file["soft"].shape, file["soft"][...].sum(), file["group/data"].attrs["units"], list(file))
    file.visit(print)
    print(file["group/data"][5:10, ::3].tolist(), file["record"][0])
    del file["words"]
    file.move("record", "moved")
    try:
        file["nowhere"]
    except KeyError as error:
        print("no", error)
    file.copy("moved", "copied")
    print(sorted(file.keys()))
"""


def sample(folder):
    """Files of HDF5, the same in each run: without times."""
    made = os.path.join(os.path.dirname(folder), "sample")
    if not os.path.exists(made):
        os.mkdir(made)
        subprocess.run([build("data")], cwd=made, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([build("every")], cwd=made, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name in os.listdir(made):
        with open(os.path.join(made, name), "rb") as source, open(os.path.join(folder, name), "wb") as target:
            target.write(source.read())


def tool(name, *words, status=0, then=""):
    """One tool; `then`: a command that prints the content of its result."""
    need(name)
    command = [name, *words] if not then else ["sh", "-c", f"{' '.join([name, *words])} && {then}"]
    info, _ = transparent(command, [name], status=status, prepare=sample, varying=rb"made\.h5$", timeout=300)
    assert any(row["layer"] == "hdf5" and row["calls"] for row in info["functions"]), "no call of HDF5 was seen"


def test_h5dump():
    tool("h5dump", "every.h5")


def test_h5dump_missing():
    tool("h5dump", "nowhere.h5", status=1)


def test_h5ls():
    tool("h5ls", "-r", "-v", "every.h5")


def test_h5stat():
    tool("h5stat", "every.h5")


def test_h5diff():
    tool("h5diff", "-v", "data.h5", "every.h5", status=1)


def test_h5repack():
    tool("h5repack", "-f", "GZIP=5", "-l", "CHUNK=5x5", "data.h5", "made.h5", then="h5dump made.h5")


def test_h5copy():
    tool("h5copy", "-i", "data.h5", "-o", "made.h5", "-s", "/chunked", "-d", "/copied", then="h5dump made.h5")


def test_h5perf_serial():
    """It prints times: only its status is compared."""
    need("h5perf_serial")
    transparent(["sh", "-c", "h5perf_serial -e 100,200 -x 10,20 -i 1 > said; grep -c 'Maximum' said"], ["h5perf_serial"],
                varying=b"said", timeout=300)


def python(**variables):
    """h5py, which loads its extension and HDF5 late and with local scope."""
    need("/usr/lib/python3/dist-packages/h5py")
    info, _ = transparent(["/usr/bin/python3", "-B", "-c", WRITE], ["python3.*"], varying=rb"new\.h5$", timeout=300, **variables)
    calls = {row["function"]: row["calls"] for row in info["functions"] if row["layer"] == "hdf5"}
    same([calls.get(name) for name in ("H5Fcreate", "H5Fopen", "H5Dwrite", "H5Dread", "H5Dset_extent")], [1, 1, 4, 3, 1])


def test_h5py_serial():
    python()


def test_h5py_mpi():
    need("/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi")
    python(H5PY_ALWAYS_USE_MPI="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


run_tests(globals())
