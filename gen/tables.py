"""Makes rows_data.c: `call_rows` for the codecs and `tables_blob`, the tables that each trace contains.

The blob, read by src/codec/host/tables.c (docs/format.md repeats this). A number is an LEB128 varint, a string is a
number of bytes and then the bytes, printable ASCII:

    version (3; 1 when no function has the rule of bytes 4)
    number of layers, then each: name
    number of kinds, then each: name, style, number of values, then each value: value, mask, name
    number of functions in ascending order of id, then each:
        id, layer, name, op ("" when none), kind of the result,
        argument words, rule of bytes, word of the rule of bytes,
        number of fields, then each: name, kind, argument word + 1 (0: not recorded), marks (1: output)
        number of symbols, then each: name

Layers and kinds are referred to by their index in their list. Argument words of style fd or dirfd are pairs.
Zero bytes may follow (fewer than 8). The compressed form, used if libzstd is available in the build:

    version (2), number of bytes of the above, number of bytes of the frame, a zstd frame
"""

from __future__ import annotations

import ctypes
from typing import List, Tuple

from emit import quoted
from rows import BYTES_RULES, STYLES, Table
from template import fill, text_of

BLOB_VERSION = 3
BLOB_PACKED = 2
LEVEL = 19


def number(value: int) -> bytes:
    value &= (1 << 64) - 1
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def string(text: str) -> bytes:
    coded = text.encode("ascii")
    return number(len(coded)) + coded


def blob(table: Table) -> bytes:
    layers = {layer.name: at for at, layer in enumerate(table.layers)}
    kinds = {kind.name: at for at, kind in enumerate(table.kinds)}
    parts: List[bytes] = [number(BLOB_VERSION), number(len(layers))]
    parts += [string(name) for name in layers]
    parts.append(number(len(table.kinds)))
    for kind in table.kinds:
        parts += [string(kind.name), number(STYLES[kind.style]), number(len(kind.values))]
        for value in kind.values:
            parts += [number(value.value), number(value.mask), string(value.name)]
    parts.append(number(len(table.functions)))
    for function in table.functions:
        parts += [number(function.id), number(layers[function.layer]), string(function.name),
                  string(function.op.name), number(kinds[function.result.name]), number(function.words),
                  number(BYTES_RULES[function.bytes_rule]), number(function.bytes_word),
                  number(len(function.fields))]
        for field in function.fields:
            parts += [string(field.name), number(kinds[field.kind.name]), number(field.word + 1),
                      number(1 if field.output else 0)]
        parts.append(number(len(function.symbols)))
        parts += [string(symbol.name) for symbol in function.symbols]
    return b"".join(parts)


def packed(plain: bytes) -> bytes:
    """Compresses the tables, because every trace begins with them, even that of a short run."""
    try:
        zstd = ctypes.CDLL("libzstd.so.1")
    except OSError:
        return plain
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    zstd.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = zstd.ZSTD_compressBound(len(plain))
    buffer = ctypes.create_string_buffer(room)
    size = zstd.ZSTD_compress(buffer, room, plain, len(plain), LEVEL)
    if size > room:
        return plain
    return number(BLOB_PACKED) + number(len(plain)) + number(size) + buffer.raw[:size]


def names_data(table: Table) -> Tuple[List[str], List[str]]:
    """The names in one text, and their offsets, because pointers would have to be relocated in every program."""
    texts = [layer.name for layer in table.layers] + [f.name for f in table.functions]
    places, length = [], 0
    for text in texts:
        places.append(length)
        length += len(text) + 1
    layers = {layer.name: place for layer, place in zip(table.layers, places)}
    sync = {layer.name: layer.in_sync_library for layer in table.layers}
    names = [f"{{{place}, {layers[f.layer]}, {int(f.internal)}, {int(f.off)}, {int(sync[f.layer])}}}, /* {f.layer} {f.name} */"
             for f, place in zip(table.functions, places[len(table.layers):])]
    lines = [f'"{text}\\0"' for text in texts]
    lines[-1] += ";"
    return lines, names


def rows_data(table: Table) -> str:
    rules = {"none": "VARVE_BYTES_NONE", "result": "VARVE_BYTES_RESULT", "items": "VARVE_BYTES_RESULT_TIMES", "word": "VARVE_BYTES_WORD", "fixed": "VARVE_BYTES_FIXED"}
    rows = [f"{{0x{f.id:04x}, {f.words}, {rules[f.bytes_rule]}, {f.bytes_word}, 0x{f.pairs:x}, 0x{f.names:x}, 0x{f.hex:x}}}, "
            f"/* {f.layer} {f.name} */" for f in table.functions]
    texts, names = names_data(table)
    data = packed(blob(table))
    bytes_ = [" ".join(f"{b}," for b in data[at : at + 24]) for at in range(0, len(data), 24)]
    excluded = [f"{{{quoted(name)}, {quoted(reason)}}}," for name, reason in table.excluded]
    return text_of(fill("rows_data.c", rows=rows, texts=texts, names=names, blob=bytes_, excluded=excluded))
