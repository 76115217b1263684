#!/usr/bin/env python3
"""Bytes read and written per file: `varve info --files` compared with the sums of strace in the same run, or the program's report.
label: long
timeout: 600

A program runs once, recorded, under strace. Files are the regular ones in its own folder. These numbers must be equal for each
file:
- layers posix and async, and all system calls of strace on the file, if the layer stdio has no row for it;
- if stdio has one: written bytes of posix, async and stdio together. Bytes that stdio reads are not compared: it reads ahead;
- for requests of libaio and io_uring, which strace does not see: layer async, and the program's report. For io_uring this is a
  program with liburing: fio makes the calls by instructions of its own, which no preload library sees. No bytes of fio's requests
  may be shown, and the trace must report how many of them are missing;
- layers mpiio and mpi, and the bytes that the program counts itself.
"""
import collections
import json
import os
import re
import shutil
import subprocess

from lib import REQUESTS, VARVE, compiled_source, program, run_tests, same

HERE = os.path.dirname(os.path.abspath(__file__))
READS = {"read", "pread64", "readv", "preadv", "preadv2"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
COPIES = {"copy_file_range": (0, 2), "sendfile": (1, 0), "splice": (0, 2)}
CALL = re.compile(r"^(\w+)\((.*)\) += (\d+)(?:<.*>)?$")
NUMBER = re.compile(r"\d+<([^<>]*)>(\(deleted\))?")


class Missing(Exception):
    """A program is not installed."""


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Missing(program)


def folder():
    path = os.path.join(os.path.realpath("."), "work")
    shutil.rmtree(path, ignore_errors=True)
    os.mkdir(path)
    return path


def seen(log, inside):
    """[bytes read, bytes written] of each file by the system calls of all threads."""
    sums = collections.defaultdict(lambda: [0, 0])
    for name in os.listdir(log):
        with open(os.path.join(log, name), encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                match = CALL.match(line.rstrip("\n"))
                if not match or match[1] not in READS | WRITES | COPIES.keys():
                    continue
                files = [found[1] for found in NUMBER.finditer(match[2])]
                if match[1] in COPIES:
                    # Offsets are in brackets: the first descriptor is the first file.
                    source = 0 if COPIES[match[1]][0] == 0 else 1
                    sides = ((files[source], 0), (files[1 - source], 1))
                else:
                    sides = ((files[0], int(match[1] in WRITES)),)
                for path, side in sides:
                    path = path.removesuffix(" (deleted)")
                    if path.startswith(inside + "/"):
                        sums[path][side] += int(match[3])
    return {path: tuple(row) for path, row in sums.items() if any(row)}


def run(words, inside, prepare=None):
    """Sums of strace and of Varve: {file: {layer: (read, written)}}."""
    log, trace = os.path.join(os.path.dirname(inside), "log"), os.path.join(os.path.dirname(inside), "t.varve")
    for path in (log, trace):
        shutil.rmtree(path, ignore_errors=True)
    if os.path.isfile(trace):
        os.unlink(trace)
    os.mkdir(log)
    if prepare:
        prepare(inside)
    calls = ",".join(sorted(READS | WRITES | COPIES.keys()))
    done = subprocess.run(["strace", "-ff", "-y", "-q", "-s", "0", "-e", "trace=" + calls, "-e", "signal=none", "-o",
                           os.path.join(log, "thread"), VARVE, "record", "-o", trace, "--", *words], cwd=inside,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    same(done.returncode, 0, done.stderr[-1000:])
    about = json.loads(subprocess.run([VARVE, "info", "--files", "--format", "json", trace], check=True, capture_output=True).stdout)
    ours = collections.defaultdict(dict)
    for row in about["files"]:
        path = os.path.normpath(row["file"])
        if path.startswith(inside + "/"):
            before = ours[path].get(row["layer"], (0, 0))
            ours[path][row["layer"]] = (before[0] + row["bytes_read"], before[1] + row["bytes_written"])
    return seen(log, inside), ours, done.stdout


def total(layers, *names):
    return tuple(sum(layers.get(name, (0, 0))[side] for name in names) for side in (0, 1))


def agree(words, prepare=None, least=1):
    inside = folder()
    theirs, ours, _ = run(words, inside, prepare)
    compared = 0
    for path in sorted(theirs.keys() | ours.keys()):
        strace, layers = theirs.get(path, (0, 0)), ours.get(path, {})
        direct = total(layers, "posix", "async")
        if "stdio" not in layers:
            same(direct, strace, path)
        else:
            same(direct[1] + layers["stdio"][1], strace[1], f"written: {path}")
        compared += any(strace)
    assert compared >= least, (compared, theirs)


def tree(inside):
    for number in range(20):
        os.makedirs(f"{inside}/from/{number % 4}", exist_ok=True)
        with open(f"{inside}/from/{number % 4}/{number}", "wb") as file:
            file.write(bytes([number]) * (number * 3001 + 17))


def test_cp():
    agree(["cp", "-r", "from", "to"], tree, 40)


def test_tar():
    agree(["sh", "-c", "tar cf a.tar from && mkdir out && tar xf a.tar -C out"], tree, 41)


def test_rsync():
    need("rsync")
    agree(["rsync", "-a", "from/", "to/"], tree, 40)


def test_git_clone():
    need("git")

    def repository(inside):
        tree(inside)
        git = ["git", "-c", "user.name=A", "-c", "user.email=a@b"]
        for words in (["init", "-q"], ["add", "."], [*git[1:], "commit", "-qm", "a"]):
            subprocess.run(["git", *words], cwd=inside + "/from", check=True, stdin=subprocess.DEVNULL)

    agree(["git", "clone", "-q", "--no-hardlinks", "from", "to"], repository, 20)


def test_sqlite3():
    need("sqlite3")
    agree(["sqlite3", "a.db", "create table t(i integer primary key, t text); with recursive n(i) as (select 1 union all select i + 1 "
           "from n where i < 2000) insert into t select i, 'row ' || i from n; delete from t where i % 3 = 0; vacuum;"])


def test_python3():
    agree(["/usr/bin/python3", "-c", "import os, shutil\n"
           "with open('a', 'wb') as f:\n for i in range(1000): f.write(b'x' * i)\n"
           "fd = os.open('a', os.O_RDWR); os.pwrite(fd, b'y' * 77, 5); os.pread(fd, 1000, 9); os.writev(fd, [b'a', b'bc'])\n"
           "os.sendfile(os.open('b', os.O_WRONLY | os.O_CREAT), fd, 0, 5000); shutil.copyfile('a', 'c'); print(len(open('c', 'rb').read()))"], None, 3)


def test_gcc():
    need("gcc")

    def source(inside):
        shutil.copy(compiled_source("put_text.c"), inside + "/a.c")

    agree(["gcc", "-O1", "-c", "-o", "a.o", "a.c"], source, 2)


def fio(engine, witness):
    need("fio")
    inside = folder()

    def data(where):
        with open(where + "/data", "wb") as file:
            file.write(b"d" * 262144)

    theirs, ours, said = run(["fio", "--name=j", "--filename=data", "--size=256k", "--bs=4k", "--rw=randrw", "--iodepth=4",
                              "--ioengine=" + engine, "--output-format=json", "--thread"], inside, data)
    job = json.loads(said[said.index(b"{"):])["jobs"][0]
    reported = job["read"]["io_bytes"], job["write"]["io_bytes"]
    path = inside + "/data"
    same(total(ours[path], "posix", "async"), reported, f"{engine}: reported")
    if witness:
        same(theirs[path], reported, f"{engine}: strace")


def test_fio_psync():
    fio("psync", True)


def test_fio_libaio():
    fio("libaio", False)


def test_io_uring():
    ring = program("ring_bytes")
    if subprocess.run([ring], stdout=subprocess.DEVNULL).returncode == 77:
        raise Missing("io_uring")
    inside = folder()
    _, ours, said = run([ring], inside)
    same(total(ours[inside + "/data"], "posix", "async"), tuple(map(int, said.split())), "io_uring: reported")


def test_fio_io_uring():
    need("fio")
    inside = folder()
    words = ["fio", "--name=j", "--filename=data", "--size=256k", "--bs=4k", "--rw=randrw", "--iodepth=4", "--ioengine=io_uring",
             "--output-format=json", "--thread"]
    for options in ([], ["--fixedbufs"], ["--registerfiles"], ["--sqthread_poll=1", "--registerfiles"]):
        if subprocess.run([*words, *options], cwd=inside, stdin=subprocess.DEVNULL, capture_output=True).returncode:
            raise Missing("io_uring")
        _, ours, said = run([*words, *options], inside)
        job = json.loads(said[said.index(b"{"):])["jobs"][0]
        same(total(ours[inside + "/data"], "async"), (0, 0), f"{options}: shown")
        about = json.loads(subprocess.run([VARVE, "info", "--format", "json", "t.varve"], check=True, capture_output=True).stdout)
        same({row["reason"]: row["count"] for row in about["losses"]},
             {REQUESTS: job["read"]["total_ios"] + job["write"]["total_ios"]}, f"{options}: not recorded")


def test_fio_posixaio():
    fio("posixaio", True)


def mpi(*later):
    need("mpicc", "mpirun")
    subprocess.run(["mpicc", "-o", "m", os.path.join(HERE, "bytes_mpi.c")], check=True)
    inside = folder()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    theirs, ours, _ = run(["mpirun", "-n", "2", os.path.abspath("m"), *later], inside)
    path = inside + "/shared"
    same(total(ours[path], "mpiio", "mpi"), (2 * 10 * 4000, 2 * 10 * 8192), "asked of MPI")
    # Open MPI reads and writes non-blocking by the C library's requests: strace sees the threads that do it.
    same(total(ours[path], "posix", "async"), theirs[path], "done by MPI")


def test_mpi_blocking():
    mpi()


def test_mpi_later():
    mpi("later")


def where_possible(test):
    def tried():
        try:
            test()
        except Missing as missing:
            print("not here:", missing)

    return tried


run_tests({name: where_possible(test) for name, test in globals().items() if name.startswith("test_")})
