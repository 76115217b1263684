"""What the fault tests share: a program run with and without Varve, in two folders that are compared afterwards.

Whatever is done to the program or to the recorder, the program must print, leave behind and return the same; the trace
must be readable, and what is missing in it must be counted. Lines that `varve` itself prints begin with "varve: ".
"""
import contextlib
import json
import os
import resource
import shutil
import stat
import subprocess

from cli._harness import VARVE, holds, run_tests, same, varve  # noqa: F401

PROGRAMS = os.environ.get("VARVE_PROGRAMS", "programs")
LIBRARY = os.environ.get("VARVE_LIBRARY", "libvarve-record.so")

# Places of src/codec/loss.def.
(SPACE, LIMIT, NO_LANE, DEEP, HANDLER, START, NO_REAL, UNTRACED, NAME, CLOCK, TORN, UNTRACKED,
 CLOCKLESS, RUNTIME, LOOKUP, SHARED, DISK_FULL, FILE_LIMIT, DENIED, GONE, DESCRIPTORS, IO, RING_FILE,
 REQUESTS) = range(24)
# Why records that were made are not in the trace; the size limit stands apart.
DROPPED = {SPACE, DISK_FULL, FILE_LIMIT, DENIED, GONE, DESCRIPTORS, IO}


def dropped(losses):
    return sum(losses.get(reason, 0) for reason in DROPPED)


def program(name):
    return os.path.join(PROGRAMS, name)


class Trace:
    """A recorded trace, read through `varve info` and `varve dump`."""

    def __init__(self, path, told=b""):
        self.path = path
        self.told = told  # what `varve record` said on stderr

    def info(self, status=0):
        result = varve("info", "--format", "json", self.path)
        same(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def calls(self, *options, status=0):
        result = varve("dump", "--format", "json", *options, self.path)
        same(result.returncode, status, result.stderr)
        return [json.loads(line) for line in result.stdout.decode().splitlines()]

    def losses(self):
        return {row["reason"]: row["count"] for row in self.info()["losses"]}

    def no_lane(self):
        """Why there was no room for a lane, as `info` says in its first lines and the message in the end."""
        start = "calls not recorded: no room for a lane: "
        stated = [row["text"] for row in self.info()["losses"] if row["reason"] == NO_LANE]
        same(len(stated), 1, stated)
        assert stated[0].startswith(start), stated
        holds(varve("info", self.path).stdout, stated[0].encode())
        return stated[0][len(start):]

    def counts(self):
        """Calls by function, as `info` counts them; checks that `dump` finds as many and that nothing is damaged."""
        info = self.info()
        same(info["damage"], [])
        calls = {}
        for row in info["functions"]:
            calls[row["function"]] = calls.get(row["function"], 0) + row["calls"]
        dumped = {}
        result = varve("dump", "--format", "json", self.path)
        # What had no room in the trace is no loss as long as it is in its lane.
        said = [line for line in result.stderr.splitlines() if not line.startswith(b"varve: still in lanes: ")]
        same((result.returncode, said == []), (0, not info["losses"]), result.stderr)
        for line in result.stdout.decode().splitlines():
            name = json.loads(line)["function"]
            dumped[name] = dumped.get(name, 0) + 1
        same(dumped, calls)
        return calls

    def complete(self):
        """Counts of a trace in which nothing is missing."""
        same((self.losses(), self.told), ({}, b""))
        return self.counts()


def tree(folder):
    """What is in a folder: names, kinds, contents."""
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


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words, folder, **options):
    """One run of a command in a folder of its own."""
    os.makedirs(folder, exist_ok=True)
    options.setdefault("timeout", 100)
    options.setdefault("preexec_fn", no_core)
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    return subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def told_apart(stderr):
    """What the program wrote to stderr, and what varve did."""
    lines = stderr.splitlines(keepends=True)
    own = [line for line in lines if line.startswith(b"varve: ")]
    return b"".join(line for line in lines if line not in own), b"".join(own)


def shell_status(code):
    return code if code >= 0 else 128 - code


def compare(words, options=(), trace="t.varve", prepare=None, status=None, **more):
    """Runs `words` without and with Varve; same output, status and effects. Returns the trace.

    `prepare(folder)` fills each folder first; `status` is what the program must return.
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
    """A file system of `size` bytes on `folder`."""
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


def skip_unless_root():
    if os.geteuid() != 0:
        print("skipped: needs to mount file systems")
        raise SystemExit(77)
