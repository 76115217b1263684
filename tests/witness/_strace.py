"""Runs a program under strace and reads the output: one Event for each system call, with its stack.

Each thread has a file of its own (-ff), so no line is torn by another thread's. Strings and paths are written in hexadecimal
(-xx) and read back as bytes. _signatures.py interprets them.
"""
import glob
import os
import re
import subprocess

CLASSES = "%file,%desc,%network,%memory,%process,%ipc,umask,sync,close_range"
FORKS = {"clone", "clone3", "fork", "vfork"}
LINE = re.compile(rb"^(\w+)\((.*)\) += (0x[0-9a-f]+|-?\d+|\?)(.*)$", re.S)
FRAME = re.compile(rb"^ > (.*?)\((?:[^()]*(?:\([^()]*\))*[^()]*)\) \[0x([0-9a-f]+)\]$")
HEX = re.compile(rb"\\x([0-9a-f]{2})")
OPENING, CLOSING = b"([{<", b")]}>"


class Event:
    """A system call: name, arguments as written, result (or None), name of the error (or None), frames from the innermost."""

    def __init__(self, thread, name, arguments, result, error, where):
        self.thread, self.name, self.arguments, self.result, self.error = thread, name, arguments, result, error
        self.where = where  # the file of the result, a descriptor
        self.frames = []

    def __repr__(self):
        shown = ascii(unescaped(b", ".join(self.arguments))[:200].decode("utf-8", "replace"))[1:-1]
        return f"{self.name}({shown}) = {self.error or self.result}"


def unescaped(text):
    return HEX.sub(lambda found: bytes([int(found[1], 16)]), text)


def split(text):
    """Splits arguments at commas, except in brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for at in range(len(text)):
        letter = text[at:at + 1]
        if letter == b'"':
            quoted = not quoted
        elif not quoted:
            if letter in OPENING:
                depth += 1
            elif letter in CLOSING and not (letter == b">" and text[at - 1:at] in (b"-", b"=")):
                depth -= 1
            elif letter == b"," and depth == 0:
                parts.append(text[start:at].strip())
                start = at + 1
    rest = text[start:].strip()
    return parts + [rest] if rest or parts else []


def parsed(thread, line):
    found = LINE.match(line)
    if not found:
        return None
    name, arguments, result, rest = found.groups()
    error = re.match(rb" (E[A-Z0-9]+) ", rest)
    where = re.match(rb"<(.*)>", rest)
    base = 16 if result.startswith(b"0x") else 8 if re.match(rb"0\d", result) else 10
    number = None if result == b"?" else int(result, base)
    return Event(thread, name.decode(), split(arguments), number, error[1].decode() if error else None,
                 unescaped(where[1]) if where else None)


def read(path):
    """The events of one thread, without those that a signal interrupted and the kernel restarted."""
    thread, events = int(path.rsplit(".", 1)[1]), []
    with open(path, "rb") as file:
        for line in file.read().split(b"\n"):
            if line.startswith(b" > "):
                frame = FRAME.match(line)
                if events and events[-1]:
                    events[-1].frames.append((frame[1].decode(), int(frame[2], 16)) if frame else ("?", 0))
            elif line and not line.startswith((b"---", b"+++")):
                events.append(parsed(thread, line))
    return [event for event in events if event and not (event.error or "").startswith("ERESTART")]


def witnessed(words, folder, output, stacks=True, timeout=300, **options):
    """Runs it under strace in `folder`; returns the result of the run, and the events of all threads.

    The first execve is strace's own.
    """
    os.makedirs(output)
    result = subprocess.run(["strace", "-ff", "-y", "-xx", "-s", "64", "-q", "-e", "trace=" + CLASSES, "-e", "signal=none",
                             *(["-k"] if stacks else []), "-o", os.path.join(os.path.abspath(output), "thread"), *words],
                            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=timeout, **options)
    events = [event for path in glob.glob(os.path.join(output, "thread.*")) for event in read(path)]
    children = {event.result for event in events if event.name in FORKS}
    first = next(event for event in events if event.thread not in children)
    return result, [event for event in events if event is not first]
