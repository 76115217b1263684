#!/usr/bin/env python3
"""`varve slice` of several traces: parts of a run that were apart become one, runs of one job with --join; others do not."""
import os
import re

from _harness import holds, run_tests, same, varve
from _slices import calls, compare, info, lines, record, sliced


def refused(*words, said):
    result = varve("slice", *words, "-o", "new")
    same((result.returncode, result.stdout, os.path.exists("new")), (2, b"", False), (words, result.stderr))
    holds(result.stderr.decode(), said)


def about(call):
    """A call without what becomes another in a joined trace: the number of its process and times from another start."""
    return {key: value for key, value in call.items() if key not in ("process", "start", "end")}


def launched(name, job, trace):
    """A run that a launcher started as a part of this job."""
    os.environ["SLURM_JOB_ID"] = job
    try:
        return record(["sh", "-c", f"echo {name} > {name}; (cat {name}; true); true"], trace=trace)
    finally:
        del os.environ["SLURM_JOB_ID"]


def test_parts_of_one_run():
    trace = record(["sh", "-c", "cat /etc/passwd | wc; cat /etc/group | wc"])
    numbers = sorted({call["process"] for call in calls(trace)})
    odd, even = (",".join(str(n) for n in numbers if n % 2 == rest) for rest in (1, 0))
    sliced("--where", f"process in {odd}", trace, to="odd")
    sliced("--where", f"process in {even}", trace, to="even")
    sliced("odd", "even", to="joined")
    same(sorted(os.listdir("joined")), ["data.0", "data.1", "index", "index.1"])
    parts = [lines(trace, "--format", "json", "--by-stream", "--where", f"process in {which}") for which in (odd, even)]
    same(len(calls("joined")), sum(map(len, parts)))
    key = lambda call: (call["pid"], call["tid"], call["ordinal"])
    same(sorted(map(about, calls("joined")), key=key), sorted(map(about, calls(trace)), key=key))
    # One clock: the order of all calls is that of the run.
    same([(call["pid"], call["ordinal"], call["start"]) for call in calls("joined")],
         sorted(((call["pid"], call["ordinal"], call["start"]) for call in calls("joined")), key=lambda c: c[2]))
    same(sorted(call["start"] for call in calls("joined")), sorted(call["start"] for call in calls(trace)))
    same(info("joined")["damage"], [])
    # A node that loses processes does not take numbers from those behind it.
    compare("joined", "--where", "process == %d" % max(call["process"] for call in calls("joined")))
    compare("joined", "--where", "ordinal in 0:1000:2")


def test_parts_that_overlap():
    trace = record(["sh", "-c", "cat /etc/passwd"])
    sliced("--where", "function == read", trace, to="one")
    sliced("--where", "function == open", trace, to="other")
    refused("one", "other", said="both hold process")
    refused("one", "one", said="both hold process")


def test_other_runs():
    record(["true"], trace="one")
    record(["true"], trace="other")
    refused("one", "other", said="are of different runs; --join")
    refused("--join", "one", "other", said="no launcher says")


def test_runs_of_one_job():
    launched("a", "4711", "one")
    launched("b", "4711", "other")
    launched("c", "4712", "third")
    refused("--join", "one", "third", said="no launcher says")
    if info("one")["run"]["run"] == info("other")["run"]["run"]:
        raise AssertionError("they are one run")
    sliced("--join", "one", "other", to="joined")
    same(len(calls("joined")), len(calls("one")) + len(calls("other")))
    same([node["node"] for node in info("joined")["nodes"]], [0, 1])
    same([about(call) for call in calls("joined", "--by-stream")],
         [about(call) for call in calls("one", "--by-stream") + calls("other", "--by-stream")])
    same({call["process"] for call in calls("joined")},
         set(range(1, 1 + len({c["process"] for c in calls("one")}) + len({c["process"] for c in calls("other")}))))
    parents = {process["process"]: process["parent"] for process in info("joined")["processes"]}
    first = {process["process"]: process["parent"] for process in info("one")["processes"]}
    second = {process["process"]: process["parent"] for process in info("other")["processes"]}
    more = len(first)
    same(parents, {**first, **{n + more: p + more if p else 0 for n, p in second.items()}})
    # The first node loses all its processes; those of the second keep their numbers, and their parents.
    sliced("--where", f"process > {more}", "joined")
    left = {process["process"]: process["parent"] for process in info("s.varve")["processes"]}
    same(left, {n + more: p + more if p else 0 for n, p in second.items()})
    assert any(left.values()), left
    told = lambda trace: {int(number) for line in lines(trace, "--definitions") for number in re.findall(rb'"parent=(\d+)"', line)}
    same(told("s.varve"), {number + more if number else 0 for number in told("other")})
    compare("joined", "--where", "function == read")


run_tests(globals())
