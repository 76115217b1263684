"""Shared by the tests of MPI: builds a program with each MPI, runs it with and without Varve, reads the trace by rank.

Programs are beside the scripts and do not use Varve. Tests that an MPI cannot run here are skipped with a message.
"""
import glob
import os
import shutil
import signal
import subprocess
from collections import defaultdict

import lib
from lib import VARVE, Missing, compiled, dumped, need, program_path, remove_trace, same  # noqa: F401

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = ("openmpi", "mpich")
LAUNCH = {"openmpi": ["--allow-run-as-root", "--oversubscribe"], "mpich": []}
COMPILERS = {".c": "mpicc", ".f": "mpifort", ".f90": "mpifort"}
QUIET = {"OMPI_MCA_btl_base_warn_component_unused": "0", "UCX_LOG_LEVEL": "fatal", "OMPI_MCA_btl": "self,vader",
         "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def there():
    """The installed MPIs; without any the test cannot be run."""
    found = [mpi for mpi in LIBRARIES if program_path(f"mpicc.{mpi}") and program_path(f"mpirun.{mpi}")]
    if not found:
        raise Missing("Open MPI or MPICH")
    return found


def build(mpi, *sources, output="program", options=()):
    """Compiles sources of this folder, by the first one's language; the program is put into the working directory."""
    compiler = f"{COMPILERS[os.path.splitext(sources[0])[1]]}.{mpi}"
    need(compiler)
    paths = [os.path.join(HERE, source) for source in sources]
    headers = [*glob.glob(os.path.join(HERE, "*.h")), os.path.join(lib.TESTS, "lib", "expect.h")]
    made = compiled([compiler, "-O1", "-w", f"-I{lib.TESTS}", *paths, *options], [*paths, *headers])
    shutil.copy(made, output)
    return os.path.abspath(output)


def run(mpi, ranks, command, record=(), environment=None, timeout=100):
    """Output (lines sorted, because ranks print in any order), status. In a new folder `work`."""
    line = [*record, f"mpirun.{mpi}", *LAUNCH[mpi], "-n", str(ranks), *command]
    for _ in range(4):
        shutil.rmtree("work", ignore_errors=True)
        os.mkdir("work")
        done = subprocess.run(line, cwd="work", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              timeout=timeout, env={**os.environ, **QUIET, **(environment or {})})
        # MPICH's launcher sometimes dies of a broken pipe of its own. Without further output such a run does not count.
        if record or done.returncode != -signal.SIGPIPE:
            break
    return sorted(done.stdout.splitlines()), done.returncode


def recorded(mpi, ranks, command, options=(), environment=None):
    """Runs it under Varve; returns output, status, and the records of MPI by rank."""
    remove_trace("t.varve")
    output, status = run(mpi, ranks, command, [VARVE, "record", "-o", "../t.varve", *options, "--"], environment)
    return output, status, records("t.varve")


def records(trace, layers=("mpi", "mpiio")):
    ranks = defaultdict(list)
    for record in dumped("--by-stream", trace, said=b""):
        if record["layer"] in layers:
            ranks[record.get("rank", -1)].append(record)
    return dict(ranks)


def transparent(mpi, ranks, command, options=(), environment=None):
    """The same output and status with Varve as without; returns the records by rank."""
    before = run(mpi, ranks, command, environment=environment)
    output, status, ranked = recorded(mpi, ranks, command, options, environment)
    # Under load a rank of Open MPI sometimes fails without Varve. A recorded run is not repeated.
    if before[1] != status == 0:
        before = run(mpi, ranks, command, environment=environment)
    if (output, status) != before:
        missing = [line for line in before[0] if line not in output]
        extra = [line for line in output if line not in before[0]]
        raise AssertionError(f"{mpi}: status {before[1]} and {status}; only without Varve: {missing[:10]}; only with it: {extra[:10]}")
    return before[0], ranked


def run_tests(names):
    """Those with an argument run for each MPI."""
    lib.run_tests(names, there())
