"""Compares the records of a program with the output of strace, in two runs of the same program.

Each system call must have a record, or be made inside a function of libc that is recorded itself, or inside one that gets
neither path nor descriptor, or by the loader: the stack shows it. Each record of a function that is one system call must have
one. Calls that differ between two runs under strace (timing) are ignored, and must be few.
"""
import collections
import json
import os
import shutil
import subprocess

from _signatures import CWD, UNINTERESTING, Places, Table, of_event, of_record, timed
from _stacks import caller, reason_for
from _strace import witnessed
from lib import BUILD, VARVE, Missing, need, run_tests, same, told_apart  # noqa: F401
from real._real import environment, sample, script  # noqa: F401

# Functions that make a system call of this name at most once.
ONCE = {("fopen", "openat"), ("opendir", "openat"), ("fclose", "close"), ("closedir", "close"), ("fdopen", "fcntl"),
        ("popen", "pipe2"), ("mkstemp", "openat"), ("pthread_create", "clone3"), ("posix_spawn", "clone3")}
UNSTEADY_MOST = 0.05


class Difference(AssertionError):
    """strace and Varve disagree."""


class Run:
    """The folder in which the program runs each time, and its environment."""

    def __init__(self, prepare, tidy, **variables):
        self.prepare, self.places = prepare, Places(tidy)
        self.folder = os.path.join(os.getcwd(), "work")
        # No locales to load; rows that are off are turned on, because one of them may explain a call.
        self.environment = environment(self.folder, LC_ALL="C", VARVE_ALSO="stdio", **variables)

    def fresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "tmp"))
        if self.prepare:
            self.prepare(self.folder)

    def strace(self, words, output, stacks):
        self.fresh()
        result, events = witnessed(words, self.folder, output, stacks, env=self.environment)
        return result, [event for event in events if event.name not in UNINTERESTING]

    def varve(self, words):
        self.fresh()
        trace = os.path.join(os.getcwd(), "t.varve")
        result = subprocess.run([VARVE, "record", "-o", trace, "--", *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, env=self.environment)
        dump = subprocess.run([VARVE, "dump", "--format", "json", trace], stdout=subprocess.PIPE, check=True)
        records = [json.loads(line) for line in dump.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]]
        return result, [record for record in records if record["layer"] != "varve"]


def family(signature):
    """The unit that is ignored as a whole if one of its calls varies: the call, on this file."""
    call, fields, _ = signature
    first = next((field for field in fields if field != CWD), None)
    return call, first[1] if isinstance(first, tuple) else first


def unsteady(first, second):
    """Families of calls that differ between two runs without Varve."""
    counts = [collections.Counter(signature for signature, _ in run) for run in (first, second)]
    return {family(signature) for signature in counts[0].keys() | counts[1].keys()
            if counts[0][signature] != counts[1][signature] and not timed(signature)}


class Witness:
    """One comparison: system calls with their signatures on one side, records on the other."""

    def __init__(self, table, signed, records, places):
        self.table, self.places = table, places
        self.signed, self.records = signed, records
        self.functions = collections.Counter(record["function"] for record in records)
        self.opened = collections.Counter((record["function"], record["args"].get("path")) for record in records)
        self.excuses = collections.Counter()
        self.inner = collections.Counter()
        self.gaps = []

    def classify(self, event):
        """("direct", row), ("inner", row), ("quiet", reason) or ("gap", who)."""
        found = caller(event.frames)
        if found is None:
            return "gap", "the program itself, without libc"
        rows = [self.table.function[name] for name in found.names if name in self.table.function]
        if rows:
            row = next((row for row in rows if self.functions[row]), rows[0])
            source = self.table.sources.get(row)
            return ("direct" if source and source[0] == self.called(event) else "inner"), row
        for name in found.names:
            reason = self.table.excluded.get(name) or reason_for(name)
            if reason:
                return "quiet", f"{name} {reason}"
        return "gap", repr(found)

    def called(self, event):
        signature = of_event(event, self.table, self.places)
        return signature[0] if signature else None

    def compare(self):
        """Fills gaps; returns how many of the system calls were records."""
        wanted = collections.Counter(filter(None, (of_record(record, self.table, self.places) for record in self.records)))
        matched, left = 0, []
        kinds = {"direct": [], "gap": [], "inner": [], "quiet": []}
        for signature, event in self.signed:
            kind, who = self.classify(event)
            kinds[kind].append((signature, event, who))
        for signature, event, _ in kinds["direct"] + kinds["gap"]:
            if wanted[signature] > 0:
                wanted[signature] -= 1
                matched += 1
            else:
                left.append((event, signature))
        for signature, event, who in kinds["inner"]:
            # A call by number has the record of the system call itself.
            if who == "syscall" and wanted[signature] > 0:
                wanted[signature] -= 1
                matched += 1
                continue
            self.excuses[who] += 1
            self.inner[who, event.name] += 1
        for _, _, who in kinds["quiet"]:
            self.excuses[who] += 1
        for event, signature in left:
            self.gaps.append(f"no record of {event}: {caller(event.frames)}; looked for {signature}")
        self.gaps += [f"no system call for the record {signature}, {count} times" for signature, count in wanted.items() if count]
        self.check_inner()
        return matched

    def check_inner(self):
        for (row, call), count in self.inner.items():
            if not self.functions[row] or ((row, call) in ONCE and count > self.functions[row]):
                self.gaps.append(f"{count} {call} inside {row}, which was recorded {self.functions[row]} times")


def agree(words, prepare=None, tidy=lambda text: text, status=0, unsteady_most=UNSTEADY_MOST, by_time=(), **variables):
    """The test: runs it three times, prints the shares, raises if calls are missing or too many. `by_time`: system calls whose
    number depends on time."""
    table = Table(BUILD, os.environ["VARVE_SOURCE"])
    run = Run(prepare, tidy, **variables)
    plain, events = run.strace(words, "first", True)
    again, others = run.strace(words, "second", False)
    traced, records = run.varve(words)
    same((plain.returncode, again.returncode, traced.returncode), (status,) * 3, (plain.stderr, traced.stderr))
    same(told_apart(traced.stderr)[1], b"")
    for record in records:
        if record["args"].get("newpath_absolute") and not record.get("failed") and "rename" in record["function"]:
            run.places.rename(*(record["args"][name].encode("utf-8", "surrogateescape")
                                for name in ("path_absolute", "newpath_absolute")))

    def signatures(found):
        return [(of_event(event, table, run.places) or (event.name, (), event.error or event.result), event) for event in found]
    signed = signatures(events)
    shaky = unsteady(signed, signatures(others))

    def steady(signature):
        return signature is None or (family(signature) not in shaky and not timed(signature) and signature[0] not in by_time)
    kept = [(signature, event) for signature, event in signed if steady(signature)]
    remembered = [record for record in records if steady(of_record(record, table, run.places))]
    witness = Witness(table, kept, remembered, run.places)
    witness.functions = collections.Counter(record["function"] for record in records)
    matched = witness.compare()
    total, excused = len(events), sum(witness.excuses.values())
    print(f"# {total} system calls: {matched} recorded one by one, {excused} ({100 * excused / max(total, 1):.1f} %) excused by "
          f"their stack, {total - len(kept)} differ from run to run; {len(records)} records")
    print("# excused: " + ", ".join(f"{who} {count}" for who, count in witness.excuses.most_common(12)))
    if shaky:
        print("# from run to run: " + ", ".join(sorted(f"{call} {where!r}" for call, where in shaky))[:600])
    if witness.gaps:
        raise Difference(f"{len(witness.gaps)} differences\n" + "\n".join(witness.gaps[:400]))
    if total - len(kept) > unsteady_most * total:
        raise Difference(f"{total - len(kept)} of {total} system calls differ from run to run")
    return witness
