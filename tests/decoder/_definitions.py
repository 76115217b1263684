"""Definitions of the second decoder as `varve dump --definitions --format json` prints them."""
import math

from _print import KINDS, text_of
from _records import HANDLE, IDENTITY, NAME, PROCESS

TYPES = ("name", "handle", "identity", "process", "thread")
BASES = ("none", "name", "handle", "unknown")
ORIGINS = ("call", "inherited", "duplicate")
HOWS = ("none", "seen", "assumed")


def named(names, at, otherwise):
    return names[at] if at < len(names) else otherwise


def i32(value):
    low = value & 0xffffffff
    return low - (1 << 32) if low >> 31 else low


def identity(device, inode, how):
    said = {"identity": named(HOWS, how, "none")}
    if how:
        said.update(device=device, inode=inode)
    return said


def definition_said(type_, fields, text):
    if type_ == NAME:
        id_, base_kind, base, _ = fields
        said = {"id": id_, "text": text_of(text), "base": named(BASES, base_kind, "unknown")}
        return {**said, "of": base} if base_kind in (1, 2) else said
    if type_ == HANDLE:
        handle, packed, fd, name, other, device, inode = fields
        return {"id": handle, "kind": named(KINDS, packed & 0xff, "unknown"),
                "origin": named(ORIGINS, packed >> 16 & 0xff, "unknown"), "fd": i32(fd), "name": name, "other": other,
                **identity(device, inode, packed >> 8 & 0xff)}
    if type_ == IDENTITY:
        what, id_, device, inode, how = fields
        return {"handle" if what else "name": id_, **identity(device, inode, how)}
    if type_ == PROCESS:
        strings = text.split(b"\0")
        return {"strings": [text_of(string) for string in (strings if strings[-1] else strings[:-1])]}
    number, tid, creator = fields
    return {"id": number, "tid": i32(tid), "creator": creator}


def said_of(trace):
    """Every definition as an object, stream after stream, block after block; late definitions are not part of their block."""
    for process, thread in sorted(trace.streams):
        for block, _, definitions in trace.streams[process, thread]:
            for definition in definitions:
                type_, before, fields, text = definition
                if not getattr(definition, "late", False):
                    yield {"process": process, "thread": thread, "block": block.sequence, "before": math.ceil(before),
                           "define": TYPES[type_], **definition_said(type_, fields, text)}
