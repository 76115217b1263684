"""Facts from ELF files for the witness: the function of an address, and the import that a call instruction calls.

Names come from .dynsym, and from the separate debugging symbols if they are installed (libc6-dbg): a C library's own static
functions have no others. Offsets are those in the file, as `strace -k` prints them.
"""
import bisect
import functools
import os
import struct

FUNCTION_TYPES = {2, 10}  # STT_FUNC, STT_GNU_IFUNC
LOAD, NOTE = 1, 4
DYNAMIC_SYMBOLS, SYMBOLS, RELOCATIONS = 11, 2, 4


class Section:
    def __init__(self, fields):
        _, self.type, _, _, self.offset, self.size, self.link, _, _, self.entry = fields


class Elf:
    """One file; everything is read when it is opened."""

    def __init__(self, path, debugging=False):
        with open(path, "rb") as file:
            self.bytes = file.read()
        if self.bytes[:5] != b"\x7fELF\x02":
            raise ValueError(path + " is no 64-bit ELF file")
        headers, sections = struct.unpack_from("<QQ", self.bytes, 32)
        header_size, header_count, section_size, section_count = struct.unpack_from("<HHHH", self.bytes, 54)
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.bytes, headers + i * header_size) for i in range(header_count)]
        self.sections = [Section(struct.unpack_from("<IIQQQQIIQQ", self.bytes, sections + i * section_size))
                         for i in range(section_count)]
        self.dynamic = self.symbols_of(DYNAMIC_SYMBOLS)
        more = [] if debugging else self.separate()
        self.named = sorted(symbol for symbol in [*self.dynamic, *self.symbols_of(SYMBOLS), *more] if symbol[0])
        self.starts = [start for start, _, _ in self.named]
        self.imports = self.slots()

    def symbols_of(self, kind):
        """(address, size, name) of functions; address 0: defined elsewhere."""
        found = []
        for section in self.sections:
            if section.type != kind or section.offset + section.size > len(self.bytes):
                continue
            names = self.sections[section.link].offset
            for at in range(section.offset, section.offset + section.size, 24):
                name, info, _, shndx, value, size = struct.unpack_from("<IBBHQQ", self.bytes, at)
                if info & 15 in FUNCTION_TYPES or not shndx:
                    found.append((value if shndx else 0, size, self.text(names + name)))
        return found

    def text(self, at):
        return self.bytes[at:self.bytes.index(0, at)].decode("ascii", "replace")

    def separate(self):
        """Symbols of the file with this build id."""
        for kind, _, offset, _, _, size, _, _ in self.segments:
            if kind != NOTE:
                continue
            at = offset
            while at + 12 <= offset + size:
                name, length, note = struct.unpack_from("<III", self.bytes, at)
                at += 12 + (name + 3 & ~3)
                if note == 3:
                    digits = self.bytes[at:at + length].hex()
                    path = f"/usr/lib/debug/.build-id/{digits[:2]}/{digits[2:]}.debug"
                    if os.path.exists(path):
                        return Elf(path, debugging=True).symbols_of(SYMBOLS)
                at += length + 3 & ~3
        return []

    def slots(self):
        """Address of a slot in the global offset table: the import in it."""
        table = {}
        for section in self.sections:
            if section.type != RELOCATIONS or self.sections[section.link].type != DYNAMIC_SYMBOLS:
                continue
            symbols = self.sections[section.link]
            names = self.sections[symbols.link].offset
            for at in range(section.offset, section.offset + section.size, 24):
                slot, info, _ = struct.unpack_from("<QQq", self.bytes, at)
                if info & 0xffffffff in (6, 7):  # GLOB_DAT, JUMP_SLOT
                    name, = struct.unpack_from("<I", self.bytes, symbols.offset + 24 * (info >> 32))
                    table[slot] = self.text(names + name)
        return table

    def address(self, offset):
        """The address in memory of a place in the file."""
        for kind, _, start, virtual, _, size, _, _ in self.segments:
            if kind == LOAD and start <= offset < start + size:
                return offset - start + virtual
        return offset

    def at(self, address, count):
        for kind, _, start, virtual, _, size, _, _ in self.segments:
            if kind == LOAD and virtual <= address and address + count <= virtual + size:
                return self.bytes[address - virtual + start:address - virtual + start + count]
        return b""

    def functions(self, offset):
        """Names of the function at this place in the file; a return address may be directly after its function."""
        address = self.address(offset)
        at = bisect.bisect_right(self.starts, address) - 1
        names = set()
        while at >= 0 and len(names) < 40 and self.named[at][0] > address - 0x10000:
            start, size, name = self.named[at]
            if start <= address < start + size or address == start + size > start:
                names.add(name)
            elif names:
                break
            at -= 1
        return names

    def import_called(self, offset):
        """The import that the call before this return address calls, or None."""
        end = self.address(offset)
        code = self.at(end - 6, 6)
        if len(code) < 6:
            return None
        if code[:2] == b"\xff\x15":
            return self.imports.get(end + struct.unpack("<i", code[2:])[0])
        if code[1] != 0xe8:
            return None
        stub = end + struct.unpack("<i", code[2:])[0]
        code = self.at(stub, 16)
        for start in (0, 4):
            for jump in (b"\xff\x25", b"\xf2\xff\x25"):
                if code[start:start + len(jump)] == jump and (start == 0 or code[:4] == b"\xf3\x0f\x1e\xfa"):
                    at = start + len(jump)
                    return self.imports.get(stub + at + 4 + struct.unpack("<i", code[at:at + 4])[0])
        return None


@functools.lru_cache(maxsize=None)
def opened(path):
    try:
        return Elf(path)
    except (OSError, ValueError, struct.error, IndexError):
        return None
