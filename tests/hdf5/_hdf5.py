"""Shared by the tests of HDF5: builds programs with each installed HDF5, and compares their records with their expectations.

A program (lib/expect.h) writes for each call what its record must contain. The records of layer hdf5 must be those, in order,
thread by thread, and no others; named arguments must be equal. Programs are built as users build theirs, into the build folder.
"""
import json
import os
import re
import subprocess

import lib
import real._real as real
from lib import BUILD, VARVE, compiled, need, remove_trace, run_tests, same  # noqa: F401

HERE = os.path.dirname(os.path.abspath(__file__))
PLACE = os.path.join(BUILD, "hdf5")
HEADERS = "/usr/include/hdf5"
COMPILERS = {"serial": "cc", "openmpi": "mpicc.openmpi", "mpich": "mpicc.mpich"}
STARTERS = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n"], "mpich": ["mpirun.mpich", "-n"]}


def build(name, flavour="serial", *more, output=None, sources=()):
    """Path of the program NAME.c, built against that HDF5."""
    compiler = need(COMPILERS[flavour])
    headers = need(f"{HEADERS}/{flavour}/hdf5.h")
    words = [compiler, "-O1", "-w", f"-I{os.path.dirname(headers)}", f"-I{lib.TESTS}", os.path.join(HERE, f"{name}.c"), *sources, *more,
             f"-lhdf5_{flavour}_hl", f"-lhdf5_{flavour}"]
    inputs = [word for word in words if word.startswith("/") and os.path.isfile(word) and word != compiler]
    made = compiled(words, [*inputs, os.path.join(lib.TESTS, "lib", "expect.h")])
    # Under its usual name, which is in traces.
    named = os.path.join(PLACE, output or f"{name}-{flavour}")
    os.makedirs(PLACE, exist_ok=True)
    if not os.path.exists(named) or not os.path.samefile(named, made):
        aside = f"{named}.{os.getpid()}"
        os.link(made, aside)
        os.replace(aside, named)
    return named


def tidy(text):
    """HDF5 prints the time when a file cannot be opened."""
    return re.sub(rb"time = [^\n]*", b"", text)


def transparent(words, programs, **bench):
    return real.transparent(words, programs, tidy=tidy, **bench)


def start(flavour, ranks):
    """The command that runs a program with this number of ranks."""
    starter = STARTERS[flavour]
    need(starter[0])
    return [*starter, str(ranks)]


def recorded(words, folder="work", options=(), **variables):
    """Runs it under `varve record`; returns its output and its records."""
    remove_trace("t.varve")
    os.makedirs(folder, exist_ok=True)
    result = subprocess.run([VARVE, "record", "-o", os.path.abspath("t.varve"), *options, "--", *words], cwd=folder, timeout=100,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, **variables))
    same(result.returncode, 0, (result.stdout, result.stderr))
    return result.stdout, dumped("t.varve")


def dumped(trace):
    return lib.dumped("--by-stream", trace, said=b"")


def children(records, at):
    """The records directly inside this one."""
    depth = records[at]["depth"]
    for record in records[at + 1:]:
        if record["depth"] <= depth or record["tid"] != records[at]["tid"]:
            return
        if record["depth"] == depth + 1:
            yield record


def inside(records, at):
    """All records inside this one."""
    depth = records[at]["depth"]
    for record in records[at + 1:]:
        if record["depth"] <= depth or record["tid"] != records[at]["tid"]:
            return
        yield record


def wrong(expected, records, at):
    """The errors of one record."""
    record = records[at]
    if record["function"] != expected["function"]:
        return [f"expected {expected['function']}, dumped {record['function']}"]
    said = [] if bool(record.get("failed")) == (expected["result"] < 0) else [f"failed: {record.get('failed')}"]
    for name, value in expected["args"].items():
        if name == "inside":
            there = [[r["function"], r["args"].get("offset"), r.get("size")] for r in inside(records, at)
                     if r["layer"] == "posix" and r.get("size")]
            if there != value:
                said.append(f"inside: expected {value}, dumped {there}")
        elif record["args"].get(name) != value:
            said.append(f"{name}: expected {value!r}, dumped {record['args'].get(name)!r}")
    return [f"{record['function']}: {text}" for text in said]


def held_against(expectations, records):
    """Compares each expectation with its record, in order. Calls that HDF5 makes of itself are inside."""
    mine = [at for at, record in enumerate(records) if record["layer"] == "hdf5" and not record["depth"]]
    complaints = []
    for expected, at in zip(expectations, mine):
        complaints += wrong(expected, records, at)
        if records[at]["function"] != expected["function"]:
            break
    same([], complaints)
    same([records[at]["function"] for at in mine], [e["function"] for e in expectations])
    assert expectations, "the program expects nothing"


def expected_in(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]
