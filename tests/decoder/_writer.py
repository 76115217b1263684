"""A small writer of the trace format, written from docs/format.md: it makes traces that no recorder makes.

Takes records, definitions and tables and writes them into blocks, each column in a random encoding that is possible for it.
Checks and summaries are correct. _chance.py chooses the records.
"""
import ctypes
import struct

import _peephole as peephole
from _blocks import FIXED, MAGIC, RECORDS, RUN, ROW, SUMMARY, TABLES, VOID
from _columns import WRAP, signed, xxh64
from _records import (BINARY_ROW, CONTINUED, DEFINITIONS, ERROR, FAILED, HANDLE_OF_WORD, NAME, ORDINALS, PEEPHOLE, PROCESS,
                      REST, RESULT, ROWS, SHAPES, STRUCTURE, TIMES, TIMES_LONG, UNFINISHED, WORD)
from _tables import INDEX_ENTRY, INDEX_HEAD

_zstd = ctypes.CDLL("libzstd.so.1")
_zstd.ZSTD_compressBound.restype = ctypes.c_size_t
_zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
_zstd.ZSTD_compress.restype = ctypes.c_size_t
_zstd.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]


def zigzag(value):
    value = signed(value & WRAP)
    return (value << 1 ^ value >> 63) & WRAP


def varint(value):
    value &= WRAP
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def frame(data):
    room = ctypes.create_string_buffer(_zstd.ZSTD_compressBound(len(data)))
    size = _zstd.ZSTD_compress(room, len(room), data, len(data), 1)
    return room.raw[:size]


def plane(data, chance):
    ways = [1, 2] if chance.random() < 0.3 else [1]
    if len(set(data)) <= 1:
        ways.append(0)
    how = chance.choice(ways)
    if how == 0:
        return b"\0" + (data[:1] or b"\x2a")
    if how == 1:
        return b"\1" + data
    packed = frame(data)
    return b"\2" + varint(len(packed)) + packed


def plane_bytes(numbers, width):
    if not numbers:
        return [b""] * width
    return [bytes(number >> 8 * k & 0xff for number in numbers) for k in range(width)]


def column(values, chance, bytes_only=False):
    """Encoding and stored bytes of a column of u64 or of bytes."""
    if isinstance(values, (bytes, bytearray)) and bytes_only:
        return 3, plane(bytes(values), chance)
    ways, stride = [2, 2], 0
    if len(set(values)) <= 1:
        ways.append(0)
    if len(values) > 1:
        stride = values[1] - values[0]
    if all((values[0] + i * stride - value) & WRAP == 0 for i, value in enumerate(values)):
        ways.append(1)
    if all(value < 256 for value in values):
        ways.append(3)
    way = chance.choice(ways)
    if way == 0:
        return 0, varint(values[0])
    if way == 1:
        return 1, varint(values[0]) + varint(zigzag(stride))
    if way == 3:
        return 3, plane(bytes(values), chance)
    mode = chance.randrange(2)
    if mode == 0:
        base = chance.choice((0, min(values), values[0], chance.getrandbits(64)))
        numbers = [(value - base) & WRAP for value in values]
    else:
        base = values[0]
        numbers = [zigzag(after - before) for before, after in zip(values, values[1:])]
    least = max([(number.bit_length() + 7) // 8 for number in numbers], default=0)
    width = chance.choice((least, least, chance.randint(least, 8)))
    stored = [plane(bits, chance) for bits in plane_bytes(numbers, width)]
    return 2, bytes((mode, width)) + varint(base) + b"".join(stored)


def definitions_bytes(definitions):
    out = []
    for type_, before, fields, text in definitions:
        out.append(bytes([type_]) + varint(before) + b"".join(map(varint, fields)))
        if type_ in (NAME, PROCESS):
            out.append(text)
    return b"".join(out)


def block_bytes(type_, run_id, payload, codec=0, sequence=0, stream=(0, 0, 0, 0, -1, 0), records=0, first_ordinal=0,
                ticks=(0, 0), clock=(0, 0, 0, 0, 0), summaries=(), rows=(), definitions=0, version=1, check=None):
    payload += bytes(-len(payload) % 8)
    behind = b"".join(SUMMARY.pack(*row) for row in summaries) + b"".join(ROW.pack(*row) for row in rows)
    header_length = FIXED.size + len(behind)
    payload += bytes(-(header_length + len(payload)) % 8)
    if check is None:
        check = xxh64(payload, sequence)
    head = FIXED.pack(MAGIC, version, type_, codec, header_length, header_length + len(payload), run_id, sequence, *stream,
                      records, first_ordinal, *ticks, *clock, len(summaries), len(rows), definitions, check, 0)[:160]
    return head + struct.pack("<Q", xxh64(behind, xxh64(head, 0))) + behind + payload


def summaries_of(records, tables):
    """Calls, failures, unfinished, bytes and ticks by function. `began` has the first entry of continued records."""
    rows = {}
    for record in records:
        row = rows.setdefault(record.function, [0, 0, 0, 0, 0])
        continued = bool(record.marks & CONTINUED)
        row[0] += not continued
        row[1] += bool(record.marks & FAILED)
        row[2] += bool(record.marks & UNFINISHED) - continued
        if record.marks & UNFINISHED:
            continue
        row[4] += record.exit - record.began
        known = tables.functions.get(record.function)
        if known and known.rule == 3 and not record.marks & FAILED and known.rule_word < len(record.words):
            row[3] += record.words[known.rule_word]
        elif known and known.rule == 4:
            row[3] += known.rule_word if record.result != -1 and not record.marks & FAILED else 0
        elif known and record.result > 0:
            if known.rule == 1:
                row[3] += record.result
            elif known.rule == 2 and known.rule_word < len(record.words):
                row[3] += record.result * record.words[known.rule_word] & WRAP
    return [(function, 0, row[0], row[1], row[2], min(row[3], WRAP), row[4] & WRAP) for function, row in rows.items()]


def times_of(records, chance):
    times, long_times = bytearray(), bytearray()
    last = (0, 0, 0)
    for record in records:
        start = last[1] if last[2] >= record.depth else last[0]
        gap, duration = record.entry - start, record.exit - record.entry
        if 0 <= gap <= 7 and 0 <= duration <= 30 and chance.random() < 0.95:
            times.append(gap << 5 | duration)
        else:
            times.append(255)
            long_times += varint(zigzag(gap)) + varint(zigzag(duration))
        last = record.entry, record.exit, record.depth
    return bytes(times), bytes(long_times)


def columns_codec(records, definitions, tables, chance):
    """The columns as (function, number, count, encoding, stored)."""
    found = []

    def add(function, number, values, bytes_only=False):
        if len(values):
            found.append((function, number, len(values), *column(values, chance, bytes_only)))

    shapes, structure = {}, []
    for record in records:
        shape = record.function, record.depth, record.marks
        structure.append(shapes.setdefault(shape, len(shapes)))
    times, long_times = times_of(records, chance)
    add(0, SHAPES, b"".join(struct.pack("<HBB", *shape) for shape in shapes), True)
    add(0, STRUCTURE, structure)
    add(0, TIMES, times, True)
    add(0, TIMES_LONG, long_times, True)
    add(0, ORDINALS, [record.ordinal for record in records if record.marks & CONTINUED])
    if definitions:
        add(0, DEFINITIONS, definitions_bytes(definitions), True)
    for function in {record.function for record in records}:
        group = [record for record in records if record.function == function]
        row = tables.functions[function]
        add(function, RESULT, [record.result & WRAP for record in group if record.finished()])
        add(function, ERROR, [record.error for record in group if record.marks & FAILED])
        pairs = {field.word for field in row.recorded if field.style in (7, 14)}
        for w in range(row.words):
            words = [record.words[w] for record in group]
            if w in pairs and chance.random() < 0.5:
                add(function, HANDLE_OF_WORD + w, [word >> 32 for word in words])
                words = [word & 0xffffffff for word in words]
            add(function, WORD + w, words)
    return found


def rows_codec(records, definitions, chance):
    """One row per record. Few have fewer words than their function; the halves of a call have the same number."""
    for record in records:
        if chance.random() < 0.05 and not record.marks & (CONTINUED | UNFINISHED):
            record.words = record.words[:1]
    rows = b"".join(BINARY_ROW.pack(record.marks, record.depth, record.function, len(record.words), record.ordinal,
                                    record.entry, record.exit, record.result, record.error, 0) +
                    struct.pack(f"<{len(record.words)}Q", *record.words) for record in records)
    texts = definitions_bytes(definitions)
    return [(0, number, len(data), *column(data, chance, True)) for number, data in ((ROWS, rows), (DEFINITIONS, texts))]


def peephole_codec(records, definitions, tables, chance):
    """The paper's records and the rest, written with all possible freedom."""
    def pairs_of(function):
        row = tables.functions.get(function)
        return {field.word for field in row.recorded if field.style in (7, 14)} if row else set()

    found = [(ORDINALS, [record.ordinal for record in records if record.marks & CONTINUED], False)]
    if records:
        found += [(number, data, True) for number, data in zip((PEEPHOLE, REST), peephole.write(records, pairs_of, chance))]
    if definitions:
        found.append((DEFINITIONS, definitions_bytes(definitions), True))
    return [(0, number, len(values), *column(values, chance, only)) for number, values, only in found if len(values)]


def records_block(run_id, stream, sequence, records, definitions, tables, chance, codec=1, first_ordinal=0):
    """A RECORDS block. `stream` is process, thread, pid, tid, rank, resolution."""
    columns = rows_codec(records, definitions, chance) if codec == 2 else \
        {1: columns_codec, 3: peephole_codec}[codec](records, definitions, tables, chance)
    chance.shuffle(columns)
    rows = [(function, number, encoding, count, len(stored), 0) for function, number, count, encoding, stored in columns]
    ticks = (min(record.entry for record in records), max(max(record.entry, record.exit) for record in records)) \
        if records else (0, 0)
    summaries = summaries_of(records, tables)
    if codec != 3:
        chance.shuffle(summaries)
    return block_bytes(RECORDS, run_id, b"".join(row[4] for row in columns), codec, sequence, stream, len(records),
                       first_ordinal, ticks, (100, 200, 300, 400, 1), summaries, rows, len(definitions), version=2 if codec == 3 else chance.choice((1, 1, 2)))


def pairs_bytes(pairs):
    return b"".join(key.encode() + b"=" + value + b"\0" for key, value in pairs)


def tables_bytes(layers, kinds, functions):
    """BLOCK_TABLES' payload. A kind is (name, style, values), a function (id, layer, name, op, kind, words, rule, rule's
    word, fields, symbols), a field (name, kind, word + 1, marks)."""
    def string(text):
        return varint(len(text)) + text.encode()

    out = [varint(1), varint(len(layers)), *map(string, layers), varint(len(kinds))]
    for name, style, values in kinds:
        out += [string(name), varint(style), varint(len(values))]
        for value, mask, text in values:
            out += [varint(value), varint(mask), string(text)]
    out.append(varint(len(functions)))
    for id_, layer, name, op, kind, words, rule, rule_word, fields, symbols in functions:
        out += [varint(id_), varint(layer), string(name), string(op), varint(kind), varint(words), varint(rule),
                varint(rule_word), varint(len(fields))]
        for field, kind_, word, marks in fields:
            out += [string(field), varint(kind_), varint(word), varint(marks)]
        out += [varint(len(symbols)), *map(string, symbols)]
    return b"".join(out)


def void_block(run_id, size, checked):
    return block_bytes(VOID, run_id, bytes(size), check=None if checked else 0)


def run_block(run_id, pairs):
    return block_bytes(RUN, run_id, pairs_bytes(pairs))


def tables_block(run_id, payload):
    return block_bytes(TABLES, run_id, payload)


def index_bytes(run_id, data_length, entries, end=1, status=0, loss=()):
    """The file `index`. Entries have the fields of section 10."""
    counters = list(loss) + [0] * (32 - len(loss))
    head = INDEX_HEAD.pack(data_length, len(entries), end, status, 0, 0, 0, 0, *counters)
    return block_bytes(4, run_id, head + b"".join(INDEX_ENTRY.pack(*entry) for entry in entries))
