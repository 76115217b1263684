#!/usr/bin/env python3
"""calls/reached.list, which tests/reach writes and docs/calls.md is made from, fits the rows: it names only rows that exist, each
once and in order, and enough of them."""
import os
import sys
from pathlib import Path

from _sources import ROOT, Report

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "gen"))

from docs import read_reached  # noqa: E402
from rows import read_tables  # noqa: E402

LIST = "calls/reached.list"
LEAST = {"mpiio": 0.95}
OTHERS = 0.80


def check_names(report, rows):
    lines = [line for line in Path(ROOT, LIST).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    pairs = [tuple(line.split()) for line in lines]
    for pair in pairs:
        if pair not in rows:
            report.complain(LIST, "'%s' is no row of a library layer: run tests/reach" % " ".join(pair))
    if pairs != sorted(set(pairs)):
        report.complain(LIST, "is not sorted, or has a line twice: run tests/reach")


def check_shares(report, rows, reached):
    """Of the layers that the list knows; one that is new has not been looked at yet."""
    for layer in sorted({layer for layer, _ in reached}):
        full = [(of, name) for (of, name), function in rows.items() if of == layer and not function.plain]
        share = sum(1 for pair in full if pair in reached) / max(1, len(full))
        if share < LEAST.get(layer, OTHERS):
            report.complain(LIST, "tests reach %.1f %% of the full rows of layer %s, not %.0f %%"
                            % (100 * share, layer, 100 * LEAST.get(layer, OTHERS)))


report = Report()
table = read_tables(Path(ROOT, "calls"))
rows = {(f.layer, f.name): f for f in table.functions if table.layer(f.layer).words}
reached = read_reached(Path(ROOT, LIST))
if reached is None:
    report.complain(LIST, "is not there: run tests/reach")
else:
    report.checked += len(reached)
    check_names(report, rows)
    check_shares(report, rows, reached)
report.finish(least=500)
