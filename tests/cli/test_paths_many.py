"""A million different files: the trace is complete, and recording and reading stay small and quick.

Only `info` may need more memory for more files: it counts different paths, with a few bytes for each. The files are in memory,
so that only Varve is measured.
label: long
timeout: 600
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

from lib import VARVE, run_tests, same

MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
PROGRAM = os.path.join(os.environ["VARVE_PROGRAMS"], "paths")
FEW, MANY = 50_000, 1_000_000
GROWTH_MOST = 2.0         # growth of memory, for twenty times the files
INFO_MOST = 64 << 10      # KiB
BYTES_MOST = 10           # bytes of the trace for each record
SECONDS_MOST = 60


class Use:
    """The processor time in seconds and the peak memory in KiB of a command; its output goes to a file."""

    def __init__(self, *words, folder="."):
        with open("output", "wb") as output:
            process = subprocess.Popen([VARVE, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=output)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        same(process.returncode, 0, words)
        self.seconds, self.memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def lines():
    with open("output", "rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


def measured(count):
    """Memory of recording and of each way of reading, by name."""
    trace = f"{count}.varve"
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        used = {"record": Use("record", "--no-pack", "-o", os.path.abspath(trace), "--", PROGRAM, "many", str(count),
                              folder=folder)}
    with open("output") as file:
        same(file.read(), f"files {count} -\n")
    used["info"] = Use("info", "--format", "json", trace)
    with open("output") as file:
        info = json.load(file)
    same((info["losses"], info["damage"]), ([], []))
    counts = {row["function"]: row["calls"] for row in info["functions"]}
    same([counts[name] for name in ("open", "pwrite", "close", "unlink")], [count] * 4)
    size = sum(os.path.getsize(os.path.join(trace, name)) for name in os.listdir(trace))
    assert size < info["records"] * BYTES_MOST, (size, info["records"])
    for form in ("json", "csv", "text"):
        used["dump " + form] = Use("dump", "--format", form, "--function", "unlink", trace)
        same(lines(), count + (form == "csv"))
    used["dump"] = Use("dump", "--recorder", trace)
    same(lines(), info["records"])
    for name, use in used.items():
        print(f"# {count} files, {name}: {use.seconds:.1f} s, {use.memory / 1024:.0f} MiB")
    print(f"# {count} files: {size} bytes, {size / info['records']:.1f} for each of {info['records']} records, "
          f"{info['paths']} paths by `info`")
    return used


def test_a_million():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    few, many = measured(FEW), measured(MANY)
    for name, use in many.items():
        most = INFO_MOST if name == "info" else few[name].memory * GROWTH_MOST + 4096
        assert use.memory < most and use.seconds < SECONDS_MOST, (name, few[name].memory, use.memory, use.seconds)


def test_each_name_is_there_once():
    """Also in the middle of the trace, where names were dropped and defined again."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as here:
        Use("record", "--buffer", "256K", "-o", os.path.abspath("t.varve"), "--", PROGRAM, "many", str(MANY // 10), folder=here)
    Use("dump", "--format", "json", "--function", "pwrite", "t.varve")
    with open("output") as file:
        for at, line in enumerate(file):
            record = json.loads(line)
            number = at * 7919 % 2 ** 32
            same((record["absolute"], record["args"]["offset"]), (f"{here}/d{at % 256:02x}/file-{number:08d}", at))
    same(at + 1, MANY // 10)


if os.environ.get("VARVE_SANITIZE"):
    print("# what a sanitizer keeps grows with what is read")
    sys.exit(77)
run_tests(globals())
