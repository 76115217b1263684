"""Makes header_check.c: the compiler compares every row and every named value with the system's headers.

Compiled, never linked. Needs _GNU_SOURCE and no _FORTIFY_SOURCE.
"""

from __future__ import annotations

from typing import List

from emit import function_type, quoted
from rows import Table
from template import fill, text_of


def header_check(table: Table) -> str:
    lines: List[str] = []
    for symbol in table.wrapped():
        if symbol.in_headers:
            lines += [f"_Static_assert(__builtin_types_compatible_p(__typeof__({symbol.name}),",
                      f"\t\t\t\t\t    {function_type(symbol)}),",
                      f"\t       {quoted(f'{symbol.place}: {symbol.name} is declared otherwise in the headers')});"]
    for kind in table.kinds:
        for value in kind.values:
            if value.in_headers:
                lines += [f"_Static_assert((unsigned long)({value.name}) == {value.value:#x}ul,",
                          f"\t       {quoted(f'{value.place}: {value.name} has another value in the headers')});"]
    includes = [f"#include {h}" for h in sorted({*table.headers(), "<stdarg.h>"})]
    return text_of(fill("header_check.c", includes=includes, assertions=lines))
