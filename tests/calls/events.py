#!/usr/bin/env python3
"""Calls of layer posix that wait, and the asynchronous calls of the C library: good and failing arguments, as dumped and as the
program sees them."""
from _calls import check, run_tests


def test_event():
    check("call_event")


def test_aio():
    check("call_aio")


run_tests(globals())
