#!/usr/bin/env python3
"""Arguments that are numbers of milliseconds or nanoseconds are compared with times and with numbers, by the command as by the plain
evaluation: times between two numbers, negative ones, ranges."""
from _compare import check, last_halves, record

from lib import run_tests

TIMES = ("-0.000000001s", "-1ms", "0.5ms", "1ms", "100ms", "1.5s", "0", "-1", "1us")
LISTS = ("-1ms:100ms", "0.5ms:2s", "1ms,-1ms", "-0.000000001s")


def test_timeouts():
    trace, lines, records = record()
    halves = last_halves()
    filters = [f"{op} {time}" for op in ("<", "<=", ">", ">=", "==", "!=") for time in TIMES] + [f"in {some}" for some in LISTS]
    found = [check(trace, lines, records, halves, f"arg.timeout {text}".encode()) for text in filters]
    assert len(set(found)) > 5, found


run_tests(globals())
