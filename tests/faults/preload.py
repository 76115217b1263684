#!/usr/bin/env python3
"""The library alone, without `varve record` and without a keeper: a run of its own, read while it runs and afterwards,
completed by `pack --recover`. With a keeper: tests/runs/keeper.py."""
import json
import os
import shutil

from lib import LIBRARY, Trace, holds, program, run, run_tests, same, says, tree, varve

ENDS, FILTERS, PROCESSES, LIMITS = map(program, ("ends", "filters", "processes", "limits"))


def preloaded(words, trace="t.varve", status=0, **variables):
    """Runs it with LD_PRELOAD alone; the program behaves as without."""
    plain = run(words, "plain")
    environment = dict(os.environ, LD_PRELOAD=LIBRARY, VARVE_TRACE=os.path.abspath(trace), VARVE_NO_KEEPER="1",
                       TMPDIR=os.getcwd(), **variables)
    traced = run(words, "traced", env=environment)
    same((traced.returncode, traced.stdout, traced.stderr), (plain.returncode, plain.stdout, plain.stderr))
    same(traced.returncode, status)
    same(tree("traced"), tree("plain"))
    return Trace(os.path.abspath(trace))


def writes(trace, status=0):
    return len(trace.calls("--function", "pwrite", status=status))


def recovered(trace, made):
    """Readable before it is completed, with the same content and times at each reading and after it was made permanent."""
    same(writes(trace), made)
    before = trace.calls("--by-stream")
    assert trace.calls("--by-stream") == before, "another reading shows other calls or times"
    result = varve("pack", "--recover", trace.path)
    same(result.returncode, 0, result.stderr)
    assert trace.calls("--by-stream") == before, "pack --recover has changed calls or times"
    same(trace.complete()["pwrite"], made)
    assert not os.path.exists(os.path.join(trace.path, "lanes"))
    holds(varve("pack", "--recover", trace.path).stderr, b"nothing")


def test_return_from_main():
    recovered(preloaded([ENDS, "return", "2000"], status=3), 2000)


def test_what_ended_well_does_not_need_its_lanes():
    trace = preloaded([ENDS, "return", "2000"], status=3)
    with open(os.path.join(trace.path, "lanes")) as file:
        shutil.rmtree(file.read())
    same(writes(trace, status=3), 2000)


def test_many_blocks():
    recovered(preloaded([ENDS, "return", "30000"], status=3, VARVE_BUFFER="128K"), 30000)


def test__exit():
    recovered(preloaded([ENDS, "_exit", "2000"], status=11), 2000)


def test_filter():
    """Nothing can be written any more: the content of the lane stays in it."""
    trace = preloaded([FILTERS, "filter", "100"], status=6)
    same(len(trace.calls("--function", "write")), 201)


def test_abort():
    recovered(preloaded([ENDS, "abort", "2000"], status=-6), 2000)


def test_kill():
    recovered(preloaded([ENDS, "kill", "30000"], status=-9, VARVE_BUFFER="128K"), 30000)


def test_exec():
    recovered(preloaded([ENDS, "exec", "2000"], status=11), 2007)


def test_forks():
    recovered(preloaded([PROCESSES, "fork", "1000"], status=8), 8001)


def test_vforks():
    recovered(preloaded([PROCESSES, "vfork"], status=8), 13)


def test_spawns():
    recovered(preloaded([PROCESSES, "spawn"], status=8), 19)


def test_system():
    recovered(preloaded([PROCESSES, "system"], status=8), 13)


def test_disabled():
    for value in ("1", "yes"):
        preloaded([ENDS, "return", "2000"], status=3, VARVE_DISABLE=value)
        assert not os.path.exists("t.varve")
    preloaded([PROCESSES, "fork", "100"], status=8, VARVE_DISABLE="1")
    same(sorted(os.listdir(".")), ["plain", "traced"])


def test_disabled_is_off_when_zero():
    recovered(preloaded([ENDS, "return", "20"], status=3, VARVE_DISABLE="0"), 20)


def test_disabled_under_record():
    result = varve("record", "-o", "t.varve", "--", ENDS, "return", "20", env=dict(os.environ, VARVE_DISABLE="1"))
    same((result.returncode, result.stdout), (3, b"return after 20\n"))
    same(writes(Trace("t.varve")), 0)


def test_trace_that_cannot_be_made():
    """No place for a trace: the program runs untraced and nothing is printed; a line in a file reports it, and doctor reads
    this file."""
    names = ["/proc/no.varve", "/no/such/folder/t.varve"]
    for trace in names:
        preloaded([ENDS, "return", "200"], trace=trace, status=3)
    with open("t.varve", "w") as file:
        file.write("mine")
    preloaded([ENDS, "return", "200"], status=3)
    with open("t.varve") as file:
        same(file.read(), "mine")
    with open(f"varve-{os.geteuid()}.unrecorded") as file:
        lines = [line.split(" ", 1)[1] for line in file.read().splitlines()]
    wanted = [f"{ENDS} ... {name}" for name in (names[0], names[1], os.path.abspath("t.varve"))]
    same([len(lines), *(says(line, parts) for line, parts in zip(lines, wanted))], [3, True, True, True], lines)
    found = {row["check"]: row["what"] for row in json.loads(varve(
        "doctor", "--format", "json", env=dict(os.environ, TMPDIR=os.getcwd(), VARVE_TRACE=names[1])).stdout)["findings"]}
    holds(found["unrecorded"].encode(), b"3 lines")
    holds(found["trace-folder"], f"VARVE_TRACE ... {names[1]} ... /no/such/folder ... No such file or directory")
    # A file of another user is not changed.
    os.rename(f"varve-{os.geteuid()}.unrecorded", "other")
    os.symlink("other", f"varve-{os.geteuid()}.unrecorded")
    preloaded([ENDS, "return", "200"], trace=names[0], status=3)
    with open("other") as file:
        same(len(file.readlines()), 3)


def test_lanes_that_cannot_be_made():
    preloaded([ENDS, "return", "200"], status=3, VARVE_LANES="/no/such/folder")


def test_run_that_is_gone():
    """A program that inherits VARVE_RUN of a run with removed lanes."""
    preloaded([ENDS, "return", "200"], status=3, VARVE_RUN="/dev/shm/varve-0-gone")


def test_small_file_size_limit():
    preloaded(["sh", "-c", f"ulimit -f 1; exec {LIMITS} none 0 200"], status=4)


run_tests(globals())
