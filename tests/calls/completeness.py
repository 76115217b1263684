#!/usr/bin/env python3
"""Every function of the C library that takes or makes a path, a descriptor, a FILE or a DIR is a row, or is listed with a
reason in calls/excluded.list. Candidates are derived from the library and its headers (_library.py)."""
import json
import os
import re
import shutil
import sys

import _library
from _calls import BUILD, run_tests

EXCLUDED_MOST = 40
SOURCE = os.environ.get("VARVE_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

if not shutil.which("dpkg") or not _library.headers():
    print("no package libc6-dev to take the prototypes from")
    sys.exit(77)
SUSPECTS = _library.suspects()
CANDIDATES = {name: why for name, why in SUSPECTS.items() if not _library.no_file(name)}
SYMBOLS = _library.exported()


def rows():
    with open(os.path.join(BUILD, "generated", "calls.json"), encoding="utf-8") as file:
        return {row["symbol"] for row in json.load(file)["symbols"]}


def excluded():
    """Symbols and reasons of the list."""
    made = {}
    with open(os.path.join(SOURCE, "calls", "excluded.list"), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            match = re.fullmatch(r"(\w+) +-- (\S.{10,})", line.rstrip("\n"))
            assert match, f"calls/excluded.list:{number}: expected SYMBOL -- REASON"
            assert match[1] not in made, f"calls/excluded.list:{number}: {match[1]} is there twice"
            made[match[1]] = match[2]
    return made


def test_each_candidate_is_a_row_or_excluded():
    missing = sorted(set(CANDIDATES) - rows() - set(excluded()))
    shown = "\n".join(f"{name}: {CANDIDATES[name]}" for name in missing)
    assert not missing, f"{len(missing)} functions are neither rows nor excluded\n{shown}"


def test_the_exclusion_list_is_short_and_true():
    listed = excluded()
    assert len(listed) <= EXCLUDED_MOST, f"{len(listed)} exclusions, {EXCLUDED_MOST} are the most"
    stale = sorted(set(listed) - set(CANDIDATES))
    assert not stale, "excluded, but no candidate: " + ", ".join(stale)
    both = sorted(set(listed) & rows())
    assert not both, "excluded, but a row: " + ", ".join(both)


def test_candidates_are_found():
    """The derivation itself: each way to find a candidate finds these functions, and functions without a file are not found."""
    assert len(CANDIDATES) > 500, f"only {len(CANDIDATES)} candidates"
    for name in ("open", "fgetwc", "fts_open", "poll", "mq_send", "glob64", "aio_read", "realpath", "openpty", "setxattr",
                 "__read_chk", "_IO_fread", "__isoc99_fscanf", "__xstat", "__open64_2", "socket", "getwchar", "symlink",
                 "__fxstatat", "pipe2", "memfd_create"):
        assert name in CANDIDATES, f"{name} is not derived"
    for name in ("strlen", "getenv", "sysconf", "fnmatch", "uname", "malloc", "sigaction"):
        assert name not in CANDIDATES, f"{name} is derived: {CANDIDATES[name]}"


def test_rules_are_needed():
    """A rule that excludes nothing any more must be removed, and so must a name that the library does not have."""
    unknown = sorted(name for group in (_library.MAKERS, _library.UNDECLARED) for name in _library.listed(group)
                     if name not in SYMBOLS)
    assert not unknown, "not in the C library: " + ", ".join(unknown)
    idle = [pattern for pattern, _ in _library.NO_FILES if not any(re.fullmatch(pattern, name) for name in SUSPECTS)]
    assert not idle, f"rules for nothing: {idle}"


def test_fcntl_has_every_command():
    macros = "".join(_library.output("gcc", "-E", "-dM", "-D_GNU_SOURCE", "-include", header, "-x", "c", "/dev/null")
                     for header in ("fcntl.h", "linux/fcntl.h"))
    # Other constants with these prefixes: kinds of locks, owners and seals, commands of lockf, modes of access.
    other = r"F_(RDLCK|WRLCK|UNLCK|EXLCK|SHLCK|OWNER_\w+|SEAL_\w+|U?LOCK|TLOCK|TEST|OK|LINUX_SPECIFIC_BASE|\w+64)"
    commands = {name for name in re.findall(r"#define (F_\w+) ", macros) if not re.fullmatch(other, name)}
    with open(os.path.join(SOURCE, "calls", "kinds.calls"), encoding="utf-8") as file:
        kind = re.search(r"^kind fcntl_cmd .*\n((?:\t.*\n)+)", file.read(), re.M)
    known = set(re.findall(r"^\t(\w+)", kind[1], re.M))
    assert len(commands) > 20, f"only {len(commands)} commands in the headers"
    assert not commands - known, "no names for " + ", ".join(sorted(commands - known))


run_tests(globals())
