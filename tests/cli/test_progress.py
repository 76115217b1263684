#!/usr/bin/env python3
"""Progress at a terminal: it appears when work takes long, does not mix with other output, and is removed at the end. The test
makes work long by reading a pipe slowly."""
import os
import re

from lib import BIG, VARVE, damage_last_block, run_tests, same, varve
from _terminal import Terminal


def screen(text):
    """The content of a terminal of unlimited width after these bytes."""
    lines = [""]
    column = 0
    for letter in text.decode():
        if letter == "\r":
            column = 0
        elif letter == "\n":
            lines.append("")
            column = 0
        else:
            lines[-1] = lines[-1][:column].ljust(column) + letter + lines[-1][column + 1:]
            column += 1
    return [line.rstrip() for line in lines]


def dump_slowly(*words):
    """(status, stdout, all output to the terminal); the pipe is read after progress was seen."""
    reader, writer = os.pipe()
    with Terminal([VARVE, "dump", *words, "t.varve"], stdout=writer) as terminal:
        os.close(writer)
        terminal.until(b"records/s" if not words else b"/s")
        with open(reader, "rb") as pipe:
            data = pipe.read()
        status, shown = terminal.end()
    return status, data, shown


def record(*options):
    varve("record", "-o", "t.varve", *options, "--", "sh", "-c", BIG)
    return varve("dump", "t.varve").stdout


def test_percent_rate_and_time_left():
    text = record()
    status, data, shown = dump_slowly()
    same((status, data == text), (0, True))
    assert re.search(rb"\rvarve: dump: \d+%, [\d.]+[kM]? records/s, \d+ (s|min) left", shown), shown
    same(screen(shown), [""])


def test_of_a_part_what_is_read_counts():
    record()
    for part in (("--function", "*"), ("--where", "process >= 1")):
        status, data, shown = dump_slowly(*part)
        same(status, 0)
        assert re.search(rb"\rvarve: dump: \d+%, [\d.]+[kM]? records/s, \d+ (s|min) left", shown), shown
        same(screen(shown), [""])


def test_a_reader_that_goes_away():
    record()
    reader, writer = os.pipe()
    with Terminal([VARVE, "dump", "t.varve"], stdout=writer) as terminal:
        os.close(writer)
        terminal.until(b"records/s")
        os.close(reader)
        status, shown = terminal.end()
    same((status, screen(shown)), (141, [""]))


def test_messages_stand_on_lines_of_their_own():
    record("--no-pack")
    damage_last_block()
    plain = varve("dump", "t.varve")
    same(plain.returncode, 3)
    status, data, shown = dump_slowly()
    same((status, data == plain.stdout), (3, True))
    same(screen(shown), plain.stderr.decode().split("\n"))


run_tests(globals())
