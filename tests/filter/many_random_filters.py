#!/usr/bin/env python3
"""As random_filters.py, with very many.

label: long
timeout: 3600
"""
from _compare import compare
from _harness import run_tests


def test_many_random_filters():
    compare(10000, 2)


run_tests(globals())
