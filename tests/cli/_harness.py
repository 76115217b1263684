"""What the tests of the command share: a scratch folder, running `varve`, compiling small programs, reporting.

A test is a function named test_*; run_tests() calls each, prints `ok NAME` or `not ok NAME` with the reason, and exits
non-zero when one failed. The command under test is named by the variable VARVE.
"""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

VARVE = os.environ.get("VARVE", "varve")
CC = os.environ.get("CC", "cc")
# For sh: calls for several blocks, and more text of `dump` than a pipe takes.
BIG = "i=0; while [ $i -lt 9000 ]; do : < /etc/hostname; i=$((i+1)); done"


class Folder:
    """A scratch folder that is the working directory while it lasts."""

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
    """Lanes of traces in this folder that nobody has collected: those of libraries that were preloaded alone."""
    for control in glob.glob("/dev/shm/varve-*/control"):
        try:
            with open(control, "rb") as file:
                ours = os.fsencode(folder) + b"/" in file.read()
        except OSError:
            continue
        if ours:
            shutil.rmtree(os.path.dirname(control), ignore_errors=True)


def varve(*words, **options):
    """Runs the command; stdout and stderr as bytes."""
    options.setdefault("timeout", 60)
    return subprocess.run([VARVE, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options)


def wait_for_end(pid):
    """Of a process that is not our child: until nothing of it runs any more."""
    while True:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] in "ZX":
                    return
        except OSError:
            return


class Run:
    """A program that is being recorded into t.varve until it is told to end. `pid` is its own, `record.pid` the command's."""

    def __enter__(self):
        # Killed, it is to leave what it has recorded in its lanes.
        self.record = subprocess.Popen([VARVE, "record", "--no-keeper", "-o", "t.varve", "--", "sh", "-c", "echo $$; read wait"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.pid = self.record.stdout.readline().decode().strip()
        if not self.pid:
            raise AssertionError(f"the program did not start: status {self.record.wait()}")
        return self

    def __exit__(self, *_):
        self.end()
        self.record.stdin.close()
        self.record.stdout.close()

    def end(self):
        """Tells it to end, unless it has; its status."""
        if self.record.returncode is None:
            self.record.communicate(b"\n")
        return self.record.returncode

    def kill(self):
        """The command together with its program: all is there, but in lanes."""
        os.killpg(self.record.pid, signal.SIGKILL)
        self.record.wait()
        wait_for_end(self.pid)


def damage_last_block(trace="t.varve"):
    """In its records: they are what a block ends with."""
    with open(os.path.join(trace, "data.0"), "r+b") as file:
        file.seek(-40, os.SEEK_END)
        file.write(b"damaged")


def compile_program(name, source):
    with open(name + ".c", "w") as file:
        file.write(source)
    subprocess.run([CC, "-O1", "-o", name, name + ".c", "-lpthread"], check=True)
    return "./" + name


def dump_json(trace, *options):
    result = varve("dump", "--format", "json", *options, trace)
    same(result.returncode, 0, result.stderr)
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def each_call_program(work):
    """Calls work(program) for each of the programs that make all calls of a family, in a folder of its own."""
    programs = sorted(glob.glob(os.path.join(os.environ.get("VARVE_PROGRAMS", ""), "call_*")))
    assert len(programs) > 20, programs
    for program in programs:
        name = os.path.basename(program)
        os.mkdir(name)
        os.chdir(name)
        try:
            work(program)
        except AssertionError as wrong:
            raise AssertionError(f"{name}: {wrong}") from wrong
        finally:
            os.chdir("..")


def same(got, expected, about=""):
    if got != expected:
        raise AssertionError(f"got {got!r}, expected {expected!r} {about!r}")


def holds(text, part):
    if part not in text:
        raise AssertionError(f"{part!r} is not in {text!r}")


def run_tests(names):
    failed = 0
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        try:
            with Folder():
                test()
            print("ok", name[5:], flush=True)
        except Exception:
            failed += 1
            reason = traceback.format_exc().strip().splitlines()
            print("not ok", name[5:], "#", reason[-1], flush=True)
            print("\n".join("# " + line for line in reason), flush=True)
    sys.exit(1 if failed else 0)
