#!/usr/bin/env python3
"""Another preloaded tool that wraps HDF5 and passes calls on by RTLD_NEXT: before Varve and behind it, both see each call once."""
import os
import subprocess

from _hdf5 import VARVE, run_tests, same

LIBRARY = os.environ["VARVE_LIBRARY"]

TOOL = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>
static int seen;
int H5Dwrite(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, const void *f)
{
	int (*next)(int64_t, int64_t, int64_t, int64_t, int64_t, const void *) = dlsym(RTLD_NEXT, "H5Dwrite");
	seen++;
	return next(a, b, c, d, e, f);
}
__attribute__((destructor)) static void tell(void)
{
	char digit = (char)('0' + seen);
	(void)!write(1, &digit, 1);
}
"""
PROGRAM = """#include <hdf5.h>
int main(void)
{
	int data[4] = {1, 2, 3, 4};
	hsize_t size[] = {4};
	hid_t file = H5Fcreate("beside.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, size, NULL);
	hid_t set = H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	herr_t result = 0;
	for (int i = 0; i < 3; i++)
		result |= H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
	return H5Dclose(set) < 0 || H5Fclose(file) < 0 || result < 0;
}
"""


def made(name, text, *options):
    with open(name + ".c", "w") as file:
        file.write(text)
    subprocess.run(["gcc", "-o", name, name + ".c", *options], check=True)
    return os.path.abspath(name)


def seen_by_both(order):
    tool = made("tool.so", TOOL, "-shared", "-fPIC")
    program = made("program", PROGRAM, "-I/usr/include/hdf5/serial", "-L/usr/lib/x86_64-linux-gnu/hdf5/serial", "-lhdf5")
    preload = ":".join({"tool": tool, "varve": LIBRARY}[name] for name in order)
    environment = dict(os.environ, LD_PRELOAD=preload, VARVE_TRACE=os.path.abspath("t.varve"), VARVE_NO_KEEPER="1")
    result = subprocess.run([program], env=environment, capture_output=True, timeout=60)
    same((result.returncode, result.stdout), (0, b"3"), result.stderr)
    dump = subprocess.run([VARVE, "dump", "--function", "H5Dwrite", "t.varve"], capture_output=True)
    same(dump.stdout.count(b"H5Dwrite("), 3, dump.stdout)


def test_tool_before():
    seen_by_both(("tool", "varve"))


def test_tool_behind():
    seen_by_both(("varve", "tool"))


run_tests(globals())
