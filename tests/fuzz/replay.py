#!/usr/bin/env python3
"""Replays every entry of the fuzzing corpora with its target: nothing crashes, hangs or leaks.

The corpora are small: every run of the tests replays them.
"""
import os
import subprocess
import sys

from _fuzz import BUILD, TARGETS, corpus, corpus_files, program

ALL_MOST, FILE_MOST = 1500 * 1024, 32 * 1024

failed = []
total = 0
for target in TARGETS:
    files = corpus_files(target)
    sizes = [os.path.getsize(path) for path in files]
    total += sum(sizes)
    if not files:
        failed.append("%s has no corpus" % target)
        continue
    if max(sizes) > FILE_MOST:
        failed.append("%s has an entry of %d bytes, at most %d" % (target, max(sizes), FILE_MOST))
    run = subprocess.run([program(target), "--keep", BUILD, corpus(target)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace", timeout=300)
    sys.stdout.write(run.stdout[-8000:])
    if run.returncode:
        failed.append("%s ends with %d" % (target, run.returncode))
    elif "fuzz_%s: %d executions," % (target, len(files)) not in run.stdout:
        failed.append("%s did not run all of its %d entries" % (target, len(files)))
if total > ALL_MOST:
    failed.append("the corpora have %d bytes, at most %d" % (total, ALL_MOST))
print("%d targets, %d bytes" % (len(TARGETS), total))
for what in failed:
    print("failed: " + what)
sys.exit(bool(failed) or not TARGETS)
