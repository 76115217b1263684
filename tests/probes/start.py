#!/usr/bin/env python3
"""The state of a program at its start and of what it makes: the same with and without Varve."""
import os
import resource
import signal
import subprocess

from _probes import LIBRARY, PRELOADED, RECORDED, compare, program, run_tests, same

PROBE = program("probe")


def test_start():
    plain = compare([PROBE, "probe"], least=300)
    same(plain.status, 7)


def test_descriptors_that_it_gets():
    plain = compare([PROBE, "probe", "d"], least=300)
    assert "probe: open gives 3 errno 0" in plain.lines, plain.lines[:10]


def test_thread():
    plain = compare([PROBE, "probe", "t"], least=300)
    assert "after: threads 1" in plain.lines
    compare([PROBE, "probe", "td"], least=300)


def test_what_it_inherits():
    """Masks, ignored signals, limits, descriptors, a timer, another umask: all as set."""
    given = os.open("inherited", os.O_RDWR | os.O_CREAT)

    def inherit():
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM, signal.SIGCHLD, 40})
        for number in (signal.SIGPIPE, signal.SIGHUP, signal.SIGCHLD, signal.SIGINT, 45):
            signal.signal(number, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 4096))
        resource.setrlimit(resource.RLIMIT_STACK, (4 << 20, 8 << 20))
        os.umask(0o137)
        os.nice(3)
        os.dup2(given, 50)
        os.set_inheritable(50, True)

    def inherit_pending():
        inherit()
        os.kill(os.getpid(), signal.SIGUSR1)

    compare([PROBE, "probe", "td"], least=300, preexec_fn=inherit, pass_fds=(given,))
    # exec keeps pending signals, fork does not: the program of `varve record` is a child.
    compare([PROBE, "probe", "td"], least=300, preexec_fn=inherit_pending, pass_fds=(given,), ways=(PRELOADED,))


def test_new_session():
    compare([PROBE, "probe"], least=300, start_new_session=True, ways=(PRELOADED,))


def test_environments():
    path = {"PATH": os.environ["PATH"]}
    for name, variables in {
        "few": {},
        "many": {f"VARIABLE_{i}": "x" * (i % 50) for i in range(5000)},
        "large": {f"VARIABLE_{i}": "x" * 1000 for i in range(500)},
        "preload": {"LD_PRELOAD": "libm.so.6"},
        "preloads": {"LD_PRELOAD": "libm.so.6:libdl.so.2", "A": "1"},
        "preloads by space": {"LD_PRELOAD": "libm.so.6 libdl.so.2  librt.so.1", "Z": "1"},
        "empty preload": {"LD_PRELOAD": "", "Z": "1"},
        "locale": {"LC_ALL": "C.UTF-8", "LANG": "C"},
        "alike": {"LD_PRELOADED": "1", "XLD_PRELOAD": "2", "VARVE_RUNNING": "3", "VARVE_": "4"},
    }.items():
        if variables.get("LD_PRELOAD") and os.environ.get("VARVE_SANITIZE"):
            print("# a command with a sanitizer's runtime in it can have nothing preloaded before that")
            continue
        ways = (RECORDED,) if "preload" in name else (RECORDED, PRELOADED)
        compare([PROBE, name], environment={**path, **variables}, ways=ways, least=300)


def test_empty_environment():
    """The variables that the test needs are arguments of a program that sets them."""
    plain = compare(["env", "-i", f"PROBE_FILE={os.path.abspath('said')}", PROBE, "probe"], least=300)
    assert "probe: variables 1" in plain.lines


def test_names_twice():
    """An environment may contain a name more than once; then the first counts."""
    script = ("import os,sys\n"
              "import ctypes\n"
              "names=[b'A=1',b'B=2',b'A=3',b'PROBE_FILE='+os.environb[b'PROBE_FILE'],b'LD_PRELOAD=libm.so.6',b'B=4',"
              "b'LD_PRELOAD=libdl.so.2']\n"
              "array=(ctypes.c_char_p*(len(names)+1))(*names,None)\n"
              "words=(ctypes.c_char_p*3)(sys.argv[1].encode(),b'probe',None)\n"
              "ctypes.CDLL(None).execve(sys.argv[1].encode(),words,array)\n")
    compare(["python3", "-S", "-c", script, PROBE], least=300)


def test_library_is_the_only_difference():
    """The list of permitted differences has no unused entries."""
    plain = subprocess.run([PROBE, "x"], env={"PROBE_FILE": "one"}, stdin=subprocess.DEVNULL)
    traced = subprocess.run([PROBE, "x"], env={"PROBE_FILE": "two", "LD_PRELOAD": LIBRARY}, stdin=subprocess.DEVNULL)
    same((plain.returncode, traced.returncode), (7, 7))
    with open("two") as file:
        same(len([line for line in file if "libvarve-record" in line]), 1)


run_tests(globals())
