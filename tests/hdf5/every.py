#!/usr/bin/env python3
"""Nearly every function that has a full row, good and failing calls: results, identifiers, the stack of errors, output and
files are the same as without Varve.
label: long
timeout: 300
"""
import os
import sys

from _hdf5 import build, run_tests, same, transparent

SOURCE = os.environ.get("VARVE_SOURCE", ".")


def full_rows():
    """Functions that HDF5 1.10 has and that are recorded by default."""
    sys.path.insert(0, os.path.join(SOURCE, "gen"))
    from pathlib import Path
    from rows import read_tables
    return {f.name for f in read_tables(Path(SOURCE, "calls")).functions
            if f.layer == "hdf5" and not f.off and not f.symbols[0].since}


def test_every():
    info, _ = transparent([build("every")], ["every-serial"], varying=rb"\.h5$|\.log$")
    seen = {row["function"] for row in info["functions"] if row["layer"] == "hdf5" and row["calls"]}
    rows = full_rows()
    assert len(seen & rows) >= 0.8 * len(rows), sorted(rows - seen)
    same(sorted(seen - rows), [])


run_tests(globals())
