"""Random traces: chooses the content that _writer.py encodes. One seed is one trace.

The records follow the rules of docs/format.md: calls nest, calls that are open at the end of a block are continued in the next,
names belong to their block. Everything else is random: functions, kinds, values, times, definitions, the order and the encoding
of columns, the order of blocks, copies, void blocks. About half of the traces are then damaged.
"""
import _writer as writer
from _files import TOLD_BY_HANDLE, Scene, handle_of
from _records import CONTINUED, FAILED, HANDLE, IDENTITY, NAME, PROCESS, RUNTIME, THREAD, UNFINISHED, VFORK, Record
from _tables import DIRFD, ENUM, FD, FLAGS, HEX, HANDLE as HANDLE_STYLE, NAME as NAME_STYLE, OCTAL, STRING

OPS = ("", "", "open", "opendir", "fdopendir", "fts_open", "fopen", "fdopen", "popen", "freopen", "pipe", "socket",
       "socket_pair", "socket_accept", "make", "openpty", "dup", "read", "close")
WORDS_OF_NAMES = (b"a", b"etc", b".", b"..", b"", b"tmp", b"x y", b'"', b"\\", b"\n", b"\xff", b"\xc3\xa4", b"\xc3",
                  b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xe2\x82", b"\x7f", b"\x01", b"pipe:[1]")
ERRORS = (0, 1, 2, 9, 11, 22, 95, 35, 4095, 133, 134)
MOST_DEPTH = 30
FUNCTIONS, BLOCKS, STEPS = 6, 4, 20  # at most, in most traces



def number(chance):
    """A u64 of a random size: small ones, round ones, ends of ranges."""
    way = chance.randrange(6)
    if way < 2:
        return chance.randrange(8)
    if way == 2:
        return chance.getrandbits(chance.randrange(1, 65))
    if way == 3:
        return chance.choice(((1 << 64) - 1, 1 << 63, (1 << 63) - 1, (1 << 32) - 1, 1 << 32, 255, 256))
    if way == 4:
        return 1 << chance.randrange(64)
    return -chance.randrange(1, 300) & (1 << 64) - 1


def random_tables(chance):
    """The payload of tables with random layers, kinds and functions."""
    layers = [f"layer{i}" for i in range(chance.randint(1, 3))]
    kinds = []
    for style in list(range(1, 17)) + [chance.randint(17, 200)]:
        values = []
        if style in (FLAGS, ENUM):
            for i in range(chance.randrange(6)):
                mask = chance.choice((1 << i, 3 << 2 * i, 7, 0xff, chance.getrandbits(64) or 1))
                values.append((chance.choice((mask, chance.getrandbits(64) & mask, 1 << i & mask)), mask, f"V{style}_{i}"))
        kinds.append((f"kind{style}", style, values))
    kinds.append(("skip", 0, []))
    likely = (FD, NAME_STYLE, HANDLE_STYLE, STRING, DIRFD)
    functions, id_ = [], 0
    for _ in range(chance.randint(1, FUNCTIONS)):
        id_ += chance.choice((1, 1, chance.randint(1, 9000)))
        fields, word = [], 0
        for i in range(chance.choice((0, 1, 2, 3, 4, 5, 20))):
            if chance.random() < 0.1:
                fields.append((f"field{i}", len(kinds) - 1, 0, 0))
                continue
            style = chance.choice(likely) if chance.random() < 0.6 else chance.randint(1, 17)
            word += 1
            fields.append((f"field{i}", style - 1, word, int(chance.random() < 0.3)))
        chance.shuffle(fields)
        words = min(20, word + (chance.random() < 0.1))
        # The id of a name is not a number of bytes: it is known only in its block.
        named = {word_ - 1 for _, kind, word_, _ in fields if word_ and kind + 1 in (NAME_STYLE, STRING)}
        counts = [word_ for word_ in range(words) if word_ not in named]
        rule = chance.randrange(4) if counts else chance.randrange(2)
        functions.append((id_, chance.randrange(len(layers)), f"call{id_}", chance.choice(OPS), chance.randrange(len(kinds)),
                          words, rule, chance.choice(counts) if rule >= 2 else 0, fields,
                          [f"symbol{i}" for i in range(chance.randrange(3))]))
    if id_ % 3 == 0:
        layers[0] = "region"
        functions = list(map(as_region, functions))
    return writer.tables_bytes(layers, kinds, functions)


def as_region(function):
    """The same function in the first layer for which regions are counted, if possible; identified by a text or an address."""
    id_, layer, name, op, kind, words, rule, rule_word, fields, symbols = function
    if op not in ("", "read"):
        return function
    fields = sorted(fields, key=lambda field: field[1] + 1 not in (STRING, HEX))
    fields[:1] = [(*first[:3], 0) for first in fields[:1]]  # its name or address is known from the beginning
    return id_, 0, name, ("region", "function")[id_ % 2], 0, words, rule, rule_word, fields, symbols


class Call:
    """A call that may be open over several blocks."""

    def __init__(self, row, depth, ordinal, entry, marks):
        self.row, self.depth, self.ordinal, self.entry, self.marks = row, depth, ordinal, entry, marks
        self.record, self.named = None, False


class BlockMaker:
    """Records and definitions of one block while they are made."""

    def __init__(self, maker, first_ordinal):
        self.maker, self.chance, self.first_ordinal = maker, maker.chance, first_ordinal
        self.records, self.definitions, self.names = [], [], []
        self.known, self.files = set(), {}
        self.next_name = maker.chance.choice((1, 1, 1000, (1 << 32) - 9000))

    def define(self, type_, fields, text=b""):
        self.definitions.append((type_, len(self.records), fields, text))

    def name(self):
        """The id of a name, an old or a new one."""
        if self.names and self.chance.random() < 0.5:
            return self.chance.choice(self.names)
        chance = self.chance
        text = b"/".join(chance.choice(WORDS_OF_NAMES) for _ in range(chance.choice((1, 1, 2, 3))))
        if chance.random() < 0.4:
            text = b"/" + text
        if chance.random() < 0.01:
            text += b"n" * chance.randrange(4096 - len(text))
        kind, base = chance.choice((0, 0, 1, 2, 3)), 0
        if kind == 1 and self.names:
            base = chance.choice(self.names)
        elif kind == 2:
            base = self.handle()
        elif kind != 3:
            kind = 0
        id_ = self.next_name
        self.next_name += chance.choice((1, 1, 1, 7))
        self.define(NAME, [id_, kind, base, len(text)], text)
        self.names.append(id_)
        return id_

    def handle(self):
        """A handle that the block describes, or 0."""
        chance = self.chance
        if chance.random() < 0.15:
            return 0
        if self.known and chance.random() < 0.7:
            return chance.choice(sorted(self.known))
        handle = chance.choice(self.maker.alive)
        if handle not in self.known or chance.random() < 0.2:
            self.describe(handle)
        return handle

    def describe(self, handle, made=False):
        """A HANDLE definition. The known facts about a handle's file do not change, except after the call that made it."""
        chance = self.chance
        how = chance.randrange(3)
        name, other = self.files.get(handle, (0, 0))
        if made or not (name or other):
            name = chance.choice(self.names) if self.names and chance.random() < 0.6 else 0
            other = chance.choice(sorted(self.known)) if self.known and chance.random() < 0.3 else 0
        self.files[handle] = name, other
        self.known.add(handle)
        self.define(HANDLE, [handle, chance.randrange(9) | how << 8 | chance.randrange(3) << 16,
                             chance.choice((0, 1, 3, 100, -1)) & (1 << 64) - 1, name, other, chance.randrange(5),
                             number(chance)])

    def identify(self):
        chance = self.chance
        of_handle = chance.randrange(2)
        among = sorted(self.known) if of_handle else self.names
        if among:
            self.define(IDENTITY, [of_handle, chance.choice(among), chance.randrange(5), number(chance),
                                   chance.choice((1, 1, 2))])

    def word(self, field, continued):
        chance, style = self.chance, field.style
        if style in (NAME_STYLE, STRING):
            if continued and not field.output:
                return 0
            return self.name() if chance.random() < 0.8 else 0
        if style in (FD, DIRFD, HANDLE_STYLE):
            if field.output:
                handle = self.maker.new_handle() if chance.random() < 0.8 else 0
            else:
                handle = self.handle()
            if style == HANDLE_STYLE:
                return handle
            return handle << 32 | chance.choice((0, 1, 3, 0xffffffff, -100 & 0xffffffff, chance.getrandbits(32)))
        if style == OCTAL:
            return chance.getrandbits(12)
        if style in (FLAGS, ENUM) and field.kind.values and chance.random() < 0.7:
            bits = 0
            for _ in range(chance.randrange(4) if style == FLAGS else 1):
                bits |= chance.choice(field.kind.values)[0]
            return bits
        return number(chance)

    def begin(self, call, continued):
        """Writes the record of a call that is entered, or that continues in this block."""
        row = call.row
        words = [number(self.chance) if self.chance.random() < 0.2 else 0 for _ in range(row.words)]
        for field in row.recorded:
            words[field.word] = self.word(field, continued)
        if continued:
            # Names belong to their block, and outputs are known at the end: all other words stay the same.
            own = {field.word for field in row.recorded if field.output or field.style in (NAME_STYLE, STRING)}
            words = [words[i] if i in own else word for i, word in enumerate(call.record.words)]
            for field in row.inputs:
                self.mention(field, words[field.word])
        call.named = call.named or any(words[field.word] for field in row.names)
        self.return_input(call, words)
        record = Record(row.number, call.depth, UNFINISHED | (CONTINUED if continued else 0) | call.marks)
        record.words, record.ordinal, record.entry, record.exit = words, call.ordinal, call.entry, call.entry
        record.began = call.entry
        if continued and self.chance.random() < 0.1:
            record.marks ^= VFORK
            record.entry = record.exit = self.maker.tick
            record.depth = self.chance.randint(0, MOST_DEPTH)
        call.record = record
        self.records.append(record)

    def return_input(self, call, words):
        """Some calls that have no name in any of their halves return the handle that they were given."""
        row = call.row
        if self.chance.random() < 0.1 and row.makes and not call.named:
            given = [handle_of(field.style, words[field.word]) for field in row.inputs]
            given = next((handle for handle in given if handle), 0)
            field = self.chance.choice(row.makes)
            words[field.word] = given if field.style == HANDLE_STYLE else given << 32 | 3

    def mention(self, field, word):
        handle = handle_of(field.style, word)
        if handle and handle not in self.known and self.chance.random() < 0.9:
            self.describe(handle)

    def end(self, call, tick):
        record, chance = call.record, self.chance
        record.marks &= ~UNFINISHED
        record.exit = tick
        record.result = number(chance)
        if record.result >> 63:
            record.result -= 1 << 64
        if chance.random() < 0.25:
            record.marks |= FAILED
            record.error = chance.choice(ERRORS)
            return
        name, other = Scene.first_name(record, call.row), Scene.first_handle(record, call.row.inputs)
        for field in call.row.makes:
            handle = handle_of(field.style, record.words[field.word])
            if handle and (name or handle != other):
                self.known.add(handle)
                self.maker.alive.append(handle)
                if call.row.op not in TOLD_BY_HANDLE:
                    self.files[handle] = name, 0 if name else other
                if record is self.records[-1] and chance.random() < 0.4:
                    self.describe(handle, True)

class StreamMaker:
    """The blocks of one stream, as (sequence, first ordinal, records, definitions). Some are long or deep."""

    def __init__(self, chance, rows, stream):
        self.chance, self.rows, self.stream = chance, rows, stream
        first = chance.choice((1, 1, 1, 1, (1 << 32) - 5000))
        self.last_handle = first + chance.randrange(6)
        self.alive = list(range(first, self.last_handle + 1))
        self.steps = 700 if chance.random() < 0.005 else STEPS
        self.runtime = chance.choice((0, 0.1, 0.5))
        self.returning = 0.05 if chance.random() < 0.03 else 0.45
        self.tick, self.ordinal, self.open = chance.choice((0, 5, 100000, 1 << 36)), chance.choice((0, 0, 0, 77)), []
        self.blocks = []
        for sequence in range(1, chance.randint(1, BLOCKS) + 1):
            self.block(sequence)

    def new_handle(self):
        self.last_handle += 1
        return self.last_handle

    def pass_time(self):
        chance = self.chance
        self.tick += chance.choice((0, 1, 2, 5, chance.randrange(40), chance.randrange(1 << chance.randrange(1, 30)),
                                    -chance.randrange(9) if chance.random() < 0.2 else 0))
        return self.tick

    def block(self, sequence):
        chance = self.chance
        made = BlockMaker(self, self.ordinal)
        if sequence == 1:
            process, thread, _, tid = self.stream[:4]
            if thread == 1:
                text = writer.pairs_bytes([("pid", b"%d" % self.stream[2]), ("exe", b"/bin/\xff"), ("argv", b"x")])
                made.define(PROCESS, [len(text)], text)
            made.define(THREAD, [thread, tid, chance.randrange(3)])
        for call in self.open:
            made.begin(call, True)
        for _ in range(chance.choice((0, 1, 3, self.steps, chance.randint(1, self.steps)))):
            self.step(made)
        if chance.random() < 0.3:
            made.identify()
        self.blocks.append((sequence, made.first_ordinal, made.records, made.definitions))

    def step(self, made):
        chance = self.chance
        way = chance.random()
        if self.open and way < self.returning:
            made.end(self.open.pop(), self.pass_time())
        elif self.open and way < self.returning + 0.03:
            self.open.pop()
        elif len(self.open) <= MOST_DEPTH and self.rows:
            marks = (VFORK if chance.random() < 0.05 else 0) | (RUNTIME if chance.random() < self.runtime else 0)
            call = Call(chance.choice(self.rows), len(self.open), self.ordinal, self.pass_time(), marks)
            self.ordinal += 1
            made.begin(call, False)
            self.open.append(call)
            if chance.random() < self.returning:
                made.end(self.open.pop(), self.pass_time())
        if chance.random() < 0.2:
            made.identify()
