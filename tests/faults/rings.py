#!/usr/bin/env python3
"""Requests of io_uring that a program makes by instructions of its own are not recorded: `varve info` first reports how many,
or that they cannot be counted. The program prints how many it made, and fio does in its report."""
import json
import os
import shutil
import subprocess

from lib import REQUESTS, Folder, Trace, run_tests, same, varve

PROGRAM = os.path.join(os.environ["VARVE_PROGRAMS"], "rings")


def recorded(words, *options, status=0):
    """The summary, and the number of recorded requests; None: this kind of io_uring is not available here."""
    result = varve("record", *options, "-o", "t.varve", "--", *words)
    if result.returncode == 77:
        return None
    same(result.returncode, status, result.stderr)
    trace = Trace("t.varve", result.stderr)
    info = trace.info()
    info["made"] = int(result.stdout) if words[0] == PROGRAM else 0
    info["lost"] = {row["reason"]: row["count"] for row in info["losses"]}
    info["shown"], info["completed"] = (sum(row["calls"] for row in info["functions"] if row["function"] == name)
                                        for name in ("ring_request", "ring_event"))
    first = varve("info", "t.varve").stdout.decode().splitlines()[0]
    lost = "of io_uring"
    assert first.startswith("LOST") and lost in first if info["lost"] else first.startswith("complete"), first
    return info


def each(ways, check, *options, status=0):
    for way in ways:
        with Folder():
            info = recorded([PROGRAM, way], *options, status=status)
            if info is None:
                print("# not here:", way)
                continue
            try:
                check(info)
            except AssertionError as error:
                raise AssertionError(f"{way}: {error}") from error


def test_counted():
    def check(info):
        same((info["lost"], info["shown"]), ({REQUESTS: info["made"]}, 0))
    each(["close", "unmap", "range", "return", "_exit", "quick", "exec", "spawn", "own-mapping", "no-array", "no-mmap", "poll",
          "copy", "fork-idle", "fork-asks"], check)


def test_counted_with_what_is_recorded():
    def check(info):
        same(list(info["lost"]), [REQUESTS])
        same(info["lost"][REQUESTS] + info["shown"], info["made"])
        assert 1 <= info["shown"] <= 4, info["shown"]
    each(["mixed"], check)


def test_not_counted():
    """Closed without a recorded call, the kernel could not be asked, or the process was killed: the ring counts as one."""
    def check(info):
        same((info["lost"], info["shown"]), ({REQUESTS: 1}, 0))
    each(["own-close", "filter"], check)
    each(["killed"], check, status=128 + 9)


def test_not_counted_without_its_memory():
    """The program ends as without Varve, and no request of liburing counts as missed."""
    def check(info):
        same((info["lost"], info["shown"]), ({REQUESTS: 1}, info["made"]))
    each(["library-gone"], check)


def test_not_counted_after_a_failed_exec():
    def check(info):
        same((info["lost"], info["shown"]), ({REQUESTS: info["made"] + 1}, 0))
    each(["exec-fails"], check, status=128 + 9)


def test_nothing_missed():
    def check(info):
        same((info["lost"], info["shown"]), ({}, info["made"]))
    each(["shown", "unused", "library-exit", "library-return", "library-waits", "library-poll", "library-unsubmitted",
          "library-registers", "library-copies", "library-moves", "library-filter"], check)


def test_nothing_missed_in_several_processes():
    def check(info):
        same((info["lost"], info["shown"]), ({}, info["made"]))
    each(["library-fork-idle", "library-fork-asks", "library-fork-last"], check)


def test_each_request_and_completion_is_recorded_once():
    def check(info):
        same((info["lost"], info["shown"], info["completed"]), ({}, info["made"], info["made"]))
    each(["library-fork-next", "library-fork-closes", "library-vfork", "library-again"], check)


def test_left_out():
    """Calls that are excluded on request are no loss."""
    def check(info):
        same((info["lost"], info["shown"]), ({}, 0))
    each(["library-exit"], check, "--skip", "io_uring_submit_and_wait")
    each(["shown"], check, "--skip", "io_uring_enter")


def test_fio():
    if not shutil.which("fio"):
        print("# no fio here")
        return
    for jobs in ("process", "thread"):
        with Folder():
            command = ["fio", "--name=x", "--ioengine=io_uring", "--rw=write", "--size=4m", "--bs=4k", "--iodepth=4",
                       "--filename=file", "--output-format=json", "--output=report", "--eta=never"]
            command += ["--thread=1"] if jobs == "thread" else []
            if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
                print("# no io_uring here")
                return
            info = recorded(command)
            with open("report", encoding="ascii") as file:
                report = json.load(file)["jobs"][0]["write"]["total_ios"]
            same((report, info["lost"]), (1024, {REQUESTS: 1024}), jobs)


run_tests(globals())
