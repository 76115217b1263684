#!/usr/bin/env python3
"""`varve slice` of several traces: separate parts of a run are joined, runs of one job with --join; others are refused."""
import os
import re

from lib import holds, program, run_tests, same, says, varve
from _slices import FORMS, agree, calls, compare, info, lines, record, sliced


def refused(*words, said):
    result = varve("slice", *words, "-o", "new")
    same((result.returncode, result.stdout, os.path.exists("new")), (2, b"", False), (words, result.stderr))
    holds(result.stderr.decode(), said)


def about(call):
    """A call without the values that change in a joined trace: the process number, and times from another start."""
    return {key: value for key, value in call.items() if key not in ("process", "start", "end")}


def launched(name, job, trace):
    """A run that a launcher started as a part of this job."""
    os.environ["SLURM_JOB_ID"] = job
    try:
        return record(["sh", "-c", f"echo {name} > {name}; (cat {name}; true); true"], trace=trace)
    finally:
        del os.environ["SLURM_JOB_ID"]


def test_parts_of_one_run():
    trace = record(["sh", "-c", "cat /etc/passwd | wc; cat /etc/group | wc"], "--no-pack")
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
    # A node from which processes are removed does not take numbers of later nodes.
    compare("joined", "--where", "process == %d" % max(call["process"] for call in calls("joined")))
    compare("joined", "--where", "ordinal in 0:1000:2")


def busy():
    """A trace of several processes and threads, each with several blocks."""
    return record([program("threads_and_forks")], "--buffer", "64K", "--no-pack")


def cut(trace, times, *options):
    """The parts of a trace between these times; returns their names."""
    names = []
    for number, (begin, end) in enumerate(zip([None, *times], [*times, None])):
        bounds = ["--from", f"{begin}ns"] if begin is not None else []
        bounds += ["--to", f"{end}ns"] if end is not None else []
        names.append(f"part{number}")
        sliced(*options, *bounds, trace, to=names[-1])
    return names


def moments(trace):
    """Three times: in the first and the last third of the calls, and during a long call with others inside or beside it."""
    starts = sorted(call["start"] for call in calls(trace))
    middle = max(calls(trace, "--function", "waitpid"), key=lambda call: call["duration"])
    times = sorted({starts[len(starts) // 3], middle["start"] + middle["duration"] // 2, starts[-len(starts) // 5]})
    same(len(times), 3)
    return times


def counts(trace):
    """The whole output of `info` except the blocks in which calls are stored and the way the trace was made."""
    report = info(trace, "--files")
    for key in ("slice", "blocks", "size", "bytes_per_record"):
        del report[key]
    for node in report["nodes"]:
        del node["size"]
    # If the end of a block cut a call, sums of durations may be a tick more or less; `dump` has each duration exactly.
    for row in (*report["functions"], *report["files"], *report["regions"]):
        for key in ("ns", "longest_ns"):
            row.pop(key, None)
    return report


def read(trace):
    """The output of each form of `dump` for a trace, and the counts of `info`."""
    return [varve("dump", *form, trace).stdout for form in (*FORMS, ("--recorder", "--format", "json"))], counts(trace)


def joined_equal(parts, source):
    """Joins the parts; the new trace must read like the original."""
    sliced(*parts, to="joined")
    dumps, counted = read("joined")
    for expected, got in zip(source[0], dumps):
        if expected != got:
            expected, got = expected.splitlines(), got.splitlines()
            at = next((i for i, (a, b) in enumerate(zip(expected, got)) if a != b), min(len(expected), len(got)))
            raise AssertionError(f"{parts}: {len(expected)} lines, {len(got)} joined; line {at + 1}: "
                                 f"{expected[at:at + 1]} is {got[at:at + 1]}")
    for key, expected in source[1].items():
        same(counted[key], expected, (parts, key))


def parts_by_time(trace):
    parts, source = cut(trace, moments(trace)), read(trace)
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        joined_equal([parts[at] for at in order], source)
    agree("joined")
    # A joined part can be joined again.
    sliced(parts[2], parts[1], to="middle")
    joined_equal([parts[3], "middle", parts[0]], source)
    # A part may be missing: the others do not change.
    sliced(parts[3], parts[0], to="ends")
    same(sorted(lines("ends", "--format", "json")), sorted(lines(parts[0], "--format", "json") + lines(parts[3], "--format", "json")))


def test_parts_by_time_in_folders():
    parts_by_time(busy())
    same(sorted(os.listdir("joined")), ["data.0", "index"])


def test_parts_by_time_packed():
    trace = busy()
    same(varve("pack", trace).returncode, 0)
    parts_by_time(trace)
    same([os.path.isfile(name) for name in ("part0", "part1", "joined")], [True] * 3)


def test_parts_by_time_inside_a_call():
    """Of a call over many blocks, parts behind a border have nothing, and the one before it has all halves."""
    trace = record([program("regions"), "cut", "3000"], "--buffer", "64K", "--no-pack")
    starts, source = sorted(call["start"] for call in calls(trace)), read(trace)
    parts = cut(trace, [starts[len(starts) // 6], starts[len(starts) * 2 // 3]])
    joined_equal([parts[2], parts[0], parts[1]], source)
    for where in ("inside region", "not (parent.function == region)", "region like 'a*'"):
        said = "varve: ... --where ... `varve slice --"
        assert says(varve("dump", "--where", where, "joined").stderr, said), where
        assert not says(varve("dump", "--where", where, trace).stderr, said), where
    assert b"slice" not in varve("dump", "--where", "depth > 0", "joined").stderr
    for name in parts:
        same(varve("pack", name).returncode, 0)
    joined_equal([parts[1], parts[2], parts[0]], source)


def test_parts_by_time_and_by_process():
    trace = busy()
    times = moments(trace)
    parts = [*cut(trace, times[1:2], "--process", "1"), "rest"]
    sliced("--where", "process > 1", trace, to="rest")
    sliced("part1", "rest", "part0", to="joined")
    same(len(calls("joined")), len(calls(trace)))
    same([about(call) for call in calls("joined", "--process", "1")], [about(call) for call in calls(trace, "--process", "1")])


def test_parts_by_time_of_hosts():
    """Two data files in one trace: processes of the second keep their numbers if the first has fewer in a part."""
    launched("a", "4711", "one")
    launched("b", "4711", "other")
    for form in (["--no-pack"], []):
        sliced(*form, "--join", "one", "other", to="both")
        starts = sorted(call["start"] for call in calls("both"))
        parts = cut("both", [starts[len(starts) // 4], starts[len(starts) * 3 // 4]])
        joined_equal([parts[1], parts[2], parts[0]], read("both"))


def test_parts_that_overlap():
    trace = record(["sh", "-c", "cat /etc/passwd"])
    sliced("--where", "ordinal in 0:1000000:2", trace, to="one")
    sliced("--where", "ordinal in 1:1000000:2", trace, to="other")
    refused("one", "other", said="one ... other ... overlap")
    refused("one", "one", said="one ... overlap")
    starts = sorted(call["start"] for call in calls(trace))
    sliced("--to", f"{starts[len(starts) // 2]}ns", trace, to="first")
    sliced("--from", f"{starts[len(starts) // 2 - 1]}ns", trace, to="last")
    refused("last", "first", said="--to ... --from")


def test_other_runs():
    record(["true"], trace="one")
    record(["true"], trace="other")
    refused("one", "other", said="one ... other ... --join")
    refused("--join", "one", "other", said="launcher")


def test_parts_of_another_version():
    """A packed trace of another version has only the tables of its own functions, so parts do not have those of the others."""
    golden = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "packed.varve")
    for process in "123":
        sliced("--process", process, golden, to="part" + process)
    refused("part1", "part2", said="version")
    sliced("part2", "part3", to="joined")
    same(lines("joined", "--by-stream"), lines(golden, "--by-stream", "--where", "process in 2,3"))


def test_runs_of_one_job():
    launched("a", "4711", "one")
    launched("b", "4711", "other")
    launched("c", "4712", "third")
    refused("--join", "one", "third", said="launcher")
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
    # All processes of the first node are removed; those of the second keep their numbers, and their parents.
    sliced("--where", f"process > {more}", "joined")
    left = {process["process"]: process["parent"] for process in info("s.varve")["processes"]}
    same(left, {n + more: p + more if p else 0 for n, p in second.items()})
    assert any(left.values()), left
    told = lambda trace: {int(number) for line in lines(trace, "--definitions") for number in re.findall(rb'"parent=(\d+)"', line)}
    same(told("s.varve"), {number + more if number else 0 for number in told("other")})
    compare("joined", "--where", "function == read")


def test_info_names_the_source_of_each_selection():
    """Each source keeps its own selection, also if it was joined itself, is about other processes, or has other names."""
    record(["sh", "-c", "cat /etc/passwd; cat /etc/group; ls /"])
    shown = lambda trace: [line[14:] for line in re.search(rb"(?ms)^slice .*?(?=^\S*complete|^LOST)", varve("info", trace).stdout)[0]
                           .decode().splitlines()]
    for number in (1, 2, 3):
        sliced("--process", str(number), "t.varve", to=f"p{number}")
    same(shown("p2"), ["of t.varve", "process 2"])
    sliced("p1", "p2", to="p12")
    same(shown("p12"), ["p1: of t.varve", "p1: process 1", "p2: of t.varve", "p2: process 2", "of p1", "of p2"])
    same([(entry["key"], entry["value"]) for entry in info("p12")["slice"]],
         [("1.of", "t.varve"), ("1.process", "1"), ("part", "1"), ("2.of", "t.varve"), ("2.process", "2"), ("part", "1"),
          ("of", "p1"), ("of", "p2")])
    sliced("p12", "p3", to="p123")
    sliced("--layer", "posix", "p123", to="last")
    same(shown("last"), ["p1: of t.varve", "p1: process 1", "p2: of t.varve", "p2: process 2", "p12: of p1", "p12: of p2",
                         "p3: of t.varve", "p3: process 3", "of p12", "of p3", "of p123", "layer posix"])
    sliced("--anonymize", "last", to="hidden")
    same([line.split(" ")[-2:-1] for line in shown("hidden")][:1], [["of"]])
    assert "t.varve" not in str(shown("hidden")) and any("process 3" in line for line in shown("hidden")), shown("hidden")
    # Parts by time are one group.
    half = info("t.varve")["duration_ns"] // 2
    sliced("--to", f"{half}ns", "t.varve", to="a")
    sliced("--from", f"{half}ns", "t.varve", to="b")
    sliced("a", "b", to="ab")
    same(shown("ab"), ["a: of t.varve", f"a: to {half}ns", "b: of t.varve", f"b: from {half}ns", "of a", "of b"])


run_tests(globals())
