#!/usr/bin/env python3
"""A million inputs for each fuzzing target, with gcc's sanitizers and Varve's driver, and with clang's and libFuzzer.

label: nightly
timeout: 5400
alone: yes

VARVE_FUZZ_RUNS sets another number of inputs, VARVE_FUZZ_SEED another series of them. Inputs that fail are kept in the build
folder, in fuzz-million/; docs/development/fuzz.md describes what to do with one.
"""
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from _fuzz import BUILD, SANITIZE, TARGETS, WORDS, build_targets, corpus, corpus_files, program, skip

RUNS = int(os.environ.get("VARVE_FUZZ_RUNS", "1000000"))
SEED = os.environ.get("VARVE_FUZZ_SEED", "1")
WHERE = os.path.join(BUILD, "fuzz-million")
JOBS, LENGTH_LEAST, SECONDS_MOST, MEMORY_MOST = 2, 1024, "10", "2048"


def length_most(target):
    """No entry of the corpus is truncated: a packed trace without its end would not be one."""
    return str(max(LENGTH_LEAST, *map(os.path.getsize, corpus_files(target))))


def by_driver(target, build):
    return [program(target, build), "--runs", str(RUNS), "--seed", SEED, "--max-len", length_most(target), "--dict", WORDS,
            "--keep", WHERE, corpus(target)]


def by_libfuzzer(target, build):
    # New inputs go to a folder of their own: only people change the corpus.
    found = os.path.join(WHERE, "found-" + target)
    shutil.rmtree(found, ignore_errors=True)
    os.makedirs(found)
    return [program(target, build), "-runs=%d" % RUNS, "-seed=" + SEED, "-max_len=" + length_most(target), "-dict=" + WORDS,
            "-timeout=" + SECONDS_MOST, "-rss_limit_mb=" + MEMORY_MOST, "-print_final_stats=1",
            "-artifact_prefix=%s/crash-fuzz_%s-" % (WHERE, target), found, corpus(target)]


def run(job):
    name, command = job
    log = os.path.join(WHERE, name.replace(" ", "-") + ".log")
    begun = time.monotonic()
    with open(log, "w") as file:
        status = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
    seconds = time.monotonic() - begun
    with open(log, errors="replace") as file:
        text = file.read()
    counted = re.search(r": (\d+) executions|number_of_executed_units: (\d+)", text)
    done = int(next(filter(None, counted.groups()))) if counted else 0
    print("%-18s %8d inputs in %5.0f s, %6.0f a second%s" % (name, done, seconds, done / seconds,
                                                           "" if status == 0 else ": FAILED, see " + log), flush=True)
    if status == 0 and done >= RUNS:
        return True
    print("\n".join("    " + line for line in text.splitlines()[-25:]), flush=True)
    return False


def main():
    if SANITIZE:
        skip("it makes sanitized builds of its own; run it in the dev build")
    if not shutil.which("clang"):
        sys.exit("clang is not there, and with it libFuzzer; install the packages clang and libclang-rt-14-dev")
    os.makedirs(WHERE, exist_ok=True)
    begun = time.monotonic()
    gcc = build_targets("asan", os.path.join(WHERE, "gcc"))
    jobs = [("gcc " + target, by_driver(target, gcc)) for target in TARGETS]
    clang = build_targets("fuzz", os.path.join(WHERE, "clang"))
    jobs += [("clang " + target, by_libfuzzer(target, clang)) for target in TARGETS]
    # Targets with the longest inputs take the longest: they start first, so that both cores are busy until the end.
    jobs.sort(key=lambda job: -int(length_most(job[0].split()[1])))
    with ThreadPoolExecutor(JOBS) as pool:
        good = list(pool.map(run, jobs))
    print("%d of %d series, %.0f s in all" % (sum(good), len(good), time.monotonic() - begun))
    return not all(good)


sys.exit(main())
