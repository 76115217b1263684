"""What the tests of MPI share: builds a program with each MPI, runs it with and without Varve, reads the trace by rank.

Programs stand beside the scripts and know nothing of Varve. What an MPI cannot do here is skipped by name, never in silence.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import defaultdict

from cli._harness import remove_lanes

HERE = os.path.dirname(os.path.abspath(__file__))
VARVE = os.environ.get("VARVE", "varve")
LIBRARIES = ("openmpi", "mpich")
LAUNCH = {"openmpi": ["--allow-run-as-root", "--oversubscribe"], "mpich": []}
COMPILERS = {".c": "mpicc", ".f": "mpifort", ".f90": "mpifort"}
QUIET = {"OMPI_MCA_btl_base_warn_component_unused": "0", "UCX_LOG_LEVEL": "fatal", "OMPI_MCA_btl": "self,vader",
         "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def there():
    """The MPIs that are installed; without any the test cannot be run."""
    found = [mpi for mpi in LIBRARIES if shutil.which(f"mpicc.{mpi}") and shutil.which(f"mpirun.{mpi}")]
    if not found:
        print("neither Open MPI nor MPICH is installed")
        sys.exit(77)
    return found


def build(mpi, *sources, output="program", options=()):
    """Compiles sources of this folder, by the first one's language."""
    compiler = f"{COMPILERS[os.path.splitext(sources[0])[1]]}.{mpi}"
    if not shutil.which(compiler):
        print(f"{compiler} is not installed")
        sys.exit(77)
    made = subprocess.run([compiler, "-O1", "-w", "-o", output, *(os.path.join(HERE, s) for s in sources), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        raise AssertionError(f"{compiler} {' '.join(sources)}:\n{made.stdout}")
    return os.path.abspath(output)


def run(mpi, ranks, command, record=(), environment=None, timeout=100):
    """Output (lines sorted: ranks come in any order), status. In a fresh folder `work`."""
    line = [*record, f"mpirun.{mpi}", *LAUNCH[mpi], "-n", str(ranks), *command]
    for _ in range(4):
        shutil.rmtree("work", ignore_errors=True)
        os.mkdir("work")
        done = subprocess.run(line, cwd="work", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              timeout=timeout, env={**os.environ, **QUIET, **(environment or {})})
        # MPICH's launcher was seen to die of a broken pipe of its own. Where it is alone that is no answer.
        if record or done.returncode != -signal.SIGPIPE:
            break
    return sorted(done.stdout.splitlines()), done.returncode


def recorded(mpi, ranks, command, options=(), environment=None):
    """Runs it under Varve; output, status, and the records of MPI by rank."""
    shutil.rmtree("t.varve", ignore_errors=True)
    output, status = run(mpi, ranks, command, [VARVE, "record", "-o", "../t.varve", *options, "--"], environment)
    return output, status, records("t.varve")


def records(trace, layers=("mpi", "mpiio")):
    done = subprocess.run([VARVE, "dump", "--by-stream", "--format", "json", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode or done.stderr:
        raise AssertionError(f"varve dump: status {done.returncode}, {done.stderr}")
    ranks = defaultdict(list)
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record["layer"] in layers:
            ranks[record.get("rank", -1)].append(record)
    return dict(ranks)


def transparent(mpi, ranks, command, options=(), environment=None):
    """The same output and status with Varve as without; the records by rank."""
    before = run(mpi, ranks, command, environment=environment)
    output, status, ranked = recorded(mpi, ranks, command, options, environment)
    # Under load a rank of Open MPI was seen to fail without Varve. What is recorded is not run again.
    if before[1] != status == 0:
        before = run(mpi, ranks, command, environment=environment)
    if (output, status) != before:
        missing = [line for line in before[0] if line not in output]
        extra = [line for line in output if line not in before[0]]
        raise AssertionError(f"{mpi}: status {before[1]} and {status}; only without Varve: {missing[:10]}; only with it: {extra[:10]}")
    return before[0], ranked


def same(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, wanted {wanted!r}")


def run_tests(names):
    """Calls each function test_* for each MPI, in a folder of its own."""
    failed = passed = 0
    chosen = sys.argv[1:]
    for mpi in there():
        for name, test in list(names.items()):
            if not name.startswith("test_") or (chosen and name[5:] not in chosen and mpi not in chosen):
                continue
            before = os.getcwd()
            with tempfile.TemporaryDirectory(prefix="varve-mpi-") as folder:
                os.chdir(folder)
                try:
                    test(mpi)
                    passed += 1
                except Exception:  # pylint: disable=broad-except
                    failed += 1
                    print(f"FAILED {name} {mpi}")
                    traceback.print_exc(file=sys.stdout)
                os.chdir(before)
                remove_lanes(os.path.realpath(folder))  # of a run that a failed test left
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)
