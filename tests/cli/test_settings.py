#!/usr/bin/env python3
"""Settings: options, variables and files, which one is used, what is stored in the trace, what is refused before the program
runs."""
import json
import os
import subprocess

from lib import dump_json, holds, run_tests, same, varve

LIBRARY = os.environ.get("VARVE_LIBRARY", "libvarve-record.so")
SOURCE = os.environ.get("VARVE_SOURCE", ".")


def plain(**more):
    """An environment in which no settings file is found."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("VARVE_") or k == "VARVE_SANITIZE"}
    environment.pop("XDG_CONFIG_HOME", None)
    environment.update(HOME=os.getcwd(), **more)
    return environment


def settings(trace="t.varve"):
    result = varve("info", "-f", "json", trace)
    same(result.returncode, 0, result.stderr)
    return json.loads(result.stdout)["settings"]


def refused(*options, said, status=125, program=("touch", "made"), **more):
    """The message names the error, and the program has not run."""
    result = varve("record", "-o", "t.varve", *options, "--", *program, env=plain(**more))
    same((result.returncode, result.stdout), (status, b""), result.stderr)
    holds(result.stderr.decode(), said)
    same(result.stderr.count(b"\n"), 1, result.stderr)
    assert not os.path.exists("made") and not os.path.exists("t.varve")


def test_option_wins_over_variable_wins_over_file():
    os.makedirs(".config/varve")
    with open(".config/varve/settings", "w") as file:
        file.write("# mine\n\n  buffer = 128K  \nresolution=2us\nlimit = 1G\npointers = yes\nskip = fsync\n")
    environment = plain(VARVE_RESOLUTION="3us", VARVE_LIMIT="2G", VARVE_SKIP="link")
    same(varve("record", "-o", "t.varve", "--limit", "3G", "--", "true", env=environment).returncode, 0)
    found = settings()
    same((found["buffer"], found["resolution"], found["limit"], found["pointers"], found["skip"]),
         ("128K", "3us", "3G", "yes", ["link"]))
    run = json.loads(varve("info", "-f", "json", "t.varve").stdout)["run"]
    same((run["buffer"], run["resolution"], run["limit"], run["pointers"]), ("131072", "3000", str(3 << 30), "1"))


def test_all_settings_are_told_in_json_and_set_ones_in_text():
    same(varve("record", "-o", "t.varve", "--skip", "fsync", "--", "true", env=plain()).returncode, 0)
    found = settings()
    same((found["buffer"], found["limit"], found["ranks"], found["skip"], found["only"]), ("1M", "none", "", ["fsync"], []))
    text = varve("info", "t.varve").stdout.decode()
    holds(text, "skip=fsync")
    assert "buffer=" not in text, text


def test_settings_files():
    os.mkdir("x")
    os.mkdir("x/varve")
    for name, size in (("x/varve/settings", "64K"), ("named", "128K"), ("by_variable", "256K")):
        with open(name, "w") as file:
            file.write(f"buffer = {size}\n")
    cases = (((), {"XDG_CONFIG_HOME": os.path.abspath("x")}, "64K"),
             (("--settings", "named"), {"XDG_CONFIG_HOME": os.path.abspath("x"), "VARVE_SETTINGS": "by_variable"}, "128K"),
             ((), {"VARVE_SETTINGS": "by_variable"}, "256K"),
             (("--settings", "none"), {"XDG_CONFIG_HOME": os.path.abspath("x")}, "1M"),
             ((), {}, "1M"))
    for number, (options, variables, size) in enumerate(cases):
        trace = f"{number}.varve"
        same(varve("record", "-o", trace, *options, "--", "true", env=plain(**variables)).returncode, 0)
        same(settings(trace)["buffer"], size)


def test_bad_files():
    for text, said in (("limt = 3\n", "bad:1: ... 'limt' ... limit"),
                       ("\nlimit 3\n", "bad:2: ... `name = value`"),
                       ("limit = 3x\n", "bad:1: ... limit ... 128K ... '3x'"),
                       ("limit = 300K\nlimit = 400K\n", "bad:2: ... limit ... line 1"),
                       ("pointers = maybe\n", "bad:1: ... pointers ... yes ... no ... 'maybe'"),
                       ("a\0b", "bad")):
        with open("bad", "w") as file:
            file.write(text)
        refused("--settings", "bad", said=said)
    refused("--settings", "absent", said="absent ... No such file or directory")
    refused("--settings", ".", said="Is a directory")
    if os.geteuid() != 0:
        os.chmod("bad", 0)
        refused("--settings", "bad", said="Permission denied")


def test_bad_values():
    refused("--only", "opne", said="--only ... 'opne' ... open")
    refused("--only", "zz*", said="--only ... 'zz*'")
    refused("--skip", "read,,write", said="--skip ... ''")
    refused("--layer", "posx", said="--layer ... 'posx' ... posix")
    refused("--layer", "open", said="--layer ... 'open'")
    refused("--also", "snyc", said="--also ... 'snyc' ... sync")
    refused("--ranks", "3:1", said="--ranks ... 0,4-7 ... '3:1'")
    for wrong in ("", "x", "1,", "1:", ",2", "-1", "1 2", "99999999999"):
        refused("--ranks", wrong, said="--ranks ... 0,4-7")
    refused("--start-after", "soon", said="--start-after ... 1.5s ... 'soon'")
    refused("--limit", "32K", said="--limit ... 128K ... '32K'")
    refused("--limit", "many", said="--limit ... 128K ... 'many'")
    refused("--buffer", "1K", said="--buffer ... 64K ... 64M ... '1K'")
    for plain in ("1", "0.5", "100"):
        refused("--resolution", plain, said=f"--resolution ... it needs a unit ... '{plain}'")
    refused("--resolution", "2h", said="--resolution ... 1ns ... 1s ... '2h'")
    refused("--clock", "wall", said="--clock ... tsc ... monotonic ... 'wall'")
    refused("--codec", "zip", said="--codec ... columns ... binary ... peephole ... 'zip'")
    for wrong in ("128", "-1", "", "many", "3x"):
        refused("--window", wrong, said="--window ... 0 ... 127 ... '%s'" % wrong)
    refused(said="VARVE_CODEC ... columns ... 'rows'", VARVE_CODEC="rows")
    refused("--lanes", "here", said="--lanes ... absolute ... 'here'")
    refused("--lanes", "/no/such/folder", said="--lanes ... /no/such/folder")
    refused("--include", "", said="--include")
    refused("--exclude", "/" + "x" * 5000, said="--exclude")
    refused(said="VARVE_LIMIT ... 128K ... 'x'", VARVE_LIMIT="x")
    refused(said="VARVE_POINTERS ... yes ... no ... '2'", VARVE_POINTERS="2")
    refused("--ony", "open", said="--ony ... --only")


def test_contradictions():
    refused("--only", "open,read", "--skip", "read", said="--skip ... --only")
    refused("--only", "read", "--skip", "r*", said="--skip")
    refused("--include", "/a/*", "--exclude", "/a/*", said="--include ... --exclude")
    refused("--start-after", "2s", "--stop-after", "2s", said="--stop-after ... --start-after")


def test_bad_programs():
    os.mkdir("folder")
    refused(program=("folder",), said="folder ... not found", status=127)
    refused(program=("./folder",), said="./folder ... Is a directory", status=126)
    refused(program=("no-such-program",), said="no-such-program ... not found", status=127)


def test_templates():
    environment = plain(USER="me", PMI_RANK="7", SLURM_JOB_ID="123")
    same(varve("record", "-o", "%e.%r.%j.%u.%%.varve", "--", "/bin/true", env=environment).returncode, 0)
    same(os.path.exists("true.7.123.me.%.varve"), True)
    same(varve("record", "-o", "%h-%p-%t.varve", "--", "true", env=environment).returncode, 0)
    name = next(n for n in os.listdir(".") if n.startswith(os.uname().nodename + "-"))
    stamp = name[:-len(".varve")].split("-")[-1]
    same((len(stamp), stamp[8], stamp[-1], stamp[:2]), (16, "T", "Z", "20"))
    refused("-o", "%q.varve", said="%q")


def alone(*words, **variables):
    """Runs with the library preloaded and without `varve record`."""
    environment = plain(LD_PRELOAD=LIBRARY, VARVE_LANES=os.getcwd(), VARVE_NO_KEEPER="1", **variables)
    result = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
    same((result.returncode, result.stderr), (0, b""))
    return result


def test_library_alone_reads_the_same_variables():
    alone("/bin/cat", "/dev/null", VARVE_TRACE="%e-%r.varve", PMI_RANK="3", VARVE_BUFFER="128K", VARVE_RESOLUTION="1us",
          VARVE_ONLY="open*,close", VARVE_EXCLUDE="/proc/*:*.so", VARVE_LIMIT="5M", VARVE_NO_FOLLOW="1")
    found = settings("cat-3.varve")
    same((found["buffer"], found["resolution"], found["only"], found["exclude"], found["limit"], found["no-follow"]),
         ("128K", "1us", ["open*,close"], ["/proc/*", "*.so"], "5M", "1"))
    functions = {call["function"] for call in dump_json("cat-3.varve") if call["layer"] != "varve"}
    assert functions and functions <= {"open", "openat", "close"}, functions
    varve("pack", "--recover", "cat-3.varve")


def test_misspelt_variables():
    """Every verb reports them; other variables are ignored. The library alone stores them."""
    for name, meant in (("VARVE_TRCE", b"VARVE_TRACE"), ("VARVE_OUTPUT", b"VARVE_TRACE"), ("VARVE_LAYERS", b"VARVE_LAYER"),
                        ("VARVE_NOPACK", b"VARVE_NO_PACK"), ("VARVE_SETTING", b"VARVE_SETTINGS"), ("VARVE_HOME", None)):
        for number, words in enumerate((["record", "-o", f"{name}.varve", "--", "true"], ["info", f"{name}.varve"],
                                        ["dump", "--quiet", f"{name}.varve"])):
            result = varve(*words, env=plain(**{name: "x"}))
            told = meant and number < 2
            same((result.returncode, result.stderr.count(b"\n")), (0, 1 if told else 0), result.stderr)
            if told:
                holds(result.stderr, b"varve: ... %s ... %s" % (name.encode(), meant))
    environment = plain(LD_PRELOAD=LIBRARY, VARVE_TRACE=os.path.abspath("alone.varve"), VARVE_NO_KEEPER="1",
                        VARVE_BUFER="1M", VARVE_HOME="x")
    result = subprocess.run(["true"], env=environment, stderr=subprocess.PIPE)
    same((result.returncode, result.stderr), (0, b""))
    same(json.loads(varve("info", "-f", "json", "alone.varve", env=plain()).stdout)["ignored_variables"], ["VARVE_BUFER"])
    holds(varve("info", "alone.varve", env=plain()).stdout, b"VARVE_BUFER ... VARVE_BUFFER")


def test_library_alone_notes_what_it_ignores():
    alone("/bin/true", VARVE_TRACE="t.varve", VARVE_BUFFER="tiny", VARVE_LAYER="posx", VARVE_RANKS="2-1", VARVE_LIMIT="1M")
    info = json.loads(varve("info", "-f", "json", "t.varve").stdout)
    same(sorted(info["ignored_variables"]), ["VARVE_BUFFER", "VARVE_LAYER", "VARVE_RANKS"])
    same(info["settings"]["limit"], "1M")
    holds(varve("info", "t.varve").stdout, b"ignored=VARVE_BUFFER")
    varve("pack", "--recover", "t.varve")


def test_limit_and_resolution_hold_for_children():
    script = "for i in 1 2 3; do cat /dev/null; done; head -c 3000000 /dev/zero | od -v -w1 > out"
    result = varve("record", "-o", "t.varve", "--limit", "160K", "--resolution", "1ms", "--buffer", "64K", "--",
                   "sh", "-c", script, env=plain())
    same(result.returncode, 0)
    info = json.loads(varve("info", "-f", "json", "t.varve").stdout)
    same(info["resolution_ns"], 1000000)
    assert info["size"] <= 160 << 10, info["size"]


def test_document_lists_every_setting():
    with open(os.path.join(SOURCE, "docs", "settings.md"), encoding="utf-8") as file:
        document = file.read()
    same(varve("record", "--help").returncode, 0)
    for name in settings_names():
        holds(document, f"`--{name}")
        holds(document, "`VARVE_" + ("TRACE" if name == "output" else name.upper().replace("-", "_")))


def settings_names():
    same(varve("record", "-o", "names.varve", "--", "true", env=plain()).returncode, 0)
    return list(settings("names.varve"))


run_tests(globals())
