#!/usr/bin/env python3
"""A million random sequences and sequences that fold badly: symbols to loops, values to series, lanes of records to blocks of
every codec; some thousands of tracks and of whole traces, which take longer. They must be equal after both steps.

label: long
timeout: 3600

The unit tests that ./check runs for seconds, with other numbers.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

UNITS = os.path.join(os.environ["VARVE_BUILD"], "unit")
# Sequences of each kind (test_fold has two kinds and test_series four): a million in all. VARVE_SEQUENCES times as many, if
# given.
TIMES = int(os.environ.get("VARVE_SEQUENCES", "1"))
RUNS = [("test_fold", "VARVE_LOOP_RUNS", 150000, ["random_words", "random_programs", "adversarial_words"]),
        ("test_series", "VARVE_LOOP_RUNS", 100000, []),
        ("test_encode", "VARVE_LOOP_RUNS", 300000, ["small_lanes_of_all_flavours"]),
        ("test_track", "VARVE_LOOP_RUNS", 2000, ["events_by_chance"]),
        ("test_pack", "VARVE_PACK_TRACES", 2000, ["lanes_by_chance"])]


def run(job):
    test, variable, count, cases = job
    count *= TIMES
    result = subprocess.run([os.path.join(UNITS, test), *cases], env={**os.environ, variable: str(count)}, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    passed = [line for line in result.stdout.splitlines() if line.startswith("ok ")]
    print(f"{test}, {count} of each: {', '.join(line[3:] for line in passed)}", flush=True)
    if result.returncode or not passed:
        print(result.stdout)
    return result.returncode == 0 and len(passed) >= len(cases)


if os.environ.get("VARVE_SANITIZE"):
    print("the same numbers without sanitizers; with them the unit tests themselves")
    sys.exit(77)
with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(run, RUNS))
sys.exit(0 if all(results) else 1)
