#!/usr/bin/env python3
"""Thousands of calls that are open from the first block of a stream to the last: following each of them would need the square
of the number of blocks. The reader ends, reports this, and shows each call once."""
import os
import random
import subprocess
import sys
import tempfile

import _writer as writer
from _assemble import tables_of
from _compare import VARVE
from _many import real_tables
from _records import CONTINUED, UNFINISHED, Record

OPEN_MOST = 4096
RUN = bytes(range(1, 17))
STREAM = (1, 1, 100, 100, -1, 100)


def open_calls(function, count, known):
    """That many calls; the first `known` of them began in earlier blocks."""
    records = []
    for ordinal in range(count):
        record = Record(function, 0, UNFINISHED | CONTINUED * (ordinal < known))
        record.ordinal, record.entry, record.exit = ordinal, 1000, 1000
        records.append(record)
    return records


def blocks(payload, opened):
    """Block n begins opened[n] calls; none of them ends."""
    tables, chance, known = tables_of(payload), random.Random(1), 0
    function = next(row.number for row in tables.functions.values() if not row.words)
    yield writer.run_block(RUN, [("host", b"front")])
    yield writer.tables_block(RUN, payload)
    for number, more in enumerate(opened):
        yield writer.records_block(RUN, STREAM, number + 1, open_calls(function, known + more, known), [], tables, chance,
                                   first_ordinal=known)
        known += more


def complaints(opened):
    with tempfile.TemporaryDirectory() as trace:
        with open(os.path.join(trace, "data.0"), "wb") as file:
            file.writelines(blocks(real_tables(), opened))
        result = subprocess.run([VARVE, "dump", trace], capture_output=True, timeout=300)
    if result.returncode != 3 or result.stderr.count(b"over too many blocks") != 1:
        yield f"status {result.returncode}: {result.stderr.decode()}"
    told = result.stdout.count(b"\n")
    if told != sum(opened):
        yield f"{told} calls, not {sum(opened)}"


def main():
    # All of them begin in the first block, or some in each.
    found = [*complaints([OPEN_MOST] + [0] * 59), *complaints([OPEN_MOST // 64] * 64)]
    print("\n".join(found) or "ok")
    sys.exit(1 if found else 0)


main()
