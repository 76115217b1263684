#!/usr/bin/env python3
"""Help, wrong options, suggestions, exit statuses of commands that need no trace."""
import os
import re
import subprocess

from lib import VARVE, holds, run_tests, same, varve

VERBS = ["record", "info", "dump", "pack", "doctor", "control", "config", "version"]


def test_help_lists_every_verb():
    result = varve("--help")
    same(result.returncode, 0)
    same(result.stderr, b"")
    for verb in VERBS:
        holds(result.stdout, b"\n  " + verb.encode())


def test_help_of_each_verb_has_examples_for_each_option():
    for verb in VERBS:
        result = varve(verb, "--help")
        same(result.returncode, 0, verb)
        text = result.stdout.decode()
        holds(text, "Usage: varve " + verb)
        options, examples = text.split("\nOptions:\n")[1].split("\nExamples:\n")
        holds(examples, "varve " + verb)
        options, *common = options.split("\nCommon options:\n")
        same(len(common), verb != "record", verb)
        for letter, name in re.findall(r"^  (?:-(\w), |    )--([\w-]+)", options, re.MULTILINE):
            if name != "help":
                assert f"--{name}" in examples or letter and f" -{letter} " in examples, f"{verb} --{name}: no example"


def test_help_by_other_names():
    same(varve("-h").stdout, varve("--help").stdout)
    same(varve("help", "dump").stdout, varve("dump", "--help").stdout)


def test_version():
    result = varve("version")
    same(result.returncode, 0)
    assert result.stdout.startswith(b"varve "), result.stdout
    same(varve("--version").stdout, result.stdout)


def test_unknown_verb_is_answered_with_the_nearest():
    result = varve("dmup", "x")
    same(result.returncode, 2)
    same(result.stdout, b"")
    holds(result.stderr, b"'dump'")
    holds(varve("DUMP", "x").stderr, b"'dump'")
    holds(varve("ver", "x").stderr, b"'version'")
    holds(varve("du", "x").stderr, b"`varve --help`")


def test_verbs_that_beginners_try():
    """Each refers to an existing verb."""
    known = set(VERBS) | {"slice"}
    for word in ("stats top report diff plot export list show view cat stat summary analyze run trace open ls ps import graph "
                 "replay verify anonymize cut head csv json files").split():
        result = varve(word, "x")
        same((result.returncode, result.stdout), (2, b""), word)
        holds(result.stderr, f"'{word}'".encode())
        named = re.findall(rb"`varve (\w+)", result.stderr)
        assert named and {name.decode() for name in named} <= known, (word, result.stderr)


def test_a_file_instead_of_a_verb():
    open("p.py", "w").close()
    result = varve("p.py")
    same((result.returncode, result.stdout), (2, b""))
    holds(result.stderr, b"`varve record -- ./p.py`")
    os.mkdir("t.varve")
    holds(varve("t.varve").stderr, b"`varve info t.varve`")


def test_an_unknown_option_instead_of_a_verb():
    for word in ("-v", "--verbose", "-Z"):
        result = varve(word)
        same((result.returncode, result.stdout), (2, b""))
        holds(result.stderr, f"option {word} ... --help ... --version".encode())


def test_no_verb():
    same(varve().returncode, 2)


def test_missing_operands_are_named():
    for words, missing in ((["info"], b"no TRACE"), (["slice", "-o", "x"], b"no TRACE"), (["control"], b"no PID"),
                           (["control", "1"], b"pause"), (["info", "a", "b"], b"'b'")):
        result = varve(*words)
        same((result.returncode, result.stdout), (2, b""), words)
        holds(result.stderr, missing)
    holds(varve("record").stderr, b"no PROGRAM")


def test_unknown_option_is_answered_with_the_nearest():
    result = varve("dump", "--formt", "json", "x")
    same(result.returncode, 2)
    holds(result.stderr, b"--format")
    same(varve("info", "-Z", "x").returncode, 2)


def test_options_of_other_verbs():
    """--where does what options of other verbs do."""
    for verb, options in (("info", ("layer", "function", "process", "stream", "from", "to", "file")), ("dump", ("pid", "tid", "file", "failed"))):
        for option in options:
            result = varve(verb, f"--{option}", "1", "x")
            same(result.returncode, 2)
            holds(result.stderr, f"varve: {verb}: unknown option --{option}; use a filter, as in --where".encode())
    holds(varve("info", "--layer", "posix", "x").stderr, b'--where "layer == posix"')
    holds(varve("pack", "--layer", "posix", "x").stderr, b"unknown option --layer; see")


def test_two_traces():
    for verb in ("dump", "info", "pack"):
        result = varve(verb, "a.varve", "b.varve")
        same(result.returncode, 2)
        holds(result.stderr, f"varve: {verb}: unexpected operand 'b.varve': {verb} takes one trace; `varve slice` joins traces".encode())


def test_nearest_words():
    """The beginning of a word is nearer than a word with a typing error; a pattern has no nearest word."""
    holds(varve("dump", "--form", "csv", "x").stderr, b"unknown option --form; did you mean --format?")
    holds(varve("record", "--only", "wirte", "--", "true").stderr, b"unknown function or layer 'wirte'; did you mean 'write'?")
    holds(varve("record", "--only", "writ*x", "--", "true").stderr, b"no function or layer matches 'writ*x'; docs/calls.md")
    same(varve("record", "-o", "t.varve", "--", "true").returncode, 0)
    holds(varve("dump", "--function", "foo*", "t.varve").stderr, b"no function matches 'foo*'; `varve info t.varve` lists")
    holds(varve("dump", "--function", "wirte", "t.varve").stderr, b"unknown function 'wirte'; did you mean 'write'?")


FILTERS = (
    ("size > 10 KB", b"write a number and its unit without a space, as in 10KiB"), ("duration > 1 ms", b"without a space"),
    ("failed AND failed", b"write `and` in small letters"), ("function IN read", b"write `in` in small letters"),
    ("function not in read,write", b"write `not` before the field, as in not function in a,b"),
    ("path contains out", b"write for example path like '*out*'"), ("function is read", b"write =="),
    ("flags == 1", b"unknown field `flags`; for the argument write arg.flags"),
    ("path ~ '*.dat'", b"a regular expression cannot begin with `*`; for shell patterns write `like`"),
    ("time > 10:00", b"a set or range needs `in`; a date needs quotes"),
    ("layer == nonsense", b"unknown layer `nonsense` in this trace; it has the layers ... posix"),
    ("function == 'p*'", b"no function has the name `p*`; for patterns write `like`"),
)


def test_hints_of_filters():
    same(varve("record", "-o", "t.varve", "--", "cat", "/etc/hostname").returncode, 0)
    for where, said in FILTERS:
        result = varve("dump", "--where", where, "t.varve")
        same((result.returncode, result.stdout), (2, b""), where)
        holds(result.stderr, said)


def test_wrong_values():
    for words in (["dump", "--format", "xml", "x"], ["dump", "--stream", "1", "x"], ["dump", "--limit", "many", "x"],
                  ["dump", "--from", "soon", "x"], ["dump", "--process", "-1", "x"], ["info", "--format"],
                  ["dump"], ["dump", "a", "b"], ["version", "x"], ["pack", "--time", "soon", "x"], ["pack", "--workers", "0", "x"], ["dump", "--by-stream=1", "x"]):
        result = varve(*words)
        same(result.returncode, 2, words)
        assert result.stderr.startswith(b"varve: "), result.stderr
        same(result.stdout, b"", words)


def test_wrong_word_is_answered_with_the_nearest():
    """Every option that takes one of a few words, and the operand of `control`."""
    text, times, codecs = ["text", "json", "csv"], ["exact", "histogram", "none"], ["columns", "binary", "peephole"]
    for verb, option, words, rest in (("dump", "format", text, ["x"]), ("info", "format", text, ["x"]), ("config", "format", text, []),
                                      ("version", "format", text, []), ("doctor", "format", text, []),
                                      ("slice", "format", text[:2], ["x", "-o", "y"]), ("pack", "format", text[:2], ["x"]),
                                      ("control", "format", text[:2], ["1", "status"]), ("dump", "color", ["auto", "always", "never"], ["x"]),
                                      ("pack", "time", times, ["x"]), ("record", "time", times, ["--", "true"]),
                                      ("record", "codec", codecs, ["--", "true"]), ("record", "clock", ["tsc", "monotonic"], ["--", "true"])):
        listed = " or ".join((", ".join(words[:-1]), words[-1]))
        for word in words:
            slip = word[:1] + word[2:]
            result = varve(verb, f"--{option}={slip}", *rest)
            same((result.returncode, result.stdout), (125 if verb == "record" else 2, b""), (verb, option, slip))
            holds(result.stderr.decode(), f"varve: {verb}: --{option} must be {listed}, not '{slip}'; did you mean '{word}'?")
        result = varve(verb, f"--{option}=zzzzzzzz", *rest)
        holds(result.stderr.decode(), f"must be {listed}, not 'zzzzzzzz'\n")
    holds(varve("control", "1", "puase").stderr, b"control: operand 2 must be pause, resume, flush or status, not 'puase'; did you mean 'pause'?")
    result = varve("record", "-o", "t.varve", "--", "true", env=dict(os.environ, VARVE_CLOCK="monotonc"))
    holds(result.stderr, b"VARVE_CLOCK must be tsc or monotonic, not 'monotonc'; did you mean 'monotonic'?")
    with open("settings", "w") as file:
        file.write("codec = colums\n")
    holds(varve("record", "--settings", "settings", "--", "true").stderr, b"settings:1: codec must be ... did you mean 'columns'?")


def test_wrong_use_of_record_is_125():
    for words in (["--bufer", "1M", "--", "true"], ["--buffer", "3", "--", "true"], ["--clock", "sun", "--", "true"],
                  ["--resolution", "0", "--", "true"], ["--lanes", "/no/such/folder", "--", "true"], [],
                  ["-o", "x%Q", "--", "true"], ["-o", "x%", "--", "true"]):
        same(varve("record", *words).returncode, 125, words)
        same(os.listdir("."), [], words)


def test_not_a_trace():
    os.mkdir("empty")
    os.mkdir("hollow")
    open("hollow/data.0", "w").close()
    os.mkdir("garbage")
    with open("garbage/data.0", "wb") as file:
        file.write(os.urandom(10000))
    open("plain", "w").close()
    for name in ("empty", "hollow", "garbage", "plain"):
        for verb in ("info", "dump"):
            result = varve(verb, name)
            same(result.returncode, 3, (verb, name))
            holds(result.stderr, f"{name} ... not a Varve trace")
    same(varve("info", "absent").returncode, 4)
    same(varve("pack", "--recover", "empty").returncode, 3)


def test_config_names_the_library():
    result = varve("config", "--preload")
    same(result.returncode, 0)
    path = result.stdout.decode().rstrip("\n")
    assert path.startswith("/") and os.path.exists(path), path
    holds(varve("config").stdout, path.encode())


def test_a_reader_that_goes_away_is_no_error_message():
    process = subprocess.Popen(["sh", "-c", f"'{VARVE}' dump --help | head -c 1"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    out, err = process.communicate()
    same((out, err), (b"v", b""))


def test_full_output_is_said():
    with open("/dev/full", "wb") as full:
        result = subprocess.run([VARVE, "version"], stdout=full, stderr=subprocess.PIPE)
    same(result.returncode, 4)
    holds(result.stderr, b"No space left")


run_tests(globals())
