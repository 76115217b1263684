#!/usr/bin/env python3
"""Many threads, one after the other and at once: every call recorded, lanes used again."""
import os
import threading
import time

from lib import Trace, VARVE, compare, program, run, run_tests, same

THREADS = program("threads")
EACH = 3


def threads(way, count, rounds, options=()):
    """Every thread's calls are there, in order, in a stream of its own."""
    trace = compare([THREADS, way, str(count)], options, status=0)
    same(trace.complete()["pwrite"], rounds * EACH * count)
    streams = {}
    for call in trace.calls("--function", "pwrite", "--by-stream"):
        streams.setdefault(call["thread"], []).append(call)
    same(len(streams), count)
    for calls in streams.values():
        same((len(calls), {call["depth"] for call in calls}), (rounds * EACH, {0}))
        same([call["ordinal"] for call in calls], list(range(1, len(calls) + 1)))
    return trace


def test_short_threads():
    threads("short", 2000, 1)


def test_detached_threads():
    threads("detached", 1000, 1)


def test_threads_of_c11():
    threads("thrd", 500, 1)


def test_calls_after_the_threads_function():
    threads("late", 500, 3)


def test_320_threads_at_once():
    threads("together", 320, 2)


def test_320_threads_at_once_with_small_lanes():
    threads("together", 320, 2, ("--buffer", "128K"))


def lanes_at_most(way, count):
    """The highest number of lane files at one time during the run."""
    lanes = os.path.abspath("lanes")
    os.mkdir(lanes)
    most, over = [0], threading.Event()

    def look():
        while not over.is_set():
            for folder in os.listdir(lanes):
                try:
                    names = os.listdir(os.path.join(lanes, folder))
                except OSError:
                    continue
                most[0] = max(most[0], sum(name.startswith("lane.") for name in names))
            time.sleep(0.002)

    watcher = threading.Thread(target=look)
    watcher.start()
    result = run([VARVE, "record", "-o", os.path.abspath("t"), "--lanes", lanes, "--", THREADS, way, str(count)], "work")
    over.set()
    watcher.join()
    same((result.returncode, result.stderr), (0, b""))
    same(Trace("t").complete()["pwrite"], EACH * count)
    same(os.listdir(lanes), [], "no lanes are left behind")
    return most[0]


def test_lanes_are_used_again():
    most = lanes_at_most("short", 3000)
    assert 2 <= most <= 64, most


def test_lanes_of_detached_threads_are_used_again():
    most = lanes_at_most("detached", 3000)
    assert 2 <= most <= 64, most


def test_lanes_of_c11_threads_are_used_again():
    most = lanes_at_most("thrd", 3000)
    assert 2 <= most <= 64, most


run_tests(globals())
