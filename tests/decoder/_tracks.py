"""Tracks of the second decoder: sections 18 and 19 of docs/format.md.

Reads the tracks of one stream of a packed trace and converts each chunk to the content of a block of records: header, records,
definitions. Names and handles get the numbers that they had in the block.
"""
import struct

from _blocks import MOST_RECORDS, RECORDS
from _classes import LOST, Lost, Input, Track, next_part
from _columns import WRAP, Bad, signed
from _files import File
from _records import CONTINUED, FAILED, HANDLE, IDENTITY, MOST_WORDS, NAME, PROCESS, THREAD, Record, check_marks, read_spans

(CALLS, NAMES, HANDLES, RUNTIME, OTHER_NAMES, DEFINITIONS, CHUNKS, SUMMARIES, ORDINALS, HISTOGRAMS,
 FILES, REGIONS) = range(12)
TRACKS = 12
TRACKS_OF = {1: REGIONS, 2: TRACKS, 3: TRACKS}  # by version of the foot
EXACT, HISTOGRAM, NONE = range(3)
TIME_BYTES = 131072
NO_RESULT, RESULT_VALUE, RESULT_HANDLE = range(3)
FIXED, VALUE, PAIR, NAMED, HANDLED = range(5)
CHUNK_COLUMNS, SUMMARY_COLUMNS, HISTOGRAM_COLUMNS = 10, 5, 6
MOST_BINS, BIN = 130, 2
LATE = 0x80
AS_IS = 0x80  # a base that is an id in the block
LATE_KNOWN, LATE_NAME = 1, 2
DEFINITION_KEYS, DEFINITION_COLUMNS = (1, 4, 3, 1, 1), (4, 7, 4, 2, 4)
LOW = 0xffffffff


class Chunk:
    """A block of records that became a chunk; it has the members of a Block of _blocks.py."""
    type, codec, shift = RECORDS, 4, 0

    def __init__(self, stream, values, last):
        (self.calls, self.runtime, self.definitions, self.summaries, self.ordinals, sequence, jump, first, span,
         self.long_bytes) = values
        self.process, self.thread, self.pid, self.tid, self.rank = stream.process, stream.thread, stream.pid, stream.tid, stream.rank
        self.resolution = stream.resolution
        self.records = self.calls + self.runtime
        if self.records > MOST_RECORDS or self.ordinals > self.records or not sequence:
            raise Bad("a chunk that no block can have been")
        self.sequence = (last.sequence + sequence) & WRAP if last else sequence
        self.first_ordinal = (last.next_ordinal + jump) & WRAP if last else jump
        self.next_ordinal = (self.first_ordinal + self.records - self.ordinals) & WRAP
        self.begin = signed(((last.end if last else 0) + first) & WRAP)
        self.end = signed((self.begin + span) & WRAP)
        self.first_tick, self.last_tick = (self.begin, self.end) if self.records else (0, 0)
        self.rows, self.times = [], []

    def summary_rows(self):
        return self.rows


def skeleton_text(key, values):
    """The text of a skeleton with these numbers and widths."""
    text, at, fields = bytearray(), 0, iter(values)
    while at < len(key):
        if key[at] != 1:
            text.append(key[at])
            at += 1
            continue
        mark = key[at + 1] if at + 1 < len(key) else 2
        at += 2
        if mark == 0:
            text.append(1)
        elif mark == 1:
            number, width = next(fields, None), next(fields, None)
            digits = b"%d" % number if width is not None else b""
            if not digits or len(digits) > 18 or width > 18 or (width and len(digits) >= width):
                raise Bad("a field of a name that is no number")
            text += digits.rjust(width, b"0")
        else:
            raise Bad("a skeleton with an unknown mark")
    if next(fields, None) is not None:
        raise Bad("numbers of a name are left over")
    return bytes(text)


class Form:
    """The content of the key of a record."""

    def __init__(self, key, runtime):
        source = Input(key)
        self.function, self.depth, self.marks, self.result, words = struct.unpack("<HBBBB", source.take(6))
        self.runtime, self.words = runtime, []
        if words > MOST_WORDS or self.result > RESULT_HANDLE or self.marks > 31 or self.marks & 3 == 3 or \
                (self.marks & CONTINUED and not runtime):
            raise Bad("a shape is none of a record")
        for _ in range(words):
            kind, = source.take(1)
            if kind > HANDLED:
                raise Bad("a word of an unknown kind")
            self.words.append((kind, source.number() if kind == FIXED else None))
        source.end()
        if (self.result == NO_RESULT) != bool(self.marks & 2):
            raise Bad("a result of an unfinished record, or none of a finished one")


class StreamReader:
    """One stream of a packed trace."""

    def __init__(self, stream, classes, parts, time):
        """`classes`: of each track (class, member) or None."""
        self.stream, self.time = stream, time
        parts = iter(parts)
        self.classes, self.tracks = classes, [None] * TRACKS
        for track in (CHUNKS, SUMMARIES):
            self.load(track, parts)
        self.chunks = self.read_chunks()
        for chunk in self.chunks:
            chunk.times = [[(next_part(parts), min(TIME_BYTES, size - at)) for at in range(0, size, TIME_BYTES)]
                           for size in (chunk.records, chunk.long_bytes)] if time == EXACT else []
        for track in (CALLS, NAMES, HANDLES, RUNTIME, OTHER_NAMES, DEFINITIONS, ORDINALS, HISTOGRAMS, FILES, REGIONS):
            self.load(track, parts)
        if next(parts, None) is not None:
            raise Bad("parts of a stream are left over")

    def load(self, track, parts):
        if self.classes[track]:
            self.tracks[track] = Track(*self.classes[track], parts)

    def events(self, track):
        return self.tracks[track].events() if self.tracks[track] else iter(())

    def read_chunks(self):
        chunks, summaries = [], self.events(SUMMARIES)
        for _, key, values in self.events(CHUNKS):
            if key or len(values) != CHUNK_COLUMNS:
                raise Bad("a chunk of other columns")
            chunk = Chunk(self.stream, values, chunks[-1] if chunks else None)
            for _ in range(chunk.summaries):
                _, key, values = take(summaries)
                if len(key) != 2 or len(values) != SUMMARY_COLUMNS:
                    raise Bad("a summary of other columns")
                chunk.rows.append((struct.unpack("<H", key)[0], 0, *values))
            chunks.append(chunk)
        nothing_left(summaries)
        return chunks

    def read(self):
        """(chunk, records, definitions) of each chunk with all of its parts; `lost` counts the others."""
        found, self.lost = [], 0
        try:
            self.handles = [values[0] & LOW for _, _, values in self.events(HANDLES)]
            self.names = [self.read_names(NAMES), self.read_names(OTHER_NAMES)]
            self.histograms = self.read_histograms() if self.time == HISTOGRAM else None
            tracks = {track: iter(list(self.tracks[track].events(True)) if self.tracks[track] else ())
                      for track in (CALLS, RUNTIME, DEFINITIONS, ORDINALS)}
        except Lost:
            self.lost = len(self.chunks)
            return found
        forms = [[Form(key, runtime) for key in self.tracks[track].keys] if self.tracks[track] else []
                 for runtime, track in enumerate((CALLS, RUNTIME))]
        for chunk in self.chunks:
            counts = {CALLS: chunk.calls, RUNTIME: chunk.runtime, DEFINITIONS: chunk.definitions, ORDINALS: chunk.ordinals}
            taken = {track: [take(tracks[track]) for _ in range(count)] for track, count in counts.items()}
            try:
                if any(LOST in values for events in taken.values() for _, _, values in events):
                    raise Lost("a part of the chunk")
                found.append(self.read_chunk(chunk, forms, {track: iter(events) for track, events in taken.items()}))
            except Lost:
                self.lost += 1
        for rest in tracks.values():
            nothing_left(rest)
        return found

    def read_chunk(self, chunk, forms, events):
        definitions, ids = self.read_definitions(chunk, events[DEFINITIONS])
        rows = self.order(chunk, events)
        records = [self.read_record(forms[runtime][group], values, ids) for runtime, group, values in rows]
        chunk.places = [(runtime, group) for runtime, group, _ in rows]
        self.number(chunk, records, events[ORDINALS])
        self.set_times(chunk, records)
        self.tell_late(records, definitions)
        for at, record in enumerate(records):
            record.block, record.at = chunk, at
        return chunk, records, definitions

    def read_names(self, track):
        names = []
        for _, key, values in self.events(track):
            if len(key) < 2 or not values or key[0] & ~AS_IS > 3:
                raise Bad("a shape is none of a name")
            names.append((key[0], values[0] & LOW, skeleton_text(key[2:], values[1:])))
        return names

    def totals(self, track, tag_bytes, sums, numbers):
        """{(tag, text, *numbers): sums}, in the order of the track."""
        found = {}
        for _, key, values in self.events(track):
            at = sums + numbers
            if len(key) < tag_bytes or len(values) < at:
                raise Bad("a shape is none of totals")
            known = int.from_bytes(key[:tag_bytes], "little"), skeleton_text(key[tag_bytes:], values[at:]), *values[sums:at]
            if known in found:
                raise Bad("a total is there twice")
            found[known] = list(values[:sums])
        return found

    def files(self, version):
        """Sums for each file: {(layer, path): [calls, failures, unfinished, bytes read, ticks, bytes written]}; before version
        3 of the foot bytes of both kinds are one sum."""
        return self.totals(FILES, 1, 6 if version >= 3 else 5, 0)

    def regions(self):
        """Regions, phases and functions: {(function, name, address): [calls, unfinished, left, ticks, longest]}."""
        return self.totals(REGIONS, 2, 5, 1)

    def read_histograms(self):
        """For each group of calls, then of runtime: the histogram of gaps and that of durations."""
        events, found = self.events(HISTOGRAMS), []
        for track in (CALLS, RUNTIME):
            groups = len(self.tracks[track].keys) if self.tracks[track] else 0
            found.append([[Spread(events, quantity) for quantity in range(2)] for _ in range(groups)])
        nothing_left(events)
        return found

    def order(self, chunk, events):
        """The records of a chunk in order, as (runtime, group, values), without the distance."""
        rows, left = [], chunk.calls
        for _ in range(chunk.runtime):
            group, _, (distance, *values) = take(events[RUNTIME])
            if distance > left:
                raise Bad("a runtime record behind the end of its chunk")
            left -= distance
            rows += [(0, one, given) for one, _, given in (take(events[CALLS]) for _ in range(distance))]
            rows.append((1, group, values))
        return rows + [(0, one, given) for one, _, given in (take(events[CALLS]) for _ in range(left))]

    def read_definitions(self, chunk, events):
        """The definitions of a chunk, with a mark for late ones; ids of names by (track, number)."""
        read, ids = [take(events) for _ in range(chunk.definitions)], {}
        for _, key, values in read:
            type_ = key[0] & ~LATE if key else 255
            if type_ > THREAD or len(key) != DEFINITION_KEYS[type_] or len(values) != DEFINITION_COLUMNS[type_]:
                raise Bad("a definition of an unknown type")
            if type_ == NAME:
                for table in range(2):
                    if values[2 + table] > len(self.names[table]):
                        raise Bad("a name is not in its list")
                    if values[2 + table]:
                        ids[table, values[2 + table]] = values[1] & LOW
        made = [Definition(self.define(key, values, ids), bool(key[0] & LATE)) for _, key, values in read]
        own = sum(1 for definition in made if not definition.late)
        places = [values[0] for _, _, values in read]
        if any(definition.late for definition in made[:own]) or places[:own] != sorted(places[:own]) or \
                places[own:] != sorted(places[own:]):
            raise Bad("definitions out of order")
        order = sorted(range(len(made)), key=lambda at: (places[at], not made[at].late))
        return [made[at] for at in order], ids

    @staticmethod
    def tell_late(records, definitions):
        """Late HANDLEs are applied to the records of calls that returned in later blocks."""
        names = {fields[0]: text for type_, _, fields, text in definitions if type_ == NAME}
        for definition in definitions:
            type_, before, fields, _ = definition
            if not definition.late or type_ != HANDLE:
                continue
            if before >= len(records):
                raise Bad("a late definition behind the last record")
            record = records[int(before)]
            record.late = record.late or {}
            handle, packed, word, name, other, device, inode = fields
            kind, how, told = packed & 0xff, packed >> 8 & 0xff, packed >> 16
            if word >> 31:
                continue
            file = None
            if told & LATE_KNOWN:
                file = File(names.get(name), names.get(other), handle, kind, (device, inode, how) if how else None)
            record.late[word] = file, bool(told & LATE_NAME)

    def define(self, key, values, ids):
        # As in _records.py: half a record less after a gap.
        type_, before = key[0] & ~LATE, values[0] // 2 - values[0] % 2 / 2
        if type_ == NAME:
            table = 0 if values[2] else 1
            number = values[2 + table]
            if not number:
                raise Bad("a name without a number")
            base_kind, base, text = self.names[table][number - 1]
            if base_kind & AS_IS:
                base_kind &= ~AS_IS
            elif base_kind == 1:
                base = ids.get((table, base), 0)
            elif base_kind == 2 and table == 0:
                base = self.handle(base)
            return type_, before, [values[1] & LOW, base_kind, base, len(text)], text
        if type_ == HANDLE:
            handle, fd, name, other = values[1] & LOW, signed(values[2]), values[3] & LOW, values[4] & LOW
            return type_, before, [handle, key[1] | key[2] << 8 | key[3] << 16, fd & WRAP, name, other, *values[5:]], b""
        if type_ == IDENTITY:
            return type_, before, [key[1], values[1] & LOW, values[2], values[3], key[2]], b""
        if type_ == PROCESS:
            if not 1 <= values[1] <= len(self.names[1]):
                raise Bad("a process is not in its list")
            text = self.names[1][values[1] - 1][2]
            return type_, before, [len(text)], text
        return type_, before, values[1:], b""

    def handle(self, number):
        if number > len(self.handles):
            raise Bad("a handle is not in its list")
        return self.handles[number - 1] if number else 0

    def name(self, form, value, ids):
        table, number = (value & 1, value >> 1) if form.runtime else (0, value)
        if number > len(self.names[table]):
            raise Bad("a name is not in its list")
        return ids.get((table, number), 0)

    def read_record(self, form, values, ids):
        record, values = Record(form.function, form.depth, form.marks), iter(values)
        check_marks(record)
        of_call = (lambda value: value) if form.runtime else self.handle
        if form.result == RESULT_VALUE:
            record.result = signed(take(values))
        elif form.result == RESULT_HANDLE:
            record.result = of_call(take(values))
        if form.marks & FAILED:
            record.error = take(values) & LOW
        for kind, fixed in form.words:
            if kind == FIXED:
                word = fixed
            elif kind == PAIR:
                word = take(values) & LOW
                word |= of_call(take(values)) << 32 & WRAP
            elif kind == NAMED:
                word = self.name(form, take(values), ids)
            else:
                word = take(values) if kind == VALUE else of_call(take(values))
            record.words.append(word)
        nothing_left(values)
        return record

    @staticmethod
    def number(chunk, records, events):
        odd, last = {}, -1
        for _ in range(chunk.ordinals):
            _, _, (at, ordinal) = take(events)
            if not last < at < len(records):
                raise Bad("ordinals out of order")
            odd[at], last = ordinal, at
        ordinal = chunk.first_ordinal
        for at, record in enumerate(records):
            record.ordinal = odd.get(at, ordinal)
            if at not in odd or record.ordinal > ordinal:
                ordinal = (record.ordinal + 1) & WRAP

    def set_times(self, chunk, records):
        if self.time == NONE:
            for record in records:
                record.entry = record.exit = 0
            return
        if self.time == EXACT:
            spans = read_spans(*(b"".join(part.values(size) for part, size in parts) for parts in chunk.times))
            entry = exit_ = 0
        else:
            spans = [[spread.middle() for spread in self.histograms[runtime][group]] for runtime, group in chunk.places]
            spans[:1] = [(0, duration) for _, duration in spans[:1]]
            entry = exit_ = chunk.begin if records else 0
        depth = 0
        for record, (gap, duration) in zip(records, spans):
            entry = signed(((exit_ if depth >= record.depth else entry) + gap) & WRAP)
            exit_ = signed((entry + duration) & WRAP)
            depth = record.depth
            record.entry, record.exit = entry, exit_ if record.finished() or self.time == EXACT else entry


class Spread:
    """A histogram: the distribution of gaps or durations of a group."""

    def __init__(self, events, quantity):
        _, key, values = take(events)
        if key != bytes([quantity]) or len(values) != HISTOGRAM_COLUMNS or values[5] > MOST_BINS:
            raise Bad("a shape is none of a histogram")
        self.count, self.least, self.most = values[0], signed(values[1]), signed(values[2])
        self.mean, self.variance = struct.unpack("<dd", struct.pack("<QQ", *values[3:5]))
        self.bins = {}
        for _ in range(values[5]):
            _, key, (bin_, count) = take(events)
            if key != bytes([BIN]):
                raise Bad("a shape is none of a bin")
            self.bins[bin_] = count

    def middle(self):
        """The mean in whole ticks."""
        if not -9e18 < self.mean < 9e18:
            return 0
        return int(self.mean - 0.5) if self.mean < 0 else int(self.mean + 0.5)


class Definition(tuple):
    """As in other blocks: type, before, fields, text. And whether it became known only in a later block."""

    def __new__(cls, fields, late):
        made = super().__new__(cls, fields)
        made.late = late
        return made


def take(values):
    value = next(values, None)
    if value is None:
        raise Bad("a track has fewer events or values than it says")
    return value


def nothing_left(values):
    if next(values, None) is not None:
        raise Bad("events or values are left over")
