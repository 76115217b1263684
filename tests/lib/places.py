"""The paths of what is tested, from the variables of a test; installed programs, and what a test does without them."""
import os
import shutil
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.environ.get("VARVE_SOURCE", os.path.dirname(TESTS))
BUILD = os.path.abspath(os.environ.get("VARVE_BUILD", os.path.join(SOURCE, "build", "dev")))
VARVE = os.environ.get("VARVE", "varve")
LIBRARY = os.environ.get("VARVE_LIBRARY", "libvarve-record.so")
PROGRAMS = os.environ.get("VARVE_PROGRAMS", "programs")
SANITIZE = os.environ.get("VARVE_SANITIZE", "")
CC = os.environ.get("CC", "cc")
# No settings of the user who runs the tests.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Missing(SystemExit):
    """Something that a test needs is not installed. A test that raises it is skipped; a script that raises it is skipped as a
    whole."""

    def __init__(self, what, why="is not installed"):
        super().__init__(77)
        self.text = f"{what} {why}"
        print("skipped:", self.text, flush=True)

    def __str__(self):
        return self.text


def program_path(name):
    """The path of a program, or of a file by its whole name; None if it does not exist."""
    return name if name.startswith("/") and os.path.exists(name) else shutil.which(name, path=PATH)


def need(*names):
    """Paths of programs or files; without one of them the test is skipped."""
    found = [program_path(name) for name in names]
    if None in found:
        raise Missing(names[found.index(None)])
    return found[0] if len(found) == 1 else found


def need_root(what="mount file systems"):
    if os.geteuid() != 0:
        raise Missing("root", f"is needed to {what}")


def program(name):
    """A built program of tests/programs."""
    return os.path.join(PROGRAMS, name)


def compiled_source(name):
    """A source in tests/programs/compiled: a program that the script compiles itself."""
    return os.path.join(TESTS, "programs", "compiled", name)


def modules_of(*folders):
    """Makes modules of other test folders importable, after those of the own folder."""
    for folder in folders:
        sys.path.append(os.path.join(TESTS, folder))
