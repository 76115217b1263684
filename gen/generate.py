"""The command of the generator: python3 gen/generate.py OUTDIR

Writes all generated files into OUTDIR (a folder of the build; nothing in it is committed) and deletes nothing. A file
with unchanged content is not written, so that a build does not start over. Options: --docs FILE writes the document
of all calls (with --reached FILE also the plain rows that tests reach); --lock adds the ids of new rows to ids.lock.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Dict, List, Optional

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import direct  # noqa: E402
import docs  # noqa: E402
import headers  # noqa: E402
import library  # noqa: E402
import real  # noqa: E402
import tables  # noqa: E402
import wrappers  # noqa: E402
from rows import Table, TableError, check_lock, read_tables  # noqa: E402


def outputs(table: Table) -> Dict[str, str]:
    made = {
        "call_ids.h": real.call_ids(table),
        "real.h": real.real_header(table),
        "real.c": real.real_source(table),
        "exports.map": real.exports(table, False),
        "exports_sync_library.map": real.exports(table, True),
        "direct.c": direct.direct_source(table),
        "rows_data.c": tables.rows_data(table),
        "header_check.c": headers.header_check(table),
        "calls.json": docs.calls_json(table),
    }
    made["library_rows.c"] = library.library_rows(table)
    made["library_stubs.S"] = library.library_stubs(table)
    for layer in table.layers:
        if layer.words:
            name = f"library_check_{layer.name}{'_mpi' if layer.pmpi else ''}.c"
            made[name] = library.library_check(table, layer)
        elif not layer.internal:
            made[f"wrappers_{layer.name}.c"] = wrappers.wrappers(table, layer)
    return made


def write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="generate.py", description="makes C, tables and documents from calls/")
    parser.add_argument("outdir", nargs="?", type=Path, help="folder for the generated files")
    parser.add_argument("--calls", type=Path, default=Path(__file__).resolve().parent.parent / "calls",
                        help="folder of the tables (default: the project's)")
    parser.add_argument("--docs", type=Path, metavar="FILE", help="write the document of all calls")
    parser.add_argument("--reached", type=Path, metavar="FILE", help="what tests/reach has measured, if it has (for --docs)")
    parser.add_argument("--lock", action="store_true", help="append new ids to ids.lock")
    given = parser.parse_args(arguments)
    if not (given.outdir or given.docs or given.lock):
        parser.error("nothing to do: name OUTDIR, --docs or --lock")
    try:
        table = read_tables(given.calls)
        made = outputs(table)
        check_lock(table, given.calls / "ids.lock", given.lock)
        tests = docs.Tests(docs.read_unreached(given.calls / "unreached.list", table), docs.read_reached(given.reached))
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    if given.outdir:
        given.outdir.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            write(given.outdir / name, text)
    if given.docs:
        given.docs.parent.mkdir(parents=True, exist_ok=True)
        write(given.docs, docs.calls_markdown(table, tests))
    return 0


if __name__ == "__main__":
    sys.exit(main())
