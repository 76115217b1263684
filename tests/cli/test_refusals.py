#!/usr/bin/env python3
"""Files that are no traces, or none for this version, are refused with the reason and a next step; a trace that grows is read."""
import json
import os
import shutil
import signal
import struct
import subprocess
import time

from lib import TESTS, VARVE, holds, modules_of, run_tests, same, says, varve

GOLDEN = os.path.join(TESTS, "golden", "first.varve")
modules_of("decoder")
from _columns import xxh64  # noqa: E402

HEADER = 168


def must(condition, otherwise):
    if not condition:
        raise AssertionError(otherwise)


def refused(name, *words, status=3):
    for verb in ("info", "dump"):
        result = varve(verb, name)
        same((result.returncode, result.stdout), (status, b""), f"{verb} {name}")
        for word in words:
            must(says(result.stderr, word), f"{verb} {name}: {word!r} is not in {result.stderr!r}")


def test_no_trace():
    os.mkdir("folder")
    refused("folder", "folder ... not a Varve trace: it is an empty folder; ... `varve record`")
    with open("folder/notes", "w") as file:
        file.write("mine")
    refused("folder", "folder ... not a Varve trace: it is a folder without a file data.0; ... `varve record`")
    for name in ("b.varve", "a.varve"):
        os.mkdir("folder/" + name)
    refused("folder", "folder ... not a Varve trace ... data.0, and it contains a.varve; ... `varve record`")
    refused("folder/a.varve/", "folder/a.varve/ is not a Varve trace: it is an empty folder; ... `varve record`")
    open("empty", "w").close()
    refused("empty", "empty ... not a Varve trace")
    with open("file", "w") as file:
        file.write("something else\n" * 100)
    refused("file", "file ... `varve record`")
    os.mkdir("hollow.varve")
    open("hollow.varve/data.0", "w").close()
    refused("hollow.varve", "data.0 ... empty")
    with open("hollow.varve/data.0", "wb") as file:
        file.write(b"something else, and long enough to be looked at\n" * 100)
    refused("hollow.varve", "hollow.varve ... block")
    refused("absent.varve", "absent.varve ... No such file ... check the path", status=4)
    refused("file/inside", "file/inside ... Not a directory; check the path", status=4)
    refused("", "the path of the trace is empty; check the path", status=4)


def test_no_trace_for_any_verb():
    """The same message from every verb that reads a trace."""
    os.mkdir("folder")
    with open("file", "w") as file:
        file.write("something else\n" * 100)
    same(varve("record", "-o", "t.varve", "--", "true").returncode, 0)
    verbs = (["info"], ["info", "--files"], ["info", "--codec-stats"], ["info", "--quick"], ["dump"], ["dump", "--definitions"],
             ["slice", "-o", "new"], ["pack"], ["pack", "-o", "new"], ["pack", "--recover"], ["pack", "--verify"], ["pack", "--repair"])
    for name in ("folder", "file", "absent", "file/inside", "", "/dev/null"):
        said = {varve(*words, name).stderr for words in verbs}
        same(len(said), 1, (name, said))
        holds(said.pop(), b"; ... `varve record`" if name != "/dev/null" else b"/dev/null is not a Varve trace: ... ; name a file")
    same(varve("slice", "t.varve", "absent", "-o", "new").stderr, varve("info", "absent").stderr)
    same(sorted(os.listdir(".")), ["file", "folder", "t.varve"])


def test_no_trace_to_pack():
    os.mkdir("folder")
    open("empty", "w").close()
    for options in (), ("--recover",):
        for name, status, word in (("folder", 3, b"folder ... empty folder"), ("empty", 3, b"empty ... not a Varve trace"),
                                   ("absent", 4, b"absent ... No such file")):
            result = varve("pack", *options, name)
            same((result.returncode, len(result.stderr.splitlines())), (status, 1), (options, result.stderr))
            holds(result.stderr, word)


def test_other_byte_order():
    shutil.copytree(GOLDEN, "other.varve")
    with open("other.varve/data.0", "rb") as file:
        data = bytearray(file.read())
    at = 0
    while at < len(data):  # only the fields that identify a block: the others are not checked
        length = struct.unpack_from("<Q", data, at + 16)[0]
        for field, size in ((0, 8), (8, 2), (12, 4), (16, 8)):
            data[at + field:at + field + size] = data[at + field:at + field + size][::-1]
        at += length
    with open("other.varve/data.0", "wb") as file:
        file.write(data)
    refused("other.varve", "byte order")


def test_newer_version():
    shutil.copytree(GOLDEN, "newer.varve")
    with open("newer.varve/data.0", "rb") as file:
        data = bytearray(file.read())
    struct.pack_into("<H", data, 8, 4)
    length = struct.unpack_from("<I", data, 12)[0]
    struct.pack_into("<Q", data, 160, xxh64(data[HEADER:length], xxh64(data[:160])))
    with open("newer.varve/data.0", "wb") as file:
        file.write(data)
    refused("newer.varve", "newer ... 4")


def test_growing():
    program = subprocess.Popen([VARVE, "record", "-o", "grows.varve", "--", "sh", "-c",
                                "while :; do echo; done >/dev/null & echo $!; wait"], stdout=subprocess.PIPE)
    child = int(program.stdout.readline())
    try:
        before = 0
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            result = varve("info", "--format", "json", "grows.varve")
            same(result.returncode, 0, result.stderr)
            info = json.loads(result.stdout)
            must(info["running_processes"] > 0 and b"still running" in result.stderr, "it is not said that it runs")
            same(info["damage"], [])
            dumped = varve("dump", "--limit", "1000", "--format", "json", "grows.varve")
            same(dumped.returncode, 0, dumped.stderr)
            if before and info["records"] > before:
                return
            before = max(before, info["records"])
            time.sleep(0.05)
        raise AssertionError("the trace did not grow")
    finally:
        os.kill(child, signal.SIGKILL)
        program.wait()


run_tests(globals())
