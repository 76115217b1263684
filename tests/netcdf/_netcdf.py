"""Shared by the tests of NetCDF and PnetCDF: builds programs, runs them with and without Varve, and compares with the trace.

A program (programs/*, see said.h) writes to said.RANK the outcome of each call and the facts that its record must have. Two
checks: it writes the same and leaves the same files in all runs; the trace has these calls in this order, each with its facts,
and no others of the layer (except those that the library makes inside its own). A fact about a library handle is its text: the
name of a variable, the last part of a file's path.
"""
import filecmp
import fnmatch
import glob
import json
import os
import shutil
import subprocess

import lib
from lib import VARVE, Trace, compiled, need, remove_trace, run_tests  # noqa: F401: for the tests

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
MPIRUN = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]

SAMPLE = """netcdf small {
dimensions: time = UNLIMITED ; row = 3 ; column = 4 ;
variables:
  double field(time, row, column) ; field:units = "K" ; field:range = -1.f, 1.f ;
  int matrix(row, column) ; char label(column) ;
  :title = "small" ;
data:
  field = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
  matrix = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; label = "abcd" ;
}
"""

# How each program is built.
COMPILERS = {
    "serial": ["cc", "-O1", "serial.c", "-lnetcdf"],
    "every": ["cc", "-O1", "every.c", "-lnetcdf"],
    "errors": ["cc", "-O1", "errors.c", "-lnetcdf"],
    "parallel": ["mpicc.openmpi", "-O1", f"-I{LIBRARIES}/netcdf/mpi/include", "parallel.c", "-lnetcdf_mpi"],
    "every_parallel": ["mpicc.openmpi", "-O0", "every_parallel.c", "-lpnetcdf"],
    "fortran": ["gfortran", "-O1", "-I/usr/include", "fortran.f90", "-lnetcdff"],
    "fortran_parallel": ["mpifort.openmpi", "-O1", f"-I{LIBRARIES}/fortran/gfortran-mod-15", "fortran_parallel.f90", "-lpnetcdf"],
}
# Facts that are library handles.
ENTITIES = {"ncid", "grp_ncid", "parent_ncid", "variable", "comm"}
# Files with a time in them: HDF5 stores when a datatype of the program was made.
DATED = {"types.nc"}
FINISHING = {"pnetcdf_event", "pnetcdf_cancelled"}


def sample(kind="nc3"):
    """A file of this kind."""
    need("ncgen")
    with open("small.cdl", "w", encoding="utf-8") as file:
        file.write(SAMPLE)
    subprocess.run(["ncgen", "-k", kind, "-o", "small.nc", "small.cdl"], check=True)
    return "small.nc"


def built(name):
    """The program."""
    compiler, *words = COMPILERS[name]
    words = [os.path.join(SOURCE, word) if word.endswith((".c", ".f90")) else word for word in words]
    sources = [word for word in words if word.endswith((".c", ".f90"))]
    return compiled([need(compiler), f"-I{lib.TESTS}", *words], [*sources, *glob.glob(os.path.join(SOURCE, "*.h")),
                                                                 os.path.join(lib.TESTS, "lib", "expect.h")])


def ran(command, folder, before=()):
    """Runs in a fresh folder; status, output and errors."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    result = subprocess.run([*before, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=100)
    return result.returncode, result.stdout, result.stderr


def said(folder):
    return {name: open(os.path.join(folder, name), encoding="utf-8").read()
            for name in sorted(os.listdir(folder)) if name.startswith("said.")}


def transparent(command, options=()):
    """Runs it twice without Varve and once with it: all must be the same. Returns what it wrote."""
    outcomes = [ran(command, folder) for folder in ("plain", "again")]
    trace = os.path.abspath("t.varve")
    remove_trace(trace)
    outcomes.append(ran(command, "traced", [VARVE, "record", "-o", trace, *options, "--"]))
    assert outcomes[0] == outcomes[2], f"without Varve {outcomes[0]}, with it {outcomes[2]}"
    names = [sorted(name for name in os.listdir(folder) if not name.startswith("who.")) for folder in ("plain", "traced")]
    assert names[0] == names[1], f"files without Varve {names[0]}, with it {names[1]}"
    for name in names[0]:
        if name not in DATED and filecmp.cmp(f"plain/{name}", f"again/{name}", shallow=False):
            assert filecmp.cmp(f"plain/{name}", f"traced/{name}", shallow=False), f"{name} is another file with Varve"
    assert said("plain") == said("traced")
    return said("traced")


def dumped(*options):
    return lib.dumped("--by-stream", *options, "t.varve")


class Stream:
    """The calls of one thread."""

    def __init__(self, records):
        self.records = records

    def outer(self, layer):
        """Calls of the layer that are in no other call of it, and the records of completed requests."""
        inside = []
        for record in self.records:
            while inside and record["depth"] <= inside[-1]:
                inside.pop()
            if record["layer"] != layer:
                continue
            if not inside or record["function"] in FINISHING:
                yield record
            inside.append(record["depth"])


def inside(stream, names):
    """Whether a call of the first of these patterns has one of the second inside it, and so on. Names are functions."""
    calls = []
    for record in stream.records:
        while calls and record["depth"] <= calls[-1][0]:
            calls.pop()
        calls.append((record["depth"], record["function"]))
        at = 0
        for _, function in calls:
            if at < len(names) and fnmatch.fnmatch(function, names[at]):
                at += 1
        if at == len(names):
            return True
    return False


def streams(layer):
    """Streams with calls of the layer, by the rank of their process (0 in a program without ranks)."""
    found = {}
    records = dumped()
    for key in sorted({(r["process"], r["thread"]) for r in records if r["layer"] == layer}):
        mine = [r for r in records if (r["process"], r["thread"]) == key]
        found[mine[0].get("rank", 0)] = Stream(mine)
    return found


def text_of(name, text):
    """The name of a file, group, variable or communicator: for a file the last part of its path."""
    return text.split("/")[-1] if text and name.endswith("ncid") and os.path.isabs(text) and text.count("/") > 1 else text


def complaints(stream, layer, lines):
    """The errors in the calls of one thread."""
    expected = [json.loads(line) for line in lines if not line.startswith("#")]
    got = list(stream.outer(layer))
    requests = {}
    for call, record in zip(expected, got):
        function, result = call["function"], call["result"]
        if (function, result) != (record["function"], record.get("result", 0)):
            yield f"expected {function} = {result}, recorded {record['function']} = {record.get('result')}"
            return
        for name, wanted in call["args"].items():
            there = record["args"].get(name)
            if record.get("failed", record.get("result")) and there is None:
                continue  # outputs of a failed call are not shown
            if name in ENTITIES:
                there = text_of(name, record["args"].get(f"{name}_path"))
            elif name == "request":
                there = requests.setdefault(there, len(requests) + 1) if there else None
            elif name == "bytes" and there is None:
                there = 0
            if str(there) != str(wanted):
                yield f"{function}: {name} is {wanted!r}, recorded {there!r}"
    if len(expected) != len(got):
        yield f"{len(expected)} calls, {len(got)} recorded"


def check(layer, command, ranks=None, options=()):
    """Both checks; returns the streams by rank."""
    words = command if ranks is None else [*MPIRUN, "-n", str(ranks), *command]
    told = transparent(words, options)
    found = streams(layer)
    assert sorted(found) == sorted(int(name.split(".")[1]) for name in told), f"streams of {sorted(found)}, {sorted(told)}"
    wrong = [f"rank {name}: {text}" for name, lines in told.items()
             for text in complaints(found[int(name.split('.')[1])], layer, lines.splitlines())]
    assert not wrong, f"{len(wrong)} complaints\n" + "\n".join(wrong[:20])
    info = Trace("t.varve").info()
    assert not info["damage"] and not info["losses"], (info["damage"], info["losses"])
    return found
