"""Codec peephole of the second decoder: the second half of section 6 of docs/format.md, read and written.

The reader decodes the two columns of a block. The writer uses all the freedom that the document leaves: it compresses or not,
refers to any similar record, writes numbers in any form, stores handles that need not be stored.
"""
from _columns import WRAP, Bad, signed, unzigzag, varint

MOST_ARGUMENTS, MOST_COMPRESSED, FAR = 20, 7, 255
WITH_RESULT, WITH_HANDLES, WITH_MARKS = 0x20, 0x40, 0x80
HIGH_CHANGES = 0x20
FAILED = 1
SPACE, NEWLINE, BACKSLASH = b" \n\\"


def texts_at(data, at):
    """The stored arguments, with their escapes, and the end of the record."""
    texts = []
    while at < len(data) and data[at] == SPACE:
        at = start = at + 1
        while at < len(data) and data[at] not in (SPACE, NEWLINE):
            if data[at] == BACKSLASH:
                at += 1
                if at == len(data) or data[at] not in (SPACE, NEWLINE, BACKSLASH):
                    raise Bad("an escape of nothing")
            at += 1
        texts.append(data[start:at])
    if at >= len(data) or data[at] != NEWLINE:
        raise Bad("the end of a record is missing")
    return texts, at + 1


def number(text):
    digits = "0123456789abcdef"
    plain = text.decode("latin-1")
    base, sign = 10, 1
    if plain.startswith("0x") and len(plain) > 2:
        base, plain = 16, plain[2:]
    elif plain.startswith("-"):
        sign, plain = -1, plain[1:]
    if not plain or any(digit not in digits[:base] for digit in plain):
        raise Bad("an argument is not a number")
    value = sign * int(plain, base)
    if not -2**63 <= value < 2**64:
        raise Bad("an argument has more than 64 bits")
    return value & WRAP


class Reader:
    """Column 7 and column 8 of a block, record by record."""

    def __init__(self, data, rest, summaries):
        if not rest or rest[0] > 127:
            raise Bad("a rest without a window")
        self.data, self.at, self.rest, self.rest_at = data, 0, rest, 1
        self.window, self.seen = rest[0], []
        self.functions = [row[0] for row in summaries]
        self.pairs = []
        self.high, self.handles = 0, [0] * 64

    def varint(self, most=WRAP):
        value, self.rest_at = varint(self.rest, self.rest_at)
        if value > most:
            raise Bad("a number of the rest is too large")
        return value

    def byte(self):
        if self.rest_at >= len(self.rest):
            raise Bad("the rest is cut short")
        self.rest_at += 1
        return self.rest[self.rest_at - 1]

    def arguments(self, status, last):
        """Function number, or None if the byte contains it, and texts."""
        texts, self.at = texts_at(self.data, self.at)
        if not status & 0x80:
            if status or len(texts) > MOST_ARGUMENTS:
                raise Bad("a status that is none, or too many arguments")
            return None, texts
        distance = 256 - last
        if last == 0 or distance > self.window or distance > len(self.seen):
            raise Bad("a reference to nothing")
        function, base = self.seen[-distance]
        differs = [bool(status & 0x40 >> i) for i in range(MOST_COMPRESSED)]
        if not 1 <= len(base) <= MOST_COMPRESSED or any(differs[len(base):]) or sum(differs) >= len(base):
            raise Bad("a compressed record of no similar one")
        if len(texts) != sum(differs):
            raise Bad("not as many arguments as differ")
        stored = iter(texts)
        return function, [next(stored) if differ else text for differ, text in zip(differs, base)]

    def function(self, place):
        if place > len(self.pairs) or place >= len(self.functions):
            raise Bad("a function without a summary row")
        if place == len(self.pairs):
            self.pairs.append(self.varint(2**MOST_ARGUMENTS - 1))
        return self.functions[place]

    def next(self, make):
        if self.at + 10 > len(self.data):
            raise Bad("a record is cut short")
        head, self.at = self.data[self.at:self.at + 10], self.at + 10
        place, texts = self.arguments(head[0], head[9])
        if place is None:
            place = head[9]
            if place == FAR:
                place = self.varint(0xffff)
                if place < FAR:
                    raise Bad("a function number that fits the byte")
        function = self.function(place)
        self.seen.append((place, texts))
        words = [number(text) for text in texts]
        first = self.byte()
        marks = self.byte() if first & WITH_MARKS else 0
        if marks & 0xc0:
            raise Bad("unknown bits beside the marks")
        record = make(function, first & 31, marks & 31)
        step = span = 0
        if marks & HIGH_CHANGES:
            step, span = unzigzag(self.varint()), unzigzag(self.varint())
        self.high += step
        record.entry = signed((self.high << 32 | int.from_bytes(head[1:5], "little")) & WRAP)
        record.exit = signed((self.high + span << 32 | int.from_bytes(head[5:9], "little")) & WRAP)
        record.error = self.varint(0xffffffff) if marks & FAILED else 0
        record.result = unzigzag(self.varint()) if first & WITH_RESULT else 0
        pairs = [w for w in range(len(words)) if self.pairs[place] >> w & 1]
        for w in pairs:
            if not -2**31 <= signed(words[w]) < 2**31:
                raise Bad("a descriptor is out of range")
            handle = self.varint(0xffffffff) if first & WITH_HANDLES else self.handles[words[w] % 64]
            words[w] = words[w] & 0xffffffff | handle << 32
        for w in pairs:
            self.handles[words[w] % 64] = words[w] >> 32
        record.words = words
        return record

    def end(self):
        if self.at != len(self.data) or self.rest_at != len(self.rest):
            raise Bad("there are bytes after the records")


def put_varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def put_zigzag(value):
    return put_varint((value << 1 ^ value >> 63) & WRAP)


def similar(seen, place, texts):
    """The number of equal arguments in an earlier record; 0: it is not similar."""
    if seen[0] != place or len(seen[1]) != len(texts) or len(texts) > MOST_COMPRESSED:
        return 0
    return sum(one == other for one, other in zip(seen[1], texts))


def write(records, pairs_of, chance):
    """The bytes of columns 7 and 8. `pairs_of` returns the words of a function that are pairs."""
    window = chance.choice((0, 1, 3, 3, 127, chance.randrange(128)))
    data, rest, seen, places = bytearray(), bytearray([window]), [], {}
    high, handles = 0, [0] * 64

    def text(word):
        forms = [str(word), str(signed(word)), str(signed(word)), hex(word)]
        return chance.choice(forms).encode()

    for record in records:
        pairs = [w for w in sorted(pairs_of(record.function)) if w < len(record.words)]
        words = [signed((word & 0xffffffff ^ 0x80000000) - 0x80000000 & WRAP) & WRAP if w in pairs else word
                 for w, word in enumerate(record.words)]
        place = places.setdefault(record.function, len(places))
        texts = [text(word) for word in words]
        found = [back for back in range(1, min(window, len(seen)) + 1) if similar(seen[-back], place, texts)]
        status, last, stored = 0, min(place, FAR), texts
        if found and chance.random() < 0.9:
            back = chance.choice(found)
            differs = [one != other for one, other in zip(seen[-back][1], texts)]
            status = 0x80 | sum(0x40 >> i for i, differ in enumerate(differs) if differ)
            last, stored = 256 - back, [text for text, differ in zip(texts, differs) if differ]
        data += bytes([status]) + (record.entry & 0xffffffff).to_bytes(4, "little")
        data += (record.exit & 0xffffffff).to_bytes(4, "little") + bytes([last])
        data += b"".join(b" " + text for text in stored) + b"\n"
        if not status and place >= FAR:
            rest += put_varint(place)
        if all(place != before for before, _ in seen):
            rest += put_varint(sum(1 << w for w in pairs_of(record.function)))
        seen.append((place, texts))
        step, span = (record.entry >> 32) - high, (record.exit >> 32) - (record.entry >> 32)
        changes = bool(step or span) or chance.random() < 0.05
        marked = bool(record.marks) or changes or chance.random() < 0.05
        told = any(handles[words[w] % 64] != record.words[w] >> 32 for w in pairs) or chance.random() < 0.1
        rest.append(record.depth | WITH_RESULT * (record.result != 0) | WITH_HANDLES * told | WITH_MARKS * marked)
        if marked:
            rest.append(record.marks | HIGH_CHANGES * changes)
        if changes:
            rest += put_zigzag(step) + put_zigzag(span)
        high += step
        if record.marks & FAILED:
            rest += put_varint(record.error)
        if record.result:
            rest += put_zigzag(record.result)
        for w in pairs:
            if told:
                rest += put_varint(record.words[w] >> 32)
        for w in pairs:
            handles[words[w] % 64] = record.words[w] >> 32
    return bytes(data), bytes(rest)
