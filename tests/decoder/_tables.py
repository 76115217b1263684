"""Tables, description and index of the second decoder: sections 8, 9 and 10 of docs/format.md.

These blocks contain what is needed to name and print records, and facts about the whole run. It converts payloads to objects
and never reads a block of records.
"""
import struct

from _columns import Bad, unpack_frame, varint

(ABSENT, SIGNED, UNSIGNED, HEX, OCTAL, FLAGS, ENUM, FD, NAME, STRING, HANDLE, BYTES, OFFSET, POINTER, DIRFD, NOTHING,
 TIME) = range(17)
PAIRS = (FD, DIRFD)
HANDLES = (FD, DIRFD, HANDLE)

ENDS = ("open", "exited", "killed", "recovered")
KEPT_FROM = 24  # loss counters from here on count what was excluded on request
LANE_ERRORS = 30  # no counter: up to eight errnos

INDEX_HEAD = struct.Struct("<QQIiqQII32Q")
INDEX_ENTRY = struct.Struct("<QQQIIQqqII")


class Kind:
    def __init__(self, name, style, values):
        self.name, self.style, self.values = name, style, values


class Field:
    def __init__(self, name, kind, word, output):
        self.name, self.kind, self.word, self.output = name, kind, word, output
        self.style = kind.style


class Function:
    """A row of the tables, with its fields sorted by use."""

    def __init__(self, number, layer, name, op, result, words, rule, rule_word, fields, symbols):
        self.number, self.layer, self.name, self.op = number, layer, name, op
        self.result, self.words, self.rule, self.rule_word = result, words, rule, rule_word
        self.fields, self.symbols = fields, symbols
        recorded = [field for field in fields if field.word is not None]
        self.recorded = recorded
        self.names = [field for field in recorded if field.style == NAME]
        self.texts = [field for field in recorded if field.style in (NAME, STRING)]
        self.inputs = [field for field in recorded if field.style in HANDLES and not field.output]
        self.makes = [field for field in recorded if field.style in HANDLES and field.output]
        self.outputs = [field for field in recorded if field.output]


class Tables:
    def __init__(self, layers, kinds, functions):
        self.layers, self.kinds, self.functions = layers, kinds, functions


def read_tables(data):
    at = 0

    def number():
        nonlocal at
        value, at = varint(data, at)
        return value

    def string():
        nonlocal at
        size = number()
        if at + size > len(data):
            raise Bad("a string of the tables is cut")
        at += size
        return data[at - size:at].decode("ascii", "replace")

    def listed(things, place, what):
        if place >= len(things):
            raise Bad(f"there is no {what} {place}")
        return things[place]

    def field():
        name, kind, word, marks = string(), listed(kinds, number(), "kind"), number(), number()
        return Field(name, kind, word - 1 if word else None, bool(marks & 1))

    def function(after):
        id_, layer, name, op = number(), listed(layers, number(), "layer"), string(), string()
        if not after < id_ <= 0xfeff:
            raise Bad(f"function id {id_} behind {after}")
        result, words, rule, rule_word = listed(kinds, number(), "kind"), number(), number(), number()
        fields = [field() for _ in range(number())]
        if words > 20 or any(f.word is not None and f.word >= words for f in fields):
            raise Bad(f"{name} has words that do not exist")
        return Function(id_, layer, name, op, result, words, rule, rule_word, fields,
                        [string() for _ in range(number())])

    version = number()
    if version == 2:
        size, packed = number(), number()
        if at + packed > len(data) or len(data) - at - packed > 7 or any(data[at + packed:]) or size > 1 << 24:
            raise Bad("packed tables of another length")
        return read_tables(unpack_frame(data[at:at + packed], size))
    if version not in (1, 3):
        raise Bad("tables of another version")
    layers = [string() for _ in range(number())]
    kinds = []
    for _ in range(number()):
        name, style = string(), number()
        kinds.append(Kind(name, style, [(number(), number(), string()) for _ in range(number())]))
    functions, last = {}, 0
    for _ in range(number()):
        row = function(last)
        last = row.number
        functions[last] = row
    if len(data) - at > 7 or any(data[at:]):
        raise Bad("something follows the tables")
    return Tables(layers, kinds, functions)


def read_pairs(data):
    """`key=value` strings, each ended by a zero byte: the description of a run or process, as a list of pairs."""
    pairs = []
    for line in data.split(b"\0"):
        key, equals, value = line.partition(b"=")
        if equals:
            pairs.append((key.decode("utf-8", "surrogateescape"), value.decode("utf-8", "surrogateescape")))
    return pairs


def joined_errors(sets):
    """The errnos of all nodes, each once, in their order."""
    found = [byte for one in sets for byte in one.to_bytes(8, "little") if byte]
    return int.from_bytes(bytes(dict.fromkeys(found))[:8], "little")


class IndexHead:
    def __init__(self, payload):
        if len(payload) < INDEX_HEAD.size:
            raise Bad("the index is cut")
        (self.data_length, self.count, self.end, self.status, self.end_monotonic, self.recovered, self.lanes_alive, _,
         *self.loss) = INDEX_HEAD.unpack_from(payload)

    def losses(self):
        return {reason: count for reason, count in enumerate(self.loss[:KEPT_FROM]) if count}


def worst_end(heads):
    """The index of the node with the worst end, or None."""
    order = ("open", "recovered", "exited", "killed")
    return max(heads, key=lambda head: (order.index(ENDS[head.end]), head.end == 1 and head.status != 0), default=None)


class Index(IndexHead):
    def __init__(self, payload):
        super().__init__(payload)
        if len(payload) != INDEX_HEAD.size + self.count * INDEX_ENTRY.size:
            raise Bad("the index has another number of entries")
        self.entries = []
        last = 0
        for at in range(INDEX_HEAD.size, len(payload), INDEX_ENTRY.size):
            entry = INDEX_ENTRY.unpack_from(payload, at)
            if entry[0] < last or entry[0] + entry[1] > self.data_length:
                raise Bad("entries of the index overlap")
            last = entry[0] + entry[1]
            self.entries.append(entry)
