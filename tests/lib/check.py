"""Tests are functions named test_*: run_tests() calls each in a scratch folder, prints `ok NAME` or `not ok NAME` with the reason,
and ends the script: with 1 when one failed, with 77 when all were skipped.

Words after the script's name choose tests. A script with `again: long` in its first lines also runs in the long set, as NAME_long.
There it does more: it calls the functions marked @in_the_long_set, and lots(few, many) is many. `again: nightly` is the same.
"""
import glob
import inspect
import os
import shutil
import sys
import tempfile
import time
import traceback

from lib.places import Missing

LONG = os.environ.get("VARVE_LONG") == "yes"
SLOW = 2.0  # seconds from which the time of a function is printed
MOST_SAID = 4000


class Folder:
    """A scratch folder that is the working directory inside the block."""

    def __enter__(self):
        self.before = os.getcwd()
        self.path = os.path.realpath(tempfile.mkdtemp(prefix="varve-test-"))
        os.chdir(self.path)
        return self.path

    def __exit__(self, *_):
        os.chdir(self.before)
        shutil.rmtree(self.path, ignore_errors=True)
        remove_lanes(self.path)


def remove_lanes(folder):
    """Lanes of traces in this folder that were not collected: those of libraries that were preloaded alone."""
    for facts in glob.glob("/dev/shm/varve-*/facts"):  # the file with the paths of the run
        try:
            with open(facts, "rb") as file:
                ours = os.fsencode(folder) + b"/" in file.read()
        except OSError:
            continue
        if ours:
            shutil.rmtree(os.path.dirname(facts), ignore_errors=True)


def short(value):
    """For people: long values, from shortly before the first difference."""
    text = repr(value)
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]} ... ({len(text)} characters)"


def same(got, expected, about=""):
    if got != expected:
        raise AssertionError(f"got {short(got)}, expected {short(expected)} {about!r}")


def says(text, wanted):
    """Whether a line of it contains all parts of `wanted`, which are separated by ` ... `, in any order: the option or the path
    that a message is about, the word that it offers. Whole sentences may change."""
    if not isinstance(text, (str, bytes)):
        return wanted in text
    text, wanted = (part.decode(errors="replace") if isinstance(part, bytes) else part for part in (text, wanted))
    return any(all(part in line for part in wanted.split(" ... ")) for line in text.split("\n")) or wanted in text


def holds(text, *parts):
    """Asserts that the text contains the words (see says()); words without ` ... ` must occur as they are."""
    for part in parts:
        if not says(text, part):
            raise AssertionError(f"{part!r} is not in {short(text)}")


def in_the_long_set(test):
    test.long = True
    return test


def lots(few, many):
    """How often something is tried."""
    return many if LONG else few


def is_chosen(name, test):
    if sys.argv[1:]:
        return name in sys.argv[1:] or name[5:] in sys.argv[1:]
    return not getattr(test, "long", False) or LONG


def wants(test):
    """Whether the test has an argument, and so is called with each of the variants."""
    return any(one.default is one.empty for one in inspect.signature(test).parameters.values())


def outcome(name, test, given):
    """"ok", "not ok" or "skipped", with the reason."""
    began = time.monotonic()
    label = " ".join([name[5:], *given])
    try:
        with Folder():
            test(*given)
    except Missing as missing:
        print("skipped", label, "#", missing, flush=True)
        return "skipped"
    except Exception as error:
        reason = traceback.format_exc().strip().splitlines()
        first = str(error).splitlines() if isinstance(error, AssertionError) else []
        print("not ok", label, "#", first[0] if first else reason[-1], flush=True)
        print("\n".join("# " + line for line in reason), flush=True)
        return "not ok"
    took = time.monotonic() - began
    print("ok", label, *([f"# {took:.1f} s"] if took > SLOW else []), flush=True)
    return "ok"


def run_tests(names, variants=()):
    """Runs all functions test_* of a script. Those with an argument are called with each of the variants."""
    outcomes = []
    chosen_variants = [one for one in variants if one in sys.argv[1:]] or variants
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in variants]
    tests = [(name, test) for name, test in names.items() if name.startswith("test_") and is_chosen(name, test)]
    for one in chosen_variants:
        outcomes += [outcome(name, test, (one,)) for name, test in tests if wants(test)]
    outcomes += [outcome(name, test, ()) for name, test in tests if not wants(test)]
    if not outcomes:
        print("no test was run")
    sys.exit(1 if "not ok" in outcomes or not outcomes else 0 if "ok" in outcomes else 77)
