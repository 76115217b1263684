#!/usr/bin/env python3
"""Every symbol of the table is called by a test program: a row without a test fails here. Runs all programs, untraced."""
import json
import os

from _calls import BUILD, expectations, program, programs, run_tests

# Symbols that no program calls, each with the reason.
EXCLUDED = {}


def table():
    with open(os.path.join(BUILD, "generated", "calls.json"), encoding="utf-8") as file:
        return json.load(file)["symbols"]


def called():
    made = {}
    for name in programs():
        for expectation in expectations([program(name)])[0]:
            made.setdefault(expectation.symbol, []).append(expectation)
    return made


def test_every_symbol_is_called():
    symbols = {row["symbol"] for row in table()}
    made = called()
    missing = sorted(symbols - set(made) - set(EXCLUDED))
    assert not missing, "no program calls " + ", ".join(missing)
    stale = sorted(name for name in EXCLUDED if name in made or name not in symbols)
    assert not stale, "excluded for nothing: " + ", ".join(stale)
    unknown = sorted(set(made) - symbols - {""})
    assert not unknown, "called, but in no row: " + ", ".join(unknown)


def test_each_is_called_as_its_function():
    functions = {row["symbol"]: row["function"] for row in table()}
    for symbol, calls in called().items():
        for expectation in calls:
            function = expectation.line.split("(")[0].strip()
            assert not symbol or functions[symbol] == function, f"{symbol} is no symbol of {function}"


def test_each_has_succeeded():
    """Not only failing arguments were tried."""
    kinds = {row["symbol"]: row["fail"] for row in table()}
    made = called()
    never = [symbol for symbol, calls in made.items()
             if symbol and kinds[symbol] != "never" and all(" = -1" in c.line or "NULL E" in c.line for c in calls)]
    assert not never, "never succeeded: " + ", ".join(sorted(never))


run_tests(globals())
