"""`varve info` lists what cannot be in a trace: functions without a row, direct system calls of the program, mappings, rings,
libraries in another namespace; and the objects that it cannot check."""
import json
import os
import subprocess

from lib import build_program, holds, program, remove_trace, run_tests, same, varve


def info(trace="t.varve"):
    result = varve("info", "--format", "json", trace)
    same(result.returncode, 0, result.stderr)
    return json.loads(result.stdout)["unseen"]


def text(trace="t.varve"):
    return [line for line in varve("info", trace).stdout.decode().splitlines() if line.startswith("not ")]


def record(name, *words):
    """What `record` prints of a run of this program."""
    remove_trace("t.varve")
    result = varve("record", "-o", "t.varve", "--", program(name), *words)
    same(result.returncode, 0)
    return result.stderr.decode().splitlines()


def library(name, source, *options):
    return os.path.abspath(build_program(name, "-shared", "-fPIC", *options, source=source))


def raw_library():
    return library("libraw.so", "raw_call.c", "-DNUMBER=425")


def of(found, name):
    return next(entry for entry in found["objects"] if os.path.basename(entry["path"]) == name)


def test_nothing_to_say():
    record("opens_null")
    same(text(), [])
    found = info()
    entry = of(found, "opens_null")
    same((entry["program"], entry["state"], entry["symbols"], entry["system_calls"]), (True, "read", [], []))
    same(of(found, "libc.so.6")["state"], "read")
    same((found["file_mappings"], found["rings"], found["deep_bound_loads"]), (0, 0, 0))


def test_functions_without_a_row():
    path = library("librpc.so", "uncovered.c")
    record("loads_libraries", path)
    entry = of(info(), "librpc.so")
    same([symbol["name"] for symbol in entry["symbols"]], ["svc_getreq"])
    holds(entry["symbols"][0]["why"], "Sun RPC")
    holds(text()[0], f"1 function ... {path} ... svc_getreq (Sun RPC")


def test_system_calls_of_its_own():
    path = raw_library()
    record("loads_libraries", path)
    same(of(info(), "libraw.so")["system_calls"], ["io_uring_setup"])
    holds(text()[0], f"system calls ... {path} ... io_uring_setup")


def test_mappings():
    record("maps_file")
    found = info()
    same((found["file_mappings"], found["file_mapping_bytes"]), (1, 5000))
    holds(text()[0], "1 mapping ... 5000 bytes")


def test_bytes_that_no_call_reports():
    """For characters that the compiler takes from a stream's buffer, for fscanf and for wide characters."""
    record("opens_null", "plain.dat")
    same((info()["uncounted_calls"], text(), os.path.getsize("plain.dat")), (0, [], 1))
    record("inlined_stdio")
    same(info()["uncounted_calls"], 2)
    (line,) = text()
    holds(line, "not counted ... 2 calls ... __overflow, __uflow ... getc_unlocked ... putc_unlocked")
    for words in ((), ("--files",)):
        said = varve("info", *words, "t.varve").stdout.decode().splitlines()
        same((said[1], sum(part.startswith("not counted") for part in said)), (line, 1))
    record("scans")
    same(len(text()), 1)
    holds(text()[0], "not counted ... 1 call ... fscanf")


def test_requests_whose_result_nobody_asked_for():
    """aio_return() was not called: the program uses aio_error() only."""
    record("aio_unreturned", "both")
    same((info()["open_requests"], text()), (0, []))
    record("aio_unreturned")
    same(info()["open_requests"], 1)
    same(len(text()), 1)
    holds(text()[0], "not counted ... 1 request")


def test_rings():
    if subprocess.run([program("makes_ring")]).returncode:
        print("# no io_uring here")
        return
    record("makes_ring")
    same(info()["rings"], 1)
    holds(str(text()), "1 ring")


def test_libraries_past_us():
    path = raw_library()
    said = record("loads_past", path)
    found = info()
    same(found["deep_bound_loads"], 1)
    assert [entry["namespace"] for entry in found["objects"] if entry["path"] == path] == [0, 1], found
    lines = varve("info", "t.varve").stdout.decode().splitlines()
    same([line.split()[0] for line in lines[:3]], ["LOST", "LOST", "program"], lines[:3])
    holds(lines[0], "RTLD_DEEPBIND")
    holds(lines[1], "namespace")
    same(said, ["varve: " + line.split(None, 1)[1] for line in lines[:2]])


def test_end_of_the_only_program():
    """`record` reports it too, for a program without children."""
    said = record("ends_by_instruction")
    lines = varve("info", "t.varve").stdout.decode().splitlines()
    holds(lines[0], "LOST ... 1 process ... system call")
    same(said, ["varve: " + lines[0].split(None, 1)[1]])


def test_gone_and_changed():
    first, second = library("libfirst.so", "uncovered.c"), library("libsecond.so", "uncovered.c")
    record("loads_libraries", first, second)
    os.remove(first)
    os.utime(second)
    found = info()
    same((of(found, "libfirst.so")["state"], of(found, "libsecond.so")["state"]), ("gone", "changed"))
    same(of(found, "libsecond.so")["symbols"], [])
    holds(str(text()), "2 of 5")


def test_quick_does_not_look():
    path = library("librpc.so", "uncovered.c")
    record("loads_libraries", path)
    assert "unseen" not in json.loads(varve("info", "--quick", "--format", "json", "t.varve").stdout)


run_tests(globals())
