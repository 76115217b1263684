#!/usr/bin/env python3
"""The files to which the bytes of io_uring belong: several requests in flight with equal user_data, registered files. Bytes
that cannot be attributed are counted, and the trace is not complete then. The program transfers known numbers of bytes."""
import json
import os
import subprocess
import sys

from lib import RING_FILE, run_tests, same, varve

PROGRAM = os.path.join(os.environ["VARVE_PROGRAMS"], "ring_files")


def check(way):
    said = subprocess.run([PROGRAM, way], stdout=subprocess.PIPE, check=False)
    if said.returncode == 77:
        sys.exit(77)
    wanted = [line.split() for line in said.stdout.decode().splitlines()]
    result = varve("record", "-o", f"{way}.varve", "--", PROGRAM, way)
    same((result.returncode, result.stderr.decode() if b"not complete" in result.stderr else ""), (0, ""), way)
    about = json.loads(varve("info", "--files", "--format", "json", f"{way}.varve").stdout)
    found = {os.path.basename(row["file"]): (row["bytes_read"], row["bytes_written"])
             for row in about["files"] if row["layer"] == "async"}
    for kind, name, *numbers in wanted:
        if kind == "file":
            same(found.get(name, (0, 0)), tuple(map(int, numbers)), f"{way}: {name}")
    losses = [number for reason, number in about_losses(f"{way}.varve") if reason == RING_FILE]
    same(sum(losses), int(wanted[-1][1]), f"{way}: completions without a file")


def about_losses(trace):
    about = json.loads(varve("info", "--format", "json", trace).stdout)
    return [(loss["reason"], loss["count"]) for loss in about["losses"]]


def test_equal_user_data():
    check("equal_keys")
    check("several_files")
    check("both_directions")
    check("next_ring")


def test_registered_files():
    check("registered")
    check("registered_by_call")
    check("opened_by_ring")


def test_splice():
    check("splices")


def test_threads():
    """A key is used again as soon as one thread has taken its completion; another thread may read the ring at any moment."""
    check("threads")
    about = json.loads(varve("info", "--format", "json", "threads.varve").stdout)
    calls = {row["function"]: row["calls"] for row in about["functions"] if row["function"].startswith("ring_")}
    same(calls, {"ring_request": 12000, "ring_event": 12000})


run_tests(globals())
