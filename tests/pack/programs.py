#!/usr/bin/env python3
# again: long
# timeout: 600
"""Recorded programs, packed: the output for the file is that for the folder, in all formats. A small buffer makes many blocks,
so that calls are cut; a program that is not installed is skipped."""
import json
import os
import shutil
import sys
import time

from pack._forms import FILTERS, VIEWS, same_filtered, same_forms

from lib import compiled_source, in_the_long_set, modules_of, need, run_tests, varve

modules_of("real", "fuzz")
from _real import sample  # noqa: E402
from _packed import sections as split  # noqa: E402

THREADS = """
import os, threading
def work(number):
    for i in range(400):
        with open(f"f{number}.{i % 7:03d}", "w") as file:
            file.write("x" * i)
        os.stat("/etc")
    os.system("true")
threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
COMMIT = ("git init -q . && git config user.email a@b && git config user.name n && git add -A && git commit -qm one && "
          "git log --stat >log && git gc -q && git status >status")
SQL = ("create table t(a integer primary key, b text); with recursive c(x) as (select 1 union all select x+1 from c where x<3000) "
       "insert into t select x, hex(randomblob(20)) from c; create index i on t(b); delete from t where a % 3 = 0; vacuum;")
CDL = "netcdf a { dimensions: x = UNLIMITED; variables: int v(x); data: v = %s; }"
# Structure, the same of processes without a rank, other tracks, streams.
SAME_AGAIN = (2, 3, 4, 5)
FIO = ["--name=j", "--rw=randrw", "--bs=4k", "--size=2m", "--numjobs=2", "--thread", "--ioengine=sync", "--randseed=7",
       "--output=fio.log"]


def sections(name):
    with open(name, "rb") as file:
        return split(file.read())


def packed(words, *options, filters=FILTERS):
    """Records, packs and compares; returns the output of pack."""
    result = varve("record", "-o", "t.varve", "--no-pack", "--buffer", "64K", *options, "--", *words, timeout=300)
    assert result.returncode == 0, result.stderr
    while json.loads(varve("info", "--format", "json", "t.varve").stdout)["running_processes"]:
        time.sleep(0.1)
    about = same_forms("t.varve", "packed", VIEWS)
    assert about["records"] > 0 and not about["damages"], about
    for where in filters:
        same_filtered("t.varve", "packed", where)
    # Packed again it is the same, except for the facts about the packed file.
    assert varve("pack", "-o", "again", "packed").returncode == 0
    ours, theirs = (sections(name) for name in ("packed", "again"))
    for kind in SAME_AGAIN:
        assert ours[kind] == theirs[kind], f"section {kind} is another when the trace is packed again"
    return about


def test_tar():
    need("tar", "gzip")
    sample(".")
    packed(["sh", "-c", "tar --sort=name -czf a.tgz source && tar -tzf a.tgz >list && mkdir out && tar -xpzf a.tgz -C out"])


@in_the_long_set
def test_find():
    need("find")
    packed(["find", "/usr/include", "/usr/share/doc", "-name", "*.h", "-size", "+1k"])


@in_the_long_set
def test_git():
    need("git")
    sample(".")
    os.environ["HOME"] = os.getcwd()
    packed(["sh", "-c", COMMIT])


def test_sqlite():
    need("sqlite3")
    packed(["sqlite3", "a.db", SQL])


def test_python_with_threads():
    packed([sys.executable, "-c", THREADS])


def test_fio():
    need("fio")
    packed(["fio", *FIO])


def test_gcc():
    need("gcc")
    shutil.copy(compiled_source("print_lines.c"), "a.c")
    packed(["sh", "-c", "gcc -O2 -o a a.c && ./a"])


@in_the_long_set
def test_lammps():
    lmp = need("lmp")
    with open("in.lj", "w") as file:
        file.write("units lj\natom_style atomic\nlattice fcc 0.8442\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\n"
                   "create_atoms 1 box\nmass 1 1.0\nvelocity all create 1.44 87287\npair_style lj/cut 2.5\n"
                   "pair_coeff 1 1 1.0 1.0 2.5\nfix 1 all nve\ndump d all custom 5 dump.*.txt id x y z\nrun 50\n")
    packed([lmp, "-in", "in.lj", "-log", "lj.log"])


@in_the_long_set
def test_hdf5():
    need("h5dump", "h5repack", "ncgen")
    with open("a.cdl", "w") as file:
        file.write(CDL % ", ".join(map(str, range(5000))))
    packed(["sh", "-c", "ncgen -4 -o a.h5 a.cdl && h5dump a.h5 >text && h5repack -f GZIP=1 a.h5 b.h5"])


def test_netcdf():
    need("ncgen", "ncdump")
    with open("a.cdl", "w") as file:
        file.write(CDL % "1, 2, 3")
    packed(["sh", "-c", "ncgen -o a.nc a.cdl && ncdump a.nc >text"])


def test_the_folder_is_replaced():
    """Without a target the file replaces the folder."""
    assert varve("record", "--no-pack", "-o", "t.varve", "--", "ls").returncode == 0
    before = varve("dump", "--by-stream", "t.varve").stdout
    assert varve("pack", "t.varve").returncode == 0
    assert os.path.isfile("t.varve") and os.listdir(".") == ["t.varve"], os.listdir(".")
    assert varve("dump", "--by-stream", "t.varve").stdout == before != b""


def test_what_cannot_be_packed():
    """A failure leaves no files."""
    assert varve("record", "--no-pack", "-o", "t.varve", "--", "true").returncode == 0
    for words in (["no such trace"], ["-o", "no/such/folder/x", "t.varve"], ["-o", "t.varve/data.0/x", "t.varve"]):
        result = varve("pack", *words)
        assert result.returncode not in (0, 139) and result.stderr.startswith(b"varve: "), (words, result)
    assert os.listdir(".") == ["t.varve"] and os.path.isdir("t.varve"), os.listdir(".")


run_tests(globals())
