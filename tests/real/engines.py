#!/usr/bin/env python3
"""fio with each of its I/O engines: plain calls, vectors, mappings, POSIX and kernel asynchronous I/O.

It reports times; the files that it writes and verifies have the same content, and its status is that of its verification.
label: long
"""
import os
import re

from _real import calls, need, run_tests, transparent


def verified(engine, *functions, loops=64, lost=None, said=b"", **options):
    """Random writes of a known pattern, then read back and verified."""
    need("fio")
    more = [f"--{name}={value}" for name, value in options.items()]
    info, _ = transparent(
        ["fio", "--name=job", f"--ioengine={engine}", "--rw=randwrite", "--bs=4k", f"--size={loops * 4}k", "--randseed=7",
         "--verify=pattern", "--verify_pattern=0x5eed", "--do_verify=1", "--verify_fatal=1", "--filename=file", "--thread=1",
         "--fsync=16", "--output-format=terse", "--output=/dev/null", "--fallocate=none",
         # The order in which asynchronous requests end differs in each run.
         "--verify_state_save=0", *more],
        ["fio"], tidy=lambda text: re.sub(rb"\d+", b"0", text), losses=lost, said=said)
    for function in functions:
        assert calls(info, function) >= loops, (function, calls(info, function))
    return info


def test_psync():
    verified("psync", "pwrite", "pread")


def test_sync():
    verified("sync", "write", "read")


def test_vsync():
    verified("vsync", "writev", "readv", iodepth=1)


def test_pvsync2():
    verified("pvsync2", "pwritev2", "preadv2")


def test_mmap():
    info = verified("mmap")
    assert calls(info, "mmap") > 0 and calls(info, "msync") > 0


def test_posixaio():
    verified("posixaio", iodepth=4)


def test_libaio():
    verified("libaio", iodepth=4)


def test_io_uring():
    """Its requests are made by instructions of its own: 64 to write, as many to read. The number of its syncs varies."""
    verified("io_uring", iodepth=4, fsync=0, lost={23: 128}, said=b"128 requests of io_uring")


def test_processes():
    """Jobs that are processes, not threads."""
    need("fio")
    info, _ = transparent(["fio", "--name=job", "--ioengine=psync", "--rw=write", "--bs=16k", "--size=256k", "--numjobs=3",
                           "--randseed=7", "--directory=" + os.path.join(os.getcwd(), "work"), "--output-format=terse",
                           "--output=/dev/null"], ["fio"])
    assert calls(info, "pwrite") == 48 and len(info["processes"]) >= 4


run_tests(globals())
