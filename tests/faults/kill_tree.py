#!/usr/bin/env python3
# again: long
# timeout: 300
"""A tree of processes and threads that start and end is killed at random instants; see kill_random.py for the conditions.

The program forks, starts threads and ends processes in every way in its loop. In turns the whole group dies at once, the first
process before its children, a child before its parent, or the recorder with all of them.
"""
import os
import signal
import subprocess
import time

from lib import lots
from _kill import BUFFER, VARVE, WORKER, Counters, check_trace, child_of, children_of, kill_at_instants, reap_all, wait_until

INSTANTS, SLOTS = lots(40, 100), 16384


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_group(pid):
    """The program becomes leader of its group in main; before that it is not in a group of its own."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        kill(pid)


def kill_all(how, pid, recorder, draw):
    if how == 1:
        kill(pid)
        wait_until(time.perf_counter() + draw.uniform(0, 0.003))
    elif how == 2:
        children = children_of(pid)
        if children:
            kill(draw.choice(children))
        wait_until(time.perf_counter() + draw.uniform(0, 0.003))
    elif how == 3:
        kill(recorder)
    kill_group(pid)
    kill_group(pid)


def one_instant(folder, number, draw):
    """Runs and kills once; returns the number of used slots."""
    trace, lanes = os.path.join(folder, "t.varve"), os.path.join(folder, "lanes")
    os.mkdir(lanes)
    counters = Counters(os.path.join(folder, "counters"), SLOTS)
    instant = draw.uniform(0, 0.006) if number % 5 == 0 else draw.uniform(0, 0.030)
    recorder = subprocess.Popen([VARVE, "record", "--buffer", BUFFER, "--lanes", lanes, "-o", trace, "--", WORKER,
                                 counters.path, "tree"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pid = child_of(recorder.pid)
    wait_until(time.perf_counter() + instant)
    kill_all(number % 4, pid, recorder.pid, draw)
    recorder.wait()
    reap_all()
    slots = counters.read()
    check_trace(trace, lanes, slots)
    return len(slots)


kill_at_instants("kill_tree", INSTANTS, one_instant, 10, "processes and threads")
