#!/usr/bin/env python3
"""Numbers in options: sizes, times and counts have one grammar, and everything else is refused."""
import os

from lib import holds, run_tests, same, varve

SIZE = ("1K", "64k", "128KiB", "2M", "1MB", "1G", "4096", "4096B")
TIME = ("1s", "1.5s", "20ms", "3us", "100ns", "2min", "1h")
COUNT = ("1", "5", "007")

# No numbers of any kind: empty, signs, spaces, trailing letters, other bases, too large for 64 bits.
NEVER = ("", " ", "-1", "+1", " 1", "1 ", "1\t", "1\n", "1x", "0x10", "1e3", "x", ".", "-", "--", "1,5", "1..5", "nan", "inf",
         "18446744073709551616", "99999999999999999999999999", "\u0661", "-0", "1 K", "1KK", "1Kx", "1sx", "1 s", "s", "K")
NOT_SIZE = (*NEVER, "1.5s", "1s", "18014398509481984K", "17179869184G", "16777216T")
NOT_TIME = (*NEVER, "1K", "1M", "1S", "9223372036854775808ns", "9223372037s", "2562048h", "153722868min")
NEVER_RANKS = tuple(word for word in NEVER if word != "1,5")
NOT_COUNT = (*NEVER, "1.5", "1K", "1s", "0.0")

# verb, option, accepted values, refused values, operands
OPTIONS = [
    ("record", "limit", SIZE, ("0", "1"), NOT_SIZE), ("record", "buffer", SIZE, ("0", "63K", "65M"), NOT_SIZE),
    ("record", "start-after", TIME, ("0", "0s"), NOT_TIME), ("record", "stop-after", TIME, ("0", "0ns"), NOT_TIME),
    ("record", "resolution", TIME, ("0", "1", "0.5", "100", "1001ms", "0.5ns"), NOT_TIME),
    ("dump", "from", TIME, (), NOT_TIME), ("dump", "to", TIME, (), NOT_TIME), ("slice", "from", TIME, (), NOT_TIME),
    ("slice", "to", TIME, (), NOT_TIME), ("control", "wait", TIME, ("1001h",), NOT_TIME),
    ("dump", "limit", COUNT, (), NOT_COUNT), ("dump", "process", COUNT, ("4294967296",), NOT_COUNT),
    ("slice", "process", COUNT, ("4294967296",), NOT_COUNT),
    ("pack", "files", COUNT, ("0", "257"), NOT_COUNT), ("pack", "workers", COUNT, ("0", "65"), NOT_COUNT),
    ("info", "window", COUNT, ("128",), NOT_COUNT), ("record", "window", COUNT, ("128",), NOT_COUNT),
    ("dump", "stream", (), ("1", ".", "1.", ".1", "1.2.3", "1.2x", "-1.2", "1.-2", "1. 2", "1.4294967296", "4294967296.1", "1:2"), NEVER),
    ("slice", "stream", (), ("1", "1.", ".1", "1.2.3", "1.x"), NEVER),
    ("record", "ranks", (), ("1:", ":1", "2:1", "1,,2", "1,", ",1", "1:2:", "1;2", "4294967296"), NEVER_RANKS),
]

FITS = {("record", "limit"): ("128KiB", "2M", "1MB", "1G", "200000B"), ("record", "buffer"): SIZE[1:5],
        ("record", "resolution"): ("1ns", "1us", "0.5ms", "1s"), ("pack", "workers"): ("1", "64"), ("pack", "files"): ("1",)}


def call(verb, option, value):
    """If the status is 127 or 0, the value was accepted; the rest of the command is right."""
    words = [f"--{option}={value}"]
    if verb == "record":
        words += ["--codec", "peephole"] if option == "window" else []
        words += ["--", "/no/such/program"]
    elif verb == "control":
        words += ["1", "flush"]
    elif verb == "slice":
        words += ["t.varve", "-o", "new"]
    else:
        words += (["--codec-stats"] if option == "window" else []) + ["t.varve"]
    return varve(verb, *words, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})


def test_what_is_no_number():
    same(varve("record", "-o", "t.varve", "--", "true").returncode, 0)
    wrong, count = [], 0
    for verb, option, _, beside, never in OPTIONS:
        refusal = 125 if verb == "record" else 2
        for value in (*beside, *never):
            if verb == "pack" and option == "files" and value == "":
                continue
            count += 1
            result = call(verb, option, value)
            if result.returncode != refusal or f"--{option}".encode() not in result.stderr or result.stdout:
                wrong.append((verb, option, value, result.returncode, result.stderr))
    same(wrong, [], f"of {count}")
    same(os.listdir("."), ["t.varve"])


def test_what_is_a_number():
    same(varve("record", "-o", "t.varve", "--", "true").returncode, 0)
    wrong = []
    for verb, option, usual, *_ in OPTIONS:
        for value in FITS.get((verb, option), usual):
            result = call(verb, option, value)
            if f"--{option} is".encode() in result.stderr:
                wrong.append((verb, option, value, result.stderr))
    same(wrong, [])


def test_the_same_in_variables():
    for variable, value in (("VARVE_LIMIT", "1M "), ("VARVE_BUFFER", "1 "), ("VARVE_START_AFTER", "1s "), ("VARVE_RESOLUTION", "100"),
                            ("VARVE_WINDOW", "4 "), ("VARVE_RANKS", "1 ")):
        result = varve("record", "--", "/no/such/program", env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", variable: value})
        same(result.returncode, 125, (variable, value))
        holds(result.stderr, variable.encode())


run_tests(globals())
