#!/usr/bin/env python3
"""--codec and --window: a program recorded with each codec has the same records, for every process that writes its blocks; and
the counts of `info --codec-stats`."""
import json
import os
import signal
import subprocess

from lib import dump_json, holds, program, remove_trace, run_tests, same, varve

PROGRAM = program("rounds")
CODECS = (["--codec", "columns"], ["--codec", "binary"], ["--codec", "peephole"], ["--codec", "peephole", "--window", "127"])
# Values that differ from run to run; ordinals count records of the recorder too.
OWN = ("start", "end", "duration", "pid", "tid", "ordinal", "inode", "device")


def calls(trace):
    """The program's calls, process by process, without values that differ in each run."""
    found = sorted((call for call in dump_json(trace, "--by-stream") if call["layer"] != "varve"),
                   key=lambda call: (call["process"], call["thread"]))
    for call in found:
        if call["function"] in ("fork", "waitpid", "wait4"):
            call["result"] = call["args"] = None
    return [{key: value for key, value in call.items() if key not in OWN and not key.endswith("_ns")} for call in found]


def stats(trace, *options):
    return json.loads(varve("info", "--codec-stats", "--format", "json", *options, trace).stdout)


def recorded(name, *options, words=()):
    if os.path.exists("file"):
        os.unlink("file")
    result = varve("record", "--no-pack", "-o", name, *options, "--", PROGRAM, *words)
    same((result.returncode, result.stdout, result.stderr), (0, b"", b""), options)
    return name


def test_all_codecs_have_the_same_records():
    for buffer in ("64K", "1M"):
        seen = None
        for at, options in enumerate(CODECS):
            trace = recorded(f"{buffer}-{at}.varve", "--buffer", buffer, *options, words=["3000"])
            found = calls(trace)
            # 3000 writes and reads in two processes, and the calls around them
            assert len(found) > 12000, len(found)
            seen = seen or found
            same(len(found), len(seen), options)
            for mine, first in zip(found, seen):
                same(mine, first, options)
            same({row["codec"] for row in stats(trace)["codecs"]}, {"columns" if at == 0 else "peephole"}, options)
            remove_trace(trace)


def test_sums_and_filters_need_no_decoding():
    counted = []
    for options in (CODECS[0], CODECS[2]):
        trace = recorded("t.varve", *options)
        for where in ("", "function == pwrite", "failed", "function == read and size == 0"):
            filtered = ["--where", where] if where else []
            info = json.loads(varve("info", "--format", "json", *filtered, trace).stdout)
            counted.append({row["function"]: [row[key] for key in ("calls", "failures", "unfinished", "bytes")]
                            for row in info["functions"] if row["layer"] != "varve"})
        remove_trace(trace)
    same(counted[:4], counted[4:])
    same(counted[5], {"pwrite": [1200, 0, 0, 9600]})


def test_a_library_alone_and_the_collector_write_by_the_codec():
    preload = varve("config", "--preload").stdout.decode().strip()
    environment = dict(os.environ, LD_PRELOAD=preload, VARVE_TRACE="alone.varve", VARVE_CODEC="peephole", VARVE_WINDOW="9",
                       VARVE_BUFFER="64K", VARVE_NO_KEEPER="1")
    died = subprocess.run([PROGRAM, "3000", "die"], env=environment)
    same(died.returncode, -signal.SIGKILL)
    # Readers use codec columns for lanes of dead processes; the process that makes them permanent uses the codec of the run.
    before = calls("alone.varve")
    for _ in range(100):
        if varve("pack", "--recover", "alone.varve").returncode == 0:
            break
    found = stats("alone.varve")
    same([row["codec"] for row in found["codecs"]], ["peephole"])
    same((found["stored"]["window"], found["stored"]["window_most"]), (9, 9))
    after = calls("alone.varve")
    same([call for call in after if call["process"] == 1], [call for call in before if call["process"] == 1])
    assert len(after) > 12000, len(after)


def test_stats():
    trace = recorded("t.varve", "--codec", "peephole", "--only", "pwrite,read")
    found = stats(trace)["stored"]
    # The first write and the first read of each process have no similar record before them; the recorder's own records are few.
    assert 2396 <= found["compressed"] <= found["records"] <= 2450, found
    assert found["differing"][0] >= 1198 and found["differing"][1] >= 1198, found
    same(sum(found["differing"]), found["compressed"])
    stored = sum(count * number for number, count in enumerate(found["differing"]))
    same(found["saved"], found["compressed_arguments"] - stored)
    same(stats(trace)["would_be"], None)
    # Encoded again with the same window, the bytes are the same; with window 0 nothing is compressed.
    same(stats(trace, "--window", "3")["would_be"], found)
    plain = stats(trace, "--window", "0")["would_be"]
    same((plain["compressed"], plain["saved"], plain["peephole_bytes"]), (0, 0, found["binary_bytes"]))
    row = stats(trace)["codecs"][0]
    size = found["peephole_bytes"] + found["rest_bytes"] + row["header_bytes"] + row["definition_bytes"]
    # The difference is the byte before each column, ordinals, and padding.
    assert size <= row["bytes"] <= size + 32 * row["blocks"], (size, row)
    text = varve("info", "--codec-stats", trace).stdout
    holds(text, b"peephole ... stored ... 3")
    for value in (found["records"], found["compressed"], found["saved"], found["rest_bytes"]):
        holds(text, b" %d" % value)
    assert b"would be" not in text, text


def test_stats_of_another_codec_say_so():
    trace = recorded("t.varve", "--only", "pwrite,read")
    found = stats(trace)
    same([row["codec"] for row in found["codecs"]], ["columns"])
    same((found["stored"], found["would_be"]["window"]), (None, 3))
    assert found["would_be"]["compressed"] >= 2396, found
    holds(varve("info", "--codec-stats", trace).stdout, b"peephole ... would be ... 3")
    holds(varve("info", "--codec-stats", "--window", "12", trace).stdout, b"peephole ... window ... 12")


def test_the_same_number_of_records():
    """A call that a block boundary cuts is one record for each command."""
    result = varve("record", "--no-pack", "--buffer", "64K", "-o", "t.varve", "--", program("long_calls"))
    same(result.returncode, 0)
    count = lambda name: json.loads(varve("info", "--format", "json", name).stdout)["records"]
    records = count("t.varve")
    same(len(dump_json("t.varve")), records)
    # Codec peephole counts encoded records: calls were cut.
    assert stats("t.varve")["would_be"]["records"] > records
    packed = varve("pack", "--format", "json", "-o", "p.varve", "t.varve")
    same(json.loads(packed.stdout)["records"], records)
    same(json.loads(varve("pack", "--verify", "--format", "json", "p.varve").stdout)["records"], records)
    holds(varve("pack", "--verify", "p.varve").stderr, b"sound: %d records" % records)
    for name in ("t.varve", "p.varve"):
        same((count(name), [row["records"] for row in stats(name)["codecs"]]), (records, [records]), name)
    sliced = varve("slice", "--format", "json", "p.varve", "-o", "s.varve")
    same(json.loads(sliced.stdout)["records"], records)


def test_stats_refuse():
    trace = recorded("t.varve")
    for options, said in ((["--codec-stats", "--window", "128"], b"--window ... 0 ... 127 ... '128'"),
                          (["--codec-stats", "--format", "csv"], b"--codec-stats ... --format csv"),
                          (["--codec-stats", "--where", "failed"], b"--codec-stats ... --where"),
                          (["--window", "3"], b"--window ... --codec-stats")):
        result = varve("info", *options, trace)
        same((result.returncode, result.stdout), (2, b""), options)
        holds(result.stderr, said)


run_tests(globals())
