"""Random filters for the records of a trace: every field and comparison, with values that occur or nearly occur.

Filters made here are valid by docs/filter.md. random_filters.py compares what they select.
"""
import datetime
import errno

import _filter

FLAT = ["layer", "function", "kind", "host", "program", "path", "absolute", "file", "extension", "parent.function",
        "parent.layer", "region"]
NUMBERS = ["fd", "handle", "device", "inode", "size", "offset", "result", "rank", "process", "thread", "pid", "tid",
           "depth", "ordinal"]
BARE = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%@+-"
# The largest number and time of a filter; larger ones are refused.
NUMBER_MOST, TIME_MOST = 2**64 - 1, 2**63 - 1
NAMED = {"layer", "function", "kind", "parent.function", "parent.layer"}


def cut(value, most):
    return max(-most, min(value, most))


class Maker:
    def __init__(self, trace, records, random):
        self.trace, self.records, self.random = trace, records, random
        # Names that also mean permission bits, for which decimal numbers are refused.
        self.octal = {name for known in trace.arguments.values() for name, kind in known.items() if kind.style == "octal"}

    def pick(self, *choices):
        return self.random.choice(choices)

    def record_with(self, has):
        """A record that has the field; a few are tried."""
        for _ in range(40):
            record = self.random.choice(self.records)
            if has(record) is not None:
                return record
        return None

    # ---- values ----

    def quoted(self, text):
        quote = self.pick(b'"', b"'")
        out = b""
        for at, byte in enumerate(text):
            one = bytes([byte])
            if one == quote:
                out += b"\\" + one
            elif one == b"\\":
                # Alone, before other letters, it stands for itself.
                alone = text[at + 1:at + 2] not in (b'"', b"'", b"\\", b"n", b"t", b"x", b"")
                out += one if alone and self.random.random() < 0.5 else b"\\\\"
            elif byte < 0x20 or byte == 0x7f or self.random.random() < 0.02:
                out += b"\\x%02x" % byte
            else:
                out += one
        return quote + out + quote

    def text(self, text):
        bare = text and all(byte in BARE for byte in text) and text.decode() not in _filter.RESERVED
        return text if bare and self.random.random() < 0.6 else self.quoted(text)

    def near(self, value):
        close = [value, value, value, value + 1, value - 1, 0, -1, value * 2, value // 2]
        return cut(self.random.choice(close), NUMBER_MOST)

    def number(self, value, octal=False):
        if octal:
            return b"0%o" % value if value else b"0"
        ways = [b"%d" % value]
        if value >= 0:
            ways.append(b"0x%x" % value)
        if value and value % 1024 == 0:
            ways.append(b"%d" % (value // 1024) + self.pick(b"K", b"KiB", b"kB"))
        if value and value % 2**20 == 0:
            ways.append(b"%dM" % (value // 2**20))
        return self.random.choice(ways)

    def time(self, value):
        value = cut(value, TIME_MOST)
        sign, value = (b"-", -value) if value < 0 else (b"", value)
        ways = [b"%dns" % value, b"%d.%03dus" % divmod(value, 1000), b"%d.%06dms" % divmod(value, 10**6),
                b"%d.%09ds" % divmod(value, 10**9)]
        return sign + self.random.choice(ways)

    def date(self, value):
        seconds, part = divmod(self.trace.start + value, 10**9)
        ahead = self.pick(None, 0, 3600, -19800)
        when = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds + (ahead or 0))
        zone = ""
        if ahead is not None:
            zone = f"{'-' if ahead < 0 else '+'}{abs(ahead) // 3600:02}:{abs(ahead) // 60 % 60:02}" if ahead else "Z"
        return self.quoted((when.strftime(self.pick("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S")) + f".{part:09}{zone}").encode())

    def error(self, value):
        if value in errno.errorcode and self.random.random() < 0.7:
            return errno.errorcode[value].encode()
        return self.number(value)

    def comparison(self, values, write, ranges=True):
        """For numbers: an operator and a value. `values` occur."""
        op = self.pick(b"==", b"!=", b"<", b"<=", b">", b">=", b"in", b"in", b"in")
        value = self.random.choice(values)
        if op != b"in":
            return op + b" " + write(self.near(value))
        items = []
        for _ in range(self.random.randint(1, 4)):
            low, high = sorted((self.near(self.random.choice(values)), self.near(self.random.choice(values))))
            way = self.random.randint(0, 5) if ranges else 0
            items.append([write(low), write(low), write(low) + b":" + write(high), write(low) + b":", b":" + write(high),
                          write(low) + b":" + write(high) + b":" + write(self.pick(1, 2, 3, 7, 512))][way])
        return op + b" " + self.pick(b",", b" , ").join(items)

    def expression(self, text):
        """A regular expression that may be found in the text."""
        begin = self.random.randint(0, len(text))
        part = text[begin:begin + self.random.randint(0, 12)]
        out = b""
        for byte in part:
            one = bytes([byte])
            if one == b"$" or self.random.random() < 0.1:
                out += b"."
            elif one in b".[]{}()*+?|^\\":
                out += b"\\" + one
            else:
                out += one + self.pick(b"", b"", b"", b"", b"", b"+", b"*", b"?", b"{1,2}")
        if self.random.random() < 0.2:
            out = b"(" + out + b"|[a-f]{3}x)"
        anchored = self.random.random()
        return (b"^" if anchored < 0.2 else b"") + out + (b"$" if anchored > 0.8 else b"")

    def glob(self, text):
        out = b""
        for byte in text:
            one = bytes([byte])
            chance = self.random.random()
            if chance < 0.1:
                out += b"?"
            elif chance < 0.15:
                out += b"*"
            elif chance < 0.2 and one.isalnum():
                out += self.pick(b"[a-m]", b"[!a-m]", b"[" + one + b"]")
            else:
                out += b"\\" + one if one in b"*?[\\" else one
        if self.random.random() < 0.5:
            cut = self.random.randint(0, len(out))
            out = out[:cut].rstrip(b"\\[!-]") + b"*" if b"[" not in out else out + b"*"
        return out

    def text_comparison(self, values, exact):
        """`exact`: names that do not occur are errors."""
        text = self.random.choice(values)
        op = self.pick(b"==", b"!=", b"in", b"~", b"!~", b"like", b"startswith", b"endswith")
        if op == b"in":
            return op + b" " + b",".join(self.text(self.random.choice(values)) for _ in range(self.random.randint(1, 4)))
        if op in (b"~", b"!~"):
            wanted = self.expression(text)
            return op + b" " + self.quoted(wanted)
        if op == b"like":
            return op + b" " + self.quoted(self.glob(text))
        if op in (b"startswith", b"endswith"):
            length = self.random.randint(0, len(text))
            return op + b" " + self.text(text[:length] if op == b"startswith" else text[len(text) - length:])
        if not exact and self.random.random() < 0.1:
            text += b"x"
        return op + b" " + self.text(text)

    # ---- conditions ----

    def texts(self, field):
        found = []
        for _ in range(4):
            record = self.record_with(lambda r: _filter.text_of(self.trace, r, field))
            if record:
                found.append(_filter.text_of(self.trace, record, field))
        return found

    def numbers(self, field):
        found = []
        for _ in range(4):
            record = self.record_with(lambda r: _filter.number_of(r, field))
            if record:
                found.append(_filter.number_of(record, field))
        return found or [0]

    def argument(self):
        record = self.record_with(lambda r: r["args"] or None)
        known = self.trace.arguments.get(record["function"], {})
        names = [name for name in record["args"] if name in known and record["args"][name] is not None]
        if not names:
            return None
        name = self.random.choice(names)
        kind = known[name]
        value = _filter.argument_value(kind, record["args"][name])
        field = b"arg." + name.encode()
        if self.random.random() < 0.1:
            return b"has " + field
        if kind.style in ("name", "string"):
            return field + b" " + self.text_comparison([value], False)
        if kind.style == "flags":
            return field + b" " + self.flags(kind, value)
        if kind.style == "enum" and self.random.random() < 0.7:
            values = [one.name.encode() for one in kind.values]
            shown = str(record["args"][name]).encode()
            values += [shown] * 5 if shown in values else []
            op = self.pick(b"==", b"!=", b"<", b">=", b"in")
            count = self.random.randint(1, 3) if op == b"in" else 1
            return field + b" " + op + b" " + b",".join(self.text(self.random.choice(values)) for _ in range(count))
        if kind.style == "time":
            return field + b" " + self.comparison([value], self.time)
        if kind.style == "octal":
            return field + b" " + self.comparison([abs(value)], lambda v: self.number(abs(v), True), ranges=False)
        if kind.style == "dirfd" and value == -100:
            return field + b" " + self.pick(b"==", b"!=", b"<=") + b" AT_FDCWD"
        octal = name in self.octal
        return field + b" " + self.comparison([value], lambda v: b"0x%x" % max(v, 0) if octal else self.number(v))

    def flags(self, kind, value):
        names = [one for one in kind.values if value & one.mask == one.value and one.mask] or list(kind.values)
        chosen = self.random.sample(names, min(len(names), self.random.randint(1, 3)))
        if self.random.random() < 0.2:
            chosen.append(self.random.choice(list(kind.values)))
        words = b"|".join(one.name.encode() for one in chosen)
        op = self.pick(b"has", b"has", b"==", b"!=", b"in")
        if op != b"has" and self.random.random() < 0.5:
            words = b"0x%x" % value
        if op == b"in":
            words += b",0x%x" % max(self.near(value), 0)
        return op + b" " + words

    def inside(self):
        record = self.record_with(lambda r: r["around"] or None)
        names = [_filter.text_of(self.trace, r, "function") for r in record["around"]] if record else [b"open"]
        names = [name for name in names if name] or [b"open"]
        words = [self.random.choice(names)]
        if self.random.random() < 0.5:
            words.append(self.random.choice(names)[:3] + b"*")
        return b"inside " + b",".join(self.text(word) if b"*" not in word else self.quoted(word) for word in words)

    def condition(self):
        way = self.random.random()
        if way < 0.08:
            return self.pick(b"failed", b"unfinished", b"vfork")
        if way < 0.16:
            field = self.random.choice(FLAT + NUMBERS + ["time", "end", "duration", "errno", "region", "failed"])
            return b"has " + field.encode()
        if way < 0.22:
            return self.inside()
        if way < 0.42:
            return self.argument() or self.condition()
        if way < 0.62:
            field = self.random.choice(FLAT)
            values = self.texts(field)
            if not values:
                return b"has " + field.encode()
            return field.encode() + b" " + self.text_comparison(values, field in NAMED)
        if way < 0.68:
            return b"errno " + self.comparison(self.numbers("errno"), lambda v: self.error(v))
        if way < 0.8:
            field = self.pick("time", "end", "duration")
            write = self.date if field != "duration" and self.random.random() < 0.3 else self.time
            ranges = write != self.date
            return field.encode() + b" " + self.comparison(self.numbers(field), write, ranges)
        field = self.random.choice(NUMBERS)
        return field.encode() + b" " + self.comparison(self.numbers(field), self.number)

    def filter(self, depth=0):
        way = self.random.random()
        if depth > 3 or way < 0.45:
            return self.condition()
        if way < 0.6:
            return self.pick(b"not ", b"!") + b"(" + self.filter(depth + 1) + b")"
        if way < 0.65:
            return b"not " + self.condition()
        sign = self.pick(b" and ", b" or ", b" && ", b" || ")
        parts = [self.filter(depth + 1) for _ in range(self.random.randint(2, 3))]
        joined = sign.join(parts)
        return b"(" + joined + b")" if self.random.random() < 0.5 else joined
