#!/usr/bin/env python3
"""Programs that are started under unusual conditions: closed standard streams, very few descriptors, little memory or file
size, no working directory, an environment that is nearly too large. They print and do the same with and without Varve."""
import errno
import json
import os
import resource
import shutil
import subprocess

from _probes import LIBRARY, PRELOADED, RECORDED, VARVE, compare, look, program, run_tests, same, varve
from lib import remove_trace

PROBE, EXIT, CHILDREN = program("probe"), program("probe_exit"), program("probe_children")


def limited(*limits):
    def limit():
        for what, soft, hard in limits:
            resource.setrlimit(what, (soft, hard))
    return limit


def test_closed_standard_streams():
    for closed in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)):
        def close():
            for number in closed:
                os.close(number)
        compare([PROBE, "probe", "d"], least=300, preexec_fn=close)
        compare([EXIT, "return"], least=0, preexec_fn=close)


def test_hardly_any_descriptors():
    for most in (4, 5, 6, 8, 12, 20):  # with 3 no library can be opened, neither Varve's nor another
        compare([EXIT, "return"], least=0, preexec_fn=limited((resource.RLIMIT_NOFILE, most, most)), ways=(PRELOADED,))
        if most >= 6:  # `varve record` itself needs some
            compare([EXIT, "return"], least=0, preexec_fn=limited((resource.RLIMIT_NOFILE, most, most)))
            compare([PROBE, "probe", "d"], least=300, preexec_fn=limited((resource.RLIMIT_NOFILE, most, most)))


def test_no_room_for_files():
    for most in (0, 1000):
        compare([EXIT, "return"], least=0, preexec_fn=limited((resource.RLIMIT_FSIZE, most, most)), ways=(PRELOADED,))


def test_little_memory():
    if os.environ.get("VARVE_SANITIZE"):
        print("# a sanitizer's runtime needs terabytes of addresses for itself")
        return
    for mebibytes in (200, 64, 32):
        size = mebibytes << 20
        compare([EXIT, "return"], least=0, preexec_fn=limited((resource.RLIMIT_AS, size, size)))
        compare([PROBE, "probe", "dt"], least=300, preexec_fn=limited((resource.RLIMIT_AS, size, size)))


def test_small_stack():
    # A sanitizer's frames are several times as large.
    size = (512 if os.environ.get("VARVE_SANITIZE") else 64) << 10
    compare([CHILDREN, PROBE], least=10000, preexec_fn=limited((resource.RLIMIT_STACK, size, size)))


def test_no_working_directory():
    def vanish():
        os.mkdir("gone")
        os.chdir("gone")
        os.rmdir("../gone")
    compare([PROBE, "probe"], least=300, preexec_fn=vanish)
    compare([EXIT, "return"], least=0, preexec_fn=vanish)


def test_processes_are_few():
    """A user who may have one process: a program that cannot be started without Varve cannot be started with it either."""
    if os.geteuid() != 0:
        return
    folder = os.path.abspath("bin")
    os.mkdir(folder)
    os.chmod(".", 0o777)
    for name in (PROBE, EXIT, CHILDREN):
        shutil.copy(name, folder)
    library = shutil.copy(LIBRARY, folder)
    exit_probe = os.path.join(folder, "probe_exit")

    def become():
        os.setgroups([])
        os.setgid(54321)
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        os.setuid(54321)

    def run(command, **variables):
        result = subprocess.run(command, env={"PATH": os.environ["PATH"], **variables}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=become, timeout=60)
        return result.returncode, result.stdout, result.stderr

    script = "import os\ntry:\n os.fork()\nexcept OSError as error:\n print(error)\n"
    for command in ([exit_probe, "return"], [exit_probe, "thread exit"], ["python3", "-S", "-c", script]):
        same(run(command, LD_PRELOAD=library, VARVE_TRACE=os.path.abspath("t.varve")), run(command), command)
        remove_trace("t.varve")


def largest(command, most):
    """The largest number of bytes of padding with which this can be executed."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        try:
            subprocess.run(command, env=padded(middle), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            low = middle
        except OSError as error:
            same(error.errno, errno.E2BIG)
            high = middle - 1
    return low


def padded(count):
    """An environment with this number of bytes more than the minimum."""
    variables = {"PATH": os.environ["PATH"]}
    for number in range(0, count, 100000):
        variables[f"P{number:08}"] = "x" * min(100000, count - number)
    return variables


def test_environment_that_is_nearly_too_large():
    """With Varve's variables exec would refuse it: then the program runs untraced, and this is reported."""
    os.environ.pop("VARVE_TRACE", None)
    # Short words: variables that are missing when the program starts leave space for Varve's variables.
    os.symlink(VARVE, "v")
    trace, command = "t", ["./v", "record", "-o", "t", "--", EXIT, "exit"]
    # No trace is made during the search: its name exists already.
    os.mkdir(trace)
    count = largest(command, 4 << 20)
    os.rmdir(trace)
    result = subprocess.run(command, env=padded(count), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    plain = subprocess.run([EXIT, "exit"], env=padded(count), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    same((result.returncode, result.stdout), (11, plain.stdout), result.stderr)
    assert b"environment" in result.stderr, result.stderr


def test_children_with_an_environment_that_is_nearly_too_large():
    """The same for exec, spawn, system and popen of a traced program."""
    script = ("import ctypes, errno, os, subprocess, sys\n"
              "def padded(count):\n"
              "    return {**{b'P%08d' % n: b'x' * min(100000, count - n) for n in range(0, count, 100000)}}\n"
              "def works(count):\n"
              "    try:\n"
              "        return os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(sys.argv[1], [sys.argv[1], 'exit'],\n"
              "            padded(count), file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)]), 0)[1]) == 11\n"
              "    except OSError as error:\n"
              "        assert error.errno == errno.E2BIG, error\n"
              "        return False\n"
              "low, high = 0, 1 << 23\n"
              "while low < high:\n"
              "    middle = (low + high + 1) // 2\n"
              "    low, high = (middle, high) if works(middle) else (low, middle - 1)\n"
              "print('posix_spawn with', low)\n"
              "print(subprocess.run([sys.argv[1], 'exit'], env=padded(low), stdout=subprocess.DEVNULL).returncode)\n"
              "print('too large:', works(low + 1))\n"
              "libc = ctypes.CDLL(None)\n"
              "for name, value in padded(low - 20000).items(): libc.setenv(name, value, 1)\n"
              "print(hex(libc.system(sys.argv[1].encode() + b' exit > /dev/null')))\n")
    words = ["python3", "-S", "-c", script, EXIT]
    environment = {"PATH": os.environ["PATH"]}
    plain = look("plain", words, environment=environment)
    traced = look(RECORDED, words, environment=environment)
    same((traced.status, traced.stdout), (0, plain.stdout), traced.stderr)
    assert b"0xb00" in plain.stdout, plain.stdout
    info = json.loads(varve("info", "--format", "json", f"{RECORDED}.varve").stdout)
    same({(row["path"], row["why"]) for row in info["untraced"]}, {(EXIT, "environment"), ("/bin/sh", "environment")})
    assert b"varve: " in traced.stderr and b"programs" in traced.stderr, traced.stderr


run_tests(globals())
