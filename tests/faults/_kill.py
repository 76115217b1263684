"""Shared by the kill_* tests: the counters of programs/faults/kill_worker.c, and comparing a trace with them.

A call had returned if its counter was stored. Each such call must be in the trace exactly once, in order, with its result. One
more may be there: the call in progress, without a result, or with one that was not counted yet.
"""
import concurrent.futures
import ctypes
import json
import mmap
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from lib import LIBRARY, VARVE, program, same, varve

WORKER, STEPPER = program("kill_worker"), program("kill_stepper")
BUFFER = "64K"  # the smallest lane: it is cut every 60 calls or so
STASH = 16384  # a fourth of it
HAND_OVER = 20000  # at least that many instructions

HEAD, SLOT = 64, 64
ENDINGS = {1: "exit", 2: "_exit", 3: "execv"}
ENOENT, EBADF = 2, 9
# A repeated string instruction is a step for each byte: memset and memcpy must use others.
PLAIN_LOOPS = "glibc.cpu.x86_rep_stosb_threshold=1000000000:glibc.cpu.x86_rep_movsb_threshold=1000000000"
BETWEEN = "between its events"
# Only the test completes the trace.
os.environ["VARVE_NO_KEEPER"] = "1"
LOSS_UNTRACED = 7  # a program that was killed before its recorder began counts as one
KILLED, OVER = 0, 3  # statuses of the stepper
PR_SET_CHILD_SUBREAPER = 36


class Slot:
    def __init__(self, words):
        self.count, self.ending, self.ended, self.forks, self.threads, self.waits = words


class Counters:
    """The file of counters; read it when all processes are dead."""

    def __init__(self, path, slots):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(HEAD + slots * SLOT)

    def read(self):
        with open(self.path, "rb") as file:
            with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
                used, self.phase, self.steps, self.syscalls, self.events = struct.unpack_from("<5I", memory, 0)
                used = min(used, (len(memory) - HEAD) // SLOT)
                return [Slot(struct.unpack_from("<Q5I", memory, HEAD + i * SLOT)) for i in range(used)]


def expected_result(sequence):
    """(result, errno) of a marked call."""
    if sequence % 8 == 7:
        return -1, ENOENT
    if sequence % 8 == 5:
        return -1, EBADF
    return 1 + sequence % 3, None


def mark_of(record):
    """(slot, sequence) of a marked call, or None."""
    if record["function"] == "pwrite":
        offset = record["args"]["offset"]
        return offset >> 32, offset & 0xffffffff
    if record["function"] == "open":
        path = record["args"].get("path", "")
        if path.startswith("/absent/"):
            slot, sequence = path[len("/absent/"):].split(".")
            return int(slot), int(sequence)
    return None


def dump(trace):
    result = varve("dump", "--format", "json", trace)
    same(result.returncode, 0, result.stderr)
    return json.loads(b"[" + b",".join(result.stdout.splitlines()) + b"]")


def undamaged(trace):
    result = varve("info", "--format", "json", trace)
    about = json.loads(result.stdout)
    losses = [loss for loss in about["losses"] if loss["reason"] != LOSS_UNTRACED]
    same((result.returncode, about["damage"], losses), (0, [], []), result.stderr)


def check_call(slot, place, number, record):
    """The record at `place` of the marked calls of a slot."""
    same(number, place, f"slot {slot}: calls out of order, lost or doubled")
    if "result" not in record:
        return False
    same((record["result"], record.get("errno")), expected_result(number), f"slot {slot}, call {number}")
    return True


def check_some(records, name, returned, about):
    """`returned` calls of this name returned in this stream."""
    found = [record for record in records if record["function"] == name]
    finished = [record for record in found if "result" in record]
    if not returned <= len(finished) <= len(found) <= returned + 1:
        raise AssertionError(f"{about}: {returned} {name} had returned, the trace has {len(finished)} and "
                             f"{len(found) - len(finished)} unfinished")
    if name == "fork" and any(record["result"] <= 0 for record in finished):
        raise AssertionError(f"{about}: a fork that its child recorded")


def check_end(records, slot, about):
    """An end that another process noticed is there once; any other end at most once."""
    name = ENDINGS.get(slot.ending)
    for ending in ENDINGS.values():
        found = [record for record in records if record["function"] == ending]
        if any("result" in record for record in found):
            raise AssertionError(f"{about}: {ending} returned")
        if len(found) > (ending == name) or (ending == name and slot.ended and not found):
            raise AssertionError(f"{about}: {len(found)} records of {ending}, about to end by {name}")


def check_records(records, slots):
    """Compares the trace with the counters. Returns the calls of slots that are in the trace but were not counted."""
    streams, marked, where = {}, {}, {}
    for record in records:
        key = record["process"], record["thread"]
        streams.setdefault(key, []).append(record)
        mark = mark_of(record)
        if mark is None or mark[0] >= len(slots):
            continue
        marked.setdefault(mark[0], []).append((mark[1], record))
        same(where.setdefault(mark[0], key), key, f"slot {mark[0]} in two streams")
    for key, stream in streams.items():
        same([record["ordinal"] for record in stream], list(range(len(stream))), f"ordinals of stream {key}")
    more = {}
    for number, slot in enumerate(slots):
        calls = marked.get(number, [])
        finished = [check_call(number, place, *call) for place, call in enumerate(calls)]
        if len(calls) < slot.count or not all(finished[:slot.count]):
            raise AssertionError(f"slot {number}: {slot.count} calls had returned, the trace has {len(calls)}, "
                                 f"{finished.count(True)} of them finished")
        if len(calls) > slot.count + 1:
            raise AssertionError(f"slot {number}: {slot.count} calls had returned, the trace has {len(calls)}")
        if len(calls) > slot.count:
            more[number] = calls[-1][1]
        if number in where:
            stream = streams[where[number]]
            about = f"slot {number}"
            check_some(stream, "fork", slot.forks, about)
            check_some(stream, "pthread_create", slot.threads, about)
            check_some(stream, "waitpid", slot.waits, about)
            check_end(stream, slot, about)
    return more


def check_trace(trace, lanes, slots):
    """All conditions for a trace of dead processes: before and after it is completed."""
    undamaged(trace)
    more = check_records(dump(trace), slots)
    if os.path.exists(os.path.join(trace, "lanes")):
        result = varve("pack", "--recover", trace)
        same(result.returncode, 0, result.stderr)
        undamaged(trace)
        check_records(dump(trace), slots)
    left = [os.path.join(here, name) for here, _, names in os.walk(lanes) for name in names]
    same(left, [], "lanes that nobody removed")
    same(os.listdir(lanes), [], "a lane folder that nobody removed")
    return more


def become_reaper():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap_all():
    """Waits until no descendant remains."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def children_of(pid):
    """Children of the first thread of `pid`."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def child_of(pid):
    """The first child of `pid`, as soon as there is one."""
    end = time.monotonic() + 100
    while time.monotonic() < end:
        children = children_of(pid)
        if children:
            return children[0]
    raise RuntimeError("the recorder started nothing")


def wait_until(moment):
    while time.perf_counter() < moment - 0.0005:
        time.sleep(0.0002)
    while time.perf_counter() < moment:
        pass


class Case:
    """One call that is single-stepped. `how` and `who` are those of programs/faults/kill_stepper.c; `before` marked calls are
    made first. `alone`: without `varve record`, so that the process cuts its own lane when it ends. `plain`: the call makes a
    single system call, so its record must be there once this call was made."""

    def __init__(self, name, how, mode, before=0, who="self", alone=False, plain=False):
        self.name, self.how, self.mode, self.before, self.who = name, how, mode, before, who
        self.alone, self.plain = alone, plain
        self.cuts = "hand-over" in name and how != "torn"

    def run(self, number):
        """Kills at `number` and compares; returns (over, counters). Which call cuts a lane differs from run to run, because the
        lane contains, for example, the process number in digits. If a run ended without a cut, it is repeated with one call
        fewer and one more."""
        for before in (self.before, self.before - 1, self.before + 1) if self.cuts else (self.before,):
            over, counters = self.run_once(number, before)
            if not over or counters.steps > HAND_OVER:
                break
        return over, counters

    def run_once(self, number, before):
        folder = os.path.realpath(tempfile.mkdtemp(prefix="varve-step-"))
        try:
            return self.run_in(folder, number, before)
        except AssertionError as wrong:
            raise AssertionError(f"{self.name}, killed at {self.how} {number}: {wrong}") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run_in(self, folder, number, before):
        trace, lanes = os.path.join(folder, "t.varve"), os.path.join(folder, "lanes")
        os.mkdir(lanes)
        counters = Counters(os.path.join(folder, "counters"), 64)
        words = [STEPPER, self.how, self.who, str(number), trace, counters.path, WORKER, counters.path, self.mode,
                 f"{before:04}"]
        environment = dict(os.environ, GLIBC_TUNABLES=PLAIN_LOOPS)
        if self.alone:
            environment.update(LD_PRELOAD=LIBRARY, VARVE_TRACE=trace, VARVE_LANES=lanes, VARVE_BUFFER="128K",
                               VARVE_NO_KEEPER="1")
        else:
            words = [VARVE, "record", "--buffer", BUFFER, "--lanes", lanes, "-o", trace, "--"] + words
        result = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, timeout=300)
        if result.returncode not in (KILLED, OVER):
            raise AssertionError(f"the stepper failed ({result.returncode}): {result.stderr}")
        slots = counters.read()
        more = check_trace(trace, lanes, slots)
        if self.plain and counters.syscalls and slots[0].count == before:
            same(0 in more, True, "the system call was made and its record is not there")
        return result.returncode == OVER, counters


def run_points(case, points):
    """Kills at each point, on two processors. Returns the number of points before the end of the call."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return sum(not over for over, _ in pool.map(case.run, points))


def cutting_calls(mode, most=200):
    """The numbers of the marked calls that cut the smallest lane, and the bytes of their blocks. All words have the same length
    in each case, because they are in the lane."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="varve-step-"))
    trace, lanes = os.path.join(folder, "t.varve"), os.path.join(folder, "lanes")
    os.mkdir(lanes)
    counters = Counters(os.path.join(folder, "counters"), 64)
    varve("record", "--buffer", BUFFER, "--lanes", lanes, "-o", trace, "--", STEPPER, "step", "self", "0", trace,
          counters.path, WORKER, counters.path, mode, f"{most:04}", check=True)
    cut, found = None, []
    for record in dump(trace):
        if record["layer"] == "varve" and "encode" in record["function"]:
            cut = record["args"]["bytes"]
        mark = mark_of(record)
        if cut and mark:
            found.append((mark[1], cut))
            cut = None
    shutil.rmtree(folder)
    same(len(found) > 0, True, f"no lane was cut in {most} calls")
    return found


def writing_call():
    """The number of the first one that has no room in the stash, and so writes it."""
    room = STASH
    for number, size in cutting_calls("threaded", 2000):
        room -= size
        if room < 0:
            return number
    raise AssertionError("the stash was never full in 2000 calls")


def all_cases():
    """The cases that are single-stepped, by name."""
    cut, stashed = cutting_calls("call")[0][0], cutting_calls("threaded")[0][0]
    return [
        Case("one call", "step", "call", before=9, plain=True),
        Case("one call that fails", "step", "call", before=13, plain=True),
        Case("one call with a name", "step", "call", before=15, plain=True),
        Case("one hand-over", "state", "call", before=cut),
        Case("one hand-over, " + BETWEEN, "step", "call", before=cut),
        Case("one hand-over whose write is torn", "torn", "call", before=cut),
        Case("one hand-over beside a thread", "state", "threaded", before=stashed),
        Case("one hand-over beside a thread, " + BETWEEN, "step", "threaded", before=stashed),
        Case("one hand-over that writes the stash", "state", "threaded", before=writing_call()),
        Case("one fork", "step", "fork"),
        Case("one fork, its child", "state", "forked", who="child"),
        Case("one fork, its child, " + BETWEEN, "step", "forked", who="child"),
        Case("one exit", "step", "exit", before=9),
        Case("one _exit", "step", "_exit", before=9),
        Case("one exit that cuts its lane", "state", "exit", before=9, alone=True),
        Case("one _exit that cuts its lane", "state", "_exit", before=9, alone=True),
        Case("one exit beside another process", "state", "beside", before=9, alone=True),
    ]


def run_cases(points_of, quick=False):
    """Runs every case at the points of `points_of` (case, their number), reports, and ends the test."""
    failed = 0
    for case in all_cases():
        if quick and (case.name.endswith(BETWEEN) or (case.alone and case.mode == "_exit")):
            continue
        try:
            over, counters = case.run(10 ** 8)
            same(over, True, "the stepper ran to the end")
            most = counters.steps if case.how == "step" else counters.events
            if case.cuts:
                same(counters.steps > HAND_OVER, True, f"a hand-over of {counters.steps} instructions is none")
            points = points_of(case, most)
            killed = run_points(case, points)
            same(killed * 2 >= len(points), True, f"only {killed} of {len(points)} points came before the end")
            print(f"ok {case.name} # killed at {killed} of {most} points ({case.how})", flush=True)
        except AssertionError as wrong:
            failed += 1
            print(f"not ok {case.name} # {wrong}", flush=True)
    sys.exit(1 if failed else 0)


def kill_at_instants(name, instants, one_instant, busy, what):
    """Calls `one_instant` for each instant and ends the test. Some of them must reach more than `busy`."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(1 << 30)
    draw = random.Random(seed)
    become_reaper()
    failures, counts = 0, []
    for number in range(instants):
        folder = os.path.realpath(tempfile.mkdtemp(prefix="varve-kill-"))
        try:
            counts.append(one_instant(folder, number, draw))
        except AssertionError as wrong:
            failures += 1
            print(f"# instant {number}: {wrong}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    if sum(count > busy for count in counts) < instants // 20:
        failures += 1
        print(f"# too few of them came far enough: {sorted(counts)}")
    print("not ok" if failures else "ok", f"{name} # seed {seed}, {failures} of {instants} failed, {sum(counts)} {what}")
    sys.exit(1 if failures else 0)
