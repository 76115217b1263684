#!/usr/bin/env python3
# timeout: 300
"""Recorded traces of many programs, and the golden ones: the second decoder and `varve` read the same out of them."""
import glob
import json
import os
import shutil
import subprocess
import sys

from _blocks import RECORDS
from _compare import VARVE, agree
from _facts import counters, processes, run_facts
from _records import CONTINUED, REST, UNFINISHED
from _tables import POINTER

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from _harness import CC, run_tests, same  # noqa: E402

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
PROGRAMS = os.environ.get("VARVE_PROGRAMS", "")
THREADS = """
import os, threading
def work():
    for i in range(1200):
        os.stat("/etc")
        with open("/etc/passwd") as file:
            file.read(10)
    os.system("true")
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
# Walks a file inside a walk inside a walk ...: calls that stay open while lanes fill, and more shapes than codec columns has.
NESTED = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>
static int deepest, rounds, depth;
static void many(void)
{
	struct stat about;
	struct statvfs system_about;
	char text[8];
	struct iovec part = {text, 8};
	int r = read(-1, text, 8) + write(-1, text, 8) + fsync(-1) + fdatasync(-1) + fstat(-1, &about) + dup(-1) + dup2(-1, -1);
	r += lseek(-1, 0, SEEK_SET) + fchmod(-1, 0) + fchown(-1, 0, 0) + ftruncate(-1, 0) + isatty(-1) + pread(-1, text, 8, 0);
	r += pwrite(-1, text, 8, 0) + readv(-1, &part, 1) + writev(-1, &part, 1) + preadv(-1, &part, 1, 0) + fchdir(-1);
	r += pwritev(-1, &part, 1, 0) + flock(-1, LOCK_UN) + fallocate(-1, 0, 0, 1) + syncfs(-1) + fpathconf(-1, _PC_NAME_MAX);
	r += fcntl(-1, F_GETFL) + ioctl(-1, FIONREAD, &r) + posix_fadvise(-1, 0, 0, 0) + futimens(-1, NULL) + access("no", F_OK);
	r += stat("no", &about) + lstat("no", &about) + unlink("no") + rmdir("no") + rename("no", "none") + chmod("no", 0);
	r += truncate("no", 0) + mkdir("/", 0) + symlink("no", "/") + link("no", "/") + readlink("no", text, 8) + chdir("no");
	r += fstatvfs(-1, &system_about) + statvfs("no", &system_about) + open("no", O_RDONLY) + close(-1);
}
static int visit(const char *path, const struct stat *about, int kind)
{
	(void)path, (void)about, (void)kind;
	struct stat found;
	many();
	if (++depth < deepest)
		ftw("file", visit, 3);
	else
		for (int i = 0; i < rounds; i++)
			stat("file", &found);
	depth--;
	return 0;
}
int main(int count, char **words)
{
	deepest = atoi(words[1]);
	rounds = atoi(words[2]);
	return count != 3 || ftw("file", visit, 3);
}
"""

# fts_open() compares its roots by a function of the program: calls inside it fill lanes before it returns a handle.
COMPARES = r"""
#include <fts.h>
#include <stddef.h>
#include <sys/stat.h>
static int compare(const FTSENT **one, const FTSENT **other)
{
	(void)one, (void)other;
	struct stat about;
	for (int i = 0; i < 5000; i++)
		stat("/etc", &about);
	return 0;
}
int main(void)
{
	char *roots[] = {"/etc", "/usr", NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL, compare);
	return !walk || !fts_read(walk) || fts_close(walk);
}
"""


def record(command, *options):
    trace = "t.varve"
    subprocess.run([VARVE, "record", "-o", trace, *options, "--", *command], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    return read(trace)


def read(trace):
    """Both decoders, and what `info` says, about one trace."""
    mine, calls = agree(trace)
    info = json.loads(subprocess.run([VARVE, "info", "--format", "json", trace], stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL).stdout)
    same(info["damage"], [])
    info["losses"] = [(loss["reason"], loss["count"]) for loss in info["losses"]]
    for key, value in run_facts(mine, calls).items():
        same(info[key], value, key)
    same({(row["layer"], row["function"]): row for row in info["functions"]}, counters(mine), "functions")
    same([{key: process[key] for key in found} for process, found in zip(info["processes"], processes(mine))],
         processes(mine))
    same(len(info["processes"]), len(processes(mine)))
    return mine, calls


def compiled(name, source):
    with open(name + ".c", "w") as file:
        file.write(source)
    subprocess.run([CC, "-O1", "-w", "-o", name, name + ".c"], check=True)


def nested():
    open("file", "w").close()
    compiled("nested", NESTED)


def test_golden():
    for trace in sorted(glob.glob(os.path.join(GOLDEN, "*.varve"))):
        _, calls = read(trace)
        assert calls


def test_lists():
    _, calls = record(["ls", "-lR", "/etc"])
    assert len(calls) > 100


def test_pointers():
    mine, calls = record([sys.executable, "-c", "import mmap; mmap.mmap(-1, 4096).close()"], "--pointers")
    pointers = {row.name: {field.name for field in row.recorded if field.style == POINTER}
                for row in mine.tables.functions.values()}
    given = [call["args"][name] for call in calls for name in pointers.get(call["function"], ()) if name in call["args"]]
    assert any(given), given


def test_children():
    mine, _ = record(["sh", "-c", "for i in 1 2 3; do cat /etc/passwd | wc; done; cd /; ls -l nothing"])
    assert len({process for process, _ in mine.streams}) > 6


def test_threads_and_small_blocks():
    mine, _ = record([sys.executable, "-c", THREADS], "--buffer", "64K")
    assert max(len(blocks) for blocks in mine.streams.values()) > 3 and len(mine.streams) > 3


def test_sync_and_microseconds():
    mine, calls = record([sys.executable, "-c", THREADS], "--also", "sync", "--resolution", "1us")
    assert any(call["layer"] == "sync" for call in calls)
    same({block.resolution for block in mine.blocks if block.type == RECORDS}, {1000})


def test_cut_calls():
    nested()
    mine, calls = record(["./nested", "5", "20000"], "--buffer", "64K")
    cut = [r for stream in mine.streams.values() for _, records, _ in stream for r in records if r.marks & CONTINUED]
    assert len(cut) > 20 and any(not r.marks & UNFINISHED for r in cut), len(cut)
    walks = [call for call in calls if call["function"] == "ftw"]
    same([(call["depth"], call["result"]) for call in walks], [(depth, 0) for depth in range(5)])


def test_outputs_of_cut_calls():
    compiled("compares", COMPARES)
    mine, calls = record(["./compares"], "--buffer", "64K")
    opened = next(call for call in calls if call["function"] == "fts_open")
    same((opened["handle"], opened["kind"]), (opened["result"], "dir"))
    assert sum(1 for _, records, _ in mine.streams[1, 1] for r in records if r.marks & CONTINUED) > 3


def test_codec_rows():
    nested()
    mine, calls = record(["./nested", "30", "1"])
    assert 2 in {block.codec for block in mine.blocks}, "no block is of codec rows"
    same(max(call["depth"] for call in calls), 30)


def test_codec_peephole():
    nested()
    for codec, window in (("binary", 0), ("peephole", 3)):
        for command in (["./nested", "5", "4000"], [sys.executable, "-c", THREADS]):
            mine, _ = record(command, "--codec", codec, "--buffer", "64K")
            blocks = [block for block in mine.blocks if block.type == RECORDS]
            same({(block.codec, block.version) for block in blocks}, {(3, 2)})
            same({block.read_columns()[0, REST][1][0] for block in blocks}, {window})
            shutil.rmtree("t.varve")
    mine, _ = record([sys.executable, "-c", THREADS], "--codec", "peephole", "--window", "127", "--pointers")
    same({block.read_columns()[0, REST][1][0] for block in mine.blocks if block.type == RECORDS}, {127})


def test_programs():
    programs = sorted(glob.glob(os.path.join(PROGRAMS, "call_*")))
    assert len(programs) > 20, PROGRAMS
    for program in programs:
        name = os.path.basename(program)
        os.mkdir(name)
        os.chdir(name)
        try:
            record([program])
        except AssertionError as wrong:
            raise AssertionError(f"{name}: {wrong}") from wrong
        finally:
            os.chdir("..")


run_tests(globals())
