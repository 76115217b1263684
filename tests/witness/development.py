#!/usr/bin/env python3
"""gcc, make and git compared with strace: many processes, files with generated names.
label: long
timeout: 600
"""
import os
import re
import shutil

from _witness import agree, need, run_tests, sample, script
from lib import compiled_source

MAKEFILE = """\
all: one two
one two: %: %.c
\tgcc -O1 -o $@ $<
"""


def temporary(text):
    """Names that are generated anew in each run."""
    text = re.sub(rb"(tmp_(?:obj|pack|idx|rev|mtimes|graph)_|incoming-|/info/(?:refs|packs)_|\.git/t)[A-Za-z0-9]{6}", rb"\1", text)
    text = re.sub(rb"\.tmp-\d+-pack", b".tmp-pack", text)
    return re.sub(rb"/cc[A-Za-z0-9]{6}(\.|$)", rb"/cc\1", text)


def sources(folder):
    for name in ("one", "two"):
        shutil.copy(compiled_source("nothing.c"), f"{folder}/{name}.c")
    script(MAKEFILE, "Makefile")(folder)


def repository(folder):
    sample(folder, 20)
    os.unlink(os.path.join(folder, "source", "pipe"))


GIT = """
set -e
git init -q -b main source
cd source
git add .
git commit -qm first
git rm -q link
git commit -qm second
git log --format=%s >../log
git diff HEAD~1 --stat >../stat
git gc -q
git fsck >../fsck 2>&1
cd ..
git clone -q source copy
"""


def test_gcc():
    need("gcc")
    agree(["gcc", "-O1", "-o", "one", "one.c"], sources, temporary)


def test_make():
    need("make", "gcc")
    agree(["make", "-s", "-j2"], sources, temporary)


def test_git():
    need("git")
    who = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "A"), ("EMAIL", "a@b"), ("DATE", "1500000000 +0000"))}
    agree(["sh", "-c", GIT], repository, temporary, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_COUNT="2", GIT_CONFIG_KEY_0="pack.threads",
          GIT_CONFIG_VALUE_0="1", GIT_CONFIG_KEY_1="index.threads", GIT_CONFIG_VALUE_1="1", **who)


run_tests(globals())
