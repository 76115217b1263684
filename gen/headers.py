"""Makes header_check.c: the compiler holds every row and every named value against the system's headers.

Compiled, never linked. Needs _GNU_SOURCE and no _FORTIFY_SOURCE.
"""

from __future__ import annotations

from emit import banner, function_type, quoted
from rows import Table


def header_check(table: Table) -> str:
    lines = [banner("Fails to compile where a row or a named value is not what the system's headers say."),
             "#ifndef _GNU_SOURCE", "#define _GNU_SOURCE", "#endif", "#undef _FORTIFY_SOURCE", "",
             '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"', ""]
    lines += [f"#include {h}" for h in sorted({*table.headers(), "<stdarg.h>"})]
    lines += [""]
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
    return "\n".join(lines) + "\n"
