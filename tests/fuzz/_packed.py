"""A packed trace as an input of fuzz_packed: its sections unpacked, one behind the other, and its data.

Follows loop/packed.h. Places of parts are counted anew, for the target puts the data first.
"""
import ctypes
import struct

from _blocks import HEADER, MAGIC, Reader, number

PACKED, NODES, STREAMS, PARTS, DATA, TABLES = 6, 1, 5, 6, 7, 10
ANSWERS = 12
ORDER = (NODES, TABLES, 2, 3, 4, STREAMS, PARTS, 8, ANSWERS)
_zstd = ctypes.CDLL("libzstd.so.1")
_zstd.ZSTD_decompress.restype = ctypes.c_size_t
_zstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
_zstd.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t
_zstd.ZSTD_findFrameCompressedSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def unpack(payload):
    read = Reader(payload)
    length = read.number()
    frame = payload[read.at:]
    frame = frame[:_zstd.ZSTD_findFrameCompressedSize(frame, len(frame))]
    room = ctypes.create_string_buffer(length + 1)
    assert _zstd.ZSTD_decompress(room, length, frame, len(frame)) == length
    return room.raw[:length]


def sections(data):
    """Payloads by kind, and where the first data begins."""
    at, found, begin = 0, {}, 0
    while at < len(data):
        assert data[at:at + 8] == MAGIC and data[at + 10] == PACKED
        length, kind = struct.unpack_from("<Q", data, at + 16)[0], struct.unpack_from("<Q", data, at + 40)[0]
        found[kind] = data[at + HEADER:at + length]
        begin = at if kind == DATA else begin
        at += length
    return found, begin


def parts_list(listed, streams, begin):
    """The list of parts without checks, places counted from the beginning of the file that the target makes."""
    read, made, end, last = Reader(listed), [], 0, 0
    for _ in range(Reader(streams).number()):
        count = read.number()
        made.append(number(count))
        for _ in range(count):
            offset, stored = end + read.number(), read.number()
            end = offset + stored
            made += [number(offset - begin - last), number(stored)]
            last = offset - begin + stored
    return b"".join(made)


def foreign_tables(tables):
    """With a check that no reader's own tables have: all of those would be read for each input, and these would not."""
    read = Reader(tables)
    read.number()
    return number(1) + tables[read.at:]


def seed(data):
    """An input of fuzz_packed without its flags; None: a section is longer than a part may be."""
    found, begin = sections(data)
    plain = {kind: unpack(found[kind]) if kind in found else b"" for kind in ORDER}
    plain[PARTS] = parts_list(plain[PARTS], plain[STREAMS], begin)
    plain[TABLES] = foreign_tables(plain[TABLES])
    if max(map(len, plain.values())) > 0xffff:
        return None
    return b"".join(struct.pack("<H", len(plain[kind])) + plain[kind] for kind in ORDER) + found.get(DATA, b"")
