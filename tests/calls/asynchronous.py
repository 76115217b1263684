#!/usr/bin/env python3
"""Calls of layer async: libaio and liburing, each symbol with good and failing arguments, requests and completions."""
from _calls import check, run_tests


def test_libaio():
    check("call_libaio")


def test_ring():
    check("call_ring")


run_tests(globals())
