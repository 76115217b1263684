#!/usr/bin/env python3
"""The start and the end of a program: the order of constructors, handlers and destructors, the content of its streams, its
status: the same with and without Varve."""
from _probes import PRELOADED, RECORDED, compare, look, program, run_tests, same

EXIT = program("probe_exit")
STATUSES = {
    "return": 10, "exit": 11, "exit 256": 12, "exit -1": 255, "_exit": 13, "_Exit": 14, "quick_exit": 15, "abort": -6,
    "kill": -9, "term": -15, "segv": -11, "throw": -6, "terminate": -6, "exec": 0, "inside exit": 41, "inside leave": 42,
    "inside death": -9, "thread exit": 31, "thread _exit": 32, "thread pthread_exit": 10, "thread quick_exit": 33,
    "main left": 0,
}


def test_every_way():
    for way, status in STATUSES.items():
        plain = compare([EXIT, way], least=0)
        same(plain.status, status, way)
        assert plain.stdout.startswith(b"early constructor\nconstructor\nmade first\n"), plain.stdout


def test_order():
    """The order itself is checked, not only that it is the same."""
    said = look(RECORDED, [EXIT, "return"]).stdout.decode().splitlines()
    same([said.index(line) for line in ("main", "gone of a thread", "atexit registers another", "gone second", "gone first",
                                        "destructor", "late destructor")],
         sorted(said.index(line) for line in ("main", "gone of a thread", "atexit registers another", "gone second",
                                              "gone first", "destructor", "late destructor")))
    same(said[-1], "in the buffer of stdout")
    same(look(PRELOADED, [EXIT, "return"]).stdout.decode().splitlines(), said)


run_tests(globals())
