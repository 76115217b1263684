#!/usr/bin/env python3
"""Functions of a library that comes later, out of sight of others, and goes again."""
import os
import subprocess
import sys

from lib import compare, program, run_tests, same

SOURCE = r"""
#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>
int read_by_ring(const char *path)
{
	struct io_uring ring;
	struct io_uring_cqe *completion;
	char buffer[16];
	int fd = open(path, O_RDONLY), result = io_uring_queue_init(4, &ring, 0);
	if (result < 0)
		return result;
	io_uring_prep_read(io_uring_get_sqe(&ring), fd, buffer, 5, 2);
	io_uring_submit(&ring);
	io_uring_wait_cqe(&ring, &completion);
	result = completion->res;
	io_uring_cqe_seen(&ring, completion);
	io_uring_queue_exit(&ring);
	close(fd);
	return result;
}
"""


def library():
    """A shared library that is linked with liburing, as the program is not."""
    folder = os.getcwd()
    source, made = os.path.join(folder, "ring.c"), os.path.join(folder, "libring.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    built = subprocess.run([os.environ.get("CC", "cc"), "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", made, source, "-luring"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode:
        print("liburing is not there to link with:", built.stdout[:200])
        sys.exit(77)
    return made


def test_found_each_time():
    data = os.path.join(os.getcwd(), "data")
    with open(data, "w", encoding="utf-8") as file:
        file.write("0123456789")
    trace = compare([program("late"), library(), data], status=0)
    calls = trace.counts()
    for name in ("io_uring_queue_init", "io_uring_queue_exit", "ring_request", "ring_event"):
        same(calls[name], 2)
    same(calls["io_uring_submit"], 2)
    same(trace.losses(), {})


run_tests(globals())
