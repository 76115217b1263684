"""An installed Varve may be moved: the command finds its preload libraries, programs are built with the library by pkg-config
and by CMake and read traces with it, the module file leads to it, and no file contains the path of the build folder."""
import json
import os
import re
import subprocess

from _install import (BUILD, COMPLETIONS, SOURCE, STRICT, agree, command, installed, names_in, output, run_tests, same, sample_trace,
                      version, write_example)

from lib import holds

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(reader C)
find_package(varve %s REQUIRED)
add_executable(shared read-trace.c)
target_link_libraries(shared PRIVATE varve::varve)
add_executable(static read-trace.c)
target_link_libraries(static PRIVATE varve::varve-static)
"""
# Lmod's functions, as far as the module file uses them.
LMOD = """
local place = arg[1]
function myFileName() return place end
function pathJoin(...) return (table.concat({...}, "/"):gsub("//+", "/")) end
function LmodError(text) print("error", text) os.exit(1) end
function help() end
for _, name in ipairs({"whatis", "conflict", "prepend_path", "setenv"}) do
	_G[name] = function(...) print(name, ...) end
end
dofile(arg[2])
"""


def without_lookup(prefix):
    """The path for pkg-config, and no library path: built programs contain their own."""
    return {"PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig")}


def test_the_tree():
    prefix = installed()
    made = {os.path.relpath(os.path.join(place, name), prefix) for place, _, names in os.walk(prefix) for name in names}
    wanted = {"lib/libvarve.so", "lib/libvarve.so.0", "lib/libvarve.so." + version(), "lib/libvarve.a",
              "lib/libvarve-record.so", "lib/libvarve-record-sync.so", "lib/pkgconfig/varve.pc",
              "lib/cmake/varve/varve-config.cmake", "lib/cmake/varve/varve-config-version.cmake",
              "lib/cmake/varve/varve-targets.cmake", "share/modulefiles/varve/%s.lua" % version(), "share/doc/varve/LICENSE",
              "share/doc/varve/copyright", "share/doc/varve/README.md", "share/doc/varve/docs/format.md",
              "share/man/man1/varve-dump.1", "share/man/man7/varve-filter.7",
              "share/man/man7/varve-regions.7", *COMPLETIONS}
    wanted |= {"include/varve/" + name for name in os.listdir(os.path.join(SOURCE, "include", "varve"))}
    same(wanted - made, set())
    same({name for name in made if name.startswith(("include/", "lib/"))} - wanted - {
        name for name in made if re.fullmatch(r"lib/cmake/varve/varve-targets-\w+\.cmake", name)}, set())
    same(os.readlink(os.path.join(prefix, "lib/libvarve.so")), "libvarve.so.0")


def test_documents_lead_to_each_other():
    """The targets of relative links in a document exist, as in the tree."""
    below, found = os.path.join(installed(), "share", "doc", "varve"), 0
    for place, _, names in os.walk(below):
        for name in (name for name in names if name.endswith(".md")):
            with open(os.path.join(place, name), encoding="utf-8") as file:
                links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", file.read())
            found += len(links)
            same([link for link in links if not os.path.exists(os.path.join(place, link))], [], name)
    assert found > 30, found


def test_nothing_knows_the_build():
    prefix = installed()
    same(names_in(prefix, BUILD, SOURCE + "/", os.path.abspath("first")), [])


def test_the_command():
    varve = command(installed())
    holds(output(varve, "version"), version())
    output(varve, "record", "-o", "ls.varve", "--", "ls", "/")
    holds(output(varve, "info", "ls.varve"), "complete")
    holds(output(varve, "dump", "ls.varve"), 'opendir(path="/")')
    output(varve, "record", "-o", "sync.varve", "--also", "sync", "--", "ls", "/")
    holds(output(varve, "info", "sync.varve"), "complete")


def test_the_command_by_a_link():
    prefix = installed()
    os.symlink(command(prefix), "linked")
    holds(output("./linked", "config"), os.path.join(prefix, "lib", "libvarve-record.so") + "\n")
    holds(output("./linked", "config"), os.path.join(prefix, "lib", "libvarve-record-sync.so") + "\n")


def test_a_folder_of_many_architectures():
    prefix = installed()
    os.mkdir(os.path.join(prefix, "lib", "x86_64-linux-gnu"))
    for name in ("libvarve-record.so", "libvarve-record-sync.so"):
        os.rename(os.path.join(prefix, "lib", name), os.path.join(prefix, "lib", "x86_64-linux-gnu", name))
    output(command(prefix), "record", "-o", "ls.varve", "--", "ls", "/")
    holds(output(command(prefix), "dump", "ls.varve"), 'opendir(path="/")')


def test_pkg_config():
    prefix = installed()
    trace = sample_trace(command(prefix))
    found = without_lookup(prefix)
    same(output("pkg-config", "--modversion", "varve", environment=found).strip(), version())
    flags = output("pkg-config", "--cflags", "--libs", "varve", environment=found).split()
    subprocess.run(["cc", *STRICT, "-o", "shared", write_example(), *flags], check=True)
    agree("./shared", command(prefix), trace, environment={"LD_LIBRARY_PATH": os.path.join(prefix, "lib")})
    flags = output("pkg-config", "--static", "--cflags", "--libs", "varve", environment=found).split()
    subprocess.run(["cc", *STRICT, "-static", "-o", "static", write_example(), *flags], check=True)
    agree("./static", command(prefix), trace)


def test_cmake():
    prefix = installed()
    trace = sample_trace(command(prefix))
    write_example()
    with open("CMakeLists.txt", "w", encoding="utf-8") as file:
        file.write(PROJECT % version().rsplit(".", 1)[0])
    output("cmake", "-S", ".", "-B", "made", "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_C_FLAGS=-D_POSIX_C_SOURCE=200809L")
    output("cmake", "--build", "made")
    agree("made/shared", command(prefix), trace)
    agree("made/static", command(prefix), trace)
    holds(output("readelf", "-d", "made/shared"), "[libvarve.so.0]")
    same("libvarve" in output("readelf", "-d", "made/static"), False)
    with open("CMakeLists.txt", "w", encoding="utf-8") as file:
        file.write(PROJECT % "99.0")
    done = subprocess.run(["cmake", "-S", ".", "-B", "other", "-DCMAKE_PREFIX_PATH=" + prefix], capture_output=True, text=True)
    same(done.returncode, 1, "a version that is not there")


def test_module_file():
    prefix = installed()
    with open("lmod.lua", "w", encoding="utf-8") as file:
        file.write(LMOD)
    place = os.path.join(prefix, "share", "modulefiles", "varve", version() + ".lua")
    lines = [line.split("\t") for line in output("lua5.4", "lmod.lua", place, place).splitlines()]
    paths = {line[1]: line[2] for line in lines if line[0] == "prepend_path"}
    same(paths, {"PATH": prefix + "/bin", "MANPATH": prefix + "/share/man", "LD_LIBRARY_PATH": prefix + "/lib",
                 "PKG_CONFIG_PATH": prefix + "/lib/pkgconfig", "CMAKE_PREFIX_PATH": prefix})
    holds([line[1] for line in lines if line[0] == "whatis"], "Version: " + version())
    same([line[1:] for line in lines if line[0] == "conflict"], [["varve"]])
    # The target exists.
    same([path for path in paths.values() if not os.path.isdir(path)], [])
    done = subprocess.run(["lua5.4", "lmod.lua", "/elsewhere/varve.lua", place], capture_output=True, text=True)
    same((done.returncode, done.stdout.split("\t")[0]), (1, "error"))


def test_a_program_that_uses_the_library():
    """It is recorded like any other program: the library has no code of the recorder."""
    prefix = installed()
    varve = command(prefix)
    trace = sample_trace(varve)
    flags = output("pkg-config", "--cflags", "--libs", "varve", environment=without_lookup(prefix)).split()
    subprocess.run(["cc", *STRICT, "-o", "shared", write_example(), *flags], check=True)
    output(varve, "record", "-o", "reader.varve", "--", "./shared", trace,
           environment={"LD_LIBRARY_PATH": os.path.join(prefix, "lib")})
    opened = [json.loads(line) for line in output(varve, "dump", "--format", "json", "--function", "open*",
                                                  "reader.varve").splitlines()]
    same(any(record.get("absolute", "").endswith("sample.varve/data.0") for record in opened), True)


run_tests(globals())
