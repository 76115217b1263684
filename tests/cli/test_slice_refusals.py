#!/usr/bin/env python3
"""What `varve slice` refuses: it replaces nothing without --force, does not write to its source, and leaves no partial trace."""
import json
import os
import signal
import subprocess
import time

from lib import BIG, VARVE, holds, run_tests, same, varve
from _slices import info, lines, record, sliced


def refused(*words, said, status=2):
    result = varve("slice", *words)
    same((result.returncode, result.stdout), (status, b""), (words, result.stderr))
    holds(result.stderr.decode(), said)


def small():
    return record(["sh", "-c", "cat /etc/passwd"], "--no-pack")


def test_names():
    small()
    refused("t.varve", said="-o")
    refused("t.varve", "-o", "t.varve", said="t.varve")
    refused("t.varve", "-o", "t.varve/new", said="t.varve")
    refused("--force", "./t.varve/", "-o", "t.varve", said="./t.varve/")
    os.symlink("t.varve", "link")
    refused("t.varve", "-o", "link/new", said="t.varve")
    for verb, *words in (["slice", "t.varve"], ["slice", "t.varve", "--packed"], ["pack", "t.varve"], ["pack", "--files", "2", "t.varve"],
                         ["pack", "--verify", "t.varve"]):
        for name, why in (("nowhere/new", "No such file or directory"), ("/etc/hostname/new.varve", "Not a directory")):
            result = varve(verb, *words, "-o", name)
            same((result.returncode, result.stdout), (4, b""), (verb, words, result.stderr))
            holds(result.stderr.decode(), f"cannot create {name}: {why}")
            assert ".part" not in result.stderr.decode() and ".packing" not in result.stderr.decode(), result.stderr
    refused("nothing.varve", "-o", "new", said="nothing.varve", status=4)
    same(sorted(os.listdir(".")), ["link", "t.varve"])


def test_its_own_source():
    same(varve("record", "-o", "t.varve", "--", "true").returncode, 0)
    os.symlink("t.varve", "other.varve")
    before = open("t.varve", "rb").read()
    for name in ("t.varve", "./t.varve", "other.varve"):
        for words in ([], ["--force"]):
            result = varve("slice", *words, "t.varve", "-o", name)
            same(result.returncode, 2)
            holds(result.stderr, f"slice: the new trace {name} would replace its source t.varve; choose another name with -o".encode())
    same(open("t.varve", "rb").read(), before)


def test_what_is_there_stays():
    small()
    sliced("t.varve", to="new")
    refused("t.varve", "-o", "new", said="new")
    before = lines("new")
    sliced("--where", "function == read", "t.varve", to="new")
    after = lines("new")
    assert len(after) < len(before), (before, after)
    with open("new/notes", "w") as file:
        file.write("mine")
    refused("--force", "t.varve", "-o", "new", said="new")
    same(lines("new"), after)
    with open("file", "w") as file:
        file.write("mine")
    refused("--force", "t.varve", "-o", "file", said="file")
    same(sorted(os.listdir(".")), ["file", "new", "t.varve"])


def test_wrong_wishes():
    small()
    refused("--rank", "0", "t.varve", "-o", "new", said="has no ranks")
    refused("--rank", "a", "t.varve", "-o", "new", said="--rank ... 0,4-7 ... 'a'")
    refused("--rank", "3:1", "t.varve", "-o", "new", said="--rank ... '3:1'")
    refused("--process", "99", "t.varve", "-o", "new", said="process 99")
    refused("--function", "raed", "t.varve", "-o", "new", said="'read'")
    refused("--layer", "posx", "t.varve", "-o", "new", said="'posix'")
    refused("--from", "2s", "--to", "1s", "t.varve", "-o", "new", said="--from ... --to")
    refused("--where", "size >", "t.varve", "-o", "new", said="--where")
    refused("--file", "*", "--where", "sze > 1", "t.varve", "-o", "new", said="sze > 1")
    refused("--key", "secret", "t.varve", "-o", "new", said="--key ... --anonymize")
    refused("--anonymize", "--key", "no/file", "t.varve", "-o", "new", said="no/file")
    same(sorted(os.listdir(".")), ["t.varve"])


def test_an_unreadable_source():
    """One message, the status of damage, and no new file: also beside a readable source, and if the slice replaces a trace."""
    record(["sh", "-c", "cat /etc/passwd"])
    with open("t.varve", "rb") as file:
        good = file.read()
    middle = len(good) // 4
    with open("bad.varve", "wb") as file:
        file.write(good[:middle] + os.urandom(len(good) - 2 * middle) + good[-middle:])
    before = sorted(os.listdir("."))
    for words in (["bad.varve"], ["t.varve", "bad.varve"], ["--packed", "bad.varve"], ["--no-pack", "bad.varve"],
                  ["--anonymize", "bad.varve"], ["--force", "bad.varve"]):
        result = varve("slice", *words, "-o", "new")
        same((result.returncode, result.stdout, result.stderr.count(b"\n")), (3, b"", 1), (words, result.stderr))
        holds(result.stderr, b"cannot read bad.varve")
        same(sorted(os.listdir(".")), before)
    same(varve("slice", "--force", "bad.varve", "-o", "t.varve").returncode, 3)
    with open("t.varve", "rb") as file:
        same(file.read(), good)


def test_nothing_fits():
    small()
    result = varve("slice", "--where", "size > 1TiB", "t.varve", "-o", "new")
    same(result.returncode, 0)
    holds(result.stderr, b"no record")
    shown = varve("dump", "new")
    same((shown.returncode, shown.stdout, shown.stderr), (0, b"", b""))
    same(info("new")["records"], 0)


def test_the_result_for_programs():
    small()
    result = varve("slice", "--format", "json", "--where", "function == read", "t.varve", "-o", "new")
    told = json.loads(result.stdout)
    same((told["trace"], told["records"], told["damages"]), ("new", len(lines("new")), 0))


def test_an_interrupted_slice_leaves_nothing():
    """Stopped at many moments: a trace under the name is whole, and no other file remains, except after SIGKILL."""
    record(["sh", "-c", BIG], "--buffer", "64K")
    whole = len(lines("t.varve", "--where", "ordinal in 0:4000000000:2"))
    command = [VARVE, "slice", "--quiet", "--where", "ordinal in 0:4000000000:2", "t.varve", "-o", "new"]
    interrupted = 0
    for signal_, delay in [(s, d / 1000) for s in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL) for d in range(1, 30, 3)]:
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        time.sleep(delay)
        process.send_signal(signal_)
        said = process.communicate()[1]
        left = sorted(os.listdir("."))
        if "new" in left:
            same(len(lines("new")), whole)
            subprocess.run(["rm", "-r", "new"], check=True)
            continue
        interrupted += 1
        same((process.returncode, said), (-signal_, b""))
        if signal_ != signal.SIGKILL:
            same(left, ["t.varve"])
        subprocess.run("rm -rf new.part*", shell=True, check=True)
    assert interrupted > 3, interrupted


def test_a_full_disk():
    small()
    result = subprocess.run(["sh", "-c", f"ulimit -f 1; trap '' XFSZ; exec {VARVE} slice t.varve -o new"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same(result.returncode, 4, result.stderr)
    holds(result.stderr, b"cannot write new: File too large")
    packed = subprocess.run(["sh", "-c", f"ulimit -f 1; trap '' XFSZ; exec {VARVE} pack t.varve -o new"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same(packed.returncode, 4, packed.stderr)
    holds(packed.stderr, b"cannot write new: File too large")
    same(sorted(os.listdir(".")), ["t.varve"])


run_tests(globals())
