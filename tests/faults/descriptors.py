#!/usr/bin/env python3
"""Programs that close, count, fill or overwrite descriptors: they find only their own, and no byte of the trace is written
elsewhere."""
from lib import NO_LANE, compare, dropped, program, run_tests, same

DESCRIPTORS = program("descriptors")


def treated(way, count=12000, options=("--buffer", "128K")):
    return compare([DESCRIPTORS, way, str(count)], options, status=6)


def complete(way, writes):
    trace = treated(way)
    same(trace.complete()["pwrite"], writes)
    return trace


def test_close_in_a_loop():
    trace = complete("loop", 24000)
    same(trace.counts()["close"], 4095)


def test_close_range():
    same(complete("range", 24000).counts()["close_range"], 2)


def test_closefrom():
    same(complete("from", 24000).counts()["closefrom"], 1)


def test_close_what_is_listed():
    complete("listed", 24000)


def test_every_number_overwritten():
    complete("every", 12000)


def test_names_after_numbers_are_used_again():
    """The same number for one file and then another: each write has the right name."""
    trace = complete("range", 24000)
    names = [call["absolute"].rsplit("/", 1)[1] for call in trace.calls("--function", "pwrite")]
    same(names, ["a"] * 12000 + ["b"] * 12000)


def test_number_that_comes_back_unseen():
    trace = treated("unseen", 10, ())
    sent = [call for call in trace.calls("--function", "write") if call["args"]["count"] == 6]
    same([(call["kind"], call["path"][:7]) for call in sent], [("socket", "socket:")])


def test_full_table():
    trace = treated("full")
    counts, losses = trace.counts(), trace.losses()
    lost = dropped(losses) + losses.get(NO_LANE, 0)
    assert counts["pwrite"] <= 24000 <= counts["pwrite"] + lost, (counts, losses)


def test_full_table_and_a_lane_that_suffices():
    trace = treated("full", 2000, ())
    same(trace.counts()["pwrite"], 4000)


def test_numbers_beyond_tables():
    trace = treated("high", 2000, ())
    same(trace.counts()["pwrite"], 2000)


def test_lowest_number_is_the_programs():
    """While another thread's blocks are written, a new descriptor still gets the lowest number, and forks inherit none of the
    recorder."""
    trace = treated("lowest", 40000)
    same(trace.info()["damage"], [])


run_tests(globals())
