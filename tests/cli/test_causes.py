#!/usr/bin/env python3
"""Paths that cannot be opened or read as a trace: the message names the errno, or the kind of the file; never another cause."""
import errno
import os
import shutil
import socket
import subprocess

from lib import holds, run_tests, same, varve

NOBODY = 65534
READERS = (["info"], ["dump"], ["pack"], ["pack", "--recover"], ["slice", "-o", "new.varve"])


def as_other(*words):
    """Runs as a user without privileges: root may open everything."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    return varve(*words, **user)


def record(name):
    result = varve("record", "--no-pack", "-o", name, "--", "sh", "-c", "ls / & ls /; wait")
    same((result.returncode, result.stderr), (0, b""))


def refused(name, text, status=4, readers=READERS):
    for words in readers:
        result = as_other(*words, name)
        same((result.returncode, result.stdout), (status, b""), (words, name, result.stderr))
        holds(result.stderr, text.encode())
        same(b"not a Varve trace" in result.stderr, status == 3, (words, name, result.stderr))


def cause(number):
    return os.strerror(number)


def test_no_permission():
    os.chmod(".", 0o755)
    record("folder.varve")
    same(varve("pack", "-o", "packed.varve", "folder.varve").returncode, 0)
    same(varve("pack", "--files", "2", "-o", "spread.varve", "folder.varve").returncode, 0)
    for name in ("packed.varve", "folder.varve/data.0", "spread.varve/packed.0"):
        os.chmod(name, 0)
        refused(name.split("/")[0], f"cannot open {name.replace('/packed.0', '')}: {cause(errno.EACCES)}")
        os.chmod(name, 0o644)
    for mode in (0, 0o644):
        os.chmod("folder.varve", mode)
        refused("folder.varve", cause(errno.EACCES))
    os.chmod("folder.varve", 0o755)
    os.mkdir("closed")
    shutil.copy("packed.varve", "closed/t.varve")
    os.chmod("closed", 0)
    refused("closed/t.varve", f"cannot open closed/t.varve: {cause(errno.EACCES)}")
    os.chmod("closed", 0o755)


def test_no_permission_for_the_index():
    os.chmod(".", 0o755)
    record("t.varve")
    os.chmod(".", 0o777)
    os.chmod("t.varve/index", 0)
    result = as_other("info", "t.varve")
    same(result.returncode, 3, result.stderr)
    holds(result.stdout, f"index ... {cause(errno.EACCES)}".encode())
    result = as_other("pack", "t.varve")
    same(result.returncode, 3, result.stderr)
    holds(result.stderr, f"damaged: index ... {cause(errno.EACCES)}".encode())


def test_no_permission_for_a_program():
    os.chmod(".", 0o755)
    os.mkdir("closed", 0o700)
    shutil.copy("/bin/true", "closed/program")
    os.chmod("closed", 0)
    result = as_other("doctor", "closed/program")
    same(result.returncode, 1, result.stderr)
    holds(result.stdout, f"blocks ... closed/program ... {cause(errno.EACCES)}".encode())
    os.chmod("closed", 0o755)


def test_no_permission_for_a_process():
    """The mode of its map permits everybody to open it, the kernel does not."""
    if os.geteuid():
        print("not root: left out")
        return
    result = as_other("control", str(os.getpid()), "status")
    same((result.returncode, result.stdout), (1, b""))
    holds(result.stderr, f"{os.getpid()} ... {cause(errno.EACCES)}".encode())


def test_paths_that_lead_nowhere():
    os.symlink("loop", "loop")
    os.symlink("nothing", "dangling")
    with open("file", "w") as file:
        file.write("text")
    os.chmod(".", 0o755)
    for name, number in (("loop", errno.ELOOP), ("file/t.varve", errno.ENOTDIR), ("dangling", errno.ENOENT),
                         ("absent/t.varve", errno.ENOENT), ("x" * 300, errno.ENAMETOOLONG)):
        refused(name, f"{name} ... {cause(number)}")


def test_a_file_that_cannot_be_read():
    result = varve("info", "/proc/self/mem")
    same(result.returncode, 4, result.stderr)
    holds(result.stderr, f"/proc/self/mem ... {cause(errno.EIO)}".encode())


def test_what_is_no_file():
    os.chmod(".", 0o755)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, kind in (("pipe", "a pipe"), ("socket", "a socket"), ("/dev/null", "character device")):
            refused(name, f"{name} ... {kind}", 3)
    os.mkdir("t.varve")
    os.mkfifo("t.varve/data.0")
    refused("t.varve", "data.0 ... pipe", 3)


def test_a_pipe_is_not_opened():
    """A process that waits for a reader of the FIFO must not get one that closes it at once."""
    os.mkfifo("pipe")
    with subprocess.Popen(["sh", "-c", "echo text > pipe"]) as writer:
        for _ in range(20):
            same(varve("info", "pipe").returncode, 3)
        same(writer.poll(), None)
        with open("pipe") as reader:
            same(reader.read(), "text\n")


run_tests(globals())
