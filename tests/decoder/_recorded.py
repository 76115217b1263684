"""What tests on recorded traces share: programs to record, recording them, and holding both decoders against each other.

read() compares the calls and definitions of a trace and what `varve info` says of it as a whole. It is for traces without
damage, in either form.
"""
import json
import os
import subprocess

from _compare import VARVE, agree
from _facts import counters, processes, run_facts

from lib import CC, same

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
THREADS = """
import os, threading
def work():
    for i in range(1200):
        os.stat("/etc")
        with open("/etc/passwd") as file:
            file.read(10)
    os.system("true")
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
# Walks a file inside a walk inside a walk ...: calls that stay open while lanes fill, and more shapes than codec columns has.
NESTED = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>
static int deepest, rounds, depth;
static void many(void)
{
	struct stat about;
	struct statvfs system_about;
	char text[8];
	struct iovec part = {text, 8};
	int r = read(-1, text, 8) + write(-1, text, 8) + fsync(-1) + fdatasync(-1) + fstat(-1, &about) + dup(-1) + dup2(-1, -1);
	r += lseek(-1, 0, SEEK_SET) + fchmod(-1, 0) + fchown(-1, 0, 0) + ftruncate(-1, 0) + isatty(-1) + pread(-1, text, 8, 0);
	r += pwrite(-1, text, 8, 0) + readv(-1, &part, 1) + writev(-1, &part, 1) + preadv(-1, &part, 1, 0) + fchdir(-1);
	r += pwritev(-1, &part, 1, 0) + flock(-1, LOCK_UN) + fallocate(-1, 0, 0, 1) + syncfs(-1) + fpathconf(-1, _PC_NAME_MAX);
	r += fcntl(-1, F_GETFL) + ioctl(-1, FIONREAD, &r) + posix_fadvise(-1, 0, 0, 0) + futimens(-1, NULL) + access("no", F_OK);
	r += stat("no", &about) + lstat("no", &about) + unlink("no") + rmdir("no") + rename("no", "none") + chmod("no", 0);
	r += truncate("no", 0) + mkdir("/", 0) + symlink("no", "/") + link("no", "/") + readlink("no", text, 8) + chdir("no");
	r += fstatvfs(-1, &system_about) + statvfs("no", &system_about) + open("no", O_RDONLY) + close(-1);
}
static int visit(const char *path, const struct stat *about, int kind)
{
	(void)path, (void)about, (void)kind;
	struct stat found;
	many();
	if (++depth < deepest)
		ftw("file", visit, 3);
	else
		for (int i = 0; i < rounds; i++)
			stat("file", &found);
	depth--;
	return 0;
}
int main(int count, char **words)
{
	deepest = atoi(words[1]);
	rounds = atoi(words[2]);
	return count != 3 || ftw("file", visit, 3);
}
"""

# fts_open() compares its roots by a function of the program: calls inside it fill lanes before it returns a handle.
COMPARES = r"""
#include <fts.h>
#include <stddef.h>
#include <sys/stat.h>
static int compare(const FTSENT **one, const FTSENT **other)
{
	(void)one, (void)other;
	struct stat about;
	for (int i = 0; i < 5000; i++)
		stat("/etc", &about);
	return 0;
}
int main(void)
{
	char *roots[] = {"/etc", "/usr", NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL, compare);
	return !walk || !fts_read(walk) || fts_close(walk);
}
"""


def run(command, *options):
    """Records a program; the trace, in its stream form."""
    trace = "t.varve"
    subprocess.run([VARVE, "record", "--no-pack", "-o", trace, *options, "--", *command], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    return trace


def record(command, *options):
    return read(run(command, *options))


def read(trace):
    """Both decoders, and what `info` says, about one trace."""
    mine, calls = agree(trace)
    info = json.loads(subprocess.run([VARVE, "info", "--format", "json", trace], stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL).stdout)
    same(info["damage"], [])
    info["losses"] = [(loss["reason"], loss["count"]) for loss in info["losses"]]
    for key, value in run_facts(mine, calls).items():
        same(info[key], value, key)
    for row in info["functions"]:
        row["unfinished"] += row.pop("did_not_return")
    same({(row["layer"], row["function"]): row for row in info["functions"]}, counters(mine), "functions")
    same([{key: process[key] for key in found} for process, found in zip(info["processes"], processes(mine))],
         processes(mine))
    same(len(info["processes"]), len(processes(mine)))
    return mine, calls


def compiled(name, source):
    with open(name + ".c", "w") as file:
        file.write(source)
    subprocess.run([CC, "-O1", "-w", "-o", name, name + ".c"], check=True)


def nested():
    open("file", "w").close()
    compiled("nested", NESTED)
