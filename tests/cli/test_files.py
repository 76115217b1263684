#!/usr/bin/env python3
"""`varve info --files`: sums by file, for a folder and for a packed trace, in all formats and with a filter."""
import csv
import io
import json
import os
import sys

from lib import holds, run_tests, same, varve

PROGRAM = r"""
import ctypes, os, sys
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
os.chdir("inner")
for i in range(3):
    fd = os.open(f"step{i:03}.dat", os.O_CREAT | os.O_RDWR)
    for k in range(10 + i):
        os.pwrite(fd, b"x" * 100, k * 100)
    os.pread(fd, 5000, 0)
    os.close(fd)
if os.fork() == 0:
    fd = os.open("step000.dat", os.O_WRONLY)
    os.write(fd, b"y" * 7)
    os._exit(0)
os.wait()
file = ctypes.c_void_p(c.fopen(b"../by_stdio", b"w"))
for i in range(50):
    c.fwrite(b"12345678", 1, 8, file)
c.fclose(file)
for i in range(4):
    try:
        os.stat("not there")
    except FileNotFoundError:
        pass
"""


def record():
    os.mkdir("inner")
    result = varve("record", "--no-pack", "-o", "folder.varve", "--", sys.executable, "-c", PROGRAM)
    same((result.returncode, result.stderr), (0, b""))
    same(varve("pack", "--quiet", "-o", "packed.varve", "folder.varve").returncode, 0)


def listed(trace, *options):
    result = varve("info", "--files", "--format", "json", *options, trace)
    same((result.returncode, result.stderr), (0, b""))
    return json.loads(result.stdout)["files"]


def files(trace, *options):
    """The files in the folder of the test, by layer and name."""
    here = os.path.realpath(".") + "/"
    return {(row["layer"], os.path.basename(row["file"])): row for row in listed(trace, *options) if row["file"].startswith(here)}


def counted(row):
    return [row[key] for key in ("processes", "calls", "failures", "unfinished", "bytes_read", "bytes_written")]


def test_files():
    record()
    found = files("packed.varve")
    # open, writes, read, close; the child's open and write.
    for i in range(3):
        size = (10 + i) * 100
        ours = [1, 10 + i + 3, 0, 0, size, size]
        same(counted(found["posix", f"step{i:03}.dat"]), [2, ours[1] + 2, 0, 0, size, size + 7] if not i else ours)
        same(found["posix", f"step{i:03}.dat"]["file"], os.path.realpath(f"inner/step{i:03}.dat"))
    same(counted(found["stdio", "by_stdio"]), [1, 52, 0, 0, 0, 400])
    same(found["stdio", "by_stdio"]["file"], os.path.join(os.path.realpath("."), "inner/../by_stdio"))
    same(counted(found["posix", "not there"]), [1, 4, 4, 0, 0, 0])
    assert all(row["ns"] > 0 for row in found.values() if row["bytes_read"]), found
    order = [row["bytes_read"] + row["bytes_written"] for row in listed("packed.varve")]
    same(order, sorted(order, reverse=True))
    assert not any(row["layer"] == "varve" for row in listed("packed.varve")), "what the recorder says is about no file"


def test_same_of_both_forms_and_all_formats():
    record()
    found = listed("folder.varve")
    assert listed("packed.varve") == found
    for options in (["--format", "csv"], ["--where", "function == pwrite", "--format", "csv"], ["--quick", "--format", "csv"]):
        ours, theirs = (varve("info", "--files", *options, trace) for trace in ("packed.varve", "folder.varve"))
        assert (ours.returncode, ours.stdout) == (0, theirs.stdout), options
    rows = list(csv.DictReader(io.StringIO(varve("info", "--files", "--format", "csv", "packed.varve").stdout.decode(), newline="")))
    assert [{key: str(value) for key, value in row.items()} for row in found] == rows
    text = varve("info", "--files", "packed.varve").stdout.decode().splitlines()
    heading = next(i for i, line in enumerate(text) if line.startswith("layer") and line.endswith("file"))
    largest = found[0]
    keys = ("layer", "processes", "calls", "failures", "bytes_read", "bytes_written")
    same(text[heading + 1].split()[:6], [str(largest[key]) for key in keys])
    assert heading < next(i for i, line in enumerate(text) if line.startswith("program")), "files are printed first"
    assert text[heading + 1].endswith("  " + largest["file"]), text[heading + 1]


DOTS = r"""
import os
os.mkdir("sub"), os.mkdir("two"), os.mkdir("far"), os.mkdir("far/deep"), os.symlink("far/deep", "link")
def put(path, size):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(fd, b"x" * size)
    os.close(fd)
put("f", 1), put("sub/../f", 2), put("./sub/.././/f", 4), put("two/../sub/../f", 8)
put("link/../f", 100)
put("sub/../only", 10), put("two/../only", 20)
if os.fork() == 0:
    os.chdir("two")
    put("../f", 16)
    os._exit(0)
os.wait()
"""


def test_one_file_by_several_paths():
    """Two paths that differ only by `..` are one row, except if a symbolic link leads elsewhere."""
    here = os.getcwd()
    for form in ([], ["--no-pack"]):
        os.mkdir(f"run{len(form)}")
        os.chdir(f"run{len(form)}")
        same(varve("record", *form, "-o", "d.varve", "--", sys.executable, "-c", DOTS).returncode, 0)
        found = {row["file"][len(os.getcwd()):]: (row["calls"], row["processes"]) for row in listed("d.varve")
                 if row["layer"] == "posix" and os.path.basename(row["file"]) in ("f", "only")}
        same(found, {"/f": (15, 2), "/link/../f": (3, 1), "/sub/../only": (6, 1)}, form)
        os.chdir(here)


def test_filtered():
    record()
    for trace in ("packed.varve", "folder.varve"):
        found = files(trace, "--where", "function == pwrite")
        same({key: counted(row) for key, row in found.items()},
             {("posix", f"step{i:03}.dat"): [1, 10 + i, 0, 0, 0, (10 + i) * 100] for i in range(3)})
        text = varve("info", "--files", "--where", "function == fsync", trace).stdout
        holds(text, b"no call")


def test_times_that_are_not_kept():
    record()
    exact = files("packed.varve")
    for time in ("histogram", "none"):
        same(varve("pack", "--quiet", "--time", time, "-o", time, "folder.varve").returncode, 0)
        for key, row in files(time).items():
            same(row, {**exact[key], "ns": exact[key]["ns"] if time == "histogram" else 0}, time)


run_tests(globals())
