#!/usr/bin/env python3
"""Calls that are left by longjmp, exceptions and cancellation, and calls on other stacks: none is lost, depths are right."""
import os

from lib import DEEP, HANDLER, compare, program, run_tests, same

STACKS = program("stacks")


def leapt(way, count, options=()):
    """Runs it; every write is there and returned. Returns the trace and its writes."""
    trace = compare([STACKS, way, str(count)], options, status=0)
    with open("traced/out", "rb") as file:
        made = file.read().count(b"m")
    trace.complete()
    calls = trace.calls()
    writes = [call for call in calls if call["function"] == "write" and call["args"]["count"] == 1]
    same(len(writes), made)
    assert not any("unfinished" in call for call in writes)
    return calls, writes


def test_siglongjmp_out_of_a_read():
    calls, writes = leapt("read", 60)
    same({call["depth"] for call in writes}, {0})
    reads = [call for call in calls if call["function"] == "read"]
    same([(call["depth"], call.get("unfinished")) for call in reads], [(0, True)] * 60)


def test_siglongjmp_from_anywhere():
    """The recorder's own work is left too, for example reading the clock; later calls are recorded."""
    for clock in ("tsc", "monotonic"):
        trace = compare([STACKS, "anywhere", "3000"], ("--clock", clock, "--buffer", "128K"), trace=clock, status=0)
        same(set(trace.losses()) - {HANDLER, DEEP}, set())
        writes = [call for call in trace.calls("--function", "write") if call["args"]["count"] == 1]
        same(len(writes), 1001, "one at the end")


def test_siglongjmp_from_far_below():
    calls, writes = leapt("deep", 60)
    same({call["depth"] for call in calls if call["function"] in ("read", "write")}, {0})
    same(sum("unfinished" in call for call in calls if call["function"] == "read"), 60)


def test_longjmp_out_of_a_walk():
    calls, writes = leapt("walk", 100)
    walks = [call for call in calls if call["function"] == "nftw"]
    same([call.get("unfinished") for call in walks], [True] * 100)
    same([call["depth"] for call in writes], [1, 0] * 100 + [0])


def test_calls_from_below_the_frame_that_was_left():
    """A call from a frame further down than the one that was left may count it as open; such calls never accumulate."""
    calls, writes = leapt("walk_below", 100)
    same([call["depth"] for call in calls if call["function"] == "nftw"], [0] * 100)
    same({call["depth"] for call in writes} <= {0, 1}, True)


def test_cancelled_threads():
    calls, writes = leapt("cancel", 40)
    same({call["depth"] for call in writes} <= {0, 1}, True)
    same([call["depth"] for call in writes if call["thread"] == 1], [0] * 41)
    reads = [call for call in calls if call["function"] == "read" and call["thread"] > 1]
    same([call.get("unfinished") for call in reads], [True] * 40)


def test_exceptions_out_of_a_walk():
    trace = compare([program("stacks_throw"), "100"], status=0)
    trace.complete()
    writes = [call for call in trace.calls("--function", "write") if call["args"]["count"] == 1]
    same(len(writes), 200)
    same({call["depth"] for call in writes[1::2]}, {0})


def test_contexts():
    calls, writes = leapt("contexts", 50)
    same({call["depth"] for call in writes}, {0})
    same(len(writes), 301)


def test_contexts_that_switch_inside_a_call():
    calls, writes = leapt("walking", 50)
    assert not any("unfinished" in call for call in writes)
    assert max(call["depth"] for call in calls) < 8, "open calls of another stack pile up"


def alternate(way):
    """On a busy machine all handlers may run between calls: then the test runs again, until one runs inside a call."""
    assert any(alternate_once(way, f"{way}-{again}") for again in range(8)), "no handler came inside a call"


def alternate_once(way, name):
    """A handler may run at any instruction of a wrapper, also when it is about to cut a lane.

    Very many of them may fill the reserve of a lane before the interrupted call can cut it: this is counted.
    """
    handled = os.path.abspath("handled")
    trace = compare([STACKS, way, "160000", handled], ("--buffer", "128K"), trace=name, status=0)
    counts, losses = trace.counts(), trace.losses()
    same(set(losses) <= {HANDLER}, True, losses)
    with open(handled) as file:
        made = int(file.read())
    assert made > 0, made
    same((counts["fwrite"], counts["write"]), (160000, 10001))
    same(counts["pwrite"] + losses.get(HANDLER, 0), made)
    calls = trace.calls("--stream", "1.2")
    same([call["ordinal"] for call in calls], list(range(len(calls))))
    for call in calls:
        if call["layer"] in ("posix", "stdio"):
            assert "unfinished" not in call and "failed" not in call and call["result"] == 1, call
    deepest = max(call["depth"] for call in calls)
    assert deepest <= 1, deepest
    return deepest == 1


def test_handlers_on_a_stack_below():
    alternate("below")


def test_handlers_on_a_stack_above():
    alternate("above")


def test_more_calls_open_than_can_be_told():
    trace = compare([STACKS, "nested", "100"], status=0)
    counts = trace.counts()
    same(counts["nftw"] + counts["write"] + trace.losses()[DEEP], 103)
    same(max(call["depth"] for call in trace.calls()), 30)


run_tests(globals())
