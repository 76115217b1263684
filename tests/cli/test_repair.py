#!/usr/bin/env python3
"""Damaged packed traces: every verb reports first what was repaired, and it is no damage; `varve pack --verify` and `--repair`
of packed traces, of one file and of several."""
# timeout: 300
import json
import os
import random
import re
import subprocess
import sys

from lib import VARVE, holds, run_tests, same, says, varve
from _packed_file import BEGIN, DATA, GUARD, SIZE, blocks, data_of, without_guards

CALLS = """
import os, random, threading
def work(seed):
    chance = random.Random(seed)
    with open("file.%d" % seed, "wb", buffering=0) as file:
        for i in range(1500):
            os.pwrite(file.fileno(), b"x" * chance.randrange(99), chance.getrandbits(30))
threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
# The messages of readers about one wrong byte.
REPAIRED = b"repaired ... 1 byte ... `varve pack --repair t.varve`"


def record(*packed):
    same(subprocess.run([VARVE, "record", "--no-pack", "-o", "t.varve", "--buffer", "64K", "--", sys.executable, "-c", CALLS],
                        stderr=subprocess.PIPE).returncode, 0)
    if packed != (False,):
        same(varve("pack", "--quiet", *packed, "t.varve").returncode, 0)


def read(name="t.varve"):
    with open(name, "rb") as file:
        return file.read()


def write(data, name="t.varve"):
    with open(name, "wb") as file:
        file.write(data)


def flipped(data, bit):
    return data[:bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1:]


def test_a_flipped_bit_is_repaired_and_said():
    record()
    data, whole = read(), varve("dump", "t.varve").stdout
    chance = random.Random(3)
    # A bit of each foot, of each block and its header, of each guard, and some random bits.
    places = [8 * at + 70 for at in (0, SIZE, len(data) - SIZE)]
    for at, length, _ in blocks(data):
        places += [8 * at + 3, 8 * at + 500, 8 * (at + length) - 1, 8 * (at + 168) + chance.randrange(8 * (length - 168))]
    for bit in places + [chance.randrange(8 * len(data)) for _ in range(20)]:
        write(flipped(data, bit))
        dump = varve("dump", "t.varve")
        same((dump.returncode, dump.stdout == whole), (0, True), bit)
        same((dump.stderr.count(b"\n"), says(dump.stderr, REPAIRED)), (1, True), (bit, dump.stderr))
    info = varve("info", "t.varve")
    same(info.returncode, 0)
    holds(b"\n".join(info.stdout.splitlines()[:3]), REPAIRED)
    assert not info.stdout.startswith(b"complete"), info.stdout
    told = json.loads(varve("info", "--format", "json", "t.varve").stdout)
    same((told["repaired_bytes"], told["damage"]), (1, []))
    holds(varve("slice", "-o", "s.varve", "t.varve").stderr, b"repaired: 1 byte")
    same(read(), flipped(data, bit), "readers change no file")


def test_verify():
    record()
    data = read()
    found = varve("pack", "--verify", "t.varve")
    same(found.returncode, 0)
    holds(found.stderr, b"t.varve is sound: ")
    write(flipped(data, 8 * (len(data) // 2)))
    found = varve("pack", "--verify", "t.varve")
    same(found.returncode, 1)
    holds(found.stderr, b"repaired ... 1 byte")
    assert re.search(rb"t.varve.* \d+ records\n$", found.stderr), found.stderr
    told = json.loads(varve("pack", "--verify", "--format", "json", "t.varve").stdout)
    same((told["repaired_bytes"], told["damages"], told["bytes"]), (1, 0, len(data)))
    begin, length = data_of(data)
    write(without_guards(data)[:begin + 300] + bytes(50) + without_guards(data)[begin + 350:])
    found = varve("pack", "--verify", "t.varve")
    same(found.returncode, 3)
    holds(found.stderr, b"damaged: t.varve, ")
    write(data[:begin + length // 2])
    same(varve("pack", "--verify", "t.varve").returncode, 3)


def test_repair():
    record()
    data, whole = read(), varve("dump", "t.varve").stdout
    same(varve("pack", "--repair", "t.varve").returncode, 0)
    # Some wrong bytes in each block, and both feet at the beginning.
    wrong = bytearray(data)
    wrong[10:BEGIN - 10] = bytes(BEGIN - 20)
    for at, length, kind in blocks(data):
        if kind == DATA or at == BEGIN:
            wrong[at + 168:at + 168 + 20] = b"x" * 20
    write(wrong)
    result = varve("pack", "--repair", "-o", "r.varve", "t.varve")
    same((result.returncode, read("r.varve") == data, read() == wrong), (0, True, True), result.stderr)
    result = varve("pack", "--repair", "t.varve")
    same((result.returncode, read() == data), (0, True), result.stderr)
    holds(result.stderr, b"t.varve is sound: ")
    same(sorted(os.listdir("."))[-2:], ["r.varve", "t.varve"])
    same(varve("dump", "t.varve").stdout == whole, True)
    # All feet are damaged: the headers of blocks are used.
    for at in 0, SIZE, len(data) - SIZE:
        wrong[at:at + SIZE] = b"?" * SIZE
    wrong[:11] = data[:11]
    write(wrong)
    same((varve("pack", "--repair", "t.varve").returncode, read() == data), (0, True))


def test_of_an_older_version():
    """It has no guards: it is undamaged, or its remaining records are packed again."""
    golden = os.path.join(os.environ["VARVE_SOURCE"], "tests/golden/packed.varve")
    data = read(golden)
    write(data)
    same((varve("pack", "--verify", "t.varve").returncode, varve("pack", "--repair", "t.varve").returncode), (0, 0))
    same(read() == data, True)
    same(varve("pack", "--repair", "-o", "new.varve", "t.varve").returncode, 0)
    same(varve("dump", "new.varve").stdout, varve("dump", golden).stdout)
    same(len(list(blocks(read("new.varve")))) > 10, True)


def test_wrong_bytes_that_nothing_needs():
    """Useless guards lose no records; the trace is packed again."""
    record()
    data = read()
    write(without_guards(data))
    same(varve("dump", "t.varve").returncode, 0)
    result = varve("pack", "--verify", "t.varve")
    same(result.returncode, 1)
    holds(result.stderr, b"t.varve")
    same((varve("pack", "--repair", "t.varve").returncode, read() == data), (0, True))


def test_times_that_are_not_exact():
    record("--time", "histogram", "--force")
    data = read()
    write(flipped(data, 8 * len(data) // 2))
    same((varve("pack", "--repair", "t.varve").returncode, read() == data), (0, True))


def test_bytes_behind_the_end():
    """They lose no records, and are correct after the repair."""
    record()
    data = read()
    write(data + b"and more")
    result = varve("pack", "--verify", "t.varve")
    same(result.returncode, 3)
    holds(result.stderr, b"8 bytes at offset %d" % len(data))
    same((varve("pack", "--repair", "t.varve").returncode, read() == data), (0, True))


def test_what_cannot_be_repaired():
    record()
    data = read()
    whole = set(varve("dump", "t.varve").stdout.splitlines())
    begin, length = data_of(data)
    write(data[:begin + length // 2])
    result = varve("pack", "--repair", "t.varve")
    same((result.returncode, len(read())), (3, begin + length // 2))
    holds(result.stderr, b"with -o")
    result = varve("pack", "--repair", "-o", "left.varve", "t.varve")
    same(result.returncode, 3)
    left = varve("dump", "left.varve")
    same(left.stdout, varve("dump", "t.varve").stdout)
    assert set(left.stdout.splitlines()) < whole
    same(varve("pack", "--verify", "left.varve").returncode, 3, "it says what is missing")


def test_several_files():
    record("--files", "3")
    whole = varve("dump", "t.varve").stdout
    names = [f"t.varve/packed.{number}" for number in range(3)]
    data = {name: read(name) for name in names}
    chance = random.Random(9)
    for name in names * 8:
        write(flipped(data[name], chance.randrange(8 * len(data[name]))), name)
        dump = varve("dump", "t.varve")
        same((dump.returncode, dump.stdout == whole), (0, True), dump.stderr)
        holds(dump.stderr, b"repaired: 1 byte")
        write(data[name], name)
    for name in names:
        write(flipped(data[name], 8 * 5000 + 1), name)
    same(varve("pack", "--verify", "t.varve").returncode, 1)
    same(varve("pack", "--repair", "t.varve").returncode, 0)
    same([read(name) == data[name] for name in names], [True] * 3)
    same(varve("pack", "--verify", "t.varve").returncode, 0)


def test_refused():
    record(False)
    same(varve("pack", "--repair", "t.varve").returncode, 2)
    same(varve("pack", "--repair", "none.varve").returncode, varve("dump", "none.varve").returncode)
    for option in ("--verify",), ("--recover",), ("--files", "2"), ("--time", "none"), ("--workers", "2"):
        result = varve("pack", "--repair", *option, "t.varve")
        same(result.returncode, 2, option)
        holds(result.stderr, b"--repair ... " + option[0].encode())


def test_how_large():
    """The size of guards and feet: at most 2 KiB and 15 % of a small trace, at most 10 % of one of 1 MB."""
    record()
    data = read()
    guards = sum(length for _, length, kind in blocks(data) if kind == GUARD)
    assert guards + BEGIN <= 2048 + 0.15 * (len(data) - guards - BEGIN), (guards, len(data))


run_tests(globals())
