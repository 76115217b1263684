"""Guards, for the second decoder: section 15 of docs/format.md: finds and repairs damage in a range of a packed file.

It owns the shape of a guard and the repair. It has no code for blocks: bytes in, repaired bytes out.
"""
import struct
import zlib

_changes = {}


def shape(length):
    """Bytes of a line, lines, lines of parity."""
    line = 128
    while line < 4096 and length > 256 * line:
        line *= 2
    lines = -(-length // line)
    return line, lines, max(-(-lines // 20), min(lines, 2))


def size(length):
    line, lines, parity = shape(length)
    return 4 * (lines + parity) + parity * line


def changes(line):
    """The bit of a line that causes this change of its CRC-32."""
    if line not in _changes:
        zero, found = zlib.crc32(bytes(line)), {}
        for bit in range(8 * line):
            one = bytearray(line)
            one[bit // 8] = 1 << bit % 8
            found[zlib.crc32(one) ^ zero] = bit
        _changes[line] = found
    return _changes[line]


def xor(lines):
    value = 0
    for line in lines:
        value ^= int.from_bytes(line, "little")
    return value


def mended(data, guard):
    """The range, repaired with its guard as far as possible."""
    line, lines, parity = shape(len(data))
    checks = list(struct.unpack_from(f"<{lines + parity}I", guard))
    padded = data + bytes(lines * line - len(data))
    found = [padded[at * line:(at + 1) * line] for at in range(lines)]
    found += [guard[4 * (lines + parity) + at * line:][:line] for at in range(parity)]
    bad = [at for at, check in enumerate(checks) if zlib.crc32(found[at]) != check]
    for at in list(bad):
        change = zlib.crc32(found[at]) ^ checks[at]
        if change.bit_count() == 1:
            bad.remove(at)
        elif change in changes(line):
            bit = changes(line)[change]
            one = bytearray(found[at])
            one[bit // 8] ^= 1 << bit % 8
            found[at] = bytes(one)
            bad.remove(at)
    for at in list(bad):
        group = at % parity if at < lines else at - lines
        others = [other for other in [*range(group, lines, parity), lines + group] if other != at]
        if not set(others) & set(bad):
            made = xor(found[other] for other in others).to_bytes(line, "little")
            if made == found[at] or zlib.crc32(made) == checks[at]:
                found[at] = made
                bad.remove(at)
    return b"".join(found[:lines])[:len(data)]
