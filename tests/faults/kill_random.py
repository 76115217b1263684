#!/usr/bin/env python3
# again: long
# timeout: 200
"""A program is killed at random instants: every call that had returned is in the trace once, nothing is damaged.

From the end of loading to 25 ms of calls; every fourth time `varve record` is killed as well, before or after, so that a reader
reads the lanes and a recovery takes them.
"""
import os
import signal
import subprocess
import time

from lib import lots
from _kill import BUFFER, VARVE, WORKER, Counters, check_trace, child_of, kill_at_instants, reap_all, wait_until

INSTANTS = lots(40, 100)


def one_instant(folder, number, draw):
    """Runs and kills once; returns the number of calls that had returned."""
    trace, lanes = os.path.join(folder, "t.varve"), os.path.join(folder, "lanes")
    os.mkdir(lanes)
    counters = Counters(os.path.join(folder, "counters"), 4)
    instant = draw.uniform(0, 0.004) if number % 3 == 0 else draw.uniform(0, 0.025)
    recorder = subprocess.Popen([VARVE, "record", "--buffer", BUFFER, "--lanes", lanes, "-o", trace, "--", WORKER,
                                 counters.path, "calls"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pid = child_of(recorder.pid)
    start = time.perf_counter()
    wait_until(start + instant)
    if number % 4 == 2:
        os.kill(recorder.pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    if number % 8 == 3:
        os.kill(recorder.pid, signal.SIGKILL)
    recorder.wait()
    reap_all()
    slots = counters.read()
    check_trace(trace, lanes, slots)
    return slots[0].count if slots else 0


kill_at_instants("kill_random", INSTANTS, one_instant, 100, "calls had returned")
