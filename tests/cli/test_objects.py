"""Libraries that a process loads are recorded, at the start and later, and loading them works as without Varve: the C library
depends on the caller of dlopen."""
import csv
import json
import os
import subprocess

from lib import build_program, dump_json, program, run_tests, same, varve


def build():
    os.makedirs("plugins/inner")
    build_program("plugins/inner/libinner.so", "-shared", "-fPIC", source="inner.c")
    build_program("plugins/libplugin.so", "-shared", "-fPIC", "-Wl,-rpath,$ORIGIN/inner", "-Wl,--enable-new-dtags",
                  source="plugin.c")
    return program("loads_plugin")


def objects(trace, process=1):
    return [call["args"]["path"] for call in dump_json(trace, "--function", "object", "--process", str(process))]


def names(trace, process=1):
    return [os.path.basename(path) for path in objects(trace, process)]


def test_the_caller_decides_where_libraries_are_looked_for():
    loads = build()
    plain = subprocess.run([loads], capture_output=True)
    same(plain.stdout, b"7\n")
    traced = varve("record", "-o", "t.varve", "--", loads)
    same((traced.stdout, traced.stderr, traced.returncode), (b"7\n", b"", 0))
    files = [call["args"]["file"] for call in dump_json("t.varve", "--function", "dlopen")]
    same(files, ["plugins/libplugin.so", "libinner.so"])


def test_no_time_of_dlopen():
    """The recorder passes dlopen on by a jump, so its end is not recorded: no duration is shown, summed or compared."""
    varve("record", "-o", "t.varve", "--", build())
    lines = varve("dump", "--function", "dlopen", "t.varve").stdout.decode().splitlines()
    same([line.split()[1] for line in lines], ["?", "?"])
    same([call["duration"] for call in dump_json("t.varve", "--function", "dlopen")], [None, None])
    rows = csv.DictReader(varve("dump", "-f", "csv", "--function", "dlopen", "t.varve").stdout.decode().splitlines())
    same([row["duration_ns"] for row in rows], ["", ""])
    for form in ("packed", "folder"):
        same(varve("slice", "--packed" if form == "packed" else "--no-pack", "t.varve", "-o", form).returncode, 0)
        for where in ("has duration", "has end", "duration >= 0", "end > 0", "duration < 1h"):
            same(dump_json(form, "--where", f"function == dlopen and {where}"), [], where)
            same(len(dump_json(form, "--where", f"function == dlopen and not ({where})")), 2, where)
        same(len(dump_json(form, "--where", "function == dlopen and time > 0")), 2)
        same([line.split()[-1] for line in varve("info", form).stdout.decode().splitlines() if " dlopen " in line], ["?"])
        info = json.loads(varve("info", "-f", "json", form).stdout)
        same([row["ns"] for row in info["functions"] if row["function"] == "dlopen"], [None])
        rows = csv.DictReader(varve("info", "-f", "csv", form).stdout.decode().splitlines())
        same([row["ns"] for row in rows if row["function"] == "dlopen"], [""])


def test_objects_are_noted_once():
    loads = build()
    varve("record", "-o", "t.varve", "--", loads)
    found = names("t.varve")
    same(len(found), len(set(found)), found)
    assert "libc.so.6" in found and "libvarve-record.so" not in found, found
    same(found[-2:], ["libplugin.so", "libinner.so"])


def test_what_is_unloaded_was_noted_before():
    loads = build()
    varve("record", "-o", "t.varve", "--", loads, "unload")
    same(names("t.varve")[-2:], ["libplugin.so", "libinner.so"])
    calls = [call["function"] for call in dump_json("t.varve")]
    assert calls.index("dlclose") > len(calls) - 1 - calls[::-1].index("object"), calls


def test_a_forked_child_does_not_repeat_them():
    loads = build()
    varve("record", "-o", "t.varve", "--", loads, "unload", "fork")
    same(names("t.varve", 2), [])
    same([call["function"] for call in dump_json("t.varve", "--process", "2", "--layer", "posix")], ["close"])


def test_other_namespaces():
    same(varve("record", "-o", "t.varve", "--", program("new_namespace")).returncode, 0)
    apart = {os.path.basename(call["args"]["path"]) for call in dump_json("t.varve", "--function", "object")
             if call["args"]["namespace"] == 1}
    assert {"libm.so.6", "libc.so.6"} <= apart, apart


run_tests(globals())
