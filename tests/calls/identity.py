#!/usr/bin/env python3
"""Which file a call is about: absolute names, device and inode, how that is known, what kind of thing is open."""
from _calls import check, run_tests


def test_identity():
    check("call_identity")


run_tests(globals())
