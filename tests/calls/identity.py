#!/usr/bin/env python3
"""The file of a call: absolute names, device and inode, how they were found, and the kind of the open object."""
from _calls import check, run_tests


def test_identity():
    check("call_identity")


run_tests(globals())
