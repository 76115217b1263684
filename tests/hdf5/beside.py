#!/usr/bin/env python3
"""Another preloaded tool that wraps HDF5 and passes calls on by RTLD_NEXT: before Varve and after it, both record each call
once."""
import os
import subprocess

from _hdf5 import HERE, VARVE, run_tests, same

LIBRARY = os.environ["VARVE_LIBRARY"]


def made(name, source, *options):
    subprocess.run(["gcc", "-o", name, os.path.join(HERE, source), *options], check=True)
    return os.path.abspath(name)


def seen_by_both(order):
    tool = made("tool.so", "count_writes.c", "-shared", "-fPIC")
    program = made("program", "three_writes.c", "-I/usr/include/hdf5/serial", "-L/usr/lib/x86_64-linux-gnu/hdf5/serial", "-lhdf5")
    preload = ":".join({"tool": tool, "varve": LIBRARY}[name] for name in order)
    environment = dict(os.environ, LD_PRELOAD=preload, VARVE_TRACE=os.path.abspath("t.varve"), VARVE_NO_KEEPER="1")
    result = subprocess.run([program], env=environment, capture_output=True, timeout=60)
    same((result.returncode, result.stdout), (0, b"3"), result.stderr)
    dump = subprocess.run([VARVE, "dump", "--function", "H5Dwrite", "t.varve"], capture_output=True)
    same(dump.stdout.count(b"H5Dwrite("), 3, dump.stdout)


def test_tool_before():
    seen_by_both(("tool", "varve"))


def test_tool_behind():
    seen_by_both(("varve", "tool"))


run_tests(globals())
