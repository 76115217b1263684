#!/usr/bin/env python3
# again: long
"""A recorded trace that is truncated or has flipped bits: `dump` and `info` report it, exit with 3 and print what can be read.

The unit tests test every bit of an artificial trace; this test uses a sample of bits and cuts of a recorded one, in every
block, with the command.
"""
# timeout: 300
import json
import os
import re
import struct

from lib import holds, lots, program, run_tests, same, varve

RECORDS = 1
STEPS = lots(40, 120)


def read(name):
    with open("t.varve/" + name, "rb") as file:
        return file.read()


def write(name, data):
    with open("t.varve/" + name, "wb") as file:
        file.write(data)


def recorded():
    same(varve("record", "--no-pack", "-o", "t.varve", "--", program("three_files")).returncode, 0)
    return read("data.0"), read("index")


def blocks(data):
    """(offset, length, type, process, thread) of each block."""
    at = 0
    while at < len(data):
        same(data[at:at + 8], b"VARVEBLK", at)
        kind = data[at + 10]
        length, = struct.unpack_from("<Q", data, at + 16)
        process, thread = struct.unpack_from("<II", data, at + 48)
        yield at, length, kind, process, thread
        at += length


def lines_of(stream):
    """The dump of one stream of the undamaged trace."""
    result = varve("dump", "--stream", "%d.%d" % stream, "t.varve")
    same((result.returncode, result.stderr), (0, b""))
    return result.stdout.splitlines()


def damaged(about):
    """The lines of a damaged trace that can still be opened."""
    result = varve("dump", "t.varve")
    same(result.returncode, 3, (about, result.stderr))
    assert result.stderr.startswith(b"varve: "), (about, result.stderr)
    info = varve("info", "t.varve")
    same(info.returncode, 3, (about, info.stderr))
    return result.stdout.splitlines()


def test_each_block_costs_only_itself():
    data, _ = recorded()
    listed = list(blocks(data))
    streams = {(process, thread) for _, _, kind, process, thread in listed if kind == RECORDS}
    assert len(streams) >= 3, listed
    whole = {stream: lines_of(stream) for stream in streams}
    everything = sum(map(len, whole.values()))
    for at, length, kind, process, thread in listed:
        for place in (0, 9, 20, 90, 165, length // 2, length - 1):
            for bit in (0, 7):
                changed = bytearray(data)
                changed[at + place] ^= 1 << bit
                write("data.0", changed)
                lines = damaged((at, place, bit))
                hit = (process, thread) if kind == RECORDS else None
                for stream in streams - {hit}:
                    missing = [line for line in whole[stream] if line not in lines]
                    same(missing, [], (at, place, bit, stream))
                if kind != RECORDS:
                    same(len(lines), everything, (at, place, bit))
                elif all(entry[2:] != (kind, process, thread) or entry[0] == at for entry in listed):
                    same(len(lines), everything - len(whole[hit]), (at, place, bit))


def test_a_sample_of_bits():
    data, index = recorded()
    for name, content in (("data.0", data), ("index", index)):
        bits = len(content) * 8
        for bit in range(0, bits, max(1, bits // STEPS) | 1):
            changed = bytearray(content)
            changed[bit // 8] ^= 1 << bit % 8
            write(name, changed)
            damaged((name, bit))
        write(name, content)


def test_a_sample_of_cuts():
    data, index = recorded()
    ends = {at + length for at, length, *_ in blocks(data)} - {len(data)}
    cuts = set(range(0, len(data), max(1, len(data) // STEPS))) | ends | {end - 1 for end in ends} | {end + 1 for end in ends}
    first = min(ends)
    for cut in sorted(cuts):
        write("data.0", data[:cut])
        result = varve("dump", "t.varve")
        same(result.returncode, 3, (cut, result.stderr))
        assert result.stderr.startswith(b"varve: "), (cut, result.stderr)
        if cut < first:
            holds(result.stderr, b"not a Varve trace")
            same(result.stdout, b"", cut)
        same(varve("info", "t.varve").returncode, 3, cut)
    write("data.0", data)
    lines = varve("dump", "t.varve").stdout
    for cut in range(0, len(index), max(1, len(index) // STEPS)):
        write("index", index[:cut])
        result = varve("dump", "t.varve")
        same((result.returncode, result.stdout), (3, lines), cut)
    os.unlink("t.varve/index")
    result = varve("dump", "t.varve")
    same((result.returncode, result.stdout), (3, lines))


PLACED = re.compile(rb"(?:, (?:\d+ bytes )?at offset|: damaged at byte) \d+: ")
# Of a file as a whole: what is missing has no offset.
WHOLE = re.compile(rb"tables of functions are missing|description of the run is missing|missing: losses|its beginning or its end|"
                   rb"beginning is damaged|not a Varve trace|no record can be read$")


def spoiled(data, at, size):
    return data[:at] + bytes(byte ^ 0x55 for byte in data[at:at + size]) + data[at + size:]


def told(*words):
    """Each line about damage names a place."""
    result = varve(*words)
    lines = result.stderr.splitlines() + [line for line in result.stdout.splitlines() if words[0] == "info" and line.startswith(b"DAMAGED")]
    found = [line for line in lines if re.search(rb"damage|checksum|DAMAGED", line) and b"was made from" not in line]
    assert result.returncode != 3 or found or WHOLE.search(result.stderr), (words, result.stderr)
    for line in found:
        assert PLACED.search(line) or WHOLE.search(line) or b"would discard" in line or b"beyond repair" in line, (words, line)
    return found


def test_each_message_has_a_place():
    loop = "import os\nfile = os.open('/etc/passwd', 0)\nfor i in range(3000): os.pread(file, i % 97 + i * i % 7, i * i % 1001)"
    same(varve("record", "--no-pack", "-o", "folder", "--buffer", "64K", "--", program("three_files")).returncode, 0)
    same(varve("record", "-o", "single", "--buffer", "64K", "--", "python3", "-c", loop).returncode, 0)
    same(varve("pack", "-o", "several", "--files", "2", "folder").returncode, 0)
    seen = 0
    for name in ("folder/data.0", "folder/index", "single", "several/packed.0", "several/packed.1"):
        with open(name, "rb") as file:
            whole = file.read()
        trace = name.partition("/")[0]
        for at in range(0, len(whole), len(whole) // lots(12, 60) | 1):
            with open(name, "wb") as file:
                file.write(spoiled(whole, at, 4 + len(whole) // 9))
            for words in (["info"], ["dump"], ["info", "--files"]):
                seen += len(told(*words, trace))
            told("slice", "--force", "-o", "part", trace)
            if at % 3 == 0:
                told("pack", "--verify", trace)
                told("pack", "--repair", "-o", "mended", trace)
        with open(name, "wb") as file:
            file.write(whole)
    assert seen > 100, seen


def test_a_cut_file():
    """The messages name the file of the user, and one line reports the cut and how many parts it costs, or that no record can be
    read; JSON lists all parts."""
    loop = "import os\nfile = os.open('/etc/passwd', 0)\nfor i in range(20000): os.pread(file, i % 7, i * i % 977)"
    same(varve("record", "-o", "t", "--buffer", "64K", "--", "python3", "-c", loop).returncode, 0)
    with open("t", "rb") as file:
        whole = file.read()
    total = partly = 0
    for share in range(20, 100, 5):
        at = len(whole) * share // 100
        with open("t", "wb") as file:
            file.write(whole[:at])
        shown, dumped = varve("info", "t"), varve("dump", "t")
        known = varve("info", "--format", "json", "t")
        if not shown.stdout:
            holds(shown.stderr, b"cannot read t: ... no record can be read")
            continue
        facts = json.loads(known.stdout)
        parts = len(facts["damage"]) - 1
        for text in (shown.stdout, dumped.stderr, known.stderr):
            lines = [line for line in text.splitlines() if re.match(rb"(varve: d|D)(amaged|AMAGED)", line)]
            holds(lines[0], b"t, %d bytes at offset %d: the file is truncated" % (len(whole) - at, at))
            assert b"packed.0" not in text, text
            # `dump` finds the parts only when it reads them.
            same(len(lines), 1 + (text is dumped.stderr and bool(parts) and len(lines) == 2), lines)
            wanted = b"no record can be read" if not facts["records"] else rb"%d parts? of the records cannot be read" % parts
            same(bool(re.search(wanted, lines[-1])), bool(parts or not facts["records"]), lines)
        total, partly = total + (not facts["records"]), partly + bool(facts["records"] and parts)
    assert total and partly, (total, partly)


def test_the_place_is_that_of_the_damage():
    """A wrong checksum in a packed file: the bytes that the message names contain wrong ones."""
    loop = "import os, random\nchance, file = random.Random(1), os.open('/etc/passwd', 0)\nfor i in range(20000): os.pread(file, chance.randrange(99), chance.getrandbits(40))"
    same(varve("record", "-o", "t", "--buffer", "64K", "--", "python3", "-c", loop).returncode, 0)
    with open("t", "rb") as file:
        whole = file.read()
    found = 0
    size = len(whole) // 9
    for at in range(len(whole) // 4, len(whole) - size, len(whole) // 20):
        with open("t", "wb") as file:
            file.write(spoiled(whole, at, size))
        for line in varve("dump", "t").stderr.splitlines():
            place = re.match(rb"varve: damaged: t, (\d+) bytes at offset (\d+): wrong checksum", line)
            if place:
                length, offset = map(int, place.groups())
                assert offset < at + size and at < offset + length, (at, line)
                found += 1
    assert found > 5, found


run_tests(globals())
