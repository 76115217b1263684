"""`path` is the name that the program gave, wherever a descriptor is used: in other threads, in children, in later blocks, in
copies; `absolute` is the same for all of them.
"""
import os

from lib import dump_json, program, remove_trace, run_tests, same, varve

PROGRAM = program("given")
USERS, COUNT = 6, 300


def writes(*words):
    """For a run of the program; all of its writes must have been recorded."""
    result = varve("record", "--buffer", "64K", "--no-pack", "-o", "t.varve", "--", PROGRAM, *words)
    same((result.returncode, result.stderr), (0, b""))
    found = dump_json("t.varve", "--function", "write")
    same(len(found), USERS * COUNT)
    return found


def check(given, absolute, *more):
    found = writes(given, str(COUNT), *more)
    same(os.path.getsize(absolute), USERS * COUNT * 10)
    same({(call["path"], call["absolute"]) for call in found}, {(given, absolute)})
    chosen = dump_json("t.varve", "--where", f'function == write and path == "{given}"')
    same(len(chosen), len(found))
    same(varve("slice", "--file", given, "-o", "s.varve", "t.varve").returncode, 0)
    kept = [call for call in dump_json("s.varve") if call["function"] == "write"]
    same([call["path"] for call in kept], [given] * len(found))
    same(varve("pack", "t.varve").returncode, 0)
    packed = dump_json("t.varve", "--where", f'function == write and path == "{given}"')
    same(len(packed), len(found))


def test_relative():
    os.mkdir("folder")
    check("folder/../file", os.path.join(os.getcwd(), "folder/../file"))


def test_absolute_that_is_not_the_kernels():
    os.mkdir("folder")
    os.symlink("folder", "link")
    path = os.path.join(os.getcwd(), "link/file")
    check(path, path)


def test_from_a_folder():
    os.mkdir("folder")
    check("file", os.path.join(os.getcwd(), "folder/file"), "folder")


def test_long():
    folder = "/".join(["folder" * 30] * 3)
    os.makedirs(folder)
    check("./" + folder + "/file", os.path.join(os.getcwd(), folder, "file"))
    for trace in ("t.varve", "s.varve"):
        remove_trace(trace)
        os.path.exists(trace) and os.remove(trace)
    check("file", os.path.join(os.getcwd(), folder, "file"), folder)


def test_removed_after_it_was_opened():
    """The C library chooses the name of shared memory; the name stays the same, although the file is gone before another thread
    uses it."""
    same(varve("record", "--no-pack", "-o", "t.varve", "--", program("shm_removed")).returncode, 0)
    found = [(call["path"], call["absolute"]) for call in dump_json("t.varve", "--function", "write")]
    assert found[0][0].startswith("/dev/shm/varve-given-") and "deleted" not in found[0][0], found
    same(found, [found[0]] * 3)


run_tests(globals())
