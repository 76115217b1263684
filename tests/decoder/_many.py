"""Thousands of random traces: makes the trace of each seed and compares the results of two readers.

Two processes share the seeds. If the readers disagree, the seed is printed and the trace is kept below the build folder; the
same script with SEED as its argument makes and reads it again.
"""
import multiprocessing
import os
import shutil
import sys
import tempfile
import traceback

from _assemble import write_trace
from _blocks import TABLES, scan

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(os.path.dirname(HERE), "golden", "first.varve")
KEPT = os.path.join(os.environ.get("VARVE_BUILD", tempfile.gettempdir()), "random-traces")
PROCESSES = 2
MOST_SHOWN = 10


def real_tables():
    with open(os.path.join(GOLDEN, "data.0"), "rb") as file:
        blocks, *_ = scan(file.read())
    return next(block.payload() for block in blocks if block.type == TABLES)


def try_seed(folder, seed, real, check):
    """An error text or None; the number of calls; whether the trace was damaged."""
    trace = os.path.join(folder, "random.varve")
    done = write_trace(trace, seed, real)
    try:
        return None, *check(trace)
    except Exception:
        kept = os.path.join(KEPT, f"{seed}.varve")
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(KEPT, exist_ok=True)
        shutil.copytree(trace, kept)
        return f"seed {seed}, {done or 'not damaged'}, kept as {kept}\n{traceback.format_exc()}", 0, False


def scratch():
    return tempfile.TemporaryDirectory(prefix="varve-decoder-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def share(arguments):
    """One process's share of the seeds."""
    seeds, real, check = arguments
    wrong, calls, damaged = [], 0, 0
    with scratch() as folder:
        for seed in seeds:
            complaint, count, hurt = try_seed(folder, seed, real, check)
            calls += count
            damaged += hurt
            if complaint:
                wrong.append(complaint)
    return len(seeds), wrong, calls, damaged


def run_many(first, count, check, also):
    """Reads the traces of `count` seeds from `first` on, and of those in `also`; returns the exit status."""
    real = real_tables()
    seeds = range(first, first + count)
    size = max(1, min(1000, count // (2 * PROCESSES)))
    shares = [(seeds[at:at + size], real, check) for at in range(0, count, size)] + [(also, real, check)]
    traces = calls = damaged = bad = 0
    with multiprocessing.Pool(PROCESSES) as pool:
        for tried, wrong, found, hurt in pool.imap_unordered(share, shares):
            for complaint in wrong[:max(0, MOST_SHOWN - bad)]:
                print(complaint, flush=True)
            traces, calls, damaged, bad = traces + tried, calls + found, damaged + hurt, bad + len(wrong)
    print(f"{traces} traces, {damaged} of them damaged, {calls} calls: {bad} disagreements")
    if not bad and not (calls > traces and traces > damaged > traces // 10):
        print("the traces are not what they should be")
        return 1
    return 1 if bad else 0


def main(count, check, also=()):
    """All seeds and those in `also`, or those on the command line; `check` reads a trace both ways and returns the number of
    its calls and whether it is damaged. A command with sanitizers is slow: it reads fewer."""
    if len(sys.argv) > 1:
        bad = 0
        with scratch() as folder:
            for seed in map(int, sys.argv[1:]):
                complaint = try_seed(folder, seed, real_tables(), check)[0]
                print(complaint or f"seed {seed}: both say the same")
                bad += complaint is not None
        sys.exit(1 if bad else 0)
    first = int(os.environ.get("VARVE_RANDOM_FIRST", "1"))
    count = int(os.environ.get("VARVE_RANDOM_TRACES", min(count, 2000) if os.environ.get("VARVE_SANITIZE") else count))
    sys.exit(run_many(first, count, check, also))
