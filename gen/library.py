"""Makes library_rows.c and library_stubs.S: the functions of libraries, whose arguments are machine words.

Such a function has no wrapper in C. Its stub jumps to one entry (src/record/library/library_entry.S) with the number of its symbol;
a list of steps defines how its arguments are recorded; src/record/library/library.c interprets it. So the preload library needs no
header of any library, works with every build of it, and stays small. This module owns how a row becomes steps, and in which
machine word an argument is passed.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Tuple

from emit import function_type, quoted
from rows import Argument, Field, Function, Layer, Symbol, Table, TableError
from template import fill, text_of

REGISTERS = 6  # integer words that are passed in registers; the others are on the stack

VECTORS = {"double", "float"}
WORDS = {"long", "unsigned long", "long long", "unsigned long long", "size_t", "ssize_t", "ptrdiff_t", "int64_t", "uint64_t", "off_t",
         "time_t", "MPI_Aint", "MPI_Offset", "MPI_Count", "hid_t", "hsize_t", "hssize_t", "haddr_t", "intptr_t", "uintptr_t"}
UNSIGNED_32 = {"unsigned", "unsigned int", "uint32_t"}
BYTES = {"hbool_t", "bool", "_Bool", "char", "unsigned char", "signed char", "uint8_t", "int8_t"}
SHORTS = {"short", "unsigned short", "int16_t", "uint16_t"}
# Ops inside which all calls are made by the library itself.
SETUP = {"mpi_init", "mpi_finalize", "mpi_abort"}
FLAT = ("flags", "hex", "octal")

ABSENT = {"code": "ABSENT_CODE", "negative": "ABSENT_MINUS_ONE", "null": "ABSENT_ZERO", "never": "ABSENT_ZERO"}
FAILS = {"never": "FAIL_NEVER", "code": "FAIL_CODE", "negative": "FAIL_NEGATIVE", "null": "FAIL_NULL"}


def bare(type_: str) -> str:
    return " ".join(w for w in type_.replace("*", " ").split() if w not in ("const", "enum"))


def width(type_: str, style: str) -> str:
    """How a value of this type is stored in its word."""
    name = bare(type_)
    if name in WORDS:
        return "WORD"
    if name in BYTES:
        return "BYTE"
    if name in SHORTS:
        return "SHORT"
    return "UINT" if name in UNSIGNED_32 or style in FLAT else "INT"


class Places:
    """Where each argument is passed: integer words in order, vectors separately."""

    def __init__(self, symbol: Symbol) -> None:
        self.at: Dict[str, int] = {}
        for argument in symbol.arguments:
            if argument.type not in VECTORS:
                self.at[argument.name] = len(self.at)
        self.stack = max(0, len(self.at) - REGISTERS)


def input_step(symbol: Symbol, argument: Argument) -> Tuple[str, str, str, str]:
    """Step, family, what, length."""
    kind = argument.kind
    family, what = f"FAMILY_{kind.family.upper()}", f"VARVE_HANDLE_{kind.what.upper()}"
    if kind.store in ("entity", "entity_at", "entity_gone"):
        return f"STEP_{kind.store.upper()}", family, what, "0"
    if kind.store in ("request", "request_at", "peer"):
        return f"STEP_{kind.store.upper()}", "0", "0", "0"
    if kind.store in ("path", "string", "pointer"):
        return f"STEP_{kind.store.upper()}", "0", "0", "0"
    if kind.store == "ints":
        length = argument.length
        step_length = f"LENGTH_FIXED | {length}" if length.isdigit() else str(Places(symbol).at[length])
        return ("STEP_WORDS" if width(argument.type, kind.style) == "WORD" else "STEP_INTS"), "0", "0", step_length
    if kind.store == "value" and not argument.type.endswith("*"):
        return f"STEP_{width(argument.type, kind.style)}", "0", "0", "0"
    raise TableError(symbol.place, f"{argument.name}: kind {kind.name} cannot be stored from a word of type '{argument.type}'")


def output_step(symbol: Symbol, argument: Argument) -> Tuple[str, str, str, str]:
    kind = argument.kind
    if kind.store in ("entity_new", "entity_output"):
        return f"STEP_{kind.store.upper()}", f"FAMILY_{kind.family.upper()}", f"VARVE_HANDLE_{kind.what.upper()}", "0"
    if kind.store == "request_new":
        return "STEP_REQUEST_NEW", "0", "0", "0"
    if kind.store == "deref" and argument.type.endswith("*"):
        return f"STEP_{width(argument.type, kind.style)}_OUT", "0", "0", "0"
    raise TableError(symbol.place, f"{argument.name}: kind {kind.name} is no output of a library's function")


def steps_of(symbol: Symbol, function: Function) -> Iterator[str]:
    """One step for each word except those that hooks add: the recorder relies on every word being set."""
    places = Places(symbol)
    unfilled = [f.name for f in function.fields if f.word >= 0 and f.argument is None and not is_added(f)]
    if unfilled:
        raise TableError(symbol.place, f"{symbol.name}: no argument fills {', '.join(unfilled)}")
    for output in (False, True):
        for field in function.fields:
            if field.word < 0 or field.argument is None or field.output != output:
                continue
            argument = next(a for a in symbol.arguments if a.name == field.argument)
            step, family, what, length = (output_step if output else input_step)(symbol, argument)
            yield f"{{{step}, {places.at[argument.name]}, {field.word}, {family}, {what}, {length}}}"


def result_of(symbol: Symbol) -> str:
    store, type_ = symbol.result.store, symbol.result_type
    if store == "entity_result":
        return "RESULT_ENTITY"
    if store in ("nothing", "unrecorded"):
        return "RESULT_NOTHING"
    if type_.endswith("*"):
        return "RESULT_TRUTH"
    return {"WORD": "RESULT_WORD", "INT": "RESULT_INT", "UINT": "RESULT_UINT", "BYTE": "RESULT_BYTE",
            "SHORT": "RESULT_SHORT"}[width(type_, symbol.result.style)]


def is_added(field: Field) -> bool:
    return field.output and field.argument is None and field.word >= 0


def row_lines(function: Function, symbol: Symbol, first: int, count: int, inputs: int, ops: List[str], layer: Layer) -> str:
    added = [f.word for f in function.fields if is_added(f)]
    if symbol.fail not in FAILS:
        raise TableError(symbol.place, f"rule of failure {symbol.fail} is not for libraries")
    path = next((n for n, a in enumerate(symbol.arguments) if a.kind.store == "path"), -1)
    flags = [name for name, on in (("ROW_PMPI", layer.pmpi), ("ROW_VARIADIC", symbol.variadic),
                                    ("ROW_GONE", any(a.kind.store == "entity_gone" for a in symbol.arguments)),
                                    ("ROW_SETUP", symbol.op.name in SETUP)) if on]
    absent = f"ABSENT_{symbol.absent.upper()}" if symbol.absent else ABSENT[symbol.fail]
    kind = symbol.result
    family = f"FAMILY_{kind.family.upper()}" if kind.family else "0"
    what = f"VARVE_HANDLE_{kind.what.upper()}" if kind.family else "0"
    return (f"{{{function.enumerator}, {first}, {count}, {inputs}, {function.words}, {len(Places(symbol).at)}, {Places(symbol).stack}, {result_of(symbol)}, "
            f"{FAILS[symbol.fail]}, {ops.index(symbol.op.name) if symbol.op.name in ops else 0}, {added[0] if added else 0}, {len(added)}, {absent}, "
            f"{' | '.join(flags) or 0}, {family}, {what}, {path}}}, /* {symbol.name} */")


def library_layers(table: Table) -> List[Layer]:
    return [layer for layer in table.layers if layer.words]


def library_symbols(table: Table) -> List[Tuple[Function, Symbol]]:
    return [(f, s) for f in table.functions if table.layer(f.layer).words for s in f.symbols]


def library_rows(table: Table) -> str:
    steps: List[str] = []
    rows: List[str] = []
    symbols: List[str] = []
    text: List[str] = []
    at = 0
    pairs = library_symbols(table)
    used = sorted({s.op.name for _, s in pairs if s.op.before or s.op.after or s.op.begun or s.op.returned})
    ops = ["", *used]
    place: Dict[Tuple[int, str], int] = {}
    for function, symbol in pairs:
        # Symbols of one prototype share their row.
        plain = symbol.name[1:] if table.layer(symbol.layer).pmpi and symbol.name.startswith("P") else symbol.name
        key = (function.id, plain)
        if key not in place:
            made = list(steps_of(symbol, function))
            place[key] = len(rows)
            inputs = sum(1 for f in function.fields if f.word >= 0 and f.argument and not f.output)
            rows.append(row_lines(function, symbol, len(steps), len(made), inputs, ops, table.layer(symbol.layer)))
            steps += made
        symbols.append(f"{{{place[key]}, {at}}},")
        text.append(f'"{symbol.name}\\0"')
        at += len(symbol.name) + 1
    hooked = []
    for name in used:
        op = table.ops[name]
        hooks = [f".{when} = {when}_{hook}" for when, hook in
                 (("before", op.before), ("begun", op.begun), ("returned", op.returned), ("after", op.after)) if hook]
        hooked.append(f"{{{', '.join(hooks)}}}, /* {name} */")
    return text_of(fill("library_rows.c", steps=[f"{step}," for step in steps], rows=rows, symbols=symbols, count=str(len(pairs)),
                        names=text, ops=hooked))


def entry_of(symbol: Symbol) -> str:
    vectors = symbol.variadic or symbol.result_type in VECTORS or any(a.type in VECTORS for a in symbol.arguments)
    return "library_entry_vectors" if vectors or by_value(symbol) else "library_entry"


def by_value(symbol: Symbol) -> bool:
    """Whether an argument may be a struct, which can be in any registers: an argument of a kind that is not recorded."""
    return any(not a.type.endswith("*") and a.kind.store in ("absent", "unrecorded") for a in symbol.arguments)


def library_stubs(table: Table) -> str:
    stubs: List[str] = []
    for number, (_, symbol) in enumerate(library_symbols(table)):
        stubs += fill("library_stub.S", symbol=symbol.name, number=str(number), entry=entry_of(symbol))
    return text_of(fill("library_stubs.S", stubs=stubs))


def library_check(table: Table, layer: Layer) -> str:
    """Assertions that a test compiles with the library's header: every row, and every named value without nohdr."""
    lines: List[str] = []
    for symbol in table.symbols(layer.name):
        if not symbol.in_headers or symbol.since:
            continue
        guard = {"mpich": "defined(MPICH_VERSION)", "openmpi": "defined(OPEN_MPI)", "": ""}[symbol.only]
        lines += [f"#if {guard}"] if guard else []
        lines += [f"_Static_assert(__builtin_types_compatible_p(__typeof__({symbol.name}), {function_type(symbol)}), "
                  f"{quoted(f'{symbol.place}: {symbol.name} is declared otherwise in the header')});"]
        lines += ["#endif"] if guard else []
    includes = [f"#include {h}" for h in ["<stdbool.h>", "<stddef.h>", "<stdint.h>", *layer.headers]]
    return text_of(fill("library_check.c", layer=layer.name, includes=includes, assertions=lines))
