"""Records and definitions of the second decoder: sections 5, 6 and 7 of docs/format.md.

Converts the columns of a RECORDS block to a list of records and a list of definitions. Words stay numbers here; _files.py
interprets names and handles.
"""
import struct

from _blocks import PART
from _columns import WRAP, Bad, signed, unzigzag, varint
from _peephole import Reader
from _tables import PAIRS

FAILED, UNFINISHED, CONTINUED, VFORK, RUNTIME = 1, 2, 4, 8, 16
DEEPEST = 30
MOST_WORDS = 20
LONGEST_NAME = 4096

SHAPES, STRUCTURE, TIMES, TIMES_LONG, ORDINALS, ROWS, DEFINITIONS, PEEPHOLE, REST, NUMBERS = range(10)
RESULT, ERROR, WORD, HANDLE_OF_WORD = 16, 17, 32, 64
BYTES_ALWAYS = (SHAPES, TIMES, TIMES_LONG, ROWS, DEFINITIONS, PEEPHOLE, REST)

NAME, HANDLE, IDENTITY, PROCESS, THREAD = range(5)
FIELDS = (4, 7, 5, 1, 3)

BINARY_ROW = struct.Struct("<BBHB3xQqqqII")


class Record:
    """One record of a block. `before` and `block` are its place; a joined call has `last` too. `late`, for a packed trace: the
    call returned in a later block, and the outputs known there: by word a File or None, and whether it is a name."""
    __slots__ = ("function", "depth", "marks", "ordinal", "entry", "exit", "result", "error", "words", "block", "at",
                 "began", "late")

    def __init__(self, function, depth, marks):
        self.function, self.depth, self.marks = function, depth, marks
        self.result = self.error = 0
        self.words = []
        self.late = None

    def finished(self):
        return not self.marks & UNFINISHED

    def succeeded(self):
        return not self.marks & (UNFINISHED | FAILED)


def check_marks(record):
    if record.marks & FAILED and record.marks & UNFINISHED:
        raise Bad("a record failed and is unfinished")
    if record.depth > DEEPEST:
        raise Bad(f"a record of depth {record.depth}")


def read_definitions(data, count, records, part=False):
    """Each definition as (type, before, fields, text). In a block with removed records `before` may be half a record less: then
    it follows a removed record."""
    found, at, latest = [], 0, 0
    for _ in range(count):
        if at >= len(data):
            raise Bad("definitions are missing")
        type_ = data[at]
        if type_ > THREAD:
            raise Bad(f"a definition of type {type_}")
        before, at = varint(data, at + 1)
        if before < latest or (before // 2 if part else before) > records:
            raise Bad("definitions out of order")
        latest, fields, text = before, [], b""
        if part:
            before = before // 2 - before % 2 / 2
        for _ in range(FIELDS[type_]):
            value, at = varint(data, at)
            fields.append(value)
        if type_ in (NAME, PROCESS):
            size = fields[-1]
            if at + size > len(data) or (type_ == NAME and (size > LONGEST_NAME or b"\0" in data[at:at + size])):
                raise Bad("a text that is cut, too long or holds a zero byte")
            text = data[at:at + size]
            at += size
        found.append((type_, before, fields, text))
    if at != len(data):
        raise Bad("definitions are not used up")
    return found


def taken(columns, function, number, count):
    """Returns and removes a column; it must have `count` values."""
    if (function, number) not in columns:
        if count:
            raise Bad(f"column {number} of function {function} is missing")
        return b""
    encoding, values = columns.pop((function, number))
    if function == 0 and number in BYTES_ALWAYS and encoding != 3:
        raise Bad(f"column {number} is not bytes")
    if count is not None and len(values) != count:
        raise Bad(f"column {number} of function {function} has {len(values)} values instead of {count}")
    return values


def read_spans(times, long_times):
    """Gap and duration of each record."""
    spans, at = [], 0
    for byte in times:
        gap, duration = byte >> 5, byte & 31
        if byte == 255:
            gap, at = varint(long_times, at)
            duration, at = varint(long_times, at)
            gap, duration = unzigzag(gap), unzigzag(duration)
        elif duration == 31:
            raise Bad("a duration of 31 in a time byte")
        spans.append((gap, duration))
    if at != len(long_times):
        raise Bad("long times are not used up")
    return spans


def read_times(records, times, long_times):
    last_entry, last_exit, last_depth = 0, 0, 0
    for record, (gap, duration) in zip(records, read_spans(times, long_times)):
        start = last_exit if last_depth >= record.depth else last_entry
        record.entry = last_entry = signed((start + gap) & WRAP)
        record.exit = last_exit = signed((last_entry + duration) & WRAP)
        last_depth = record.depth


def fill_function(function, records, columns, tables):
    """Results, errors and words of the records of one function."""
    if function not in tables.functions:
        raise Bad(f"the tables have no function {function}")
    row = tables.functions[function]
    finished = [record for record in records if record.finished()]
    for record, value in zip(finished, taken(columns, function, RESULT, len(finished))):
        record.result = signed(value)
    failed = [record for record in records if record.marks & FAILED]
    for record, value in zip(failed, taken(columns, function, ERROR, len(failed))):
        record.error = value
    pairs = {field.word for field in row.recorded if field.style in PAIRS}
    words = []
    for w in range(row.words):
        values = taken(columns, function, WORD + w, len(records))
        if (function, HANDLE_OF_WORD + w) in columns:
            if w not in pairs:
                raise Bad(f"word {w} of {row.name} is no pair")
            handles = taken(columns, function, HANDLE_OF_WORD + w, len(records))
            values = [(value & 0xffffffff | handle << 32) & WRAP for value, handle in zip(values, handles)]
        words.append(values)
    if words:
        for record, values in zip(records, zip(*words)):
            record.words = list(values)


def number_records(block, columns, records):
    continued = iter(taken(columns, 0, ORDINALS, sum(1 for record in records if record.marks & CONTINUED)))
    fresh = sum(1 for record in records if not record.marks & CONTINUED)
    if block.version == PART:
        numbers = iter(taken(columns, 0, NUMBERS, fresh))
    else:
        numbers = iter((block.first_ordinal + i) & WRAP for i in range(fresh))
    for record in records:
        record.ordinal = next(continued if record.marks & CONTINUED else numbers)


def read_columns_codec(block, columns, tables):
    count = block.records
    shapes = taken(columns, 0, SHAPES, None if count else 0)
    if len(shapes) % 4 or len(shapes) // 4 > count:
        raise Bad("more shapes than records, or a cut one")
    shapes = list(struct.iter_unpack("<HBB", shapes))
    records, by_function = [], {}
    for index in taken(columns, 0, STRUCTURE, count):
        if index >= len(shapes):
            raise Bad("a shape that does not exist")
        record = Record(*shapes[index])
        check_marks(record)
        records.append(record)
        by_function.setdefault(record.function, []).append(record)
    times = taken(columns, 0, TIMES, count)
    read_times(records, times, taken(columns, 0, TIMES_LONG, None if 255 in times else 0))
    number_records(block, columns, records)
    for function, group in by_function.items():
        fill_function(function, group, columns, tables)
    return records


def read_rows_codec(block, columns):
    rows = taken(columns, 0, ROWS, None)
    records, at = [], 0
    for _ in range(block.records):
        if at + BINARY_ROW.size > len(rows):
            raise Bad("rows are missing")
        marks, depth, function, words, ordinal, entry, exit_, result, error, _ = BINARY_ROW.unpack_from(rows, at)
        at += BINARY_ROW.size
        if words > MOST_WORDS or at + 8 * words > len(rows):
            raise Bad("a row has too many words")
        record = Record(function, depth, marks)
        check_marks(record)
        record.ordinal, record.entry, record.exit, record.result, record.error = ordinal, entry, exit_, result, error
        record.words = list(struct.unpack_from(f"<{words}Q", rows, at))
        at += 8 * words
        records.append(record)
    if at != len(rows):
        raise Bad("rows are not used up")
    return records


def read_peephole_codec(block, columns):
    if not block.records:
        return []
    reader = Reader(taken(columns, 0, PEEPHOLE, None), taken(columns, 0, REST, None), block.summary_rows())
    records = [reader.next(Record) for _ in range(block.records)]
    reader.end()
    for record in records:
        check_marks(record)
    number_records(block, columns, records)
    return records


def read_block(block, tables):
    """The records and definitions of a RECORDS block with a good payload."""
    columns = block.read_columns()
    definitions = read_definitions(taken(columns, 0, DEFINITIONS, None if block.definitions or block.codec == 2 else 0),
                                   block.definitions, block.records, block.version == PART)
    if block.codec == 1:
        records = read_columns_codec(block, columns, tables)
    elif block.codec == 2:
        records = read_rows_codec(block, columns)
        if block.version == PART:
            same = list(taken(columns, 0, NUMBERS, None)) == [r.ordinal for r in records if not r.marks & CONTINUED]
            if not same:
                raise Bad("ordinals are told in two ways")
    elif block.codec == 3 and block.version > 1:
        records = read_peephole_codec(block, columns)
    else:
        raise Bad(f"codec {block.codec}")
    if columns:
        raise Bad(f"columns that nobody needs: {sorted(columns)}")
    for at, record in enumerate(records):
        record.block, record.at = block, at
    return records, definitions
