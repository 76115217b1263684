#!/usr/bin/env python3
"""`varve record`: exit statuses, signals, differences that the program sees, the name of the trace."""
import json
import os
import resource
import signal
import subprocess
import time

from _terminal import Terminal
from lib import VARVE, dump_json, holds, program, program_copy, remove_trace, run_tests, same, varve, wait_for_end


def record(*words, options=(), **more):
    return varve("record", "-o", "t.varve", *options, "--", *words, **more)


def test_status_is_passed_on():
    for number, status in enumerate((0, 1, 7, 125, 255)):
        result = varve("record", "-o", f"{number}.varve", "--", "sh", "-c", f"exit {status}")
        same((result.returncode, result.stdout, result.stderr), (status, b"", b""))


def test_signal_is_128_and_its_number():
    for name in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
        result = varve("record", "-o", f"{int(name)}.varve", "--", "sh", "-c", f"kill -{int(name)} $$")
        same(result.returncode, 128 + name)
        same(json.loads(varve("info", "-f", "json", f"{int(name)}.varve").stdout)["signal"], int(name))


def test_not_found_is_127_and_leaves_nothing():
    for name in ("no-such-program", "./no-such-program", "/no/such/program"):
        result = record(name)
        same(result.returncode, 127)
        assert result.stderr.startswith(b"varve: "), result.stderr
    same(os.listdir("."), [])


def test_a_program_of_this_folder():
    """It is not in PATH: the message explains how to name it."""
    with open("p.py", "w") as file:
        file.write("#!/bin/sh\n")
    os.chmod("p.py", 0o755)
    result = varve("record", "p.py")
    same((result.returncode, result.stdout), (127, b""))
    holds(result.stderr, b"./p.py")


def test_not_executable_is_126():
    open("script", "w").close()
    same(record("./script").returncode, 126)
    same(record("/").returncode, 126)


def test_a_script_without_its_interpreter():
    """The kernel does not run it: the message has the remedy, and no files remain."""
    with open("script", "w") as file:
        file.write("echo said\n")
    os.chmod("script", 0o755)
    result = record("./script")
    same((result.returncode, result.stdout), (126, b""))
    holds(result.stderr, b"varve record -- sh ./script")
    same(os.listdir("."), ["script"])


def test_programs_that_are_not_traced_are_named():
    program_copy("status_static", "alone")
    result = record("./alone", "3")
    same(result.returncode, 3)
    holds(result.stderr, b"varve: ... ./alone ... (static)")
    result = varve("record", "-o", "u.varve", "--", "sh", "-c", "./alone 3; ./alone 3; exit 0")
    holds(result.stderr, b"/alone ... (static) ... 2 times")


def test_a_program_that_is_not_recorded_is_reported_once():
    static = program("status_static")
    lines = lambda text: [line for line in text.decode().splitlines() if "not recorded" in line and "direct system" not in line]
    started = record(static)
    same(lines(started.stderr), [f"varve: not recorded: {static} (static)"])
    shown = lines(varve("info", "t.varve").stdout)
    same((len(shown), shown[0].startswith(f"LOST          the program itself was not recorded: {static} (static)")), (1, True), shown)
    remove_trace("t.varve")
    started = record("sh", "-c", f"{static}; {static}; true")
    same(lines(started.stderr), [f"varve: not recorded: {static} (static), 2 times"])
    same(lines(varve("info", "t.varve").stdout), ["LOST          2 programs not recorded: see the lines `not recorded`",
                                                  f"not recorded  {static} (static), 2 times, started by process 1"])
    # Without the records, the reasons are not known.
    holds(varve("info", "--quick", "t.varve").stdout, b"LOST ... 2 programs not recorded: 32-bit, static")


def test_a_status_is_worth_more_than_a_message():
    """The reader of the messages has ended."""
    program_copy("status_static", "alone")
    reader, writer = os.pipe()
    process = subprocess.Popen([VARVE, "record", "-o", "t.varve", "--", "sh", "-c", "sleep 1; ./alone 3"],
                               stderr=writer, restore_signals=True)
    os.close(writer)
    os.close(reader)
    same(process.wait(timeout=100), 3)


def test_existing_trace_is_refused():
    os.mkdir("t.varve")
    result = record("touch", "made")
    same(result.returncode, 125)
    holds(result.stderr, b"never overwritten")
    same(os.listdir("."), ["t.varve"])


def test_default_name():
    same(varve("record", "--", "true").returncode, 0)
    names = os.listdir(".")
    same(len(names), 1)
    parts = names[0].split(".")
    same((parts[0], parts[1].isdigit(), parts[2]), ("true", True, "varve"))


def test_name_template():
    same(varve("record", "-o", "a-%e-%u%%.varve", "--", "/bin/true", env=dict(os.environ, USER="me")).returncode, 0)
    same(os.listdir("."), ["a-true-me%.varve"])


def test_variables_set_options():
    environment = dict(os.environ, VARVE_TRACE="v.varve", VARVE_RESOLUTION="1us", VARVE_BUFFER="256K")
    same(varve("record", "--resolution", "50ns", "--", "true", env=environment).returncode, 0)
    run = json.loads(varve("info", "-f", "json", "v.varve").stdout)["run"]
    same((run["resolution"], run["buffer"]), ("50", "262144"))


LIST = "ls /proc/self/fd | wc -l; cat"


def test_descriptors_are_the_programs():
    expected = subprocess.run(["sh", "-c", LIST], input=b"in", stdout=subprocess.PIPE)
    result = subprocess.run([VARVE, "record", "-o", "t.varve", "--", "sh", "-c", LIST],
                            input=b"in", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same(result.stdout, expected.stdout)
    same(result.stderr, b"")


def test_names_the_trace_at_a_terminal():
    for options, line in (([], True), (["--quiet"], False)):
        name = f"t{len(options)}.varve"
        with Terminal([VARVE, "record", "-o", name, *options, "--", "echo", "said"]) as terminal:
            status, text = terminal.end()
        said, _, told = text.partition(b"\n")
        same((status, said, told.count(b"\n")), (0, b"said", int(line)))
        same(told.startswith(b"varve: ") and name.encode() in told, line, told)


def test_passes_signals_on():
    process = subprocess.Popen([VARVE, "record", "-o", "t.varve", "--", program("awaits_signals")], stdout=subprocess.PIPE)
    same(process.stdout.readline(), b"ready\n")
    for name in ("TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "WINCH"):
        process.send_signal(getattr(signal, "SIG" + name))
    same(process.wait(timeout=100), 42)


def test_dispositions_and_mask_are_inherited():
    def prepare():
        for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGWINCH])

    expected = subprocess.run([program("prints_signals")], stdout=subprocess.PIPE, preexec_fn=prepare).stdout
    result = subprocess.run([VARVE, "record", "-o", "t.varve", "--", program("prints_signals")], stdout=subprocess.PIPE,
                            preexec_fn=prepare)
    same((result.stdout, expected.count(b"\n") > 60), (expected, True))
    same(result.returncode, 0)


def recovered():
    """Completes the trace as soon as no process of the run is alive."""
    while (result := varve("pack", "--recover", "t.varve")).returncode == 1:
        pass
    same(result.returncode, 0, result.stderr)


def test_children_that_still_run_are_named():
    os.mkfifo("go")
    result = record("sh", "-c", "(echo a > g; read x < go; echo b > h) > /dev/null 2>&1 & while [ ! -s g ]; do :; done; exit 5",
                    options=("--no-keeper",))
    same(result.returncode, 5)
    holds(result.stderr, b"varve: ... sh ... `varve pack ")
    with open("go", "w") as file:
        file.write("\n")
    recovered()
    result = varve("dump", "t.varve")
    same((result.returncode, result.stderr, os.path.exists("h")), (0, b"", True))
    holds(varve("pack", "--recover", "t.varve").stderr, b"t.varve")


def test_a_program_that_still_runs_is_no_loss():
    """All of its records are in lanes. A later recovery does not make the run longer."""
    def info():
        return json.loads(varve("info", "--format", "json", "t.varve").stdout)

    began = time.monotonic()
    os.mkfifo("go")
    result = record("sh", "-c", "(read x < go) > /dev/null 2>&1 & exit 0", options=("--no-keeper",))
    holds(result.stderr, b"varve: ... still run")
    same((info()["running_processes"], info()["vanished"]), (1, 0))
    result = varve("pack", "--recover", "t.varve")
    same(result.returncode, 1)
    holds(result.stderr, b"varve: ... alive")
    with open("go", "w") as file:
        file.write("\n")
    while info()["running_processes"]:
        pass
    ended = time.monotonic()
    time.sleep(0.5)
    recovered()
    same(info()["vanished"], 0)
    assert info()["duration_ns"] / 1e9 < ended - began, info()["duration_ns"]


def test_a_run_that_cannot_begin_leaves_nothing():
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    os.mkdir("lanes")
    result = record("true", options=("--lanes", os.path.abspath("lanes")), preexec_fn=limit)
    same(result.returncode, 125)
    same((os.listdir("lanes"), os.path.exists("t.varve")), ([], False))


def test_killed_recorder_loses_nothing():
    """Without a keeper, which would recover the records itself."""
    process = subprocess.Popen([VARVE, "record", "--no-keeper", "-o", "t.varve", "--", program("writes_waiting"), "1000", "pid"],
                               stdout=subprocess.PIPE)
    pid = int(process.stdout.readline())
    process.kill()
    process.wait()
    result = varve("info", "t.varve")
    holds(result.stdout, b"RUNNING")
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)
    same(len(dump_json("t.varve", "--function", "pwrite")), 1000)
    same(varve("pack", "--recover", "t.varve").returncode, 0)
    assert not os.path.exists("t.varve/lanes")
    same(len(dump_json("t.varve", "--function", "pwrite")), 1000)


def test_environment_is_kept_without_secrets():
    environment = dict(os.environ, MY_API_KEY="hush-1", DB_PASSWORD="hush-2", PLAIN="seen",
                       SOME_URL="https://me:hush-3@host/")
    for options in ((), ("--no-pack",)):
        remove_trace("t.varve")
        same(record("true", env=environment, options=options).returncode, 0)
        seen = json.loads(varve("info", "-f", "json", "t.varve").stdout)["environment"]
        same(seen["PLAIN"], "seen")
        for name in [f"t.varve/{name}" for name in os.listdir("t.varve")] if options else ["t.varve"]:
            with open(name, "rb") as file:
                assert b"hush-" not in file.read(), name


run_tests(globals())
