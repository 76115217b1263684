#!/usr/bin/env python3
"""Calls of layer socket: each symbol with good and failing arguments, as dumped and as the program sees them."""
from _calls import check, run_tests


def test_socket():
    check("call_socket")


def test_message():
    check("call_message")


def test_remote():
    check("call_remote")


run_tests(globals())
