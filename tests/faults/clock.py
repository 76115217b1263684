#!/usr/bin/env python3
"""Long pauses between calls, with a clock that the test moves: times in the trace are exact to the tick.

The clock is CLOCK_MONOTONIC plus a number in a shared file, for the program and `varve record`; the kernel's answer is changed
(programs/faults/moved_clock.c).
"""
import os

from lib import VARVE, Trace, program, run, run_tests, same, varve

HOUR = 3600 * 10**9
DAY = 24 * HOUR


def moved(jump, count, options=()):
    """A run in which the clock jumps twice by `jump`: the writes in the trace and the times that the program read."""
    with open("clock", "wb") as file:
        file.write(bytes(4096))
    clock = os.path.abspath("clock")
    result = run([program("moved_clock"), clock, VARVE, "record", "-o", os.path.abspath("t"), "--clock", "monotonic",
                  "--resolution", "1ns", *options, "--", program("pauses"), str(jump), str(count)], "work",
                 env=dict(os.environ, CLOCK_FILE=clock))
    same((result.returncode, result.stderr), (0, b""))
    times = [int(word) for word in result.stdout.split()]
    trace = Trace("t")
    same(trace.losses(), {})
    writes = trace.calls("--function", "pwrite")
    same(len(writes), 2 * count + 1)
    return trace, writes, times


def right(jump, count, options=()):
    trace, writes, times = moved(jump, count, options)
    start = int(trace.info()["run"]["start_monotonic"])
    starts = [start + call["start"] for call in writes]
    same(starts, sorted(starts))
    # The times that the program read between its writes are between their times.
    assert starts[count - 1] <= times[0] and times[0] + jump <= starts[count] <= times[1], (starts[count], times)
    assert times[1] + jump <= starts[count + 1] <= starts[-1] <= times[2], (starts[count + 1], times)
    ends = [start + call["start"] + call["duration"] for call in writes]
    assert all(call["duration"] < 60 * 10**9 for call in writes), "the pause is between calls, not in one"
    assert ends[count - 1] <= times[0] and ends[-1] <= times[2]
    assert trace.info()["duration_ns"] >= 2 * jump
    return trace


def test_no_pause():
    right(0, 100)


def test_an_hour():
    right(HOUR, 100)


def test_an_hour_and_many_blocks():
    right(HOUR, 10000, ("--buffer", "128K"))


def test_200_days():
    right(200 * DAY, 100)


def test_200_days_and_many_blocks():
    right(200 * DAY, 10000, ("--buffer", "128K"))


def test_ten_years():
    right(5 * 365 * DAY, 100)


def test_text_shows_the_pause():
    right(HOUR, 10)
    lines = varve("dump", "--function", "pwrite", "t").stdout.decode().splitlines()
    starts = [float(line.split()[0]) for line in lines]
    assert starts[9] < 60 and 3600 <= starts[10] < 3660 and 7200 <= starts[11] < 7260, starts


run_tests(globals())
