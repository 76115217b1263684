"""Shared by the tests with real programs: one run after the other in one place, with and without Varve, compared with each
other.

A program is run twice without Varve, then under `varve record`, then with LD_PRELOAD alone, each time in a new folder with the
same name. Output, status and remaining files must be the same. Files that differ between the two runs without Varve (keys,
times) must exist in all runs, but their content is not compared. The trace must be complete and contain the programs that ran.
A test is skipped with a message if its program is not installed.
"""
import os
import pwd
import re
import shutil
import stat
import subprocess
import time

from lib import (LIBRARY, PATH, UNTRACED, VARVE, Missing, Trace, need, no_core, run_tests, same, shell_status, told_apart, varve)


def environment(folder, **more):
    """No settings of the user who runs the tests: programs read their configuration."""
    return {"PATH": PATH, "HOME": folder, "LANG": "C.UTF-8", "TZ": "UTC", "TMPDIR": os.path.join(folder, "tmp"), **more}


def tree(folder):
    """The content of a folder: kind, permissions, owner, links, target or content."""
    found = {}
    for path, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            whole = os.path.join(path, name)
            about = os.lstat(whole)
            content = None
            if stat.S_ISREG(about.st_mode):
                with open(whole, "rb") as file:
                    content = file.read()
            elif stat.S_ISLNK(about.st_mode):
                content = os.readlink(whole)
            found[os.path.relpath(whole, os.fsencode(folder))] = (about.st_mode, about.st_uid, about.st_gid, about.st_nlink
                                                                  if content is not None else 0, content)
    return found


class Outcome:
    """The output, status and files of a run."""

    def __init__(self, result, folder, tidy):
        self.stderr, self.told = told_apart(result.stderr)
        self.said = tuple(tidy(text) for text in (result.stdout, self.stderr))
        self.status = shell_status(result.returncode)
        self.files = {tidy(name): what for name, what in tree(folder).items()}


class Bench:
    """The place where one program runs again and again: `work`, and its input beside it."""

    def __init__(self, prepare=None, user=None, tidy=lambda text: text, timeout=100, varying=None, **variables):
        self.root = os.getcwd()
        self.folder = os.path.join(self.root, "work")
        self.prepare, self.user, self.tidy, self.timeout = prepare, user, tidy, timeout
        self.varying = varying  # names of files that may differ although two runs without Varve happened to be equal
        self.environment = environment(self.folder, **variables)
        os.chmod(self.root, 0o711)
        self.traces = os.path.join(self.root, "traces")
        os.mkdir(self.traces)
        self.varve, self.library = self.installed()
        if user:
            shutil.chown(self.traces, user)

    def installed(self):
        """The command and the library where every user can read them."""
        place = os.path.join(self.root, "bin")
        os.mkdir(place)
        return tuple(shutil.copy(name, os.path.join(place, os.path.basename(name))) for name in (VARVE, LIBRARY))

    def around(self):
        return ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups", "--"] if self.user else []

    def run(self, words, before=()):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "tmp"))
        if self.prepare:
            self.prepare(self.folder)
        if self.user:
            for path, _, files in os.walk(self.folder):
                for name in [path, *(os.path.join(path, file) for file in files)]:
                    shutil.chown(name, self.user)
        result = subprocess.run([*self.around(), *before, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=self.timeout,
                                preexec_fn=no_core, env=self.environment)
        return Outcome(result, self.folder, self.tidy)

    def recorded(self, words, options=()):
        trace = os.path.join(self.traces, "record.varve")
        outcome = self.run(words, [self.varve, "record", "-o", trace, *options, "--"])
        return outcome, Trace(trace, outcome.told)

    def preloaded(self, words):
        trace = os.path.join(self.traces, "preload.varve")
        given = self.environment.get("LD_PRELOAD")
        both = self.library if not given else f"{self.library}:{given}"
        return self.run(words, ["env", f"LD_PRELOAD={both}", f"VARVE_TRACE={trace}"]), Trace(trace)


def alike(got, plain, again, which, varying):
    """The same as without Varve, except for values that differ in each run."""
    same((which, got.status), (which, plain.status), got.said)
    same((which, *got.said), (which, *plain.said))
    same((which, sorted(got.files)), (which, sorted(plain.files)))
    for name, what in plain.files.items():
        if what == again.files[name] and not (varying and re.search(varying, name)):
            same((which, name, got.files[name]), (which, name, what))
        else:
            same((which, name, got.files[name][:3]), (which, name, what[:3]))


def settled(trace, patience=100):
    """Waits for processes that outlived the program, then completes the trace."""
    until = time.monotonic() + patience
    while trace.info()["running_processes"]:
        assert time.monotonic() < until, "something of the program still runs"
        time.sleep(0.02)
    while True:
        result = varve("pack", "--recover", trace.path)
        # The keeper of a run without `varve record` packs the trace.
        if result.returncode != 1 or b"is being packed by" not in result.stderr:
            break
        assert time.monotonic() < until, "it is being packed for ever"
        time.sleep(0.02)
    same(result.returncode, 0, result.stderr)
    # From here on no other process replaces the file.
    while (result := varve("pack", trace.path)).returncode:
        assert time.monotonic() < until, result.stderr
        time.sleep(0.02)


def complete(trace, programs, losses, status):
    """Readable, nothing missing but the expected losses, every program in it."""
    info = trace.info()
    same((info["damage"], {row["reason"]: row["count"] for row in info["losses"]}), ([], losses), trace.told)
    if status is not None:
        same(info["status"], status)
    seen = {os.path.basename(process["exe"]) for process in info["processes"]}
    missing = [name for name in programs if not any(re.fullmatch(name, exe) for exe in seen)]
    same(missing, [], sorted(seen))
    dumped = varve("dump", "--format", "csv", trace.path, timeout=100)
    same(dumped.returncode, 0, dumped.stderr)
    assert dumped.stdout.count(b"\n") > info["records"], "fewer lines than records"
    return info


def transparent(words, programs, status=0, losses=None, preload=True, said=b"", outlived=False, **bench):
    """Runs `words` without Varve, under `varve record` and preloaded. Returns the two traces' summaries.

    `programs` are patterns of executables that the trace must name, `losses` the permitted losses by reason, `said` expected
    messages of `varve record`. `outlived`: a process of the program may end after it; `varve record` reports this, or not.
    """
    place = Bench(**bench)
    plain, again = place.run(words), place.run(words)
    same((plain.status, plain.status), (status, again.status), plain.said)
    same(again.said, plain.said, "differs without Varve already")
    same(sorted(again.files), sorted(plain.files), "differs without Varve already")
    outcome, trace = place.recorded(words)
    alike(outcome, plain, again, "record", place.varying)
    if outlived:
        assert not outcome.told or b"still run" in outcome.told, outcome.told
        settled(trace)
    else:
        assert (said in outcome.told if said else not outcome.told), outcome.told
    infos = [complete(trace, programs, losses or {}, status)]
    if preload:
        outcome, trace = place.preloaded(words)
        alike(outcome, plain, again, "preload", place.varying)
        same(outcome.told, b"")
        settled(trace)
        infos.append(complete(trace, programs, losses or {}, None))
    return infos


def calls(info, *functions):
    """The number of calls of these functions."""
    return sum(row["calls"] for row in info["functions"] if row["function"] in functions)


def script(text, name="script"):
    """A `prepare` that writes a file into the folder."""
    def prepare(folder):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    return prepare


def a_user():
    """A user who is not root; the name, or None if the test does not run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
            return name
        except KeyError:
            continue
    raise Missing("a user that is not root", "is not there")


def sample(folder, files=40):
    """A tree with a variety of files: sizes, links, a hole, odd names, an empty folder. The same each time."""
    base = os.path.join(folder, "source")
    for at in range(files):
        place = os.path.join(base, f"d{at % 5}", f"e{at % 3}")
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"file {at}"), "wb") as file:
            file.write(bytes((at * 7 + i * i) % 256 for i in range(at * 331)))
    with open(os.path.join(base, "hole"), "wb") as file:
        file.seek(300000)
        file.write(b"end")
    with open(os.fsencode(base) + b"/n\xe9 name\nof two lines", "wb") as file:
        file.write(b"odd")
    os.link(os.path.join(base, "hole"), os.path.join(base, "hole again"))
    os.symlink("hole", os.path.join(base, "link"))
    os.symlink("nowhere", os.path.join(base, "broken link"))
    os.mkfifo(os.path.join(base, "pipe"))
    os.makedirs(os.path.join(base, "empty"))
    for path, folders, names in os.walk(base, topdown=False):
        for name in folders + names:
            os.utime(os.path.join(path, name), (1500000000, 1500000000), follow_symlinks=False)
    os.utime(base, (1500000000, 1500000000))


__all__ = ["UNTRACED", "Bench", "Missing", "a_user", "alike", "calls", "complete", "need", "run_tests", "same", "sample",
           "script", "transparent"]
