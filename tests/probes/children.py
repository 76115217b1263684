#!/usr/bin/env python3
"""The state of children, started in every possible way: the same with and without Varve."""
from _probes import RECORDED, compare, program, run_tests, same, varve

WAYS = ("fork", "_Fork", "SYS_fork", "SYS_clone", "clone", "clone vfork", "clone files", "execve", "execv", "execvp",
        "execvpe", "execl", "execle", "execlp", "fexecve", "execveat", "nothing", "cleared", "by the shell", "second try",
        "vfork", "thread", "spawn", "spawn ids", "spawn group", "spawn defaults", "spawn mask", "spawn parameter",
        "spawn scheduler", "spawn vfork", "spawn session", "spawn actions", "spawn closes", "system", "popen",
        "popenwrite", "daemon")


def test_children():
    plain = compare([program("probe_children"), program("probe")], least=10000)
    same(plain.status, 7)
    seen = {line.split(": ")[0] for line in plain.lines}
    same(seen, {*WAYS, "parent"})


def test_children_are_all_traced():
    """The probe does not see Varve because it is hidden, not because it is missing."""
    compare([program("probe_children"), program("probe")], ways=(RECORDED,), least=10000)
    listing = varve("info", "--processes", f"{RECORDED}.varve").stdout.decode()
    for way in WAYS:
        if way not in ("fork", "_Fork", "SYS_fork", "SYS_clone", "clone", "clone files"):
            word = f'"{way}"' if " " in way else way
            assert f"/probe {word}\n" in listing, (way, listing)
    assert ", started by " not in listing and "LOST" not in listing, listing
    # Also a child that only returns from its function.
    ends = varve("dump", "--function", "end", f"{RECORDED}.varve").stdout.decode().splitlines()
    same(len([line for line in ends if line.endswith("end(status=21)")]), 1)


run_tests(globals())
