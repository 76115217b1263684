#!/usr/bin/env python3
# label: long
# timeout: 900
"""A hundred thousand short threads: every call recorded, memory and files as for a few."""
import json

from lib import compare, program, run_tests, same, varve


def test_100000_short_threads():
    for way in ("short", "thrd"):
        trace = compare([program("threads"), way, "100000"], trace=way, status=0, timeout=400)
        same((trace.losses(), trace.told), ({}, b""))
        info = json.loads(varve("info", "--format", "json", trace.path, timeout=300).stdout)
        counts = {row["function"]: row["calls"] for row in info["functions"]}
        same((counts["pwrite"], info["damage"]), (300000, []))
        same(info["streams"], 100001)
        result = varve("dump", "--format", "csv", "--function", "pwrite", trace.path, timeout=300)
        same((result.returncode, result.stdout.count(b"\n")), (0, 300001))


run_tests(globals())
