#!/usr/bin/env python3
"""For every way in which a program ends, the trace has its calls, and its end is the same as without Varve."""
from lib import compare, program, run_tests, same

ENDS = program("ends")


def ended(way, status, last, count=2000, options=()):
    """A run with `count` writes; the last call is `last`, which never returned."""
    trace = compare([ENDS, way, str(count)], options, status=status)
    counts = trace.complete()
    same(counts["pwrite"], count)
    calls = trace.calls("--stream", "1.1")
    same([call["ordinal"] for call in calls], list(range(len(calls))))
    if last:
        same((calls[-1]["function"], calls[-1].get("unfinished", False)), (last, True))
    early = [call for call in calls[:-1] if "unfinished" in call and call["depth"] >= calls[-1]["depth"]]
    assert not early, "only the last call, and those that it stands in, may be unfinished"
    return trace


def test__exit():
    ended("_exit", 11, "_exit")


def test__exit_with_small_lanes():
    ended("_exit", 11, "_exit", 30000, ("--buffer", "128K"))


def test__Exit():
    ended("_Exit", 12, "_Exit")


def test_quick_exit():
    ended("quick_exit", 13, "quick_exit")


def test_exit_runs_handlers():
    trace = compare([ENDS, "exit", "2000"], status=14)
    same(trace.complete()["pwrite"], 2001)
    calls = trace.calls("--stream", "1.1")
    inside = [call for call in calls if call["depth"] == 1]
    same([call["function"] for call in inside][:1], ["pwrite"], "the handler's write stands inside exit")
    same([call for call in calls if call["function"] == "exit"][0]["unfinished"], True)


def test_exit_group_by_syscall():
    trace = ended("exit_group", 15, "_exit")
    same(trace.info()["status"], 15)
    same([(call["function"], call["depth"]) for call in trace.calls("--stream", "1.1")][-2:], [("syscall", 0), ("_exit", 1)])


def test_abort():
    same(ended("abort", 134, "abort").info()["signal"], 6)


def test_segmentation_fault():
    same(ended("segv", 139, None, 30000, ("--buffer", "128K")).info()["signal"], 11)


def test_kill_of_itself():
    ended("kill", 137, None)


def test_exec():
    trace = compare([ENDS, "exec", "2000"], status=11)
    same(trace.complete()["pwrite"], 2007)
    info = trace.info()
    same([process["origin"] for process in info["processes"]], ["image", "image"])
    same(len({process["pid"] for process in info["processes"]}), 1)
    same([process["parent"] for process in info["processes"]][0], 0)
    first = trace.calls("--stream", "1.1")
    same((first[-1]["function"], first[-1]["unfinished"]), ("execl", True))


def test_exec_that_fails():
    trace = compare([ENDS, "exec_fails", "10"], status=3)
    counts = trace.counts()
    same([counts.get(name) for name in ("execl", "execv", "execve", "execlp")], [1, 2, 3, 1])
    errors = [call.get("error") for call in trace.calls() if call["function"].startswith("exec")]
    same(errors, ["ENOENT", "EACCES", "EACCES", "ENOENT", "EFAULT", "EFAULT", "EFAULT"])
    same(counts["pwrite"], 10)


def test_exec_from_a_thread():
    trace = compare([ENDS, "exec_thread", "2000"], status=3)
    counts = trace.complete()
    same(counts["pwrite"], 2005)
    unfinished = {call["function"] for call in trace.calls("--process", "1") if "unfinished" in call}
    assert {"execl", "read"} <= unfinished <= {"execl", "read", "pause"}, unfinished


def test_exec_from_a_thread_after_main_left():
    same(compare([ENDS, "main_leaves", "2000"], status=3).complete()["pwrite"], 2005)


def test_threads_still_writing_at_exit():
    for way, status, threads in (("writer", 16, 2), ("writer_returns", 17, 1)):
        trace = compare([ENDS, way, "2000"], ("--buffer", "128K"), trace=way, status=status)
        counts = trace.complete()
        assert counts["pwrite"] > 3000, counts
        for thread in range(2, 2 + threads):
            calls = trace.calls("--stream", f"1.{thread}")
            same([call["ordinal"] for call in calls], list(range(len(calls))))
            unfinished = [call["ordinal"] for call in calls if "unfinished" in call]
            assert unfinished in ([], [len(calls) - 1]), unfinished


run_tests(globals())
