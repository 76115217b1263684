#!/usr/bin/env python3
# timeout: 300
"""The keeper: completes the trace if no command does, and the program does not notice it."""
import contextlib
import ctypes
import os
import signal
import subprocess
import time

from _runs import LIBRARY, RANKS, Trace, completed, environment, lanes_of, recover, same
from lib import VARVE, run_tests, small_disk, varve, wait_for_end

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
# A child that is not the program's, a signal, a descriptor, a group: everything that a shell and its program could notice.
SEEN = r"""
import os, signal
signal.alarm(60)
got = []
signal.signal(signal.SIGCHLD, lambda *_: got.append("signal"))
open("ready", "w").close()
while not os.path.exists("go"):
    pass
try:
    got.append(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    pass
print(got, sorted(os.listdir("/proc/self/fd"))[:-1], open("/proc/self/stat").read().split()[6] == "0")
"""


def preloaded(words, **more):
    variables = {"LD_PRELOAD": LIBRARY, "VARVE_TRACE": os.path.abspath("t.varve"), **more.pop("variables", {})}
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, env=environment(**variables), **more)


def held(**more):
    """A program that has made its calls and waits for the file `go`."""
    process = preloaded([RANKS, "100", "hold"], **more)
    while not os.path.exists("done.0"):
        assert process.poll() is None
    return process


def keepers():
    """Keepers of a run with a trace in this folder."""
    with open("t.varve/lanes") as file:
        lanes = file.read()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        if words[1:3] == ["keep", lanes]:
            found.append(int(pid))
    return found


def keeper():
    until = time.monotonic() + 100
    while not keepers():
        assert time.monotonic() < until, "there is no keeper"
    pid, = keepers()
    # It has executed the command when it has no mapping of the library any more.
    while os.readlink(f"/proc/{pid}/cwd") != "/":
        pass
    return pid


def open_files(pid):
    """The files of its descriptors. One that was closed since they were listed is not counted."""
    found = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            found.add(os.readlink(f"/proc/{pid}/fd/{fd}"))
    return found


def writes(trace):
    return len(trace.calls("--function", "pwrite"))


def let_go(process):
    open("go", "w").close()
    return process.wait()


def test_it_completes_the_trace():
    process = held()
    keeper()
    same(let_go(process), 0)
    trace = completed("t.varve")
    same((writes(trace), trace.info()["damage"]), (100, []))


def test_it_is_nobodys():
    """No child of the program, its own session, none of the program's descriptors."""
    with open("own", "w") as file:
        process = held(stdout=file, pass_fds=(file.fileno(),), start_new_session=True)
    pid = keeper()
    with open(f"/proc/{pid}/stat") as file:
        parent, group, session = file.read().rpartition(")")[2].split()[1:4]
    assert int(parent) != process.pid and os.getpgid(process.pid) != int(group) and process.pid != int(session)
    assert int(group) not in (process.pid, os.getpid()), group
    descriptors = open_files(pid)
    with open("t.varve/lanes") as file:
        lanes = file.read()
    # Its own lock, and files that it opens for a moment.
    assert not [name for name in descriptors if name != "/dev/null" and not name.startswith((lanes, os.path.abspath("t.varve")))
                and not name.startswith(("/proc", "anon_inode:"))], descriptors
    with open(f"/proc/{pid}/environ") as file:
        same(file.read(), "")
    # A kill of the program and all of its children does not reach it.
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    same(writes(completed("t.varve")), 100)
    wait_for_end(pid)


def test_the_program_sees_nothing():
    for traced in (False, True):
        process = subprocess.Popen(["python3", "-c", SEEN], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                   env=environment(**({"LD_PRELOAD": LIBRARY, "VARVE_TRACE": "t.varve"} if traced else {})))
        while not os.path.exists("ready"):
            pass
        if traced:
            keeper()
        open("go", "w").close()
        said = process.communicate()[0]
        same(said.startswith(b"[] "), True, said)
        if traced:
            same(said, plain)
        plain = said
        os.unlink("ready")
        os.unlink("go")
    completed("t.varve")


def test_a_program_that_is_killed():
    process = held()
    keeper()
    process.kill()
    process.wait()
    trace = completed("t.varve")
    same((writes(trace), trace.info()["damage"]), (100, []))


def test_a_child_that_stays_is_waited_for():
    """The keeper ends with the last process, not with the first."""
    script = f"{RANKS} 100 hold & exit 0"
    same(preloaded(["sh", "-c", script]).wait(), 0)
    while not os.path.exists("done.0"):
        pass
    pid = keeper()
    time.sleep(0.3)
    same((lanes_of("t.varve"), keepers()), (["lanes"], [pid]))
    open("go", "w").close()
    same(writes(completed("t.varve")), 100)


def test_switched_off():
    process = held(variables={"VARVE_NO_KEEPER": "1"})
    same(keepers(), [])
    let_go(process)
    same((lanes_of("t.varve"), keepers()), (["lanes"], []))
    same(writes(Trace("t.varve")), 100)
    recover("t.varve")
    same(writes(completed("t.varve", folder=True)), 100)


def test_killed_itself():
    """Then it behaves as without a keeper."""
    process = held()
    os.kill(keeper(), signal.SIGKILL)
    let_go(process)
    same(writes(Trace("t.varve")), 100)
    recover("t.varve")
    same(writes(completed("t.varve", folder=True)), 100)


def test_none_where_it_would_become_a_child():
    """A program that adopts orphans would get one that is not its own."""
    libc = ctypes.CDLL(None)
    process = held(preexec_fn=lambda: libc.prctl(SUBREAPER, 1, 0, 0, 0))
    same(keepers(), [])
    let_go(process)
    recover("t.varve")


def packed(trace, seconds=100):
    """Waits until the trace is one file and no other files remain; returns its `info`."""
    until = time.monotonic() + seconds
    while not os.path.isfile(trace):
        assert time.monotonic() < until, os.listdir(trace) if os.path.exists(trace) else "no trace"
        time.sleep(0.01)
    return Trace(trace).info()


def test_it_packs_and_the_processes_tell_the_rest():
    """Facts that a command would have stored are taken from the table of processes."""
    words = ["sh", "-c", f"{RANKS} 100; exit 3"]
    same(preloaded(words).wait(), 3)
    info = packed("t.varve")
    same((info["arguments"], info["end"], info["status"], info["losses"]), (words, "exited", 3, []))
    said = varve("info", "t.varve").stdout.decode()
    assert "not known" not in said and f'sh -c "{words[2]}"' in said, said


def test_an_end_that_nobody_saw_stays_unknown():
    process = held()
    process.kill()
    process.wait()
    info = packed("t.varve")
    same((info["end"], info["arguments"]), ("recovered", [RANKS, "100", "hold"]))


def recording(*options):
    """`varve record` of a program that has made its calls and waits for the file `go`."""
    process = subprocess.Popen([VARVE, "record", "-o", "t.varve", *options, "--", RANKS, "100", "hold"],
                               stdin=subprocess.DEVNULL, env=environment())
    while not os.path.exists("done.0"):
        assert process.poll() is None
    return process


def test_a_killed_record_has_a_keeper():
    process = recording()
    process.kill()
    process.wait()
    same(Trace("t.varve").info()["running_processes"], 1)
    open("go", "w").close()
    info = packed("t.varve")
    same((info["end"], info["status"], info["losses"], len(Trace("t.varve").calls("--function", "pwrite"))), ("exited", 0, [], 100))


def test_without_one_it_is_left_to_the_user():
    process = recording("--no-keeper")
    process.kill()
    process.wait()
    open("go", "w").close()
    while Trace("t.varve").info()["running_processes"]:
        pass
    same(lanes_of("t.varve"), ["lanes"])
    recover("t.varve")
    same(writes(completed("t.varve", folder=True)), 100)


def test_processes_that_outlive_the_program():
    """`varve record` waits for processes that end soon; for others the keeper completes the trace, and the message names it."""
    for script, later in ((f"{RANKS} 100 & exit 0", False), (f"{RANKS} 100 hold > /dev/null 2>&1 & exit 0", True)):
        result = subprocess.run([VARVE, "record", "-o", "t.varve", "--", "sh", "-c", script], stdin=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, env=environment())
        same((result.returncode, b", ranks)" in result.stderr, os.path.isdir("t.varve")), (0, later, later), result.stderr)
        open("go", "w").close()
        info = packed("t.varve")
        same((info["end"], info["losses"], len(Trace("t.varve").calls("--function", "pwrite"))), ("exited", [], 100))
        for name in ("t.varve", "go", "done.0"):
            os.unlink(name)


def test_no_keeper_is_left_when_all_is_done():
    """A process that waits for the command's descriptors to close does not wait for the keeper, and the keeper ends."""
    name = os.path.abspath("t.varve")  # differs from that of any other test
    result = subprocess.run(["sh", "-c", f"{VARVE} record -o {name} -- {RANKS} 1 2>&1; exec ps -e -o args"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment(), timeout=60)
    same([line for line in result.stdout.decode().splitlines() if name in line], [])
    packed("t.varve")


def test_full_disk():
    """Records that a process cannot write at its end stay in its lane, with its description and its end."""
    if os.geteuid() != 0:
        return
    for n in range(6):
        with small_disk("disk", 200 << 10):
            trace = os.path.abspath("disk/t.varve")
            process = preloaded(["sh", "-c", "dd if=/dev/zero of=disk/filler bs=4k 2>/dev/null; exit 3"], variables={"VARVE_TRACE": trace})
            os.symlink("disk/t.varve", "t.varve")
            same(process.wait(), 3)
            while keepers():
                time.sleep(0.01)
            os.unlink("t.varve")
            info = Trace(trace).info()
            same((info["losses"], info["end"], info["status"]), ([], "exited", 3))
            same([row["ended"] for row in info["processes"]], ["exited", "exited"])
            assert b"exited by a direct system call" not in varve("info", trace).stdout


run_tests(globals())
