#!/usr/bin/env python3
"""cp and tar compared with strace."""
from _witness import agree, need, run_tests, sample


def test_cp():
    need("cp")
    agree(["cp", "-a", "source", "copy"], sample)


def test_tar():
    need("tar")
    agree(["sh", "-c", "tar --sort=name -cf a.tar source && mkdir out && tar -xpf a.tar -C out"], sample)


run_tests(globals())
