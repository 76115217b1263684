#!/usr/bin/env python3
"""Memory that tracing adds to a program with one thread: at most 4 MiB, for any number of calls."""
from lib import run_tests
from _memory import check


def test_ten_calls():
    check("pwrite", 10)


def test_two_million_calls():
    check("pwrite", 2000000)


def test_one_file_again_and_again():
    check("one", 200000)


def test_a_million_names():
    check("names", 1000000)


run_tests(globals())
