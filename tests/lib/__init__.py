"""Shared by the scripts of all folders.

places    paths of what is tested; installed programs, and what to do without them
check     same(), holds(), run_tests(): a test is a function named test_*, in a folder of its own
command   running `varve`, recording, compiling small programs once
traces    a trace as `info` and `dump` show it; numbers of the losses
compare   a program with and without Varve: the same output, status and files
"""
from lib.check import Folder, holds, in_the_long_set, lots, remove_lanes, run_tests, same, says
from lib.command import (BIG, Run, build_program, compiled, damage_last_block, each_call_program, no_core, program_copy,
                         remove_trace, run, shell_status, told_apart, varve, wait_for_end)
from lib.compare import compare, fill, small_disk, tree
from lib.places import (BUILD, CC, LIBRARY, PATH, PROGRAMS, SANITIZE, SOURCE, TESTS, VARVE, Missing, compiled_source, modules_of,
                        need, need_root, program, program_path)
from lib.traces import (CLOCK, CLOCKLESS, DEEP, DENIED, DESCRIPTORS, DISK_FULL, DROPPED, FILE_LIMIT, GONE, HANDLER, IO, LIMIT,
                        LOOKUP, NAME, NO_LANE, NO_REAL, REQUESTS, RING_FILE, RUNTIME, SHARED, SPACE, START, TORN, UNTRACED,
                        UNTRACKED, Trace, dropped, dump_json, dumped)

__all__ = [name for name in dir() if not name.startswith("_")]
