"""Shared by the programs of bench/: running commands, means with intervals, comparison with targets.

Used by bench/encodings, bench/encode, bench/growth, bench/pack and bench/peers, and in part by the others; measures nothing
itself.
"""
import json
import math
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

# Student's t for 95 %, by degrees of freedom from 1 on.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
           2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]
ENDINGS = {signal.SIGTERM, signal.SIGHUP}


def remove_folder(folder):
    """Removes a folder, even while a process that is about to end still writes into it."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.05)


class OwnFolder:
    """A folder for the time of a `with`. A signal that ends the program (TERM, HUP) also removes the folder and ends started
    processes. These signals are blocked while the folder is created and removed."""

    def __init__(self, parent, prefix="varve-bench."):
        self.parent, self.prefix = parent, prefix

    def __enter__(self):
        for number in ENDINGS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda which, _: sys.exit(128 + which))
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        self.folder = tempfile.mkdtemp(prefix=self.prefix, dir=self.parent)
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
        except SystemExit:
            self.__exit__()
            raise
        return self.folder

    def __exit__(self, *why):
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        finally:
            remove_folder(self.folder)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)


class Unmeasurable(Exception):
    pass


def run(*command, **how):
    try:
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    except OSError as why:
        raise Unmeasurable(f"{command[0]}: {why.strerror}") from why
    if done.returncode != 0:
        raise Unmeasurable(f"'{' '.join(command)}' ended with status {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def cost_of(rounds, *command):
    """Processor time and peak memory of a command, without its output: the median of some rounds."""
    found = []
    for _ in range(rounds):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
            _, status, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode != 0:
            raise Unmeasurable("'%s' ended with status %d" % (" ".join(command), running.returncode))
        found.append({"cpu_s": usage.ru_utime + usage.ru_stime, "peak_kib": usage.ru_maxrss})
    return sorted(found, key=lambda one: one["cpu_s"])[(rounds - 1) // 2]


def numbers(text):
    return {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", text)}


def size_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def build_folder(given):
    """The build to measure: the given one, or the newer of build/release and build/dev."""
    built = [os.path.abspath(given)] if given else [os.path.join(ROOT, "build", name) for name in ("release", "dev")]
    built = [path for path in built if os.access(os.path.join(path, "bin", "varve"), os.X_OK)]
    if not built:
        raise Unmeasurable("no varve is built; run ./try, or name a build with --build")
    return max(built, key=lambda path: os.path.getmtime(os.path.join(path, "bin", "varve")))


def interval(values):
    """Mean, and half the width of its 95 % interval."""
    mean, count = math.fsum(values) / len(values), len(values)
    if count < 2:
        return {"mean": mean, "half": 0.0, "runs": count}
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    t = STUDENT[count - 2] if count - 2 < len(STUDENT) else 1.96 + 2.5 / (count - 1)
    return {"mean": mean, "half": t * deviation / math.sqrt(count), "runs": count}


def shown(figure, digits):
    return "%.*f ± %.*f" % (digits, figure["mean"], digits, figure["half"])


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*: (.*)$", file.read(), flags=re.M)
    return {"cpu": found.group(1) if found else platform.machine(), "cores": os.cpu_count(), "kernel": platform.release(),
            "load": os.getloadavg()[0]}


class Targets:
    """The number of comparisons with targets, and the missed targets."""

    def __init__(self):
        self.held, self.missed = 0, []

    def hold(self, what, value, target, fine=None):
        self.held += 1
        fine = value <= target if fine is None else fine
        if not fine:
            self.missed.append("%s: %.4g, target %g" % (what, value, target))
        return "" if fine else "MISSED"


def main(name, parser, measure):
    """Runs `measure(options, build, folder, results, targets)` in a temporary folder; returns the exit status."""
    parser.add_argument("--build", metavar="DIR", help="the build that is measured (the newer of build/release and build/dev)")
    parser.add_argument("--folder", default="/dev/shm", metavar="DIR", help="where files and traces go (/dev/shm)")
    parser.add_argument("--json", metavar="FILE", help="the figures as JSON too")
    options = parser.parse_args()
    try:
        with OwnFolder(options.folder) as folder:
            build = build_folder(options.build)
            targets, results = Targets(), {"machine": machine()}
            about = results["machine"]
            print("%s, %d cores, Linux %s, load %.1f at the start\n" % (
                about["cpu"], about["cores"], about["kernel"], about["load"]), flush=True)
            measure(options, build, folder, results, targets)
        results["missed"] = targets.missed
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
                file.write("\n")
        if targets.held:
            print("\n%s" % ("every target is met" if not targets.missed else "missed:\n    " + "\n    ".join(targets.missed)))
        return 1 if targets.missed else 0
    except Unmeasurable as why:
        print("bench/%s: %s" % (name, why), file=sys.stderr)
        return 2
