#!/usr/bin/env python3
"""Bytes read and written by file: characters and lines of streams, the end of a file, calls on two files, offsets behind
pointers. The program transfers known numbers of bytes."""
import json
import os

from lib import holds, program, run_tests, same, varve


def record():
    result = varve("record", "--no-pack", "-o", "t.varve", "--", program("moved"))
    same((result.returncode, result.stderr), (0, b""))
    same(varve("pack", "--quiet", "-o", "p.varve", "t.varve").returncode, 0)


def files(trace):
    about = json.loads(varve("info", "--files", "--format", "json", trace).stdout)
    return {(row["layer"], os.path.basename(row["file"])): (row["bytes_read"], row["bytes_written"]) for row in about["files"]}


def calls(*options):
    return [json.loads(line) for line in varve("dump", "--format", "json", *options, "t.varve").stdout.splitlines()]


def sizes(where):
    return sum(call.get("size", 0) for call in calls("--where", where))


def test_streams_and_copies():
    record()
    for trace in ("t.varve", "p.varve"):
        found = files(trace)
        # getline reads the character that ungetc put back a second time.
        same(found["stdio", "text"], (14001, 7000), trace)
        same(found["posix", "text"], (3000 + 500 + 1000 + 700, 0), trace)
        same(found["posix", "copied"], (10, 3000 + 500 + 1000 + 700 + 10), trace)
        same(found["stdio", "wide"], (0, 0), trace)


def test_several_messages_of_one_call():
    same(varve("record", "-o", "several.varve", "--", program("two_messages")).returncode, 0)
    same(files("several.varve")["socket", "socket:unix:dgram"], (400, 400))


def test_streams_on_other_descriptors():
    """The bytes of a stream belong to the file that its descriptor has at that moment."""
    script = f'exec > first; {program("redirected")}; echo four > fourth; printf five >> fourth; echo six'
    result = varve("record", "-o", "r.varve", "--", "bash", "-c", script)
    same((result.returncode, result.stderr), (0, b""))
    found = {name: moved[1] for (layer, name), moved in files("r.varve").items() if layer == "stdio"}
    same({name: found.get(name) for name in ("first", "second", "third", "fourth")},
         {"first": 4 + 4, "second": 40, "third": 6, "fourth": 5 + 4})


def test_functions_agree():
    """info's table of functions, the filter and dump count the same bytes with one rule."""
    record()
    about = json.loads(varve("info", "--format", "json", "t.varve").stdout)
    by_name = {row["function"]: row["bytes"] for row in about["functions"]}
    wanted = {"fputs": 3500, "putc": 2000, "fprintf": 1000, "fwrite": 10, "fputc": 490, "fgets": 7000, "getc": 1000, "fgetc": 1000,
              "sendfile": 1000, "copy_file_range": 3510, "splice": 1400}
    same({name: by_name.get(name) for name in wanted}, wanted)
    same({name: sizes(f"function == {name}") for name in wanted}, wanted)
    same(sizes("function in fputwc,fputws"), 0)
    same(calls("--where", "function in fputwc,fputws and has size"), [])


def test_the_end_is_no_failure():
    record()
    for name in ("fgets", "getdelim", "getline"):
        same(calls("--where", f"function == {name} and failed"), [], name)
    last = calls("--where", "function == fgets")[-1]
    same((last["result"], last["size"], last["args"]["length"]), (0, 0, 0))


def test_offsets_behind_pointers():
    """The position at which the call began; without a pointer there is none."""
    record()
    same([(call["args"]["offset"], call["args"]["newoffset"], call.get("offset")) for call in calls("--where", "function == copy_file_range")],
         [(None, None, None), (50, 4000, 50), (0, 5000, 0)])
    same([call["function"] for call in calls("--where", "offset == 100")], ["sendfile"])
    holds(varve("dump", "--where", "function == copy_file_range", "t.varve").stdout, b"offset=NULL")


def test_filters_hold_for_either_file():
    record()
    both = "function in copy_file_range,sendfile"
    same([len(calls("--where", f"{both} and file == {name}")) for name in ("text", "copied", "moved")], [3, 4, 0])
    same(sizes(f"{both} and (file == text or file == copied)"), 4510)
    same([call["function"] for call in calls("--where", "path == moved")], ["rename", "link"])
    same([call["function"] for call in calls("--where", "path == linked")], ["link"])
    same([call["function"] for call in calls("--where", "path like \"pipe:*\" and has size")], ["splice", "splice"])
    renamed, = calls("--where", "function == rename")
    same((renamed["path"], renamed["second"]["path"]), ("copied", "moved"))


run_tests(globals())
