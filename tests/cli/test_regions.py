#!/usr/bin/env python3
"""Regions and functions of programs that are built in different ways: C, C++ and Fortran, libraries, static, with hooks of the
compiler. Names of functions are read from the files of the program.

timeout: 300
"""
import json
import os
import shutil
import subprocess

from lib import SOURCE, build_program, compiled_source, dump_json, program, run_tests, same, varve
from _packed_file import data_of, without_guards

FORTRAN = os.path.join(SOURCE, "include", "varve", "varve_region.f90")


def build(source, *options, compiler="cc"):
    return os.path.abspath(build_program("a", "-Wall", "-Wextra", "-Werror", *options, "-ldl", source=source, compiler=compiler))


def record(path, *options, trace="t.varve", status=0, lossy=False):
    """Runs it without Varve and with; the result is the same."""
    plain = subprocess.run([path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    result = varve("record", "-o", trace, *options, "--", path)
    told = b"".join(line for line in result.stderr.splitlines(True) if not line.startswith(b"varve: "))
    same((result.returncode, result.stdout, told), (status, plain.stdout, plain.stderr))
    same((plain.returncode, lossy or told == result.stderr), (status, True), result.stderr)
    return dump_json(trace)


def names(calls):
    """Regions with their depth."""
    return [(call["depth"], call["args"]["name"]) for call in calls if call["function"] in ("region", "phase")]


def functions(calls):
    """Functions of the program with their depth, without those of the compiler."""
    return [(call["depth"], call["args"].get("at_function")) for call in calls if call["function"] == "function"]


def test_c():
    calls = record(build("regions.c", "-O2", "-std=c99", "-pedantic"))
    same(names(calls), [(0, "c"), (1, "inner")])
    same([call["depth"] for call in calls if call["function"] == "puts"], [2])


def test_everything_is_bound_at_the_start():
    same(names(record(build("regions.c", "-O2", "-Wl,-z,now", "-Wl,-z,defs"))), [(0, "c"), (1, "inner")])


def test_static():
    """It is not recorded, and a message says so; the program works."""
    for option in ("-static", "-static-pie"):
        path = build("regions.c", "-O2", option)
        same(subprocess.run([path], stdout=subprocess.PIPE).stdout, b"done\n")
        trace = option[1:] + ".varve"
        result = varve("record", "-o", trace, "--", path)
        same((result.returncode, result.stdout), (0, b"done\n"))
        assert b"static" in result.stderr, result.stderr
        same([call for call in dump_json(trace) if call["layer"] == "region"], [])


def test_the_error_of_the_program_is_its_own():
    """The search for the recorder leaves no error message in dlerror()."""
    error = program("region_error")
    same(subprocess.run([error], stdout=subprocess.PIPE).stdout, b"none\n")
    record(error)


def test_cpp():
    """Exceptions end the regions that they leave."""
    calls = record(build("regions.cc", "-O2", "-std=c++11", "-pedantic", "-Wold-style-cast", compiler="c++"))
    same(names(calls), [(0, "outer"), (1, "inner"), (1, "inner")])
    same([call["result"] for call in calls if call["function"] == "region"], [0, 0, 0])
    same([call["depth"] for call in calls if call["function"] == "puts"], [2, 1, 2, 1])
    same([call["args"]["number"] for call in calls if call["function"] == "region"], [0, 0, 1])


def test_fortran():
    compiler = shutil.which("gfortran")
    if not compiler:
        print("# skipped: there is no gfortran")
        return
    main = compiled_source("regions.f90")
    for name, options in (("main", []), ("now", ["-Wl,-z,now", "-Wl,-z,defs"]), ("wide", ["-fdefault-integer-8", "-fopenmp"])):
        subprocess.run([compiler, "-std=f2018", "-Wall", "-Wextra", "-Werror", "-O2", *options, FORTRAN, main, "-o", name],
                       check=True)
        calls = record(os.path.abspath(name), trace=name + ".varve")
        steps = [(1, "step"), (2, "first"), (2, "second")]
        same(names(calls), [(0, "fortran"), *steps, *steps, (1, "padded")])
        same([call["args"]["number"] for call in calls if call["function"] in ("region", "phase")], [0, 1, 7, 0, 2, 7, 0, 0])
        same([(call["depth"], call["args"]["number"]) for call in calls if call["function"] == "value"], [(3, -1), (3, -2)])
        assert not any("unfinished" in call or call["result"] for call in calls if call["function"] in ("region", "phase"))
    static = [compiler, "-O2", "-static", FORTRAN, main, "-o", "static"]
    if subprocess.run(static, stderr=subprocess.DEVNULL).returncode == 0:
        same(subprocess.run(["./static"], stdout=subprocess.PIPE).stdout, b" done\n")


def library(*options, source="region_library.c"):
    build_program("library.so", "-O2", "-shared", "-fPIC", *options, source=source, compiler="cc")


def test_in_a_library_that_is_loaded_later():
    library()
    calls = record(build("region_loads.c", "-O2"))
    same(names(calls), [(0, "main"), (1, "library")] * 2)
    same([call["result"] for call in calls if call["function"] == "region"], [0] * 4)


EXPECTED = [(0, "main"), (1, "middle"), (2, "leaf"), (2, "middle"), (3, "leaf"), (1, "inlined"), (1, "jumps"), (1, "leaf")]


def hooked(*options, source="hooked.c"):
    return build(source, "-finstrument-functions", *options)


def test_functions():
    """Position independent or not, optimised or not: names, nesting, ends; a function that longjmp left has no end."""
    ways = (("-O0",), ("-O1",), ("-O2",), ("-O2", "-no-pie", "-fno-pie"), ("-O2", "-static-libgcc", "-fcf-protection=none"))
    for number, options in enumerate(ways):
        calls = record(hooked("-Wno-clobbered", *options), "--also", "function", trace=f"{number}.varve")
        same(functions(calls), EXPECTED, options)
        same([call["depth"] for call in calls if call["function"] == "puts"], [3, 4, 2, 2, 1, 2], options)
        assert [("unfinished" in call) for call in calls if call["function"] == "function"] == [False] * 6 + [True, False]
        same(calls[-1]["depth"], 0)
        site = [call["args"] for call in calls if call["function"] == "function"][2]
        same((site["from_function"], site["at_offset"], os.path.basename(site["from_object"])), ("middle", 0, "a"), options)


def test_functions_are_off_by_default():
    calls = record(hooked("-O2"))
    same(functions(calls), [])
    same([call["depth"] for call in calls if call["function"] == "puts"], [0] * 6)


def test_text():
    record(hooked("-O1"), "--also", "function")
    text = varve("dump", "--function", "function", "t.varve").stdout.decode()
    assert "function(at=main, from=libc.so.6+0x" in text or "function(at=main, from=__libc_start" in text, text
    assert "function(at=leaf, from=middle+0x" in text, text
    text = varve("info", "t.varve").stdout.decode()
    assert any(line.split()[:2] == ["function", "3"] and line.endswith("leaf") for line in text.splitlines()), text


def test_a_program_that_is_another_by_now():
    """Its names would be wrong; without a build id this could not be detected."""
    record(hooked("-O1", "-Wl,--build-id"), "--also", "function")
    hooked("-O1", "-Wl,--build-id", "-DOTHER")
    found = [call["args"] for call in dump_json("t.varve") if call["function"] == "function"]
    same({args.get("at_function") for args in found}, {None})
    same({os.path.basename(args["at_object"]) for args in found}, {"a"})
    os.unlink("a")
    text = varve("dump", "--function", "function", "t.varve").stdout.decode()
    assert "function(at=a+0x" in text, text


def test_functions_of_a_library():
    """Loaded, unloaded and loaded again; with its own names, and with the exported ones when it is stripped."""
    library("-finstrument-functions", "-O1", "-DNO_REGION")
    loads = hooked("-O1", source="region_loads.c")
    expected = [(0, "main"), (2, "library"), (3, "inner")] + [(2, "library"), (3, "inner")]
    calls = record(loads, "--also", "function")
    same(functions(calls), expected)
    same({os.path.basename(call["args"]["at_object"]) for call in calls if call["depth"] > 1 and call["layer"] == "region"},
         {"library.so"})
    subprocess.run(["strip", "library.so"], check=True)
    same(functions(record(loads, "--also", "function", trace="s.varve")), expected)


def test_functions_beside_regions():
    """A helper function that begins a region returns before the region ends."""
    calls = record(program("region_helpers"), "--also", "function")
    same(functions(calls), [(0, "main"), (1, "start"), (3, "work"), (3, "stop"), (1, "work")])
    same(names(calls), [(2, "a")])
    assert not any("unfinished" in call for call in calls if call["layer"] == "region")


def test_deep_recursion():
    """Calls are recorded at any depth; functions only up to a limit, the others are counted."""
    calls = record(program("deep_recursion"), "--also", "function", lossy=True)
    same(len(functions(calls)), 20)
    same(sum(call["function"] == "puts" for call in calls), 101)
    same([call["depth"] for call in calls if call["function"] == "puts"][-3:], [4, 3, 2])
    losses = json.loads(varve("info", "--format", "json", "t.varve").stdout)["losses"]
    same([(row["reason"], row["count"]) for row in losses], [(3, 81)])


def test_hooks_of_somebody_else():
    """A library with the same hooks is called too."""
    library(source="own_hooks.c")
    told = hooked("-O1", "-Wno-clobbered", "./library.so")
    same(subprocess.run([told], stdout=subprocess.PIPE).stdout.count(b"+"), 8)
    record(told)
    same(len(functions(record(told, "--also", "function", trace="s.varve"))), 8)


def test_filters():
    record(build("regions.c", "-O2"))
    same([call["function"] for call in dump_json("t.varve", "--where", "region == inner and layer == stdio")], ["puts"])
    same(dump_json("t.varve", "--where", "region == c and layer == stdio"), [])
    same(names(dump_json("t.varve", "--where", "layer == region and region == c")), [(1, "inner")])
    same([call["function"] for call in dump_json("t.varve", "--where", "inside region and layer == stdio")], ["puts"])
    assert not any(call["layer"] == "stdio" for call in dump_json("t.varve", "--where", "not has region"))


def test_filter_over_blocks():
    """A region that began in an earlier block has its name in all blocks."""
    same(varve("record", "-o", "t.varve", "--buffer", "128K", "--", program("regions"), "cut", "20000").returncode, 0)
    for name, count in (("longer name than the other", 20000), ("last", 20000), ("long", 0)):
        result = varve("info", "--format", "json", "--where", f"region == '{name}' and function == pwrite", "t.varve")
        same(json.loads(result.stdout)["records"], count, name)


def info_regions(trace, *options):
    return json.loads(varve("info", "--format", "json", *options, trace).stdout)["regions"]


def test_info():
    record(build("regions.c", "-O2"))
    found = info_regions("t.varve")
    same(sorted((row["function"], row["name"], row["calls"], row["unfinished"], row["left"]) for row in found),
         [("region", "c", 1, 0, 0), ("region", "inner", 1, 0, 0)])
    assert all(row["ns"] == row["longest_ns"] > 0 for row in found), found
    text = varve("info", "t.varve").stdout.decode()
    assert any(line.split()[:2] == ["region", "1"] and line.endswith("inner") for line in text.splitlines()), text


def rows_of(regions):
    """The order is fixed: without times all regions take equally long."""
    return sorted(regions, key=lambda row: (row["function"], row["name"]))


def test_info_of_both_forms():
    """The packed form has stored sums, and with filters sums are made from the records: both are equal to those of the folder."""
    record(program("region_sums"), "--no-pack", "--also", "function")
    found = info_regions("t.varve")
    calls = {(row["function"], row["name"]): (row["calls"], row["unfinished"], row["left"]) for row in found}
    same([calls["region", name] for name in ("step", "part 005", "part 000", "to the end")],
         [(60001, 0, 0), (6666, 0, 2), (6668, 0, 0), (1, 1, 0)])
    same((calls["function", "work"], calls["function", "all"]), ((60001, 0, 0), (2, 0, 0)))
    assert all(0 < row["longest_ns"] <= row["ns"] for row in found if not row["unfinished"]), found
    for time in ("exact", "histogram", "none"):
        same(varve("pack", "--quiet", "--time", time, "-o", time, "t.varve").returncode, 0)
        kept = [dict(row, ns=0, longest_ns=0) for row in found] if time == "none" else found
        same(rows_of(info_regions(time)), rows_of(kept), time)
    where = ["--where", "function == phase"]
    same(sorted(row["name"] for row in info_regions("exact", *where)), ["even", "odd"])
    same(info_regions("exact", *where), info_regions("t.varve", *where))


def test_sums_that_are_damaged():
    """Sums are made from the records, which are complete. The parts with stored sums are last in the data."""
    record(program("region_names"), "--no-pack")
    same(varve("pack", "--quiet", "-o", "packed", "t.varve").returncode, 0)
    found = info_regions("packed")
    same(len(found), 3000)
    with open("packed", "rb") as file:
        data = without_guards(file.read())
    offset, length = data_of(data)
    data[offset + length - 600] ^= 255
    with open("packed", "wb") as file:
        file.write(data)
    result = varve("info", "--format", "json", "packed")
    same((result.returncode, result.stderr), (0, b""))
    same(json.loads(result.stdout)["regions"], found)


run_tests(globals())
