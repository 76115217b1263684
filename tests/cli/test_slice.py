#!/usr/bin/env python3
# again: long
"""`varve slice`: `dump` prints the same for a slice as for its source with the same options, line by line."""
# timeout: 300
import os
import shutil
import signal
import subprocess
import sys

from lib import (VARVE, Run, damage_last_block, each_call_program, holds, lots, program, run_tests, same, says, varve,
                 wait_for_end)
from _packed_file import data_of, without_guards
from _slices import BY_NUMBER, FILTERS, calls, compare, info, lines, record, sliced

CUT = program("long_calls")
THREADS = """
import concurrent.futures, os, subprocess
def look(number):
    os.stat("/etc" if number % 2 else "/nothing")
    fd = os.open("/etc/passwd", os.O_RDONLY)
    copy = os.dup(fd)
    os.read(copy, 10), os.close(fd), os.pread(copy, 20, 30), os.close(copy)
    if number % 200 == 0: subprocess.run("cat /etc/hostname | wc", shell=True)
with concurrent.futures.ThreadPoolExecutor(3) as pool: list(pool.map(look, range(600)))
"""


def all_filters(trace, least):
    """Slices with every filter; at least this number of them has some records, but not all."""
    whole = compare(trace)
    counts = [compare(trace, "--where", where, twice=where in BY_NUMBER) for where in FILTERS + BY_NUMBER]
    assert sum(1 for count in counts if 0 < count < whole) >= least, (whole, counts)


def test_a_shell():
    all_filters(record(["sh", "-c", "cat /etc/passwd | wc; cd /; ls -l nothing etc > /dev/null; exec 3< etc/group; cat <&3"]), 12)


def test_tar():
    os.mkdir("in")
    for i in range(30):
        with open(f"in/{i}", "w") as file:
            file.write("x" * i * 100)
    all_filters(record(["tar", "czf", "out.tgz", "in"]), 10)


def test_git():
    if not shutil.which("git"):
        return
    all_filters(record(["sh", "-c", "git init -q r && cd r && echo a > a && git add a && git -c user.name=n -c user.email=e "
                                    "commit -qm m && git log"]), 12)


def test_threads_in_small_blocks():
    trace = record([sys.executable, "-c", THREADS], "--buffer", "64K")
    all_filters(trace, 12)
    assert compare(trace, "--process", "1") > compare(trace, "--stream", "1.2") > 0
    assert compare(trace, "--function", "o*,read", "--layer", "posix") > 0
    times = [call["start"] for call in calls(trace)]
    early, late = f"{times[len(times) // 3]}ns", f"{times[2 * len(times) // 3]}ns"
    assert 0 < compare(trace, "--from", early, "--to", late) < len(times)
    assert compare(trace, "--to", early) + compare(trace, "--from", early) == len(times)


def test_cut_calls():
    trace = record([CUT], "--buffer", "64K")
    all_filters(trace, 10)
    for where in ("function in ftw,fts_open", "function == fts_open or function == fts_read", "depth == 2", "inside ftw",
                  "parent.function == fts_open", "function == ftw and depth == 1"):
        assert compare(trace, "--where", where) > 0, where
    # A call that begins before the window and ends after it.
    walk = next(call for call in calls(trace) if call["function"] == "ftw")
    compare(trace, "--to", f"{walk['start'] + 1}ns")
    compare(trace, "--from", f"{walk['start'] + 1}ns")


def test_slices_of_slices():
    trace = record([CUT], "--buffer", "64K")
    for first, second in ((BY_NUMBER[0], BY_NUMBER[2]), ("inside ftw", BY_NUMBER[1]), ("not failed", "function != dup")):
        sliced("--where", first, trace, to="one.varve")
        compare("one.varve", "--where", second)
        same(lines("s.varve"), lines(trace, "--where", f"({first}) and ({second})"))


def test_regions():
    trace = record([program("regions"), "cut", "3000"], "--buffer", "64K")
    for where in ("layer == region", "inside region", "has region", "not has region", *BY_NUMBER):
        compare(trace, "--where", where)
    # The name of an open region is defined again in each block.
    sliced("--where", "function in region,pwrite", trace)
    for name in ("last", "longer name than the other"):
        same(len(lines("s.varve", "--where", f"region == '{name}'")), len(lines(trace, "--where", f"region == '{name}' and "
                                                                                "function in region,pwrite")), name)


def test_every_call():
    def slices(program):
        trace = record([program])
        compare(trace, "--where", BY_NUMBER[0])
        compare(trace, "--where", BY_NUMBER[1], twice=False)
        compare(trace, twice=False)
    each_call_program(slices, lots(5, 1))


def test_counters():
    trace = record([sys.executable, "-c", THREADS], "--no-pack", "--buffer", "64K")
    sliced(trace)
    whole, copy = info(trace), info("s.varve")
    for facts in (whole, copy):
        for key in ("trace", "size", "slice"):
            facts.pop(key, None)
        for node in facts["nodes"]:
            del node["size"]
    same({key: copy[key] for key in whole}, whole)
    for where in ("function == read", "layer == process or failed", BY_NUMBER[0]):
        sliced("--where", where, trace)
        same(info("s.varve")["functions"], info(trace, "--where", where)["functions"], where)
        there = {call["process"] for call in calls("s.varve")}
        before = {process["process"]: process for process in info(trace)["processes"]}
        for process in info("s.varve")["processes"]:
            for key in ("pid", "rank", "exe", "ppid", "cwd", "arguments", "origin"):
                same(process.get(key), before[process["process"]].get(key), (where, key))
            there.discard(process["process"])
        same(there, set(), where)


def test_a_process_whose_first_thread_has_nothing():
    trace = record([sys.executable, "-c", THREADS])
    sliced("--stream", "1.3", trace)
    first = next(p for p in info(trace)["processes"] if p["process"] == 1)
    found, = info("s.varve")["processes"]
    same([found[key] for key in ("exe", "cwd", "arguments", "pid")], [first[key] for key in ("exe", "cwd", "arguments", "pid")])
    compare(trace, "--stream", "1.3")


def test_files():
    trace = record(["sh", "-c", "cat /etc/passwd /etc/group > out; cat out > /dev/null"])
    like = 'absolute like "{0}" or path like "{0}"'
    assert compare(trace, "--file", "/etc/*d", dumped=("--where", like.format("/etc/*d"))) > 0
    both = f'({like.format("*/out")} or {like.format("/etc/group")}) and (function == read)'
    assert compare(trace, "--file", "*/out,/etc/group", "--where", "function == read", dumped=("--where", both)) > 0


def test_a_killed_program():
    with Run() as run:
        run.kill()
        expected = lines("t.varve")
        assert expected
        compare("t.varve")
        compare("t.varve", "--where", BY_NUMBER[0])
        sliced("t.varve")
        assert not os.path.exists("s.varve/lanes")
        same(lines("s.varve"), expected)
        same(info("s.varve")["damage"], [])


def test_a_running_program():
    with Run() as run:
        varve("control", "--wait", "0s", run.pid, "flush")
        result = varve("slice", "t.varve", "-o", "s.varve")
        same(result.returncode, 0, result.stderr)
        holds(result.stderr, b"running")
        holds(varve("info", "s.varve").stdout, b"still")


def test_damage_is_carried_over():
    record(["sh", "-c", "cat /etc/passwd | wc"], "--no-pack", "--buffer", "64K")
    damage_last_block()
    same(varve("dump", "t.varve").returncode, 3)
    before = lines("t.varve")
    said = sliced("t.varve", status=3)
    holds(said, b"damaged: data.0")
    holds(said, b"damaged ... 1 place")
    same(lines("s.varve"), before)
    shown = varve("info", "s.varve")
    same(shown.returncode, 0)
    assert shown.stdout.startswith(b"DAMAGED ") and says(shown.stdout.splitlines()[0], b"damaged ... 1 place"), shown.stdout
    for where in BY_NUMBER + ["failed"]:
        compare("t.varve", "--where", where, status=3)
    sliced("s.varve", to="again.varve")
    assert varve("info", "again.varve").stdout.startswith(b"DAMAGED"), "the second slice forgets it"


def test_of_a_packed_trace():
    """Its blocks cannot be copied as bytes, and damage in it is found only when it is decoded."""
    record([sys.executable, "-c", THREADS], "--buffer", "64K")
    same(varve("pack", "-o", "p.varve", "t.varve").returncode, 0)
    for trace in "t.varve", "p.varve":
        assert compare(trace) > 1000
        assert compare(trace, "--stream", "1.2") > 0
    sliced("--packed", "p.varve", to="again.varve")
    same(lines("again.varve"), lines("t.varve"))
    with open("p.varve", "rb") as file:
        packed = without_guards(file.read())
    data, _ = data_of(packed)
    packed[data + 168 + 100] ^= 255
    with open("p.varve", "wb") as file:
        file.write(packed)
    before = varve("dump", "p.varve")
    same(before.returncode, 3)
    holds(sliced("p.varve", status=3), b"damaged in ")
    same(lines("s.varve"), before.stdout.splitlines())


def test_every_block_lost():
    """One of several blocks that continue calls is lost: a second half that is a call by itself is one in a slice too."""
    record([CUT], "--no-pack", "--buffer", "64K")
    with open("t.varve/data.0", "rb") as file:
        data = bytearray(file.read())
    at, places = 0, []
    while at < len(data):
        length = int.from_bytes(data[at + 16:at + 24], "little")
        if data[at + 10] == 1:
            places.append(at + length // 2 + 200)
        at += length
    assert len(places) > 6
    for place in places[1:lots(3, 6)]:
        broken = bytearray(data)
        broken[place] ^= 255
        with open("t.varve/data.0", "wb") as file:
            file.write(broken)
        for where in ("inside ftw", "function == ftw", BY_NUMBER[0]):
            compare("t.varve", "--where", where, status=3)


def test_losses_of_a_killed_program():
    """Their records are in their lanes."""
    run = subprocess.Popen([VARVE, "record", "--no-keeper", "-o", "t.varve", "--limit", "160K", "--buffer", "64K", "--", "sh", "-c",
                            "i=0; while [ $i -lt 20000 ]; do : < /etc/hostname; i=$((i+1)); done; echo $$; read wait"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    pid = run.stdout.readline().decode().strip()
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    wait_for_end(pid)
    losses = info("t.varve")["losses"]
    assert losses
    sliced("t.varve")
    same(info("s.varve")["losses"], losses)


def test_losses():
    trace = record(["sh", "-c", "i=0; while [ $i -lt 20000 ]; do : < /etc/hostname; i=$((i+1)); done"], "--limit", "160K",
                   "--buffer", "64K")
    losses = info(trace)["losses"]
    assert losses
    sliced("--where", "function == open", trace)
    same(info("s.varve")["losses"], losses)


run_tests(globals())
