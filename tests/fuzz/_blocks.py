"""Blocks, tables and indexes for the seeds of fuzzing: takes them apart and makes smaller ones.

Follows docs/format.md. Checksums stay zero: the targets set them.
"""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "..", "gen"), os.path.join(HERE, "..", "decoder")]
from _columns import unpack_frame  # noqa: E402
from tables import BLOB_PACKED, number  # noqa: E402

RECORDS, RUN, TABLES, INDEX = 1, 2, 3, 4
HEADER, SUMMARY, ENTRY = 168, 32, 64
MAGIC = b"VARVEBLK"
RUN_ID = bytes(range(1, 17))
VALUES_KEPT = 2


def string(text):
    return number(len(text)) + text


class Reader:
    """A walk over varints and strings."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def string(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at]


class Tables:
    """The tables of a trace: layers, kinds, functions."""

    def __init__(self, payload):
        read = Reader(payload)
        if payload[0] == BLOB_PACKED:
            read.number()
            size, packed = read.number(), read.string()
            read = Reader(unpack_frame(packed, size))
        self.version = read.number()
        assert self.version in (1, 3), self.version
        self.layers = [read.string() for _ in range(read.number())]
        self.kinds = []
        for _ in range(read.number()):
            name, style = read.string(), read.number()
            self.kinds.append((name, style, [(read.number(), read.number(), read.string()) for _ in range(read.number())]))
        self.functions = {}
        for _ in range(read.number()):
            ident, layer, name, op, result = read.number(), read.number(), read.string(), read.string(), read.number()
            row = [read.number() for _ in range(3)]
            fields = [(read.string(), read.number(), read.number(), read.number()) for _ in range(read.number())]
            symbols = [read.string() for _ in range(read.number())]
            self.functions[ident] = (layer, name, op, result, row, fields, symbols)

    def only(self, idents):
        """The same with these functions only, and the first values of each kind that they use."""
        kept = sorted(set(idents) & set(self.functions))
        used = sorted({self.functions[i][3] for i in kept} | {f[1] for i in kept for f in self.functions[i][5]})
        place = {kind: at for at, kind in enumerate(used)}
        made = [number(self.version), number(len(self.layers))] + [string(name) for name in self.layers] + [number(len(used))]
        for kind in used:
            name, style, values = self.kinds[kind]
            made += [string(name), number(style), number(len(values[:VALUES_KEPT]))]
            for value, mask, text in values[:VALUES_KEPT]:
                made += [number(value), number(mask), string(text)]
        made.append(number(len(kept)))
        for ident in kept:
            layer, name, op, result, row, fields, symbols = self.functions[ident]
            made += [number(ident), number(layer), string(name), string(op), number(place[result])]
            made += [number(value) for value in row] + [number(len(fields))]
            for text, kind, word, marks in fields:
                made += [string(text), number(place[kind]), number(word), number(marks)]
            made.append(number(len(symbols[:1])))
            made += [string(symbol) for symbol in symbols[:1]]
        return b"".join(made)


def blocks(data):
    """(type, bytes) of each block of a data.0."""
    at, found = 0, []
    while at + HEADER <= len(data) and data[at:at + 8] == MAGIC:
        length = struct.unpack_from("<Q", data, at + 16)[0]
        block = bytearray(data[at:at + length])
        block[24:40] = RUN_ID
        block[HEADER - 16:HEADER] = bytes(16)
        found.append((block[10], bytes(block)))
        at += length
    return found


def functions(block):
    """Ids of the functions in a block of records."""
    summaries = struct.unpack_from("<I", block, HEADER - 28)[0]
    return [struct.unpack_from("<H", block, HEADER + i * SUMMARY)[0] for i in range(summaries)]


def header(kind, codec, length, rows=0, columns=0, records=0, definitions=0, summaries=0, sequence=1):
    made = bytearray(HEADER)
    struct.pack_into("<8sHBBIQ16sQIIiiiIQ", made, 0, MAGIC, 1, kind, codec, HEADER + rows, length, RUN_ID, sequence, 1, 1, 7, 7,
                     -1, 100, records)
    struct.pack_into("<III", made, HEADER - 28, summaries, columns, definitions)
    return bytes(made)


def plain(kind, payload):
    """A block of one piece."""
    payload += bytes(-len(payload) % 8)
    return header(kind, 0, HEADER + len(payload)) + payload


def rows_block(records, definitions=b"", count=0):
    """A block of the plain codec. Records: (marks, depth, function, ordinal, entry, exit, result, error, words)."""
    rows = b"".join(struct.pack("<BBHB3xQqqqi4x", marks, depth, function, len(words), ordinal, entry, exit, result, error) +
                    b"".join(struct.pack("<Q", word) for word in words)
                    for marks, depth, function, ordinal, entry, exit, result, error, words in records)
    columns = struct.pack("<HBBIII", 0, 5, 3, len(rows), len(rows) + 1, 0)
    columns += struct.pack("<HBBIII", 0, 6, 3, len(definitions), len(definitions) + 1, 0)
    payload = b"\1" + rows + b"\1" + definitions
    payload += bytes(-len(payload) % 8)
    return header(RECORDS, 2, HEADER + len(columns) + len(payload), len(columns), 2, len(records), count) + columns + payload


def peephole_block(functions, data, rest, records):
    """A block of codec peephole: its columns unchanged, a summary row for each function."""
    summary = b"".join(struct.pack("<HHIIiQQ", function, 0, 1, 0, 0, 0, 0) for function in functions)
    columns = b"".join(struct.pack("<HBBIII", 0, number, 3, len(stored), len(stored) + 1, 0)
                       for number, stored in ((7, data), (8, rest)))
    payload = b"\1" + data + b"\1" + rest
    payload += bytes(-len(payload) % 8)
    rows = len(summary) + len(columns)
    made = bytearray(header(RECORDS, 3, HEADER + rows + len(payload), rows, 2, records, 0, len(functions)))
    struct.pack_into("<H", made, 8, 2)
    return bytes(made) + summary + columns + payload


def constants(count, function, words):
    """A block of columns with `count` equal records: each column takes a byte or two."""
    made = [(0, 0, 3, 4, b"\1" + struct.pack("<HBB", function, 0, 0)), (0, 1, 0, count, b"\0"), (0, 2, 3, count, b"\0\x21"),
            (function, 16, 0, count, b"\x08")]
    made += [(function, 32 + word, 1, count, number(word) + number(2 * word)) for word in range(words)]
    columns = b"".join(struct.pack("<HBBIII", of, column, encoding, values, len(stored), 0)
                       for of, column, encoding, values, stored in made)
    payload = b"".join(stored for *_, stored in made)
    payload += bytes(-len(payload) % 8)
    summary = struct.pack("<HHIIiQQ", function, 0, count, 0, 0, 8 * count, count)
    rows = len(summary) + len(columns)
    return header(RECORDS, 1, HEADER + rows + len(payload), rows, len(made), count, 0, 1) + summary + columns + payload


def index(data):
    """The index of a data.0."""
    entries, at = [], 0
    for kind, block in blocks(data):
        sequence, process, thread = struct.unpack_from("<QII", block, 40)
        records = struct.unpack_from("<Q", block, 72)[0]
        first, last = struct.unpack_from("<qq", block, 88)
        entries.append(struct.pack("<QQQIIQqqII", at, len(block), sequence, process, thread, records, first, last, kind, 0))
        at += len(block)
    head = struct.pack("<QQIiqQII", len(data), len(entries), 1, 0, 10**9, 0, 0, 0) + bytes(32 * 8)
    return plain(INDEX, head + b"".join(entries))
