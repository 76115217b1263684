#!/usr/bin/env python3
"""Programs that change their user or their root while they run: the calls of their threads, children and new images are
recorded as before, and other users get no access to the run. Counts come from the program's own arithmetic."""
import os
import shutil
import subprocess

from lib import LIBRARY, NO_LANE, VARVE, Trace, no_core, program, run_tests, same, need_root, small_disk, told_apart

OTHER, STRANGER = 33, 12345
need_root()


def public():
    """The command, the library and the program where every user can read them, and a file that every user can write."""
    os.chmod(".", 0o711)
    os.makedirs("bin")
    shutil.copy(VARVE, "bin/varve")
    for name in (LIBRARY, program("users")):
        shutil.copy(name, "bin")
    with open("out", "w") as file:
        os.chmod(file.name, 0o666)


def record(words, options=(), status=0, before=()):
    result = subprocess.run([*before, "bin/varve", "record", "-o", "t.varve", *options, "--", *words], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100, preexec_fn=no_core)
    stderr, told = told_apart(result.stderr)
    same((result.returncode, stderr), (status, b""), told)
    return Trace(os.path.abspath("t.varve"), told)


def users(way, count):
    return [os.path.abspath("bin/users"), way, str(count), str(OTHER), os.path.abspath("out")]


def all_kept(trace, count):
    same((trace.complete()["pwrite"], sum(call["size"] for call in trace.calls("--function", "pwrite"))), (count, count))


def each(way):
    public()
    trace = record(users(way, 50), status=7)
    all_kept(trace, 20 * 50)
    same(len(trace.info()["processes"]), 6)


def test_setuid():
    each("setuid")


def test_setreuid():
    each("setreuid")


def test_setresuid():
    each("setresuid")


def test_by_number():
    each("syscall")


def test_effective_only():
    """A program that starts with another effective user than its own ignores LD_PRELOAD: this is detected before it starts."""
    public()
    trace = record(users("seteuid", 50), status=7)
    same(trace.counts()["pwrite"], 15 * 50)
    same([(row["path"], row["why"], row["count"]) for row in trace.info()["untraced"]],
         [(os.path.abspath("bin/users"), "set-uid", 2)])


def test_full_lanes():
    """Blocks that the new user cannot write to the trace are written by the collector: no record is dropped."""
    public()
    all_kept(record(users("setuid", 5000), ("--buffer", "128K"), status=7), 20 * 5000)


def test_another_root():
    """The run is not visible from there: threads and children take lanes that were made before."""
    public()
    os.mkdir("root", 0o755)
    trace = record(users("chroot", 50), status=7)
    all_kept(trace, 15 * 50)
    same(len(trace.info()["processes"]), 2)


def test_handlers_see_their_files():
    """A thread of the recorder makes the lanes in reserve: no handler of the program runs on it."""
    public()
    same(record(users("interrupted", 1000), status=7).complete()["chroot"] >= 1000, True)


GUARDED = """import os, subprocess
with open("t.varve/lanes") as file:
    lanes = file.read()
def as_user(user, what):
    made = os.fork()
    if not made:
        os.setuid(user)
        try:
            what()
        except PermissionError:
            os._exit(7)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(made, 0)[1])
first, page = lanes + "/lane.1.1", lanes + "/control"
print([as_user(33, lambda: None)] + [as_user(33, what) for what in (
    lambda: os.listdir(lanes), lambda: open(first), lambda: os.unlink(first), lambda: os.unlink(page),
    lambda: os.rename(page, page + "2"), lambda: open("t.varve/data.0", "r+"))], flush=True)
"""


def test_others_are_kept_out():
    """A user with access can list, read and remove nothing; other users have no access: the test needs a user without access to
    the run."""
    public()
    with open("guarded.py", "w") as file:
        file.write(GUARDED + "input()\n")
    process = subprocess.Popen(["bin/varve", "record", "-o", "t.varve", "--", "/usr/bin/python3", "-S", "guarded.py"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same(process.stdout.readline(), b"[0, 7, 7, 7, 7, 7, 7]\n")
    with open("t.varve/lanes") as file:
        lanes = file.read()
    for name, refused in (("control", 1), ("lane.1.1", 1), ("", 2)):
        result = subprocess.run(["setpriv", "--reuid", str(STRANGER), "--clear-groups", "ls" if not name else "cat",
                                 os.path.join(lanes, name)], capture_output=True)
        same((result.returncode, result.stdout), (refused, b""), name)
    process.communicate(b"\n", timeout=60)
    same(process.returncode, 0)


def python_traced(words, before=(), around=()):
    """The output of the program."""
    public()
    result = subprocess.run([*before, "bin/varve", "record", "-o", "t.varve", "--", *around, "/usr/bin/python3", "-S", "-c", words],
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
    same(result.returncode, 0, result.stderr)
    return result.stdout


def test_refused():
    """Root without the right to change its user gives no user access."""
    same(python_traced("""import os
lanes = open("t.varve/lanes").read()
try:
    os.setuid(33)
except PermissionError:
    print("refused")
print([os.listxattr(path) for path in (lanes, lanes + "/control")])
""", around=("setpriv", "--inh-caps", "-setuid", "--bounding-set", "-setuid")), b"refused\n[[], []]\n")


def test_back_and_forth():
    """A user with access is not checked again."""
    python_traced("""import os
for i in range(200):
    os.seteuid(33)
    os.seteuid(0)
""", before=("strace", "-f", "-o", "log", "-e", "trace=lgetxattr,capget,setresuid"))
    with open("log") as log:
        calls = log.read()
    changes = calls.count("setresuid(")
    assert changes >= 400 and calls.count("lgetxattr(") + calls.count("capget(") < 10, calls[-2000:]


SPOILED = """import ctypes, os
with open("t.varve/lanes") as file:
    lanes = file.read()
names = [lanes + "/control", lanes + "/facts"]
with open("/proc/self/maps") as file:
    mapped = [[int(part, 16) for part in line.split()[0].split("-")] for line in file if line.split()[-1] in names]
def spoilt(page):
    return page.replace(b"/bin/libvarve-record.so", b"/bin/libvarve-foreig.so").replace(b"/t.varve", b"/u.varve")
def spoil():
    libc = ctypes.CDLL(None)
    for name in names:
        try:
            with open(name, "r+b") as file:
                page = file.read()
                file.seek(0)
                file.write(spoilt(page))
        except (PermissionError, FileNotFoundError):
            pass
    for start, end in mapped:
        if libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(end - start), 3) == 0:
            ctypes.memmove(start, spoilt(ctypes.string_at(start, end - start)), end - start)
made = os.fork()
if not made:
    os.setuid(33)
    spoil()
    os._exit(3)
assert mapped and os.waitstatus_to_exitcode(os.waitpid(made, 0)[1]) == 3
os.execv("/bin/cat", ["cat", "/proc/self/maps"])
"""


def test_facts_stay():
    """A user with access can write to the control page: programs that root starts later still load Varve's library, for the
    same trace."""
    public()
    shutil.copy(LIBRARY, "bin/libvarve-foreig.so")
    with open("spoiled.py", "w") as file:
        file.write(SPOILED)
    result = subprocess.run(["bin/varve", "record", "-o", "t.varve", "--", "/usr/bin/python3", "-S", "spoiled.py"],
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
    same((result.returncode, b"libvarve-foreig" in result.stdout, b"/libvarve-record.so" in result.stdout), (0, False, True),
         result.stderr)
    trace = Trace(os.path.abspath("t.varve"), result.stderr)
    trace.complete()
    same(("/bin/cat" in str(trace.info()["processes"]), os.path.exists("u.varve")), (True, False))


def test_preloaded_alone():
    """The keeper, which no user has to start."""
    public()
    result = subprocess.run(users("setuid", 5000), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "LD_PRELOAD": os.path.abspath("bin/libvarve-record.so"),
                                 "VARVE_TRACE": os.path.abspath("t.varve"), "VARVE_BUFFER": "128K"}, timeout=100)
    same((result.returncode, result.stderr), (7, b""))
    trace = Trace(os.path.abspath("t.varve"))
    all_kept(trace, 20 * 5000)


def test_a_dev_of_its_own():
    """The lanes in /dev/shm are hidden, the trace is not: it gets another node. If the trace is hidden too, `info` names the
    program."""
    if subprocess.run(["bwrap", "--dev-bind", "/", "/", "true"], capture_output=True).returncode:
        print("not tried: no namespaces by bwrap here")
        return
    public()
    words = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "sh", "-c", f"{' '.join(users('setuid', 50))} >/dev/null; exec cat out"]
    result = subprocess.run(["bin/varve", "record", "-o", "t.varve", "--", *words], capture_output=True, timeout=100)
    same((result.returncode, len(result.stdout)), (0, 50), result.stderr)
    all_kept(Trace("t.varve", result.stderr), 20 * 50)
    result = subprocess.run(["bin/varve", "record", "-o", "u.varve", "--", *words[:1], "--ro-bind", *words[2:6], "/bin/true"],
                            capture_output=True, timeout=100)
    same(result.returncode, 0, result.stderr)
    same([(row["path"], row["why"]) for row in Trace("u.varve").info()["untraced"]], [("/bin/true", "unreachable")])


def test_no_room_for_a_lane():
    """Each call is counted; the recorder does not search for a lane at each of them."""
    public()
    with small_disk("lanes", "44K"):
        result = subprocess.run(["strace", "-f", "-o", "log", "-e", "trace=openat", "bin/varve", "record", "-o", "t.varve",
                                 "--lanes", os.path.abspath("lanes"), "--", *users("write", 50000)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        same(result.returncode, 5, result.stderr)
    trace = Trace("t.varve")
    with open("log") as log:
        tries = sum("/lane.1." in line for line in log)
    lost = trace.losses()[NO_LANE]
    assert 50000 < lost < 50010 and 4 < tries < 80, (lost, tries)


run_tests(globals())
