#!/usr/bin/env python3
"""fio compared with strace: its plain, vectored and mapped I/O engines.

The number of its calls for the time, for its timer and on its own files depends on timing; the I/O does not.
label: long
timeout: 600
"""
from _witness import agree, need, run_tests


def engine(name):
    need("fio")
    witness = agree(["fio", "--name=job", f"--ioengine={name}", "--rw=randrw", "--bs=4k", "--size=256k", "--randseed=7",
                     "--filename=file", "--thread=1", "--fsync=8", "--output-format=terse", "--output=/dev/null",
                     "--fallocate=none", "--disk_util=0", "--group_reporting=1", "--eta=never"], unsteady_most=0.3,
                    by_time=("pselect6", "timerfd_settime"))
    return witness.functions


def test_psync():
    functions = engine("psync")
    assert functions["pwrite"] + functions["pread"] >= 64


def test_vsync():
    functions = engine("vsync")
    assert functions["writev"] + functions["readv"] >= 64


def test_pvsync2():
    functions = engine("pvsync2")
    assert functions["pwritev2"] + functions["preadv2"] >= 64


def test_mmap():
    assert engine("mmap")["msync"] > 0


run_tests(globals())
