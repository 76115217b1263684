"""Random traces as folders: writes the blocks of _chance.py one after another, with copies, void blocks and an index, and
damages some.

write_trace() makes the trace of a seed and returns what was done to it. Damage is defined in section 12 of docs/format.md;
copies, void blocks and blocks out of order are not damage. The blocks RUN and TABLES are never damaged: docs/format.md does not
define what a reader does without a description or tables, or whether it reports that too. tests/unit/test_damage.c damages
them.
"""
import os
import random

import _writer as writer
from _blocks import FIXED, MAGIC, RECORDS, VOID, block_at
from _chance import StreamMaker, random_tables
from _tables import Function, read_tables

MOST_REAL = 6  # functions of real tables that one trace uses
_known_tables = {}


def tables_of(payload):
    """Tables are parsed once: those of a real trace are long."""
    if payload not in _known_tables:
        if len(_known_tables) > 8:
            _known_tables.clear()
        _known_tables[payload] = read_tables(payload)
    return _known_tables[payload]


def unheard_of(tables):
    """Functions that the tables do not have: codec columns cannot contain their records."""
    kind = tables.kinds[0]
    return [Function(number, "", "", "", kind, words, 0, 0, [], []) for number, words in ((0xfefe, 0), (0xfeff, 3))
            if number not in tables.functions]


def stream_blocks(chance, run_id, payload):
    """RECORDS blocks of some streams, in order."""
    tables = tables_of(payload)
    rows = list(tables.functions.values())
    if len(rows) > MOST_REAL:
        rows = chance.sample(rows, MOST_REAL)
    resolution = chance.choice((1, 100, 100, 1000))
    blocks = []
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        stream = (chance.randint(1, 3), chance.randint(1, 2), chance.randint(1, 99999), chance.randint(1, 99999),
                  chance.choice((-1, -1, -1, 0, 7)), resolution)
        if any(made[0] == stream[:2] for made in blocks):
            continue
        unheard = chance.random() < 0.05
        for sequence, first, records, definitions in StreamMaker(chance, rows + unheard_of(tables) * unheard, stream).blocks:
            codec = chance.choice((2, 3)) if unheard else chance.choice((1, 1, 1, 2, 3))
            blocks.append((stream[:2], writer.records_block(run_id, stream, sequence, records, definitions, tables, chance,
                                                            codec, first)))
    return [made[1] for made in blocks]


def garbage(chance):
    data = bytearray(chance.getrandbits(8) for _ in range(8 * chance.randint(1, 40)))
    if chance.random() < 0.5:
        at = chance.randrange(len(data) - 7)
        data[at:at + 8] = MAGIC
    if chance.random() < 0.2:
        return bytes(len(data))
    return bytes(data)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:]


def index_entries(data):
    """An entry for each block with a good header, except void blocks."""
    entries, at = [], 0
    while at < len(data):
        block = block_at(data, at)
        if block is None:
            at += 8
            continue
        if block.type != VOID:
            entries.append((at, block.length, block.sequence, block.process, block.thread, block.records, block.first_tick,
                            block.last_tick, block.type, 0))
        at += block.length
    return entries


class Assembly:
    def __init__(self, seed, real=None):
        self.chance = chance = random.Random(seed)
        self.run_id = bytes(chance.getrandbits(8) for _ in range(16))
        self.done = []
        payload = real if real and chance.random() < 0.03 else random_tables(chance)
        head = [writer.run_block(self.run_id, [("varve", b"0.1.0"), ("resolution", b"100"), ("host", b"h\xff"),
                                               ("unheard.of", b"x=y")]), writer.tables_block(self.run_id, payload)]
        pieces = stream_blocks(chance, self.run_id, payload)
        self.hurt = chance.random() < 0.45
        if chance.random() < 0.4:
            chance.shuffle(pieces)
        self.add(pieces)
        self.data = b"".join(head + pieces)
        self.head = sum(map(len, head))
        self.index = None if chance.random() < 0.1 else self.make_index()
        if self.hurt:
            self.damage()

    def add(self, pieces):
        """Void blocks and copies, which are not damage; random bytes, blocks of other runs and missing blocks, which are."""
        chance = self.chance
        place = lambda: chance.randint(0, len(pieces))
        while chance.random() < 0.2:
            pieces.insert(place(), writer.void_block(self.run_id, 8 * chance.randrange(9), chance.random() < 0.5))
        if pieces and chance.random() < 0.15:
            pieces.insert(place(), chance.choice(pieces))
        if not self.hurt:
            return
        if chance.random() < 0.3:
            self.done.append("garbage")
            pieces.insert(place(), garbage(chance))
        if chance.random() < 0.15:
            self.done.append("another run")
            pieces.insert(place(), writer.void_block(bytes(16), 8, True))
        if pieces and chance.random() < 0.15:
            self.done.append("lost")
            pieces.pop(chance.randrange(len(pieces)))
        if pieces and chance.random() < 0.2:
            copied = chance.choice(pieces)
            if len(copied) > FIXED.size and copied[:8] == MAGIC and copied[10] == RECORDS:
                self.done.append("bad copy")
                pieces.insert(place(), flipped(copied, chance.randrange(FIXED.size, len(copied))))

    def make_index(self):
        chance = self.chance
        entries, length = index_entries(self.data), len(self.data)
        if chance.random() < 0.1 and entries:
            del entries[chance.randrange(1, len(entries) + 1):]
            length = entries[-1][0] + entries[-1][1]
        loss = [chance.choice((0, 0, 0, 0, 0, 1, 12345)) if chance.random() < 0.2 else 0 for _ in range(12)]
        if self.hurt and entries and chance.random() < 0.1:
            self.done.append("wrong entry")
            place = chance.randrange(len(entries))
            entry = list(entries[place])
            entry[chance.choice((2, 3, 4, 5))] += 1
            entries[place] = tuple(entry)
        return writer.index_bytes(self.run_id, length, entries, chance.randint(1, 3), chance.randrange(9), loss)

    def damage(self):
        chance = self.chance
        if chance.random() < 0.3 and len(self.data) > self.head:
            self.done.append("flipped")
            self.data = flipped(self.data, chance.randrange(self.head, len(self.data)))
        if chance.random() < 0.2:
            self.done.append("cut")
            self.data = self.data[:chance.randint(self.head, len(self.data))]
        if self.index and chance.random() < 0.1:
            self.done.append("index flipped")
            self.index = flipped(self.index, chance.randrange(len(self.index)))
        if self.index and chance.random() < 0.05:
            self.done.append("index cut")
            self.index = self.index[:chance.randrange(len(self.index))]


def write_trace(folder, seed, real=None):
    """Makes the trace of `seed` in `folder`; returns what was done to it."""
    made = Assembly(seed, real)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "data.0"), "wb") as file:
        file.write(made.data)
    path = os.path.join(folder, "index")
    if made.index is not None:
        with open(path, "wb") as file:
            file.write(made.index)
    elif os.path.exists(path):
        os.remove(path)
    return made.done
