#!/usr/bin/env python3
# again: long
"""`varve control` and varve/control.h: pausing, resuming and flushing a run while it goes on, from outside and inside."""
import json
import os
import re
import signal
import subprocess
import time

from lib import VARVE, build_program, dump_json, holds, lots, program, remove_trace, run_tests, same, varve

PROGRAM = program("controlled")
SOURCE = os.environ.get("VARVE_SOURCE", ".")
LIBRARY = os.environ.get("VARVE_LIBRARY", "libvarve-record.so")


class Recorded:
    """A program that runs under `varve record` until the block ends."""

    def __init__(self, *words, options=()):
        options = options or ("--only", "pwrite")
        self.record = subprocess.Popen([VARVE, "record", "-o", "t.varve", *options, "--", PROGRAM, *words],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = int(self.record.stdout.readline())
        time.sleep(0.2)

    def __enter__(self):
        return self

    def end(self):
        self.record.stdin.close()
        status = self.record.wait(timeout=100)
        return status, self.record.stderr.read()

    def __exit__(self, *_):
        if self.record.poll() is None:
            self.record.stdin.close()
            self.record.wait(timeout=100)


def control(pid, command, *options, status=0):
    result = varve("control", *options, str(pid), command)
    same(result.returncode, status, result.stderr)
    return result


def calls_left_out(pid):
    text = control(pid, "status").stdout.decode()
    return int(re.search(r"(\d+) calls? in pauses", text)[1])


def info():
    result = varve("info", "-f", "json", "t.varve")
    same(result.returncode, 0, result.stderr)
    return json.loads(result.stdout)


def offsets(name="out.0"):
    return [call["args"]["offset"] for call in dump_json("t.varve", "--function", "pwrite")
            if name in json.dumps(call)]


def gaps(numbers):
    return [b - a for a, b in zip(numbers, numbers[1:]) if b - a != 1]


def test_one_process():
    with Recorded("1") as run:
        holds(control(run.pid, "status").stdout, b"process    1, recording")
        control(run.pid, "pause")
        before = calls_left_out(run.pid)
        while calls_left_out(run.pid) <= before:
            pass
        holds(control(run.pid, "status").stdout, b"process    1, paused")
        holds(control(run.pid, "pause", status=1).stderr, b"paused")
        control(run.pid, "resume")
        holds(control(run.pid, "resume", status=1).stderr, b"recording")
        time.sleep(0.2)
        same(run.end(), (0, b""))
    numbers = offsets()
    left = info()["left_out"]
    # One gap, as long as the counted calls; each offset is one call.
    same((len(gaps(numbers)), left["pauses"]), (1, 1))
    same(gaps(numbers)[0] - 1, left["calls_in_pauses"])
    pauses = [call for call in dump_json("t.varve") if call["function"] == "pause"]
    same([call["args"]["calls"] for call in pauses], [left["calls_in_pauses"]])
    same(info()["losses"], [])


def test_the_whole_run():
    with Recorded("3") as run:
        control(run.record.pid, "pause")
        first = calls_left_out(run.record.pid)
        while calls_left_out(run.record.pid) <= first:
            pass
        # Resuming one process does not end a pause of the run.
        control(run.pid, "resume", status=1)
        holds(control(run.record.pid, "status").stdout, b"paused")
        control(run.record.pid, "resume")
        time.sleep(0.1)
        same(run.end(), (0, b""))
    left = info()["left_out"]
    same((left["pauses"], left["paused_ns"] > 0), (1, True))
    missing = 0
    for thread in range(3):
        numbers = offsets(f"out.{thread}")
        same(len(gaps(numbers)), 1)
        missing += gaps(numbers)[0] - 1
    same(missing, left["calls_in_pauses"])
    holds(varve("info", "t.varve").stdout, b"paused ... 1 time")


def test_flush():
    with Recorded("2", options=("--skip", "fsync")) as run:
        for _ in range(5):
            time.sleep(0.05)
            control(run.pid, "flush")
            sizes = [os.stat(f"out.{i}").st_size for i in range(2)]
            control(run.pid, "flush")
            result = varve("dump", "--format", "json", "t.varve")
            calls = [json.loads(line) for line in result.stdout.decode().splitlines()]
            for thread in range(2):
                seen = [c for c in calls if c["function"] == "pwrite" and f"out.{thread}" in json.dumps(c)]
                assert len(seen) >= sizes[thread] > 0, (len(seen), sizes)
        same(run.end(), (0, b""))
    same(gaps(offsets()), [])


def test_info_of_a_run_that_goes_on():
    """The duration so far, and how the records in memory get into the trace."""
    with Recorded() as program:
        before = time.monotonic()
        time.sleep(0.3)
        shown = [varve("info", "t.varve").stdout.decode() for _ in range(2)]
        since = time.monotonic() - before
        seconds = [float(re.search(r"(?m)^duration +([\d.]+) s so far$", text)[1]) for text in shown]
        assert 0.3 <= seconds[0] < seconds[1] < since + 60, (seconds, since)
        assert info()["duration_ns"] > seconds[1] * 1e9
        pid = re.search(r"(?m)^RUNNING .*records in memory are not counted: `varve control (\d+) flush` writes them", shown[0])[1]
        same(int(pid), program.pid)
        holds(varve("dump", "t.varve").stderr, f"varve control {pid} flush")
        flushed = varve("control", "--wait", "10s", pid, "flush")
        assert flushed.returncode in (0, 1), flushed.stderr
        assert info()["records"] > 0
    assert b"so far" not in varve("info", "t.varve").stdout


def test_flush_beside_a_busy_thread():
    """A thread that has filled its stash again is not counted as one that made no call."""
    with Recorded("2", "busy", options=("--no-pack", "--skip", "fsync", "--buffer", "64K")) as run:
        for _ in range(lots(3, 8)):
            control(run.pid, "flush", "--wait", "700ms")
        same(run.end(), (0, b""))


def test_flush_says_who_made_no_call():
    with Recorded("1", "blocked", options=("--layer", "posix")) as run:
        result = control(run.pid, "flush", "--wait", "200ms", status=1)
        holds(result.stderr, b"no call")
        run.record.kill()
        os.kill(run.pid, signal.SIGKILL)


def test_killed_while_paused():
    with Recorded("2") as run:
        control(run.pid, "pause")
        time.sleep(0.1)
        os.kill(run.pid, signal.SIGKILL)
        same(run.end()[0], 137)
    same((info()["losses"], info()["damage"]), ([], []))
    for thread in range(2):
        numbers = offsets(f"out.{thread}")
        same((numbers[0], gaps(numbers)), (0, []))


def test_many_pauses_lose_nothing_else():
    with Recorded("4") as run:
        for i in range(20):
            control(run.pid if i % 2 else run.record.pid, "pause")
            time.sleep(0.01)
            control(run.pid if i % 2 else run.record.pid, "resume")
            time.sleep(0.01)
        same(run.end(), (0, b""))
    found = info()
    same((found["losses"], found["damage"], found["left_out"]["pauses"]), ([], [], 20))
    missing = 0
    for thread in range(4):
        numbers = offsets(f"out.{thread}")
        missing += sum(gap - 1 for gap in gaps(numbers))
        missing += os.stat(f"out.{thread}").st_size - 1 - numbers[-1]
    same(missing, found["left_out"]["calls_in_pauses"])


def test_start_and_stop():
    with Recorded("1", options=("--only", "pwrite", "--start-after", "1000s")) as run:
        holds(control(run.pid, "status").stdout, b"--start-after")
        same(run.end(), (0, b""))
    remove_trace("t.varve")
    with Recorded("1", options=("--only", "pwrite", "--start-after", "500ms", "--stop-after", "1s")) as run:
        while b"--stop-after" not in control(run.pid, "status").stdout:
            pass
        same(run.end(), (0, b""))
    times = [call["start"] for call in dump_json("t.varve", "--function", "pwrite")]
    assert times and min(times) >= 500000000 and max(times) < 1200000000, (min(times), max(times))
    same((info()["left_out"]["pauses"], offsets()[0] > 0), (2, True))


def test_from_inside():
    result = varve("record", "-o", "t.varve", "--", PROGRAM, "self")
    same((result.returncode, result.stdout, result.stderr), (0, b"1 1 1\n", b""))
    names = [json.dumps(c).count("within") > 0 for c in dump_json("t.varve", "--function", "pwrite")]
    same(names, [False] * 5 + [True] * 3)
    left = info()["left_out"]
    same((left["pauses"], left["calls_in_pauses"]), (1, 8))
    same([c["args"]["calls"] for c in dump_json("t.varve") if c["function"] == "pause"], [8])


def test_a_forked_child_inherits_the_pause_of_its_parent():
    same(varve("record", "-o", "t.varve", "--", program("paused_forks")).returncode, 0)
    same([call["process"] for call in dump_json("t.varve", "--function", "pwrite")], [3])


def test_a_child_forked_before_the_start_records_after_it():
    script = "(sleep 1; cat /dev/null) & wait"
    result = varve("record", "-o", "t.varve", "--start-after", "500ms", "--", "sh", "-c", script)
    same(result.returncode, 0)
    assert dump_json("t.varve", "--function", "execve")


def test_from_inside_without_varve():
    same(subprocess.run([PROGRAM, "self"], stdout=subprocess.PIPE).stdout, b"0 0 0\n")


def test_flush_from_inside():
    process = subprocess.Popen([VARVE, "record", "-o", "t.varve", "--", PROGRAM, "self"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env=dict(os.environ, WAIT_AFTERWARDS="1"))
    same(process.stdout.readline(), b"1 1 1\n")
    result = varve("dump", "--function", "pwrite", "t.varve")
    same(len(result.stdout.splitlines()), 8)
    process.stdin.close()
    same(process.wait(timeout=100), 0)


def test_library_alone_can_be_paused():
    environment = dict(os.environ, LD_PRELOAD=LIBRARY, VARVE_TRACE=os.path.abspath("t.varve"), VARVE_LANES=os.getcwd())
    process = subprocess.Popen([PROGRAM, "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    pid = int(process.stdout.readline())
    time.sleep(0.1)
    control(pid, "pause")
    time.sleep(0.1)
    control(pid, "resume")
    time.sleep(0.1)
    process.stdin.close()
    same(process.wait(timeout=100), 0)
    same(varve("pack", "--recover", "t.varve").returncode, 0)
    same((len(gaps(offsets())), info()["left_out"]["pauses"]), (1, 1))


def test_header_in_cpp():
    build_program("a", "-Wall", "-Wextra", "-Wold-style-cast", "-Werror", "-std=c++11", "-ldl", source="control.cc",
                  compiler=os.environ.get("CXX", "c++"))
    same(subprocess.run(["./a"]).returncode, 0)
    same(varve("record", "-o", "t.varve", "--", "./a").returncode, 3)


def test_wrong_targets():
    holds(varve("control", "x", "pause").stderr, b"'x'")
    result = varve("control", str(os.getpid()), "pause")
    same(result.returncode, 1)
    holds(result.stderr, b"`varve record`")
    holds(varve("control", "4194300", "status").stderr, b"4194300")
    result = varve("control", "1", "puse")
    same(result.returncode, 2)
    holds(result.stderr, b"pause")
    same(varve("control", "--wait", "x", "1", "flush").returncode, 2)


run_tests(globals())
