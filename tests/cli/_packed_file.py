"""Takes packed files apart for tests: their blocks, another foot, guards that cannot repair anything."""
import struct

from lib import modules_of

modules_of("decoder")
from _packed import BEGIN, DATA, FOOT, GUARD  # noqa: E402
from _writer import block_bytes  # noqa: E402

HEADER = 168
SIZE = BEGIN // 2  # of a foot


def blocks(data):
    """Offset, length and kind of each block between the feet."""
    at = BEGIN
    while at < len(data) - SIZE:
        length, = struct.unpack_from("<Q", data, at + 16)
        kind, = struct.unpack_from("<Q", data, at + 40)
        yield at, length, kind
        at += length


def section(data, kind):
    """Offset and length of the first block of a kind; (0, 0): there is none."""
    return next(((at, length) for at, length, found in blocks(data) if found == kind), (0, 0))


def data_of(data):
    """The first block of data."""
    return section(data, DATA)


def without_guards(data):
    """The same file with useless guards: damage in it is not repaired."""
    made = bytearray(data)
    for at, length, kind in blocks(data):
        if kind == GUARD:
            made[at + HEADER:at + length] = bytes(length - HEADER)
    return made


def with_foot(data, change):
    """The same file with another foot; `change` gets its payload."""
    payload = bytearray(data[HEADER:SIZE])
    change(payload)
    foot = block_bytes(6, data[24:40], bytes(payload), sequence=FOOT, version=2)
    return foot + foot + bytes(data[BEGIN:len(data) - SIZE]) + foot
