#!/usr/bin/env python3
"""The tests of MPI, HDF5, NetCDF and PnetCDF reach every full row except those in calls/unreached.list, and none of these. The
list is short: for each library most rows are tested.
label: long
timeout: 3600
"""
import os
import subprocess
import sys
from pathlib import Path

from _sources import ROOT, Report

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "gen"))

from docs import read_unreached  # noqa: E402
from rows import read_tables  # noqa: E402

LIST = "calls/unreached.list"
LEAST = {"mpiio": 0.95}
OTHERS = 0.80
SKIPPED = 77


def check_shares(report):
    table = read_tables(Path(ROOT, "calls"))
    unreached = read_unreached(Path(ROOT, LIST), table)
    for layer in (layer.name for layer in table.layers if layer.words):
        full = [(layer, f.name) for f in table.functions if f.layer == layer and not f.plain]
        report.checked += len(full)
        share = sum(1 for row in full if row not in unreached) / max(1, len(full))
        if share < LEAST.get(layer, OTHERS):
            report.complain(LIST, "tests reach %.1f %% of the full rows of layer %s, not %.0f %%"
                            % (100 * share, layer, 100 * LEAST.get(layer, OTHERS)))


def check_rows(report):
    """Measures; scripts that could not run are skipped by name."""
    status = subprocess.run([os.path.join(ROOT, "tests", "reach"), "--check"], check=False).returncode
    if status not in (0, SKIPPED):
        report.complain(LIST, "is not what the tests reach")
    return status


report = Report()
check_shares(report)
if check_rows(report) == SKIPPED and not report.complaints:
    sys.exit(SKIPPED)
report.finish(least=500)
