#!/usr/bin/env python3
"""What is recorded and what is not: rows, layers, files by patterns, ranks. Names are correct also when calls are excluded."""
import json
import os
import re
import subprocess

from lib import dump_json, program, run_tests, same, varve

ENVIRONMENT = dict({k: v for k, v in os.environ.items() if k == "VARVE_SANITIZE" or not k.startswith("VARVE_")},
                   VARVE_SETTINGS="none")


def record(*options, trace="t.varve", **variables):
    for name in ("kept", "left", "kept2"):
        if os.path.exists(name):
            os.unlink(name)
    result = varve("record", "-o", trace, *options, "--", program("kept_and_left"), env=dict(ENVIRONMENT, **variables))
    same((result.returncode, result.stderr), (0, b""))
    info = json.loads(varve("info", "-f", "json", trace).stdout)
    same((info["losses"], info["damage"]), ([], []))
    return [call for call in dump_json(trace) if call["layer"] != "varve"], info


def counts(calls):
    made = {}
    for call in calls:
        made[call["function"]] = made.get(call["function"], 0) + 1
    return made


def test_only_and_skip():
    everything, _ = record(trace="all.varve")
    some, _ = record("--only", "p*write,close", trace="some.varve")
    same(counts(some), {k: v for k, v in counts(everything).items() if k in ("pwrite", "close")})
    less, _ = record("--skip", "*stat*,stdio", trace="less.varve")
    layers = {call["function"]: call["layer"] for call in everything}
    same(counts(less), {k: v for k, v in counts(everything).items() if "stat" not in k and layers[k] != "stdio"})


def test_names_without_the_calls_that_give_them():
    record(trace="all.varve")
    record("--only", "pwrite,fputs,readdir,closedir,mmap", trace="some.varve")
    wanted = [line.split("  ", 3)[-1] for line in plain_dump("all.varve", "pwrite,fputs,closedir,mmap")]
    same([line.split("  ", 3)[-1] for line in plain_dump("some.varve", "pwrite,fputs,closedir,mmap")], wanted)
    assert any("kept" in line for line in wanted), wanted


def plain_dump(trace, functions):
    """Lines without times, ids and numbers of handles."""
    result = varve("dump", "--function", functions, trace)
    same(result.returncode, 0, result.stderr)
    lines = []
    for line in result.stdout.decode().splitlines():
        line = re.sub(r"^ *-?[\d.]+ +(\?|[\d.]+[a-z]+)  \d+/\d+  ", "", line)
        lines.append(re.sub(r"#\d+", "#", line))
    return lines


def test_layers():
    calls, _ = record("--layer", "stdio,process", trace="a.varve")
    same({call["layer"] for call in calls}, {"stdio", "process"})
    calls, _ = record("--layer", "stdio", "--only", "mkdir", "--also", "rmdir", trace="b.varve")
    same(({c["function"] for c in calls if c["layer"] == "posix"}, "fopen" in counts(calls)), ({"mkdir", "rmdir"}, True))


def test_children_are_followed_when_process_rows_are_off():
    calls, info = record("--only", "access")
    same(counts(calls), {"access": 1})
    same(len(info["processes"]), 2)


def test_exclude():
    everything, _ = record(trace="all.varve")
    calls, info = record("--exclude", "*/left*")
    left = [call for call in calls if "left" in json.dumps(call)]
    # A call is recorded if one of its files is: the last rename concerns a file that is recorded.
    same([call["function"] for call in left], ["rename"])
    kept = counts([call for call in everything if "left" not in json.dumps(call)])
    kept["rename"] = 1
    same(counts(calls), kept)
    same(info["left_out"]["calls_on_files"], len(everything) - len(calls))
    assert info["left_out"]["calls_on_files"] > 15, info["left_out"]


def test_include():
    calls, info = record("--include", os.getcwd() + "/kept", "--include", "*.d")
    named = [call for call in calls if "left" in json.dumps(call) and "left.d" not in json.dumps(call)]
    same(named, [])
    functions = counts(calls)
    same((functions["pwrite"], functions["mkdir"], functions["fork"]), (5, 2, 1))
    assert info["left_out"]["calls_on_files"] > 0


def test_exclude_wins_and_folders_include_what_is_in_them():
    os.makedirs("data/deep")
    for name in ("data/a", "data/deep/b", "data/deep/c.tmp", "other"):
        open(name, "w").close()
    script = "cat data/a data/deep/b data/./deep//../deep/c.tmp other"
    for options, wanted in ((("--include", os.getcwd() + "/data"), {"a", "b", "c.tmp"}),
                            (("--include", "data", "--exclude", "*.tmp"), {"a", "b"}),
                            (("--include", "data/*", "--exclude", "deep"), {"a"}),
                            (("--exclude", os.getcwd() + "/data/deep"), {"a", "other"}),
                            (("--exclude", "[ab]"), {"c.tmp", "other"}),
                            (("--exclude", "?", "--exclude", "oth??"), {"c.tmp"})):
        result = varve("record", "-o", "t.varve", *options, "--", *script.split(), env=ENVIRONMENT)
        same(result.returncode, 0, result.stderr)
        opened = {os.path.basename(c["path"]) for c in dump_json("t.varve", "--function", "open,openat") if "path" in c}
        same(opened & {"a", "b", "c.tmp", "other"}, wanted, options)
        subprocess.run(["rm", "-r", "t.varve"], check=True)


def test_same_names_as_patterns_by_variable():
    open("a:b", "w").close()
    open("c", "w").close()
    varve("record", "-o", "t.varve", "--", "cat", "c", env=dict(ENVIRONMENT, VARVE_EXCLUDE="*/c:*/d"))
    same([c for c in dump_json("t.varve") if c.get("path") == "c"], [])
    varve("record", "-o", "u.varve", "--exclude", "a:b", "--", "cat", "a:b", "c", env=ENVIRONMENT)
    same([c["path"] for c in dump_json("u.varve", "--function", "open,openat") if c.get("path") in ("a:b", "c")], ["c"])


def test_ranks():
    script = "for r in 0 1 2 3; do PMI_RANK=$r cat /dev/null; done; cat /dev/null"
    result = varve("record", "-o", "t.varve", "--ranks", "0,2:3", "--", "sh", "-c", script, env=ENVIRONMENT)
    same((result.returncode, result.stderr), (0, b""))
    info = json.loads(varve("info", "-f", "json", "t.varve").stdout)
    ranks = [p["rank"] for p in info["processes"] if p["exe"].endswith("/cat")]
    same((ranks, info["left_out"]["processes"]), ([0, 2, 3, None], 1))
    # Programs into which forked children change, like those of a launcher.
    script = "for r in 0 1 2; do (export PMI_RANK=$r; exec cat /dev/null); done; exit 0"
    result = varve("record", "-o", "f.varve", "--ranks", "1", "--", "bash", "-c", script, env=ENVIRONMENT)
    same((result.returncode, result.stderr), (0, b""))
    info = json.loads(varve("info", "-f", "json", "f.varve").stdout)
    same((info["losses"], info["vanished"], info["left_out"]["processes"]), ([], 0, 2))
    # A run without any selected rank is no loss either.
    result = varve("record", "-o", "u.varve", "--ranks", "5", "--", "true", env=dict(ENVIRONMENT, PMI_RANK="1"))
    same((result.returncode, result.stderr), (0, b""))


def test_a_process_that_does_not_record_is_left_alone():
    result = varve("record", "-o", "t.varve", "--", program("kept_and_left"), env=dict(ENVIRONMENT, VARVE_DISABLE="1"))
    same(result.returncode, 0)
    same([c for c in dump_json("t.varve") if c["layer"] != "varve"], [])


run_tests(globals())
