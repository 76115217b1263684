#!/usr/bin/env python3
"""Completion in bash, zsh and fish: compares the offers of each shell."""
import os
import shutil

from lib import Run, run_tests, same
from _shells import BASH_COMPLETION, bash, fish, zsh
from _table import options, verbs

LAYERS = ["async", "hdf5", "mpi", "mpiio", "netcdf", "pnetcdf", "posix", "process", "region", "socket", "stdio", "sync"]
COMMANDS = ["flush", "pause", "resume", "status"]

# A line, and the offers of bash, fish and zsh for its last word: some shells return the whole word, others only the added part.
LINES = [
    ("varve du", ["dump"], ["dump"], ["dump"]),
    ("varve help ve", ["version"], ["version"], ["version"]),
    ("varve dump --form", ["--format"], ["--format"], ["--format"]),
    ("varve dump --format ", ["csv", "json", "text"], ["csv", "json", "text"], ["csv", "json", "text"]),
    ("varve dump -f ", ["csv", "json", "text"], ["csv", "json", "text"], ["csv", "json", "text"]),
    ("varve dump --format=j", ["json"], ["--format=json"], ["json"]),
    ("varve dump --layer ", LAYERS + ["varve"], LAYERS + ["varve"], LAYERS + ["varve"]),
    ("varve dump --layer posix,st", ["posix,stdio"], ["posix,stdio"], ["stdio"]),
    ("varve dump --layer=posix,st", ["posix,stdio"], ["--layer=posix,stdio"], ["stdio"]),
    ("varve dump --function fdatas", ["fdatasync"], ["fdatasync"], ["fdatasync"]),
    ("varve record --layer ", LAYERS, LAYERS, LAYERS),
    ("varve record --skip async,pw", *[["async,pwrite", "async,pwritev", "async,pwritev2"]] * 2,
     ["pwrite", "pwritev", "pwritev2"]),
    ("varve record --clock ", ["monotonic", "tsc"], ["monotonic", "tsc"], ["monotonic", "tsc"]),
    ("varve record --lanes res", ["results"], ["results/"], ["results"]),
    ("varve record --settings not", ["notes"], ["notes"], ["notes"]),
    ("varve record --buffer 1M --poin", ["--pointers"], ["--pointers"], ["--pointers"]),
    ("varve dump run", ["run7.varve"], ["run7.varve"], ["run7.varve"]),
    ("varve dump not", [], [], []),
    ("varve info --quick res", ["results"], ["results/"], ["results"]),
    ("varve pack --recover results/", ["results/b.varve"], ["results/b.varve"], ["b.varve"]),
    ("varve dump --limit 3 run7.varve not", [], [], []),
    ("varve control 1 ", COMMANDS, COMMANDS, COMMANDS),
    ("varve control --wait 1s 1 re", ["resume"], ["resume"], ["resume"]),
    ("varve record myprog", ["myprogram"], ["myprogram"], ["myprogram"]),
    ("varve record -o x -- myprog", ["myprogram"], ["myprogram"], ["myprogram"]),
    ("varve record -- ls not", ["notes"], ["notes"], ["notes"]),
    ("varve doctor myprog", ["myprogram"], ["myprogram"], ["myprogram"]),
]


def prepare():
    os.makedirs("run7.varve")
    os.makedirs("results/b.varve")
    for name in ("notes", "run8.varve"):
        open(name, "w").close()
    os.mkdir("bin")
    shutil.copy("/bin/true", "bin/myprogram")
    os.environ["PATH"] = os.path.abspath("bin") + ":" + os.environ["PATH"]


def test_bash():
    prepare()
    for line, expected, _, _ in LINES:
        same(bash(line), sorted(expected), line)


def test_bash_with_its_library_completes_the_program_itself():
    same(bash("varve record -o x ls --almost", "source " + BASH_COMPLETION), ["--almost-all"])
    same(bash("varve record -- ls --almost", "source " + BASH_COMPLETION), ["--almost-all"])


def test_fish():
    prepare()
    for line, _, expected, _ in LINES:
        same(fish(line), sorted(expected), line)
    same(fish("varve record -- ls --almost"), ["--almost-all"])


def test_zsh():
    prepare()
    lines = [line for line, *_ in LINES] + ["varve record -- ls --almost", "varve record ls --almost"]
    found = zsh(lines)
    for (line, _, _, expected), words in zip(LINES, found):
        # Where an operand is optional or impossible, zsh also offers the remaining options.
        same(words if expected and expected[0].startswith("-") else [word for word in words if word[0] != "-"],
             sorted(expected), line)
    same(found[len(LINES):], [["--almost-all"]] * 2)


def test_every_verb_and_option_is_offered():
    known = verbs()
    same(bash("varve "), sorted([*known, "help", "--help", "--version"]))
    same(fish("varve "), sorted(known))
    found = zsh(["varve "] + [f"varve {verb} --" for verb in known])
    same(found[0], sorted(known))
    for verb, words in zip(known, found[1:]):
        names = sorted("--" + name for _, name, _ in options(verb))
        same(bash(f"varve {verb} --"), names, verb)
        same(fish(f"varve {verb} --"), names, verb)
        same([word for word in words if word.startswith("--")], names, verb)


def test_processes_that_are_recorded():
    with Run() as run:
        pid = str(run.record.pid)
        offered = [bash("varve control "), fish("varve control "), zsh(["varve control "])[0]]
        same(run.end(), 0)
    for words in offered:
        assert pid in words, (pid, words)
        assert str(os.getpid()) not in words, words


run_tests(globals())
