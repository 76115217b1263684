"""Shared by the probes: a program that prints its own state is run without Varve, under `varve record`, and with the library
preloaded alone. The lines are the same each time, except for a list of permitted differences."""
import difflib
import itertools
import os
import re
import shutil
import subprocess

from lib import LIBRARY, VARVE, program, remove_trace, run_tests, same, shell_status, told_apart, varve  # noqa: F401

PLAIN, RECORDED, PRELOADED = "plain", "recorded", "preloaded"

# All permitted differences: in which runs, the line without Varve, the line with it, and the reason.
PERMITTED = [
    ((RECORDED, PRELOADED), None, r"object libvarve-record\.so",
     "the library is loaded, and the loader lists what is loaded"),
    ((PRELOADED,), "auxiliary vector found", "auxiliary vector not found",
     "one variable is taken out of the environment, and half an entry of the vector behind it cannot be filled"),
]


looks = itertools.count(1000)


class Seen:
    """The output and the effects of one run of a probe."""

    def __init__(self, lines, status, stdout, stderr, files):
        self.lines = lines
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.files = files


def look(way, words, environment=None, prepare=None, options=(), **more):
    """Runs a probe in the folder `work`, another one with the same name each time, so that paths are equal."""
    shutil.rmtree("work", ignore_errors=True)
    os.mkdir("work")
    if prepare:
        prepare()
    path = os.path.abspath("said")
    if os.path.exists(path):
        os.unlink(path)
    variables = dict(os.environ if environment is None else environment)
    variables.update(PROBE_FILE=path, PROBE_GROUP=str(os.getpgrp()))
    # With the library alone a name of its own for each run: the keeper of the run before may still pack its trace.
    trace = os.path.abspath(f"{way}.{next(looks)}.varve" if way == PRELOADED else f"{way}.varve")
    remove_trace(trace)
    variables["VARVE_TRACE"] = trace  # the same in all runs
    command = list(words)
    if way == RECORDED:
        command = [VARVE, "record", *options, "--", *words]
    elif way == PRELOADED:
        before = variables.get("LD_PRELOAD")
        variables["LD_PRELOAD"] = LIBRARY + (":" + before if before else "")
    if way != PRELOADED:
        variables["VARVE_TRACE"] = trace if way == RECORDED else os.path.abspath("plain.varve")
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("timeout", 60)
    result = subprocess.run(command, cwd="work", env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    lines = []
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            # The path of the trace is the only difference between the runs.
            lines = [re.sub(r"VARVE_TRACE=.*", "VARVE_TRACE", line) for line in file.read().splitlines()]
    return Seen(lines, result.returncode, result.stdout, result.stderr, sorted(os.listdir("work")))


def permitted(line, way):
    """Whether a line of a difference (+ or -, its label, its text) is on the list."""
    text = line[1:].split(": ", 1)[-1]
    for ways, before, after, _ in PERMITTED:
        pattern = after if line[0] == "+" else before
        if way in ways and pattern and re.fullmatch(pattern, text):
            return True
    return False


def differences(plain, traced, way):
    """Lines that differ without permission."""
    made = difflib.unified_diff(plain.lines, traced.lines, "plain", "traced", n=0, lineterm="")
    changed = [line for line in made if line[0] in "+-" and line[:3] not in ("+++", "---")]
    return [line for line in changed if not permitted(line, way)]


def compare(words, ways=(RECORDED, PRELOADED), least=1, **more):
    """A probe in all ways; its output must be the same. Returns the output without Varve."""
    plain = look(PLAIN, words, **more)
    assert len(plain.lines) >= least, (len(plain.lines), plain.stderr, plain.status)
    for way in ways:
        seen = look(way, words, **more)
        found = differences(plain, seen, way)
        assert not found, f"{way}: {len(found)} lines differ: " + "\n".join(found[:40])
        status = shell_status(plain.status) if way == RECORDED else plain.status
        same((seen.status, seen.stdout, told_apart(seen.stderr)[0]), (status, plain.stdout, plain.stderr), way)
        same(seen.files, plain.files, way)
    return plain
