"""Classes of the second decoder: section 17 of docs/format.md.

From the content of a section to the tracks of streams: shapes, trees of loops, scalars, columns. Loops are unfolded here,
because the traces in the tests are small. _tracks.py interprets the events.
"""
from collections import Counter

from _columns import WRAP, Bad, column, unzigzag, varint, xxh64

PART_VALUES = 16384
MOST_DEPTH, MOST_DIMENSIONS, MOST_BLOCKS, MOST_SCALAR_BLOCKS = 32, 4, 64, 256
MOST_COLUMNS, LONGEST_KEY = 72, 65536


class Input:
    """Bytes that are read one number after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value, self.at = varint(self.data, self.at)
        return value

    def signed(self):
        return unzigzag(self.number()) & WRAP

    def take(self, size):
        if size > len(self.data) - self.at:
            raise Bad("bytes are missing")
        self.at += size
        return self.data[self.at - size:self.at]

    def text(self):
        return self.take(self.number())

    def end(self):
        if self.at != len(self.data):
            raise Bad("bytes are left over")


class Lost(Bad):
    """A part that is damaged or missing."""


LOST = object()  # in place of each of its values


class Part:
    """A part of the file, with its check."""

    def __init__(self, data, offset, size, check):
        self.data, self.offset, self.size, self.check = data, offset, size, check

    def stored(self):
        return self.data[self.offset:self.offset + self.size]

    def is_there(self):
        return self.size > 0 and len(self.stored()) == self.size

    def is_good(self):
        return self.is_there() and xxh64(self.stored()) & 0xffffffff == self.check

    def values(self, count):
        stored = self.stored()
        if not self.is_there():
            raise Lost("a part is not in the file")
        if not self.is_good():
            raise Lost("a part is damaged")
        return column(stored[0], stored[1:], count)


def next_part(parts):
    part = next(parts, None)
    if part is None:
        raise Bad("parts of a stream are missing")
    return part


def block_values(start, dimensions):
    """The values of one block of a series."""
    values = [start & WRAP]
    for count, stride in dimensions:
        if not count:
            raise Bad("a block without values")
        values = [(value + i * stride) & WRAP for i in range(count) for value in values]
    return values


def read_scalar(source, count):
    """Its values, one for each of `count` members."""
    tag = source.number()
    if tag == 0:
        values, last = [], 0
        for _ in range(count):
            last = (last + source.signed()) & WRAP
            values.append(last)
        return values
    if tag == 1:
        start, stride = source.signed(), source.signed()
        return [(start + k * stride) & WRAP for k in range(count)]
    if tag - 1 > MOST_SCALAR_BLOCKS:
        raise Bad("a scalar of too many blocks")
    values = []
    for _ in range(tag - 1):
        start, dimensions = source.signed(), source.number()
        if dimensions > MOST_DIMENSIONS:
            raise Bad("a block of too many dimensions")
        values += block_values(start, [(source.number(), source.signed()) for _ in range(dimensions)])
    if len(values) != count:
        raise Bad("a scalar has another number of values")
    return values


class Column:
    """A column of all members: for each member its blocks, or None if its values are in parts."""

    def __init__(self, source, members):
        forms = source.number()
        if not 1 <= forms <= members:
            raise Bad("a column has no form")
        form_of = read_scalar(source, members) if forms > 1 else [0] * members
        if any(form >= forms for form in form_of):
            raise Bad("a column has no such form")
        self.blocks = [None] * members
        for form in range(forms):
            having = [member for member in range(members) if form_of[member] == form]
            tag = source.number()
            if tag - 1 > MOST_BLOCKS:
                raise Bad("a column of too many blocks")
            if tag:
                read = [self.read_block(source, len(having)) for _ in range(tag - 1)]
                for place, member in enumerate(having):
                    self.blocks[member] = [(start[place], [(count[place], stride[place]) for count, stride in dimensions])
                                           for start, dimensions in read]

    @staticmethod
    def read_block(source, count):
        dimensions = source.number()
        if dimensions > MOST_DIMENSIONS:
            raise Bad("a block of too many dimensions")
        return read_scalar(source, count), [(read_scalar(source, count), read_scalar(source, count))
                                            for _ in range(dimensions)]


class Class:
    def __init__(self, source, members):
        if not members:
            raise Bad("a class without members")
        self.members = members
        self.shapes = []
        for _ in range(source.number()):
            columns, size = source.number(), source.number()
            if columns > MOST_COLUMNS or size > LONGEST_KEY:
                raise Bad("a shape is too long")
            self.shapes.append((source.take(size), columns))
        self.groups = [source.number() for _ in range(source.number())]
        if any(shape >= len(self.shapes) for shape in self.groups):
            raise Bad("a group has no shape")
        self.nodes = [self.read_node(source) for _ in range(source.number())]
        loops = sum(1 for group, _ in self.nodes if group is None)
        self.come = [read_scalar(source, members) for _ in range(loops)]
        self.counts = [read_scalar(source, members) for _ in self.groups]
        self.trips = [Column(source, members) for _ in range(loops)]
        self.columns = [[Column(source, members) for _ in range(self.shapes[shape][1])] for shape in self.groups]

    def read_node(self, source):
        """(group, 0), or for a loop (None, branches of its body)."""
        tag = source.number()
        if tag > len(self.groups):
            raise Bad("a node has no group")
        return (tag - 1, 0) if tag else (None, source.number())


class Track:
    """The track of one stream. `parts` returns the parts of the stream one after the other."""

    def __init__(self, class_, member, parts):
        self.keys = [class_.shapes[shape][0] for shape in class_.groups]
        self.nodes, self.loop_of, loops = class_.nodes, {}, 0
        for at, (group, _) in enumerate(self.nodes):
            if group is None:
                self.loop_of[at] = loops
                loops += 1
        self.trips = [self.take(values, member, come[member], parts) for values, come in zip(class_.trips, class_.come)]
        self.columns = [[self.take(values, member, count[member], parts) for values in columns]
                        for columns, count in zip(class_.columns, class_.counts)]
        self.counts = [count[member] for count in class_.counts]

    @staticmethod
    def take(values, member, count, parts):
        """The places of values are computed now; the values are read when they are needed."""
        blocks = values.blocks[member]
        if blocks is not None:
            return Values(count, blocks, None)
        return Values(count, None, [next_part(parts) for _ in range(-(-count // PART_VALUES))])

    def groups(self):
        """The group of each event, in order."""
        found, came = [], [iter(values.all()) for values in self.trips]
        self.walk(0, len(self.nodes), found, came, 0)
        if any(next(counts, None) is not None for counts in came):
            raise Bad("trip counts are left over")
        seen = Counter(found)
        if any(seen[group] != count for group, count in enumerate(self.counts)):
            raise Bad("a group has another number of events")
        return found

    def walk(self, at, end, found, came, depth):
        while at < end:
            group, body = self.nodes[at]
            if group is not None:
                found.append(group)
            elif not 1 <= body < end - at or depth == MOST_DEPTH:
                raise Bad("loops do not nest")
            else:
                trips = next(came[self.loop_of[at]], 0)
                if not trips:
                    raise Bad("a loop without a trip")
                for _ in range(trips):
                    self.walk(at + 1, at + 1 + body, found, came, depth + 1)
            at += 1 + body

    def events(self, some=False):
        """Each event as its group, its key and its values; `some`: values may be LOST."""
        columns = [[values.all(some) for values in group] for group in self.columns]
        seen = [0] * len(columns)
        for group in self.groups():
            at = seen[group]
            seen[group] += 1
            yield group, self.keys[group], [values[at] for values in columns[group]]


class Values:
    """The values of a column of one stream."""

    def __init__(self, count, blocks, parts):
        self.count, self.blocks, self.parts = count, blocks, parts

    def all(self, some=False):
        values = []
        if self.parts is None:
            for start, dimensions in self.blocks:
                values += block_values(start, dimensions)
        else:
            for at, part in enumerate(self.parts):
                count = min(PART_VALUES, self.count - at * PART_VALUES)
                try:
                    values += part.values(count)
                except Lost:
                    if not some:
                        raise
                    values += [LOST] * count
        if len(values) != self.count:
            raise Bad("a column has another number of values")
        return values
