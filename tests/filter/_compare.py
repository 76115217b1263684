"""Records a variety of calls, and compares the output of `dump --where` with the evaluation in _filter.py.

Every recording differs: if the two disagree, the trace and the filter are kept below the build folder. FOLDER names one; `varve
dump --where "$(cat FOLDER/filter)" FOLDER/t.varve` repeats it.
"""
import glob
import json
import os
import random
import shutil
import subprocess
import tempfile

import _filter
from _blocks import RECORDS, TABLES, scan
from _maker import Maker
from _records import CONTINUED, UNFINISHED, read_block
from _tables import read_tables
from lib import BUILD, VARVE, varve

SUMS = random.Random(7)
KEPT = os.path.join(BUILD, "random-filters")

# Each program has a rank of its own, except the first.
SCRIPT = """rank=0
for program in "$@"; do
    "$program" . </dev/null >/dev/null 2>&1
    rank=$((rank + 1))
    export OMPI_COMM_WORLD_RANK=$rank
done
"$WALKS" . 3000
for way in nest phases unbalanced "jump 3" walks "cut 1500"; do
    "$REGIONS" $way
done
touch "$(printf 'odd \\377 name.d.')"
cat "/nowhere/it's" odd*
:"""


def record():
    """The trace, its records as lines and as objects."""
    programs = sorted(glob.glob(os.path.join(os.environ["VARVE_PROGRAMS"], "call_*")))
    os.mkdir("work")
    for name in ("walks", "regions"):
        os.environ[name.upper()] = os.path.join(os.environ["VARVE_PROGRAMS"], name)
    subprocess.run([VARVE, "record", "--no-pack", "--buffer", "128K", "-o", "../t.varve", "--", "sh", "-c", SCRIPT, "sh", *programs],
                   cwd="work", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    trace = _filter.Trace("t.varve", json.loads(varve("info", "--format", "json", "t.varve").stdout))
    result = varve("dump", "--format", "json", "t.varve")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    trace.nest(records)
    return trace, lines, records


def last_halves():
    """The duration of each cut call by the block of its last half. The clock of this block may give another entry time than the
    block in which the call began: headers have no other times."""
    with open("t.varve/data.0", "rb") as file:
        blocks, *_ = scan(file.read())
    tables = read_tables(next(block.payload() for block in blocks if block.type == TABLES))
    return {(*block.stream(), half.ordinal): (half.exit - half.entry) * block.resolution
            for block in blocks if block.type == RECORDS for half in read_block(block, tables)[0]
            if half.marks & CONTINUED and not half.marks & UNFINISHED}


def keep(text):
    """Copies the trace and the filter to a folder that outlives the test; returns its path."""
    os.makedirs(KEPT, exist_ok=True)
    kept = tempfile.mkdtemp(dir=KEPT, prefix="")
    shutil.copytree("t.varve", os.path.join(kept, "t.varve"))
    with open(os.path.join(kept, "filter"), "wb") as file:
        file.write(text)
    print(f"# trace and filter are kept in {kept}", flush=True)


def check(trace, lines, records, halves, text):
    """Whether the command selects the same as the plain evaluation; the number of selected records."""
    tree = _filter.Parser(text).whole()
    wanted = [i for i, one in enumerate(records) if _filter.holds(trace, one, tree)]
    result = varve("dump", "--format", "json", "--where", text, "t.varve")
    if result.returncode or result.stdout != b"".join(lines[i] for i in wanted):
        got = set(result.stdout.splitlines(keepends=True))
        expected = {lines[i] for i in wanted}
        print(f"# filter: {os.fsdecode(text)!r}: status {result.returncode}, {result.stderr.decode(errors='replace').strip()}")
        print(f"# {len(wanted)} wanted; {len(got - expected)} too many, {len(expected - got)} missing")
        for sign, some in (("+", got - expected), ("-", expected - got)):
            for line in sorted(some)[:2]:
                print("#", sign, line.decode().strip())
        raise AssertionError(f"{os.fsdecode(text)!r} selects something else")
    if SUMS.random() < 0.25:
        check_sums([records[i] for i in wanted], halves, text)
    return len(wanted)


def check_sums(wanted, halves, text):
    """Whether `info --where`, which decodes as little as possible, counts what the plain evaluation selects."""
    expected, slack = {}, {}
    for one in wanted:
        whole = one.get("duration") or 0
        apart = halves.get((one["process"], one["thread"], one["ordinal"]), whole) - whole
        low, high = slack.get(one["function"], (0, 0))
        slack[one["function"]] = low + min(apart, 0), high + max(apart, 0)
        row = expected.setdefault(one["function"], [0] * 5)
        row[0] += 1
        row[1] += one.get("failed", False)
        row[2] += one.get("unfinished", False)
        row[3] += one.get("size", 0)
        row[4] += one.get("duration") or 0
    result = varve("info", "--quick", "--format", "json", "--where", text, "t.varve")
    assert result.returncode == 0, result.stderr
    info = json.loads(result.stdout)
    got = {row["function"]: [row["calls"], row["failures"], row["unfinished"] + row["did_not_return"], row["bytes"], row["ns"] or 0]
           for row in info["functions"]}
    for name, (low, high) in slack.items():
        if name in got and low <= got[name][4] - expected[name][4] <= high:
            expected[name][4] = got[name][4]
    if got != expected or info["records"] != len(wanted):
        wrong = {name: (got.get(name), expected.get(name)) for name in {*got, *expected}
                 if got.get(name) != expected.get(name)}
        raise AssertionError(f"info --where {os.fsdecode(text)!r} counts otherwise: {wrong}")


def compare(count, seed):
    trace, lines, records = record()
    halves = last_halves()
    maker = Maker(trace, records, random.Random(seed))
    some = 0
    for _ in range(count):
        text = maker.filter()
        try:
            selected = check(trace, lines, records, halves, text)
        except Exception:
            keep(text)
            raise
        some += 0 < selected < len(records)
    print(f"# {count} filters over {len(records)} records, {some} of them select a part")
    # Filters that select nothing or all prove little.
    assert some > count // 3, some
