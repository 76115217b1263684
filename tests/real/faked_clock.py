#!/usr/bin/env python3
"""Programs with a clock that another library has replaced (libfaketime): the program reads that clock, the trace has the times
of the kernel's."""
import subprocess
import time

from _real import VARVE, Trace, need, run_tests, same

FAKED = ["faketime", "-f", "@2001-02-03 04:05:06 x100"]


def faked(before, within, clock):
    """`varve record` and the program read the faked clock, or the program alone."""
    need("faketime")
    started = time.time_ns()
    result = subprocess.run([*(FAKED if before else []), VARVE, "record", "-o", "t.varve", "--clock", clock, "--",
                             *(FAKED if within else []), "date", "+%Y"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    ended = time.time_ns()
    same((result.returncode, result.stdout, result.stderr), (0, b"2001\n", b""))
    trace = Trace("t.varve")
    trace.complete()
    begin = int(trace.info()["run"]["start_realtime"])
    assert started <= begin <= ended, (started, begin, ended)
    starts = [call["start"] for call in trace.calls()]
    assert starts and 0 <= min(starts) and max(starts) <= ended - started, (min(starts), max(starts), ended - started)
    assert 0 < trace.info()["duration_ns"] <= ended - started, (trace.info()["duration_ns"], ended - started)


def test_of_the_program():
    faked(False, True, "tsc")


def test_of_the_program_without_a_counter():
    faked(False, True, "monotonic")


def test_of_record():
    faked(True, False, "tsc")


def test_of_record_without_a_counter():
    faked(True, False, "monotonic")


run_tests(globals())
