"""A second implementation of the filter language, as simple as possible: docs/filter.md in Python, over the objects of `dump
--format json`.

It shares nothing with the command: its own parser (recursive descent along the grammar), its own values, its own evaluation, a
record at a time. Kinds of arguments and values of flags come from the trace, by the decoder of tests/decoder.
"""
import collections
import datetime
import errno
import fractions
import functools
import os
import re

from lib import modules_of

modules_of("decoder")
from _blocks import TABLES, scan  # noqa: E402
from _columns import signed  # noqa: E402
from _tables import read_tables  # noqa: E402

# By their numbers: section 9 of docs/format.md.
STYLES = ("absent", "signed", "unsigned", "hex", "octal", "flags", "enum", "fd", "name", "string", "handle", "bytes", "offset",
          "pointer", "dirfd", "nothing", "time")
RESERVED = {"and", "or", "not", "in", "like", "startswith", "endswith", "has", "inside"}
WORD = re.compile(rb"""[ \t\r\n]*(?:
    (?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<bare>[A-Za-z0-9_./%@+*?\x80-\xff-]+)
  | (?P<sign>==|!=|<=|>=|!~|&&|\|\||[<>~!(),:|]))""", re.X | re.S)
OTHER_SIGNS = {b"&&": "and", b"||": "or", b"!": "not"}
CONDITIONS = {"failed", "unfinished", "vfork"}
TEXTS = {"layer", "function", "path", "absolute", "file", "extension", "kind", "host", "program", "region",
         "parent.function", "parent.layer"}
FILE_KEYS = ("path", "absolute", "handle", "kind", "device", "inode")
OF_FILES = {"path", "absolute", "file", "extension", "kind", "handle", "device", "inode"}
TIMES = {"time", "end", "duration"}


class Wrong(Exception):
    """The text is not a filter."""


class Value:
    """One word of a value: its bytes, and whether it was quoted."""

    def __init__(self, text, quoted):
        self.text, self.quoted = text, quoted


def unquote(text):
    def one(match):
        letter = match[1]
        if letter[:1] == b"x":
            return bytes([int(letter[1:], 16)])
        return {b"n": b"\n", b"t": b"\t"}.get(letter, letter)

    return re.sub(rb"\\(x[0-9a-fA-F]{2}|[\"'\\nt])", one, text[1:-1], flags=re.S)


def words(text):
    """(type, value) of each word; type is the reserved word or sign, `value` or `end`."""
    found, at = [], 0
    text = text.rstrip(b" \t\r\n")
    while at < len(text):
        match = WORD.match(text, at)
        if not match:
            raise Wrong(at)
        at = match.end()
        if match["sign"]:
            found.append((OTHER_SIGNS.get(match["sign"], match["sign"].decode()), None))
        elif match["quoted"]:
            found.append(("value", Value(unquote(match["quoted"]), True)))
        elif match["bare"].decode("latin1") in RESERVED:
            found.append((match["bare"].decode(), None))
        else:
            found.append(("value", Value(match["bare"], False)))
    return found + [("end", None)]


class Parser:
    def __init__(self, text):
        self.words, self.at = words(text), 0

    def next(self):
        return self.words[self.at][0]

    def take(self, *types):
        kind, value = self.words[self.at]
        if kind not in types:
            raise Wrong((kind, types))
        self.at += 1
        return value if kind == "value" else kind

    def whole(self):
        tree = self.either()
        self.take("end")
        return tree

    def either(self):
        parts = [self.both()]
        while self.next() == "or":
            self.at += 1
            parts.append(self.both())
        return ("or", parts)

    def both(self):
        parts = [self.unary()]
        while self.next() == "and":
            self.at += 1
            parts.append(self.unary())
        return ("and", parts)

    def unary(self):
        if self.next() == "not":
            self.at += 1
            return ("not", self.unary())
        if self.next() == "(":
            self.at += 1
            tree = self.either()
            self.take(")")
            return tree
        return self.condition()

    def condition(self):
        if self.next() == "has":
            self.at += 1
            return ("present", self.field())
        if self.next() == "inside":
            self.at += 1
            return ("inside", [item[0][0].text for item in self.set()])
        field = self.field()
        if field in CONDITIONS:
            return ("truth", field)
        op = self.take("==", "!=", "<", "<=", ">", ">=", "~", "!~", "like", "startswith", "endswith", "has", "in")
        return ("compare", field, op, self.set() if op == "in" else [(self.value(), None, None, False)])

    def field(self):
        return self.take("value").text.decode()

    def value(self):
        parts = [self.take("value")]
        while self.next() == "|":
            self.at += 1
            parts.append(self.take("value"))
        return tuple(parts)

    def set(self):
        """A list of (low, high, stride, is a range)."""
        items = [self.item()]
        while self.next() == ",":
            self.at += 1
            items.append(self.item())
        return items

    def item(self):
        low = self.value() if self.next() != ":" else None
        if self.next() != ":":
            return (low, None, None, False)
        self.at += 1
        high = self.value() if self.next() == "value" else None
        stride = None
        if self.next() == ":":
            self.at += 1
            stride = self.value()
        return (low, high, stride, True)


# ---- values ----

@functools.lru_cache(1000)
def number(value, octal=False):
    if len(value) != 1 or value[0].quoted:
        return None
    match = re.fullmatch(rb"(-?)(?:0x([0-9a-fA-F]+)|(0[0-7]+)|(0|[1-9][0-9]*?)(?:([kKmMgGtT])i?)?B?)", value[0].text)
    if not match or (match[3] and not octal):
        return None
    if match[2]:
        found = int(match[2], 16)
    elif match[3]:
        found = int(match[3], 8)
    else:
        found = int(match[4]) << (10 * (b"KMGT".index(match[5].upper()) + 1) if match[5] else 0)
    return -found if match[1] else found


UNITS = {b"s": 10**9, b"ms": 10**6, b"us": 10**3, b"ns": 1, b"min": 60 * 10**9, b"h": 3600 * 10**9}


@functools.lru_cache(1000)
def duration(value):
    if len(value) != 1 or value[0].quoted:
        return None
    if value[0].text == b"0":
        return 0
    match = re.fullmatch(rb"(-?)([0-9]*)(?:\.([0-9]*))?(s|ms|us|ns|min|h)", value[0].text)
    if not match:
        return None
    unit = UNITS[match[4]]
    part = int(((match[3] or b"") + b"0" * 9)[:9])
    found = int(match[2] or b"0") * unit + part * unit // 10**9
    return -found if match[1] else found


@functools.lru_cache(1000)
def date(value, start):
    if len(value) != 1 or not value[0].quoted:
        return None
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?",
                         value[0].text.decode())
    if not match:
        return None
    zone = match[5] if match[5] and match[5] != "Z" else "+00:00"
    when = datetime.datetime.fromisoformat(f"{match[1]}T{match[2]}:{match[3] or '00'}{zone}")
    seconds = (when - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(seconds=1)
    return seconds * 10**9 + int((match[4] or "").ljust(9, "0")) - start


@functools.lru_cache(1000)
def error(value):
    if len(value) == 1 and value[0].text.decode().startswith("E"):
        return getattr(errno, value[0].text.decode())
    return number(value)


def holds_number(found, op, items, read):
    """`found` is there. `read` converts a value to a number, or returns None."""
    if op in ("==", "!=", "<", "<=", ">", ">="):
        wanted = read(items[0][0])
        if wanted is None:
            return False
        return {"==": found == wanted, "!=": found != wanted, "<": found < wanted, "<=": found <= wanted,
                ">": found > wanted, ">=": found >= wanted}[op]
    hit = False
    for low, high, stride, is_range in items:
        ends = [read(end) if end else None for end in (low, high, stride)]
        if (low and ends[0] is None) or (high and ends[1] is None) or (stride and ends[2] is None):
            return False
        if not is_range:
            hit |= found == ends[0]
        else:
            hit |= ((low is None or found >= ends[0]) and (high is None or found <= ends[1]) and
                    (stride is None or (found - ends[0]) % ends[2] == 0))
    return hit


@functools.lru_cache(1000)
def expression(text):
    """A regular expression of the C library as one of Python: `$` is the end of the text, also after a newline, and a backslash
    before a letter without a special meaning stands for that letter, as in `\\x`."""
    text = text.replace(b"$", rb"\Z")
    return re.sub(rb"\\(.)", lambda found: found[1] if found[1].isalnum() and found[1] not in b"wWsSbBZ" else found[0], text,
                  flags=re.S)


@functools.lru_cache(1000)
def pattern(text):
    """A shell pattern as a regular expression."""
    out, at = b"", 0
    while at < len(text):
        byte = text[at:at + 1]
        if byte == b"*":
            out += b".*"
        elif byte == b"?":
            out += b"."
        elif byte == b"[" and re.match(rb"\[[!^]?\]?[^]]*\]", text[at:]):
            inner = re.match(rb"\[([!^]?)(\]?[^]]*)\]", text[at:])
            chars = re.sub(rb"([\\\[^\]])", rb"\\\1", inner[2])
            out += b"[" + (b"^" if inner[1] else b"") + chars + b"]"
            at += inner.end() - 1
        elif byte == b"\\" and at + 1 < len(text):
            at += 1
            out += re.escape(text[at:at + 1])
        else:
            out += re.escape(byte)
        at += 1
    return re.compile(out, re.S)


def holds_text(found, op, items):
    wanted = items[0][0][0].text if items[0][0] else b""
    if op in ("==", "!=", "in"):
        if any(item[3] or len(item[0]) != 1 for item in items):
            return False
        hit = any(item[0][0].text == found for item in items)
        return hit != (op == "!=")
    if op in ("~", "!~"):
        return bool(re.search(expression(wanted), found, re.S)) != (op == "!~")
    if op == "like":
        return bool(pattern(wanted).fullmatch(found))
    return found.startswith(wanted) if op == "startswith" else found.endswith(wanted)


# ---- records ----

Named = collections.namedtuple("Named", "value mask name")
# Kinds of arguments that are numbers of a unit of time: ns in a unit. Filters compare them with times, too.
TIMES_IN_UNITS = {"milliseconds": 10**6, "nanoseconds": 1}


class Kind:
    """For arguments: the style by name, and the values that have names."""

    def __init__(self, kind):
        self.style = STYLES[kind.style]
        self.unit = TIMES_IN_UNITS.get(kind.name)
        self.values = [Named(signed(value) if self.style == "enum" else value, mask, name) for value, mask, name in kind.values]


class Trace:
    """The facts that are needed of a trace, besides its records."""

    def __init__(self, path, info):
        self.start = int(info["run"]["start_realtime"])
        self.host = info["run"].get("host")
        self.processes = {process["process"]: process for process in info["processes"]}
        with open(os.path.join(path, "data.0"), "rb") as file:
            tables = read_tables(next(block.payload() for block in scan(file.read())[0] if block.type == TABLES))
        kinds = {kind: Kind(kind) for kind in tables.kinds}
        self.arguments = {function.name: {field.name: kinds[field.kind] for field in reversed(function.recorded)}
                          for function in tables.functions.values()}

    def nest(self, records):
        """Gives each record the list of the calls around it, the outermost first."""
        open_calls = {}
        for record in sorted(records, key=lambda r: (r["process"], r["thread"], r["ordinal"])):
            around = open_calls.setdefault((record["process"], record["thread"]), [])
            while around and around[-1]["depth"] >= record["depth"]:
                around.pop()
            record["around"] = list(around)
            around.append(record)


def as_bytes(text):
    return None if text is None else text.encode("utf-8", "surrogateescape")


def last_component(record):
    path = as_bytes(record.get("absolute", record.get("path")))
    return path.rstrip(b"/").rpartition(b"/")[2] or None if path is not None else None


def text_of(trace, record, field):
    if field in ("path", "absolute", "kind", "function"):
        return as_bytes(record.get(field))
    if field == "layer":
        return as_bytes(record["layer"] or None)
    if field == "file":
        return last_component(record)
    if field == "extension":
        name = last_component(record)
        if name is None or name.rfind(b".") <= 0:
            return None
        return name.rpartition(b".")[2] or None
    if field.startswith("parent."):
        return text_of(trace, record["around"][-1], field[7:]) if record["around"] else None
    if field == "region":
        named = [r["args"]["name"] for r in record["around"] if r["layer"] == "region" and r["function"] in ("region", "phase")]
        return as_bytes(named[-1]) if named else None
    process = trace.processes[record["process"]]
    if field == "host":
        return as_bytes(process.get("host", trace.host))
    return as_bytes(process.get("exe")) if field == "program" else None


def number_of(record, field):
    if field == "time":
        return record["start"]
    if field == "end":
        return record["start"] + record["duration"] if record.get("duration") is not None else None
    if field == "errno":
        return record.get("errno", 0) if record.get("failed") else None
    return record.get(field)


def flags_value(kind, text):
    """The bits of O_RDWR|O_CREAT|0x8000; None: one of the names does not exist."""
    bits = 0
    for name in text.split("|"):
        named = [value.value for value in kind.values if value.name == name]
        bits |= named[0] if named else int(name, 0)
    return bits


def argument_value(kind, found):
    """An argument of the JSON in the form for comparisons: bytes of a text, or a number."""
    if found is None:
        return None
    if kind.style in ("name", "string"):
        return as_bytes(found)
    if kind.style == "flags":
        return flags_value(kind, found)
    if kind.style == "enum":
        named = [value.value for value in kind.values if value.name == found]
        return named[0] if named else int(found)
    if kind.style == "octal":
        return int(found, 8)
    return int(found, 16) if kind.style == "hex" else found


def flag_bits(kind, word):
    """(mask, value) of one word of flags, or None."""
    for value in kind.values:
        if value.name.encode() == word.text:
            return (value.mask or (1 << 64) - 1, value.value)
    found = number((word,), octal=True)
    return None if found is None or found < 0 else (found, found)


def read_argument(kind, op):
    def read(value):
        if kind.unit and len(value) == 1 and value[0].text != b"0" and duration(value) is not None:
            units = fractions.Fraction(duration(value), kind.unit)
            return units if units.denominator == 1 or op in ("<", "<=", ">", ">=") else None
        if kind.style == "flags":
            bits = [flag_bits(kind, word) for word in value]
            if None in bits:
                return None
            found = 0
            for _, one in bits:
                found |= one
            return found
        if kind.style == "enum" and len(value) == 1:
            for one in kind.values:
                if one.name.encode() == value[0].text:
                    return one.value
        if kind.style == "time":
            return duration(value)
        if kind.style == "dirfd" and len(value) == 1 and value[0].text == b"AT_FDCWD":
            return -100
        if kind.style == "octal" and value[0].text[:1] in b"123456789":
            return None
        return number(value, octal=kind.style == "octal")

    return read


def holds_argument(trace, record, name, op, items):
    kind = trace.arguments.get(record["function"], {}).get(name)
    if kind is None or kind.style in ("absent", "nothing"):
        return False
    found = argument_value(kind, record["args"].get(name))
    if found is None:
        return False
    if op == "present":
        return True
    text = kind.style in ("name", "string")
    if text:
        return op not in ("<", "<=", ">", ">=", "has") and holds_text(found, op, items)
    if op == "has":
        bits = [flag_bits(kind, word) for word in items[0][0]] if kind.style == "flags" else [None]
        return None not in bits and all(found & mask == value for mask, value in bits)
    if op in ("~", "!~", "like", "startswith", "endswith"):
        return False
    if kind.style == "flags" and (op in ("<", "<=", ">", ">=") or any(item[3] for item in items)):
        return False
    return holds_number(found, op, items, read_argument(kind, op))


def holds(trace, record, tree):
    what = tree[0]
    if what == "or":
        return any(holds(trace, record, part) for part in tree[1])
    if what == "and":
        return all(holds(trace, record, part) for part in tree[1])
    if what == "not":
        return not holds(trace, record, tree[1])
    if what == "truth":
        return bool(record.get(tree[1]))
    if what == "inside":
        names = [text_of(trace, around, "function") for around in record["around"]]
        return any(name is not None and pattern(wanted).fullmatch(name) for name in names for wanted in tree[1])
    field = tree[1]
    op, items = (tree[2], tree[3]) if what == "compare" else ("present", None)
    if field.startswith("arg."):
        return holds_argument(trace, record, field[4:], op, items)
    if field in CONDITIONS:
        return True
    if field in OF_FILES and "second" in record:
        files = ({**record, **dict.fromkeys(FILE_KEYS), **file} for file in (record, record["second"]))
        return any(holds(trace, {**{key: value for key, value in file.items() if value is not None and key != "second"}}, tree)
                   for file in files)
    found = text_of(trace, record, field) if field in TEXTS else number_of(record, field)
    if found is None or op == "present":
        return found is not None
    if field in TEXTS:
        return holds_text(found, op, items)
    if field == "errno":
        return holds_number(found, op, items, error)
    if field in TIMES:
        def read(value):
            when = duration(value)
            return when if when is not None or field == "duration" else date(value, trace.start)

        return holds_number(found, op, items, read)
    return holds_number(found, op, items, number)
