#!/usr/bin/env python3
# again: long
"""Packing: `varve record` packs at the end, `varve pack` later; at every moment there is a whole trace.
timeout: 300
"""
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

from lib import (VARVE, Run, damage_last_block, dump_json, holds, in_the_long_set, lots, program, remove_trace, run_tests,
                 same, says, varve)
from _packed_file import HEADER, data_of, section, with_foot, without_guards
from _views import views

LOOP = program("writes")


def record(*options, program=("sh", "-c", "cat /etc/passwd > /dev/null; exit 7"), trace="t.varve"):
    return subprocess.run([VARVE, "record", "-o", trace, *options, "--", *program], capture_output=True)


def test_record_packs():
    result = record()
    same((result.returncode, result.stdout, result.stderr), (7, b"", b""))
    same(os.path.isfile("t.varve"), True)
    same(os.listdir("."), ["t.varve"])
    same(len([call for call in dump_json("t.varve") if call["function"] == "read" and "passwd" in call.get("path", "")]) > 0, True)
    same(record("--no-pack", trace="folder.varve").returncode, 7)
    same(os.path.isdir("folder.varve"), True)


def test_packed_in_its_place():
    record("--no-pack")
    before = views("t.varve")
    result = varve("pack", "--verify", "t.varve")
    same(result.returncode, 0, result.stderr)
    holds(result.stderr, b"verified")
    same(os.listdir("."), ["t.varve"])
    same(os.path.isfile("t.varve"), True)
    same(views("t.varve"), before)
    again = varve("pack", "t.varve")
    same(again.returncode, 0)
    holds(again.stderr, b"already packed")
    same(views("t.varve"), before)


def test_packed_beside_it():
    record("--no-pack")
    before = views("t.varve")
    same(varve("pack", "-o", "p.varve", "t.varve").returncode, 0)
    same((views("t.varve"), views("p.varve")), (before, before))
    result = varve("pack", "-o", "p.varve", "t.varve")
    same(result.returncode, 2)
    holds(result.stderr, b"p.varve")
    result = varve("pack", "-o", "t.varve/p", "t.varve")
    same((result.returncode, os.path.exists("t.varve/p")), (2, False))
    holds(result.stderr, b"t.varve")
    answer = json.loads(varve("pack", "--format", "json", "-o", "q.varve", "t.varve").stdout)
    same(answer["packed"], "q.varve")
    same(answer["bytes"], os.path.getsize("q.varve"))
    with open("p.varve", "rb") as one, open("q.varve", "rb") as other:
        same(one.read() == other.read(), True)


def test_the_number_of_workers_changes_nothing():
    record("--no-pack", program=("sh", "-c", "for i in 1 2 3 4 5 6 7 8; do cat /etc/passwd; done"))
    packed = []
    for workers in "1", "2", "7":
        same(varve("pack", "--workers", workers, "-o", f"p{workers}", "t.varve").returncode, 0)
        with open(f"p{workers}", "rb") as file:
            packed.append(file.read())
    same(packed[0] == packed[1] == packed[2], True)


def peak_of(*words):
    """The peak memory of the command, in bytes."""
    with subprocess.Popen([VARVE, *words]) as command:
        _, status, usage = os.wait4(command.pid, 0)
        command.returncode = os.waitstatus_to_exitcode(status)
    same(command.returncode, 0)
    return usage.ru_maxrss * 1024


@in_the_long_set
def test_memory_does_not_grow_with_the_records():
    if os.environ.get("VARVE_SANITIZE"):
        return  # the sanitizer keeps freed memory
    peaks = []
    for calls in "200000", "2000000":
        record("--no-pack", program=(program("seeks"), calls), trace=calls)
        peaks.append(max(peak_of("pack", "--quiet", "-o", f"{calls}.{workers}", "--workers", workers, calls) for workers in "12"))
    size = os.path.getsize("2000000/data.0")
    same(peaks[1] - peaks[0] < size // 4, True, (*peaks, size))


@in_the_long_set
def test_more_blocks_than_stay_in_memory():
    """The list of blocks is moved to a file during packing, from 1024 blocks on."""
    result = record("--no-pack", "--buffer", "64K", program=(LOOP, "1500000"))
    same(result.returncode, 7)
    blocks = json.loads(varve("info", "--format", "json", "t.varve").stdout)["blocks"]
    assert blocks > 1100, blocks
    for workers in ("1", "2"):
        same(varve("pack", "--quiet", "--verify", "--workers", workers, "-o", workers, "t.varve").returncode, 0)
    with open("1", "rb") as one, open("2", "rb") as two:
        same(one.read() == two.read(), True)
    same(json.loads(varve("info", "--format", "json", "1").stdout)["blocks"], blocks)


def test_the_tree_without_exact_times():
    """Parents and ends of processes are known for every kind of stored times, with and without answers."""
    same(record("--no-pack", program=(program("six_children"),)).returncode, 0)
    found = json.loads(varve("info", "--format", "json", "t.varve").stdout)
    same(sorted(row["status"] for row in found["processes"]), [0, 0, 1, 2, 3, 4, 5])
    for how in ("exact", "histogram", "none"):
        same(varve("pack", "--quiet", "--verify", "--time", how, "-o", how, "t.varve").returncode, 0)
        same(tree_of(how), tree_of("t.varve"), how)
        without_answers(how)
        same(tree_of(how), tree_of("t.varve"), how + ", asked of the records")


def test_answers_of_one_long_stream():
    """Results that need many records are stored, also for a single process; those that need few are not."""
    same(record("--no-pack", program=(program("maps_and_paths"),)).returncode, 0)
    same(varve("pack", "--quiet", "--verify", "-o", "packed", "t.varve").returncode, 0)
    wanted = views("t.varve")[-1]
    same(wanted["paths"] >= 5000, True, wanted["paths"])
    same(views("packed")[-1], wanted)
    without_answers("packed")
    same(views("packed")[-1], wanted, "asked of the records")
    same(record("--no-pack", program=("true",), trace="few.varve").returncode, 0)
    same(varve("pack", "--quiet", "few.varve").returncode, 0)
    same(answers_length("few.varve"), 0)


ANSWERS = 12


def answers_length(trace):
    """Bytes of the section of answers."""
    with open(trace, "rb") as file:
        return section(file.read(), ANSWERS)[1]


def without_answers(trace):
    """The same file with another foot, without a section of answers."""
    same(answers_length(trace) > 0, True, "there are answers")
    with open(trace, "rb") as file:
        data = file.read()
    with open(trace, "wb") as file:
        file.write(with_foot(data, lambda foot: struct.pack_into("<QQ", foot, 16 + 16 * ANSWERS, 0, 0)))


def tree_of(trace):
    info = json.loads(varve("info", "--format", "json", trace).stdout)
    return [info[key] for key in info if key in ("processes", "unstarted", "vanished", "untraced", "objects", "libraries", "paths")]


def test_verifying_a_packed_source():
    """Calls that were cut have definitions that only their later halves had."""
    golden = os.path.join(os.environ["VARVE_SOURCE"], "tests/golden/packed_cut.varve")
    result = varve("pack", "--verify", "-o", "again", golden)
    same(result.returncode, 0, result.stderr)


def test_killed_while_it_packs():
    record("--no-pack", program=(LOOP, "400000"))
    before = views("t.varve")[0]
    for wait in 0.02, 0.1, 0.2, 0.3:
        packing = subprocess.Popen([VARVE, "pack", "t.varve"], stderr=subprocess.DEVNULL)
        time.sleep(wait)
        packing.kill()
        packing.wait()
        same(varve("dump", "t.varve").stdout == before, True, wait)
    same(varve("pack", "t.varve").returncode, 0)
    same(varve("dump", "t.varve").stdout == before, True)
    left = [name for name in os.listdir(".") if name.startswith("t.varve.")]
    # After a kill between exchange and removal the folder remains, whole, under another name.
    same([name for name in left if not os.path.isdir(name)], [])


def test_no_room():
    record("--no-pack", program=(LOOP, "200000"))
    before = views("t.varve")[0]
    result = subprocess.run(["sh", "-c", 'ulimit -f 2; trap "" XFSZ; exec "$0" pack t.varve', VARVE], capture_output=True)
    same(result.returncode, 4)
    holds(result.stderr, b"t.varve", b"File too large")
    same(os.path.isdir("t.varve"), True)
    same(views("t.varve")[0] == before, True)


def test_a_small_stack():
    """Packing and reading need less than 64 KiB. A sanitizer's frames are several times as large."""
    kibibytes = 512 if os.environ.get("VARVE_SANITIZE") else 64
    record("--no-pack")
    for words in (["pack", "--verify", "-o", "p.varve", "t.varve"], ["dump", "--where", "failed", "p.varve"], ["info", "--files", "p.varve"],
                  ["slice", "--from", "1us", "-o", "s.varve", "p.varve"], ["pack", "--recover", "t.varve"], ["doctor", "/bin/ls"],
                  ["record", "-o", "r.varve", "--", "sh", "-c", "ls / | sort"]):
        result = subprocess.run(["sh", "-c", f"ulimit -s {kibibytes} && exec \"$@\"", "sh", VARVE, *words],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert result.returncode in (0, 1 if words[0] == "doctor" else 0), (words, result)


def test_living_processes_are_named():
    with subprocess.Popen([VARVE, "record", "--no-keeper", "-o", "t.varve", "--", "sh", "-c", "sleep 60 > /dev/null 2>&1 & echo $!"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        child = command.stdout.readline().decode().strip()
        said = command.stderr.read()
        same(command.wait(), 0)
        holds(said, child.encode())
        holds(said, b"varve pack ")
        same(os.path.isdir("t.varve"), True)
        result = varve("pack", "t.varve")
        same(result.returncode, 1)
        holds(result.stderr, child.encode())
        same(os.path.isdir("t.varve"), True)
        os.kill(int(child), signal.SIGKILL)
    for _ in range(100):
        if varve("pack", "t.varve").returncode == 0:
            break
        time.sleep(0.05)
    same(os.path.isfile("t.varve"), True)


def test_what_the_dead_left_is_packed():
    with Run() as run:
        run.kill()
    calls = len(dump_json("t.varve"))
    same(varve("pack", "t.varve").returncode, 0)
    same((os.path.isfile("t.varve"), len(dump_json("t.varve"))), (True, calls))


def names_the_first(result, pid):
    same((result.returncode, result.stdout), (1, b""), result.stderr)
    holds(result.stderr, f"t.varve ... {pid} ... {socket.gethostname()}".encode())


def test_one_command_at_a_time():
    """The first command packs; the others name it, change nothing and leave no files."""
    record("--no-pack")
    before = views("t.varve")
    folder = os.open("t.varve", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    for options in (), ("-o", "p.varve"), ("--files", "2"):
        names_the_first(varve("pack", *options, "t.varve"), os.getpid())
    same((views("t.varve"), os.listdir(".")), (before, ["t.varve"]))
    os.close(folder)
    same(varve("pack", "t.varve").returncode, 0)
    packed = os.open("t.varve", os.O_RDONLY)
    fcntl.flock(packed, fcntl.LOCK_EX)
    names_the_first(varve("pack", "--files", "1", "t.varve"), os.getpid())
    os.close(packed)
    same((views("t.varve"), os.listdir(".")), (before, ["t.varve"]))


def test_a_lock_that_comes_and_goes():
    """The message names the holder; or the holder has ended, and its lock is free. The message never says that the holder is
    unknown if it is visible."""
    record("--no-pack")
    holder = subprocess.Popen([sys.executable, "-c", """
import fcntl, os
while True:
    fd = os.open("t.varve", os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    os.close(fd)
"""])
    try:
        ends = set()
        for i in range(60):
            result = varve("pack", "-o", f"p{i}", "t.varve")
            ends.add(result.returncode)
            if result.returncode:
                names_the_first(result, holder.pid)
    finally:
        holder.kill()
        holder.wait()
    same(ends <= {0, 1}, True, ends)


def test_what_the_dead_left_waits_for_the_lock():
    with Run() as run:
        run.kill()
    folder = os.open("t.varve", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    size = os.path.getsize("t.varve/data.0")
    names_the_first(varve("pack", "t.varve"), os.getpid())
    same(os.path.getsize("t.varve/data.0"), size)
    os.close(folder)
    same(varve("pack", "t.varve").returncode, 0)


def rank_of(job, rank):
    """The environment of a rank among four."""
    return {**os.environ, "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": str(rank), "PMIX_RANK": str(rank),
            "PMIX_NAMESPACE": job, "OMPI_MCA_orte_hnp_uri": job, "PMI_SIZE": "4", "PMI_RANK": str(rank), "FLUX_JOB_ID": job}


def test_a_script_inside_a_job():
    """The variables of one rank do not make a command wait for others."""
    record("--no-pack")
    before = views("t.varve")
    for rank in 0, 3:
        result = varve("pack", "-o", f"p{rank}", "t.varve", env=rank_of("f1", rank), timeout=100)
        same((result.returncode, views(f"p{rank}") == before), (0, True), result.stderr)
    same(varve("pack", "t.varve", env=rank_of("f2", 2), timeout=100).returncode, 0)
    same((views("t.varve") == before, sorted(os.listdir("."))), (True, ["p0", "p3", "t.varve"]))


def test_all_ranks_of_a_job():
    """A command that starts while the first one packs names it; a later one finds a packed trace."""
    record("--no-pack", program=(LOOP, "100000"))
    before = views("t.varve")
    names = sorted(set(os.listdir(".")))
    commands = [subprocess.Popen([VARVE, "pack", "t.varve"], env=rank_of("f3", rank), stderr=subprocess.PIPE) for rank in range(4)]
    ends = []
    for command in commands:
        said = command.communicate(timeout=60)[1]
        ends.append(command.returncode)
        said_it = {0: b"already packed" in said or b"records of" in said, 1: says(said, f"t.varve ... {socket.gethostname()}")}
        same(said_it.get(command.returncode), True, said)
    same((0 in ends, views("t.varve") == before, sorted(os.listdir("."))), (True, True, names))


def test_the_first_is_killed():
    """The first one is killed when its file is complete: the next one packs, and no file of the first remains."""
    if not shutil.which("strace"):
        print("strace is not installed: left out")
        return
    record("--no-pack")
    before = views("t.varve")
    for call in "flock", "fsync":
        killed = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                                 f"inject={call}:signal=KILL:when=1", VARVE, "pack", "t.varve"], stderr=subprocess.DEVNULL)
        same((killed.returncode != 0, os.listdir(".")), (True, ["t.varve"]), call)
    same((varve("pack", "t.varve").returncode, views("t.varve") == before, os.listdir(".")), (0, True, ["t.varve"]))


def test_times():
    record("--no-pack", program=(LOOP, "5000"))
    exact = dump_json("t.varve", "--function", "pwrite")
    same(varve("pack", "--time", "histogram", "-o", "h", "t.varve").returncode, 0)
    same(varve("pack", "--time", "none", "-o", "n", "t.varve").returncode, 0)
    means = dump_json("h", "--function", "pwrite")
    same(len(means), len(exact))
    same({call["approximate"] for call in means}, {True})
    same(any("approximate" in call for call in exact), False)
    spent = sum(call["duration"] for call in exact)
    same(abs(sum(call["duration"] for call in means) - spent) <= 5000 * 100, True, "means add up")
    same({(call["start"], call["duration"]) for call in dump_json("n", "--function", "pwrite")}, {(None, None)})
    holds(varve("dump", "h").stdout, b"~")
    holds(varve("info", "h").stdout, b"TIMES")
    holds(varve("info", "n").stdout, b"TIMES")
    same([json.loads(varve("info", "--format", "json", name).stdout)["times"] for name in ("t.varve", "h", "n")],
         ["exact", "histogram", "none"])
    holds(varve("dump", "-f", "csv", "h").stdout, b"approximate_start_ns,")
    for name in "h", "n":
        for call, other in zip(exact, dump_json(name, "--function", "pwrite")):
            same([call[key] for key in ("ordinal", "args", "result")], [other[key] for key in ("ordinal", "args", "result")])
    result = varve("pack", "-o", "x", "h")
    same(result.returncode != 0, True)
    holds(result.stderr, b"exact")
    holds(varve("pack", "--time", "exact", "h").stderr, b"exact")
    same(record("--time", "histogram", trace="r.varve").returncode, 7)
    same(json.loads(varve("info", "--format", "json", "r.varve").stdout)["times"], "histogram")


def test_damage_stays_told():
    record("--no-pack")
    damage_last_block()
    before = varve("dump", "t.varve")
    same(before.returncode, 3)
    packed = varve("pack", "-o", "p", "t.varve")
    same(packed.returncode, 3)
    holds(packed.stderr, b"p ... damaged ... 1")
    after = varve("dump", "p")
    same((after.returncode, after.stdout), (3, before.stdout))
    holds(after.stderr, b"damaged: ")


def test_exact_times_are_not_removed_by_accident():
    """--time histogram and --time none need -o or --force, for folders, packed traces and traces without exact times."""
    record("--no-pack", trace="folder")
    same(varve("pack", "-o", "packed", "folder").returncode, 0)
    same(varve("pack", "--time", "histogram", "-o", "reduced", "folder").returncode, 0)
    before = {trace: varve("dump", trace).stdout for trace in ("folder", "packed", "reduced")}
    for trace in before:
        for how in ("histogram", "none"):
            result = varve("pack", "--time", how, trace)
            same((result.returncode, result.stdout), (2, b""), (trace, how, result.stderr))
            holds(result.stderr, b"pack: --time %s would remove the exact times of %s" % (how.encode(), trace.encode()), b"-o", b"--force")
            same(varve("dump", trace).stdout, before[trace])
    same(varve("pack", "--time", "exact", "packed").returncode, 0)
    same(varve("pack", "--force", "packed").returncode, 2)
    same(varve("pack", "--force", "--time", "none", "-o", "new", "packed").returncode, 2)
    for trace in before:
        same(varve("pack", "--time", "none", "--force", trace).returncode, 0, trace)
        holds(varve("info", trace).stdout, b"TIMES ... none")
    # What is asked for before the run needs no confirmation.
    record("--time", "histogram", trace="r.varve")
    holds(varve("info", "r.varve").stdout, b"TIMES ... histogram")
    holds(varve("pack", "--help").stdout, b"cannot be undone")


def test_a_damaged_trace_stays():
    """Records that cannot be read would be lost with the folder."""
    record("--no-pack")
    damage_last_block()
    with open("t.varve/data.0", "rb") as file:
        before = file.read()
    result = varve("pack", "t.varve")
    same(result.returncode, 3)
    holds(result.stderr, b"varve: damaged: data.0, ")
    holds(result.stderr, b"-o")
    with open("t.varve/data.0", "rb") as file:
        assert file.read() == before, "the folder was changed"
    same(os.listdir("."), ["t.varve"])
    # A packed trace lists the earlier damage: nothing more can be lost.
    same(varve("pack", "-o", "p", "t.varve").returncode, 3)
    same(varve("pack", "--time", "none", "--force", "p").returncode, 3)
    same(json.loads(varve("info", "--format", "json", "p").stdout)["times"], "none")


def test_a_lost_beginning():
    """The block with the beginning of a call is lost, and later blocks continue the call: it counts as a call in both forms."""
    record("--no-pack", "--buffer", "64K", program=(program("regions"), "cut", "3000"))
    with open("t.varve/data.0", "rb") as file:
        data = file.read()
    at, places = 0, []
    while at < len(data):
        length, = struct.unpack_from("<Q", data, at + 16)
        if data[at + 10] == 1:
            places.append(at + length - 40)
        at += length
    same(len(places) > 3, True, places)
    for lost in places[:-1:lots(3, 1)]:
        with open("t.varve/data.0", "wb") as file:
            file.write(data[:lost] + b"damaged" + data[lost + 7:])
        remove_trace("s.varve")
        same((varve("pack", "-o", "p", "t.varve").returncode, varve("slice", "t.varve", "-o", "s.varve").returncode), (3, 3))
        told = [json.loads(varve("info", "-f", "json", *options, trace).stdout) for trace in ("t.varve", "p", "s.varve")
                for options in ((), ("--where", "ordinal >= 0"))]
        for info in told:
            for function in info["functions"]:
                del function["ns"]  # sums in headers count each half, and may differ by a tick
            same(info["functions"], told[0]["functions"], lost)
            same(info["records"], len(varve("dump", "--recorder", "t.varve").stdout.splitlines()), lost)
        os.remove("p")


def test_cut_short():
    """Records before the cut are shown; a file without its sections cannot be read."""
    record()
    whole = varve("dump", "t.varve").stdout.splitlines()
    with open("t.varve", "rb") as file:
        data = file.read()
    begin, length = data_of(data)
    for cut, shown in (len(data) - 1, len(whole)), (len(data) - 8, len(whole)), (begin + length, len(whole)), (begin, 0):
        os.truncate("t.varve", cut)
        result = varve("dump", "t.varve")
        same(result.returncode, 3, result.stderr)
        holds(result.stderr, b"damaged")
        same((len(result.stdout.splitlines()), set(result.stdout.splitlines()) <= set(whole)), (shown, True), cut)
        info = varve("info", "t.varve")
        same((info.returncode, b"DAMAGED " in b"".join(info.stdout.splitlines()[:3])), (3, True), info.stdout)
        with open("t.varve", "wb") as file:
            file.write(data)
    os.truncate("t.varve", begin // 2)
    result = varve("info", "t.varve")
    same(result.returncode, 3)
    holds(result.stderr, b"t.varve")
    same(result.stdout, b"")
    same(varve("pack", "t.varve").stderr, result.stderr)


def test_damage_of_each_stream():
    """`info` looks for damage that `dump` finds, and both name its records and the place of the wrong part."""
    record(program=("sh", "-c", "cat /etc/passwd /etc/group | wc -l"))
    with open("t.varve", "rb") as file:
        whole = file.read()
    whole = without_guards(whole)
    data, length = data_of(whole)
    calls, streams = len(dump_json("t.varve")), set()
    for place in range(data + HEADER, data + length, 16):
        with open("t.varve", "wb") as file:
            file.write(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1:])
        dumped, told = varve("dump", "--recorder", "t.varve"), varve("info", "--format", "json", "t.varve")
        same(told.returncode, dumped.returncode, place)
        same(told.returncode, varve("info", "t.varve").returncode)
        info = json.loads(told.stdout)
        same(info["records"], len(dumped.stdout.splitlines()), place)
        for damage in info["damage"]:
            offset, length = damage["offset"], damage["length"]
            assert damage["file"] == "packed.0" and offset <= place < offset + length, (place, damage)
            holds(dumped.stderr, f"damaged: t.varve, {length} bytes at offset {offset}: {damage['why']}".encode())
            streams.add(damage["why"].partition(" of process ")[2])
        same(bool(info["damage"]), len(dumped.stdout.splitlines()) < calls, place)
    same(len(streams) > 2, True, streams)


run_tests(globals())
