#!/usr/bin/env python3
"""A signal handler that calls MPI, between any two instructions of a call of MPI: each record has its own communicator.

The library is one of our own, whose functions may be called so. The program is stepped by the processor's trap flag, and the
handler runs at each instruction of what Varve does. The direction tells which communicator was given.
"""
import os
import subprocess

from lib import dump_json, run_tests, same, varve

LIBRARY = """
int MPI_Init(int *argc, char ***argv) { return argc || argv; }
int MPI_Cart_shift(int comm, int direction, int disp, int *from, int *to) { *from = disp; *to = comm + direction; return 0; }
"""
PROGRAM = """
#include <signal.h>
#include <stdio.h>
int MPI_Init(int *, char ***), MPI_Cart_shift(int, int, int, int *, int *);
enum { COMMUNICATORS = 40, FIRST = 0x44000010 };
static long steps;
static int now;
static void shift(int which) { int from, to; MPI_Cart_shift(FIRST + which, which, 1, &from, &to); }
/* In turns the communicator of the call that was interrupted, and others that take its place in what is remembered. */
static void nested(int number) { (void)number; shift(steps++ % 2 ? now : (int)(steps / 2 % COMMUNICATORS)); }
int main(void)
{
	MPI_Init(NULL, NULL);
	sigaction(SIGTRAP, &(struct sigaction){.sa_handler = nested}, NULL);
	for (int i = 0; i < COMMUNICATORS; i++)
		shift(i);
	for (int i = 0; i < 3 * COMMUNICATORS; i++) {
		now = i * 7 % COMMUNICATORS;
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
		shift(now);
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
	}
	return steps < 1000;
}
"""


def compiled(output, source, *words):
    with open(output + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run(["cc", "-O1", "-w", "-mno-red-zone", "-o", output, output + ".c", *words], check=True)
    return os.path.abspath(output)


def test_between_any_two_instructions():
    compiled("libmpi.so", LIBRARY, "-shared", "-fPIC")
    program = compiled("steps", PROGRAM, "-L.", "-lmpi", "-Wl,-rpath," + os.getcwd())
    done = varve("record", "-o", "t.varve", "--buffer", "8M", "--also", "mpi", "--", program)
    same(done.returncode, 0, done.stderr)
    calls = dump_json("t.varve", "--function", "MPI_Cart_shift")
    same(len(calls) > 1000, True, len(calls))
    of = {}
    for call in calls:
        arguments = call["args"]
        if arguments["comm"]:  # on top of work on the table the handle is left out, which is counted
            of.setdefault(arguments["direction"], set()).add(arguments["comm"])
    same([(direction, sorted(found)) for direction, found in of.items() if len(found) != 1], [])
    same(len(set.union(*of.values())), len(of))


run_tests(globals())
