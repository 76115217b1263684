#!/usr/bin/env python3
"""Arguments that are hard to record: wrong addresses, names that are too long, odd characters."""
from _calls import check, run_tests


def test_argument():
    check("call_argument", said=b"varve: 1 name cut: longer than 4096 bytes, those of regions than 256\n")


def test_a_page_is_moved():
    check("call_argument", "1")


def test_a_page_is_mapped_over():
    check("call_argument", "2")


run_tests(globals())
