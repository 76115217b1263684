"""Random traces by the thousand: makes the trace of each seed and has both decoders read it, as it is or packed.

Two processes share the seeds. Where the decoders disagree the seed is printed and the trace is kept below the build folder;
`python3 tests/decoder/random_traces.py SEED` (or random_packed.py) makes and reads it again.
"""
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

from _assemble import write_trace
from _blocks import TABLES, scan
from _compare import VARVE, agree
from _definitions import said_of

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(os.path.dirname(HERE), "golden", "first.varve")
KEPT = os.path.join(os.environ.get("VARVE_BUILD", tempfile.gettempdir()), "random-traces")
PROCESSES = 2
MOST_SHOWN = 10


def real_tables():
    with open(os.path.join(GOLDEN, "data.0"), "rb") as file:
        blocks, *_ = scan(file.read())
    return next(block.payload() for block in blocks if block.type == TABLES)


def agree_packed(trace):
    """As agree(), of the trace as it is, then in its packed form with each way to keep times."""
    source, calls = agree(trace)
    told = list(said_of(source))
    for time in ("exact", "histogram", "none"):
        target = f"{trace}.{time}"
        subprocess.run([VARVE, "pack", "--quiet", "--time", time, "-o", target, trace], check=True, stderr=subprocess.PIPE)
        mine, packed = agree(target)
        # What is known of files may be more where halves are joined; the calls are the same.
        assert list(map(what, packed)) == list(map(what, calls)), f"{time}: the packed trace has other calls"
        if time == "exact":
            assert list(map(when, packed)) == list(map(when, calls)), "the packed trace has other times"
        assert list(said_of(mine)) == told, f"{time}: the packed trace has other definitions"
        assert places(mine) == places(source), f"{time}: the packed trace has other damages"
    return source, calls


def places(trace):
    return sorted(damage[:3] for damage in trace.damages)


def what(call):
    """What the record itself says, but for times."""
    return [call.get(key) for key in ("process", "thread", "pid", "tid", "rank", "ordinal", "depth", "function", "function_id",
                                      "words", "result", "failed", "errno", "unfinished", "fd", "offset", "vfork", "runtime")]


def when(call):
    return call["start"], call.get("duration")


def try_seed(folder, seed, real, packed):
    """None, or what is wrong; the number of calls; whether the trace was damaged."""
    trace = os.path.join(folder, "random.varve")
    done = write_trace(trace, seed, real)
    try:
        mine, calls = agree_packed(trace) if packed else agree(trace)
        return None, len(calls), bool(mine.damages)
    except Exception:
        kept = os.path.join(KEPT, f"{seed}.varve")
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(KEPT, exist_ok=True)
        shutil.copytree(trace, kept)
        return f"seed {seed}, {done or 'not damaged'}, kept as {kept}\n{traceback.format_exc()}", 0, False


def scratch():
    return tempfile.TemporaryDirectory(prefix="varve-decoder-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def share(arguments):
    """One process's share of the seeds."""
    seeds, real, packed = arguments
    wrong, calls, damaged = [], 0, 0
    with scratch() as folder:
        for seed in seeds:
            complaint, count, hurt = try_seed(folder, seed, real, packed)
            calls += count
            damaged += hurt
            if complaint:
                wrong.append(complaint)
    return len(seeds), wrong, calls, damaged


def run_many(first, count, packed):
    """Reads the traces of `count` seeds from `first` on; the exit status."""
    real = real_tables()
    seeds = range(first, first + count)
    size = max(1, min(1000, count // (2 * PROCESSES)))
    shares = [(seeds[at:at + size], real, packed) for at in range(0, count, size)]
    traces = calls = damaged = bad = 0
    with multiprocessing.Pool(PROCESSES) as pool:
        for tried, wrong, found, hurt in pool.imap_unordered(share, shares):
            for complaint in wrong[:max(0, MOST_SHOWN - bad)]:
                print(complaint, flush=True)
            traces, calls, damaged, bad = traces + tried, calls + found, damaged + hurt, bad + len(wrong)
    print(f"{traces} traces, {damaged} of them damaged, {calls} calls: {bad} disagreements")
    if not bad and not (calls > traces and traces > damaged > traces // 10):
        print("the traces are not what they should be")
        return 1
    return 1 if bad else 0


def main(count, packed=False):
    """All seeds, or those that the command line names. A command with sanitizers is slow: a few will do."""
    if len(sys.argv) > 1:
        bad = 0
        with scratch() as folder:
            for seed in map(int, sys.argv[1:]):
                complaint = try_seed(folder, seed, real_tables(), packed)[0]
                print(complaint or f"seed {seed}: the decoders agree")
                bad += complaint is not None
        sys.exit(1 if bad else 0)
    sys.exit(run_many(1, min(count, 2000) if os.environ.get("VARVE_SANITIZE") else count, packed))
