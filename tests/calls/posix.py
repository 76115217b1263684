#!/usr/bin/env python3
"""Calls of layer posix: each symbol with good and failing arguments, as dumped and as the program sees them."""
from _calls import check, run_tests


def test_open():
    check("call_open")


def test_transfer():
    check("call_transfer")


def test_size():
    check("call_size")


def test_stat():
    check("call_stat")


def test_descriptor():
    check("call_descriptor")


def test_name():
    check("call_name")


def test_attribute():
    check("call_attribute")


def test_folder():
    check("call_folder")


def test_map():
    check("call_map")


run_tests(globals())
