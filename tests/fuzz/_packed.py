"""A packed trace as an input of fuzz_packed: its sections unpacked, one after the other, and its data.

Follows packed/packed_layout.h. The target makes the feet, the guards, the list of blocks of data and the checks of parts.
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
    """Payloads by kind."""
    at, found = 0, {}
    while at < len(data):
        assert data[at:at + 8] == MAGIC and data[at + 10] == PACKED
        length, kind = struct.unpack_from("<Q", data, at + 16)[0], struct.unpack_from("<Q", data, at + 40)[0]
        found.setdefault(kind, data[at + HEADER:at + length])
        at += length
    return found


def parts_list(listed, streams):
    """The list of parts without checks and without the list of blocks; there is at most one block."""
    read = Reader(listed)
    blocks = [read.number() for _ in range(read.number())]
    begin = read.at
    for _ in range(Reader(streams).number()):
        for _ in range(2 * (read.number() + read.number())):
            read.number()
    return listed[begin:read.at] if len(blocks) < 2 else None


def foreign_tables(tables):
    """With a check that no reader's own tables have: otherwise each input would read all of those, and not these tables."""
    read = Reader(tables)
    read.number()
    return number(1) + tables[read.at:]


def seed(data):
    """An input of fuzz_packed without its flags; None: a section is longer than a part may be."""
    found = sections(data)
    plain = {kind: unpack(found[kind]) if kind in found else b"" for kind in ORDER}
    plain[PARTS] = parts_list(plain[PARTS], plain[STREAMS])
    plain[TABLES] = foreign_tables(plain[TABLES])
    if plain[PARTS] is None or max(map(len, plain.values())) > 0xffff:
        return None
    return b"".join(struct.pack("<H", len(plain[kind])) + plain[kind] for kind in ORDER) + found.get(DATA, b"")
