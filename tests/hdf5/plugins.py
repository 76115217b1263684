#!/usr/bin/env python3
"""HDF5 in libraries that come late and go again, and two builds of HDF5 in one process."""
import os

from _hdf5 import build, recorded, run_tests, same

FUNCTIONS = ["H5Fcreate", "H5Screate_simple", "H5Dcreate2", "H5Dwrite", "H5Dread", "H5Dclose", "H5Sclose", "H5Fclose"]


def plugin(flavour):
    return build("plugin", flavour, "-shared", "-fPIC", output=f"plugin-{flavour}.so")


def checked(*plugins):
    """Each of them writes a file of its own: all its records, with its names, and the HDF5 that each is of."""
    output, records = recorded([build("plugins"), *plugins])
    names = [f"file{at}.h5" for at in range(1, len(plugins) + 1)]
    lines = output.decode().splitlines()
    same([line for line in lines if line.startswith("file")], [f"{name} {at}" for at, name in enumerate(names, 1)])
    same([line for line in lines if line.startswith("closed")], ["closed 0"] * sum(p.startswith("-") for p in plugins))
    mine = [record for record in records if record["layer"] == "hdf5"]
    same([record["function"] for record in mine], FUNCTIONS * len(plugins))
    for at, name in enumerate(names):
        own = mine[at * len(FUNCTIONS):(at + 1) * len(FUNCTIONS)]
        path = os.path.realpath(os.path.join("work", name))
        same((own[0]["args"]["filename_absolute"], own[-1]["args"]["file_id_path"]), (path, path))
        same(own[2]["args"]["loc_id_path"], path)
        for record in own[3:5]:
            same([record["args"][key] for key in ("dset_id_path", "mem_type_id_path", "elements", "bytes")],
                 ["/data", "H5T_NATIVE_INT", 10, 40])
    told = [record["args"]["path"] for record in records if record["layer"] == "varve" and record["function"] == "library"]
    return sorted(os.path.basename(path).split(".")[0] for path in told if "hdf5" in path)


def test_local_scope():
    same(checked(plugin("serial")), ["libhdf5_serial"])


def test_closed():
    serial = plugin("serial")
    checked(*["-" + serial] * 5)


def test_two_builds():
    libraries = checked(plugin("serial"), plugin("openmpi"), plugin("serial"), plugin("openmpi"))
    same(libraries, ["libhdf5_openmpi", "libhdf5_serial"])


def test_one_goes():
    checked("-" + plugin("openmpi"), plugin("serial"), "-" + plugin("openmpi"), plugin("mpich"), plugin("serial"))


run_tests(globals())
