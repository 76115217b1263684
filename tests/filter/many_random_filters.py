#!/usr/bin/env python3
"""As random_filters.py, with very many.

label: long
again: nightly
timeout: 3600
"""
import os

from _compare import compare
from lib import lots, run_tests


def test_many_random_filters():
    # A command with sanitizers is slow: fewer filters.
    compare(300 if os.environ.get("VARVE_SANITIZE") else lots(1500, 10000), 2)


run_tests(globals())
