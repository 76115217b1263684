#!/usr/bin/env python3
"""Functions that a program looks up with dlsym: calls through these pointers are recorded or counted, and the program gets the
same answers and errors as without Varve; other libraries that pass calls on by dlsym, and sanitizers, work as before."""
import os
import shutil
import subprocess
import sys

from lib import LOOKUP, VARVE, Trace, build_program, compare, holds, program, run, run_tests, same, told_apart, varve

LOOKUPS = program("lookups")
PYTHON = """
import ctypes, os
for library in (None, "libc.so.6"):
    c = ctypes.CDLL(library, use_errno=True)
    fd = c.open(b"data", os.O_RDWR | os.O_CREAT, 0o600)
    print([c.write(fd, b"hello", 5) for _ in range(10)], c.lseek(fd, 0, 0), c.read(fd, ctypes.create_string_buffer(9), 9), c.close(fd))
    print(c.open(b"no/such", 0), os.strerror(ctypes.get_errno()))
"""


def library(name, source, *options):
    return os.path.abspath(build_program(name, "-shared", "-fPIC", *options, source=source))


def test_calls():
    counts = compare([LOOKUPS, "calls", "data"], status=0).complete()
    same([counts[name] for name in ("open", "write", "pread")], [1, 6, 1])


def test_errors():
    """realpath of GLIBC_2.2.5 is another function: the program gets it, and this is counted."""
    trace = compare([LOOKUPS, "errors"], status=0)
    same(trace.losses(), {LOOKUP: 1})
    holds(varve("info", trace.path).stdout.decode().splitlines()[0], "LOST ... 1 function ... dlsym")
    long = os.path.join(os.getcwd(), "a-name-that-is-longer-than-most" * 6)
    os.symlink(LOOKUPS, long)
    same(compare([long, "errors"], status=0, trace="long.varve").losses(), {LOOKUP: 1})


def test_a_process_that_is_not_recorded():
    """The library is loaded, and does not find functions that do not exist."""
    words = [LOOKUPS, "errors"]
    plain, alone = (run(words, "work", env=dict(os.environ, **more)) for more in
                    ({}, {"LD_PRELOAD": os.environ["VARVE_LIBRARY"], "VARVE_DISABLE": "1"}))
    same((alone.returncode, alone.stdout, alone.stderr), (plain.returncode, plain.stdout, plain.stderr))


def test_functions_of_a_plugin():
    """Its `open` is unrelated to the C library's; functions that it finds behind itself bypass Varve."""
    trace = compare([LOOKUPS, "plugin", library("plugin.so", "own_open.c")], status=0)
    same(trace.losses(), {LOOKUP: 1})
    same("open" in trace.counts(), False)


def test_asynchronous():
    opened = next((path for path in ("/usr/lib/x86_64-linux-gnu/libaio.so.1", "/lib64/libaio.so.1") if os.path.exists(path)), None)
    if not opened:
        print("skipped: libaio is not installed")
        return
    counts = compare([LOOKUPS, "aio", opened, "data"], status=0).complete()
    same([counts[name] for name in ("io_setup", "io_destroy")], [1, 1])


def test_another_namespace():
    trace = compare([LOOKUPS, "namespace"], status=0)
    same(trace.losses(), {LOOKUP: 1})


def test_threads():
    compare([LOOKUPS, "threads"], status=0).complete()


def test_bound_at_the_start():
    same(compare([LOOKUPS, "calls", "data"], status=0, env=dict(os.environ, LD_BIND_NOW="1")).complete()["write"], 6)


def test_python():
    counts = compare([sys.executable, "-c", PYTHON], status=0).counts()
    assert counts["write"] >= 20 and counts["lseek"] >= 2, counts
    calls = [c for c in Trace(os.path.abspath("t.varve")).calls("--function", "write") if c["args"].get("fd_path", "").endswith("/data")]
    same((len(calls), {c["result"] for c in calls}), (20, {5}))


def beside(words):
    """Result of a command: status, output, the file that it wrote."""
    done = run(words, "work")
    with open("work/data", "rb") as file:
        content = file.read()
    os.remove("work/data")
    return done.returncode, done.stdout, done.stderr, content


def test_beside_other_tools():
    """Behind Varve and before it, by RTLD_NEXT and by the C library's handle: it passes on as many calls as without Varve.
    Three of six calls bypass it and go to the C library. If the tool is behind Varve, the recorder would pass these to the
    tool, so they are counted."""
    for how, handle in (("next", "RTLD_NEXT"), ("handle", 'dlopen("libc.so.6", RTLD_NOW)')):
        tool = library(f"tool-{how}.so", "pass_write_on.c", f"-DHANDLE={handle}")
        words = [LOOKUPS, "calls", "data"]
        for place, preload in (("behind", tool), ("before", f"{tool}:{os.environ['VARVE_LIBRARY']}")):
            name = os.path.abspath(f"{how}-{place}.varve")
            plain = beside(["env", f"LD_PRELOAD={tool}", *words])
            traced = beside([VARVE, "record", "-o", name, "--", "env", f"LD_PRELOAD={preload}", *words])
            same((traced[0], traced[1], told_apart(traced[2])[0], traced[3]), plain, name)
            trace = Trace(name)
            mine = [c for c in trace.calls("--function", "write") if c["args"].get("fd_path", "").endswith("/data")]
            same((len(mine), trace.losses()), (3, {LOOKUP: 3}) if place == "behind" else (6, {}), name)
            assert all(c["depth"] == 0 for c in mine), name


def test_sanitizers():
    """Their runtimes look up hundreds of functions before anything else runs: gcc's as libraries, clang's in the program."""
    source = os.path.join(os.environ["VARVE_SOURCE"], "tests/programs/faults/lookups.c")
    for compiler in ("gcc", "clang"):
        for kind in ("address", "undefined", "thread"):
            made = os.path.abspath(f"{compiler}-{kind}")
            built = shutil.which(compiler) and subprocess.run(
                [compiler, "-g", "-w", f"-fsanitize={kind}", "-o", made, source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if not built or built.returncode or run([made, "threads"], "alone").returncode:
                print(f"skipped: {compiler} has no sanitizer {kind} here")
                continue
            trace = compare([made, "threads"], status=0, trace=f"{compiler}-{kind}.varve", env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
            same(trace.losses(), {}, (compiler, kind))


run_tests(globals())
