"""Makes real.h, real.c, call_ids.h and exports.map: the real functions that the recorder calls.

A member of `real` is never NULL: until its function is found, it is an absent function that counts the call and
returns the row's error value. For a library that may be loaded later, the absent function searches for the real one first, at
each call, because a library that was found can be unloaded again.
"""

from __future__ import annotations

from typing import Callable, Dict, List

from emit import declare, declare_pointer, quoted
from rows import Symbol, Table, TableError
from template import fill, text_of

ABSENT_RESULT = {
    "negative": "-1", "null": "NULL", "map_failed": "MAP_FAILED", "errno": "ENOSYS", "nonzero": "-1", "never": "0",
    "stream": "-1", "null_stream": "NULL", "short_read": "0", "short_write": "0", "null_errno": "NULL", "null_end_errno": "NULL", "errno_end": "ENOSYS",
    "returned": "-ENOSYS", "aio": "-1",
    "null_errno_left": "NULL", "negative_errno": "-1", "minus_one": "-1", "zero": "0", "empty": "NULL",
}


def call_ids(table: Table) -> str:
    words = [f"{f.enumerator.replace('CALL_', 'WORDS_', 1)} = {f.words}," for f in table.functions
             if f.internal or not f.symbols or any(s.manual for s in f.symbols)]
    return text_of(fill("call_ids.h", ids=[f"{f.enumerator} = 0x{f.id:04x}," for f in table.functions], words=words))


def real_header(table: Table) -> str:
    includes = [f"#include {h}" for h in sorted({*table.headers(), "<stdarg.h>", "<stdbool.h>", "<stdint.h>"})]
    return text_of(fill("real.h", includes=includes, members=[f"{declare_pointer(s)};" for s in table.wrapped()]))


def absent_lazy_symbol(symbol: Symbol, names: List[str]) -> List[str]:
    if not symbol.library:
        return []
    call = f"((__typeof__(real.{symbol.name}))found)({', '.join(names)})"
    passed = ["if (found)", f"\treturn {call};"] if symbol.result_type != "void" else ["if (found) {", f"\t{call};", "\treturn;", "}"]
    return fill("absent_lazy_symbol.c", symbol=quoted(symbol.name), passed=passed)


def absent_outcome(symbol: Symbol) -> List[str]:
    if symbol.noreturn:
        return ["for (;;)", "\tsyscall(SYS_exit_group, 127);"]
    lines = ["errno = ENOSYS;"] if symbol.fail != "returned" else []
    if symbol.result_type == "void":
        return lines
    value = ABSENT_RESULT[symbol.fail]
    if value == "0" and symbol.result_type.endswith("*"):
        value = "NULL"
    if value == "-1" and symbol.result_type == "wint_t":
        value = "WEOF"
    return [*lines, f"return {value};"]


def absent(symbol: Symbol, enumerator: str) -> List[str]:
    declaration = declare(symbol, "absent_" + symbol.name)
    names = [a.name for a in symbol.arguments if not a.optional]
    unused = [f"(void){name};" for name in names]
    if symbol.early is not None:
        return fill("absent_early.c", declaration=declaration, unused=unused, value=str(symbol.early))
    return fill("absent.c", declaration=declaration, unused=unused, late=absent_lazy_symbol(symbol, names), id=enumerator,
                outcome=absent_outcome(symbol))


def gnu_hash(name: str) -> int:
    """The hash of the symbol tables of objects (DT_GNU_HASH)."""
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def check_hashes(symbols: List[Symbol]) -> None:
    hashes: Dict[int, Symbol] = {}
    for symbol in symbols:
        other = hashes.setdefault(gnu_hash(symbol.name), symbol)
        if other is not symbol:
            raise TableError(symbol.place, f"{symbol.name} has the hash of {other.name}: real_by_hash() could not tell them apart")


def real_source(table: Table) -> str:
    symbols = [(symbol, function.enumerator) for function in table.functions for symbol in function.symbols
               if not table.layer(symbol.layer).words]
    check_hashes([symbol for symbol, _ in symbols])
    usual = [pair for pair in symbols if not table.in_sync_library(pair[0])]
    sync = [pair for pair in symbols if table.in_sync_library(pair[0])]

    def parts(make: Callable[[Symbol, str], List[str]]) -> List[str]:
        """Rows of layers marked in_sync_library go only into the library with their wrappers."""
        made = [line for pair in usual for line in make(*pair)]
        return made + ["#ifdef VARVE_SYNC_LIBRARY", *(line for pair in sync for line in make(*pair)), "#endif"]

    # Names are offsets in one text: pointers would have to be relocated in every program.
    return text_of(fill(
        "real.c", absent=parts(absent),
        members=parts(lambda symbol, _: [f".{symbol.name} = absent_{symbol.name},"]),
        texts=parts(lambda symbol, _: [f'"{symbol.name}\\0"']),
        names=parts(lambda symbol, _: [f"{{0x{gnu_hash(symbol.name):08x}, offsetof(struct real_functions, {symbol.name}), "
                                       f"{'true' if symbol.hidden else 'false'}}},"])))


# Names that are not in the tables: src/record/loader/sanitizer.c, functions.c, lookup.c; and functions for programs,
# include/varve/control.h and region.h.
FURTHER_EXPORTS = ("__asan_default_options", "__cyg_profile_func_enter", "__cyg_profile_func_exit", "dlerror", "dlsym", "dlvsym",
                   "varve_flush", "varve_pause", "varve_region", "varve_resume")


def exports(table: Table, sync: bool) -> str:
    names = [s.name for s in table.symbols() if sync or not table.in_sync_library(s)]
    return text_of(fill("exports.map", names=[f"{name};" for name in sorted([*names, *FURTHER_EXPORTS])]))
