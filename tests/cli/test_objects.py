"""Libraries that a process loads are noted, the first ones and later ones, and loading them works as without Varve: the C
library looks at who calls dlopen."""
import os
import subprocess

from lib import CC, compile_program, dump_json, same, run_tests, varve

INNER = "int inner(void) { return 7; }\n"
PLUGIN = r"""
#include <dlfcn.h>
#include <stdio.h>
int plugin(void)
{
	void *library = dlopen("libinner.so", RTLD_NOW);
	int (*inner)(void) = library ? (int (*)(void))dlsym(library, "inner") : NULL;
	if (!library)
		puts(dlerror());
	return inner ? inner() : 1;
}
"""
MAIN = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words)
{
	close(open("/dev/null", O_RDONLY));
	void *library = dlopen("plugins/libplugin.so", RTLD_NOW);
	int (*plugin)(void) = library ? (int (*)(void))dlsym(library, "plugin") : NULL;
	printf("%d\n", plugin ? plugin() : -1);
	fflush(stdout);
	if (count > 1)
		dlclose(library);
	if (count > 2)
		return fork() ? 0 : close(-1) + 1;
	return 0;
}
"""


def library(path, source, *options):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".c", "w") as file:
        file.write(source)
    subprocess.run([CC, "-shared", "-fPIC", "-o", path, path + ".c", *options], check=True)


def build():
    library("plugins/inner/libinner.so", INNER)
    library("plugins/libplugin.so", PLUGIN, "-Wl,-rpath,$ORIGIN/inner", "-Wl,--enable-new-dtags")
    return compile_program("main", MAIN)


def objects(trace, process=1):
    return [call["args"]["path"] for call in dump_json(trace, "--function", "object", "--process", str(process))]


def names(trace, process=1):
    return [os.path.basename(path) for path in objects(trace, process)]


def test_the_caller_decides_where_libraries_are_looked_for():
    program = build()
    plain = subprocess.run([program], capture_output=True)
    same(plain.stdout, b"7\n")
    traced = varve("record", "-o", "t.varve", "--", program)
    same((traced.stdout, traced.stderr, traced.returncode), (b"7\n", b"", 0))
    files = [call["args"]["file"] for call in dump_json("t.varve", "--function", "dlopen")]
    same(files, ["plugins/libplugin.so", "libinner.so"])


def test_objects_are_noted_once():
    program = build()
    varve("record", "-o", "t.varve", "--", program)
    found = names("t.varve")
    same(len(found), len(set(found)), found)
    assert "libc.so.6" in found and "libvarve-record.so" not in found, found
    same(found[-2:], ["libplugin.so", "libinner.so"])


def test_what_is_unloaded_was_noted_before():
    program = build()
    varve("record", "-o", "t.varve", "--", program, "unload")
    same(names("t.varve")[-2:], ["libplugin.so", "libinner.so"])
    calls = [call["function"] for call in dump_json("t.varve")]
    assert calls.index("dlclose") > len(calls) - 1 - calls[::-1].index("object"), calls


def test_a_forked_child_does_not_repeat_them():
    program = build()
    varve("record", "-o", "t.varve", "--", program, "unload", "fork")
    same(names("t.varve", 2), [])
    same([call["function"] for call in dump_json("t.varve", "--process", "2", "--layer", "posix")], ["close"])


def test_other_namespaces():
    program = compile_program("apart", "#define _GNU_SOURCE\n#include <dlfcn.h>\n"
                              "int main(void) { return !dlmopen(LM_ID_NEWLM, \"libm.so.6\", RTLD_NOW); }\n")
    same(varve("record", "-o", "t.varve", "--", program).returncode, 0)
    apart = {os.path.basename(call["args"]["path"]) for call in dump_json("t.varve", "--function", "object")
             if call["args"]["namespace"] == 1}
    assert {"libm.so.6", "libc.so.6"} <= apart, apart


run_tests(globals())
