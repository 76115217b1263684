#!/usr/bin/env python3
"""The output for the golden traces has not changed: text, JSON, CSV and definitions, byte for byte."""
import json
import os
import struct

from lib import run_tests, same, varve

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
WHOLE = ("first", "peephole")  # all calls of the program
STREAMS = WHOLE + ("part",)
PACKED = ("packed", "packed_histogram", "packed_none", "packed_cut", "regions")
FILES = "packed_files"  # of several files: the trace "packed" again
GUARDED = (("guarded", "packed_cut"), ("guarded_files", "packed"))  # these two again, with guards
TRACES = STREAMS + PACKED
PRINTED = {"txt": [], "json": ["--format", "json"], "csv": ["--format", "csv"], "definitions.txt": ["--definitions"]}


def test_printed_as_ever():
    pairs = [(trace, trace) for trace in TRACES] + [(FILES, "packed"), *GUARDED]
    for name, options, trace in ((f"{said}.{form}", options, trace) for trace, said in pairs for form, options in PRINTED.items()):
        with open(os.path.join(GOLDEN, name), "rb") as file:
            expected = file.read()
        result = varve("dump", *options, os.path.join(GOLDEN, trace + ".varve"))
        same((result.returncode, result.stderr), (0, b""), name)
        for number, (got, line) in enumerate(zip(result.stdout.splitlines(), expected.splitlines()), 1):
            same(got, line, f"{name}:{number}")
        same(result.stdout, expected, name)


def check_counts(trace, writes, processes):
    info = json.loads(varve("info", "--format", "json", os.path.join(GOLDEN, trace + ".varve")).stdout)
    with open(os.path.join(GOLDEN, trace + ".json")) as file:
        calls = [json.loads(line) for line in file]
    same((info["records"], info["damage"], info["losses"], info["end"], info["status"]), (len(calls), [], [], "exited", 0))
    counted = {row["function"]: row for row in info["functions"]}
    same((counted["pwrite"]["calls"], counted["pwrite"]["bytes"]), (writes, 8 * writes))
    same(counted["open"]["failures"], 1)
    same(len(info["processes"]), processes)
    return counted


def test_counted_as_ever():
    for trace in WHOLE:
        check_counts(trace, 8, 2)
    exact, histogram, none = (check_counts(trace, 36, 4) for trace in PACKED[:3])
    same(histogram, exact, "sums of times are those that were recorded")
    same({row["ns"] for row in none.values()}, {0})


def test_answered_as_ever():
    """Added by version 2 of the foot: sums of regions, and answers about processes."""
    info = json.loads(varve("info", "--format", "json", os.path.join(GOLDEN, "regions.varve")).stdout)
    regions = {(row["function"], row["name"]): (row["calls"], row["unfinished"], row["left"]) for row in info["regions"]}
    same([regions[key] for key in (("region", "step"), ("phase", "odd"), ("region", "part 01"), ("region", "never ended"))],
         [(100, 0, 0), (50, 0, 0), (15, 0, 1), (1, 1, 0)])
    same([(row["records"], row["began"], row["ended"], row["status"]) for row in info["processes"]],
         [(308, "start", "exited", 0), (3, "fork", "exited", 3)])
    same((info["records"], info["paths"]), (311, 2))


def test_guards_as_ever():
    """Added by version 3 of the foot: these files are undamaged, and damage in one is repaired."""
    for trace, _ in GUARDED:
        checked = varve("pack", "--verify", "--format", "json", os.path.join(GOLDEN, trace + ".varve"))
        found = json.loads(checked.stdout)
        same((checked.returncode, found["repaired_bytes"], found["damages"]), (0, 0, 0), trace)
    with open(os.path.join(GOLDEN, "guarded.varve"), "rb") as file:
        data = file.read()
    for place in range(0, len(data), 997):
        with open("wrong", "wb") as file:
            file.write(data[:place] + bytes([data[place] ^ 16]) + data[place + 1:])
        same(varve("pack", "--quiet", "--repair", "wrong").returncode, 0)
        with open("wrong", "rb") as file:
            same(file.read() == data, True, place)


def versions(data):
    """Type and version of each block."""
    at, found = 0, set()
    while at < len(data):
        version, kind, length = *struct.unpack_from("<HB", data, at + 8), struct.unpack_from("<Q", data, at + 16)[0]
        found.add((kind, version))
        at += length
    return found


def test_versions():
    """Blocks of a codec or type that version 1 does not have are of version 2, those with removed records of version 3; there
    are no others."""
    for trace, records in zip(STREAMS, (1, 2, 3)):
        with open(os.path.join(GOLDEN, trace + ".varve", "data.0"), "rb") as file:
            same(versions(file.read()), {(1, records), (2, 1), (3, 1)}, trace)
    for trace in [f"{name}.varve" for name in PACKED + ("guarded",)] + \
            [f"{files}.varve/packed.{number}" for files in (FILES, "guarded_files") for number in range(3)]:
        with open(os.path.join(GOLDEN, trace), "rb") as file:
            same(versions(file.read()), {(6, 2)}, trace)


run_tests(globals())
