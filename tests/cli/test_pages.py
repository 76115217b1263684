#!/usr/bin/env python3
"""Man pages: there is one for each verb, with all of its options, and one for each document that is also a man page; man and
groff report no errors."""
import glob
import os
import re
import subprocess

from lib import holds, run_tests, same, varve
from _table import options, verbs

FOLDER = os.path.join(os.environ["VARVE_BUILD"], "pages", "man")
DOCUMENTS = {"varve-filter.7": "filter.md", "varve-regions.7": "howto/mark-regions.md"}
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"]


def source(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def shown(name):
    """A page as people see it, with one line for each paragraph."""
    result = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", os.path.join(FOLDER, name)],
                            env=dict(os.environ, MANWIDTH="1000", LC_ALL="C.UTF-8", MAN_KEEP_FORMATTING=""),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same((result.returncode, result.stderr), (0, b""), name)
    return re.sub("\x1b\\[[0-9;]*m|.\b", "", result.stdout.decode())


def test_a_page_for_each_verb_and_none_besides():
    same(sorted(os.listdir(FOLDER + "7")), sorted(DOCUMENTS))
    same(sorted(os.path.basename(path) for path in glob.glob(FOLDER + "/*")),
         sorted(["varve.1"] + [f"varve-{verb}.1" for verb in verbs()]))


def test_no_warnings():
    for path in sorted(glob.glob(FOLDER + "/*") + glob.glob(FOLDER + "7/*")):
        result = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", path], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        same((result.returncode, result.stdout), (0, b""), path)
        shown(os.path.relpath(path, FOLDER))


def test_sections():
    for verb in verbs():
        found = re.findall(r"^\.SH (.*)$", source(f"varve-{verb}.1"), re.MULTILINE)
        same(found, SECTIONS, verb)


def test_every_option_is_in_its_page():
    for verb in verbs():
        page = shown(f"varve-{verb}.1")
        for letter, name, value in options(verb):
            line = (f"-{letter}, " if letter else "") + f"--{name}" + (f" {value}" if value else "")
            holds(page, f"       {line}\n")


def test_what_a_page_says_is_what_help_says():
    for verb in verbs():
        page = re.sub(r"\s+", " ", shown(f"varve-{verb}.1"))
        help = varve(verb, "--help").stdout.decode()
        for example in help.split("\nExamples:\n")[1].splitlines():
            holds(page, " ".join(example.split()))
        holds(page, help.split("\n")[2].replace("Usage: ", ""))
        holds(re.sub(r"\s+", " ", shown("varve.1")), f"varve-{verb}(1) ")


def test_variables_of_settings():
    page = shown("varve-record.1")
    for name in ("VARVE_TRACE", "VARVE_LIMIT", "VARVE_NO_FOLLOW", "VARVE_SETTINGS"):
        holds(page, f"       {name}")


def test_documents():
    """The page has all text of the document, and none of its markup."""
    for name, document in DOCUMENTS.items():
        with open(os.path.join(os.environ["VARVE_SOURCE"], "docs", document), encoding="utf-8") as file:
            text = file.read()
        page = shown(os.path.join("..", "man7", name))
        for heading in re.findall(r"^## (.*)$", text, re.MULTILINE):
            holds(page, f"\n{heading.upper()}\n")
        words = re.sub(r"\s+", " ", page)
        prose = re.sub(r"^```.*?^```$|^\| section \|.*?\n\n", "", text, flags=re.DOTALL | re.MULTILINE)
        for code in re.findall(r"`([^`]+)`", prose):
            holds(words, re.sub(r"\s+", " ", code.replace("\\|", "|")))
        for block in re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            for line in block.splitlines():
                holds(words, " ".join(line.split()))
        unmarked = re.sub(r"`[^`]+`", "", prose)
        marked = ["`", "](", *(match[0] for match in re.finditer(r"\*+\w[^*]*\*+", unmarked))]
        same([mark for mark in marked if mark in words], [], name)


run_tests(globals())
