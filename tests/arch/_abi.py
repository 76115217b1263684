"""The interface of libvarve in two forms: as text for people (tests/abi/layout.txt: functions, structures with the places of
their members, values of enumerations) and as the output of abidw (tests/abi/libvarve.abi). Both are made here, for the check
that compares them with the tree and for tests/abi/renew."""
import os
import shutil
import subprocess
import tempfile

from _public import CC, FOLDER, enumerations, functions, own_text, structures
from _sources import BUILD, ROOT

LAYOUT = os.path.join(ROOT, "tests", "abi", "layout.txt")
DUMP = os.path.join(ROOT, "tests", "abi", "libvarve.abi")
LIBRARY = os.path.join(BUILD, "lib", "libvarve.so")
PUBLIC_ONLY = ["--exported-interfaces-only", "--suppressions", os.path.join(ROOT, "tests", "abi", "private.suppr")]


def layout_program(text):
    """A C program that prints sizes, places and values as the compiler computes them."""
    lines = ["#include <varve/varve.h>", "#include <stddef.h>", "#include <stdio.h>", "int main(void)", "{"]
    for name, members in sorted(structures(text).items()):
        lines.append('printf("struct %s: %%zu bytes\\n", sizeof(struct %s));' % (name, name))
        for member in members:
            lines.append('printf("\\t%%zu+%%zu %s\\n", offsetof(struct %s, %s), sizeof(((struct %s *)0)->%s));' % (
                member, name, member, name, member))
    for name, constants in sorted(enumerations(text).items()):
        lines.append('printf("enum %s\\n");' % name)
        for constant in constants:
            lines.append('printf("\\t%%d %s\\n", (int)%s);' % (constant, constant))
    return "\n".join(lines + ["return 0;", "}", ""])


def layout():
    text = own_text()
    with tempfile.TemporaryDirectory(prefix="varve-test-") as folder:
        program = os.path.join(folder, "layout")
        subprocess.run([CC, "-std=c11", "-I" + FOLDER, "-xc", "-", "-o", program], input=layout_program(text), text=True,
                       check=True)
        printed = subprocess.run([program], text=True, check=True, capture_output=True).stdout
    return "".join(declared + "\n" for _, declared in sorted(functions(text).items())) + printed


def can_dump():
    return bool(shutil.which("abidw") and shutil.which("abidiff"))


def dump():
    """The output of abidw for the library, without paths of this machine."""
    made = subprocess.run(["abidw", *PUBLIC_ONLY, "--drop-undefined-syms", "--no-show-locs", "--no-corpus-path",
                           "--no-comp-dir-path", "--no-elf-needed", "--no-parameter-names", "--type-id-style", "hash", LIBRARY],
                          text=True, check=True, capture_output=True).stdout
    return made.replace(BUILD + os.sep, "").replace(ROOT + os.sep, "")


def difference():
    """The differences that abidiff finds between the stored dump and the library; empty: none."""
    with tempfile.TemporaryDirectory(prefix="varve-test-") as folder:
        now = os.path.join(folder, "now.abi")
        with open(now, "w", encoding="utf-8") as file:
            file.write(dump())
        done = subprocess.run(["abidiff", DUMP, now], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout or "abidiff ended with %d" % done.returncode if done.returncode else ""
