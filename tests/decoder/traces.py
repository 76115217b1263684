#!/usr/bin/env python3
# again: long
# timeout: 300
"""Recorded traces of many programs, and the golden ones: the second decoder and `varve` read the same from them."""
import glob
import os
import sys

from _blocks import RECORDS
from _compare import agree
from _recorded import GOLDEN, THREADS, nested, read, record
from _records import CONTINUED, REST, UNFINISHED
from _tables import POINTER

from lib import each_call_program, lots, program, remove_trace, run_tests, same

SOME_THREADS = THREADS.replace("1200", str(lots(300, 1200)))


def test_golden():
    traces = sorted(glob.glob(os.path.join(GOLDEN, "*.varve")))
    assert len(traces) > 5
    for trace in traces:
        # Some were not recorded: they have no description of their processes.
        _, calls = (agree if trace.endswith(("_cut.varve", "guarded.varve")) else read)(trace)
        assert calls


def test_lists():
    _, calls = record(["ls", "-lR", "/etc"])
    assert len(calls) > 100


def test_pointers():
    mine, calls = record([sys.executable, "-c", "import mmap; mmap.mmap(-1, 4096).close()"], "--pointers")
    pointers = {row.name: {field.name for field in row.recorded if field.style == POINTER}
                for row in mine.tables.functions.values()}
    given = [call["args"][name] for call in calls for name in pointers.get(call["function"], ()) if name in call["args"]]
    assert any(given), given


def test_children():
    mine, _ = record(["sh", "-c", "for i in 1 2 3; do cat /etc/passwd | wc; done; cd /; ls -l nothing"])
    assert len({process for process, _ in mine.streams}) > 6


def test_threads_and_small_blocks():
    mine, _ = record([sys.executable, "-c", THREADS], "--buffer", "64K")
    assert max(len(blocks) for blocks in mine.streams.values()) > 3 and len(mine.streams) > 3


def test_sync_and_microseconds():
    mine, calls = record([sys.executable, "-c", SOME_THREADS], "--also", "sync", "--resolution", "1us")
    assert any(call["layer"] == "sync" for call in calls)
    same({block.resolution for block in mine.blocks if block.type == RECORDS}, {1000})


def test_cut_calls():
    mine, calls = record([nested(), "5", "20000"], "--buffer", "64K")
    cut = [r for stream in mine.streams.values() for _, records, _ in stream for r in records if r.marks & CONTINUED]
    assert len(cut) > 20 and any(not r.marks & UNFINISHED for r in cut), len(cut)
    walks = [call for call in calls if call["function"] == "ftw"]
    same([(call["depth"], call["result"]) for call in walks], [(depth, 0) for depth in range(5)])


def test_outputs_of_cut_calls():
    mine, calls = record([program("fts_compare")], "--buffer", "64K")
    opened = next(call for call in calls if call["function"] == "fts_open")
    same((opened["handle"], opened["kind"]), (opened["result"], "dir"))
    assert sum(1 for _, records, _ in mine.streams[1, 1] for r in records if r.marks & CONTINUED) > 3


def test_codec_rows():
    mine, calls = record([nested(), "30", "1"])
    assert 2 in {block.codec for block in mine.blocks}, "no block is of codec rows"
    same(max(call["depth"] for call in calls), 30)


def test_codec_peephole():
    for codec, window in (("binary", 0), ("peephole", 3)):
        for command in ([nested(), "5", str(lots(2000, 4000))], [sys.executable, "-c", SOME_THREADS]):
            mine, _ = record(command, "--codec", codec, "--buffer", "64K")
            blocks = [block for block in mine.blocks if block.type == RECORDS]
            same({(block.codec, block.version) for block in blocks}, {(3, 2)})
            same({block.read_columns()[0, REST][1][0] for block in blocks}, {window})
            remove_trace("t.varve")
    mine, _ = record([sys.executable, "-c", SOME_THREADS], "--codec", "peephole", "--window", "127", "--pointers")
    same({block.read_columns()[0, REST][1][0] for block in mine.blocks if block.type == RECORDS}, {127})


def test_programs():
    each_call_program(lambda program: record([program]), lots(4, 1))


run_tests(globals())
