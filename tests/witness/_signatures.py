"""System calls in a form in which strace's and Varve's can be compared: (call, fields, result).

The fields of a call are its descriptors (with their files), paths, offsets and sizes, in the kernel's order. If libc's function
has the name and the argument order of the system call, they are taken from the table of rows; the others are in SPECIAL.
"""
import json
import os
import re

from _strace import unescaped

CWD = "cwd"
# Functions that are a system call of another name, with arguments in the same order.
RENAMED = {
    "pread": "pread64", "pwrite": "pwrite64", "fstatat": "newfstatat", "posix_fadvise": "fadvise64", "pipe": "pipe2",
    "fork": "clone", "_Fork": "clone", "waitpid": "wait4", "recv": "recvfrom", "send": "sendto", "eventfd": "eventfd2",
    "inotify_init": "inotify_init1", "signalfd": "signalfd4", "epoll_create": "epoll_create1", "select": "pselect6",
    "pselect": "pselect6",
}
# Functions that are a system call with other arguments: names of the record's arguments, CWD for the working directory.
SPECIAL = {
    "open": ("openat", [CWD, "path"]), "creat": ("openat", [CWD, "path"]),
    "stat": ("newfstatat", [CWD, "path"]), "lstat": ("newfstatat", [CWD, "path"]), "fstat": ("newfstatat", ["fd", '""']),
    "wait": ("wait4", []), "wait3": ("wait4", []), "futimens": ("utimensat", ["fd", "NULL"]),
    "lutimes": ("utimensat", [CWD, "path"]),
    "utimes": ("utimensat", [CWD, "path"]), "utime": ("utimensat", [CWD, "path"]), "futimes": ("utimensat", ["fd", "NULL"]),
    "futimesat": ("utimensat", ["dirfd", "path"]), "getcwd": ("getcwd", []),
}
# Functions that libc implements with other system calls, although the kernel has one of this name.
EMULATED = {"prctl", "syscall", "fexecve", "execveat", "exit", "_exit"}
NUMBERS = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
# System calls as which older ones, or those with fewer arguments, are counted; the index of their first argument.
KERNEL = {"open": ("openat", 1), "creat": ("openat", 1), "stat": ("newfstatat", 1), "lstat": ("newfstatat", 1),
          "pipe": ("pipe2", 0), "clone3": ("clone", 0), "fork": ("clone", 0), "eventfd": ("eventfd2", 0),
          "inotify_init": ("inotify_init1", 0), "signalfd": ("signalfd4", 0), "epoll_create": ("epoll_create1", 0),
          "select": ("pselect6", 0)}
FIELDS = {"fd": "fd", "dirfd": "fd", "path": "path", "size": "number", "offset": "number", "iovec": "iovec",
          "fd_number": "number", "fcntl_cmd": "name", "string": "path"}
# Functions that return an address or a process, or with a result that libc changes.
SUCCESS_ONLY = {"mmap", "mremap", "shmat", "getcwd", "clone", "vfork", "wait4", "waitid", "epoll_create1", "brk"}
# System calls of the traced classes that are no I/O.
UNINTERESTING = {"brk", "exit", "exit_group", "arch_prctl", "kill", "tkill", "tgkill", "rt_sigreturn", "mprotect",
                 "pidfd_open", "pidfd_send_signal", "rseq", "set_robust_list", "process_madvise"}


class Table:
    """Rows as the build made them: symbols, and which of them are one system call."""

    def __init__(self, build, source):
        with open(os.path.join(build, "generated", "calls.json"), encoding="utf-8") as file:
            symbols = json.load(file)["symbols"]
        self.function = {row["symbol"]: row["function"] for row in symbols}
        self.shapes, self.sources = {}, {}
        with open(NUMBERS) as file:
            kernel = set(re.findall(r"#define __NR_(\w+)", file.read()))
        rows = {row["function"]: row for row in reversed(symbols) if row["symbol"] == row["function"]}
        for name, row in rows.items():
            if name in SPECIAL or name in EMULATED or RENAMED.get(name, name) not in kernel:
                continue
            shape = [(FIELDS[argument["kind"]], at, argument["name"]) for at, argument in enumerate(row["arguments"])
                     if argument["kind"] in FIELDS]
            call = RENAMED.get(name, name)
            if call == name or call not in self.shapes:
                self.shapes[call] = [(kind, at) for kind, at, _ in shape]
            self.sources[name] = (call, [argument for _, _, argument in shape])
        self.shapes["getcwd"] = []
        for name, (call, arguments) in SPECIAL.items():
            if name in rows:
                self.sources[name] = (call, arguments)


        self.excluded = {}
        path = os.path.join(source, "calls", "excluded.list")
        with open(path if os.path.exists(path) else os.devnull, encoding="utf-8") as file:
            for line in file:
                if not line.startswith("#") and " -- " in line:
                    name, reason = line.split(" -- ", 1)
                    self.excluded[name.strip()] = f"is excluded: {reason.strip()}"


class Places:
    """Names of files that are equal in two runs: no symbolic links, no numbers of pipes, one name for renamed files."""

    def __init__(self, tidy):
        self.tidy, self.renamed = tidy, {}

    def path(self, text):
        return self.tidy(re.sub(rb"^/proc/\d+\b", b"/proc/PID", text))

    def file(self, text):
        if text is None:
            return None
        text = re.sub(rb"<(char|block) \d+:\d+>$", b"", text)
        if not text.startswith(b"/"):
            return re.split(rb"[:\[]", text)[0]
        text = self.path(os.path.realpath(text))
        while text in self.renamed:
            text = self.renamed[text]
        return text

    def rename(self, old, new):
        old, new = self.file(old), self.file(new)
        if old != new:
            self.renamed[old] = new


def number(text):
    found = re.match(rb"-?(0x[0-9a-f]+|\d+)", text)
    return int(found[0], 0) if found else text.decode()


def event_field(kind, text, places):
    if kind == "fd":
        found = re.match(rb"^(AT_FDCWD|-?\d+)(?:<(.*)>)?(\(deleted\))?$", text)
        if not found:
            return text.decode()
        if found[1] == b"AT_FDCWD":
            return CWD
        return int(found[1]), places.file(unescaped(found[2]) if found[2] else None)
    if kind == "path":
        if text == b"NULL":
            return None
        return places.path(unescaped(text.rstrip(b".").strip(b'"')))
    if kind == "iovec":
        return sum(int(size) for size in re.findall(rb"iov_len=(\d+)", text))
    if kind == "name":
        return text.decode()
    return number(text)


def outcome(call, result, error):
    if error:
        return error
    return "ok" if call in SUCCESS_ONLY and (call != "wait4" or result) else result


def of_event(event, table, places):
    """The signature of a system call in strace's output, or None if no row is this system call."""
    call, first = KERNEL.get(event.name, (event.name, 0))
    shape = table.shapes.get(call)
    if shape is None:
        return None
    arguments = [b"AT_FDCWD"] * first + event.arguments
    fields = tuple(event_field(kind, arguments[at], places) if at < len(arguments) else None for kind, at in shape)
    return call, fields, outcome(call, event.result, event.error)


def timed(signature):
    """How often this happens depends on when a child ends or a signal arrives: lookups of files that do not exist yet."""
    call, _, result = signature
    return result == "EINTR" or (call in ("wait4", "waitid") and result != "ok") or (call == "pselect6" and result != 1)


def as_bytes(text):
    return text.encode("utf-8", "surrogateescape")


def record_field(kind, name, arguments, places):
    if name == CWD:
        return CWD
    if name == '""':
        return b""
    if name == "NULL" or name not in arguments:
        return None
    value = arguments[name]
    if kind == "fd":
        if value == -100:
            return CWD
        path = arguments.get(name + "_path")
        return value, places.file(as_bytes(path) if path is not None else None)
    if kind == "path":
        return places.path(as_bytes(value)) if value is not None else None
    return value


def emulated(record):
    """libc makes several system calls for it, depending on its arguments."""
    return record["function"] in ("fchmodat", "faccessat") and record["args"].get("flags", "0") not in ("0", 0)


def of_record(record, table, places):
    """The signature of a record of Varve, or None if its function is not one system call."""
    source = table.sources.get(record["function"])
    if not source or source[0] not in table.shapes or emulated(record):
        return None
    call, names = source
    fields = tuple(record_field(kind, name, record["args"], places) for (kind, _), name in zip(table.shapes[call], names))
    fields += (None,) * (len(table.shapes[call]) - len(fields))
    error = record.get("error") if record.get("failed") else None
    result = 0 if record.get("unfinished") or record["function"].startswith("posix_f") else record.get("result")
    return call, fields, outcome(call, result, error)
