"""A program without and with Varve, in two folders that are compared afterwards.

Whatever happens to the program or to the recorder, the program must print, leave and return the same; the trace must be
readable, and missing records must be counted.
"""
import contextlib
import os
import shutil
import stat
import subprocess

from lib.check import same
from lib.command import run, shell_status, told_apart
from lib.places import VARVE
from lib.traces import Trace


def tree(folder):
    """The content of a folder: names, kinds, contents."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            whole = os.path.join(path, name)
            mode = os.lstat(whole).st_mode
            content = None
            if stat.S_ISREG(mode):
                with open(whole, "rb") as file:
                    content = file.read()
            found[os.path.relpath(whole, folder)] = (stat.S_IFMT(mode), content)
    return found


def compare(words, options=(), trace="t.varve", prepare=None, status=None, **more):
    """Runs `words` without and with Varve; same output, status and effects. Returns the trace.

    `prepare(folder)` fills each folder first; `status` is the expected status of the program.
    """
    results = []
    for folder in ("plain", "traced"):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        if prepare:
            prepare(folder)
        command = list(words)
        if folder == "traced":
            command = [VARVE, "record", "-o", os.path.abspath(trace), *options, "--", *words]
        results.append(run(command, folder, **more))
    plain, traced = results
    stderr, told = told_apart(traced.stderr)
    same((traced.returncode, traced.stdout, stderr), (shell_status(plain.returncode), plain.stdout, plain.stderr))
    if status is not None:
        same(traced.returncode, status)
    same(tree("traced"), tree("plain"))
    return Trace(os.path.abspath(trace), told)


@contextlib.contextmanager
def small_disk(folder, size):
    """A file system of `size` bytes, mounted on `folder`."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=1777", "none", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fill(folder, leave=0):
    """Leaves `leave` bytes of the file system free."""
    path = os.path.join(folder, "filler")
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(0, file.tell() - leave))
