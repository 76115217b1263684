#!/usr/bin/env python3
"""Each pair of options of each verb either works, so that each of the two has an effect, or is refused with a message that
names both. The refused pairs are listed here again, by hand.
timeout: 300
"""
import itertools
import json
import os
import re
import shutil
import subprocess

from lib import VARVE, holds, program, run_tests, same, varve

# The value of an option in the pairs; a function is called when the trace exists. () excludes the option from all pairs.
COMMON = {"no-pager": (), "quiet": (), "color": ()}  # affect only terminals and stderr
SELECTION = {
    "stream": (lambda: f"{busy()}.2",), "process": (lambda: busy(),), "function": ("open,pwrite,fopen",), "layer": ("posix",),
    "from": (lambda: at(0.3),), "to": (lambda: at(0.7),), "where": ("ordinal in 0:4000000000:2",), "rank": ("1",),
}
VALUES = {
    "info": {**COMMON, "format": ("json", "csv"), "quick": ("",), "processes": ("",), "files": ("",), "where": ("size > 5",),
             "codec-stats": ("",), "window": ("9",), "rank": ("1",)},
    "dump": {**COMMON, **SELECTION, "format": ("json", "csv"), "limit": ("100",), "by-stream": ("",), "recorder": ("",), "definitions": ("",)},
    # Nothing works without --output, so it is in all pairs. --force is for a name that exists already.
    "slice": {**COMMON, **SELECTION, "output": (), "force": (), "packed": ("",), "no-pack": (), "file": ("*file0,*passwd,*hostname",),
              "join": (), "anonymize": ("",), "key": ("key.txt",), "key-text": ("a text",), "keep-system": ("",), "format": ("json",)},
    # --force only confirms --time in place. --workers and --verify do not change the result; --output makes the results that are compared.
    "pack": {**COMMON, "output": (), "force": (), "time": ("histogram", "none"), "verify": (), "files": ("2",), "workers": (), "recover": (),
             "repair": (), "format": ("json",)},
    "config": {**COMMON, "format": ("json", "csv"), "preload": ("",), "preload-sync": ("",), "lanes": ("",), "version": ("",)},
    "record": {
        "output": ("new.varve",), "layer": ("posix",), "only": ("open",), "also": ("sync",), "skip": ("read",), "include": ("/a/*",),
        "exclude": ("/b/*",), "ranks": ("0",), "start-after": ("1s",), "stop-after": ("2s",), "limit": ("1G",), "buffer": ("1M",),
        "resolution": ("1us",), "lanes": ("/tmp",), "clock": ("monotonic",), "codec": ("binary", "peephole"), "window": ("4",),
        "no-pack": ("",), "time": ("none", "histogram"), "pointers": ("",), "no-keeper": ("",), "no-clocks": ("",),
        "no-follow": ("",), "settings": ("none",), "quiet": ("",)},
    "doctor": {**COMMON, "format": ("json", "csv"), "root": ("/",)},
    "control": {**COMMON, "format": ("json",), "wait": ("1s",)},
    "version": {**COMMON, "format": ("json", "csv")},
}

# Refused: pairs of option or option=value; an option that needs another one is refused with all others.
REFUSED = {
    "info": [("codec-stats", other) for other in ("files", "processes", "quick", "where", "rank", "format=csv")] +
            [("processes", "format=csv")],
    "dump": [("definitions", other) for other in ("function", "layer", "from", "to", "where", "by-stream", "rank", "recorder")] +
            [("stream", "process"), ("stream", "by-stream"), ("recorder", "function"), ("recorder", "layer")],
    "slice": [("stream", "process"), ("key", "key-text")],
    "record": [("time", "no-pack"), ("resolution", "time=none")],
}
NEEDED = {("info", "window"): "codec-stats", ("slice", "key"): "anonymize", ("slice", "key-text"): "anonymize",
          ("slice", "keep-system"): "anonymize", ("record", "window"): "codec=peephole"}

# Pairs in which one option adds nothing, because its output is printed in any case.
SAME_ANYWAY = {
    "info": [("processes", "format=json"),  # JSON lists all processes
             ("quick", "format=csv"),  # less is read, but the rows are the same
             ("files", "processes")],
    "dump": [("to", "limit"),  # the first event that ends it
             ("recorder", "format=json"), ("recorder", "format=csv"),  # these always have the recorder's records
             ("rank", "process"), ("rank", "stream")],  # a process has one rank
    "slice": [("rank", "process"), ("rank", "stream")],
}


def busy():
    """The process number of rank 1 with two threads."""
    rows = json.loads(varve("info", "--format", "json", "t.varve").stdout)["processes"]
    return next(str(row["process"]) for row in rows if row.get("rank") == 1)


def at(share):
    """A time at which its threads take turns."""
    calls = varve("dump", "--process", busy(), "--function", "pwrite", "--format", "json", "t.varve").stdout.splitlines()
    return f"{json.loads(calls[int(len(calls) * share)])['start']}ns"


def listed(verb):
    """The options of a verb, from its help: name, and whether it has a value."""
    found = re.findall(r"^  (?:-\w, |    )--([\w-]+)( \S+)?", varve(verb, "--help").stdout.decode(), re.MULTILINE)
    return {name: bool(value) for name, value in found if name != "help"}


def words_of(verb, name, value, options):
    value = value() if callable(value) else value
    return (f"--{name}={value}",) if options[name] else (f"--{name}",)


def fits(rule, name, value):
    wanted, _, only = rule.partition("=")
    return wanted == name and (not only or only == value)


def among(pairs, one, other):
    return any(fits(a, *one) and fits(b, *other) or fits(a, *other) and fits(b, *one) for a, b in pairs)


def pairs_of(verb):
    """Each pair of an option and a value with another one."""
    options = listed(verb)
    missing = sorted(set(options) - set(VALUES[verb]))
    same(missing, [], f"{verb}: VALUES needs a value for each option")
    wishes = [(name, value) for name in options for value in VALUES[verb][name]]
    for one, other in itertools.combinations(wishes, 2):
        if one[0] != other[0]:
            yield one, other, words_of(verb, *one, options), words_of(verb, *other, options)


def needs(verb, one, other):
    """Whether one of the two options needs another option that is not in the pair."""
    for name, beside in ((one, other), (other, one)):
        needed = NEEDED.get((verb, name[0]))
        if needed and not fits(needed, *beside):
            return True
    return False


def shown(name):
    return f"--{name}".replace("=", " ")


def check(verb, outcome, refusal=2):
    """outcome(words) -> (status, resulting files, messages)."""
    wrong, alone, count = [], {}, 0
    refused = REFUSED.get(verb, [])
    for one, other, one_words, other_words in pairs_of(verb):
        count += 1
        words = one_words + other_words
        status, made, said = outcome(words)
        if needs(verb, one, other):
            if status != refusal or not re.search(rb"--\w.*--\w", said):
                wrong.append((words, "is not refused for what it needs", status, said))
            continue
        if among(refused, one, other):
            named = all(f"--{name}".encode() in said for name, _ in (one, other))
            if status != refusal or not named:
                wrong.append((words, "is not refused by both names", status, said))
            continue
        if status not in (0, 127):
            wrong.append((words, "does not work", status, said))
            continue
        if made is None or among(SAME_ANYWAY.get(verb, []), one, other):
            continue
        for words_alone in (one_words, other_words):
            if words_alone not in alone:
                alone[words_alone] = outcome(words_alone)[:2]
            if alone[words_alone] == (status, made):
                wrong.append((words, "is the same as", words_alone))
    same(wrong, [], f"of {count} pairs")


def recorded():
    """Two ranks of one run, and their launcher: as a folder and packed."""
    script = "PMIX_RANK=0 \"$0\"; PMIX_RANK=1 \"$0\"; exit 0"
    subprocess.run([VARVE, "record", "--no-pack", "-o", "t.varve", "--", "sh", "-c", script, program("turns")], check=True)
    same(varve("pack", "--quiet", "-o", "p.varve", "t.varve").returncode, 0)


def printed(verb, trace):
    def outcome(words):
        result = varve(verb, *words, trace)
        return result.returncode, result.stdout, result.stderr
    return outcome


def test_info():
    recorded()
    for trace in "t.varve", "p.varve":
        check("info", printed("info", trace))


def test_dump():
    recorded()
    check("dump", printed("dump", "t.varve"))


def read_and_removed():
    """The content of the trace `new`, and whether it is a folder."""
    made = varve("dump", "new").stdout, os.path.isdir("new")
    if os.path.isdir("new"):
        shutil.rmtree("new")
    elif os.path.exists("new"):
        os.remove("new")
    return made


def test_slice():
    recorded()
    with open("key.txt", "w") as file:
        file.write("down the hole\n")

    def outcome(words):
        result = varve("slice", *words, "t.varve", "-o", "new")
        made = (*read_and_removed(), result.stdout)
        # Without a key the names differ in each run.
        if "--anonymize" in words and not any(word.startswith("--key") for word in words):
            made = (re.sub(rb"[0-9A-Z]{10}", b"X", made[0]), *made[1:])
        return result.returncode, made, result.stderr
    check("slice", outcome)


def test_pack():
    recorded()

    def outcome(words):
        result = varve("pack", *words, "-o", "new", "t.varve")
        return result.returncode, (*read_and_removed(), result.stdout), result.stderr
    check("pack", outcome)
    for option in ("--output=new", "--time=none", "--verify", "--files=2", "--workers=2"):
        result = varve("pack", "--recover", option, "t.varve")
        same((result.returncode, os.path.exists("new")), (2, False), option)
        holds(result.stderr, f"--recover ... {option.partition('=')[0]}".encode())


def test_slice_of_a_packed_trace():
    recorded()
    for options, folder in (((), False), (("--packed",), False), (("--no-pack",), True)):
        same(varve("slice", "--force", *options, "p.varve", "-o", "new").returncode, 0)
        same(os.path.isdir("new"), folder, options)
        same(varve("dump", "new").stdout, varve("dump", "p.varve").stdout)
    for options, folder in (((), True), (("--packed",), False), (("--no-pack",), True)):
        same(varve("slice", "--force", *options, "t.varve", "-o", "new").returncode, 0)
        same(os.path.isdir("new"), folder, options)
    result = varve("slice", "--no-pack", "--packed", "p.varve", "-o", "other")
    same((result.returncode, os.path.exists("other")), (2, False))
    holds(result.stderr, b"--packed ... --no-pack")


def test_config_and_version():
    check("config", lambda words: (lambda result: (result.returncode, result.stdout, result.stderr))(varve("config", *words)))


def test_doctor_and_control():
    for words in (("pause", "--wait", "1s"), ("status", "--wait=1s"), ("flush", "--format", "json"), ("resume", "-f", "json")):
        result = varve("control", "1", *words)
        same((result.returncode, result.stdout), (2, b""), words)
        holds(result.stderr, f"{'--wait' if '1s' in words[-1] else '--format json'} ... {words[0]}".encode())


def test_record():
    """For a missing program the status is 127 if the options are right, and 125 if they are not."""
    def outcome(words):
        result = varve("record", *words, "--", "/no/such/program", env={"HOME": "/nonexistent", "PATH": os.environ["PATH"]})
        return result.returncode, None, result.stderr
    check("record", outcome, refusal=125)
    same(os.listdir("."), [])
    same(outcome(("--codec", "peephole", "--window", "3"))[0], 127)


def test_record_from_elsewhere():
    """A default from a variable or a file is ignored; an impossible combination on the command line is refused."""
    def outcome(*words, **variables):
        result = varve("record", *words, "--", "/no/such/program",
                       env={"HOME": "/nonexistent", "PATH": os.environ["PATH"], **variables})
        return result.returncode, result.stderr
    same(outcome("--no-pack", VARVE_TIME="histogram")[0], 125)
    same(outcome(VARVE_TIME="histogram", VARVE_NO_PACK="1")[0], 127)
    same(outcome("--time", "histogram", VARVE_NO_PACK="no")[0], 127)
    holds(outcome("--time", "histogram", VARVE_NO_PACK="yes")[1], b"--time ... --no-pack")
    same(outcome("--codec", "columns", VARVE_WINDOW="4")[0], 127)
    same(outcome("--window", "4", VARVE_CODEC="peephole")[0], 127)
    with open("settings", "w") as file:
        file.write("codec = peephole\n")
    same(outcome("--window", "4", "--settings", "settings")[0], 127)
    status, said = outcome("--window", "4", "--settings", "settings", "--codec", "columns")
    same(status, 125)
    holds(said, b"--window ... --codec peephole")


def test_more_than_pairs():
    recorded()
    same(varve("slice", "--no-pack", "--process", "3", "t.varve", "-o", "one").returncode, 0)
    result = varve("pack", "--files", "4", "one")
    same((result.returncode, os.path.isdir("one")), (2, True))
    holds(result.stderr, b"one ... --files 4")
    same(varve("pack", "--files", "1", "one").returncode, 0)
    result = varve("slice", "--join", "t.varve", "-o", "new")
    same(result.returncode, 2)
    holds(result.stderr, b"--join")
    result = varve("dump", "--function", "fopen", "--layer", "posix", "t.varve")
    same((result.returncode, result.stdout), (2, b""))
    holds(result.stderr, b"--function fopen ... --layer posix")


def test_given_twice():
    """Another value of the same option has no effect either; the same value again is no error."""
    recorded()
    for verb, name, one, other in (("dump", "where", "failed", "size > 1"), ("info", "where", "failed", "size > 1"),
                                   ("dump", "function", "open", "close"), ("dump", "limit", "1", "2"), ("slice", "file", "a", "b"),
                                   ("pack", "time", "none", "exact"), ("control", "wait", "1s", "2s")):
        operands = ["1", "flush"] if verb == "control" else ["t.varve"]
        result = varve(verb, f"--{name}={one}", f"--{name}", other, *operands)
        same((result.returncode, result.stdout), (2, b""), (verb, name))
        holds(result.stderr, f"--{name} ... '{one}' ... '{other}'".encode())
    same(varve("dump", "--limit", "1", "-n", "1", "--format", "csv", "-f", "json", "t.varve").returncode, 0)
    same(varve("record", "--limit", "1G", "--limit", "2G", "--", "/no/such/program").returncode, 127)


def test_no_trace_on_stdout():
    recorded()
    for words, status in ((("pack", "-o", "-", "t.varve"), 2), (("slice", "t.varve", "-o", "-"), 2),
                          (("record", "-o", "-", "--", "true"), 125), (("pack", "-o", "", "t.varve"), 2),
                          (("slice", "t.varve", "-o", ""), 2), (("record", "-o", "", "--", "true"), 125)):
        before = sorted(os.listdir("."))
        result = varve(*words)
        same((result.returncode, result.stdout, sorted(os.listdir("."))), (status, b"", before), words)
        holds(result.stderr, b"standard output" if "-" in words else b"-o")
    same(varve("slice", "t.varve", "-o", "./-").returncode, 0)
    same(varve("dump", "./-").stdout, varve("dump", "t.varve").stdout)


run_tests(globals())
