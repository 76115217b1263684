#!/usr/bin/env python3
"""Makes the seeds of fuzzing from real traces: make_corpus.py BUILD FOLDER writes them to FOLDER/NAME/seed-*.

Records small runs and killed runs, with the command and the test programs of BUILD, and uses the golden trace. The tables of
functions in a trace are far larger than all the rest: each seed gets only a few functions of them. The corpora beside them
contain the further inputs that libFuzzer found; docs/development/fuzz.md describes how to make them.
"""
import hashlib
import os
import shutil
import signal
import struct
import subprocess
import sys

from _packed import seed as packed_seed
from _blocks import RECORDS, RUN, TABLES, Tables, blocks, constants, functions, index, peephole_block, plain, rows_block

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Everything happens in this folder, so that seeds have the same paths on every machine.
WORK = "/tmp/varve-corpus"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/"}
READ_BY_STREAM, READ_TREE = 1, 3
LARGEST, LANE_HEADER, LANE_HEAD, CONTROL_HEAD = 6000, 4096, 256, 1024
DESCRIPTION = b"varve=0.1.0\0program=/bin/program\0host=host\0clock=tsc\0"
RUNS = [
    ["true"], ["sh", "-c", "true | cat"], ["sh", "-c", "exec cat /dev/null"], ["sh", "-c", "exit 3"],
    ["sh", "-c", "kill -9 $$"], ["cp", "/etc/hostname", "copy"], ["ls", "-l", "/"],
    ["call_map"], ["call_load"], ["call_open"], ["call_name"], ["call_stream"], ["call_ring"], ["call_process"],
    ["call_end"], ["call_identity"], ["call_message"], ["call_folder"], ["call_query"], ["call_inside"], ["call_direct"],
    ["threads"], ["names"], ["streams"], ["tree", "3", "1"], ["processes", "vfork"], ["processes", "spawn"],
    ["processes", "fork"], ["processes", "system"], ["processes", "number"], ["./uneven"], ["./named"],
    ["sh", "-c", "busybox true; busybox false; exec busybox true"], ["sh", "-c", "sh -c 'kill -9 $$'; sh -c 'exit 3' & wait"],
]
PACKED_RUNS = ("./call_open", "./tree", "./threads", "./processes", "./uneven", "./named")
KILLED = ["cat /etc/hostname >/dev/null; kill -9 $$", "true & true; cat /dev/null | cat; kill -9 $$", "exec ./suicide"]
SETTINGS = [
    b"", b"# nothing\n\n", b"output = %e.%p.varve\nlayer = posix,stdio\n", b"only = open*,read,write\nskip = read\n",
    b"also = stdio\nskip = *stat*\n", b"include = /data/*\nexclude = *.tmp\n", b"ranks = 0:15,32\n",
    b"start-after = 1.5s\nstop-after = 2s\n", b"limit = 500M\nbuffer = 64K\nresolution = 1us\n",
    b"lanes = /dev/shm\nclock = monotonic\npointers = yes\nno-follow = no\n", b"clock = sun\n", b"nothing = 1\n", b"no equals\n",
    b"buffer = 1K\n", b"ranks = 5:\n", b"output=a\noutput=b\n", b"only = opne\n", b"layer=posixx", b"skip=" + b"a" * 80,
    b"include=" + b"x" * 4090 + b"\n", b"stop-after=1ns\nstart-after=2ns\n", b"include=a\nexclude=a\n", b"skip=posix,stdio,*",
    b"resolution=100\nlimit=1G\nbuffer=1M", b"codec = peephole\nwindow = 127\n", b"codec=binary\n",
    b"codec = columns\nwindow=128", b"\0", b"  lanes\t=\t/nowhere/at/all\r\n",
]
# Programs of tests/programs/fuzz, by the names that they have in WORK and in seeds.
PROGRAMS = {"suicide": "kill_itself", "uneven": "uneven_offsets", "named": "region_totals"}


def part(data):
    return struct.pack("<H", len(data)) + data


class Maker:
    """The folder for seeds."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def put(self, target, data, what=None):
        path = os.path.join(self.folder, target)
        os.makedirs(path, exist_ok=True)
        if target in ("record", "index", "lane", "packed"):
            # Selects one of the ways to read: READ_WHAT in fuzz.h.
            what = hashlib.sha1(data).digest()[0] & 3 if what is None else what
            data = bytes([data[0] | what << 6]) + data[1:]
        with open(os.path.join(path, "seed-" + hashlib.sha1(data).hexdigest()[:12]), "wb") as file:
            file.write(data)

    def trace(self, data, whole=None):
        """A data.0: whole with few functions, and each of its blocks alone."""
        found = blocks(data)
        tables = Tables([block for kind, block in found if kind == TABLES][0][168:])
        records = [block for kind, block in found if kind == RECORDS]
        for block in records:
            if len(block) <= LARGEST:
                self.put("block", bytes([1, block[9] & 15]) + block)
        small = self.small(tables, records)
        if len(small) > LARGEST and len(records) > 1:
            small = self.small(tables, records[:2])
        if len(small) <= 2 * LARGEST or whole:
            self.put("record", b"\1" + small)
            self.put("record", b"\5" + small, READ_TREE)
            self.put("index", b"\1" + part(small) + index(small))
        return tables

    def small(self, tables, records):
        used = [ident for block in records for ident in functions(block)]
        return plain(RUN, DESCRIPTION) + plain(TABLES, tables.only(used)) + b"".join(records)

    def packed(self, trace):
        """A trace, packed with each way to keep times, for one of the ways to read."""
        for time in ("exact", "histogram", "none"):
            subprocess.run(["bin/varve", "pack", "--time", time, "-o", "packed", trace], env=ENVIRONMENT, check=True,
                           stderr=subprocess.DEVNULL)
            with open("packed", "rb") as file:
                data = packed_seed(file.read())
            os.unlink("packed")
            # Each way of reading, with parts checked first and without: the hash does not choose all of them.
            for what in range(4) if data and len(data) < 2 * LARGEST else ():
                self.put("packed", (b"\x0a" if what == READ_TREE else b"\x08") + data, what)

    def lanes(self, folder):
        """The remains of a killed run: data.0, control page and lanes."""
        with open(os.path.join(folder, "data.0"), "rb") as file:
            found = blocks(file.read())
        tables = Tables([block for kind, block in found if kind == TABLES][0][168:])
        with open(os.path.join(folder, "lanes")) as file:
            where = file.read().strip()
        with open(os.path.join(where, "facts"), "rb") as file:
            control = file.read(CONTROL_HEAD // 2)
            file.seek(0, os.SEEK_END)
            facts = file.tell()
        with open(os.path.join(where, "control"), "rb") as file:
            file.seek(facts)
            control += file.read(CONTROL_HEAD // 2)
        lanes, used = [], set()
        for name in sorted(n for n in os.listdir(where) if n.startswith("lane."))[:3]:
            with open(os.path.join(where, name), "rb") as file:
                lane = file.read()
            size, position, stashed = struct.unpack_from("<Q", lane, 16)[0], *struct.unpack_from("<Q8xQ", lane, 192)
            if lane[:8] == b"VVRLANE1" and position - LANE_HEADER <= 2 * LARGEST:
                words = lane[LANE_HEADER:position]
                used |= {struct.unpack_from("<H", words, at + 2)[0] for at in range(0, len(words), 8)}
                lanes.append((lane[:LANE_HEAD], words, lane[size:size + stashed]))
        shutil.rmtree(where)
        records = [block for kind, block in found if kind == RECORDS][:1]
        data = self.small(tables, records) if records else plain(RUN, DESCRIPTION) + plain(TABLES, tables.only(used))
        tail = b"".join(part(head) + part(words) + part(stash) for head, words, stash in lanes)
        self.put("lane", b"\1" + part(data) + part(control) + tail)
        for head, words, stash in lanes:
            for flags in (1, 3, 9, 17):
                self.put("lane", bytes([flags]) + part(data) + part(control) + part(head) + part(words[:2048]) +
                         part(b"" if flags == 3 else stash))
            generation = struct.unpack_from("<Q", head, 136)[0]
            for last in (generation, generation + 1):
                block = bytearray(constants(5, 0x0123, 3))
                struct.pack_into("<Q8s", block, 40, last, head[80:88])
                self.put("lane", b"\1" + part(data) + part(control) + part(head) + part(words[:512]) + part(bytes(block) * 2),
                         READ_BY_STREAM)


# Every kind of condition, and one with each kind of error.
FILTERS = r'''
failed
not failed and unfinished or vfork
function == pread and size < 4KiB
rank in 0:15,32
rank in 0:64:16
layer in posix,stdio
path ~ "^/scratch/.*\\.nc$"
path !~ "x|y"
absolute like "/data/*.h5"
file startswith "out." or file endswith ".tmp"
extension == "nc"
errno in ENOENT,EACCES
errno == 2
time >= 1.5s and time < 2min
time > "2026-11-15T20:00:05.25Z"
duration > 10ms
has path and not has size
arg.flags has O_CREAT|O_TRUNC
arg.flags == O_RDWR
arg.mode == 0644
arg.whence == SEEK_SET
parent.function == fwrite
parent.layer == stdio
inside fwrite,fread
inside "f*"
size in 4KiB:
offset in :1M,5M
host == "node1" and program ~ bash
depth > 2 and ordinal != 7
kind == pipe
fd >= 3 && fd <= 9
(process == 1 || thread == 2) && !failed
result == -1
device == 0x10 and inode == 12
region == "x"
handle == 3
path == 'it\'s'
path == "\x41\xff"
pth == 3
size =
((((failed))))
size = 4
function == opn
path ~ "("
path ~ "a{1,300}"
pid in 1:2:0
end < 5us
'''


# Blocks of codec peephole: functions, column 7, column 8, records. Each form once, and one with each kind of error.
TIMES = bytes(range(1, 9))
PEEPHOLES = [
    ([0x0123], b"\0" + TIMES + b"\0 3 0x10 -1\n\xa0" + TIMES + b"\xff 17\n\x80" + TIMES + b"\xfe\n",
     b"\3\1\x60\x10\7\xa0\x01\x05\x09\0", 3),
    ([0x0123, 0x0101], b"\0" + TIMES + b"\0\n\0" + TIMES + b"\1 9223372036854775808 -9223372036854775808\n",
     b"\0\0\0\0\x80\x20\2\1", 2),
    ([0x0123], b"\0" + TIMES + b"\0 \\ \\\\ 1\n", b"\0\0\0", 1), ([0x0123], b"\0" + TIMES + b"\xff 1\n", b"\3\xff\1\0\0", 1),
    ([0x0123], b"\0" + TIMES + b"\0 4294967296 x\n", b"\3\1\0", 1), ([0x0123], b"\0" + TIMES + b"\0 4294967296\n", b"\3\1\0", 1),
    ([], b"\0" + TIMES + b"\0\n", b"\3\0\0", 1), ([0x0123], b"\1" + TIMES + b"\0\n", b"\3\0\0", 1),
    ([0x0123], b"\x80" + TIMES + b"\xff\n", b"\3\0\0", 1), ([0x0123], b"\0" + TIMES + b"\0\n", b"\x80\0\0", 1),
    ([0x0123], b"\0" + TIMES + b"\0\n", b"\3\0\x80\xc0", 1), ([0x0123], b"\0" + TIMES + b"\0\n", b"\3\0\x80\4", 1),
    ([0x0123], b"\0" + TIMES + b"\0 1 2\n\xf0" + TIMES + b"\xff 3 4\n", b"\3\0\0\0", 2),
    ([0x0123], b"\0" + TIMES + b"\0 1 2\n\xc0" + TIMES + b"\xff\n", b"\3\0\0\0", 2),
    ([0x0123], b"\0" + TIMES + b"\0" + b" 1" * 21 + b"\n", b"\3\0\0", 1), ([0x0123], b"\0" + TIMES + b"\0 1", b"\3\0\0", 1),
    ([0x0123], b"\0" + TIMES + b"\0\n", b"\3\0\0\0", 1), ([0x0123], b"\0\0\0", b"\3\0\0\0", 1),
]


def by_hand(maker, tables):
    """Forms that recorders rarely write."""
    pwrite = [(0, 0, 0x0123, 0, 10, 20, 8, 0, [3, 8, 0]), (1, 1, 0x0123, 1, 12, 14, -1, 5, [3, 8, 8]),
              (2, 0, 0x0123, 2, 30, 0, 0, 0, [3, 8, 16]), (4, 0, 0x0123, 0, 10, 50, 8, 0, [3, 8, 0])]
    name = b"\0\0\x05\0\0\x07/a/name"
    block = rows_block(pwrite, name, 1)
    maker.put("block", b"\1\7" + block)
    maker.put("block", b"\1\7" + constants(5000, 0x0123, 3))
    for functions, made, rest, records in PEEPHOLES:
        maker.put("block", b"\1\7" + peephole_block(functions, made, rest, records))
    data = plain(RUN, DESCRIPTION) + plain(TABLES, tables.only([0x0123])) + block
    maker.put("record", b"\1" + data)
    maker.put("record", b"\1" + data + block)
    maker.put("record", b"\1" + data + constants(5000, 0x0123, 3))
    maker.put("record", b"\1" + plain(5, bytes(64)) + plain(4, bytes(64)) + data + bytes(64) + b"VARVEBLK")
    maker.put("record", b"\1" + plain(RUN, DESCRIPTION) + block)
    maker.put("record", b"\0" + data)
    maker.put("record", b"\3" + data)
    maker.put("record", b"\x09" + data)
    maker.put("index", b"\1" + part(data) + index(data + bytes(16)))
    maker.put("index", b"\3" + part(data) + index(data))
    maker.put("index", b"\5" + part(b"") + index(data)[168:])
    for setting in SETTINGS:
        maker.put("settings", setting)
    for text in FILTERS.split("\n")[1:-1]:
        maker.put("filter", text.encode())


def record(maker, words, codec="columns"):
    programs = os.path.join(maker.build, "programs")
    if os.path.exists(os.path.join(programs, words[0])):
        if not os.path.exists(words[0]):
            shutil.copy(os.path.join(programs, words[0]), ".")
        words = ["./" + words[0]] + words[1:]
    subprocess.run(["bin/varve", "record", "--no-pack", "--buffer", "64K", "--codec", codec, "-o", "t.varve", "--", *words], env=ENVIRONMENT,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    with open("t.varve/data.0", "rb") as file:
        tables = maker.trace(file.read())
    if words[0] in PACKED_RUNS:
        maker.packed("t.varve")
    shutil.rmtree("t.varve")
    return tables


def killed(maker, script):
    environment = {**ENVIRONMENT, "VARVE_TRACE": "t.varve", "VARVE_BUFFER": "64K", "VARVE_NO_KEEPER": "1",
                   "LD_PRELOAD": os.path.join(WORK, "bin/libvarve-record.so")}
    child = subprocess.run(["/bin/sh", "-c", script], env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert child.returncode == -signal.SIGKILL
    maker.lanes("t.varve")
    shutil.rmtree("t.varve")


def main():
    maker = Maker(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(os.path.join(WORK, "bin"))
    os.chdir(WORK)
    for name in ("varve", "libvarve-record.so", "libvarve-record-sync.so"):
        shutil.copy(os.path.join(maker.build, "bin", name), "bin")
    for name, built in PROGRAMS.items():
        shutil.copy(os.path.join(maker.build, "programs", built), name)
    for words in RUNS:
        tables = record(maker, words)
    for words in RUNS[:8]:
        record(maker, words, "peephole")
    for script in KILLED:
        killed(maker, script)
    with open(os.path.join(SOURCE, "tests/golden/first.varve/data.0"), "rb") as file:
        maker.trace(file.read(), whole=True)
    maker.packed(os.path.join(SOURCE, "tests/golden/first.varve"))
    by_hand(maker, tables)
    shutil.rmtree(WORK)


if __name__ == "__main__":
    main()
