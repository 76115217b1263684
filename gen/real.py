"""Makes real.h, real.c, call_ids.h and exports.map: the C library's own functions as the recorder calls them.

A member of `real` is never NULL: until its function is found it is an absent function that counts the call and
returns the row's error value. That of a library that may come later looks for it first, at each call: what was found may
have gone again.
"""

from __future__ import annotations

from typing import Callable, Dict, List

from emit import banner, declare, declare_pointer, quoted
from rows import Symbol, Table, TableError

ABSENT_RESULT = {
    "negative": "-1", "null": "NULL", "map_failed": "MAP_FAILED", "errno": "ENOSYS", "nonzero": "-1", "never": "0",
    "stream": "-1", "null_stream": "NULL", "short_read": "0", "short_write": "0", "null_errno": "NULL", "null_end_errno": "NULL", "errno_end": "ENOSYS",
    "returned": "-ENOSYS", "aio": "-1",
    "null_told": "NULL", "negative_errno": "-1", "minus_one": "-1", "zero": "0", "empty": "NULL",
}


def call_ids(table: Table) -> str:
    lines = [banner("The id of each call, as records hold it; WORDS_ is the number of argument words of the calls\n"
                    " * whose records are made by hand."),
             "#ifndef CALL_IDS_H\n#define CALL_IDS_H\n", "enum call_id {"]
    lines += [f"\t{f.enumerator} = 0x{f.id:04x}," for f in table.functions]
    lines += ["};", "", "enum call_words {"]
    for function in table.functions:
        if function.internal or not function.symbols or any(s.manual for s in function.symbols):
            lines.append(f"\t{function.enumerator.replace('CALL_', 'WORDS_', 1)} = {function.words},")
    lines += ["};", "", "#endif", ""]
    return "\n".join(lines)


def real_header(table: Table) -> str:
    lines = [banner("The real functions behind the wrappers; a member per symbol, never NULL."),
             "#ifndef REAL_H\n#define REAL_H\n", "#ifndef _GNU_SOURCE", "#define _GNU_SOURCE", "#endif", ""]
    lines += [f"#include {h}" for h in sorted({*table.headers(), "<stdarg.h>", "<stdbool.h>", "<stdint.h>"})]
    lines += ["", "struct real_functions {"]
    lines += [f"\t{declare_pointer(s)};" for s in table.wrapped()]
    lines += ["};", "", "extern struct real_functions real;", "",
              "/* Counts a call of a function that this C library does not have. */",
              "void recorder_missing(uint16_t id);", "",
              "/* Asks `find` for each symbol; one that it does not know (NULL) stays absent. A symbol that the C library keeps",
              " * for old programs only is found by its version. */",
              "void real_resolve(void *(*find)(const char *name, uint32_t hash, bool hidden));", "",
              "/* The member for the symbol whose name has this hash; NULL: there is none. No two names of symbols have one hash. */",
              "void *real_by_hash(uint32_t hash);", "", "#endif", ""]
    return "\n".join(lines)


def absent(symbol: Symbol, enumerator: str) -> List[str]:
    lines = [f"static {declare(symbol, 'absent_' + symbol.name)}", "{"]
    names = [a.name for a in symbol.arguments if not a.optional]
    lines += [f"\t(void){name};" for name in names]
    if symbol.early is not None:
        return lines + [f"\treturn {symbol.early};", "}", ""]
    if symbol.library:
        call = f"((__typeof__(real.{symbol.name}))found)({', '.join(names)})"
        lines += ["\tstatic struct late late;", f"\tvoid *found = late_find(&late, {quoted(symbol.name)});", "\tif (found)"]
        lines += [f"\t\treturn {call};"] if symbol.result_type != "void" else ["\t{", f"\t\t{call};", "\t\treturn;", "\t}"]
    lines += [f"\trecorder_missing({enumerator});"]
    if symbol.noreturn:
        lines += ["\tfor (;;)", "\t\tsyscall(SYS_exit_group, 127);"]
    else:
        if symbol.fail != "returned":
            lines += ["\terrno = ENOSYS;"]
        if symbol.result_type != "void":
            value = ABSENT_RESULT[symbol.fail]
            if value == "0" and symbol.result_type.endswith("*"):
                value = "NULL"
            if value == "-1" and symbol.result_type == "wint_t":
                value = "WEOF"
            lines += [f"\treturn {value};"]
    return lines + ["}", ""]


def gnu_hash(name: str) -> int:
    """As the hash tables of objects have it (DT_GNU_HASH)."""
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def real_source(table: Table) -> str:
    lines = [banner("Finds the real functions; holds what stands in for those that are not there."),
             '#include "real.h"', '#include "call_ids.h"', '#include "record/loader/lazy_symbols.h"', "", "#include <errno.h>",
             "#include <stddef.h>",
             "#include <string.h>", "#include <sys/syscall.h>", "#include <unistd.h>", ""]
    symbols = [(symbol, function.enumerator) for function in table.functions for symbol in function.symbols
               if not table.layer(symbol.layer).words]
    hashes: Dict[int, Symbol] = {}
    for symbol, _ in symbols:
        other = hashes.setdefault(gnu_hash(symbol.name), symbol)
        if other is not symbol:
            raise TableError(symbol.place, f"{symbol.name} has the hash of {other.name}: real_by_hash() could not tell them apart")
    usual = [pair for pair in symbols if not table.apart(pair[0])]
    apart = [pair for pair in symbols if table.apart(pair[0])]

    def parts(make: Callable[[Symbol, str], List[str]]) -> List[str]:
        """For the rows of layers that are apart only in the library that has their wrappers."""
        made = [line for pair in usual for line in make(*pair)]
        return made + ["#ifdef VARVE_APART", *(line for pair in apart for line in make(*pair)), "#endif"]

    lines += parts(absent)
    lines += ["", "struct real_functions real = {"]
    lines += parts(lambda symbol, _: [f"\t.{symbol.name} = absent_{symbol.name},"])
    # Names by their place in one text: pointers would have to be relocated in every program.
    lines += ["};", "", "static const char texts[] ="]
    lines += parts(lambda symbol, _: [f'\t"{symbol.name}\\0"'])
    lines += ["\t;", "", "static const struct {", "\tuint32_t hash;", "\tuint16_t offset;", "\tbool hidden;", "} names[] = {"]
    lines += parts(lambda symbol, _: [f"\t{{0x{gnu_hash(symbol.name):08x}, offsetof(struct real_functions, {symbol.name}), "
                                      f"{'true' if symbol.hidden else 'false'}}},"])
    lines += ["};", "", "void real_resolve(void *(*find)(const char *name, uint32_t hash, bool hidden))", "{",
              "\tconst char *name = texts;",
              "\tfor (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++, name += strlen(name) + 1) {",
              "\t\tvoid *found = find(name, names[i].hash, names[i].hidden);",
              "\t\tif (found)", "\t\t\tmemcpy((char *)&real + names[i].offset, &found, sizeof(found));",
              "\t}", "}", "", "void *real_by_hash(uint32_t hash)", "{", "\tvoid *function = NULL;",
              "\tfor (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)", "\t\tif (names[i].hash == hash)",
              "\t\t\tmemcpy(&function, (const char *)&real + names[i].offset, sizeof(function));", "\treturn function;", "}", ""]
    return "\n".join(lines)


# Names that are no calls: src/record/loader/sanitizer.c, functions.c, lookup.c; what programs may ask of the recorder,
# include/varve/control.h and region.h.
FURTHER_EXPORTS = ("__asan_default_options", "__cyg_profile_func_enter", "__cyg_profile_func_exit", "dlerror", "dlsym", "dlvsym",
                   "varve_flush", "varve_pause", "varve_region", "varve_resume")


def exports(table: Table, apart: bool) -> str:
    lines = ["# Generated by gen/ from calls/. Do not edit.",
             "# Anonymous on purpose: under a named version nothing versioned would be intercepted.",
             "{", "global:"]
    names = [s.name for s in table.symbols() if apart or not table.apart(s)]
    lines += [f"\t{name};" for name in sorted([*names, *FURTHER_EXPORTS])]
    lines += ["local:", "\t*;", "};", ""]
    return "\n".join(lines)
