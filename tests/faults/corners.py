#!/usr/bin/env python3
"""What few programs do, and a recorder easily gets wrong: each goes as without Varve, and nothing is lost."""
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
    """What the child does with them stays with the child."""
    trace = went("vfork")
    trace.complete()
    names = [call["absolute"].rsplit("/", 2)[1:] for call in trace.calls("--function", "write") if call["args"]["count"] < 4]
    same(names, [["traced", "first"], ["traced", "second"], ["traced", "third"]])


def test_shells_of_many_threads():
    """Six threads at once: each shell is traced, and the environment comes back."""
    trace = went("shells")
    same(trace.losses(), {})
    same(trace.complete()["wordexp"], 240)


def test_a_filter_that_cannot_be():
    """The usual question whether the kernel has filters: recording goes on."""
    same(went("probe").complete()["access"], 50)


def test_a_shell_that_is_left_by_longjmp():
    """The environment comes back all the same."""
    went("leap")


def test_a_shell_that_ends_with_its_thread():
    went("cancelled")


def test_a_path_that_was_cut_off():
    same(went("truncated").complete()["access"], 2)


def test_a_question_to_seccomp():
    """No filter stands after it: threads that come later are recorded."""
    same(went("question").complete()["access"], 50)


def test_a_process_that_cannot_be_made():
    """Its maker goes on recording."""
    same(went("refused").complete()["access"], 50)


def test_a_child_of_a_thread_ends_with_its_function():
    went("threadless")


run_tests(globals())
