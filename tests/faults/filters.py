#!/usr/bin/env python3
"""Programs that forbid themselves system calls, or the clock: a call by the recorder would kill them."""
from lib import CLOCKLESS, DROPPED, NO_LANE, UNTRACKED, compare, holds, program, run_tests, same

FILTERS = program("filters")


def test_filter_is_not_violated():
    for how in ("filter", "syscall", "filter-number"):
        trace = compare([FILTERS, how, "100"], trace=how, status=6)
        same(trace.complete()["write"], 201)


def test_filter_and_full_lanes():
    """The recorder may make no system call any more: full lanes are handed over to the collector, which may be too slow."""
    for how in ("filter", "syscall", "filter-number"):
        trace = compare([FILTERS, how, "20000"], ("--buffer", "128K"), trace=how, status=6)
        counts, losses = trace.counts(), trace.losses()
        same(set(losses) - {*DROPPED, NO_LANE}, set())
        assert counts["write"] >= 20000, counts
        same(counts["write"] + sum(losses.values()) >= 40001, True, (counts, losses))
        assert counts["write"] <= 40001, counts


def test_filter_and_a_recorder_that_keeps_up():
    """With pauses between the calls, the collector takes all lanes in time."""
    trace = compare([FILTERS, "filter", "20000", "3000000"], ("--buffer", "128K"), status=6)
    assert trace.counts()["write"] >= 30000, (trace.counts(), trace.losses())


def test_child_filters_again():
    """The child's calls are not recorded: without system calls it gets no lane. This is counted."""
    trace = compare([FILTERS, "twice", "100"], status=6)
    counts, losses = trace.counts(), trace.losses()
    same((counts["write"], set(losses)), (1, {NO_LANE, UNTRACKED}))
    assert losses[NO_LANE] >= 200, losses
    holds(trace.no_lane(), "seccomp")


def test_without_a_clock_the_thread_is_left_alone():
    for how in ("strict", "tsc", "strict-number", "tsc-number", "strict-seccomp"):
        trace = compare([FILTERS, how, "1000"], trace=how, status=6)
        same((trace.counts()["write"], trace.losses()), (1000, {CLOCKLESS: 1}))
        holds(trace.told, b"varve: ... clock")


run_tests(globals())
