#!/usr/bin/env python3
"""A second decoder of traces, written from docs/format.md alone: its output is compared with that of `varve`.

Opens a trace of either form, lists good blocks and damages, joins the halves of cut calls and yields each call as the object
that `varve dump --format json --by-stream` prints. It shares no code with Varve and reads no lanes of dead processes.

    python3 tests/decoder/_decoder.py TRACE      calls as JSON lines
"""
import json
import sys

from _blocks import RECORDS, Newer
from _columns import Bad
from _files import Parts, Scene, file_of, handle_of, second_of
from _nodes import Node, join, node_numbers
from _packed import Packed, is_packed
from _print import HOWS, KINDS, error_name, text_of, value_of
from _records import CONTINUED, FAILED, RUNTIME, UNFINISHED, VFORK, read_block
from _tables import DIRFD, FD, LANE_ERRORS, OFFSET, HANDLES, NAME, NOTHING, POINTER, STRING, joined_errors, read_tables, worst_end
from _tracks import EXACT, HISTOGRAM, NONE


def open_trace(path):
    """A trace of either form."""
    return PackedTrace(path) if is_packed(path) else Trace(path)


def reaped(field, record):
    """Whether a wait returned for a child, if the field describes its end."""
    if field.kind.name == "wait_status":
        return record.result != 0
    return field.kind.name != "waited" or record.words[field.word] >> 32 != 0


class Trace:
    """A trace folder: blocks, description, tables, index, damages."""
    time, packed = EXACT, False

    def __init__(self, path):
        self.nodes, run_id = [], None
        for number in node_numbers(path):
            self.nodes.append(Node(path, number, run_id))
            run_id = self.nodes[-1].run_id
        if not self.nodes or self.nodes[0].number:
            raise Bad("there is no data.0")
        self.data = self.nodes[0].data
        self.run, self.tables, self.streams = self.nodes[0].run, None, {}
        self.lanes = any(node.lanes for node in self.nodes)
        for node in self.nodes:
            if node.tables is not None and self.tables is None:
                self.tables = read_tables(node.tables.payload())
        if self.tables is None:
            raise Bad("there are no tables")
        join(self.nodes)
        self.blocks = [block for node in self.nodes for block in node.blocks]
        self.damages = [damage for node in self.nodes for damage in node.damages]
        self.index = self.join_indexes()
        self.look_for_gaps()
        self.read_records()

    def join_indexes(self):
        """Losses of all nodes, and the worst end."""
        found = [node.index for node in self.nodes if node.index]
        if not found:
            return None
        losses = [sum(index.loss[at] for index in found) for at in range(len(found[0].loss))]
        losses[LANE_ERRORS] = joined_errors([index.loss[LANE_ERRORS] for index in found])
        chosen = worst_end(found)
        chosen.loss = losses
        return chosen

    def file_of(self, block):
        return next(node.name for node in self.nodes if block in node.blocks)

    def damage(self, block, why):
        self.damages.append((self.file_of(block), block.at, block.length, why))

    def read_records(self):
        """Fills `streams`: by process and thread, the decoded blocks in order of their sequence."""
        copies = {}
        for block in self.blocks:
            if block.type == RECORDS:
                copies.setdefault((block.process, block.thread, block.sequence), []).append(block)
        for (process, thread, sequence), blocks in sorted(copies.items()):
            block = next((block for block in blocks if block.payload_is_good()), None)
            if block is None:
                self.damage(blocks[0], "payload")
                continue
            try:
                decoded = block, *read_block(block, self.tables)
            except Bad as bad:
                self.damage(block, str(bad))
                continue
            self.streams.setdefault((process, thread), []).append(decoded)

    def look_for_gaps(self):
        """Missing sequences that nothing explains: only blocks of records are damaged, and no records were dropped."""
        if self.damages or self.lanes or any(node.index is None for node in self.nodes):
            return
        if any(self.index.loss[:2] + self.index.loss[16:22]):
            return
        sequences = {}
        for block in self.blocks:
            if block.type == RECORDS:
                sequences.setdefault(block.stream(), {}).setdefault(block.sequence, []).append(block)
        for stream, found in sequences.items():
            ordered = [0] + sorted(found)
            for before, after in zip(ordered, ordered[1:]):
                if after != before + 1:
                    copies = found[after]
                    block = next((block for block in copies if block.payload_is_good()), copies[0])
                    self.damages.append((self.file_of(block), block.at, 0,
                                         f"blocks {before + 1} to {after - 1} of {stream} are missing"))

    def calls(self):
        """Every call as an object, stream after stream, in order of the first halves."""
        addresses = ("pointers", "1") in self.run
        for stream in sorted(self.streams):
            yield from Stream(self.tables, self.streams[stream], self.time, self.packed, addresses).calls()


class PackedTrace(Packed):
    """A packed trace: chunks are blocks, and calls are joined already where they began; a continued record is not a call."""
    packed = True
    calls = Trace.calls


class Seen:
    """A record with the facts in its block."""
    __slots__ = ("record", "row", "inputs", "outputs", "parts")


class Stream:
    """The decoded blocks of one stream, in order."""

    def __init__(self, tables, blocks, time, packed, addresses):
        self.tables, self.blocks, self.time, self.packed, self.addresses = tables, blocks, time, packed, addresses

    def calls(self):
        order, open_calls = [], {}
        for _, records, definitions in self.blocks:
            scene = Scene(definitions)
            for record in records:
                seen = self.look(record, scene)
                if record.marks & CONTINUED and self.packed:
                    continue
                if record.marks & CONTINUED and record.ordinal in open_calls:
                    open_calls[record.ordinal].append(seen)
                    continue
                halves = [seen]
                order.append(halves)
                if record.marks & UNFINISHED:
                    open_calls[record.ordinal] = halves
        for halves in order:
            yield self.call(halves)

    def look(self, record, scene):
        row = self.tables.functions.get(record.function)
        scene.begin(record, row)
        seen = Seen()
        seen.record, seen.row, seen.inputs, seen.outputs, seen.parts = record, row, {}, {}, Parts()
        if row is None:
            return seen
        for field in row.recorded:
            if field.word < len(record.words):
                late = record.late.get(field.word) if record.late and field.output else None
                if late:
                    seen.outputs[field.name] = self.late_argument(field, record.words[field.word], *late)
                else:
                    self.argument(field, record.words[field.word], scene, seen.outputs if field.output else seen.inputs)
                    if self.unrecorded(field.style, record.words[field.word]):
                        (seen.outputs if field.output else seen.inputs)[field.name] = [(field.name, None)]
        seen.parts = scene.parts(record, row)
        return seen

    def unrecorded(self, style, word):
        """In a run without recorded addresses they are 0."""
        return style == POINTER and not word and not self.addresses

    @staticmethod
    def late_argument(field, word, file, _):
        """An output that only a later block describes."""
        absolute = text_of(file.absolute) if file and file.absolute is not None else None
        if field.style in (NAME, STRING):
            pairs = [(field.name, text_of(file.given) if file and file.given is not None else None)]
            return pairs + ([(field.name + "_absolute", absolute)] if absolute is not None and field.style == NAME else [])
        pairs = [(field.name, value_of(field.kind, word))]
        return pairs + ([(field.name + "_path", absolute)] if absolute is not None else [])

    @staticmethod
    def argument(field, word, scene, found):
        pairs = []
        if field.style in (NAME, STRING):
            known = scene.names.get(word) if word else None
            pairs.append((field.name, text_of(known[2]) if known else None))
            path = scene.name_path(word) if known and field.style == NAME else None
            if path is not None:
                pairs.append((field.name + "_absolute", text_of(path)))
        else:
            pairs.append((field.name, value_of(field.kind, word)))
            if field.style in HANDLES:
                path = scene.handle_path(handle_of(field.style, word))
                if path is not None:
                    pairs.append((field.name + "_path", text_of(path)))
        found[field.name] = pairs

    def call(self, halves):
        first, last = halves[0], halves[-1]
        record, row, end = first.record, first.row, last.record
        block = record.block
        said = {"start": (record.entry + block.shift) * block.resolution if self.time != NONE else None}
        if self.time == HISTOGRAM:
            said["approximate"] = True
        said.update(process=block.process, thread=block.thread, pid=block.pid, tid=block.tid)
        if block.rank >= 0:
            said["rank"] = block.rank
        said["ordinal"], said["depth"] = record.ordinal, record.depth
        said["layer"], said["function"] = (row.layer, row.name) if row else ("", None)
        if row is None:
            said["function_id"] = record.function
        said["args"] = self.arguments(first, last)
        if row is None:
            said["words"] = record.words
        if end.finished():
            timed = self.time != NONE and not (row and row.op == "load")
            said["duration"] = (end.exit - record.entry) * block.resolution if timed else None
            if row is None or row.result.style != NOTHING:
                said["result"] = None if row and self.unrecorded(row.result.style, end.result) else end.result
            if end.marks & FAILED:
                said["failed"] = True
                if end.error:
                    said["errno"] = end.error
                    if error_name(end.error):
                        said["error"] = error_name(end.error)
        else:
            said["unfinished"] = True
        self.say_access(said, first, last)
        self.say_file(said, first, last)
        if record.marks & VFORK:
            said["vfork"] = True
        if record.marks & RUNTIME:
            said["runtime"] = True
        return said

    @staticmethod
    def arguments(first, last):
        said = {}
        for field in first.row.recorded if first.row else ():
            if field.output and not (last.record.succeeded() and reaped(field, last.record)):
                continue
            for key, value in (last.outputs if field.output else first.inputs).get(field.name, ()):
                said[key] = value
        return said

    @staticmethod
    def say_access(said, first, last):
        row, words, end = first.row, first.record.words, last.record
        if row is None:
            return
        there = [field for field in row.recorded if field.word < len(words)]
        pairs = [field for field in there if field.style in (FD, DIRFD)]
        inputs = [field for field in pairs if not field.output]
        if inputs:
            said["fd"] = value_of(inputs[0].kind, words[inputs[0].word])
        elif pairs and end.succeeded():
            said["fd"] = value_of(pairs[0].kind, end.words[pairs[0].word])
        for field in there:
            if field.style == OFFSET and not field.output:
                if value_of(field.kind, words[field.word]) is not None:
                    said["offset"] = value_of(field.kind, words[field.word])
                break
        else:
            known = [value_of(field.kind, end.words[field.word]) for field in there
                     if field.output and field.kind.name == "byte_offset"] if end.succeeded() else []
            if known and known[0] >= 0:
                said["offset"] = known[0]
        if row.rule == 0 or not end.finished() or (end.marks & FAILED and (row.rule in (3, 4) or end.result <= 0)) or \
                (end.result < 0 and row.rule not in (3, 4)):
            return
        if row.rule == 4:
            said["size"] = row.rule_word if end.result != -1 else 0
        elif row.rule == 1:
            said["size"] = end.result
        elif row.rule_word < len(words):
            output = any(field.output and field.word == row.rule_word for field in there)
            items = (end.words if output else words)[row.rule_word]
            said["size"] = items if row.rule == 3 else end.result * items & 0xffffffffffffffff

    @staticmethod
    def said_of(file):
        said = {}
        if file.given is not None:
            said["path"] = text_of(file.given)
        if file.absolute is not None:
            said["absolute"] = text_of(file.absolute)
        if file.handle:
            said["handle"] = file.handle
            said["kind"] = KINDS[file.kind] if file.kind < len(KINDS) else "unknown"
        if file.identity:
            said["device"], said["inode"], how = file.identity
            said["identity"] = HOWS[how] if how < len(HOWS) else "unknown"
        return said

    def say_file(self, said, first, last):
        said.update(self.said_of(file_of(first.parts, last.parts)))
        second = second_of(first.parts, last.parts)
        if second and self.said_of(second):
            said["second"] = self.said_of(second)


def main():
    """Calls to standard output, damages to standard error; exits with 3 if there is damage, like the command."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        trace = open_trace(sys.argv[1])
    except (OSError, Bad, Newer) as problem:
        print(f"{sys.argv[1]}: {problem}", file=sys.stderr)
        sys.exit(3)
    for call in trace.calls():
        print(json.dumps(call, separators=(",", ":")))
    for file, offset, length, why in trace.damages:
        place = f"at {offset}, {length} bytes" if length is not None else f"at one of {sorted(offset)}"
        print(f"damage in {file} {place}: {why}", file=sys.stderr)
    if trace.lanes:
        print("the run has not been completed: what is in its lanes is not shown", file=sys.stderr)
    sys.exit(3 if trace.damages else 0)


if __name__ == "__main__":
    main()
