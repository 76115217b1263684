#!/usr/bin/env python3
"""Thousands of calls that are open from the first block of a stream to the last: following each of them would take the square
of the blocks. It ends, says so, and tells of each call once."""
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

BLOCKS, OPEN = 60, 4096
RUN = bytes(range(1, 17))
STREAM = (1, 1, 100, 100, -1, 100)


def open_calls(function, continued):
    records = []
    for ordinal in range(OPEN):
        record = Record(function, 0, UNFINISHED | CONTINUED * continued)
        record.ordinal, record.entry, record.exit = ordinal, 1000, 1000
        records.append(record)
    return records


def blocks(payload):
    tables, chance = tables_of(payload), random.Random(1)
    function = next(row.number for row in tables.functions.values() if not row.words)
    yield writer.run_block(RUN, [("host", b"front")])
    yield writer.tables_block(RUN, payload)
    for number in range(BLOCKS):
        yield writer.records_block(RUN, STREAM, number + 1, open_calls(function, number > 0), [], tables, chance,
                                   first_ordinal=OPEN if number else 0)


def main():
    with tempfile.TemporaryDirectory() as trace:
        with open(os.path.join(trace, "data.0"), "wb") as file:
            file.writelines(blocks(real_tables()))
        result = subprocess.run([VARVE, "dump", trace], capture_output=True, timeout=300)
    complaints = []
    if result.returncode != 3 or result.stderr.count(b"go on over more blocks than can be followed") != 1:
        complaints.append(f"status {result.returncode}: {result.stderr.decode()}")
    told = result.stdout.count(b"\n")
    if told != OPEN:
        complaints.append(f"{told} calls, not {OPEN}")
    print("\n".join(complaints) or "ok")
    sys.exit(1 if complaints else 0)


main()
