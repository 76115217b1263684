"""Values of the second decoder as `varve dump --format json` prints them.

The last step of the reading path. The style of its kind defines the meaning of a value (section 9 of docs/format.md). Its
spelling is not part of the format and follows the command: numbers stay numbers; octal and hex are strings with their prefix;
results are signed numbers of any kind; flags are joined by `|`, with unnamed bits as hex at the end; an enum is its name or its
number as a string.
"""
import errno

from _columns import signed
from _tables import (BYTES, DIRFD, ENUM, FD, FLAGS, HANDLE, NOTHING, OCTAL, OFFSET, POINTER, SIGNED, TIME, UNSIGNED)

KINDS = ("unknown", "file", "folder", "socket", "pipe", "device", "anonymous", "stream", "dir", "comm", "datatype",
         "mpi_file", "group", "info", "window", "reduction", "errhandler", "message", "h5_file", "h5_group", "dataset",
         "attribute", "h5_type", "dataspace", "properties", "h5_object", "nc_file", "nc_group", "variable", "request")
HOWS = (None, "seen", "assumed")


def text_of(data):
    return data.decode("utf-8", "surrogateescape")


def octal(value):
    return f"0{value:o}" if value else "0"


def flags(value, values):
    said, left = [], value
    for bits, mask, name in values:
        if mask and value & mask == bits and (mask != bits or left & bits == bits):
            said.append(name)
            left &= ~bits
    if left:
        said.append(f"{left:#x}")
    return "|".join(said) or "0"


def enum(value, values):
    for number, _, name in values:
        if number == value:
            return name
    return str(signed(value))


def value_of(kind, word):
    """A word that is neither a name nor a pair; None if it is not printed."""
    style = kind.style
    if kind.name == "offset_given" and word == 1 << 63:
        return None
    if style in (SIGNED, OFFSET, TIME):
        return signed(word)
    if style in (UNSIGNED, BYTES, HANDLE, POINTER):
        return word
    if style == OCTAL:
        return octal(word)
    if style == FLAGS:
        return flags(word, kind.values)
    if style == ENUM:
        return enum(word, kind.values)
    if style in (FD, DIRFD):
        low = word & 0xffffffff
        return low - (1 << 32) if low >> 31 else low
    if style == NOTHING:
        return None
    return f"{word:#x}"


def error_name(number):
    """If a number has two names, the one that the C library's strerrorname_np() returns."""
    told = {errno.EOPNOTSUPP: "EOPNOTSUPP", errno.EDEADLK: "EDEADLK", 133: "EHWPOISON"}
    return told.get(number, errno.errorcode.get(number))
