#!/usr/bin/env python3
"""timeout: 900
Programs that call nearly every function of MPI, with valid arguments and with some that fail, behave in the same way with Varve
as without: results, statuses, buffers, handles. The number of called rows is counted.
"""
import os
import re

from _mpi import build, recorded, run, run_tests, same

RANKS = 2
PLAIN_RUNS, ATTEMPTS = 3, 3
LEAST = {"mpiio": 0.95, "mpi": 0.80}
PROGRAMS = {"mpiio": ["say_files.c"], "mpi": ["say_messages.c", "say_objects.c"]}


def full_rows(layer, mpi):
    """Functions of the layer's full tier that this MPI has."""
    names = []
    with open(os.path.join(os.environ["VARVE_SOURCE"], "calls", f"{layer}.calls"), encoding="utf-8") as file:
        for line in file.read().split("\ntier plain")[0].splitlines():
            match = re.match(r"0x\w+ +\S+ +(MPI_\w+) \(", line)
            only = re.search(r" only=(\w+)", line)
            if match and (not only or only[1] == mpi):
                names.append(match[1])
    return names


def said():
    lines = []
    for rank in range(RANKS):
        with open(f"work/said.{rank}", encoding="utf-8") as file:
            lines += file.read().splitlines()
    return lines


def transparent(mpi, source):
    """Names of the functions that were called."""
    program = build(mpi, source)
    before = []
    for attempt in range(ATTEMPTS):
        # Under load Open MPI's ranks sometimes disagree about atomicity and sizes, without Varve: any of its outputs without
        # Varve is accepted.
        for _ in range(PLAIN_RUNS):
            same(run(mpi, RANKS, [program])[1], 0, "status without Varve")
            before.append(said())
        same(len({len(lines) for lines in before}), 1, "lengths of what the program says")
        may_say = [set(lines) for lines in zip(*before)]
        assert sum(len(lines) == 1 for lines in may_say) > 0.9 * len(may_say), "the program says something else each time"
        _, status, ranked = recorded(mpi, RANKS, [program])
        same(status, 0, "status with Varve")
        after = said()
        same(len(after), len(may_say), "lines")
        wrong = [(line, wanted) for line, wanted in zip(after, may_say) if line not in wanted]
        if not wrong:
            break
    assert not wrong, f"with Varve, without: {wrong[:5]}"
    return {call["function"] for calls in ranked.values() for call in calls}


def cover(mpi, layer):
    called = set()
    for source in PROGRAMS[layer]:
        called |= transparent(mpi, source)
    rows = full_rows(layer, mpi)
    missing = [name for name in rows if name not in called]
    share = 1 - len(missing) / len(rows)
    print(f"{mpi} {layer}: {len(rows) - len(missing)} of {len(rows)} rows called ({share:.1%}); not: {' '.join(missing)}")
    assert share >= LEAST[layer], f"{share:.1%} of the rows"


def test_files(mpi):
    cover(mpi, "mpiio")


def test_messages_and_objects(mpi):
    cover(mpi, "mpi")


run_tests(globals())
