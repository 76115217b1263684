#!/usr/bin/env python3
"""Colour: text is coloured at a terminal that supports it, unless NO_COLOR or --color disables it; nothing else is."""
import re

from lib import VARVE, damage_last_block, holds, run_tests, same, varve
from _terminal import Terminal

ESCAPE = b"\x1b["


def record(*options):
    same(varve("record", "-o", "t.varve", *options, "--", "cat", "/etc/hostname", "/no/such/file").returncode, 1)


def at_terminal(*words, **variables):
    with Terminal([VARVE, *words], PAGER="cat", **variables) as terminal:
        return terminal.end()


def plain(text):
    return re.sub(rb"\x1b\[[0-9;]*m", b"", text)


def test_text_at_a_terminal():
    record()
    for verb in ("dump", "info"):
        status, coloured = at_terminal(verb, "t.varve")
        same(status, 0)
        holds(coloured, ESCAPE)
        same(plain(coloured), varve(verb, "t.varve").stdout, verb)


def test_what_is_coloured():
    record("--no-pack")
    text = at_terminal("dump", "t.varve")[1]
    assert re.search(rb'\x1b\[36mopen\x1b\[m\(path=\x1b\[32m"/etc/hostname"\x1b\[m', text), text
    assert re.search(rb'\x1b\[31mopen\x1b\[m\(path=\x1b\[32m"/no/such/file"\x1b\[m.*\x1b\[31mENOENT\x1b\[m\n', text), text
    text = at_terminal("info", "t.varve")[1]
    assert re.search(rb"\n\x1b\[1mlayer +function .*time\x1b\[m\n", text), text
    damage_last_block()
    status, text = at_terminal("info", "t.varve")
    same(status, 3)
    assert text.startswith(b"\x1b[31mDAMAGED       \x1b[m"), text


def test_not_at_a_terminal_of_no_talent():
    record()
    for variables in ({"TERM": "dumb"}, {"TERM": None}, {"NO_COLOR": "1"}):
        status, text = at_terminal("dump", "t.varve", **variables)
        same((status, text), (0, varve("dump", "t.varve").stdout), variables)
    holds(at_terminal("dump", "t.varve", NO_COLOR="")[1], ESCAPE)


def test_the_option():
    record()
    text = varve("dump", "t.varve").stdout
    assert ESCAPE not in text
    same(at_terminal("dump", "--color", "never", "t.varve")[1], text)
    same(varve("dump", "--color", "auto", "t.varve").stdout, text)
    always = varve("dump", "--color=always", "t.varve").stdout
    holds(always, ESCAPE)
    same(plain(always), text)
    holds(at_terminal("dump", "--color", "always", "t.varve", NO_COLOR="1")[1], ESCAPE)
    result = varve("dump", "--color", "red", "t.varve")
    same((result.returncode, result.stdout), (2, b""))
    holds(result.stderr, b"--color ... auto ... always ... never ... 'red'")


def test_formats_for_programs_have_none():
    record()
    for verb in ("dump", "info"):
        for format in ("json", "csv"):
            same(varve(verb, "--color", "always", "--format", format, "t.varve").stdout,
                 varve(verb, "--format", format, "t.varve").stdout)


run_tests(globals())
