#!/usr/bin/env python3
"""Packed traces that no packer makes, but with correct checks: the command and the second decoder refuse them, or report the
damage; a small file that describes a very large trace is refused before it takes memory or time.

timeout: 120
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

from _blocks import FIXED, PACKED
from _classes import Class, Input
from _columns import Bad
from _decoder import open_trace
from _packed import ANSWERS, BEGIN, DAMAGES, FOOT, FOOT_PAYLOADS, GUARDED, NODES, PARTS, REST, STREAMS, STRUCTURE, Packed
from _tracks import CALLS, FILES, NAMES, TRACKS
from _writer import block_bytes, frame, varint, zigzag

VARVE = os.environ["VARVE"]
GOLDEN = os.path.join(os.environ["VARVE_SOURCE"], "tests/golden/packed_cut.varve")
MARKS = 3  # place of the marks in the key of a record
MANY = 200000
MEMORY = 1 << 30


class Changed:
    """A packed file with other sections: they are put after the old ones, so that nothing else moves."""

    def __init__(self, path):
        self.packed = Packed(path)
        self.places = self.packed.read_foot()
        self.version, self.payload = self.packed.version, FOOT_PAYLOADS[self.packed.version]
        self.foot = FIXED.size + self.payload.size
        self.data = self.packed.data[:-self.foot]

    def put(self, kind, content):
        block = block_bytes(PACKED, self.packed.run_id, varint(len(content)) + frame(content), sequence=kind, version=2)
        self.places[kind] = len(self.data), len(block)
        self.data += block

    def write(self, path):
        size, guarded = len(self.data) + self.foot, self.packed.version >= GUARDED
        numbers = [number for place in self.places for number in place] + ([self.packed.content_hash] if guarded else [])
        foot = block_bytes(PACKED, self.packed.run_id, self.payload.pack(self.version, 0, size, *numbers), sequence=FOOT, version=2)
        with open(path, "wb") as file:
            file.write((foot + foot + self.data[BEGIN:] if guarded else self.data) + foot)


def with_members(content, tracks, members):
    """The content of a section of classes, with another number of members for each."""
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
    changed.put(PARTS, varint(0) + varint(0) * 2 * MANY)


def line(start, stride=0):
    """A scalar."""
    return varint(1) + varint(zigzag(start)) + varint(zigzag(stride))


def column(start, count, stride):
    return varint(1) + varint(2) + varint(1) + line(start) + line(count) + line(stride)


def many_totals(changed, count, stride):
    """A loop of sums of files, `count` of them: with a stride each of another file, without one all of the same."""
    content, out = changed.packed.sections[REST], b""
    source = Input(content)
    key = b"\0/file\1\1"
    sums = 6
    made = varint(1) + varint(sums + 2) + varint(len(key)) + key + varint(1) + varint(0) + varint(2) + varint(0) + varint(1) + \
        varint(1) + line(1) + line(count) + varint(1) + varint(2) + varint(0) + line(count) + column(1, count, 0) * sums + \
        column(1, count, stride) + column(0, count, 0)
    for track in [track for track in range(NAMES + 1, changed.packed.tracks) for _ in range(2)]:
        classes = source.number()
        out += varint(classes)
        for _ in range(classes):
            members, start = source.number(), source.at
            Class(source, members)
            out += varint(members) + (made if track == FILES else content[start:source.at])
    changed.put(REST, out)


def other_version(changed, version):
    changed.version = version


def limited():
    if not os.environ.get("VARVE_SANITIZE"):  # which takes terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


def refused(name, source, change, *words, verb=("dump",)):
    """The error, or nothing."""
    changed = Changed(source)
    change(changed)
    path = os.path.join(os.path.dirname(source), name)
    changed.write(path)
    result = subprocess.run([VARVE, *verb, path], capture_output=True, timeout=100, preexec_fn=limited)
    said = result.stderr.decode(errors="replace")
    if result.returncode not in (3, 4) or not all(word in said for word in words):
        yield f"{name}: status {result.returncode}: {said[:300]}"
    if change is crowded or verb[0] != "dump":
        return  # the second decoder has no limits, and reads sums only on request
    try:
        list(open_trace(path).calls())
        yield f"{name}: the second decoder takes it"
    except Bad:
        pass


def pack_one(folder):
    """A packed trace of one stream with regular columns only."""
    trace, packed = os.path.join(folder, "t.varve"), os.path.join(folder, "one.varve")
    subprocess.run([VARVE, "record", "--no-pack", "-o", trace, "--", "cat", "/dev/null"], check=True)
    subprocess.run([VARVE, "pack", "--quiet", "--time", "none", "-o", packed, trace], check=True)
    return packed


def answer_of(path):
    result = subprocess.run([VARVE, "info", "--files", "--format", "json", path], capture_output=True, timeout=100, preexec_fn=limited)
    return result.returncode, result.stdout


def same_totals(folder, source):
    """A sum that occurs 2^40 times is damage, and is computed from the records."""
    changed, path = Changed(source), os.path.join(folder, "twice")
    many_totals(changed, 1 << 40, 0)
    changed.write(path)
    (status, ours), (_, theirs) = answer_of(path), answer_of(source)
    ours, theirs = (json.loads(said)["files"] if said else None for said in (ours, theirs))
    return [] if status == 0 and ours == theirs and ours else [f"twice: status {status}, {ours}"]


def wrong_answers(folder):
    """Impossible answers, or answers cut at any byte, are ignored: the records are used."""
    trace, source = os.path.join(folder, "s.varve"), os.path.join(folder, "several.varve")
    subprocess.run([VARVE, "record", "--no-pack", "-o", trace, "--", "sh", "-c", "cat /dev/null | cat; busybox true; true"], check=True,
                   stderr=subprocess.DEVNULL)
    subprocess.run([VARVE, "pack", "--quiet", "-o", source, trace], check=True)
    told, right = Packed(source).sections[ANSWERS], answer_of(source)
    without = ("size", "bytes_per_record", "encoded_bytes", "nodes")
    plain = lambda said: {key: value for key, value in json.loads(said[1]).items() if key not in without} if said[1] else said
    found, step = [], max(1, len(told) // 40)
    for at in range(0, len(told), step):
        for what, content in (("cut", told[:at]), ("changed", told[:at] + bytes([told[at] ^ 0x55]) + told[at + 1:])):
            changed, path = Changed(source), os.path.join(folder, "answers")
            changed.put(ANSWERS, content)
            changed.write(path)
            said = answer_of(path)
            if said[0] != 0 or (what == "cut" and plain(said) != plain(right)):
                found.append(f"answers {what} at {at}: status {said[0]}, other answers")
    return found[:5]


def main():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source.varve")
        with open(GOLDEN, "rb") as file, open(source, "wb") as to:
            to.write(file.read())
        one = pack_one(folder)
        found = [*refused("nodes", source, lambda changed: left_over(changed, NODES), "nodes"),
                 *refused("damages", source, lambda changed: left_over(changed, DAMAGES), "list of damages"),
                 *refused("streams", source, lambda changed: left_over(changed, STREAMS), "streams"),
                 *refused("continued", source, lambda changed: with_mark(changed, 4), "shape"),
                 *refused("mark", source, lambda changed: with_mark(changed, 32), "shape"),
                 *refused("newer", source, lambda changed: other_version(changed, 4), "newer Varve"),
                 *refused("none", source, lambda changed: other_version(changed, 0), "missing"),
                 *refused("crowded", one, crowded, "more columns than"),
                 *refused("totals", one, lambda changed: many_totals(changed, 1 << 40, 1), "totals of files",
                          verb=("info", "--files"))]
        found += same_totals(folder, one)
        found += wrong_answers(folder)
    print("\n".join(found) or "ok")
    sys.exit(1 if found else 0)


main()
