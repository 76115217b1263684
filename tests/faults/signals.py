#!/usr/bin/env python3
# again: long
"""Signals at a high rate, their dispositions, errno, and invalid addresses."""
import os
import signal
import subprocess
import time

from lib import VARVE, Trace, compare, lots, no_core, program, run_tests, same

SIGNALS = program("signals")


def test_handlers_at_a_high_rate():
    count = lots(5000, 15000)
    for buffer in ("128K", "1M"):
        handled = os.path.abspath("handled-" + buffer)
        trace = compare([SIGNALS, "rate", str(count), handled], ("--buffer", buffer), trace=buffer, status=0)
        counts = trace.complete()
        with open(handled) as file:
            made = int(file.read())
        assert made > count // 150, made
        same((counts["pwrite"], counts["fwrite"], counts["access"]), (count + made, count, made // 3))
        calls = trace.calls("--stream", "1.1")
        same([call["ordinal"] for call in calls], list(range(len(calls))))
        assert not any("unfinished" in call for call in calls)
        same({call["error"] for call in calls if call["function"] == "access"}, {"ENOENT"})
        starts = [call["start"] for call in calls]
        assert all(call["start"] + call.get("duration", 0) >= call["start"] for call in calls) and starts


def test_a_handler_at_every_instruction():
    """The smallest lane is cut every hundred calls or so: in handlers, too, with calls open under them. A call has many more
    instructions than the interval, and each begins elsewhere in it: after a hundred rounds nearly all instructions have been
    interrupted."""
    handled, rounds = os.path.abspath("handled"), lots(40, 100)
    trace = compare([program("signal_stepper"), str(rounds), "23", "3", handled], ("--buffer", "64K"), status=0)
    counts = trace.complete()
    with open(handled) as file:
        made = int(file.read())
    assert made > 50 * rounds, made
    same((counts["pwrite"], counts["fwrite"], counts["access"]), (rounds + made, rounds, rounds))
    assert counts["encode"] > rounds // 5, counts
    calls = trace.calls("--stream", "2.1")
    same([call["function"] for call in calls if "unfinished" in call], ["_exit"])
    same([call["ordinal"] for call in calls], list(range(len(calls))))
    offsets = [call["args"]["offset"] for call in calls if call["function"] == "pwrite"]
    same(sorted(offsets), [*range(rounds), *range(1 << 20, (1 << 20) + made)])


def test_file_size_signal_is_the_programs():
    trace = compare([SIGNALS, "size", "20000"], ("--buffer", "128K"), status=0)
    trace.counts()
    trace = compare([SIGNALS, "size", "100"], trace="u", status=0)
    same(trace.complete()["pwrite"], 202)


def test_errno_is_kept():
    trace = compare([SIGNALS, "errno", "1000"], ("--buffer", "128K"), status=0)
    counts = trace.complete()
    same((counts["write"], counts["rename"], counts["dup"]), (1001, 1000, 1000))


def test_addresses_that_are_none():
    trace = compare([SIGNALS, "faults"], status=0)
    trace.complete()
    errors = [call.get("error") for call in trace.calls("--function", "open,openat,chdir,unlink")]
    same(set(errors[1:]), {"EFAULT"})


def passes_on(number, program_text, status):
    """A signal to `varve record` reaches the program, and the program handles it."""
    os.mkdir("work")
    process = subprocess.Popen([VARVE, "record", "-o", os.path.abspath("t"), "--", "bash", "-c", program_text], cwd="work",
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=no_core)
    same(process.stdout.readline(), b"ready\n")
    time.sleep(0.1)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=100)
    same((process.returncode, stderr), (status, b""))
    trace = Trace("t")
    trace.complete()
    return stdout, trace.info()


def test_term_ends_the_program_and_completes_the_trace():
    stdout, info = passes_on(signal.SIGTERM, "echo ready; while :; do :; done", 128 + 15)
    same((info["end"], info["signal"]), ("killed", 15))


def test_int_is_the_programs_to_catch():
    stdout, info = passes_on(signal.SIGINT, "trap 'echo caught; exit 9' INT; echo ready; while :; do :; done", 9)
    same((stdout, info["end"], info["status"]), (b"caught\n", "exited", 9))


def test_signals_that_come_again_and_again():
    stdout, info = passes_on(signal.SIGTERM, "n=0; trap 'n=$((n+1))' TERM; echo ready; "
                             "while [ $n = 0 ]; do :; done; echo $n", 0)
    same(stdout, b"1\n")


run_tests(globals())
