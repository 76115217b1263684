"""The program of docs/howto/read-a-trace.md compiles unchanged with the headers of the tree, prints the same as `varve dump`,
reports first what is missing, and reports errors in a filter and in a trace."""
import json
import os
import re
import subprocess

from _install import BUILD, SOURCE, STRICT, agree, output, program_of, run_tests, same, sample_trace, write_example

from lib import VARVE, holds

LIBRARY = os.path.join(BUILD, "lib")
FINDS = {"LD_LIBRARY_PATH": LIBRARY}


def compiled(source=None):
    subprocess.run([os.environ.get("CC", "cc"), *STRICT, "-I" + os.path.join(SOURCE, "include"), "-o", "read-trace",
                    source or write_example(), "-L" + LIBRARY, "-lvarve"], check=True)
    return "./read-trace"


def complaint(*command):
    done = subprocess.run(command, env=FINDS, capture_output=True, text=True)
    same(done.returncode, 1, done)
    return done.stderr


def test_it_says_what_dump_says():
    program, trace = compiled(), sample_trace(VARVE)
    printed = agree(program, VARVE, trace, environment=FINDS)
    holds(printed, "run: ./checkpoint folder\n2 processes, 5 threads\n")
    same(printed.startswith("run:"), True, "nothing is missing")


def test_the_lines_of_the_readme():
    os.rename(sample_trace(VARVE), "my.varve")
    include, statements = program_of("README.md").split("\n", 1)
    with open("readme.c", "w", encoding="utf-8") as file:
        file.write("%s\n#include <stdio.h>\nint main(void)\n{\n%s}\n" % (include, statements))
    program = compiled("readme.c")
    printed = output(program, environment=FINDS).splitlines()
    records = output(VARVE, "dump", "--format", "json", "my.varve").splitlines()
    same([line.split()[0] for line in printed], [json.loads(record)["function"] for record in records])
    os.rename("my.varve", "other.varve")
    holds(complaint(program), "my.varve")


def test_filters():
    program, trace = compiled(), sample_trace(VARVE)
    for where in ('layer == "posix"', "size >= 4KiB", 'path like "*/log"', "process == 1 and thread > 1"):
        agree(program, VARVE, trace, where, environment=FINDS)


def test_what_is_missing_stands_first():
    program, trace = compiled(), sample_trace(VARVE)
    data = os.path.join(trace, "data.0")
    with open(data, "r+b") as file:
        file.truncate(os.path.getsize(data) * 2 // 3)
    same(output(program, trace, environment=FINDS).startswith("damaged: data.0"), True)


def test_a_wrong_filter():
    program, trace = compiled(), sample_trace(VARVE)
    said = complaint(program, trace, "size > 1 and colour == 3")
    holds(said, "size > 1 and colour == 3\n             ^\n")
    holds(said, "usage error\n")
    holds(said, "`colour`")


def test_causes():
    program = compiled()
    same(re.sub(r"\n  .*", "", complaint(program, "absent.varve")), "absent.varve: not found\n")
    holds(complaint(program, "absent.varve"), "absent.varve ... No such file or directory")


def test_memory():
    program, trace = compiled(), sample_trace(VARVE)
    # Valgrind does not support all forms of clang's debug information.
    subprocess.run(["strip", "-g", "-o", "libvarve.so.0", os.path.join(LIBRARY, "libvarve.so")], check=True)
    for where in ([], ["size > 100"], ["nonsense"]):
        done = subprocess.run(["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all", program,
                               trace, *where], env={"LD_LIBRARY_PATH": ".", "PATH": "/usr/bin:/bin"}, capture_output=True,
                              text=True)
        same(done.returncode, 1 if where == ["nonsense"] else 0, done.stderr)


run_tests(globals())
