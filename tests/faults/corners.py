#!/usr/bin/env python3
"""Rare actions that a recorder easily breaks: each works as without Varve, and no record is lost."""
from lib import compare, program, run_tests, same

CORNERS = program("corners")


def went(way, *options):
    trace = compare([CORNERS, way], options, status=0, timeout=60)
    return trace


def test_a_pipe_is_executed():
    went("fifo").complete()


def test_locks_on_what_is_started():
    went("locks").complete()


def test_a_program_started_from_a_small_stack():
    same(went("stack").complete()["posix_spawn"], 1)


def test_lanes_cut_on_a_small_stack():
    same(went("handler", "--buffer", "64K").complete()["pwrite"], 30000)


def test_descriptors_and_folder_of_a_vfork_child():
    """Changes by the child affect only the child."""
    trace = went("vfork")
    trace.complete()
    names = [call["absolute"].rsplit("/", 2)[1:] for call in trace.calls("--function", "write") if call["args"]["count"] < 4]
    same(names, [["traced", "first"], ["traced", "second"], ["traced", "third"]])


def test_shells_of_many_threads():
    """Six threads at once: each shell is traced, and the environment is restored."""
    trace = went("shells")
    same(trace.losses(), {})
    same(trace.complete()["wordexp"], 240)


def test_a_filter_that_cannot_be():
    """Programs often ask in this way whether the kernel has filters: recording continues."""
    same(went("probe").complete()["access"], 50)


def test_a_shell_that_is_left_by_longjmp():
    """The environment is restored here too."""
    went("leap")


def test_a_shell_that_ends_with_its_thread():
    went("cancelled")


def test_a_path_that_was_cut_off():
    same(went("truncated").complete()["access"], 2)


def test_a_question_to_seccomp():
    """No filter remains after it: later threads are recorded."""
    same(went("question").complete()["access"], 50)


def test_a_process_that_cannot_be_made():
    """The calling thread is still recorded."""
    same(went("refused").complete()["access"], 50)


def test_a_child_of_a_thread_ends_with_its_function():
    went("threadless")


run_tests(globals())
