"""Blocks of the second decoder: section 3 and the scan of section 12 of docs/format.md.

Finds the good blocks of a data file and the damage between them. It checks headers and payloads and divides a payload into its
columns; _records.py interprets the columns.
"""
import struct

from _columns import Bad, column, xxh64

RECORDS, RUN, TABLES, INDEX, VOID, PACKED = 1, 2, 3, 4, 5, 6
MAGIC = b"VARVEBLK"
VERSIONS = (1, 2, 3)
PART = 3  # of a block with removed records
FIXED = struct.Struct("<8sHBBIQ16sQIIiiiIQQqqQqQqIIIIQQ")
SUMMARY = struct.Struct("<HHIIiQQ")
ROW = struct.Struct("<HBBIII")
MOST_RECORDS = 4194304


class Newer(Exception):
    """Written by a newer Varve: this reader cannot read it."""


class Block:
    """A block with a good header."""

    def __init__(self, data, at):
        self.at = at
        (_, self.version, self.type, self.codec, self.header_length, self.length, self.run_id, self.sequence, self.process,
         self.thread, self.pid, self.tid, self.rank, self.resolution, self.records, self.first_ordinal, self.first_tick,
         self.last_tick, *self.clock, self.clock_kind, self.summaries, self.columns, self.definitions, self.payload_check,
         _) = FIXED.unpack_from(data, at)
        self.data = data
        self.shift = 0  # ticks by which its node began later than the first

    def stream(self):
        return self.process, self.thread

    def payload(self):
        return self.data[self.at + self.header_length:self.at + self.length]

    def payload_is_good(self):
        if self.type == VOID and self.payload_check == 0:
            return True
        return xxh64(self.payload(), self.sequence) == self.payload_check

    def summary_rows(self):
        at = self.at + FIXED.size
        return list(SUMMARY.iter_unpack(self.data[at:at + self.summaries * SUMMARY.size]))

    def read_columns(self):
        """The columns by (function, number); encoding and values."""
        at = self.at + FIXED.size + self.summaries * SUMMARY.size
        rows = list(ROW.iter_unpack(self.data[at:at + self.columns * ROW.size]))
        payload, at, found = self.payload(), 0, {}
        for function, number, encoding, count, stored, _ in rows:
            if at + stored > len(payload):
                raise Bad("columns are longer than the payload")
            if (function, number) in found:
                raise Bad("a column occurs twice")
            if count > 64 * MOST_RECORDS:
                raise Bad("a column is too long")
            found[function, number] = encoding, column(encoding, payload[at:at + stored], count)
            at += stored
        return found


def block_at(data, at):
    """The block with a good header at `at`, or None."""
    if len(data) - at < FIXED.size or data[at:at + 8] != MAGIC:
        return None
    version, = struct.unpack_from("<H", data, at + 8)
    header_length, length = struct.unpack_from("<IQ", data, at + 12)
    if header_length < FIXED.size or length < header_length or length % 8 or at + header_length > len(data):
        return None
    seed = xxh64(data[at:at + 160], 0)
    check, = struct.unpack_from("<Q", data, at + 160)
    if xxh64(data[at + FIXED.size:at + header_length], seed) != check:
        return None
    if version > VERSIONS[-1]:
        raise Newer(f"a block of version {version}")
    block = Block(data, at)
    if version not in VERSIONS or header_length != FIXED.size + block.summaries * SUMMARY.size + block.columns * ROW.size:
        return None
    if at + length > len(data) or block.records > MOST_RECORDS:
        return None
    return block


def scan(data, run_id=None):
    """All blocks of one run with good headers; the damages between them as (file, offset, length, why); and the run."""
    blocks, damages, at = [], [], 0
    while at < len(data):
        block = block_at(data, at)
        if block is None:
            start = at
            at += 8
            while at < len(data) and block_at(data, at) is None:
                at = data.find(MAGIC, at + 1)
                while at >= 0 and at % 8:
                    at = data.find(MAGIC, at + 1)
                if at < 0:
                    at = len(data)
            damages.append(("data.0", start, min(at, len(data)) - start, "no block"))
            at = min(at, len(data))
            continue
        if run_id is None:
            run_id = block.run_id
        if block.run_id == run_id:
            blocks.append(block)
        else:
            damages.append(("data.0", at, block.length, "another run"))
        at += block.length
    return blocks, damages, run_id
