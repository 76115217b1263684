#!/usr/bin/env python3
# timeout: 600
"""A program made by Go with cgo: its C code and the programs that it starts are recorded, and the missing calls are reported
first."""
import os
import shutil
import subprocess

from _real import need, run_tests, same
from lib import RUNTIME, compare, compiled_source


def test_cgo():
    go = need("go")
    shutil.copy(compiled_source("cgo.go"), "main.go")
    with open("go.mod", "w") as file:
        file.write("module program\ngo 1.19\n")
    environment = dict(os.environ, HOME=os.getcwd(), GOCACHE=os.path.abspath("cache"), CGO_ENABLED="1")
    subprocess.run([go, "build", "-o", "program", "."], check=True, env=environment)
    trace = compare([os.path.abspath("program")], status=4)
    same(trace.losses(), {RUNTIME: 1})
    info = trace.info()
    same([(os.path.basename(process["exe"]), process["began"], process.get("status")) for process in info["processes"][:3]],
         [("program", "start", 4), ("cat", "libc", 0), (os.path.basename(os.path.realpath("/bin/sh")), "libc", 3)])
    names = {os.path.basename(call["path"]) for call in trace.calls("--function", "fopen,open,openat") if call.get("path")}
    same({"c.txt", "go.txt"} <= names, True, names)


run_tests(globals())
