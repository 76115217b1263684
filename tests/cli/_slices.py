"""Shared by the tests of `varve slice`: records programs, and compares a slice with `varve dump` of its source.

A slice is correct if each form of `dump` prints the same for it as for its source with the same options, line by line, and if
the second decoder, which is written from docs/format.md alone, reads the same from it.
"""
import json
import re
import subprocess

from lib import VARVE, modules_of, remove_trace, same, varve

modules_of("decoder")
from _compare import agree  # noqa: E402

FORMS = (("--format", "text"), ("--format", "json"), ("--format", "csv"), ("--format", "json", "--by-stream"))
# Selects by numbers: which calls are removed does not depend on what they do.
BY_NUMBER = [f"ordinal in {first}:4000000000:{step}" for first, step in ((0, 2), (1, 2), (0, 3), (2, 5))]
FILTERS = ["function in read,pread,write", "failed", "function in close,fstat,read", "size > 100", "layer == process",
           "layer != posix", "depth > 0", "not has path", 'absolute like "/etc/*"', "duration > 20us", "fd > 3", "thread > 1",
           "process == 2", "kind == pipe", "unfinished", "function != open"]


def record(command, *options, trace="t.varve"):
    remove_trace(trace)
    subprocess.run([VARVE, "record", "-o", trace, *options, "--", *command], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    return trace


def sliced(*words, status=0, to="s.varve"):
    """Makes a slice; returns its messages."""
    result = varve("slice", "--force", *words, "-o", to)
    same((result.returncode, result.stdout), (status, b""), (words, result.stderr))
    return result.stderr


def lines(trace, *options):
    """The record of an exec shows the new program if the trace has it; a slice may not have it."""
    text = re.sub(rb',"image":\d+', b"", varve("dump", *options, trace).stdout)
    text = re.sub(rb",([01]),\d+\r\n", rb",\1,\r\n", text)
    return re.sub(rb" = 0, now process \d+", b" = ? unfinished", text).splitlines()


def compare(trace, *options, dumped=None, status=0, twice=True):
    """Slices with these options, and compares the slice with its source; returns the number of records. `dumped`: the
    equivalent options for `dump`. `twice`: with the second decoder too."""
    sliced(*options, trace, status=status)
    dumped = options if dumped is None else dumped
    for form in FORMS if twice else FORMS[1:3]:
        order = [word for word in form if word != "--by-stream" or "--stream" not in dumped]
        expected, got = lines(trace, *order, *dumped), lines("s.varve", *form)
        if expected != got:
            at = next((i for i, (a, b) in enumerate(zip(expected, got)) if a != b), min(len(expected), len(got)))
            raise AssertionError(f"{options} {form}: {len(expected)} lines, {len(got)} of the slice; line {at + 1}: "
                                 f"{expected[at:at + 1]} is {got[at:at + 1]}")
    result = varve("dump", "--format", "csv", "s.varve")
    same((result.returncode, b"damaged" in result.stderr), (0, False), (options, result.stderr))
    if twice:
        agree("s.varve")
    return len(got)


def calls(trace, *options):
    return [json.loads(line) for line in lines(trace, "--format", "json", *options)]


def info(trace, *options):
    return json.loads(varve("info", "--format", "json", *options, trace).stdout)
