"""Shared by tests on recorded traces: programs to record, recording them, and comparing both decoders.

read() compares the calls and definitions of a trace and the output of `varve info` about the whole trace. It is for traces
without damage, in either form.
"""
import json
import os
import subprocess

from _compare import VARVE, agree
from _facts import counters, processes, run_facts

from lib import program, same

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
THREADS = """
import os, threading
def work():
    for i in range(1200):
        os.stat("/etc")
        with open("/etc/passwd") as file:
            file.read(10)
    os.system("true")
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def run(command, *options):
    """Records a program; returns the trace, in its stream form."""
    trace = "t.varve"
    subprocess.run([VARVE, "record", "--no-pack", "-o", trace, *options, "--", *command], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    return trace


def record(command, *options):
    return read(run(command, *options))


def read(trace):
    """Compares both decoders, and the output of `info`, for one trace."""
    mine, calls = agree(trace)
    info = json.loads(subprocess.run([VARVE, "info", "--format", "json", trace], stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL).stdout)
    same(info["damage"], [])
    info["losses"] = [(loss["reason"], loss["count"]) for loss in info["losses"]]
    for key, value in run_facts(mine, calls).items():
        same(info[key], value, key)
    for row in info["functions"]:
        row["unfinished"] += row.pop("did_not_return")
    same({(row["layer"], row["function"]): row for row in info["functions"]}, counters(mine), "functions")
    same([{key: process[key] for key in found} for process, found in zip(info["processes"], processes(mine))],
         processes(mine))
    same(len(info["processes"]), len(processes(mine)))
    return mine, calls


def nested():
    """Creates the file that nested_walk walks; the path of the program."""
    open("file", "w").close()
    return program("nested_walk")
