#!/usr/bin/env python3
"""Regions that a program names: calls in them are shown inside, for every way to begin, end or leave them."""
from lib import DEEP, HANDLER, NAME, compare, program, run_tests, same

REGIONS = program("regions")


class Node:
    """A record and the records inside it, by depth."""

    def __init__(self, call):
        self.call = call
        self.inside = []


def shown(call):
    """A region by its name and its end, a write by its offset."""
    args = call["args"]
    if call["function"] in ("region", "phase"):
        end = "?" if "unfinished" in call else {0: "", 1: "!"}[call["result"]]
        return f"{args['name']}{end}"
    if call["function"] == "unmatched":
        return f"unmatched {args['name']}"
    if call["function"] == "value":
        return f"{args['name']}={args['number']}"
    return args["offset"] if call["function"] == "pwrite" else call["function"]


def tree(calls):
    """The records of one thread as nested lists: [name, records inside ...] or only the name."""
    roots, open_ = [], []
    for call in calls:
        if call["layer"] in ("varve", "process") or call["function"] in ("open", "close"):
            continue
        node = Node(call)
        while open_ and open_[-1].call["depth"] >= call["depth"]:
            open_.pop()
        (open_[-1].inside if open_ else roots).append(node)
        open_.append(node)

    def plain(node):
        what = shown(node.call)
        return [what, *map(plain, node.inside)] if node.inside else what

    return [plain(node) for node in roots]


def regions(way, count=0, options=(), **more):
    trace = compare([REGIONS, way, str(count)], options, **{"status": 0, **more})
    return trace, trace.calls()


def complete(way, count=0, options=()):
    """Nothing was lost, and the records inside a region are between its times."""
    trace, calls = regions(way, count, options)
    trace.complete()
    check_times(calls)
    return tree(calls)


def check_times(calls):
    """Times agree with the tree."""
    open_ = {}
    for call in calls:
        stack = open_.setdefault((call["process"], call["thread"]), [])
        while stack and stack[-1]["depth"] >= call["depth"]:
            stack.pop()
        for outer in stack:
            if outer["layer"] == "region" and "unfinished" not in outer and call["layer"] == "posix":
                assert outer["start"] <= call["start"], (outer, call)
                assert call["start"] <= outer["start"] + outer["duration"], (outer, call)
        stack.append(call)


def test_nesting():
    steps = [["step", 2, f"residual={-number}"] for number in (0, 1, 2)]
    same(complete("nest"), [["outer", 1, *steps, 3], 4])


def test_numbers():
    _, calls = regions("nest")
    same([call["args"]["number"] for call in calls if call["function"] == "region"], [0, 0, 1, 2])


def test_phases():
    same(complete("phases"), [["first", 1, ["inside", ["a", 2], ["b", 3]], 4], ["second", 5], 6])


def test_ends_and_begins_that_do_not_match():
    """An end also ends regions inside; an end without a region is recorded."""
    same(complete("unbalanced"), ["unmatched never", "unmatched None", ["outer", ["left!", ["left too!", 1]]], 2,
                                  "unmatched left", ["open?", 3]])


def test_longjmp_over_a_region():
    same(complete("jump", 50), [["around", ["jumped!", 1, 2]], 3] * 50)


def test_begun_and_ended_in_functions_that_return():
    same(complete("below"), [["below", 1, 2, 3], 4])


def test_begun_in_one_call_and_ended_in_another():
    trace, calls = regions("walks")
    trace.complete()
    same(tree(calls), [["nftw", ["in walk", 1, 2, ["nftw", 3, 4]]], 5])


def test_blocks_are_cut_inside():
    """Each block that an open region continues in has its name; the region is shown where it began, with its end."""
    trace, calls = regions("cut", 20000, ("--buffer", "128K"))
    trace.complete()
    check_times(calls)
    assert trace.info()["blocks"] > 10, trace.info()["blocks"]
    writes = list(range(20000))
    same(tree(calls), [["long", ["longer name than the other", *writes], ["last", *writes]], 0])
    same([call["args"]["number"] for call in calls if call["function"] == "region"], [0, 7, 0])


def test_fork():
    """A child is in no region of its parent, and may end regions that it inherited."""
    trace, calls = regions("forks")
    trace.complete()
    parent = [call for call in calls if call["process"] == 1]
    child = [call for call in calls if call["process"] == 2]
    same(tree(parent), [["parent", ["both", "vfork child?", 4], 5]])
    same(tree(child), [1, ["child", 2], 3])


def test_killed_inside():
    trace, calls = regions("killed", 5000, ("--buffer", "128K"), status=137)
    trace.complete()
    same(tree(calls), [["killed?", *range(5000), ["inner?", 0]]])


def test_threads():
    trace, calls = regions("threads", 8)
    trace.complete()
    check_times(calls)
    same(tree(call for call in calls if call["thread"] == 1), ["main"])
    seen = set()
    for thread in range(2, 10):
        own = [call for call in calls if call["thread"] == thread]
        (number,) = {call["args"]["number"] for call in own if call["args"].get("name") == "worker"}
        turns = tree(own)
        same(turns, [["worker", ["turn", number]]] * 200 + (["not ended?"] if number == 1 else []))
        seen.add(number)
    same(seen, set(range(8)))


def test_names_of_any_bytes():
    trace, calls = regions("names")
    same(trace.losses(), {NAME: 2})
    names = [call["args"]["name"] for call in calls if call["function"] == "region"]
    same(names[0], "n" * 256)
    same(names[2:], ["", "", "", ""])
    same([call for call in calls if call["function"] == "unmatched"], [])
    same({call["depth"] for call in calls if call["function"] == "pwrite"}, {1})
    same(names[1].encode("utf-8", "surrogateescape")[:3], b"a\0b")


def test_more_than_can_be_open():
    """Twenty are recorded; there are places above them for calls, and each end matches its begin."""
    trace, calls = regions("deep", 40)
    same(trace.losses(), {DEEP: 20})
    same(trace.counts()["region"], 20)
    writes = [call for call in calls if call["function"] == "pwrite"]
    same([call["depth"] for call in writes], [min(place + 1, 20) for place in [*range(40), *reversed(range(40))]] + [0])
    assert not any("unfinished" in call for call in calls if call["function"] == "region")


def test_pauses():
    """A region that begins in a pause has no record, and its end is not taken for that of another region; one that began before
    is ended."""
    same(complete("pauses"), [["around", ["inside", 2], 3], 4])


def test_in_handlers():
    trace, calls = regions("handlers", 30000, ("--buffer", "128K"))
    same(set(trace.losses()) - {HANDLER}, set())
    for call in calls:
        assert "unfinished" not in call or call["layer"] != "region", call
        if call["function"] == "region":
            same(call["result"], 0)
    same(sum(call["args"].get("name") == "loop" for call in calls), 30000)


def test_left_out():
    _, calls = regions("nest", 0, ("--skip", "region"))
    same([call["function"] for call in calls if call["layer"] == "region"], [])
    _, calls = regions("nest", 0, ("--layer", "region"), trace="layer.varve")
    same({call["layer"] for call in calls} - {"varve"}, {"region"})


run_tests(globals())
