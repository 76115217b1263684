#!/usr/bin/env python3
# again: long
"""Many names, used again and again, some of which later mean other files: each opening has its own name and file."""
import os
import subprocess

from lib import VARVE, Trace, lots, program, run, run_tests, same

NAMES = program("names")


def openings(trace, folder):
    """Name and inode of each opening for reading, as recorded and as opened."""
    told = {}
    for call in trace.calls("--function", "open"):
        if call["args"]["flags"] == "O_RDONLY":
            told.setdefault(call["thread"], []).append((call["path"], call["inode"]))
    was = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("truth."):
            with open(os.path.join(folder, name)) as file:
                was.append([(path, int(inode)) for path, inode in map(str.split, file)])
    return sorted(told.values()), sorted(was)


def right(words, buffer):
    for folder in ("t.varve", "work"):
        os.path.exists(folder) and os.rename(folder, f"{folder}.{len(os.listdir('.'))}")
    result = run([VARVE, "record", "--buffer", buffer, "-o", os.path.abspath("t.varve"), "--", NAMES, *map(str, words)], "work")
    same((result.returncode, result.stderr), (0, b""))
    trace = Trace(os.path.abspath("t.varve"))
    trace.complete()
    told, was = openings(trace, "work")
    same([len(one) for one in told], [words[0] * words[1]] * (words[3] if len(words) > 3 else 1))
    for one, other in zip(told, was):
        wrong = [pair for pair in zip(one, other) if pair[0] != pair[1]]
        same(wrong[:3], [], f"{len(wrong)} of {len(one)} wrong")


def test_few_names_over_many_blocks():
    right((40, 200, 0), "64K")


def test_more_names_than_are_kept():
    right((5000, 3, 0), "1M")


def test_names_that_come_to_mean_other_files():
    for buffer in ("64K", "1M"):
        right((300, 20, 7), buffer)


def test_one_name_in_many_folders():
    right((300, 10, "walk"), "64K")


def test_copies_of_copies():
    """What a shell does for each redirection: standard output is duplicated and restored, a copy of a copy each time."""
    script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo $i >file; done"
    with open("output", "wb") as output:
        result = subprocess.run([VARVE, "record", "-o", "t.varve", "--", "bash", "-c", script], stdout=output)
    same(result.returncode, 0)
    calls = [call for call in Trace("t.varve").calls() if call["function"] == "dup2" and call["args"]["fd"] >= 10]
    same(len(calls), 20)
    inode = os.stat("output").st_ino
    same([(call.get("path"), call.get("inode"), call["kind"]) for call in calls],
         [(os.path.abspath("output"), inode, "file")] * 20)


def test_many_threads_with_names_of_their_own():
    right((lots(300, 1500), 4, 11, 4), "128K")


run_tests(globals())
