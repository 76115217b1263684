"""The packed form, for the second decoder: sections 15, 16 and 20 of docs/format.md.

Opens the file by its foot, unpacks its sections and lists nodes, streams and parts, which may be in other files. A Packed has
the same members as the trace folders of _decoder.py: description, tables, index, damages, and by stream the blocks with their
records.
"""
import os
import struct

import _guard as guard
from _blocks import FIXED as HEADER
from _blocks import MAGIC, PACKED, block_at
from _classes import Class, Input, Lost, Part
from _columns import WRAP, Bad, unpack_first_frame
from _tables import IndexHead, read_pairs, read_tables, worst_end
from _tracks import CALLS, NAMES, TRACKS, TRACKS_OF, StreamReader

(NODES, STRUCTURE, OTHERS, REST, STREAMS, PARTS, DATA, DAMAGES, FOOT, TABLES, FILES, ANSWERS, GUARD) = range(1, 14)
CONTENTS = (NODES, STRUCTURE, OTHERS, REST, STREAMS, PARTS, DAMAGES, TABLES)
MOST_FILES = 256
FOOT_PAYLOADS = {version: struct.Struct(f"<IIQ{words}Q") for version, words in ((1, 24), (2, 26), (3, 29))}
GUARDED = 3  # from this version on there are guards, and feet at the beginning
BEGIN = 2 * (HEADER.size + FOOT_PAYLOADS[GUARDED].size)
LOSSES = struct.Struct("<32Q")


def is_packed(path):
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, "packed.0"))
    with open(path, "rb") as file:
        data = file.read()
    heads = (data[at:at + HEADER.size] for at in (0, BEGIN // 2, len(data) - BEGIN // 2) if at >= 0)
    return any(len(head) == HEADER.size and head[:8] == MAGIC and head[10] == PACKED for head in heads)


class PackedStream:
    """A row of the list of streams."""

    def __init__(self, source, tracks):
        self.process, self.thread = source.number(), source.number()
        self.pid, self.tid, self.rank = (to_i32(source.signed()) for _ in range(3))
        self.node, self.resolution, self.clock_kind = source.number(), source.number(), source.number()
        self.classes = [source.number() for _ in range(tracks)] + [0] * (TRACKS - tracks)
        if not self.process or not self.resolution:
            raise Bad("a stream without a process or a clock")


class PackedNode:
    """A node of the trace that was packed."""

    def __init__(self, source):
        self.number, self.size, self.state, self.aligned = (source.number() for _ in range(4))
        self.shift_ns, self.error_ns = source.signed(), source.signed()
        self.first_process, self.last_process = source.number(), source.number()
        self.run, self.clock = read_pairs(source.text()), read_pairs(source.text())
        self.index = IndexHead(source.text())
        self.indexed = bool(self.state & 1)


def to_i32(value):
    low = value & 0xffffffff
    return low - (1 << 32) if low >> 31 else low


def wrong_places(parts):
    """Offsets and lengths of parts that are wrong; the end of the file for those that are not in it."""
    found = {(part.offset, part.size) if part.is_there() else (len(part.data), 0) for part in parts if not part.is_good()}
    return frozenset(found or {(parts[0].offset if parts else 0, 0)})


class Packed:
    lanes = False

    def __init__(self, path):
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        with open(os.path.join(path, "packed.0") if os.path.isdir(path) else path, "rb") as file:
            self.data = file.read()
        self.damages, self.foreign = [], {}
        places = self.read_foot()
        if self.version >= GUARDED:
            self.data = self.mended(self.data, BEGIN, places[GUARD][0] - BEGIN)
            if self.said_size != len(self.data):
                self.damages.append(("packed.0", min(self.said_size, len(self.data)), abs(self.said_size - len(self.data)),
                                     "another length"))
        self.data_begin = places[DATA][0]
        several = bool(places[FILES][1])
        answered = len(places) > ANSWERS and bool(places[ANSWERS][1])
        self.sections = {kind: self.content(kind, *places[kind]) for kind in CONTENTS + (FILES,) * several + (ANSWERS,) * answered}
        self.read_nodes(self.section(NODES))
        tables = self.section(TABLES)
        self.tables_check = tables.number()
        self.tables = read_tables(tables.data[tables.at:])
        listed = self.listed(STREAMS, lambda source: PackedStream(source, self.tracks))
        self.classes = [[] for _ in range(TRACKS)]
        for kind in (STRUCTURE, OTHERS, REST):
            self.read_classes(kind)
        members = self.read_members(listed)
        self.files = self.read_files(folder, len(listed)) if several else [(self.data, len(listed))]
        self.read_parts(listed)
        self.damages += self.read_damages(self.section(DAMAGES))
        self.blocks, self.streams, self.readers = [], {}, {}
        for stream, of_stream in zip(listed, members):
            self.read_stream(stream, of_stream)

    @staticmethod
    def foot_at(data, at, version):
        """The payload and the block of a good foot, or None."""
        block = block_at(data, at) if at >= 0 else None
        if block is None or (block.type, block.sequence) != (PACKED, FOOT) or not block.payload_is_good():
            return None
        payload = block.payload()
        size = FOOT_PAYLOADS[version].size
        if len(payload) != size or struct.unpack_from("<I", payload)[0] != version:
            return None
        return FOOT_PAYLOADS[version].unpack(payload), block

    def feet(self, data):
        """Possible places and versions of a foot."""
        for at in (0, BEGIN // 2, len(data) - BEGIN // 2):
            yield at, GUARDED
        for version in (2, 1):
            yield len(data) - HEADER.size - FOOT_PAYLOADS[version].size, version

    def read_foot(self):
        """Offset and length of each kind."""
        found = next(filter(None, (self.foot_at(self.data, at, version) for at, version in self.feet(self.data))), None)
        if found is None:
            raise Bad("there is no foot")
        (self.version, _, self.said_size, *places), block = found
        if self.version < GUARDED and self.said_size != len(self.data):
            raise Bad("a foot of another file")
        self.tracks = TRACKS_OF[min(self.version, 2)]
        self.run_id = block.run_id
        if self.version >= GUARDED:
            self.content_hash = places.pop()
        return list(zip(places[::2], places[1::2]))

    @staticmethod
    def mended(data, begin, length):
        """The file with this range repaired by the guard after it."""
        size, end = guard.size(length), begin + length
        payload = data[end + HEADER.size:end + HEADER.size + size]
        if length <= 0 or len(payload) != size:
            return data
        return data[:begin] + guard.mended(data[begin:end], payload) + data[end:]

    def content(self, kind, offset, length):
        block = block_at(self.data, offset)
        if block is None or (block.type, block.version, block.sequence, block.length) != (PACKED, 2, kind, length) or \
                not block.payload_is_good():
            raise Bad(f"section {kind} is damaged")
        source = Input(block.payload())
        size = source.number()
        return unpack_first_frame(source.data[source.at:], size)

    def section(self, kind):
        return Input(self.sections[kind])

    def answers(self):
        """The stored answers: the strings of processes, the tree, objects and libraries, paths; None: there are none."""
        if ANSWERS not in self.sections:
            return None
        source = self.section(ANSWERS)
        processes, tree, objects, paths = (Input(source.text()) for _ in range(4))
        source.end()
        strings = [processes.text() for _ in range(processes.number())]
        entries = [(tree.number(), tree.number(), tree.number(), tree.signed(), tree.number(), tree.number())
                   for _ in range(tree.number())]
        if any(above > at or began > 7 or ended > 5 or flags > 7 for at, (above, began, ended, _, flags, _) in enumerate(entries)):
            raise Bad("an entry of the tree cannot be")
        untraced = [(tree.text() if tree.number() else None, tree.number(), tree.number(), tree.number())
                    for _ in range(tree.number())]
        sums = [tree.number() for _ in range(3)]
        loaded = [(objects.text(), objects.number(), objects.number()) for _ in range(objects.number())]
        libraries = [(objects.text(), objects.text(), objects.number()) for _ in range(objects.number())]
        done = [objects.number() for _ in range(6)]
        found = {"strings": strings, "tree": entries, "untraced": untraced, "sums": sums, "objects": loaded,
                 "libraries": libraries, "done": done, "paths": paths.number()}
        for part in (processes, tree, objects, paths):
            part.end()
        return found

    def listed(self, kind, make):
        source = self.section(kind)
        found = [make(source) for _ in range(source.number())]
        source.end()
        return found

    def read_nodes(self, source):
        self.time, self.overruns, self.candidates, self.world, self.source_size = (source.number() for _ in range(5))
        self.nodes = [PackedNode(source) for _ in range(source.number())]
        loss = list(LOSSES.unpack(source.text()))
        source.end()
        if not self.nodes or self.time > 2:
            raise Bad("no nodes, or times of an unknown kind")
        self.run = self.nodes[0].run
        self.index = worst_end([node.index for node in self.nodes if node.indexed])
        if self.index:
            self.index.loss = loss

    def read_classes(self, kind):
        source = self.section(kind)
        tracks = (CALLS, NAMES) if kind != REST else [track for track in range(NAMES + 1, self.tracks) for _ in range(2)]
        for track in tracks:
            for _ in range(source.number()):
                self.classes[track].append(Class(source, source.number()))
        source.end()

    def read_members(self, listed):
        """For each stream and track its class and its place in that, or None."""
        seen = [[0] * len(classes) for classes in self.classes]
        members = []
        for stream in listed:
            row = []
            for track, number in enumerate(stream.classes):
                if number > len(seen[track]):
                    raise Bad("a stream has no such class")
                row.append((self.classes[track][number - 1], seen[track][number - 1]) if number else None)
                if number:
                    seen[track][number - 1] += 1
            members.append(row)
        if any(count != class_.members for counts, classes in zip(seen, self.classes) for count, class_ in zip(counts, classes)):
            raise Bad("a class has another number of members")
        return members

    def read_files(self, folder, streams):
        """The bytes of each file, and the number of streams with parts in it."""
        source, found = self.section(FILES), []
        count = source.number()
        if not 2 <= count <= MOST_FILES:
            raise Bad("a number of files that cannot be")
        for number in range(count):
            data, share = self.data, source.number()
            if number:
                length, (check,) = source.number(), struct.unpack("<Q", source.take(8))
                data = self.read_other(folder, f"packed.{number}", length, check)
            found.append((data, share))
        source.end()
        if sum(share for _, share in found) != streams:
            raise Bad("files have another number of streams")
        return found

    def read_other(self, folder, name, length, check):
        try:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            self.damages.append((name, 0, length, "the file is missing"))
            return b""
        if len(data) != length:
            self.damages.append((name, min(len(data), length), abs(len(data) - length), "another length"))
        heads = [data[:HEADER.size]]
        if self.version >= GUARDED:
            feet = [self.foot_at(data, at, version) for at, version in self.feet(data) if version >= GUARDED]
            heads = [data[foot[1].at:foot[1].at + HEADER.size] for foot in feet if foot]
            self.foreign[name] = bool(heads)
        if not any((head[24:40], struct.unpack("<Q", head[-8:])) == (self.run_id, (check,)) for head in heads
                   if len(head) == HEADER.size):
            self.damages.append((name, 0, 0, "of another trace"))
        else:
            self.foreign[name] = False
        return data[:length]

    def read_blocks(self, source):
        """Repairs the blocks of data of each file."""
        for number, (data, share) in enumerate(self.files):
            at = BEGIN if number else self.data_begin
            for _ in range(source.number()):
                length = source.number()
                if not self.foreign.get(f"packed.{number}"):
                    data = self.mended(data, at, length)
                at += -(-(length + HEADER.size + guard.size(length)) // 8) * 8
            self.files[number] = data, share

    def read_parts(self, listed):
        source, found = self.section(PARTS), []
        placed = self.version >= GUARDED
        if placed:
            self.read_blocks(source)
        begins = [0 if not placed else BEGIN if number else self.data_begin for number in range(len(self.files))]
        places = [(number, data, begin, not at) for number, ((data, share), begin) in enumerate(zip(self.files, begins))
                  for at in range(share)]
        for stream, (number, data, begin, first) in zip(listed, places):
            stream.file, stream.parts = f"packed.{number}", []
            ends = [0, 0] if first else ends
            counts = [source.number(), source.number()] if placed else [0, source.number()]
            for sort in [0] * counts[0] + [1] * counts[1]:
                offset = ends[sort] + (source.signed() if placed else source.number()) & WRAP
                size = source.number()
                ends[sort] = offset + size
                stream.parts.append(Part(data, begin + offset, size, None))
            found += stream.parts
        for part in found:
            part.check, = struct.unpack("<I", source.take(4))
        source.end()

    @staticmethod
    def read_damages(source):
        found = []
        for _ in range(source.number()):
            file, offset, length, why = source.text(), source.number(), source.number(), source.text()
            found.append((file.decode(), offset, length, why.decode("utf-8", "replace")))
        source.number()
        source.end()
        return found

    def read_stream(self, stream, classes):
        if stream.node >= len(self.nodes) or (stream.process, stream.thread) in self.streams:
            raise Bad("a stream is there twice, or has no node")
        try:
            reader = self.readers[stream.process, stream.thread] = StreamReader(stream, classes, stream.parts, self.time)
        except Lost:
            self.damages.append((stream.file, wrong_places(stream.parts), None, "a list of chunks"))
            return
        decoded = reader.read()
        if reader.lost:
            self.damages += [(stream.file, wrong_places(stream.parts), None, "a chunk")] * reader.lost
        self.blocks += [chunk for chunk, _, _ in decoded]
        if decoded:
            self.streams[stream.process, stream.thread] = decoded
