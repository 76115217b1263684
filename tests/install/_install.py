"""Shared by the tests of an installed Varve: installing a build and moving it, an environment without the build folder, the
program of docs/howto/read-a-trace.md, and comparing its output with `varve dump`."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

from lib import BUILD, SANITIZE, SOURCE, run_tests, same  # noqa: F401

EXAMPLE = os.path.join(SOURCE, "examples", "checkpoint.c")
COMPLETIONS = ("share/bash-completion/completions/varve", "share/zsh/site-functions/_varve",
               "share/fish/vendor_completions.d/varve.fish")
STRICT = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror"]

if SANITIZE:
    print("a build with a sanitizer is not what people install")
    sys.exit(77)


def version():
    with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"^project\(varve VERSION ([\d.]+)", file.read(), flags=re.M)[1]


def output(*command, **options):
    """The output of a command, in an environment with only PATH. It must succeed without messages."""
    environment = {"PATH": "/usr/bin:/bin", **options.pop("environment", {})}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="surrogateescape", timeout=300, **options)
    same((done.returncode, done.stderr), (0, ""), " ".join(command) + "\n" + done.stdout[-2000:])
    return done.stdout


def installed(build=BUILD, folder="elsewhere"):
    """The build, installed into an empty folder and moved; returns its present folder."""
    subprocess.run(["cmake", "--install", build, "--prefix", os.path.abspath("first"), "--strip"], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.move("first", folder)
    return os.path.abspath(folder)


def command(prefix):
    """The command; its name has a suffix in a build by clang."""
    folder = os.path.join(prefix, "bin")
    return os.path.join(folder, next(name for name in os.listdir(folder) if name.startswith("varve")))


def names_in(folder, *words):
    """Files below a folder that hold one of the words. Debug information is taken out of the archive first."""
    found = []
    for place, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(place, name)
            if os.path.islink(path):
                continue
            if name.endswith(".a"):
                subprocess.run(["strip", "--strip-debug", path], check=True)
            with open(path, "rb") as file:
                content = file.read()
            found += [(os.path.relpath(path, folder), word) for word in words if word.encode() in content]
    return found


def program_of(page):
    """The one C program on a page."""
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        blocks = re.findall(r"^```c\n(.*?)^```", file.read(), flags=re.S | re.M)
    same(len(blocks), 1, "programs on " + page)
    return blocks[0]


def write_example(path="read-trace.c"):
    """The program of docs/howto/read-a-trace.md, unchanged."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(program_of("docs/howto/read-a-trace.md"))
    return path


def sample_trace(varve):
    """A trace of threads, a child, failures, streams and files."""
    subprocess.run(["cc", "-O1", "-pthread", "-o", "checkpoint", EXAMPLE], check=True)
    output(varve, "record", "--no-pack", "-o", "sample.varve", "--", "./checkpoint", "folder")
    return "sample.varve"


CALL = re.compile(r"^call (\d+) (\d+)\.(\d+) (\w+)\((.*?)\) (?:= (-?\d+) after (\d+) ns|failed (\d+)|(unfinished))$",
                  flags=re.M | re.S)


def as_printed(record):
    """The expected output of the program for a record of `varve dump`: everything but the arguments."""
    fine = not record.get("unfinished") and not record.get("failed")
    return (record["start"], record["process"], record["thread"], record["function"],
            record.get("result", 0) if fine else None, record["duration"] if fine else None, record.get("errno"))


def arguments_missing(record, printed):
    """Arguments of a record of `varve dump` that the program did not print: numbers, paths, descriptors with their files."""
    missing = []
    for name, value in record["args"].items():
        file = record["args"].get(name + "_path")
        if name.endswith("_path") or name.endswith("_absolute"):
            continue
        if name == "path":
            wanted = "path=%s" % value
        elif name == "fd" and file:
            wanted = "fd=%d %s" % (value, file)
        elif isinstance(value, int) and file is None:
            wanted = "%s=%d" % (name, value)
        else:
            continue
        if wanted not in printed:
            missing.append(wanted)
    return missing


def agree(program, varve, trace, where=None, **options):
    """The program of the page prints the same facts as the command for the same trace."""
    printed = output(program, trace, *([where] if where else []), **options)
    asked = ["--where", where] if where else []
    records = [json.loads(line) for line in output(varve, "dump", "--format", "json", *asked, trace).splitlines()]
    assert len(records) > 3, printed
    calls = list(CALL.finditer(printed))
    same([(int(m[1]), int(m[2]), int(m[3]), m[4], *(int(part) if part else None for part in m.group(6, 7, 8)))
          for m in calls], [as_printed(record) for record in records])
    same([missing for record, m in zip(records, calls) for missing in arguments_missing(record, m[5])], [], printed)
    moved, made = collections.Counter(), collections.Counter()
    for record in records:
        made[record["function"]] += 1
        if record.get("size") and "absolute" in record:
            moved[record["absolute"]] += record["size"]
    files = {m[1]: int(m[2]) for m in re.finditer(r"^file (.*): (\d+) bytes$", printed, flags=re.M)}
    same(files, dict(moved))
    functions = {m[1]: int(m[2]) for m in re.finditer(r"^function (\w+): (\d+) calls", printed, flags=re.M)}
    same(functions, dict(made))
    return printed
