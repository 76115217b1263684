"""Numbers, checks and columns of the second decoder: sections 1 and 4 of docs/format.md.

The lowest step of the reading path: bytes to lists of u64. It owns varints, zigzag, XXH64, zstd frames and the four encodings
of a column, and has no code for blocks or records. Invalid bytes raise Bad.
"""
import ctypes

WRAP = (1 << 64) - 1

_zstd = ctypes.CDLL("libzstd.so.1")
_zstd.ZSTD_decompress.restype = ctypes.c_size_t
_zstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
_zstd.ZSTD_isError.restype = ctypes.c_uint
_zstd.ZSTD_isError.argtypes = [ctypes.c_size_t]
_zstd.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t
_zstd.ZSTD_findFrameCompressedSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

_xxhash = ctypes.CDLL("libxxhash.so.0")
_xxhash.XXH64.restype = ctypes.c_uint64
_xxhash.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]


class Bad(Exception):
    """The bytes do not follow the format."""


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def varint(data, at):
    """The number at `at` and the place after it."""
    if at < len(data) and data[at] < 0x80:
        return data[at], at + 1
    value = shift = 0
    while True:
        if at >= len(data):
            raise Bad("a varint goes beyond its bytes")
        byte = data[at]
        at += 1
        if shift == 63 and byte > 1:
            raise Bad("a varint is larger than 64 bits")
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def unpack_frame(data, size):
    """A zstd frame of exactly `size` bytes."""
    if _zstd.ZSTD_findFrameCompressedSize(data, len(data)) != len(data):
        raise Bad("not one zstd frame")
    room = ctypes.create_string_buffer(size + 1)
    made = _zstd.ZSTD_decompress(room, size, data, len(data))
    if _zstd.ZSTD_isError(made) or made != size:
        raise Bad("a zstd frame does not hold what it should")
    return room.raw[:size]


def unpack_first_frame(data, size):
    """A zstd frame of exactly `size` bytes, followed only by padding."""
    length = _zstd.ZSTD_findFrameCompressedSize(data, len(data))
    if _zstd.ZSTD_isError(length) or len(data) - length > 7 or any(data[length:]):
        raise Bad("not one zstd frame and padding")
    return unpack_frame(data[:length], size)


def plane(data, at, size):
    """One plane of `size` bytes and the place after it."""
    if at >= len(data):
        raise Bad("a plane is missing")
    how = data[at]
    at += 1
    if how == 0:
        if at >= len(data):
            raise Bad("a constant plane without its byte")
        return bytes([data[at]]) * size, at + 1
    if how == 1:
        if at + size > len(data):
            raise Bad("a stored plane is cut")
        return data[at:at + size], at + size
    if how == 2:
        packed, at = varint(data, at)
        if at + packed > len(data):
            raise Bad("a zstd plane is cut")
        return unpack_frame(data[at:at + packed], size), at + packed
    raise Bad(f"a plane is stored in way {how}")


def planes(data, count):
    if len(data) < 2:
        raise Bad("planes without their head")
    mode, width = data[0], data[1]
    if mode > 1 or width > 8:
        raise Bad(f"planes of mode {mode}, width {width}")
    base, at = varint(data, 2)
    size = count if mode == 0 else max(count - 1, 0)
    numbers = [0] * size
    for k in range(width):
        bits, at = plane(data, at, size)
        if k == 0:
            numbers = list(bits)
        else:
            shift = 8 * k
            numbers = [number | byte << shift for number, byte in zip(numbers, bits)]
    if mode == 0:
        return [(base + number) & WRAP for number in numbers], at
    if count == 0:
        return [], at
    values = [base]
    for number in numbers:
        base = (base + unzigzag(number)) & WRAP
        values.append(base)
    return values, at


def column(encoding, data, count):
    """The values of a column; bytes if it has encoding 3."""
    if encoding == 0:
        value, at = varint(data, 0)
        values = [value] * count
    elif encoding == 1:
        start, at = varint(data, 0)
        stride, at = varint(data, at)
        stride = unzigzag(stride)
        values = [(start + i * stride) & WRAP for i in range(count)]
    elif encoding == 2:
        values, at = planes(data, count)
    elif encoding == 3:
        values, at = plane(data, 0, count)
    else:
        raise Bad(f"a column of encoding {encoding}")
    if at != len(data):
        raise Bad("a column is not used up")
    return values


def xxh64(data, seed=0):
    return _xxhash.XXH64(bytes(data), len(data), seed)
