#!/usr/bin/env python3
# timeout: 300
# again: long
"""Random traces, some of them damaged: `varve dump` prints the same for a slice as for the trace with the same filter, and the
second decoder reads the slice like `varve`, also when it is packed: gaps in ordinals, definitions after gaps.

`python3 tests/decoder/slices.py SEED` tests one trace.
"""
import os
import random
import shutil
import subprocess
import sys

from _assemble import write_trace
from _compare import VARVE, agree, same_packed
from _many import real_tables, scratch
from lib import lots

COUNT = lots(80, 250)


def run(*words):
    return subprocess.run([VARVE, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def options_of(chance, trace):
    """Filters of all kinds; their times are those of calls."""
    step = chance.randint(2, 4)
    starts = [line.split(b",")[0].decode(errors="replace") for line in run("dump", "--format", "csv", trace).stdout.splitlines()[1:]]
    starts = [int(start) for start in starts if start.lstrip("-").isdigit() and 0 <= int(start) < 1 << 62]
    yield ()
    yield "--where", f"ordinal in {chance.randrange(step)}:4000000000:{step}"
    yield "--where", chance.choice(("failed", "not failed", "unfinished", "depth > 0", "depth == 0", "has path", "not has path"))
    if starts:
        yield chance.choice(("--from", "--to")), f"{chance.choice(starts)}ns"
        yield "--to", f"{chance.choice(starts) + 1}ns"


def same_when_packed(source, calls, part):
    packed = part + ".packed"
    made = run("pack", "--quiet", "-o", packed, part)
    if made.returncode:
        raise AssertionError(f"pack: status {made.returncode}, {made.stderr}")
    try:
        same_packed(source, calls, *agree(packed))
    finally:
        os.unlink(packed)


def try_seed(folder, seed, real):
    """The number of slices with records."""
    trace, part = os.path.join(folder, "random.varve"), os.path.join(folder, "part.varve")
    write_trace(trace, seed, real)
    full = 0
    for options in options_of(random.Random(seed), trace):
        shutil.rmtree(part, ignore_errors=True)
        made = run("slice", "--quiet", *options, trace, "-o", part)
        if made.returncode not in (0, 3) or not os.path.isdir(part):
            raise AssertionError(f"{options}: status {made.returncode}, {made.stderr}")
        for form in (("--format", "json", "--by-stream"), ("--format", "text")):
            expected, got = run("dump", *form, *options, trace), run("dump", *form, part)
            if expected.stdout != got.stdout:
                lines = [one.stdout.splitlines() for one in (expected, got)]
                at = next((i for i, pair in enumerate(zip(*lines)) if pair[0] != pair[1]), min(map(len, lines)))
                raise AssertionError(f"{options} {form}: {len(lines[0])} and {len(lines[1])} lines, line {at + 1}:\n"
                                     f"{lines[0][at:at + 1]}\n{lines[1][at:at + 1]}")
            full += bool(got.stdout)
        source, calls = agree(part)
        if options[:1] == ("--where",):
            same_when_packed(source, calls, part)
    return full


def main():
    real, wrong, full = real_tables(), 0, 0
    seeds = list(map(int, sys.argv[1:])) or range(1, COUNT + 1)
    with scratch() as folder:
        for seed in seeds:
            try:
                full += try_seed(folder, seed, real)
            except Exception as problem:  # all seeds are tried
                wrong += 1
                print(f"seed {seed}: {problem}", flush=True)
    print(f"{len(seeds)} traces, {full} slices with records: {wrong} are wrong")
    sys.exit(1 if wrong or (len(seeds) == COUNT and full < COUNT) else 0)


main()
