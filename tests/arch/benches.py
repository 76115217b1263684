#!/usr/bin/env python3
"""The programs of bench/: each is named in CONTRIBUTING.md and ARCHITECTURE.md, and leaves no files when a signal ends it."""
import os
import signal
import subprocess
import sys
import tempfile
import time

SOURCE, BUILD = os.environ["VARVE_SOURCE"], os.environ["VARVE_BUILD"]
BENCH = os.path.join(SOURCE, "bench")
# How to pass the build; --folder is common to all.
BUILDS = {"run": ("--varve", os.path.join(BUILD, "bin", "varve")), "parallel": ("--varve", os.path.join(BUILD, "bin", "varve"))}


def programs():
    return sorted(name for name in os.listdir(BENCH) if os.access(os.path.join(BENCH, name), os.X_OK))


def named(name):
    wrong = []
    for document in "CONTRIBUTING.md", "ARCHITECTURE.md":
        with open(os.path.join(SOURCE, document), encoding="utf-8") as file:
            if f"bench/{name}`" not in file.read():
                wrong.append(f"{document} does not name bench/{name}")
    return wrong


def ends_tidily(name):
    with tempfile.TemporaryDirectory(prefix="varve-benches-") as folder:
        command = [os.path.join(BENCH, name), "--folder", folder, *BUILDS.get(name, ("--build", BUILD))]
        bench = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 30
        while not os.listdir(folder) and bench.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if bench.poll() is not None:
            return []  # something that it needs is not installed
        bench.send_signal(signal.SIGTERM)
        status = bench.wait(30)
        left = os.listdir(folder)
    # It may have ended already, for example because something that it needs is not installed.
    return [f"bench/{name} leaves {left}, status {status}"] if left or status < 0 else []


complaints = [wrong for name in programs() for wrong in named(name) + ends_tidily(name)]
print(*complaints, f"{len(programs())} programs looked at", sep="\n")
sys.exit(1 if complaints or len(programs()) < 6 else 0)
