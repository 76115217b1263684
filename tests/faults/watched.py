#!/usr/bin/env python3
"""A trace that is read while its run ends: each reading shows a state that existed, and none shows damage.

A reader takes no lock, so the run's last blocks are written, its index made and its lanes removed while it reads. strace delays
`varve record` for some milliseconds after each of those steps, so that readings happen between all of them.
"""
import json
import os
import subprocess

from lib import VARVE, Folder, run_tests, same, varve

STEPS = "unlink,unlinkat,rmdir,rename,renameat,renameat2,pwrite64,ftruncate,fallocate"


def ends_while_read(delay_us, script):
    found = []
    with Folder() as folder:
        trace = os.path.join(folder, "t.varve")
        held = ["strace", "-qq", "-o", "/dev/null", "-e", f"inject={STEPS}:delay_exit={delay_us}"]
        run = subprocess.Popen([*held, VARVE, "record", "-o", trace, "--", "sh", "-c", script],
                               stderr=subprocess.PIPE)
        while run.poll() is None:
            result = varve("info", "--format", "json", trace)
            if b"not a Varve trace" in result.stderr or b"cannot open" in result.stderr:
                same(found, [], "a trace that was there is gone")
                continue
            # Lanes of dead processes that `varve record` has not collected yet are read too.
            said = [line for line in result.stderr.splitlines() if not line.startswith(b"varve: still ")]
            same((delay_us, result.returncode, said), (delay_us, 0, []))
            found.append(json.loads(result.stdout)["records"])
        same((run.returncode, run.stderr.read()), (0, b""))
        found.append(json.loads(varve("info", "--format", "json", trace).stdout)["records"])
        same(found, sorted(found))
        same((len(found) > 1, os.path.exists(os.path.join(trace, "lanes"))), (True, False))


def test_program():
    for delay_us in (1000, 5000, 20000):
        ends_while_read(delay_us, "cat /etc/passwd > /dev/null")


def test_keeper_that_starts_late():
    """It was forked, and has not run yet when the program and its child have ended."""
    late = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=setsid", "-e", "inject=setsid:delay_enter=3000000"]
    with Folder():
        run = subprocess.run([*late, VARVE, "record", "-o", "t.varve", "--", "sh", "-c", "cat /etc/passwd > /dev/null; true"],
                             stderr=subprocess.PIPE)
        said = [line for line in run.stderr.splitlines() if not line.startswith(b"strace: ")]
        same((run.returncode, said, os.path.isfile("t.varve")), (0, [], True))


def test_killed_program():
    """`varve record` writes its lanes later."""
    for delay_us in (1000, 5000, 20000):
        ends_while_read(delay_us, "for i in 1 2 3 4; do sh -c 'cat /etc/passwd > /dev/null; kill -9 $$' & done; wait; exit 0")


if __name__ == "__main__":
    run_tests(globals())
