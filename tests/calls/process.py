#!/usr/bin/env python3
"""Calls of layer process: processes and threads are made, replaced, waited for and ended."""
from _calls import check, run_tests


def test_process():
    check("call_process", only_own=True)


def test_end():
    check("call_end")


def test_kernel():
    check("call_kernel")


def test_load():
    check("call_load", recorded=["3 objects ... dlmopen"])


def test_direct():
    check("call_direct")


def test_direct_system():
    check("call_direct_system")


def test_action():
    check("call_action")


def test_user():
    check("call_user")


run_tests(globals())
