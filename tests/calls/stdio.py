#!/usr/bin/env python3
"""Calls of layer stdio: each symbol with good and failing arguments, as dumped and as the program sees them."""
import os

from _calls import check, run_tests

os.environ["VARVE_ALSO"] = "stdio"  # the rows that are off too


def test_stream():
    check("call_stream", only_own=True)


def test_position():
    check("call_position")


def test_text():
    check("call_text")


def test_format():
    check("call_format")


def test_fortified():
    check("call_fortified")


def test_wide():
    check("call_wide")


def test_query():
    check("call_query")


def test_buffer():
    check("call_buffer")


def test_entry():
    check("call_entry")


def test_complaint():
    check("call_complaint")


def test_inside():
    check("call_inside", only_own=True)


run_tests(globals())
