#!/usr/bin/env python3
"""Random filters over a variety of calls select what a plain evaluation in Python selects.

timeout: 300
"""
from _compare import compare
from lib import run_tests


def test_random_filters():
    compare(60, 1)


run_tests(globals())
