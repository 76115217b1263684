#!/usr/bin/env python3
"""The golden traces are read as they always were: text, JSON, CSV and definitions, byte for byte."""
import json
import os

from _harness import run_tests, same, varve

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
TRACES = ("first", "part")
PRINTED = {"txt": [], "json": ["--format", "json"], "csv": ["--format", "csv"], "definitions.txt": ["--definitions"]}


def test_printed_as_ever():
    for trace, form in ((trace, form) for trace in TRACES for form in PRINTED):
        name = f"{trace}.{form}"
        with open(os.path.join(GOLDEN, name), "rb") as file:
            expected = file.read()
        result = varve("dump", *PRINTED[form], os.path.join(GOLDEN, f"{trace}.varve"))
        same((result.returncode, result.stderr), (0, b""), name)
        for number, (got, line) in enumerate(zip(result.stdout.splitlines(), expected.splitlines()), 1):
            same(got, line, f"{name}:{number}")
        same(result.stdout, expected, name)


def test_counted_as_ever():
    info = json.loads(varve("info", "--format", "json", os.path.join(GOLDEN, "first.varve")).stdout)
    with open(os.path.join(GOLDEN, "first.json")) as file:
        calls = [json.loads(line) for line in file]
    same((info["records"], info["damage"], info["losses"], info["end"], info["status"]), (len(calls), [], [], "exited", 0))
    counted = {row["function"]: row for row in info["functions"]}
    same((counted["pwrite"]["calls"], counted["pwrite"]["bytes"]), (8, 64))
    same(counted["open"]["failures"], 1)
    same(len(info["processes"]), 2)


run_tests(globals())
