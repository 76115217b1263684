"""Packed traces with flipped bits, wrong bytes and cuts, for the second decoder: it and `varve` read the same from each, and
nothing that the whole trace does not have."""
import os
import random
import subprocess
import sys

from _compare import VARVE, Dump, agree, same_calls, same_places
from _decoder import open_trace

from lib import Folder, same

PROGRAM = """
import os, random
chance = random.Random(5)
with open("file", "wb", buffering=0) as file:
    for i in range({calls}):
        os.pwrite(file.fileno(), b"x" * chance.randrange(99), chance.getrandbits(30))
        if i % 50 == 0:
            os.path.exists("name.%03d" % chance.randrange(40))
"""


def packed(name, *command):
    subprocess.run([VARVE, "record", "--no-pack", "-o", name, "--buffer", "64K", "--", *command], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([VARVE, "pack", "--quiet", name], check=True)
    return name


def traces():
    """With one block and with several; with several processes."""
    yield packed("small", sys.executable, "-c", PROGRAM.format(calls=60))
    yield packed("blocks", sys.executable, "-c", PROGRAM.format(calls=3000))
    yield packed("processes", "sh", "-c", "cat /etc/passwd | wc; ls /etc | sort | head -3")


def of_lines(calls):
    return {(call["process"], call["thread"], call["ordinal"]): call for call in calls}


def hurt(data, name):
    """Both read the damaged trace and return the same; definitions of chunks without readable calls are ignored."""
    with open(name, "wb") as file:
        file.write(data)
    dump, mine = Dump(name), open_trace(name)
    calls = list(mine.calls())
    same_calls(calls, dump.calls)
    assert same_places(mine.damages, dump.damages), (mine.damages, dump.damages)
    same(dump.status, 3 if mine.damages else 0)
    return mine, calls


def flips(data, whole, chance, times):
    for _ in range(times):
        bit = chance.randrange(8 * len(data))
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        mine, calls = hurt(changed, "flipped")
        same((mine.damages, calls == whole), ([], True), bit)


def stretches(data, whole, begin, chance, times):
    """Some are repaired, some lose chunks."""
    for _ in range(times):
        at, length = chance.randrange(begin, len(data)), chance.choice((3, 100, 2000))
        length = min(length, len(data) - at)
        mine, calls = hurt(data[:at] + bytes(length) + data[at + length:], "zeroes")
        known = of_lines(whole)
        assert all(known[key] == call for key, call in of_lines(calls).items()), at
        same(bool(mine.damages), len(calls) < len(whole), at)


def cuts(data, whole, begin, chance, times):
    shown = []
    for cut in sorted(chance.randrange(begin, len(data)) for _ in range(times)):
        mine, calls = hurt(data[:cut], "cut")
        assert mine.damages, cut
        known = of_lines(whole)
        assert all(known[key] == call for key, call in of_lines(calls).items()), cut
        shown.append(len(calls))
    same(shown, sorted(shown), "a later cut leaves more")


def main(times):
    with Folder():
        chance = random.Random(7)
        for name in traces():
            with open(name, "rb") as file:
                data = file.read()
            mine, whole = agree(name)
            flips(data, whole, chance, times)
            stretches(data, whole, mine.data_begin, chance, times)
            cuts(data, whole, mine.data_begin, chance, times)
            os.unlink(name)
            print(f"ok {name}: {len(data)} bytes, {len(whole)} calls")
