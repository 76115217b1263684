"""The table of calls as data: reads calls/*.calls, checks it, and returns typed rows.

First step of the generator: every other module works on the `Table` made here. It owns the syntax (see
docs/development/add-a-call.md), the rule that symbols with the same id make the same record, and the lock on ids.
It writes only new lines of ids.lock, and only on request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Dict, List, Optional, Tuple

# Numbers of enum kind_style in src/codec/host/tables.h; they are stored in traces.
STYLES = {
    "absent": 0, "signed": 1, "unsigned": 2, "hex": 3, "octal": 4, "flags": 5, "enum": 6, "fd": 7, "name": 8,
    "string": 9, "handle": 10, "bytes": 11, "offset": 12, "pointer": 13, "dirfd": 14, "nothing": 15, "time": 16,
}
STORES = {
    "value", "absent", "offset_given", "fd", "path", "string", "wide", "stream", "dir", "pointer", "iovec", "fcntl", "int32",
    "deref", "reaped", "waited", "object", "pipe", "truth", "handle", "nothing",
    "sockaddr", "option", "host", "message", "messages", "pair", "timespec", "timeval", "itimer", "events", "aiocb", "aiocb_read", "aiocb_write", "done_request", "request",
    "ring", "ring_number", "uint32", "ioctl", "paths", "walk", "fd_out", "path_out",
    "entity", "entity_at", "entity_new", "entity_output", "entity_gone", "entity_result", "request", "request_at", "request_new", "ints", "peer",
    "added", "unrecorded", "text", "text_line", "line", "gets_line",
}
# Ways to store an argument as several fields: name, kind, and whether the field is known only after the call.
PARTS = {
    "pipe": (("read_end", "fd", True), ("write_end", "fd", True)),
    "pair": (("first_end", "fd", True), ("second_end", "fd", True)),
    "message": (("size", "size", False), ("address", "sockaddr", False), ("passed", "count", False)),
    "text": (("length", "text_length", True),),
    "text_line": (("length", "text_length", True),),
    "line": (("length", "text_length", True),),
    "gets_line": (("length", "text_length", True),),
    **dict.fromkeys(("aiocb", "aiocb_read", "aiocb_write"), (("request", "request", False), ("fd", "fd", False),
                                                             ("offset", "offset", False), ("size", "size", False))),
    "done_request": (("request", "request", False), ("fd", "fd", False), ("direction", "direction", False)),
}
FAIL_RULES = {
    "negative", "null", "map_failed", "errno", "nonzero", "never", "stream", "null_stream", "short_read",
    "short_write", "null_errno", "returned", "aio", "null_errno_left", "negative_errno", "null_end_errno", "errno_end", "minus_one", "zero", "empty", "code",
}
BYTES_RULES = {"none": 0, "result": 1, "items": 2, "word": 3, "fixed": 4}
ATTRIBUTES = {"op", "lfs64", "nohdr", "va", "noreturn", "manual", "versions", "fail", "stream",
              "flags", "off", "early", "by_caller", "inner", "hidden", "nosymbol", "bytes"}
# Attributes of rows of library layers, besides op, nohdr, off, inner.
LIBRARY_ATTRIBUTES = {"adds", "since", "only", "variadic", "absent"}

ARGUMENT_WORDS_MOST = 20  # RECORD_ARGUMENTS_MOST of src/codec/lane.h
ID_LAST = 0xFEFF          # ids from DEFINE_FIRST on are definitions
SWITCHES = 0x2000         # from src/codec/control.h: ids of calls that programs make are smaller
LIBRARY_ARGUMENTS = 16    # from src/record/library/library.h


class TableError(Exception):
    """An error in a table, with its place."""

    def __init__(self, place: str, text: str) -> None:
        super().__init__(f"{place}: {text}")


@dataclass(frozen=True)
class Value:
    name: str
    value: int
    mask: int
    in_headers: bool
    place: str


@dataclass(frozen=True)
class Kind:
    name: str
    style: str
    store: str
    fail: str
    bytes: str
    output: bool
    handle: bool
    path: bool     # for a result: the path that it points to is a field too
    text: str
    place: str
    family: str = ""   # for an entity: the library of its handles
    what: str = ""     # for an entity: the kind of its handles
    values: List[Value] = field(default_factory=list)


@dataclass(frozen=True)
class Op:
    name: str
    before: str    # name of the hook, "" for none
    after: str
    around: str    # prefix of the two functions called directly before and after the real one
    begun: str = ""
    returned: str = ""


@dataclass(frozen=True)
class Argument:
    declaration: str             # C declarator as written, with the name
    type: str                    # the same without the name
    name: str
    kind: Kind
    condition: Tuple[str, ...]   # for an optional argument: the flags that require it; ("always",)
    op_field: str
    length: str = ""             # for an array: the argument with its length, or a number

    @property
    def optional(self) -> bool:
        return bool(self.condition)


@dataclass(frozen=True)
class Field:
    """A part of a record: an argument, or a value that the recorder adds."""

    name: str
    kind: Kind
    word: int                    # argument word, or -1
    output: bool
    argument: Optional[str]      # name of its argument


@dataclass(frozen=True)
class Symbol:
    """One exported name, which has one wrapper."""

    name: str
    id: int
    layer: str
    result_type: str
    result: Kind
    arguments: Tuple[Argument, ...]
    variadic: bool               # its arguments end in ... (and none is optional)
    op: Op
    fail: str
    in_headers: bool
    va: Optional[str]
    noreturn: bool
    manual: bool
    versions: Tuple[str, ...]
    stream: Optional[str]
    flags: Optional[str]         # the flags in struct op if no argument contains them
    early: Optional[str]         # the result while the real function was not found yet
    by_caller: bool              # its versions differ: the version that the caller was linked with is called
    library: bool                # of a library that may be loaded later, or never
    hidden: Optional[str]        # the only version, with which new programs cannot be linked
    place: str
    only: str = ""               # the only MPI library that has it
    since: str = ""              # the first version with it, newer than the header
    absent: str = ""             # its result if the library does not exist, unless the kind of the result defines it

    def named(self, kind_name: str) -> Optional[Argument]:
        return next((a for a in self.arguments if a.kind.name == kind_name), None)

    @property
    def optional(self) -> Tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.optional)

    @property
    def stream_expression(self) -> Optional[str]:
        argument = self.named("stream")
        return argument.name if argument else self.stream


@dataclass
class Function:
    """One id: the record that all symbols with this id make."""

    id: int
    name: str
    layer: str
    internal: bool
    result: Kind
    op: Op
    fields: List[Field]
    words: int
    bytes_rule: str
    bytes_word: int
    symbols: List[Symbol]
    place: str
    off: bool                    # recorded only on request
    plain: bool = False          # in the second tier: drafted from a header

    @property
    def enumerator(self) -> str:
        return f"CALL_{self.layer}_{self.name}" if self.internal else f"CALL_{self.name}"

    @property
    def pairs(self) -> int:
        return self.words_of("fd", "dirfd")

    @property
    def names(self) -> int:
        return self.words_of("name", "string")

    @property
    def hex(self) -> int:
        return self.words_of("pointer", "hex")

    def words_of(self, *styles: str) -> int:
        return sum(1 << f.word for f in self.fields if f.word >= 0 and f.kind.style in styles)


@dataclass(frozen=True)
class Direct:
    """A system call that is recorded as a call of a symbol if the program makes it with syscall()."""

    number: str                  # SYS_name
    symbol: Symbol
    function: Function
    order: Tuple[int, ...]       # for each argument of the symbol: its index among those of the system call


@dataclass
class Layer:
    name: str
    internal: bool
    library: bool                # of a library that may be loaded later, or never
    off: bool                    # all its rows are off
    in_sync_library: bool        # only libvarve-record-sync.so has its wrappers
    words: bool                  # its arguments are machine words: no header is needed (gen/library.py)
    pmpi: bool                   # each function has a second name with the prefix P
    headers: List[str]


@dataclass
class Table:
    kinds: List[Kind]
    ops: Dict[str, Op]
    layers: List[Layer]
    functions: List[Function]    # by id
    directs: List[Direct]
    excluded: List[Tuple[str, str]] = field(default_factory=list)  # symbols without a row, with a reason

    def symbols(self, layer: Optional[str] = None) -> List[Symbol]:
        return [s for f in self.functions for s in f.symbols if layer is None or s.layer == layer]

    def layer(self, name: str) -> Layer:
        return next(layer for layer in self.layers if layer.name == name)

    def wrapped(self) -> List[Symbol]:
        """Symbols whose wrappers are C functions with the prototype of the row."""
        return [s for s in self.symbols() if not self.layer(s.layer).words]

    def in_sync_library(self, symbol: Symbol) -> bool:
        return next(layer.in_sync_library for layer in self.layers if layer.name == symbol.layer)

    def headers(self) -> List[str]:
        return sorted({h for layer in self.layers if not layer.words for h in layer.headers})


def split_outside(text: str, separator: str) -> List[str]:
    """Splits at separators that are not inside parentheses."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [p.strip() for p in parts]


def closing(text: str, start: int) -> int:
    """Index of the parenthesis that closes the one at `start`, or -1."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return -1


class Reader:
    """Collects kinds, ops, layers and rows from the files, in order."""

    def __init__(self) -> None:
        self.kinds: Dict[str, Kind] = {}
        self.ops: Dict[str, Op] = {}
        self.layers: List[Layer] = []
        self.open_layer: Optional[Layer] = None
        self.functions: Dict[int, Function] = {}
        self.symbols: Dict[str, Symbol] = {}
        self.names: Dict[Tuple[str, str], str] = {}
        self.directs: Dict[str, Tuple[str, Tuple[int, ...], str]] = {}
        self.current: Optional[Function] = None
        self.open_kind: Optional[Kind] = None
        self.plain = False

    def read(self, path: Path, shown: str) -> None:
        self.current = None
        self.open_kind = None
        self.open_layer = None
        self.plain = False
        for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            line = re.sub(r"(^|\s)#.*", "", raw).rstrip()
            if line:
                self.line(line, f"{shown}:{number}")

    def line(self, line: str, place: str) -> None:
        if line[0].isspace():
            self.value(line.split(), place)
            return
        self.open_kind = None
        word = line.split()[0]
        if word == "kind":
            self.kind(line, place)
        elif word == "op":
            self.op(line.split()[1:], place)
        elif word == "layer":
            self.layer(line.split()[1:], place)
        elif word == "tier":
            if line.split()[1:] not in (["plain"], ["full"]):
                raise TableError(place, "expected: tier full, or tier plain")
            self.plain = line.split()[1] == "plain"
        elif word == "direct":
            self.direct(line.split()[1:], place)
        elif word == "=" or re.fullmatch(r"0x[0-9a-f]{4}", word):
            self.row(line, place)
        else:
            raise TableError(place, f"'{word}' starts no line: expected kind, op, layer, tier, direct, =, or an id like 0x0101")

    def kind(self, line: str, place: str) -> None:
        head, _, text = line.partition(" -- ")
        parts = head.split()[1:]
        if len(parts) < 2:
            raise TableError(place, "kind needs a name and a style")
        name, style = parts[0], parts[1]
        if style not in STYLES:
            raise TableError(place, f"no style '{style}'")
        if name in self.kinds:
            raise TableError(place, f"kind {name} is there already ({self.kinds[name].place})")
        given = dict(p.partition("=")[::2] for p in parts[2:])
        unknown = set(given) - {"store", "fail", "bytes", "output", "handle", "path", "family", "what"}
        if unknown:
            raise TableError(place, f"unknown in a kind: {', '.join(sorted(unknown))}")
        store = given.get("store", "absent" if style == "absent" else "value")
        fail = given.get("fail", "never")
        count = given.get("bytes", "none")
        if store not in STORES:
            raise TableError(place, f"no way to store '{store}'")
        if fail not in FAIL_RULES:
            raise TableError(place, f"no rule of failure '{fail}'")
        if count not in BYTES_RULES:
            raise TableError(place, f"no rule of bytes '{count}'")
        made = Kind(name, style, store, fail, count, "output" in given, "handle" in given, "path" in given,
                    text.strip(), place, given.get("family", ""), given.get("what", ""))
        self.kinds[name] = made
        self.open_kind = made

    def value(self, parts: List[str], place: str) -> None:
        kind = self.open_kind
        if kind is None or kind.style not in ("flags", "enum"):
            raise TableError(place, "an indented line is a value of a kind of style flags or enum")
        try:
            value = int(parts[1], 0)
            given = dict(p.partition("=")[::2] for p in parts[2:])
            mask = int(given.pop("mask"), 0) if "mask" in given else value
        except (IndexError, ValueError) as error:
            raise TableError(place, f"expected NAME NUMBER [mask=NUMBER] [nohdr] ({error})") from None
        nohdr = "nohdr" in given
        given.pop("nohdr", None)
        if given:
            raise TableError(place, f"unknown in a value: {', '.join(given)}")
        if kind.style == "flags" and (mask == 0 or value & ~mask):
            raise TableError(place, f"{parts[0]}: the mask does not cover the value")
        if not nohdr and any(v.name == parts[0] for v in kind.values):
            raise TableError(place, f"{parts[0]} is there twice")
        kind.values.append(Value(parts[0], value, mask, not nohdr, place))

    def op(self, parts: List[str], place: str) -> None:
        hooks = dict(part.partition(":")[::2] for part in parts[1:])
        times = ("before", "after", "around", "begun", "returned")
        if not parts or set(hooks) - set(times):
            raise TableError(place, "expected: op NAME and hooks, of " + ", ".join(f"{when}[:HOOK]" for when in times))
        if parts[0] in self.ops:
            raise TableError(place, f"op {parts[0]} is there already")
        self.ops[parts[0]] = Op(parts[0], *(hooks[when] or parts[0] if when in hooks else "" for when in times))

    def layer(self, parts: List[str], place: str) -> None:
        if not parts:
            raise TableError(place, "a layer needs a name")
        every = ("internal", "library", "off", "in_sync_library", "words", "pmpi")
        marks = set(parts[1:]) & set(every)
        headers = [p for p in parts[1:] if p not in marks]
        if any(not re.fullmatch(r"<[\w./]+>", h) for h in headers):
            raise TableError(place, "headers are written <name.h>")
        known = next((layer for layer in self.layers if layer.name == parts[0]), None)
        if known and marks:
            raise TableError(place, f"layer {parts[0]} is there already: only its first table says what it is")
        if {"internal", "off"} <= marks:
            raise TableError(place, "an internal layer is never off")
        if "in_sync_library" in marks and "off" not in marks:
            raise TableError(place, "a layer marked in_sync_library has to be off: its library is not preloaded unasked")
        if not known:
            known = Layer(parts[0], *(mark in marks for mark in every), [])
            self.layers.append(known)
        known.headers += headers
        self.open_layer = known

    def direct(self, parts: List[str], place: str) -> None:
        if not 2 <= len(parts) <= 3 or not re.fullmatch(r"SYS_\w+", parts[0]) or \
                not re.fullmatch(r"[0-5](,[0-5])*", parts[-1] if len(parts) == 3 else "0"):
            raise TableError(place, "expected: direct SYS_NAME SYMBOL [ORDER], ORDER like 0,1,3")
        if parts[0] in self.directs:
            raise TableError(place, f"{parts[0]} is there already ({self.directs[parts[0]][2]})")
        order = tuple(int(n) for n in parts[2].split(",")) if len(parts) == 3 else tuple(range(6))
        self.directs[parts[0]] = (parts[1], order, place)

    def resolved_directs(self) -> List[Direct]:
        made = []
        for number, (name, order, place) in self.directs.items():
            symbol = self.symbols.get(name)
            if symbol is None or symbol.manual or symbol.va:
                raise TableError(place, f"{name} is no symbol with a wrapper that is made from its row")
            if len(symbol.arguments) > 6:
                raise TableError(place, f"{name} has more arguments than a system call")
            made.append(Direct(number, symbol, self.functions[symbol.id], order))
        return made

    def find_kind(self, name: str, place: str) -> Kind:
        if name not in self.kinds:
            raise TableError(place, f"no kind '{name}' in kinds.calls")
        return self.kinds[name]

    def argument(self, text: str, place: str) -> Argument:
        declaration, colon, rest = text.rpartition(":")
        match = re.fullmatch(r"(\w+)(?:\[(\w+)\])?(?:@(\w+))?(?:\?([\w|]+))?", rest.strip())
        if not colon or not match:
            raise TableError(place, f"argument '{text}': expected DECLARATION:KIND['['LENGTH']'][@FIELD][?FLAGS]")
        declaration = " ".join(declaration.split())
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        plain = re.search(r"(\w+)$", declaration)
        name = pointer.group(1) if pointer else plain.group(1) if plain else ""
        kind_of_type = declaration.replace(f"(*{name})", "(*)") if pointer else declaration[: -len(name)].strip()
        if not name or not kind_of_type:
            raise TableError(place, f"argument '{text}': a type and a name are needed")
        kind = self.find_kind(match.group(1), place)
        condition = tuple(match.group(4).split("|")) if match.group(4) else ()
        return Argument(declaration, kind_of_type, name, kind, condition, match.group(3) or name, match.group(2) or "")

    def row(self, line: str, place: str) -> None:
        layer = self.open_layer
        if layer is None:
            raise TableError(place, "a row before any layer")
        start = line.find("(")
        end = closing(line, start) if start >= 0 else -1
        if end < 0:
            raise TableError(place, "a row needs arguments in parentheses")
        head, inside, tail = line[:start].split(), line[start + 1 : end], line[end + 1 :].split()
        if len(head) < 3:
            raise TableError(place, "a row starts: ID RESULT:KIND NAME (")
        name = head[-1]
        result_type, colon, result_kind = " ".join(head[1:-1]).rpartition(":")
        if not colon or not re.fullmatch(r"\w+", name):
            raise TableError(place, "a row starts: ID RESULT:KIND NAME (")
        attributes = dict(p.partition("=")[::2] for p in tail)
        unknown = set(attributes) - ATTRIBUTES - (LIBRARY_ATTRIBUTES if layer.words else set())
        if unknown:
            raise TableError(place, f"unknown attribute: {', '.join(sorted(unknown))}")
        texts = [t for t in split_outside(inside, ",") if t and t != "void"]
        variadic = bool(texts) and texts[-1] == "..."
        arguments = tuple(self.argument(t, place) for t in (texts[:-1] if variadic else texts))
        op_name = attributes.get("op", "")
        if op_name and op_name not in self.ops:
            raise TableError(place, f"no op '{op_name}' in kinds.calls")
        result = self.find_kind(result_kind.strip(), place)
        fail = attributes.get("fail", result.fail)
        if fail not in FAIL_RULES:
            raise TableError(place, f"no rule of failure '{fail}'")
        if head[0] == "=" and self.current is None:
            raise TableError(place, "'=' without a row before it")
        id_ = self.current.id if head[0] == "=" and self.current else int(head[0], 16)
        symbol = Symbol(
            name=name, id=id_, layer=layer.name, result_type=result_type.strip(), result=result,
            arguments=arguments, variadic=variadic, op=self.ops.get(op_name, Op("", "", "", "")), fail=fail,
            in_headers="nohdr" not in attributes, va=attributes.get("va"), noreturn="noreturn" in attributes,
            manual="manual" in attributes,
            versions=tuple(v for v in attributes.get("versions", "").split(",") if v),
            stream=attributes.get("stream"), flags=attributes.get("flags"), early=attributes.get("early"),
            by_caller="by_caller" in attributes, library=layer.library,
            hidden=attributes.get("hidden"), place=place,
            only=attributes.get("only", ""), since=attributes.get("since", ""), absent=attributes.get("absent", ""))
        if layer.words:
            self.check_library_symbol(symbol, attributes)
        else:
            self.check_symbol(symbol)
        adds = attributes.get("adds", "")
        if head[0] == "=":
            assert self.current is not None
            if "off" in attributes:
                raise TableError(place, "off belongs to the row of the id, all its symbols go with it")
            self.check_same_record(self.current, symbol, adds)
        else:
            self.current = self.function(symbol, layer, layer.internal or "inner" in attributes,
                                         layer.off or self.plain or "off" in attributes, adds,
                                         self.bytes_each(attributes, place))
            self.current.plain = self.plain
        if self.current.internal:
            if "lfs64" in attributes or head[0] == "=":
                raise TableError(place, "an inner row, or one of an internal layer, has no symbols")
            return
        if "nosymbol" in attributes:
            return
        self.add_symbol(symbol)
        if layer.pmpi:
            self.add_symbol(replace(symbol, name="P" + name))
        if "lfs64" in attributes:
            self.add_symbol(replace(symbol, name=name + "64", va=None if symbol.va is None else symbol.va + "64"))

    @staticmethod
    def bytes_each(attributes: Dict[str, str], place: str) -> int:
        """The bytes that every call of a row transfers; 0: its kinds have the rule."""
        given = attributes.get("bytes", "0")
        if not given.isdigit() or int(given) > 255:
            raise TableError(place, "bytes= is a number of at most 255")
        return int(given)

    def check_symbol(self, symbol: Symbol) -> None:
        place = symbol.place
        optional = symbol.optional
        if optional and (symbol.arguments[-len(optional):] != optional or symbol.variadic
                         or len({a.condition for a in optional}) > 1):
            raise TableError(place, "only the last arguments may be optional, all under one condition")
        if symbol.variadic and not symbol.va and not symbol.manual:
            raise TableError(place, f"{symbol.name} ends in ...: name its v-function with va=NAME, or make it manual")
        if symbol.va and not symbol.variadic:
            raise TableError(place, "va= is for functions that end in ...")
        if symbol.fail in ("stream", "null_stream", "short_read") and not symbol.stream_expression:
            raise TableError(place, f"failure rule {symbol.fail} needs an argument of kind stream or stream=")
        if symbol.fail in ("short_read", "short_write") and not {"size", "nmemb"} <= {a.name for a in symbol.arguments}:
            raise TableError(place, f"failure rule {symbol.fail} needs arguments named size and nmemb")
        if (symbol.result.store == "nothing") != (symbol.result_type in ("void", "-")):
            raise TableError(place, "a void function has a result of style nothing, others do not")
        if symbol.result.handle and not symbol.op.after and not symbol.manual:
            raise TableError(place, f"a result of kind {symbol.result.name} needs an op with an after hook")
        if symbol.noreturn and not symbol.manual:
            raise TableError(place, "a function that does not return has to be manual")
        seen = set()
        for argument in symbol.arguments:
            if argument.name in seen or argument.name in ("self", "slot", "call", "op", "result", "failed", "error"):
                raise TableError(place, f"argument name {argument.name} is taken")
            seen.add(argument.name)
            if argument.kind.store in ("iovec", "messages") and not any(a.kind.name == "count" for a in symbol.arguments):
                raise TableError(place, "a vector needs an argument of kind count")
            if argument.kind.store == "fcntl" and not any(a.name == "cmd" for a in symbol.arguments):
                raise TableError(place, "a fcntl_arg needs an argument named cmd")

    def check_library_symbol(self, symbol: Symbol, attributes: Dict[str, str]) -> None:
        if symbol.variadic != ("variadic" in attributes):
            raise TableError(symbol.place, "a function that ends in ... is marked variadic; it is passed on and never recorded")
        names = [a.name for a in symbol.arguments]
        if len(set(names)) != len(names) or len(names) > LIBRARY_ARGUMENTS:
            raise TableError(symbol.place, f"two arguments of one name, or more than {LIBRARY_ARGUMENTS}")
        for argument in symbol.arguments:
            if (argument.kind.store == "ints") != bool(argument.length):
                raise TableError(symbol.place, f"{argument.name}: an array of kind ints, and nothing else, has a [LENGTH]")
            if argument.length and not argument.length.isdigit() and argument.length not in names:
                raise TableError(symbol.place, f"{argument.name}: no argument {argument.length} tells its length")

    def fields(self, symbol: Symbol, adds: str = "") -> List[Field]:
        made: List[Field] = []
        word = 0

        def add(name: str, kind: Kind, output: bool, argument: Optional[str]) -> None:
            nonlocal word
            recorded = kind.store not in ("absent", "unrecorded")
            made.append(Field(name, kind, word if recorded else -1, output, argument))
            word += 1 if recorded else 0

        if symbol.stream:
            add("stream", self.find_kind("stream", symbol.place), False, None)
        for argument in symbol.arguments:
            if argument.kind.store in PARTS:
                for name, kind, output in PARTS[argument.kind.store]:
                    add(name, self.find_kind(kind, symbol.place), output or argument.kind.output and kind != "size",
                        argument.name)
            elif argument.kind.name != "skip":
                add(argument.name, argument.kind, argument.kind.output, argument.name)
        if symbol.result.handle:
            add("handle", self.find_kind("handle", symbol.place), True, None)
        if symbol.result.path:
            add("made", self.find_kind("path", symbol.place), True, None)
        for part in (p for p in adds.split(",") if p):
            name, _, kind = part.partition(":")
            add(name, self.find_kind(kind, symbol.place), True, None)
        return made

    def function(self, symbol: Symbol, layer: Layer, internal: bool, off: bool, adds: str,
                 each: int) -> Function:
        place = symbol.place
        if symbol.id in self.functions:
            raise TableError(place, f"id 0x{symbol.id:04x} is taken ({self.functions[symbol.id].place})")
        if not 0 < symbol.id <= ID_LAST:
            raise TableError(place, f"id 0x{symbol.id:04x} is out of range")
        if symbol.id >= SWITCHES:
            raise TableError(place, f"id 0x{symbol.id:04x}: there are switches for ids below 0x{SWITCHES:04x}; see control.h")
        fields = self.fields(symbol, adds)
        names = [f.name for f in fields]
        if len(set(names)) != len(names):
            raise TableError(place, "two fields of one name")
        words = sum(1 for f in fields if f.word >= 0)
        if words > ARGUMENT_WORDS_MOST:
            raise TableError(place, f"{words} argument words, {ARGUMENT_WORDS_MOST} are the most")
        bytes_word = 0
        if symbol.result.bytes == "items":
            size = next((f for f in fields if f.name == "size" and f.word >= 0), None)
            if size is None:
                raise TableError(place, "a result in items needs a recorded argument named size")
            bytes_word = size.word
        rule = symbol.result.bytes
        moved = next((f for f in fields if f.kind.bytes == "word"), None)
        if moved:
            rule, bytes_word = "word", moved.word
        if each:
            rule, bytes_word = "fixed", each
        made = Function(symbol.id, symbol.name, layer.name, internal, symbol.result, symbol.op, fields, words,
                        rule, bytes_word, [], place, off)
        key = (layer.name, symbol.name)
        if key in self.names:
            raise TableError(place, f"{symbol.name} is there already ({self.names[key]})")
        self.names[key] = place
        self.functions[symbol.id] = made
        return made

    def check_same_record(self, function: Function, symbol: Symbol, adds: str) -> None:
        if symbol.result != function.result:
            raise TableError(symbol.place, f"{symbol.name} has another kind of result than {function.name}")
        known = {f.name: f for f in function.fields}
        for made in self.fields(symbol, adds):
            if made.word < 0:
                continue
            if made.name not in known or known[made.name].kind != made.kind or known[made.name].word < 0:
                raise TableError(symbol.place, f"{symbol.name} records {made.name}:{made.kind.name}, "
                                 f"which {function.name} ({function.place}) does not: give it an id of its own")

    def add_symbol(self, symbol: Symbol) -> None:
        if symbol.name in self.symbols:
            raise TableError(symbol.place, f"symbol {symbol.name} is there already ({self.symbols[symbol.name].place})")
        self.symbols[symbol.name] = symbol
        self.functions[symbol.id].symbols.append(symbol)

    def finish(self) -> Table:
        for symbol in self.symbols.values():
            if symbol.va and symbol.va not in self.symbols:
                raise TableError(symbol.place, f"va={symbol.va}: there is no row for that symbol")
        functions = [self.functions[i] for i in sorted(self.functions)]
        return Table(list(self.kinds.values()), self.ops, self.layers, functions, self.resolved_directs())


def read_excluded(path: Path, table: Table) -> List[Tuple[str, str]]:
    """Reads the functions for files that intentionally have no row: SYMBOL -- REASON."""
    rows = {symbol.name for symbol in table.symbols()}
    made: Dict[str, str] = {}
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        place = f"calls/{path.name}:{number}"
        match = re.fullmatch(r"(\w+) +-- +(\S.*)", line.rstrip())
        if not match:
            raise TableError(place, "expected: SYMBOL -- REASON")
        if match[1] in made or match[1] in rows:
            raise TableError(place, f"{match[1]} is there twice, or has a row")
        made[match[1]] = match[2]
    return sorted(made.items())


def read_tables(folder: Path) -> Table:
    """Reads the kinds, then the other tables of the folder in order of their names, then the list of excluded symbols."""
    reader = Reader()
    kinds = [folder / "kinds.calls", *sorted(folder.glob("kinds_*.calls"))]
    others = sorted(p for p in folder.glob("*.calls") if p not in kinds)
    for path in [*kinds, *others]:
        if not path.is_file():
            raise TableError(f"calls/{path.name}", "not there")
        reader.read(path, f"calls/{path.name}")
    table = reader.finish()
    table.excluded = read_excluded(folder / "excluded.list", table)
    return table


def check_lock(table: Table, path: Path, append: bool) -> None:
    """Checks that each id keeps its name for ever, because ids are stored in traces."""
    shown = f"calls/{path.name}"
    locked: Dict[int, Tuple[str, str]] = {}
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.partition("#")[0].split()
        if not parts:
            continue
        place = f"{shown}:{number}"
        if len(parts) != 3 or not re.fullmatch(r"0x[0-9a-f]{4}", parts[0]):
            raise TableError(place, "expected: ID LAYER NAME")
        id_ = int(parts[0], 16)
        if id_ in locked:
            raise TableError(place, f"id {parts[0]} is there twice")
        locked[id_] = (parts[1], place)
        function = next((f for f in table.functions if f.id == id_), None)
        if function is None:
            raise TableError(place, f"locked id {parts[0]} ({parts[1]} {parts[2]}) has no row any more")
        if (function.layer, function.name) != (parts[1], parts[2]):
            raise TableError(function.place, f"id {parts[0]} is locked for {parts[1]} {parts[2]} ({place})")
    fresh = [f for f in table.functions if f.id not in locked]
    if fresh and not append:
        names = ", ".join(f.name for f in fresh[:5])
        raise TableError(fresh[0].place, f"not in {shown} yet: {names}; run the generator with --lock to give them "
                         "their ids for ever")
    if fresh:
        with path.open("a", encoding="utf-8") as out:
            out.writelines(f"0x{f.id:04x} {f.layer} {f.name}\n" for f in fresh)
