#!/usr/bin/env python3
"""`varve slice` of a program with HDF5: the objects of its calls are the same in a slice, and names are unreadable on request.
timeout: 300
"""
from _hdf5 import build, recorded, run_tests, same
from lib import modules_of

modules_of("cli")
from _slices import BY_NUMBER, calls, compare, lines, sliced  # noqa: E402

NAMES = ("wonderland", "rabbithole", "teaparty", "dormouse", "marchhare", "madhatter", "cheshirecat")


def said(trace):
    return b"\n".join(line for form in (["--format", "json"], ["--definitions"]) for line in lines(trace, *form)).decode()


def test_filters():
    for program in (build("sliced"), build("data")):
        recorded([program])
        assert compare("t.varve", twice=False) > 0
        for where in ("layer == hdf5", "layer == posix", "inside 'H5*'", "function in H5Dwrite,H5Dclose", *BY_NUMBER):
            compare("t.varve", "--where", where, twice=False)


def test_names():
    recorded([build("sliced")])
    same([name for name in NAMES if name not in said("t.varve")], [])
    sliced("--anonymize", "t.varve")
    same([name for name in NAMES if name in said("s.varve")], [])
    by_name = {call["function"]: call for call in calls("s.varve")}
    assert by_name["H5Fcreate"]["args"]["filename"].endswith(".h5"), by_name["H5Fcreate"]
    # The group has the same replacement as a name of its own, and in the path of a dataset.
    group = by_name["H5Gcreate2"]["args"]["name"]
    assert by_name["H5Dcreate2"]["args"]["name"].startswith(f"/{group}/"), by_name["H5Dcreate2"]
    for word in ("H5T_NATIVE_INT", "H5P_DEFAULT", "simple [4,6]"):
        assert word in said("s.varve"), word


run_tests(globals())
