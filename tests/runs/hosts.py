#!/usr/bin/env python3
# timeout: 300
"""Ranks on two hosts, in one trace: a data file for each host, one run for readers."""
import os
import socket
import subprocess

from _runs import (LIBRARY, OTHER, RANKS, VARVE, commands_around, completed, holds_ranks, hosts_of, launch, need, need_hosts,
                   same, two_hosts)
from lib import holds, modules_of, run_tests, varve

modules_of("decoder")
from _compare import agree  # noqa: E402

need_hosts()
WRITES = 300
HERE = socket.gethostname()
EXPORT = ["-x", "LD_PRELOAD", "-x", "VARVE_RUN"]


def recorded(way, words, *options, launcher=None, **variables):
    launcher = launcher or two_hosts()
    if way == "around":
        launcher = [*launcher, *EXPORT]
    launch(commands_around(launcher, words, os.path.abspath("t.varve"), *options)[way], status=None, **variables)


def check(way, *options):
    recorded(way, [RANKS, str(WRITES)], *options)
    trace = completed("t.varve", folder="--no-pack" in options)
    info = holds_ranks(trace, 4, WRITES, nodes=2)
    if options:
        same(sorted(os.listdir("t.varve")), ["data.0", "data.1", "index", "index.1"])
    same(hosts_of(info), {0: HERE, 1: HERE, 2: OTHER, 3: OTHER})
    same(sorted(node["host"] for node in info["nodes"]), sorted([HERE, OTHER]))
    same([node["aligned"] for node in info["nodes"]], ["first", "boot"])
    # Both count from the same moment: events that one host waited for are earlier than its own.
    numbers = [process["process"] for process in info["processes"]]
    same(numbers, sorted(set(numbers)))
    agree("t.varve")
    return trace, info


def test_command_around_the_launcher():
    _, info = check("around")
    same((info["end"], info["status"]), ("exited", 0))


def test_command_inside_the_launcher():
    check("inside")


def test_a_data_file_for_each_host():
    check("inside", "--no-pack")


def test_no_command():
    check("preloaded")


def test_times_of_both_hosts_are_in_order():
    """A rank that waits for a file of another host sees it after that host has made it."""
    script = "if [ $PMIX_RANK = 0 ]; then while [ ! -e made ]; do :; done; cat made; else mkdir made.new; mv made.new made; fi"
    launch([*two_hosts(1), VARVE, "record", "-o", "t.varve", "--", "sh", "-c", script], status=None)
    calls = completed("t.varve").calls()
    made = [call for call in calls if call["function"].startswith("rename") and call["rank"] == 1]
    read = [call for call in calls if call["rank"] == 0 and call["function"].startswith("open") and
            call.get("path") == "made"]
    assert made and read and made[0]["start"] < read[-1]["start"] + read[-1]["duration"], (made, read)
    same(made[0]["host"] if "host" in made[0] else OTHER, OTHER)


def test_settings_are_those_of_the_first_host():
    launch([VARVE, "record", "-o", "t.varve", "--only", "pwrite", "--", *two_hosts(1), *EXPORT, RANKS, "50"])
    info = completed("t.varve").info()
    same({row["function"] for row in info["functions"] if row["layer"] == "posix"}, {"pwrite"})
    same(sum(row["calls"] for row in info["functions"] if row["function"] == "pwrite"), 100)


def test_a_rank_of_the_other_host_is_killed():
    for way in ("around", "inside", "preloaded"):
        recorded(way, [RANKS, str(WRITES), "kill", "3"])
        holds_ranks(completed("t.varve"), 4, WRITES, nodes=2)
        os.rename("t.varve", way + ".gone")
        for rank in range(4):
            os.unlink(f"done.{rank}")


def test_lanes_that_never_arrive_are_named():
    """The other host goes down before the records of a rank are written."""
    launcher = [*two_hosts(1), *EXPORT]
    launch([VARVE, "record", "-o", "t.varve", "--no-keeper", "--", *launcher, RANKS, str(WRITES), "kill", "1"], status=None,
           missing=1)
    same(os.path.exists("t.varve/lanes.1"), True)
    result = varve("info", "t.varve")
    same(result.returncode, 3)
    holds(result.stdout, b"lanes ... " + OTHER.encode())
    result = varve("pack", "--recover", "t.varve")
    assert result.returncode not in (0, 2), result
    holds(result.stderr, b"host")


def test_host_and_clock_are_shown():
    check("inside")
    shown = varve("info", "t.varve").stdout
    for part in ("ranks         4 of 4", f"[rank 2, {OTHER}]", "(same clock)", f"{HERE}: ", f"{OTHER}: "):
        holds(shown, part.encode())


def test_a_host_without_a_launcher():
    """Only VARVE_RUN passes the path of the trace to the other host."""
    two_hosts()
    record = subprocess.Popen([VARVE, "record", "-o", "t.varve", "--", RANKS, "10", "hold"], stdin=subprocess.DEVNULL)
    while not os.path.exists("done.0"):
        pass
    with open("t.varve/lanes") as file:
        lanes = file.read()
    launch(["./remote", OTHER, f"LD_PRELOAD={LIBRARY} VARVE_RUN={lanes}:{os.path.abspath('t.varve')} ls /"])
    with open("go", "w"):
        same(record.wait(), 0)
    info = completed("t.varve").info()
    same([(node["host"], node["complete"]) for node in info["nodes"]], [(HERE, True), (OTHER, True)])
    same([process["arguments"] for process in info["processes"]][1], ["ls", "/"])
    agree("t.varve")


def test_the_other_host_ends_last():
    """It completes its part, and the first host, which has ended, packs the trace."""
    two_hosts()
    for way in ("command", "preloaded"):
        here = {"command": [VARVE, "record", "-o", "t.varve", "--"],
                "preloaded": ["env", f"LD_PRELOAD={LIBRARY}", f"VARVE_TRACE={os.path.abspath('t.varve')}"]}[way]
        record = subprocess.Popen([*here, RANKS, "10", "hold"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not os.path.exists("done.0"):
            pass
        with open("t.varve/lanes") as file:
            lanes = file.read()
        script = "ls / > there; while [ ! -e later ]; do sleep 0.01; done"
        other = subprocess.Popen(["./remote", OTHER, f"LD_PRELOAD={LIBRARY} VARVE_RUN={lanes}:{os.path.abspath('t.varve')} "
                                  f"sh -c '{script}'"])
        while not os.path.exists("there"):
            pass
        with open("go", "w"):
            said = record.communicate()[1]
        same(record.returncode, 0)
        while os.path.exists("t.varve/lanes"):
            pass
        if way == "command":
            holds(said, b"other hosts")
        same(os.path.isdir("t.varve"), True)
        with open("later", "w"):
            same(other.wait(), 0)
        info = completed("t.varve").info()
        same([(node["host"], node["complete"]) for node in info["nodes"]], [(HERE, True), (OTHER, True)])
        agree("t.varve")
        os.rename("t.varve", way + ".gone")
        for name in ("done.0", "there", "go", "later"):
            os.unlink(name)


OVER_TCP = ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"]


def begin():
    need("mpicc.openmpi")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "collectives.c")
    subprocess.run(["mpicc.openmpi", "-o", "begin", source], check=True)
    return os.path.abspath("begin")


def test_a_rank_that_is_not_recorded():
    """Nothing is measured then, and no rank waits for it."""
    program = begin()
    script = f"if [ $PMIX_RANK = 1 ]; then exec {program}; else exec {VARVE} record -o t.varve -- {program}; fi"
    launch([*two_hosts(1), *OVER_TCP, "sh", "-c", script])
    info = completed("t.varve").info()
    same(([process.get("rank") for process in info["processes"]], len(info["nodes"])), ([0], 1))


def test_clocks_of_hosts_are_measured():
    """The other host's clock is 1000 s ahead: in a time namespace of its own, like another machine."""
    program = begin()
    launcher = [*two_hosts(1, ("--fork", "--time", "--monotonic", "1000")), *OVER_TCP]
    launch([*launcher, VARVE, "record", "-o", "t.varve", "--", program])
    trace = completed("t.varve")
    ahead = trace.info()["nodes"][1]
    same(ahead["aligned"], "measured")
    agree("t.varve")
    barriers = [call for call in trace.calls("--function", "MPI_Barrier")]
    same(sorted(call["rank"] for call in barriers), [0, 1])
    starts = [call["start"] for call in barriers]
    assert abs(starts[0] - starts[1]) < 5e9, starts
    # Not measured on request: then a thousand seconds lie between them.
    launch([*launcher, VARVE, "record", "--no-clocks", "-o", "u.varve", "--", program])
    same(completed("u.varve").info()["nodes"][1]["aligned"], "boot")


run_tests(globals())
