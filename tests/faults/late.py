#!/usr/bin/env python3
"""Functions of a library that is loaded later, with local scope, and unloaded again."""
import os

from lib import build_program, compare, need, program, run_tests, same


def library():
    """A shared library that is linked with liburing, while the program is not."""
    need("/usr/include/liburing.h")
    return os.path.abspath(build_program("libring.so", "-shared", "-fPIC", "-luring", source="read_by_ring.c"))


def test_found_each_time():
    data = os.path.join(os.getcwd(), "data")
    with open(data, "w", encoding="utf-8") as file:
        file.write("0123456789")
    trace = compare([program("late"), library(), data], status=0)
    calls = trace.counts()
    for name in ("io_uring_queue_init", "io_uring_queue_exit", "ring_request", "ring_event"):
        same(calls[name], 2)
    same(calls["io_uring_submit"], 2)
    same(trace.losses(), {})


run_tests(globals())
