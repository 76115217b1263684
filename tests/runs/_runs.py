"""Shared by the tests of runs: launchers, simulated hosts, and the expected content of a trace of several programs.

A host is a mount and UTS namespace with a name and a /dev/shm of its own; the network is that of the machine. `remote` is the
command that a launcher uses as `ssh`: no variable of the test's environment is passed on, as on another machine.
"""
import json
import os
import re
import socket
import subprocess
import threading
import time

from lib import LIBRARY, VARVE, Missing, Trace, need, program, same, varve

RANKS = program("ranks")
OPEN_MPI = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]
MPICH = ["mpirun.mpich"]
OTHER = "varve-other-host"
# The command that a launcher uses as `ssh`: host and command.
REMOTE = """#!/usr/bin/env python3
import json, socket, sys
words = [word for at, word in enumerate(sys.argv[1:]) if at or not word.startswith("-")]
line = socket.socket(socket.AF_UNIX)
line.connect({address!r})
line.sendall(json.dumps(words).encode() + b"\\n")
sys.exit(int(line.makefile().readline() or 255))
"""
# The first command on the other host.
ARRIVE = 'hostname "$0" && mount -t tmpfs none /dev/shm && exec sh -c "$*"'


class Daemon:
    """Runs commands on hosts of any name, for `remote`: outside of any run, as another machine would."""

    def __init__(self, further):
        self.further = further
        self.address = os.path.abspath("daemon")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.address)
        self.listener.listen()
        self.environment = environment()
        threading.Thread(target=self.serve, daemon=True).start()
        with open("remote", "w") as file:
            file.write(REMOTE.format(address=self.address))
        os.chmod("remote", 0o755)

    def serve(self):
        while True:
            line, _ = self.listener.accept()
            threading.Thread(target=self.run, args=(line,), daemon=True).start()

    def run(self, line):
        host, *words = json.loads(line.makefile().readline())
        status = subprocess.run(["unshare", *self.further, "--uts", "--mount", "sh", "-c", ARRIVE, host, *words], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment).returncode
        line.sendall(b"%d\n" % (status if status >= 0 else 128 - status))
        line.close()


def need_hosts():
    need("unshare", "mpirun.openmpi")
    if os.geteuid() != 0 or subprocess.run(["unshare", "--uts", "--mount", "true"]).returncode:
        raise Missing("root", "is needed to make namespaces")


def environment(**more):
    """Without variables of a launcher or of a run around the test."""
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM_", "PALS_", "FLUX_", "VARVE_RUN", "VARVE_LD"))}
    return {**kept, **more}


def launch(words, status=0, timeout=60, missing=0, **variables):
    """The standard input stays open, and empty: MPICH's mpirun passes its end on, and a SIGPIPE kills it if the rank has ended by
    then, also without Varve."""
    reads, writes = os.pipe()
    try:
        result = subprocess.run(words, stdin=reads, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**variables),
                                timeout=timeout)
    finally:
        os.close(reads)
        os.close(writes)
    if status is not None:
        same(result.returncode, status, result.stderr)
    complete_later(result.stderr.decode(errors="replace"), missing)
    return result


def complete_later(said, missing, seconds=100):
    """A launcher may end a moment before its children (its `ssh`, the other host): then waits for the end that the command's
    message names. The lanes of `missing` hosts are never collected."""
    found = re.search(r"processes of the run still run .* completes(?: and packs)? the trace (\S+);", said)
    until = time.monotonic() + seconds
    while found and len(lanes_of(found[1])) > missing:
        assert time.monotonic() < until, said
        time.sleep(0.01)


def two_hosts(ranks=2, further=()):
    """Options with which Open MPI starts as many ranks on each of two hosts; `further` options of unshare make the other one."""
    if not os.path.exists("daemon"):
        Daemon(further)
    return [*OPEN_MPI, "--mca", "plm_rsh_agent", os.path.abspath("remote"),
            "-H", f"{socket.gethostname()}:{ranks},{OTHER}:{ranks}", "-n", str(2 * ranks)]


def commands_around(launcher, words, trace, *options):
    """One job, started in each way: name and command; `options` of `varve record`."""
    return {"around": [VARVE, "record", "-o", trace, *options, "--", *launcher, *words],
            "inside": [*launcher, VARVE, "record", "-o", trace, *options, "--", *words],
            "preloaded": [*launcher, "env", f"LD_PRELOAD={LIBRARY}", f"VARVE_TRACE={trace}", *words]}


def lanes_of(trace):
    """Lane folders that a trace names, on any host; a packed trace names none."""
    try:
        return [name for name in os.listdir(trace) if name.split(".")[0] == "lanes"]
    except NotADirectoryError:
        return []


def completed(trace, folder=False, seconds=100):
    """Waits for the keeper: until the trace is packed, or until a folder names no lanes any more."""
    until = time.monotonic() + seconds
    while not os.path.exists(trace) or (lanes_of(trace) if folder else os.path.isdir(trace)):
        assert time.monotonic() < until, os.listdir(trace) if os.path.exists(trace) else "no trace"
        time.sleep(0.01)
    return Trace(trace)


def traces():
    return sorted(name for name in os.listdir(".") if name.endswith(".varve"))


def holds_ranks(trace, ranks, writes, nodes=1):
    """Nothing is missing, and each rank has made its calls once. Returns the output of `info`."""
    info = trace.info()
    same((info["damage"], info["losses"], info["ranks_missing"]), ([], [], 0))
    # A host has one more node if its first ranks end before its last one begins.
    found = len(info["nodes"] if nodes == 1 else {node["host"] for node in info["nodes"]})
    same((info["ranks"], info["world"] if ranks > 1 else ranks, found), (ranks, ranks, nodes))
    calls = trace.calls("--function", "pwrite")
    by_rank = {}
    for call in calls:
        by_rank.setdefault(call["rank"], []).append(call)
    same(sorted(by_rank), list(range(ranks)))
    for rank, made in by_rank.items():
        same([call["offset"] for call in sorted(made, key=lambda call: call["ordinal"])], [8 * i for i in range(writes)])
        same({os.path.basename(call["absolute"]) for call in made}, {f"out.{rank}"})
    return info


def hosts_of(info):
    """Host of each rank."""
    return {process["rank"]: process["host"] for process in info["processes"] if process["rank"] is not None}


def recover(trace):
    result = varve("pack", "--recover", trace)
    same(result.returncode, 0, result.stderr)
