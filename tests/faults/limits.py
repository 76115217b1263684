#!/usr/bin/env python3
"""Limits of the process and of its files: the program reaches only its own, and losses are counted.
timeout: 300
"""
import resource

from lib import NO_LANE, compare, dropped, holds, no_core, program, run_tests, same, varve

LIMITS = program("limits")


def accounted(trace, made):
    """Every call is a record or a counted loss; the rest of the trace is complete."""
    counts = trace.counts()
    losses = trace.losses()
    lost = dropped(losses) + losses.get(NO_LANE, 0)
    recorded = sum(number for name, number in counts.items() if name != "encode")
    assert recorded + lost >= made and counts.get("pwrite", 0) <= made, (counts, losses)
    return counts.get("pwrite", 0), lost


def test_file_size_in_mid_run():
    """The lane becomes full several times after the limit is set: blocks cannot extend the data file."""
    trace = compare([LIMITS, "fsize", "4096", "60000"], ("--buffer", "128K"), status=4)
    recorded, lost = accounted(trace, 60001)
    same(b"varve: " in trace.told, lost > 0)


def test_file_size_and_new_threads():
    """A new thread needs a new lane file, larger than the limit."""
    trace = compare([LIMITS, "fsize", "4096", "1000", "8"], status=4)
    recorded, lost = accounted(trace, 9001)
    assert recorded >= 1001, recorded


def test_file_size_from_the_start():
    """A limit that exists before the program starts: neither a lane nor a block may cause a signal."""
    for size, made in (("8", 2000), ("8", 60000), ("1", 2000)):
        trace = compare(["sh", "-c", f"ulimit -f {size}; exec {LIMITS} none 0 {made}"],
                        ("--buffer", "128K"), trace=f"{size}-{made}", status=4)
        accounted(trace, made)
        holds(trace.no_lane(), "`ulimit -f`")
        holds(trace.told, b"varve: ... `ulimit -f`")


def test_file_size_of_everything():
    """A limit for `varve record` too, large enough for a lane and soon too small for the trace."""
    def limited():
        no_core()
        resource.setrlimit(resource.RLIMIT_FSIZE, (150000, 150000))

    trace = compare([LIMITS, "none", "0", "100000"], ("--buffer", "128K"), status=4, preexec_fn=limited)
    accounted(trace, 100000)


def test_descriptors_in_mid_run():
    trace = compare([LIMITS, "nofile", "3", "60000"], ("--buffer", "128K"), status=4)
    recorded, lost = accounted(trace, 60000)
    same(recorded + lost >= 60000, True)


def test_descriptors_and_new_threads():
    trace = compare([LIMITS, "nofile", "4", "1000", "8"], status=4)
    recorded, lost = accounted(trace, 9000)
    assert recorded >= 1000, recorded


def test_descriptors_from_the_start():
    trace = compare(["sh", "-c", f"ulimit -n 5; exec {LIMITS} none 0 60000"], ("--buffer", "128K"), status=4)
    same(trace.complete()["pwrite"], 60000)


def test_descriptors_of_everything():
    """Too few for `varve record`, too: lanes that it cannot list are not lost, and are read afterwards."""
    result = varve("record", "-o", "few.varve", "--", "sh", "-c", ":",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)))
    holds(result.stderr, b"lanes ... Too many open files")
    same(varve("pack", "few.varve").returncode, 0)
    assert varve("info", "few.varve").stdout.startswith(b"complete "), varve("info", "few.varve").stdout


def test_memory_in_mid_run():
    """Far below the mapped size: nothing more can be mapped."""
    trace = compare([LIMITS, "as", "4194304", "60000"], ("--buffer", "128K"), status=4)
    recorded, lost = accounted(trace, 60000)


def test_memory_from_the_start():
    for kilobytes in (7000, 8000, 12000, 20000):
        trace = compare(["sh", "-c", f"ulimit -v {kilobytes}; exec {LIMITS} none 0 20000"],
                        trace=f"as-{kilobytes}", status=4)
        accounted(trace, 20000)


run_tests(globals())
