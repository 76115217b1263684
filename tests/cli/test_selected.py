#!/usr/bin/env python3
"""Selection: one grammar for ranks in options and filters, values that no record of the trace has, `bytes` for `size`, the
numbers of a filtered `info`, records of layer varve in `dump`; and command lines of processes that set their title."""
import csv
import json
import os
import shutil

from lib import dump_json, holds, program, run_tests, same, varve

RANKS = "for i in 0 1 2 3 4 5 6 7 8; do OMPI_COMM_WORLD_RANK=$i cat /etc/hostname; done > out"


def ranks_of(*options, verb="dump"):
    result = varve(verb, *options, "--format", "json", "t.varve")
    same(result.returncode, 0, result.stderr)
    return sorted({json.loads(line)["rank"] for line in result.stdout.decode().splitlines()})


def test_ranks():
    same(varve("record", "-o", "t.varve", "--", "sh", "-c", RANKS).returncode, 0)
    for ranks, wanted in (("0,4-7", [0, 4, 5, 6, 7]), ("0:3", [0, 1, 2, 3]), ("0:8:4", [0, 4, 8]), ("2", [2])):
        same(ranks_of("--rank", ranks), wanted)
        same(ranks_of("--where", f"rank in {ranks}"), wanted)
        same(ranks_of("--rank", ranks, "--where", "rank != 2 or rank == 2"), wanted)
        same(varve("slice", "--rank", ranks, "-o", "part.varve", "--force", "t.varve").returncode, 0)
        part = varve("dump", "-f", "json", "part.varve").stdout.decode().splitlines()
        same(sorted({json.loads(line)["rank"] for line in part}), wanted)
        some = f"some{len(wanted)}.varve"
        same(varve("record", "--ranks", ranks, "-o", some, "--", "sh", "-c", RANKS).returncode, 0)
        calls = varve("dump", "-f", "json", some).stdout.decode().splitlines()
        same(sorted({json.loads(line)["rank"] for line in calls if "rank" in json.loads(line)}), wanted)
        same(varve("info", "--rank", ranks, "t.varve").returncode, 0)
    for wrong in ("3-1", "a", "0:8:0", "1-", "0,,1", ""):
        for words in (["dump", "--rank", wrong, "t.varve"], ["info", "--rank", wrong, "t.varve"],
                      ["slice", "--rank", wrong, "-o", "no.varve", "t.varve"],
                      ["record", "--ranks", wrong, "-o", "no.varve", "--", "true"]):
            if wrong or words[0] != "record":
                same(varve(*words).returncode, 125 if words[0] == "record" else 2, words)
    same(varve("dump", "--rank", "77", "t.varve").returncode, 2)
    same(varve("record", "-o", "serial.varve", "--", "true").returncode, 0)
    for words in (["dump"], ["info"], ["slice", "-o", "no.varve"]):
        result = varve(*words, "--rank", "0:3", "serial.varve")
        same(result.returncode, 2)
        holds(result.stderr, f"varve: {words[0]}: serial.varve has no ranks: it is not of a parallel program".encode())


def test_nothing_has_it():
    same(varve("record", "-o", "t.varve", "--", "cat", "/etc/hostname").returncode, 0)
    for where, said in (("path == /etc/hostnam", b"path `/etc/hostnam`"), ("absolute like '/nowhere/*'", b"absolute `/nowhere/*`"),
                        ("file in hostname,motd", b"file `motd`"),
                        ("path == '*.dat'", b"path `*.dat`; == and in compare literally: for patterns write `like`"), ("region == checkpoint", b"region `checkpoint`"),
                        ("function == rmdir", b"function `rmdir`"), ("layer == hdf5", b"layer `hdf5`"),
                        ("rank in 0,4-7", b"the trace has no ranks: it is not of a parallel program"), ("process == 9", b"given process"),
                        ("program ~ 'python'", b"program `python`"), ("host == elsewhere", b"host `elsewhere`")):
        for verb in (["dump"], ["info"], ["slice", "-o", "part.varve", "--force"]):
            result = varve(*verb, "--where", f"({where}) or failed", "t.varve")
            same(result.returncode, 0, result.stderr)
            holds(result.stderr, b"--where ... " + said)
    for where in ("path == /etc/hostname", "absolute like '/etc/*'", "file == hostname and function == read", "process == 1",
                  "program endswith /cat", "layer in posix"):
        same(varve("dump", "--where", where, "t.varve").stderr, b"", where)


def test_beyond_the_ends():
    """Times that no record has: a note names the first and the last time of the trace."""
    same(varve("record", "-o", "t.varve", "--", "cat", "/etc/hostname").returncode, 0)
    calls = dump_json("t.varve")
    begin, end = calls[0]["start"], max(call["start"] + (call.get("duration") or 0) for call in calls)
    spoken = lambda ns: b"%d.%09ds" % divmod(ns, 10**9)
    for form in ("packed", "folder"):
        same(varve("slice", "--packed" if form == "packed" else "--no-pack", "t.varve", "-o", form).returncode, 0)
        for words, said in ((["--from", "1000s"], b"--from 1000s ... ends at " + spoken(end)),
                            (["--from", "900s", "--to", "1000s"], b"--from 900s ... ends at " + spoken(end)),
                            (["--to", "0s"], b"--to 0s ... begins at " + spoken(begin)),
                            (["--to", "%dns" % begin], b"--to ... begins at " + spoken(begin))):
            for verb in (["dump"], ["dump", "--format", "csv"], ["slice", "-o", "part.varve", "--force"]):
                result = varve(*verb, *words, form)
                same(result.returncode, 0, result.stderr)
                holds(result.stderr, said)
                if verb[0] == "dump":
                    same(len(result.stdout.splitlines()), len(verb) // 2, result.stdout)
        for where in ("time > 1000s", "end >= 1000s", "time < 0s or failed", "time > 900s and time < 1000s"):
            for verb in (["dump"], ["info"], ["slice", "-o", "part.varve", "--force"]):
                result = varve(*verb, "--where", where, form)
                same(result.returncode, 0, result.stderr)
                holds(result.stderr, b"--where ... given " + (b"end" if where.startswith("end") else b"time") + b" ... " +
                      spoken(begin) + b" ... " + spoken(end))
        for words in (["--from", "0s", "--to", "1000s"], ["--from", "%dns" % begin], ["--to", "%dns" % (begin + 1)],
                      ["--where", "time >= 0s and end < 1000s"], ["--where", "time != 1000s"]):
            same(varve("dump", *words, form).stderr, b"", words)


def test_running_at_the_beginning():
    """--from leaves out calls that started earlier: a note has their number and the filter that selects them."""
    same(varve("record", "-o", "t.varve", "--", "sh", "-c", "sleep 0.4; true").returncode, 0)
    calls = dump_json("t.varve")
    wait = max((call for call in calls if call.get("duration")), key=lambda call: call["duration"])
    start, end = wait["start"] + wait["duration"] // 4, wait["start"] + wait["duration"] // 2
    def running(recorder):
        return sum(call["start"] < start < call["start"] + call.get("duration", -1) and
                   (recorder or call["layer"] != "varve") for call in calls)
    assert running(False), calls
    times = ["--from", "%dns" % start, "--to", "%dns" % end]
    for form in ("packed", "folder"):
        same(varve("slice", "--packed" if form == "packed" else "--no-pack", "t.varve", "-o", form).returncode, 0)
        for words, recorder in ((["dump"], False), (["dump", "--recorder"], True), (["dump", "-f", "csv"], True),
                                (["slice", "-o", "part.varve", "--force"], True)):
            result = varve(*words, *times, form)
            same(result.returncode, 0, result.stderr)
            holds(result.stderr, b"%d call" % running(recorder) + b" ... --where 'time < %dns and end > %dns'" % (end, start))
            same(varve(*words, "--quiet", *times, form).stderr, b"")
            same(varve(*words, *times, "--where", "errno == EPROTO", form).stderr.count(b"--from"), 0)
        where = f"time < {end}ns and end > {start}ns"
        assert wait["ordinal"] in [call["ordinal"] for call in dump_json(form, "--where", where)]
        known = varve("dump", *times, "--where", f"function == {wait['function']}", form)
        holds(known.stderr, b"1 call ... replace --from and --to by `time < %dns and end > %dns` in --where" % (end, start))
        begun = "%.9f" % (start / 1e9)
        holds(varve("dump", "--from", begun, form).stderr, f"replace --from by --where 'end > {begun}s'".encode())
        same(varve("dump", "--to", "%dns" % end, form).stderr, b"")
        same(varve("dump", "--from", "0", form).stderr, b"")


def test_pid_as_process():
    """A pid in place of the number of a process: the message has the numbers of all processes with this pid."""
    same(varve("record", "-o", "t.varve", "--", "sh", "-c", "exec sh -c 'exec cat /etc/hostname'").returncode, 0)
    pid = dump_json("t.varve")[0]["pid"]
    for words in (["dump", "--process", str(pid)], ["dump", "--stream", f"{pid}.1"],
                  ["slice", "-o", "part.varve", "--process", str(pid)]):
        result = varve(*words, "t.varve")
        same(result.returncode, 2)
        holds(result.stderr, f"no process {pid}; {pid} is the pid of processes 1, 2, 3; ... --where 'pid == {pid}'".encode())
    same({call["process"] for call in dump_json("t.varve", "--where", f"pid == {pid}")}, {1, 2, 3})
    holds(varve("dump", "--process", "4194999", "t.varve").stderr, b"no process 4194999; `varve info --processes t.varve`")


def test_bytes():
    same(varve("record", "-o", "t.varve", "--", "cat", "/etc/hostname").returncode, 0)
    same(dump_json("t.varve", "--where", "bytes > 0"), dump_json("t.varve", "--where", "size > 0"))
    assert dump_json("t.varve", "--where", "bytes > 0")


def test_numbers_of_a_filtered_info():
    same(varve("record", "-o", "t.varve", "--", "sh", "-c", "cat /etc/hostname; true < /etc/passwd").returncode, 0)
    whole = json.loads(varve("info", "--format", "json", "t.varve").stdout)
    part = json.loads(varve("info", "--format", "json", "--where", "function == read", "t.varve").stdout)
    assert part["records"] < whole["records"], part
    same({row["function"] for row in part["functions"]}, {"read"})
    for name in part["whole_trace"]:
        same(part[name], whole[name], name)
    text = varve("info", "--where", "function == read", "t.varve").stdout.decode()
    holds(text, "whole trace")
    for label in ("paths", "waiting"):
        assert f"\n{label} " not in text, text
    assert " blocks" not in text, text


def test_lines_of_info():
    """Each number once, and labels with the words for what they count."""
    excluded = {"--include": ["--include", "/etc/*"], "--exclude": ["--exclude", "/etc/*"],
                "--include and --exclude": ["--include", "/etc/*", "--exclude", "/etc/h*"]}
    for names, options in excluded.items():
        same(varve("record", "-o", "part.varve", *options, "--", "cat", "/etc/hostname", "/proc/stat").returncode, 0)
        lines = varve("info", "part.varve").stdout.decode().splitlines()
        same([line.split(" by ")[1] for line in lines if line.startswith("excluded ")], [names])
        os.remove("part.varve")
    same(varve("record", "-o", "t.varve", "--", "cat", "/etc/hostname").returncode, 0)
    size = os.path.getsize("t.varve")
    text = varve("info", "t.varve").stdout.decode()
    line = next(line for line in text.splitlines() if line.startswith("size "))
    same(line.count(str(size)), 1, line)
    holds(line, f"{size} bytes, ... per record")
    holds(text, "waiting       ... in all threads, for the recorder to write; the cost of each call is not in it")
    holds("\n" + text, "\ntime: sum of all threads; it contains the time of the calls inside\n")


def test_layer_varve():
    same(varve("record", "-o", "t.varve", "--", "cat", "/etc/hostname").returncode, 0)
    hidden = varve("dump", "t.varve").stdout.decode()
    assert "  varve " not in hidden, hidden
    for words in (["--recorder"], ["--layer", "varve"], ["--function", "lane"], ["--where", "layer == varve"],
                  ["--where", "function == lane"]):
        holds(varve("dump", *words, "t.varve").stdout.decode(), "  varve lane(")
    assert any(call["layer"] == "varve" for call in dump_json("t.varve"))
    assert "  varve " not in varve("dump", "--where", "not failed", "t.varve").stdout.decode()


def test_launchers():
    shutil.copy(os.path.realpath("/bin/sh"), "mpirun")
    script = "./mpirun -c \"cat /etc/hostname; OMPI_COMM_WORLD_RANK=0 sh -c 'cat /etc/passwd; true'; true\"; cat /etc/group"
    same(varve("record", "-o", "t.varve", "--", "sh", "-c", script).returncode, 0)
    reads = "function == read and absolute like '/etc/*'"
    def paths(where):
        return sorted({call["absolute"] for call in dump_json("t.varve", "--where", where)})
    same(paths(reads + " and not runtime"), ["/etc/group", "/etc/passwd"])
    same(paths(reads + " and runtime"), ["/etc/hostname"])
    same(paths(reads + " and runtime and rank == 0"), [])
    counted = json.loads(varve("info", "--format", "json", "--where", "runtime", "t.varve").stdout)
    same(counted["records"], len(dump_json("t.varve", "--where", "runtime")))
    hint = "launcher      included; --where 'not runtime' leaves out its calls"
    holds(varve("info", "t.varve").stdout.decode(), hint)
    assert hint not in varve("info", "--where", "not runtime", "t.varve").stdout.decode()
    same(varve("record", "-o", "serial.varve", "--", "true").returncode, 0)
    assert "launcher" not in varve("info", "serial.varve").stdout.decode()
    # In all formats, `runtime` is the field of filters.
    for where, value in (("runtime", True), ("not runtime", False)):
        same({call.get("runtime", False) for call in dump_json("t.varve", "--where", where)}, {value})
        rows = varve("dump", "--format", "csv", "--where", where, "t.varve").stdout.decode().splitlines()
        same({row["runtime"] for row in csv.DictReader(rows)}, {str(int(value))})
        lines = varve("dump", "--where", where, "t.varve").stdout.decode().splitlines()
        same({line.endswith(" [runtime]") for line in lines}, {value})


def test_titles():
    title = program("sets_title")
    same(varve("record", "-o", "t.varve", "--", title, "a" * 300, "b", "c").returncode, 0)
    info = json.loads(varve("info", "--format", "json", "t.varve").stdout)
    same([process["arguments"] for process in info["processes"]], [[title, "a" * 300, "b", "c"]] * 2 + [["boss:"]])
    text = varve("info", "t.varve").stdout.decode()
    assert '""' not in text, text


if __name__ == "__main__":
    run_tests(globals())
