"""Running `varve` and other commands, and small programs for them. A program is compiled once for each text of it, into the
build folder."""
import glob
import hashlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile

from lib.places import BUILD, CC, PROGRAMS, SOURCE, VARVE, compiled_source, program

# For sh: calls for several blocks, and more output of `dump` than fits into a pipe.
BIG = "i=0; while [ $i -lt 9000 ]; do : < /etc/hostname; i=$((i+1)); done"


def varve(*words, **options):
    """Runs the command; stdout and stderr as bytes."""
    options.setdefault("timeout", 100)
    return subprocess.run([VARVE, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options)


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words, folder=".", **options):
    """One run of a command in a folder of its own."""
    os.makedirs(folder, exist_ok=True)
    options.setdefault("timeout", 100)
    options.setdefault("preexec_fn", no_core)
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    return subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def told_apart(stderr):
    """The program's lines on stderr, and those of varve, which begin with "varve: "."""
    lines = stderr.splitlines(keepends=True)
    own = [line for line in lines if line.startswith(b"varve: ")]
    return b"".join(line for line in lines if line not in own), b"".join(own)


def shell_status(code):
    return code if code >= 0 else 128 - code


def wait_for_end(pid):
    """For a process that is not a child of the test: waits until none of its threads runs."""
    while True:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] in "ZX":
                    return
        except OSError:
            return


class Run:
    """A program that is recorded into t.varve until it is ended. `pid` is its own, `record.pid` the command's."""

    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        # If killed, its records stay in its lanes.
        self.record = subprocess.Popen([VARVE, "record", "--no-keeper", "-o", "t.varve", *self.options, "--", "sh", "-c",
                                        "echo $$; read wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.pid = self.record.stdout.readline().decode().strip()
        if not self.pid:
            raise AssertionError(f"the program did not start: status {self.record.wait()}")
        return self

    def __exit__(self, *_):
        self.end()
        self.record.stdin.close()
        self.record.stdout.close()

    def end(self):
        """Ends it, unless it has ended; returns its status."""
        if self.record.returncode is None:
            self.record.communicate(b"\n")
        return self.record.returncode

    def kill(self):
        """Kills the command together with its program: all records exist, but in lanes."""
        os.killpg(self.record.pid, signal.SIGKILL)
        self.record.wait()
        wait_for_end(self.pid)


def remove_trace(path):
    """In either form, if it exists."""
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.exists(path):
        os.unlink(path)


def damage_last_block(trace="t.varve"):
    """For a folder, in its records, which are at the end of a block."""
    with open(os.path.join(trace, "data.0"), "r+b") as file:
        file.seek(-40, os.SEEK_END)
        file.write(b"damaged")


def compiled(command, sources, extra=""):
    """The path of the output of `command`, which has all arguments except the output, for these files; `extra`: further
    dependencies."""
    key = hashlib.sha256(repr((command, extra)).encode())
    for source in sources:
        with open(source, "rb") as file:
            key.update(file.read())
    place = os.path.join(BUILD, "compiled")
    made = os.path.join(place, key.hexdigest()[:20])
    if not os.path.exists(made):
        os.makedirs(place, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place) as folder:
            aside = os.path.join(folder, "made")
            result = subprocess.run([*command, "-o", aside], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if result.returncode:
                raise AssertionError(f"{' '.join(command)}:\n{result.stdout}")
            os.replace(aside, made)
    return made


def program_copy(name, to=None):
    """./NAME or ./TO: a copy of a built program in this folder."""
    shutil.copy(program(name), to or name)
    return "./" + (to or name)


def build_program(name, *options, source=None, compiler=CC):
    """./NAME, compiled from tests/programs/compiled/SOURCE (default: NAME.c) with these options."""
    path, include = compiled_source(source or name + ".c"), os.path.join(SOURCE, "include")
    made = compiled([compiler, "-O1", f"-I{include}", path, "-pthread", *options],
                    [path, *sorted(glob.glob(os.path.join(include, "varve", "*.h")))])
    shutil.copy(made, name)
    return "./" + name


def each_call_program(work, step=1):
    """Calls work(program) for each of the programs that make all calls of a family, or each STEP-th, in a folder of its own."""
    programs = sorted(glob.glob(os.path.join(PROGRAMS, "call_*")))
    assert len(programs) > 20, programs
    for path in programs[::step]:
        name = os.path.basename(path)
        os.mkdir(name)
        os.chdir(name)
        try:
            work(path)
        except AssertionError as wrong:
            raise AssertionError(f"{name}: {wrong}") from wrong
        finally:
            os.chdir("..")
