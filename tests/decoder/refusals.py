#!/usr/bin/env python3
"""Packed traces that no packer makes, with good checks all the same: the command and the second decoder refuse them, or say
what is damaged; a small file that claims to be a large trace is refused before it takes memory or time.

timeout: 120
"""
import os
import resource
import subprocess
import sys
import tempfile

from _blocks import PACKED
from _classes import Class, Input
from _columns import Bad
from _decoder import open_trace
from _packed import DAMAGES, FOOT, FOOT_PAYLOAD, NODES, PARTS, REST, STREAMS, STRUCTURE, Packed
from _tracks import CALLS, NAMES, TRACKS
from _writer import block_bytes, frame, varint

VARVE = os.environ["VARVE"]
GOLDEN = os.path.join(os.environ["VARVE_SOURCE"], "tests/golden/packed_cut.varve")
MARKS = 3  # place of the marks in the key of a record
MANY = 200000
MEMORY = 1 << 30


class Changed:
    """A packed file with other sections: they go behind the old ones, so that nothing else moves."""

    def __init__(self, path):
        self.packed = Packed(path)
        self.places = self.packed.read_foot()
        self.data = self.packed.data[:-376]

    def put(self, kind, content):
        block = block_bytes(PACKED, self.packed.run_id, varint(len(content)) + frame(content), sequence=kind, version=2)
        self.places[kind] = len(self.data), len(block)
        self.data += block

    def write(self, path):
        size = len(self.data) + 376
        foot = FOOT_PAYLOAD.pack(1, 0, size, *(number for place in self.places for number in place))
        with open(path, "wb") as file:
            file.write(self.data + block_bytes(PACKED, self.packed.run_id, foot, sequence=FOOT, version=2))


def with_members(content, tracks, members):
    """The content of a section of classes, each with another number of members."""
    source, out = Input(content), b""
    for _ in tracks:
        count = source.number()
        out += varint(count)
        for _ in range(count):
            known = source.number()
            start = source.at
            Class(source, known)
            out += varint(members) + content[start:source.at]
    source.end()
    return out


def left_over(changed, kind):
    changed.put(kind, changed.packed.sections[kind] + b"\0")


def with_mark(changed, mark):
    """A mark in the keys of all calls."""
    content = changed.packed.sections[STRUCTURE]
    for key in {key for class_ in changed.packed.classes[CALLS] for key, _ in class_.shapes}:
        content = content.replace(key, key[:MARKS] + bytes([key[MARKS] | mark]) + key[MARKS + 1:])
    assert content != changed.packed.sections[STRUCTURE]
    changed.put(STRUCTURE, content)


def crowded(changed):
    """One stream, MANY times."""
    packed = changed.packed
    stream = next(iter(packed.readers.values())).stream
    row = [stream.pid, stream.tid, stream.rank]
    rows = b"".join(varint(stream.process) + varint(i + 1) + b"".join(varint(number << 1 if number >= 0 else -number * 2 - 1)
                                                                      for number in row) +
                    b"".join(map(varint, (stream.node, stream.resolution, stream.clock_kind, *stream.classes)))
                    for i in range(MANY))
    changed.put(STREAMS, varint(MANY) + rows)
    changed.put(STRUCTURE, with_members(packed.sections[STRUCTURE], (CALLS, NAMES), MANY))
    changed.put(REST, with_members(packed.sections[REST], [None] * 2 * (TRACKS - NAMES - 1), MANY))
    changed.put(PARTS, varint(0) * MANY)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


def refused(name, source, change, *words):
    """What is wrong, or nothing."""
    changed = Changed(source)
    change(changed)
    path = os.path.join(os.path.dirname(source), name)
    changed.write(path)
    result = subprocess.run([VARVE, "dump", path], capture_output=True, timeout=100, preexec_fn=limited)
    said = result.stderr.decode(errors="replace")
    if result.returncode not in (3, 4) or not all(word in said for word in words):
        yield f"{name}: status {result.returncode}: {said[:300]}"
    if change is crowded:
        return  # the second decoder has no limits
    try:
        list(open_trace(path).calls())
        yield f"{name}: the second decoder takes it"
    except Bad:
        pass


def pack_one(folder):
    """A packed trace of one stream whose columns are all regular."""
    trace, packed = os.path.join(folder, "t.varve"), os.path.join(folder, "one.varve")
    subprocess.run([VARVE, "record", "--no-pack", "-o", trace, "--", "cat", "/dev/null"], check=True)
    subprocess.run([VARVE, "pack", "--quiet", "--time", "none", "-o", packed, trace], check=True)
    return packed


def main():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source.varve")
        with open(GOLDEN, "rb") as file, open(source, "wb") as to:
            to.write(file.read())
        found = [*refused("nodes", source, lambda changed: left_over(changed, NODES), "nodes are cut short"),
                 *refused("damages", source, lambda changed: left_over(changed, DAMAGES), "list of damages"),
                 *refused("streams", source, lambda changed: left_over(changed, STREAMS), "streams are cut short"),
                 *refused("continued", source, lambda changed: with_mark(changed, 4), "a shape is none of a record"),
                 *refused("mark", source, lambda changed: with_mark(changed, 32), "a shape is none of a record"),
                 *refused("crowded", pack_one(folder), crowded, "more columns than")]
    print("\n".join(found) or "ok")
    sys.exit(1 if found else 0)


main()
