#!/usr/bin/env python3
"""Full disks, folders that cannot be written or disappear during the run: the program does not notice, and the trace reports
it."""
import json
import os
import re
import shutil
import struct
import subprocess
import time

from lib import (DISK_FULL, NO_LANE, TORN, VARVE, Trace, compare, dropped, fill, holds, need_root, program, remove_trace, run,
                 run_tests, same, says, shell_status, small_disk, told_apart, tree, varve)

FOLDERS = program("folders")


def recorded(count, options=(), threads=0, trace="t.varve", between=None, command=()):
    """A run in which `between()` is called in the middle. Checks the program's side, but not the trace."""
    os.makedirs("work", exist_ok=True)
    words = [*command, VARVE, "record", "-o", os.path.abspath(trace), *options, "--", FOLDERS, str(count), str(threads)]
    process = subprocess.Popen(words, cwd="work", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same(process.stdout.readline(), b"ready\n", process.stderr.read() if process.poll() is not None else "")
    if between:
        between()
    stdout, stderr = process.communicate(b"go\n", timeout=60)
    stderr, told = told_apart(stderr)
    same((process.returncode, stdout, stderr), (5, b"%d done\n" % (count * (2 + threads)), b""))
    same(tree("work"), {"out": (0o100000, b"x" * min(count, 512))})
    return Trace(os.path.abspath(trace), told)


def accounted(trace, made):
    """Records and losses together are all calls; nothing counts as damage."""
    counts = trace.counts()
    losses = trace.losses()
    lost = dropped(losses) + losses.get(NO_LANE, 0)
    assert counts.get("pwrite", 0) <= made, counts
    total = sum(number for name, number in counts.items() if name != "encode") + lost
    assert total >= made, (counts, losses)
    return counts.get("pwrite", 0), lost


def test_nothing_happens():
    trace = recorded(1000, threads=2)
    same(trace.complete()["pwrite"], 4000)


def test_full_lane_folder_from_the_start():
    """No space even for the first page: the command reports it before it starts a program."""
    with small_disk("lanes", 65536):
        fill("lanes")
        result = varve("record", "-o", "t.varve", "--lanes", os.path.abspath("lanes"), "--", "touch", "made")
        same(result.returncode, 125)
        assert b"lane folder" in result.stderr, result.stderr
    assert not os.path.exists("made") and not os.path.exists("t.varve")


def test_full_lane_folder_before_the_first_lane():
    with small_disk("lanes", 131072):
        trace = recorded(1000, ("--lanes", os.path.abspath("lanes")))
        recorded_calls, lost = accounted(trace, 2000)
        same((recorded_calls, lost >= 2000), (0, True))
        holds(trace.no_lane(), "lane folder")


def test_full_lane_folder_in_mid_run():
    with small_disk("lanes", 8 << 20):
        trace = recorded(1000, ("--lanes", os.path.abspath("lanes")), threads=16, between=lambda: fill("lanes"))
        recorded_calls, lost = accounted(trace, 18000)
        assert recorded_calls >= 2000 and lost > 0, (recorded_calls, lost)


def test_lane_folder_with_room_for_some():
    with small_disk("lanes", 768 << 10):
        trace = recorded(1000, ("--lanes", os.path.abspath("lanes")), threads=40)
        recorded_calls, lost = accounted(trace, 42000)
        assert recorded_calls >= 2000 and lost > 0, (recorded_calls, lost)


def test_full_shared_memory():
    """The default place, made tiny: data that does not fit is not put elsewhere, and the program is not killed."""
    os.environ.pop("VARVE_LANES", None)
    command = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=768k none /dev/shm && exec "$@"', "sh"]
    trace = recorded(1000, threads=40, command=command)
    recorded_calls, lost = accounted(trace, 42000)
    assert recorded_calls >= 2000 and lost > 0, (recorded_calls, lost)


def test_full_disk_in_mid_run():
    with small_disk("disk", 1 << 20):
        trace = recorded(50000, ("--buffer", "128K"), trace="disk/t.varve", between=lambda: fill("disk"))
        recorded_calls, lost = accounted(trace, 100000)
        assert recorded_calls > 40000 and lost > 0, (recorded_calls, lost)


def test_full_disk_beside_threads():
    """Blocks that wait in a stash, and lanes of threads that have ended."""
    with small_disk("disk", 1 << 20):
        trace = recorded(20000, ("--buffer", "128K"), threads=6, trace="disk/t.varve", between=lambda: fill("disk"))
        recorded_calls, lost = accounted(trace, 160000)
        assert recorded_calls > 10000 and lost > 0, (recorded_calls, lost)


def test_full_disk_under_many_threads():
    """Remains of failed writes are not damage, and disappear when there is space again; threads that fill several lanes count
    once."""
    for size in range(200, 300, 8):
        with small_disk("disk", size << 10):
            trace = recorded(10000, ("--buffer", "64K"), threads=5, trace="disk/t.varve")
            info = trace.info()
            same((info["damage"], dropped(trace.losses()) > 0), ([], True))
            left = re.search(rb"in lanes +\d+ records of (\d) thread", varve("info", trace.path).stdout)
            assert int(left[1]) <= 6, left[0]
            subprocess.run(["mount", "-o", "remount,size=8M", "disk"], check=True)
            result = varve("pack", "--recover", "--format", "json", trace.path)
            same((result.returncode, json.loads(result.stdout)["threads"]), (0, int(left[1])), result.stderr)
            same((trace.info()["damage"], trace.info()["records"]), ([], info["records"]))


def test_what_a_failed_write_left_is_no_damage():
    """Fewer bytes than a block header, and zeros, in a run with counted write failures; and anything behind all claims."""
    def changed(control, at, *numbers):
        control.seek(at)
        control.write(struct.pack(f"<{len(numbers)}Q", *numbers))

    for part in (0, 4, 9, 48, 167, 168):
        for failed in (0, 1):
            path = f"{part}-{failed}.varve"
            run([VARVE, "record", "--no-pack", "-o", os.path.abspath(path), "--", "sh", "-c", "kill -9 $PPID; exec sleep 0.1"], "work",
                env=dict(os.environ, VARVE_NO_KEEPER="1"))
            with open(path + "/lanes") as file:
                lanes = file.read().strip()
            with open(path + "/data.0", "r+b") as data, open(lanes + "/control", "r+b") as control:
                whole = data.read()
                length = struct.unpack_from("<Q", whole, 16)[0]
                data.write(whole[:part] + bytes(1024 - part) + whole[:length] + whole[:99])
                changed(control, 16384, len(whole) + 1024 + length)
                changed(control, 16512 + 8 * DISK_FULL, failed)
            trace = Trace(os.path.abspath(path))
            while json.loads(varve("info", "--format", "json", path).stdout)["running_processes"]:
                time.sleep(0.01)
            found = json.loads(varve("info", "--format", "json", path).stdout)["damage"]
            same([row["offset"] for row in found[:1]], [len(whole)] if part == 168 or not failed else [], (part, failed))
            varve("pack", "--recover", path)
            found = json.loads(varve("info", "--format", "json", path).stdout)["damage"]
            same(found != [], part == 168 or part > 0 and not failed, (part, failed, found))


def test_full_disk_without_room_for_the_index():
    """The cause is the error of the disk, and is reported once for all lanes; the end of the run was stored anyway."""
    with small_disk("disk", 200 << 10):
        script = "for n in 1 2 3; do dd if=/dev/zero of=/dev/null bs=1 count=40000 2>/dev/null & done; wait; " \
                 "dd if=/dev/zero of=disk/filler bs=4k 2>/dev/null; exit 3"
        result = varve("record", "--buffer", "64K", "-o", "disk/t.varve", "--", "sh", "-c", script)
        said = result.stderr.decode()
        same((result.returncode, sum(says(line, "lanes ... No space left on device") for line in said.splitlines())), (3, 1), said)
        same(os.path.exists("disk/t.varve/index"), False)
        for _ in range(2):
            info = Trace("disk/t.varve").info()
            same((info["end"], info["status"], {loss["reason"] for loss in info["losses"]}), ("exited", 3, {DISK_FULL}))
            same(info["damage"], [])
            os.unlink("disk/filler")
            fill("disk", 16384)
            varve("pack", "--recover", "disk/t.varve")


def test_full_disk_that_is_freed_again():
    with small_disk("disk", 1 << 20):
        fill("disk", 300000)
        trace = recorded(50000, ("--buffer", "128K"), trace="disk/t.varve", between=lambda: os.unlink("disk/filler"))
        recorded_calls, lost = accounted(trace, 100000)
        assert recorded_calls >= 50000, (recorded_calls, lost)


def test_full_disk_from_the_start():
    with small_disk("disk", 1 << 20):
        fill("disk")
        result = varve("record", "-o", "disk/t.varve", "--", "touch", "made")
        same(result.returncode, 125)
        assert result.stderr.startswith(b"varve: "), result.stderr
        same(sorted(os.listdir("disk")), ["filler"], "no half of a trace is left")
    assert not os.path.exists("made")


def test_unwritable_trace_folder():
    result = varve("record", "-o", "/proc/t.varve", "--", "touch", "made")
    same(result.returncode, 125)
    assert b"/proc/t.varve" in result.stderr, result.stderr
    assert not os.path.exists("made")


def test_trace_folder_deleted_in_mid_run():
    trace = recorded(50000, ("--buffer", "128K"), between=lambda: remove_trace("t.varve"))
    assert b"varve: " in trace.told, trace.told
    assert not os.path.exists("t.varve"), "a folder that was deleted is not made again"


def test_trace_folder_replaced_in_mid_run():
    """Data of the trace must not be written to another file with the same name."""
    def replace():
        remove_trace("t.varve")
        os.mkdir("t.varve")
        with open("t.varve/data.0", "w") as file:
            file.write("mine")

    trace = recorded(50000, ("--buffer", "128K"), between=replace)
    assert b"varve: " in trace.told, trace.told
    with open("t.varve/data.0", "rb") as file:
        same(file.read(100), b"mine")


def test_trace_folder_moved_in_mid_run():
    """Data that was written before is there under the new name."""
    trace = recorded(50000, ("--buffer", "128K"), between=lambda: os.rename("t.varve", "moved.varve"))
    assert b"varve: " in trace.told, trace.told
    result = varve("dump", "--format", "csv", "--function", "pwrite", "moved.varve")
    assert result.stdout.count(b"\n") > 40000, (result.returncode, result.stderr)


def test_lane_folder_deleted_in_mid_run():
    os.mkdir("lanes")

    def delete():
        for name in os.listdir("lanes"):
            shutil.rmtree("lanes/" + name)

    trace = recorded(50000, ("--buffer", "128K", "--lanes", os.path.abspath("lanes")), threads=2, between=delete)
    assert b"varve: " in trace.told, trace.told
    result = varve("dump", "--format", "csv", "--function", "pwrite", trace.path)
    assert result.stdout.count(b"\n") > 90000, (result.returncode, result.stderr)
    info = varve("info", trace.path)
    assert not info.stdout.startswith(b"complete"), info.stdout


def test_lane_folder_deleted_under_one_thread():
    """No process needs a new lane, so only the process that completes the trace notices it."""
    os.mkdir("lanes")

    def delete():
        for name in os.listdir("lanes"):
            shutil.rmtree("lanes/" + name)

    trace = recorded(50000, ("--no-pack", "--buffer", "128K", "--lanes", os.path.abspath("lanes")), between=delete)
    assert 50000 < trace.counts()["pwrite"] < 100000, trace.counts()
    same(list(trace.losses()), [TORN])
    assert re.match(rb"LOST .*\d lanes? .*removed", varve("info", trace.path).stdout), varve("info", trace.path).stdout
    assert re.search(rb"\d lanes? .*removed", trace.told) and b"--recover" not in trace.told, trace.told


def test_lane_files_deleted_in_mid_run():
    os.mkdir("lanes")

    def delete():
        for path, _, names in os.walk("lanes"):
            for name in names:
                if name.startswith("lane."):
                    os.unlink(os.path.join(path, name))

    trace = recorded(50000, ("--buffer", "128K", "--lanes", os.path.abspath("lanes")), between=delete)
    result = varve("dump", "--format", "csv", "--function", "pwrite", trace.path)
    assert result.stdout.count(b"\n") > 90000, (result.returncode, result.stderr)
    info = varve("info", trace.path)
    assert not info.stdout.startswith(b"complete"), info.stdout


def test_working_directory_deleted():
    script = "mkdir d; cd d; rmdir ../d; echo x > ../y; cat ../y z; true"
    trace = compare(["bash", "-c", script])
    trace.counts()


need_root()
same(shell_status(-9), 137)
run_tests(globals())
