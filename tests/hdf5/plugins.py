#!/usr/bin/env python3
"""HDF5 in libraries that are loaded late and unloaded again, and two builds of HDF5 in one process."""
import os

from _hdf5 import build, recorded, run_tests, same

FUNCTIONS = ["H5Fcreate", "H5Screate_simple", "H5Dcreate2", "H5Dwrite", "H5Dread", "H5Dclose", "H5Sclose", "H5Fclose"]


def plugin(flavour):
    return build("plugin", flavour, "-shared", "-fPIC", output=f"plugin-{flavour}.so")


def in_order(names, plugins):
    """Function and file of each record: a library that has another one beside it writes only when that one is done."""
    order, later = [], []
    for name, library in zip(names, plugins):
        mine = [(function, name) for function in FUNCTIONS]
        first = mine[:3] if library.startswith("+") else mine
        order += first
        later = mine[len(first):] + later
        if first == mine:
            order, later = order + later, []
    return order


def checked(*plugins):
    """Each of them writes a file of its own: all its records, with its names; returns the builds of HDF5 that were recorded."""
    output, records = recorded([build("plugins"), *plugins])
    names = [f"file{at}.h5" for at in range(1, len(plugins) + 1)]
    lines = output.decode().splitlines()
    same(sorted(line for line in lines if line.startswith("file")), [f"{name} {at}" for at, name in enumerate(names, 1)])
    same([line for line in lines if line.startswith("closed")], ["closed 0"] * sum(p.startswith("-") for p in plugins))
    order = in_order(names, plugins)
    mine = [record for record in records if record["layer"] == "hdf5"]
    same([record["function"] for record in mine], [function for function, _ in order])
    made = {}
    for record, (function, name) in zip(mine, order):
        path, args = os.path.realpath(os.path.join("work", name)), record["args"]
        if function in ("H5Fcreate", "H5Dcreate2", "H5Fclose"):
            same((function, next(args[key] for key in ("filename_absolute", "loc_id_path", "file_id_path") if key in args)),
                 (function, path))
            number = made.setdefault(name, record["result"])
            same(args.get("loc_id", args.get("file_id", number)), number)
        if function in ("H5Dwrite", "H5Dread"):
            same([args[key] for key in ("dset_id_path", "mem_type_id_path", "elements", "bytes")],
                 ["/data", "H5T_NATIVE_INT", 10, 40])
    told = [record["args"]["path"] for record in records if record["layer"] == "varve" and record["function"] == "library"]
    return sorted(os.path.basename(path).split(".")[0] for path in told if "hdf5" in path)


def test_local_scope():
    same(checked(plugin("serial")), ["libhdf5_serial"])


def test_closed():
    serial = plugin("serial")
    checked(*["-" + serial] * 5)


def test_two_builds():
    libraries = checked("+" + plugin("serial"), plugin("openmpi"), "+" + plugin("openmpi"), plugin("serial"))
    same(libraries, ["libhdf5_openmpi", "libhdf5_serial"])


def test_one_goes():
    checked("-" + plugin("openmpi"), plugin("serial"), "-" + plugin("openmpi"), plugin("mpich"), plugin("serial"))


run_tests(globals())
