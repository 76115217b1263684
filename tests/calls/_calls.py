"""Shared by the tests of calls: runs a program with and without Varve and compares.

A program (tests/programs/call_*.c, see call.h) prints the outcome of each call to its output, and writes to the file that
CALL_EXPECTATIONS names the line that `varve dump` must print for it. Two checks: the output is the same in both runs; the dump
has those lines, in order, thread by thread, and no others.
"""
import json
import os
import re
import shutil
import subprocess

from _words import worded
from lib import BUILD, PROGRAMS, VARVE, program, remove_trace, run_tests, says, varve  # noqa: F401

SMALL_BUFFER = "64K"
INPUT = b"first line\nsecond line\n12 34 word\n"


class Expectation:
    """One call that a program made."""

    def __init__(self, text):
        self.thread, self.symbol, self.line, facts = text.split("\t")
        self.line = re.sub(r"#\d+", "#", self.line)
        self.facts = json.loads(facts)


def programs():
    return sorted(name for name in os.listdir(PROGRAMS) if name.startswith("call_"))


def plain_line(line):
    """A line of the dump without times, ids and numbers of handles."""
    line = re.sub(r"^ *-?[\d.]+ +(\?|[\d.]+[a-z]+)  \d+/\d+  ", "", line)
    line = re.sub(r"( = 0, now) process \d+", r"\1", line)
    return re.sub(r"#\d+", "#", line)


def run(command, environment=None):
    """Runs it in a new folder `work` with the input file; returns output, errors and status."""
    shutil.rmtree("work", ignore_errors=True)
    os.mkdir("work")
    with open("input", "wb") as file:
        file.write(INPUT)
    with open("input", "rb") as given, open("output", "wb") as out, open("errors", "wb") as errors:
        status = subprocess.run(command, stdin=given, stdout=out, stderr=errors, cwd="work", timeout=100,
                                env=dict(os.environ, **(environment or {}))).returncode
    with open("output", "rb") as out, open("errors", "rb") as errors:
        return out.read(), errors.read(), status


def expectations(command, record=()):
    """Runs it for its expectations; returns these and the outcome."""
    path = os.path.abspath("expectations")
    if os.path.exists(path):
        os.unlink(path)
    outcome = run([*record, *command], {"CALL_EXPECTATIONS": path})
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return [Expectation(line) for line in file.read().split("\n") if line], outcome


def without(stderr, *parts):
    """The text without one line of Varve for each of the parts (see says()); these lines must be there."""
    lines = stderr.splitlines(keepends=True)
    for part in parts:
        found = [line for line in lines if line.startswith(b"varve: ") and says(line, part)]
        if len(found) != 1:
            raise AssertionError(f"{part!r} is said in {len(found)} lines of {stderr!r}")
        lines.remove(found[0])
    return b"".join(lines)


def dumped(*options, said=()):
    result = varve("dump", *options, "t.varve")
    if result.returncode or without(result.stderr, *said):
        raise AssertionError(f"varve dump: status {result.returncode}, {result.stderr!r}")
    return result.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]


def differences(expected, got):
    """Lines that differ, as text: the first few, with the symbol that was called."""
    said = []
    for at in range(max(len(expected), len(got))):
        wanted = worded(expected[at].line) if at < len(expected) else "nothing"
        there = got[at] if at < len(got) else "nothing"
        if wanted != there:
            symbol = expected[at].symbol if at < len(expected) else "?"
            said.append(f"call {at} ({symbol})\n   expected {wanted[:400]}\n   dumped   {there[:400]}")
            if len(expected) != len(got) or len(said) == 40:
                break
    return said


def missing_facts(expectation, record):
    return [f"{expectation.symbol}: {expectation.line[:300]}\n   expected {name}: {wanted!r}\n   dumped   {record.get(name)!r}"
            for name, wanted in expectation.facts.items() if record.get(name) != wanted]


def first_difference(before, after):
    """The first lines that differ, or their numbers."""
    if isinstance(before, int):
        return before, after
    lines = [text.split(b"\n") + [None] for text in (before, after)]
    return next(pair for pair in zip(*lines) if pair[0] != pair[1])


def check(name, *arguments, only_own=False, said=(), recorded=()):
    """Both checks of one program, in one block and in many: names and handles are defined in each block anew. `only_own`
    excludes threads without expectations (of programs that it started). `said`: parts of Varve's messages about losses, one for
    each line; `recorded`: parts of messages that only `varve record` prints."""
    command = [program(name), *arguments]
    plain = run(command, {"CALL_EXPECTATIONS": "/dev/null"})
    for options in ([], ["--buffer", SMALL_BUFFER]):
        complaints = compared(command, plain, options, only_own, said, recorded)
        if complaints:
            raise AssertionError(f"{len(complaints)} complaints, record {' '.join(options)}\n" + "\n".join(complaints))


def compared(command, plain, options, only_own, said, recorded):
    """Errors in one recorded run."""
    remove_trace("t.varve")
    expected, traced = expectations(command, [VARVE, "record", "-o", "../t.varve", *options, "--"])
    complaints = []
    traced = traced[0], without(traced[1], *said, *recorded), traced[2]
    for what, before, after in zip(("output", "errors", "status"), plain, traced):
        if before != after:
            complaints.append(f"{what} differs: without Varve {first_difference(before, after)[0]!r}, "
                              f"with it {first_difference(before, after)[1]!r}")
    lines = dumped("--by-stream", "--recorder", said=said)
    records = [json.loads(line) for line in dumped("--by-stream", "--format", "json", said=said)]
    if len(lines) != len(records):
        complaints.append(f"{len(lines)} lines of text, {len(records)} of JSON")
    threads = sorted({e.thread for e in expected} | (set() if only_own else {str(r["tid"]) for r in records}))
    for thread in threads:
        wanted = [e for e in expected if e.thread == thread]
        mine = [(line, record) for line, record in zip(lines, records)
                if str(record["tid"]) == thread and record["layer"] != "varve"]
        found = differences(wanted, [plain_line(line) for line, _ in mine])
        complaints += found
        if len(wanted) == len(mine):
            for expectation, (_, record) in zip(wanted, mine):
                complaints += missing_facts(expectation, record)
    if not expected:
        complaints.append("the program expects nothing")
    return complaints
