#!/usr/bin/env python3
# timeout: 300
"""One trace for one job, for each way to start it: `varve record` around the launcher or inside it, or no command."""
import glob
import os
import time

from _runs import (LIBRARY, MPICH, OPEN_MPI, RANKS, VARVE, Trace, commands_around, completed, holds_ranks, launch, lanes_of,
                   need, recover, same, traces)
from lib import holds, remove_trace, run_tests, varve

WRITES = 500


def each_way(launcher, ranks):
    for way, command in commands_around([*launcher, "-n", str(ranks)], [RANKS, str(WRITES)], os.path.abspath("t.varve")).items():
        launch(command)
        info = holds_ranks(completed("t.varve"), ranks, WRITES)
        same(traces(), ["t.varve"], way)
        same(info["end"], "exited", way)
        os.rename("t.varve", way + ".gone")


def test_open_mpi_1():
    need("mpirun.openmpi")
    each_way(OPEN_MPI, 1)


def test_open_mpi_2():
    need("mpirun.openmpi")
    each_way(OPEN_MPI, 2)


def test_open_mpi_4():
    need("mpirun.openmpi")
    each_way(OPEN_MPI, 4)


def test_mpich_2():
    need("mpirun.mpich")
    each_way(MPICH, 2)


def test_usual_name_is_that_of_the_job():
    need("mpirun.openmpi")
    launch([*OPEN_MPI, "-n", "2", VARVE, "record", "--", RANKS, "10"])
    launch([*OPEN_MPI, "-n", "2", "env", "LD_PRELOAD=" + LIBRARY, RANKS, "10"])
    found = traces()
    same(len(found), 2)
    for name in found:
        assert name.startswith("ranks.") and name.endswith(".varve"), name
        holds_ranks(completed(name), 2, 10)


def test_a_name_with_the_rank_makes_traces_of_their_own():
    need("mpirun.openmpi")
    launch([*OPEN_MPI, "-n", "2", VARVE, "record", "-o", "r%r.varve", "--", RANKS, "10"])
    same(traces(), ["r0.varve", "r1.varve"])
    for name in traces():
        same([process["rank"] for process in Trace(name).info()["processes"]], [int(name[1])])


def test_wrapped_in_a_shell():
    """The rank is a child of a shell: the launcher is the parent of this shell."""
    need("mpirun.mpich")
    launch([*MPICH, "-n", "2", "sh", "-c", f"{VARVE} record -o t.varve -- {RANKS} 10; exit $?"])
    holds_ranks(completed("t.varve"), 2, 10)


def test_short_programs_wait_for_each_other():
    """Some have ended before others begin."""
    need("mpirun.openmpi")
    launch([*OPEN_MPI, "-n", "4", VARVE, "record", "-o", "t.varve", "--", "true"])
    info = Trace("t.varve").info()
    same((info["ranks"], info["damage"], sorted(process["rank"] for process in info["processes"])), (4, [], [0, 1, 2, 3]))


def test_two_jobs_are_two_traces():
    need("mpirun.openmpi")
    for form in (["--no-pack"], []):
        launch([*OPEN_MPI, "-n", "2", VARVE, "record", *form, "-o", "t.varve", "--", RANKS, "10"])
        result = launch([*OPEN_MPI, "-n", "2", VARVE, "record", "-o", "t.varve", "--", RANKS, "10"], status=125)
        holds(result.stderr, b"t.varve already exists")
        same(traces(), ["t.varve"])
        holds_ranks(Trace("t.varve"), 2, 10)
        remove_trace("t.varve")


def test_a_packed_trace_is_not_joined():
    """Neither another job, which does not wait for it, nor a program that starts when the others of its job have ended."""
    launched = {"PMIX_NAMESPACE": "one", "PMIX_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
    os.environ.update(launched)
    try:
        same(varve("record", "-o", "t.varve", "--", "sh", "-c", "cat /etc/passwd | wc").returncode, 0)
        for files in ([], ["--files", "2"]):
            same((varve("pack", *files, "t.varve").returncode, os.path.isdir("t.varve")), (0, bool(files)))
            os.environ["PMIX_NAMESPACE"] = "two"
            began = time.monotonic()
            result = varve("record", "-o", "t.varve", "--", "true")
            same(result.returncode, 125)
            holds(result.stderr, b"t.varve already exists")
            assert time.monotonic() - began < 3
            same(traces(), ["t.varve"])
            os.environ["PMIX_NAMESPACE"] = "one"
            result = varve("record", "-o", "t.varve", "--", "true")
            same(result.returncode, 0, result.stderr)
            holds(result.stderr, b"t.varve has already been packed")
            [apart] = glob.glob("t.varve.*")
            remove_trace(apart)
        # The next step in the message.
        for ranks in (1, 2):
            same(varve("record", "--no-pack", "-o", "u.varve", "--", "true").returncode, 0)
            same(len(Trace("u.varve").info()["nodes"]), ranks)
    finally:
        for name in launched:
            del os.environ[name]


def test_each_command_returns_its_programs_status():
    need("mpirun.openmpi")
    script = f"{VARVE} record -o t.varve -- {RANKS} 10 return 7; echo $? > status.$PMIX_RANK; exit 0"
    launch([*OPEN_MPI, "-n", "2", "sh", "-c", script])
    same([open(f"status.{rank}").read() for rank in (0, 1)], ["0\n", "7\n"])
    info = holds_ranks(Trace("t.varve"), 2, 10)
    same((info["end"], info["status"]), ("exited", 7))
    same({process["rank"]: process["status"] for process in info["processes"]}, {0: 0, 1: 7})


def test_a_rank_is_killed():
    """All calls are there, for every way to record it."""
    need("mpirun.openmpi")
    words = [RANKS, str(WRITES), "kill", "1"]
    for way, command in commands_around([*OPEN_MPI, "-n", "2"], words, os.path.abspath("t.varve")).items():
        launch(command, status=None)
        info = holds_ranks(completed("t.varve"), 2, WRITES)
        ends = {process["rank"]: process["ended"] for process in info["processes"] if process["rank"] is not None}
        same(ends[0], "exited", way)
        assert ends[1] in ("killed", "unknown"), (way, ends)
        os.rename("t.varve", way + ".gone")
        for rank in (0, 1):
            os.unlink(f"done.{rank}")


def test_the_last_one_out_is_killed():
    """With its keeper turned off, no process completes the trace. All of it can be read, and `pack --recover` completes it."""
    need("mpirun.openmpi")
    launch([*OPEN_MPI, "-n", "2", VARVE, "record", "--no-keeper", "-o", "t.varve", "--", RANKS, str(WRITES), "orphan", "1"],
           status=None)
    same(lanes_of("t.varve"), ["lanes"])
    while Trace("t.varve").info()["running_threads"]:
        pass
    holds_ranks(Trace("t.varve"), 2, WRITES)
    recover("t.varve")
    holds_ranks(completed("t.varve", folder=True), 2, WRITES)


def test_all_commands_are_killed():
    """Like Open MPI when a rank is killed: SIGTERM to every command, SIGKILL a moment later."""
    need("mpirun.openmpi")
    launch([*OPEN_MPI, "-n", "4", VARVE, "record", "-o", "t.varve", "--", "sh", "-c", f"{RANKS} {WRITES} & wait; exec sleep 60",
            ":", "-n", "1", "sh", "-c", "for r in 0 1 2 3; do until [ -e done.$r ]; do sleep 0.01; done; done; kill -9 $$"],
           status=None)
    trace = completed("t.varve")
    same((trace.info()["losses"], len(trace.calls("--function", "pwrite"))), ([], 4 * WRITES))


def test_one_that_cannot_be_run():
    """Its rank has no trace, the others have theirs."""
    need("mpirun.openmpi")
    launch([*OPEN_MPI, "-n", "1", VARVE, "record", "-o", "t.varve", "--", RANKS, "10", ":",
            "-n", "1", VARVE, "record", "-o", "t.varve", "--", "./absent"], status=None)
    result = varve("info", "t.varve")
    holds(result.stdout, b"1 rank of 2 ... 1")


run_tests(globals())
