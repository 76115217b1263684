#!/usr/bin/env python3
"""Tools of NetCDF and PnetCDF behave in the same way with and without Varve: output, status, files."""
import os
import shutil

from _netcdf import MPIRUN, VARVE, need, ran, run_tests, sample, streams
from lib import remove_trace

def same(command, layer, given=(), functions=()):
    """Runs it with and without; the functions must be in the trace."""
    need(*(word for word in command if word in ("ncgen", "ncdump", "nccopy", "mpirun.openmpi", "ncmpigen", "ncmpidump", "ncmpidiff", "ncvalidator", "cdfdiff")))
    outcomes, left = [], []
    for folder in ("plain", "traced"):
        before = [VARVE, "record", "-o", os.path.abspath("t.varve"), "--"] if folder == "traced" else []
        remove_trace("t.varve")
        shutil.rmtree("given", ignore_errors=True)
        os.mkdir("given")
        for name in given:
            shutil.copy(name, "given")
        outcomes.append(ran([word.replace("given/", os.path.abspath("given") + "/") for word in command], folder, before))
        left.append({name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)})
    assert outcomes[0] == outcomes[1], outcomes
    assert left[0] == left[1], (sorted(left[0]), sorted(left[1]))
    made = {record["function"] for stream in streams(layer).values() for record in stream.records}
    absent = set(functions) - made
    assert not absent, f"not recorded: {sorted(absent)} of {sorted(made)}"
    return outcomes[0]


def test_ncgen():
    for kind in ("nc3", "nc6", "nc5", "nc4", "nc7"):
        sample(kind)
        same(["ncgen", "-k", kind, "-o", "made.nc", "given/small.cdl"], "netcdf", ["small.cdl"],
             ["nc_create", "nc_def_dim", "nc_def_var", "nc_enddef", "nc_close"])


def test_ncdump():
    for kind in ("nc3", "nc4"):
        outcome = same(["ncdump", "given/small.nc"], "netcdf", [sample(kind)], ["nc_open", "nc_close"])
        assert b"label" in outcome[1]


def test_nccopy():
    for kind in ("nc3", "nc4"):
        same(["nccopy", "-k", "nc4", "-d", "3", "given/small.nc", "copy.nc"], "netcdf", [sample(kind)],
             ["nc_open", "nc_def_var_deflate", "nc_put_vara", "nc_get_vara"])


# The tools of PnetCDF contain the library: its calls cannot be intercepted.

def test_ncmpigen():
    sample()
    same([*MPIRUN, "-n", "1", "ncmpigen", "-v", "5", "-o", "made.nc", "given/small.cdl"], "posix", ["small.cdl"])


def test_ncmpidump():
    outcome = same([*MPIRUN, "-n", "1", "ncmpidump", "given/small.nc"], "posix", [sample("nc5")])
    assert b"label" in outcome[1]


def test_ncmpidiff():
    shutil.copy(sample("nc5"), "other.nc")
    for ranks in ("1", "2"):
        same([*MPIRUN, "-n", ranks, "ncmpidiff", "given/small.nc", "given/other.nc"], "posix", ["small.nc", "other.nc"])


def test_validators():
    shutil.copy(sample("nc5"), "other.nc")
    for command in (["ncvalidator", "given/small.nc"], ["cdfdiff", "given/small.nc", "given/other.nc"]):
        same(command, "posix", ["small.nc", "other.nc"])


run_tests(globals())
