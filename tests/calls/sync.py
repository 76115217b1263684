#!/usr/bin/env python3
"""Calls of layer sync, which is off by default: with only this layer every call is recorded, without it none is."""
import os
import subprocess

from _calls import VARVE, check, dumped, program, run_tests


def test_sync():
    os.environ["VARVE_LAYER"] = "sync"
    try:
        check("call_sync", only_own=True)
    finally:
        del os.environ["VARVE_LAYER"]


def test_off_by_default():
    subprocess.run([VARVE, "record", "-o", "t.varve", "--", program("call_sync")], check=True, stdout=subprocess.DEVNULL)
    calls = {line.split("(")[0].split()[-1] for line in dumped()}
    assert "pthread_create" in calls, calls
    assert not any(name.startswith(("pthread_mutex", "pthread_cond", "sem_", "mtx_")) for name in calls), calls


run_tests(globals())
