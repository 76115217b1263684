#!/usr/bin/env python3
# label: long
# timeout: 1200
"""Memory that tracing adds, for a hundred million calls and ten million names."""
from lib import run_tests
from _memory import check


def test_a_hundred_million_calls():
    check("pwrite", 100000000)


def test_ten_million_names():
    check("names", 10000000)


run_tests(globals())
