#!/usr/bin/env python3
"""The program's environment is the same as without Varve, and the programs that it starts are traced."""
import os

from lib import VARVE, compare, program, run, run_tests, same

ENVIRONMENT = program("environment")
BASE = {"PATH": "/usr/bin:/bin", "A": "1 2\n3", "EMPTY": ""}


def programs(trace):
    return [os.path.basename(process["exe"]) for process in trace.info()["processes"] if process["origin"] == "image"]


def seen(trace="t.varve", **variables):
    trace = compare([ENVIRONMENT], trace=trace, env={**BASE, **variables}, status=0)
    trace.complete()
    same(sorted(programs(trace)).count("env"), 3)


def test_nothing_of_ours_is_seen():
    seen()


def test_a_preload_of_the_programs_own():
    """The variable keeps its place and its value, and the library in it is loaded."""
    seen(LD_PRELOAD="libm.so.6", Z="last")
    seen("u.varve", LD_PRELOAD="libm.so.6 libpthread.so.0:", Z="last")


def test_an_empty_preload():
    seen(LD_PRELOAD="", Z="last")


def test_changes_while_a_shell_runs():
    compare([ENVIRONMENT, "change"], env=dict(BASE), status=0).complete()


def test_a_cleared_environment():
    plain = run(["env", "-i", "A=1", "env"], "plain").stdout
    traced = run([VARVE, "record", "-o", os.path.abspath("t"), "--", "env", "-i", "A=1", "env"], "traced")
    same(traced.stdout, plain)


def test_not_followed():
    """With --no-follow the variables stay in the environment and are treated like all others."""
    command = [VARVE, "record", "--no-follow", "-o", os.path.abspath("t"), "--", "env"]
    lines = run(command, "traced").stdout.decode().splitlines()
    same([line.split("=")[0] for line in lines[-2:]], ["LD_PRELOAD", "VARVE_RUN"])
    command[4] = os.path.abspath("u")
    same(run([*command[:6], "env", "-i", "A=1", "env"], "traced").stdout, b"A=1\n")


def test_more_variables_than_can_be_lent():
    many = {f"V{number}": "x" for number in range(5000)}
    compare(["sh", "-c", "env | grep -v ^PWD= | sort | md5sum"], env={**BASE, **many}, status=0)
    compare([ENVIRONMENT, "change"], trace="u.varve", env={**BASE, **many}, status=0)


def test_preloaded_alone():
    library = os.environ["VARVE_LIBRARY"]
    plain = run([ENVIRONMENT], "plain", env=dict(BASE)).stdout
    traced = run([ENVIRONMENT], "traced", env={**BASE, "LD_PRELOAD": library}).stdout
    # The free pointer becomes a gap that does not appear in the auxiliary vector.
    same(traced.replace(b"page size 0", b"page size 4096"), plain)
    traced = run([ENVIRONMENT], "traced", env={"LD_PRELOAD": f"{library}:libm.so.6", **BASE}).stdout
    same(traced.replace(b"page size 0", b"page size 4096"),
         run([ENVIRONMENT], "plain", env={"LD_PRELOAD": "libm.so.6", **BASE}).stdout)


run_tests(globals())
