#!/usr/bin/env python3
"""Unusual streams: inlined macros, functions of the program behind a stream, threads that share one, buffers that are not empty
at a fork, standard streams that are opened again."""
from lib import compare, program, run_tests, same

STREAMS = program("streams")


def recorded(way):
    trace = compare([STREAMS, way], status=0)
    trace.complete()
    return trace


def test_inlined_characters():
    """Not the characters, but each filling and emptying of the buffer."""
    counts = recorded("inline").counts()
    same((counts["__uflow"], counts["__overflow"]), (101, 100))
    same([name for name in counts if name.startswith(("getc", "putc"))], [])


def test_functions_behind_a_stream():
    """Their calls are inside the call on the stream that caused them."""
    outer, inside = None, []
    for call in recorded("cookie").calls():
        if call["depth"] == 0:
            outer = call["function"]
        else:
            inside.append((outer, call["function"]))
    same(inside, [("fflush", "write"), ("fseek", "lseek"), ("fseek", "read"), ("fgets", "read"), ("fclose", "close")])


def test_one_stream_many_threads():
    calls = recorded("threads").calls()
    lines = [call for call in calls if call["function"] == "fputs"]
    same((len(lines), len({call["tid"] for call in lines})), (4000, 4))
    same({call["absolute"].rsplit("/", 1)[1] for call in calls if call["function"] in ("fputs", "fclose")}, {"shared"})


def test_buffers_at_a_fork():
    trace = recorded("fork")
    with open("plain/forked", encoding="utf-8") as file:
        same(file.read(), "before the fork, by child 0\nbefore the fork, by the parent\n")
    written = [(call["pid"], call["absolute"].rsplit("/", 1)[1]) for call in trace.calls("--function", "fprintf")]
    same((len({pid for pid, _ in written}), {name for _, name in written}), (2, {"forked"}))


def test_standard_streams_opened_again():
    calls = recorded("reopen").calls()
    named = {call["function"]: call["absolute"].rsplit("/", 1)[1] for call in calls
             if call["function"] in ("fgets", "printf", "perror")}
    same(named, {"fgets": "given", "printf": "out", "perror": "errors"})


run_tests(globals())
