#!/usr/bin/env python3
"""The share of the decoders that the fuzzing corpora reach, by gcov: lines of each file, and at least nine tenths of all.

label: long
timeout: 1200

Only the corpora are replayed. Lines that no input can reach (no memory, files that cannot be opened) count too.
"""
import collections
import glob
import json
import os
import shutil
import subprocess
import sys

from _fuzz import BUILD, SANITIZE, SOURCE, TARGETS, build_targets, corpus, program, skip

WHERE = os.path.join(BUILD, "fuzz-coverage")
LEAST = 90
# Sources that read untrusted bytes. The first group together must reach LEAST, the others are only shown.
DECODERS = ["codec/inprocess/block.c", "codec/host/column_read.c", "codec/host/decode*.c", "codec/host/index.c", "codec/inprocess/lane_walk.h",
            "codec/inprocess/peephole*.c", "codec/host/tables.c", "loop/class_read.c", "loop/fold_skip.c", "loop/fold_walk.c",
            "loop/track_read.c", "loop/values_read.c", "trace/packed/packed_[!f]*.c"]
READERS = ["trace/*.c", "trace/*/*.c", "loop/skeleton.c", "codec/inprocess/encode*.c", "cli/record/run_settings.c", "sink/run/settings.c"]


def files(patterns):
    found = {pattern: glob.glob(os.path.join(SOURCE, "src", pattern)) for pattern in patterns}
    for pattern, paths in found.items():
        if not paths:
            sys.exit("no file of src/ is %s: has it another name now?" % pattern)
    return sorted({os.path.relpath(path, os.path.join(SOURCE, "src")) for paths in found.values() for path in paths})


def lines_reached(build):
    """For each source the lines of code, and how often each ran in any object."""
    counts = collections.defaultdict(lambda: collections.defaultdict(int))
    notes = glob.glob(os.path.join(build, "**/*.gcda"), recursive=True)
    for at in range(0, len(notes), 50):
        told = subprocess.run(["gcov", "--json-format", "--stdout", *notes[at:at + 50]], cwd=build, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True).stdout
        for text in told.splitlines():
            for source in json.loads(text)["files"]:
                name = os.path.relpath(os.path.join(build, source["file"]), os.path.join(SOURCE, "src"))
                for line in source["lines"]:
                    counts[name][line["line_number"]] += line["count"]
    return counts


def report(counts, names, missing, needed=()):
    all_lines = all_reached = 0
    for name in names:
        lines = counts.get(name)
        if not lines and name in needed:
            sys.exit("gcov tells nothing of %s: was it built into a target?" % name)
        if not lines:
            continue
        reached = sum(1 for count in lines.values() if count)
        all_lines += len(lines)
        all_reached += reached
        print("%-28s %4d of %4d lines, %5.1f %%" % (name, reached, len(lines), 100 * reached / len(lines)))
        if missing:
            print("    not: " + " ".join(str(line) for line, count in sorted(lines.items()) if not count))
    return 100 * all_reached / max(all_lines, 1)


def main():
    if SANITIZE:
        skip("it makes a build of its own; run it in the dev build")
    build = build_targets("dev", WHERE, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS=--coverage")
    for note in glob.glob(os.path.join(build, "**/*.gcda"), recursive=True):
        os.unlink(note)
    for target in TARGETS:
        subprocess.run([program(target, build), "--keep", BUILD, corpus(target)], check=True)
    counts = lines_reached(build)
    missing = "--missing" in sys.argv
    needed = files(DECODERS)
    decoders = report(counts, needed, missing, needed)
    print("decoders: %.1f %%, at least %d %%\n" % (decoders, LEAST))
    print("readers: %.1f %%" % report(counts, [name for name in files(READERS) if name not in needed], missing))
    return decoders < LEAST


if not shutil.which("gcov"):
    skip("no gcov")
sys.exit(main())
