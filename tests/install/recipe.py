"""The recipe for Spack: it can be loaded, has the version of the tree, and requires what the build searches for. Spack itself
is not needed: functions that store their arguments replace its directives."""
import os
import re
import runpy
import sys
import types

from _install import SOURCE, run_tests, same, version

RECIPE = os.path.join(SOURCE, "packaging", "spack", "package.py")


class Prefix(str):
    lib = "/prefix/lib"


class CMakePackage:
    prefix = Prefix("/prefix")

    @staticmethod
    def define(name, value):
        return "-D%s:%s=%s" % (name, "BOOL" if isinstance(value, bool) else "STRING", "ON" if value is True else
                               "OFF" if value is False else value)


def read():
    """The content of the recipe, by directive, and its class."""
    said = {}
    package = types.ModuleType("spack.package")
    package.CMakePackage = CMakePackage
    for name in ("version", "depends_on", "license", "requires"):
        setattr(package, name,
                lambda *words, directive=name, **options: said.setdefault(directive, []).append((words, options)))
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = package
    return said, runpy.run_path(RECIPE)["Varve"]


def text_of(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def test_version():
    said, _ = read()
    same([words for words, _ in said["version"]], [(version(),)])
    same(said["license"], [(("BSD-3-Clause",), {})])


def test_dependencies():
    said, _ = read()
    needed = {re.match(r"\w+", words[0])[0]: (words[0], options) for words, options in said["depends_on"]}
    same(set(needed), {"c", "cmake", "python", "zstd", "xxhash"})
    # As the build requires them: an archive of zstd, CMake and Python of a version.
    found = text_of("cmake", "dependencies.cmake")
    same("libzstd.a" in found and "xxhash.h" in found, True)
    same(needed["zstd"][0], "zstd libs=static")
    least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", text_of("CMakeLists.txt"))[1]
    same(needed["cmake"][0], "cmake@%s:" % least)
    same(needed["python"][0], "python@%s:" % re.search(r"find_package\(Python3 ([\d.]+)", found)[1])
    for name in ("c", "cmake", "python"):
        same(needed[name][1], {"type": "build"}, name)


def test_arguments():
    _, recipe = read()
    same(recipe().cmake_args(), ["-DVARVE_TESTS:BOOL=OFF", "-DCMAKE_INSTALL_LIBDIR:STRING=lib"])
    same("option(VARVE_TESTS" in text_of("CMakeLists.txt"), True)


def test_environment():
    _, recipe = read()
    paths = []
    recipe().setup_run_environment(types.SimpleNamespace(prepend_path=lambda *words: paths.append(words)))
    same(paths, [("LD_LIBRARY_PATH", "/prefix/lib")])


run_tests(globals())
