#!/usr/bin/env python3
"""Packed traces of several files, `varve pack --files`: every verb reads the folder like a single file.
timeout: 300
"""
import json
import os
import shutil
import subprocess
import time

from lib import VARVE, dump_json, holds, program, run_tests, same, varve
from _views import views

STREAMS = 9
SHELL = "for i in 1 2 3 4 5 6 7 8; do cat /etc/passwd > /dev/null; done"
THREADS = program("random_writes")


def record(*words, trace="t.varve"):
    words = words or ("sh", "-c", SHELL)
    result = varve("record", "--no-pack", "-o", trace, "--", *words)
    same(result.returncode, 0, result.stderr)


def pack(*words, status=0):
    result = varve("pack", *words)
    same(result.returncode, status, result.stderr)
    return result


def files_of(trace):
    return sorted(os.listdir(trace))


def contents(trace):
    """Names and bytes of a trace, of one file or several."""
    names = [os.path.join(trace, name) for name in files_of(trace)] if os.path.isdir(trace) else [trace]
    found = []
    for name in names:
        with open(name, "rb") as file:
            found.append((os.path.basename(name) if os.path.isdir(trace) else "", file.read()))
    return found


def test_answers_are_those_of_one_file():
    record()
    before = views("t.varve")
    about = json.loads(pack("--files", "4", "--verify", "--format", "json", "-o", "p.varve", "t.varve").stdout)
    same((about["files"], files_of("p.varve")), (4, [f"packed.{k}" for k in range(4)]))
    same(about["bytes"], sum(os.path.getsize(f"p.varve/{name}") for name in files_of("p.varve")))
    same(views("p.varve") == before, True)
    same(json.loads(varve("info", "--format", "json", "p.varve").stdout)["size"], about["bytes"])
    # The first one leads to the others.
    same(varve("dump", "p.varve/packed.0").stdout, before[0])
    holds(pack("--files", "4", "--verify", "-o", "q.varve", "t.varve").stderr, b"in 4 files")
    pack("-o", "one.varve", "t.varve")
    for trace in "p.varve", "one.varve":
        same(varve("slice", "--process", "4", trace, "-o", "s" + trace).returncode, 0)
    same(varve("dump", "sp.varve").stdout == varve("dump", "sone.varve").stdout, True)
    same(sorted(os.listdir(".")), ["one.varve", "p.varve", "q.varve", "sone.varve", "sp.varve", "t.varve"])


def test_bytes_are_spread():
    """Each file has about the same size; streams are not divided."""
    record(THREADS, "30000")
    pack("--files", "2", "-o", "p", "t.varve")
    sizes = [os.path.getsize(f"p/packed.{k}") for k in range(2)]
    same(min(sizes) * 3 > max(sizes), True, sizes)


def test_workers_change_nothing():
    record()
    packed = []
    for workers in "1", "2", "7":
        pack("--files", "3", "--workers", workers, "-o", "p" + workers, "t.varve")
        packed.append(contents("p" + workers))
    same([one == packed[0] for one in packed], [True] * 3)
    same(sorted(os.listdir(".")), ["p1", "p2", "p7", "t.varve"])


def test_packed_again():
    """The bytes do not depend on the source or on its number of files."""
    record()
    for source, files in ("t.varve", 1), ("t.varve", 2), ("t.varve", 5), ("t.varve2", 5), ("t.varve5", 1), ("t.varve1", 5):
        pack("--files", str(files), "-o", f"{source}{files}", source)
    same(contents("t.varve51") == contents("t.varve1"), True, "one file from several")
    same(contents("t.varve25") == contents("t.varve15") == contents("t.varve5"), True, "several files from others")


def test_in_its_place():
    record()
    before = views("t.varve")
    for files in "3", "1", "2", "5":
        pack("--files", files, "t.varve")
        same(os.path.isdir("t.varve"), files != "1")
        same(os.listdir("."), ["t.varve"])
        same(views("t.varve") == before, True, files)
    holds(pack("t.varve").stderr, b"already packed")
    same(len(files_of("t.varve")), 5)
    holds(pack("--recover", "t.varve").stderr, b"t.varve")
    holds(pack("--files", "2", "-o", "t.varve", "t.varve", status=2).stderr, b"t.varve")
    record(trace="s.varve")
    same(varve("slice", "--force", "--packed", "s.varve", "-o", "t.varve").returncode, 0)
    same(os.path.isfile("t.varve"), True)
    same(varve("slice", "--force", "s.varve", "-o", "t.varve").returncode, 0)
    same((os.path.isdir("t.varve"), sorted(os.listdir("."))), (True, ["s.varve", "t.varve"]))


def test_a_link_stays_out_of_it():
    """The target of a link is not removed."""
    record(trace="real.varve")
    before = views("real.varve")
    os.symlink("real.varve", "t.varve")
    pack("--files", "3", "t.varve")
    same((views("t.varve") == before, views("real.varve") == before), (True, True))


def test_number_of_files():
    record("true")
    holds(pack("--files", "4", "-o", "one", "t.varve", status=2).stderr, b"one ... --files 4")
    same(os.path.exists("one"), False)
    record(trace="u.varve")
    pack("--files", "256", "-o", "nine", "u.varve")
    same(len(files_of("nine")), STREAMS)
    same(varve("dump", "nine").stdout, varve("dump", "u.varve").stdout)
    pack("--files", "256", "--time", "none", "-o", "none", "u.varve")
    same(len(dump_json("none")), len(dump_json("u.varve")))
    for wrong in "0", "257", "-1", "x", "":
        holds(pack("--files", wrong, "-o", "no", "u.varve", status=2).stderr, b"from 1 to 256")
    same(os.path.exists("no"), False)


def damaged(trace, said, whole, gone):
    """Every output reports the damage first; the calls in the other files are shown. `gone`: streams of the file."""
    result = varve("dump", "--by-stream", "-f", "json", trace)
    same(result.returncode, 3, result.stderr)
    first = result.stderr.splitlines()[0]
    for text in said:
        holds(first, text)
    calls = [json.loads(line) for line in result.stdout.splitlines()]
    kept = [call for call in whole if call["process"] not in gone]
    same([call for call in calls if call["process"] not in gone] == kept, True)
    same(all(call in whole for call in calls), True, "nothing is told that was not")
    info = json.loads(varve("info", "--format", "json", trace).stdout)
    same(info["damage"][0]["file"].encode() in said, True, info["damage"])
    holds(b"".join(varve("info", trace).stdout.splitlines()[:3]), b"DAMAGED ")
    return len(calls) < len(whole)


def test_damaged_files():
    record()
    pack("--files", "4", "-o", "good", "t.varve")
    pack("--files", "4", "--time", "none", "-o", "none", "t.varve")
    whole = dump_json("good", "--by-stream")
    record(trace="u.varve")
    pack("--files", "4", "-o", "other", "u.varve")
    shares = []
    for number in range(1, 4):
        shutil.copytree("good", "t")
        os.unlink(f"t/packed.{number}")
        told = {json.loads(line)["process"] for line in varve("dump", "-f", "json", "t").stdout.splitlines()}
        shares.append({call["process"] for call in whole} - told)
        same(damaged("t", [b"packed.%d" % number, b"missing"], whole, shares[-1]), True)
        shutil.rmtree("t")
    same(sum(map(len, shares)) < STREAMS and all(shares), True, shares)

    def changed(said, loses, change):
        shutil.copytree("good", "t")
        change()
        same(damaged("t", said, whole, shares[1]), loses, said)
        shutil.rmtree("t")

    size = os.path.getsize("good/packed.2")
    changed([b"packed.2", b"truncated"], True, lambda: os.truncate("t/packed.2", size // 2 + 40))
    changed([b"packed.2", b"truncated"], True, lambda: os.truncate("t/packed.2", 0))
    changed([b"packed.2", b"unexpected bytes"], False, lambda: os.truncate("t/packed.2", size + 100000))
    changed([b"packed.2", b"another run"], True, lambda: shutil.copy("other/packed.2", "t/packed.2"))

    def swap():
        os.rename("t/packed.2", "t/x")
        os.rename("t/packed.3", "t/packed.2")
        os.rename("t/x", "t/packed.3")

    shares[1] |= shares[2]
    changed([b"packed.2", b"does not belong to this trace"], True, swap)
    shutil.copytree("good", "t")
    shutil.copy("none/packed.2", "t/packed.2")
    holds(varve("dump", "t").stderr, b"packed.2")
    os.unlink("t/packed.2")
    os.mkdir("t/packed.2")
    same(varve("dump", "t").returncode, 3)
    os.unlink("t/packed.0")
    same(varve("dump", "t").returncode, 3)
    os.rename("good/packed.0", "t/packed.0")
    os.truncate("t/packed.0", os.path.getsize("t/packed.0") - 8)
    holds(varve("dump", "t").stderr, b"truncated")
    # The damage is still reported after packing again.
    shutil.copytree("other", "o")
    os.unlink("o/packed.1")
    pack("-o", "p", "o", status=3)
    holds(varve("dump", "p").stderr.splitlines()[0], b"packed.1")
    # If the packed trace replaced it, the missing file could not be restored.
    holds(varve("pack", "--files", "1", "o").stderr, b"-o")
    same(sorted(os.listdir("o")), sorted(set(os.listdir("other")) - {"packed.1"}))


def test_killed_while_it_packs():
    record(THREADS, "60000")
    before = varve("dump", "t.varve").stdout
    for wait in 0.01, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4:
        packing = subprocess.Popen([VARVE, "pack", "--files", "3", "t.varve"], stderr=subprocess.DEVNULL)
        time.sleep(wait)
        packing.kill()
        packing.wait()
        same(varve("dump", "t.varve").stdout == before, True, wait)
    pack("--files", "3", "t.varve")
    same((len(files_of("t.varve")), varve("dump", "t.varve").stdout == before), (3, True))
    # After a kill behind the exchange the old folder remains under another name: whole, or partly removed and then not
    # recognised as a trace.
    for name in os.listdir("."):
        if name.startswith("t.varve."):
            left = varve("dump", name)
            same(left.stdout == before or left.returncode == 3, True, name)


def has_nameless_files():
    try:
        os.close(os.open(".", os.O_TMPFILE | os.O_RDWR))
        return True
    except OSError:
        return False


def test_killed_at_each_step():
    """While files are written and get their names, and before the folder gets its name."""
    if not shutil.which("strace"):
        print("strace is not installed: left out")
        return
    record()
    before = views("t.varve")
    nameless = has_nameless_files()
    for call, most in ("fsync", 4), ("mkdir", 1), ("linkat", 3), ("renameat2", 1):
        for nth in range(1, most + 1):
            step = f"{call} {nth}"
            result = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                                     f"inject={call}:signal=KILL:when={nth}", VARVE, "pack", "--files", "3", "t.varve"],
                                    stderr=subprocess.DEVNULL)
            if call == "linkat" and not nameless:
                continue
            same(result.returncode != 0 and os.path.exists("t.varve/data.0") and views("t.varve") == before, True, step)
            left = [name for name in os.listdir(".") if name != "t.varve"]
            if nameless and (call == "mkdir" or step in ("fsync 1", "fsync 2", "fsync 3")):
                same(left, [], step)
            for name in left:
                shutil.rmtree(name)
    pack("--files", "3", "t.varve")
    same((views("t.varve") == before, os.listdir(".")), (True, ["t.varve"]))


def test_no_room():
    record(THREADS, "60000")
    before = varve("dump", "t.varve").stdout
    names = sorted(os.listdir("."))
    result = subprocess.run(["sh", "-c", 'ulimit -f 2; trap "" XFSZ; exec "$0" pack --files 3 t.varve', VARVE], capture_output=True)
    same(result.returncode != 0, True)
    holds(result.stderr, b"t.varve", b"File too large")
    same((sorted(os.listdir(".")), varve("dump", "t.varve").stdout == before), (names, True))


run_tests(globals())
