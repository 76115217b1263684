"""Names, handles and files of the second decoder: the rules "Paths", "What a handle is" and "The file of a record" of section
12 of docs/format.md.

One Scene goes through the records of one block and returns at each of them the meaning of names and handles. It prints nothing
and joins nothing: names are local to their block.
"""
from _records import FAILED, HANDLE, IDENTITY, NAME, UNFINISHED
from _tables import DIRFD, FD, HANDLE as HANDLE_STYLE

FILE, SOCKET, PIPE, STREAM, DIRECTORY = 1, 3, 4, 7, 8
KIND_OF_OP = {"open": FILE, "opendir": DIRECTORY, "fdopendir": DIRECTORY, "fts_open": DIRECTORY, "fopen": STREAM,
              "fdopen": STREAM, "popen": STREAM, "freopen": STREAM, "pipe": PIPE, "socket": SOCKET, "socket_pair": SOCKET,
              "socket_accept": SOCKET, "socket_other": SOCKET}
TOLD_BY_HANDLE = ("make", "openpty", "forkpty")  # ops with records that do not define the handle that they make
FIRST_OF_LIBRARIES = 9                           # kinds from here on are library handles, defined by HANDLE alone
WITH_FILE = (11, 18, 26)                         # and these of them are files
STEPS = 16


class Entry:
    """The known facts about a handle."""
    __slots__ = ("kind", "fd", "name", "other", "origin", "identity")

    def __init__(self):
        self.kind = self.name = self.other = self.origin = 0
        self.fd = -1
        self.identity = None


class File:
    """The file of a record."""
    __slots__ = ("given", "absolute", "handle", "kind", "identity")

    def __init__(self, given=None, absolute=None, handle=0, kind=0, identity=None):
        self.given, self.absolute, self.handle, self.kind, self.identity = given, absolute, handle, kind, identity


def handle_of(style, word):
    return word if style == HANDLE_STYLE else word >> 32


def has_file(kind):
    return kind < FIRST_OF_LIBRARIES or kind in WITH_FILE


def tidy(path):
    """Empty and `.` components removed, `..` kept."""
    return b"/" + b"/".join(part for part in path.split(b"/") if part not in (b"", b"."))


class Scene:
    def __init__(self, definitions):
        # A late HANDLE describes one record only.
        definitions = [one for one in definitions if one[0] != HANDLE or not getattr(one, "late", False)]
        self.definitions = definitions
        self.names, self.name_identity, self.handles = {}, {}, {}
        self.next = 0
        for type_, _, fields, text in definitions:
            if type_ == NAME:
                self.names.setdefault(fields[0], (fields[1], fields[2], text))
            elif type_ == HANDLE and fields[1] & 0xff >= FIRST_OF_LIBRARIES and fields[0] and fields[0] not in self.handles:
                self.define(fields)
        for type_, _, fields, text in definitions:
            if type_ == IDENTITY:
                self.identify(fields, first=True)

    def entry(self, handle):
        found = self.handles.get(handle)
        if found is None:
            found = self.handles[handle] = Entry()
        return found

    def identify(self, fields, first=False):
        what, id_, device, inode, how = fields
        identity = (device, inode, how) if how else None
        if what == 0:
            if not first or id_ not in self.name_identity:
                self.name_identity[id_] = identity
        elif not first or self.entry(id_).identity is None:
            self.entry(id_).identity = identity

    def define(self, fields):
        handle, packed, fd, name, other, device, inode = fields
        entry = self.entry(handle)
        entry.kind, how, entry.origin = packed & 0xff, packed >> 8 & 0xff, packed >> 16 & 0xff
        entry.fd, entry.name, entry.other = fd, name, other
        if how:
            entry.identity = (device, inode, how)

    def apply(self, definition):
        if definition[0] == HANDLE:
            self.define(definition[2])
        elif definition[0] == IDENTITY:
            self.identify(definition[2])

    def name_path(self, name, steps=STEPS):
        """The absolute path of a name, or None."""
        if name not in self.names or steps == 0:
            return None
        base_kind, base, text = self.names[name]
        if text.startswith(b"/"):
            return tidy(text)
        if base_kind == 0:
            return text
        if base_kind == 1:
            folder = self.name_path(base, steps - 1)
        elif base_kind == 2:
            folder = self.base_path(base, steps - 1)
        else:
            folder = None
        return tidy(folder + b"/" + text) if folder is not None and folder.startswith(b"/") else None

    def along(self, handle):
        """The first name and the first identity on the way from a handle along `other`."""
        identity = None
        for _ in range(STEPS):
            entry = self.handles.get(handle)
            if entry is None:
                break
            identity = identity or entry.identity
            if entry.name:
                return entry.name, identity
            handle = entry.other
        return 0, identity

    def handle_file(self, handle):
        """Name and identity of the file of a handle."""
        name, identity = self.along(handle)
        return name, identity or self.name_identity.get(name)

    def base_path(self, handle, steps):
        """The path of a handle on the way of a name; each handle is a step."""
        while steps and handle in self.handles:
            steps -= 1
            if self.handles[handle].name:
                return self.name_path(self.handles[handle].name, steps)
            handle = self.handles[handle].other
        return None

    def handle_path(self, handle):
        name, _ = self.handle_file(handle)
        return self.name_path(name) if name else None

    def begin(self, record, row):
        """Applies definitions and records up to `record`, which then makes its handles."""
        while self.next < len(self.definitions) and self.definitions[self.next][1] <= record.at:
            self.apply(self.definitions[self.next])
            self.next += 1
        if row is None or record.marks & (FAILED | UNFINISHED) or record.late is not None:
            return
        made = [handle_of(field.style, record.words[field.word]) for field in row.makes if field.word < len(record.words)]
        self.look_ahead(record, row, made)
        for handle in made:
            if handle:
                self.make(handle, record, row)

    def look_ahead(self, record, row, made):
        """Definitions directly after a record that succeeded, about this record, already apply to it."""
        at = self.next
        names = handles = None
        while at < len(self.definitions) and self.definitions[at][1] == record.at + 1:
            definition = self.definitions[at]
            at += 1
            if definition[0] == HANDLE and definition[2][0] in made:
                self.apply(definition)
            elif definition[0] == IDENTITY:
                if names is None:
                    names = {record.words[field.word] for field in row.names if field.word < len(record.words)}
                    handles = {handle_of(field.style, record.words[field.word]) for field in row.inputs
                               if field.word < len(record.words)}
                    handles.update(made)
                if definition[2][1] in (handles if definition[2][0] else names):
                    self.apply(definition)

    def make(self, handle, record, row):
        if row.op in TOLD_BY_HANDLE:
            return
        name, other = self.first_name(record, row), self.first_handle(record, row.inputs)
        if not name and other == handle:
            return
        entry = self.entry(handle)
        if entry.kind >= FIRST_OF_LIBRARIES:
            return
        entry.name, entry.other = name, 0 if name else other
        entry.kind = entry.kind or KIND_OF_OP.get(row.op, 0)
        if name:
            entry.identity = entry.identity or self.name_identity.get(name)
        elif other in self.handles:
            given = self.handles[other]
            entry.kind = entry.kind or given.kind
            entry.identity = entry.identity or given.identity
            if given.other and not given.name:
                entry.other = given.other

    @staticmethod
    def first_name(record, row):
        for field in row.names:
            if field.word < len(record.words) and not field.output and record.words[field.word]:
                return record.words[field.word]
        return 0

    @staticmethod
    def first_handle(record, fields):
        for field in fields:
            if field.word < len(record.words):
                handle = handle_of(field.style, record.words[field.word])
                if handle:
                    return handle
        return 0

    def with_file(self, handle):
        """The handle with the file of a call on this handle, or 0."""
        for _ in range(STEPS):
            entry = self.handles.get(handle)
            if not handle or entry is None or has_file(entry.kind):
                return handle
            handle = entry.other
        return 0

    def first_with_file(self, record, fields, made):
        for field in fields:
            handle = handle_of(field.style, record.words[field.word]) if field.word < len(record.words) else 0
            leads = self.with_file(handle)
            if leads and (leads == handle or not made):
                return leads
        return 0

    def file_of_name(self, name):
        given = self.names[name][2] if name in self.names else None
        return File(given, self.name_path(name), 0, 0, self.name_identity.get(name))

    def file_of_handle(self, handle):
        """The file of a handle; an empty one if nothing is known of the handle."""
        entry = self.handles.get(handle)
        if entry is None:
            return File()
        name, identity = self.handle_file(handle)
        file = self.file_of_name(name) if name else File()
        file.handle, file.kind, file.identity = handle, entry.kind, identity
        return file

    def parts(self, record, row):
        """The parts of the file of a call: see Parts."""
        parts = Parts()
        for place, field in enumerate(row.names):
            known = field.word < len(record.words) and (not field.output or record.succeeded())
            if known and record.words[field.word]:
                late = record.late.get(field.word) if record.late and field.output else None
                found = place, (late[0] or File()) if late else self.file_of_name(record.words[field.word])
                if not field.output:
                    parts.inputs.append(found)
                    parts.name = parts.name or found
                else:
                    parts.output_name = parts.output_name or found
        handle = self.first_with_file(record, row.inputs, False)
        if handle:
            parts.handle = self.file_of_handle(handle)
            parts.second_handle = self.second_with_file(record, row.inputs)
        if record.late:
            parts.made = self.late_made(record, row) if record.succeeded() else None
            return parts
        handle = self.first_with_file(record, row.makes, True) if record.succeeded() else 0
        if handle:
            parts.made = self.file_of_handle(handle)
        return parts

    def second_with_file(self, record, fields):
        """The file of the second input handle: another descriptor, or a handle of the same style that leads to another file."""
        there = [(field, handle_of(field.style, record.words[field.word])) for field in fields if field.word < len(record.words)]
        there = [(field, handle, self.with_file(handle)) for field, handle in there if self.with_file(handle)]
        field, _, leads = there[0]
        for other, handle, led in there[1:]:
            if other.style == field.style != DIRFD and (field.style == FD or led != leads):
                return self.file_of_handle(led)
        return None

    @staticmethod
    def late_made(record, row):
        """The file of the first handle that a call made, if its end is in a later block."""
        for field in row.makes:
            file, _ = record.late.get(field.word, (None, False))
            if field.word < len(record.words) and handle_of(field.style, record.words[field.word]) and \
                    (file is None or has_file(file.kind)):
                return file
        return None


class Parts:
    """For a record: its first input name and output name, each with its place among the names, all input names, the file of its
    first input handle, of the second one, and that of the handle that it made."""
    __slots__ = ("name", "output_name", "inputs", "handle", "second_handle", "made")

    def __init__(self):
        self.name = self.output_name = self.handle = self.second_handle = self.made = None
        self.inputs = []


def file_of(first, last):
    """The file of a call, from the parts of its first and of its last record."""
    names = [found for found in (first.name, last.output_name) if found]
    if not names:
        return first.handle or last.made or File()
    file = min(names, key=lambda found: found[0])[1]
    if last.made:
        file.handle, file.kind = last.made.handle, last.made.kind
        file.identity = last.made.identity or file.identity
    return file


def second_of(first, last):
    """The other file of a call on two files, or None."""
    names = [found for found in (first.name, last.output_name) if found]
    if not names:
        return first.second_handle if first.handle else None
    place = min(found[0] for found in names)
    return next((file for at, file in first.inputs if at > place), None)


READS, WRITES = ("read", "receive", "receive_message", "receive_messages"), ("write", "send", "send_message", "send_messages")


def sides_of(row, args, second=False):
    """The file from which the bytes of a call were read and the file to which they were written: "read", "written" or None for
    each of two files. `second`: there are two, also if they have no names."""
    directions = [field.name for field in row.recorded if field.kind.name == "direction"]
    if directions:
        return {"read": "read", "write": "written"}.get(args.get(directions[0])), None
    if row.rule == 0:
        return None, None
    if row.op == "copy":
        known = [field.name for field in row.inputs if field.style == FD and (second or args.get(field.name + "_path") is not None)]
        sides = ["written" if name.startswith("new") else "read" for name in known] + [None, None]
        return sides[0], sides[1]
    if row.op in READS:
        return "read", None
    if row.op in WRITES:
        return "written", None
    for side, words in (("read", ("read", "get_", "receive")), ("written", ("write", "put_"))):
        if any(word in row.name for word in words):
            return side, None
    return None, None
