#!/usr/bin/env python3
"""Arguments that are hard to record: wrong addresses, names that are too long, odd characters."""
from _calls import check, run_tests


def test_argument():
    check("call_argument", said=["1 name ... 4096 bytes"])


def test_a_page_is_moved():
    check("call_argument", "1")


def test_a_page_is_mapped_over():
    check("call_argument", "2")


run_tests(globals())
