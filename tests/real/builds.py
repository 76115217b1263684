#!/usr/bin/env python3
"""Programs that are built or started in another way: with AddressSanitizer, with another allocator preloaded, static.
timeout: 300
"""
import os
import subprocess

from _real import UNTRACED, Bench, calls, need, run_tests, same, transparent
from lib import compiled_source

SOURCE = os.path.join(os.environ["VARVE_SOURCE"], "examples", "checkpoint.c")
JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
PYTHON = "/usr/bin/python3"


def built(compiler, *flags, source=SOURCE):
    need(compiler)
    subprocess.run([compiler, "-g", "-O1", "-pthread", *flags, "-o", "program", source], check=True)
    return os.path.abspath("program")


def sanitized(compiler, *flags):
    program = built(compiler, "-fsanitize=address", *flags)
    info, _ = transparent([program, "out"], ["program"])
    same(calls(info, "pwrite"), 24)


def test_asan_gcc():
    sanitized("gcc")


def test_asan_gcc_static_runtime():
    sanitized("gcc", "-static-libasan")


def test_asan_clang():
    sanitized("clang")


def reported(compiler):
    """The sanitizer reports the same errors as without Varve, except for addresses and pids."""
    program = built(compiler, "-fsanitize=address", source=compiled_source("overflow.c"))
    place = Bench()
    plain = place.run([program, "overflow"])
    assert plain.status == 1 and b"heap-buffer-overflow" in plain.said[1], plain.said
    outcome, trace = place.recorded([program, "overflow"])
    same((outcome.status, outcome.said[0]), (plain.status, plain.said[0]), outcome.said)
    where = [line for line in plain.said[1].splitlines() if b"overflow.c" in line and b"#" in line]
    assert where and b"heap-buffer-overflow" in outcome.said[1], outcome.said
    for line in where:
        assert line.split(b" in ")[1] in outcome.said[1], (line, outcome.said)
    same(trace.losses(), {})
    same(trace.counts()["pwrite"], 50)


def test_asan_report_gcc():
    reported("gcc")


def test_asan_report_clang():
    reported("clang")


def test_jemalloc():
    """The user's own preload stays, before and after Varve's."""
    need(JEMALLOC)
    program = built("gcc")
    info, _ = transparent([program, "out"], ["program"], LD_PRELOAD=JEMALLOC)
    same(calls(info, "pwrite"), 24)


def test_jemalloc_python():
    need(JEMALLOC, PYTHON)
    transparent([PYTHON, "-c", "import os, subprocess; print(os.environ['LD_PRELOAD'].count('jemalloc'), "
                 "subprocess.run(['sh', '-c', 'echo $LD_PRELOAD | grep -c jemalloc'], stdout=subprocess.PIPE).stdout)"],
                ["python3.*"], LD_PRELOAD=JEMALLOC, PYTHONDONTWRITEBYTECODE="1")


def test_static():
    """It runs, is not recorded, and this is reported."""
    program = built("gcc", "-static")
    transparent([program, "out"], [], losses={UNTRACED: 1}, said=b"static", preload=False)


def test_static_child():
    program = built("gcc", "-static")
    transparent(["sh", "-c", f"{program} out; {program}; ls out"], ["ls"], losses={UNTRACED: 2}, said=b"static")


run_tests(globals())
