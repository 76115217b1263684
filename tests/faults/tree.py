#!/usr/bin/env python3
"""Trees of some hundred processes, started and ended in every way: one tree in the trace, nothing lost, nothing doubled.

The program writes to a file, for each process, its pid, its parent, the number of its writes and how it ended.
"""
import os
import signal

from lib import Trace, VARVE, program, run, run_tests, same, varve

TREE = program("tree")
SHOWN = {"fork": "fork", "_Fork": "fork", "raw": "fork", "thread": "fork", "orphan": "fork", "clone": "clone",
         "forkexec": "exec", "exec": "exec", "vfork": "vfork", "spawn": "spawn", "root": "start"}


def told(folder):
    """The rows that the processes wrote, in the order in which they began."""
    with open(os.path.join(folder, "log")) as file:
        rows = [line.split() for line in file]
    return [(int(pid), int(parent), int(count), way, end, int(status)) for pid, parent, count, way, end, status in rows]


def record(seed, depth, *options, name="t"):
    os.makedirs(name)
    result = run([VARVE, "record", "-o", os.path.abspath(name + ".varve"), *options, "--", TREE, str(seed), str(depth)],
                 name, timeout=200)
    same((result.stdout, result.stderr), (b"", b""))
    return Trace(name + ".varve", result.stderr), told(name)


def check(trace, rows):
    info = trace.info()
    same((info["losses"], info["damage"], info["untraced"], info["unstarted"], info["running_processes"]), ([], [], [], 0, 0))
    processes = {process["process"]: process for process in info["processes"]}
    writes = {}
    for call in trace.calls("--function", "pwrite"):
        writes[call["process"]] = writes.get(call["process"], 0) + 1
    same(sum(writes.values()), sum(row[2] for row in rows), "every write once")
    # Images of one pid, in the order of their numbers, are those that the program listed, in order.
    of_pid, told_of = {}, {}
    for number in sorted(writes):
        of_pid.setdefault(processes[number]["pid"], []).append(number)
    for row in rows:
        told_of.setdefault(row[0], []).append(row)
    same({pid: [writes[number] for number in numbers] for pid, numbers in of_pid.items()},
         {pid: [row[2] for row in same_pid] for pid, same_pid in told_of.items()})
    for pid, same_pid in told_of.items():
        for number, row in zip(of_pid[pid], same_pid):
            check_process(processes, processes[number], row)
    return info


def check_process(processes, process, row):
    _, parent, _, way, end, status = row
    if way in SHOWN:
        same(process["began"], SHOWN[way], (process, row))
    expected = {"exit": ("exited", status), "kill": ("killed", signal.SIGKILL), "abort": ("killed", signal.SIGABRT),
                "exec": ("replaced", None)}[end]
    same((process["ended"], process.get("status", process.get("signal"))), expected, (process, row))
    # Above it: images of the same process, a shell, a process in between; then its parent.
    above, seen = processes.get(process["parent"]), 0
    while above and above["pid"] != parent and seen < 4:
        above, seen = processes.get(above["parent"]), seen + 1
    same(above["pid"] if above else 0, parent, (process, row))
    assert process["arguments"][0] == TREE, process


def test_trees():
    """Some at random, the same in each run."""
    most = 0
    for seed in (1, 2, 3, 4):
        trace, rows = record(seed, 5, name=f"t{seed}")
        info = check(trace, rows)
        most = max(most, len(info["processes"]))
    assert most >= 200, most


def test_a_long_tree_is_cut():
    trace, rows = record(1, 5)
    count = len(trace.info()["processes"])
    listed = []
    for options in ((), ("--processes",)):
        lines = varve("info", *options, trace.path).stdout.decode().splitlines()
        start = next(number for number, line in enumerate(lines) if line.startswith("number "))
        listed.append(lines[start + 1:lines.index("", start)])
    same((len(listed[0]), listed[0][-1]), (51, f"  ... {count - 50} more; --processes shows all"))
    same((len(listed[1]), listed[1][:50]), (count, listed[0][:50]))
    first = listed[1][0].split()
    same((first[0], first[3:6]), ("1", ["start", "exit", str(rows[0][5])]))


def test_tree_with_small_lanes():
    trace, rows = record(5, 5, "--buffer", "64K")
    check(trace, rows)


def test_every_way_is_there():
    ways, ends = set(), set()
    for seed in range(1, 5):
        os.makedirs(f"p{seed}")
        run([TREE, str(seed), "5"], f"p{seed}")
        ways |= {row[3] for row in told(f"p{seed}")}
        ends |= {row[4] for row in told(f"p{seed}")}
    same(ways, set(SHOWN) | {"system", "popen"})
    same(ends, {"exit", "kill", "abort", "exec"})


run_tests(globals())
