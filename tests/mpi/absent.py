#!/usr/bin/env python3
"""Libraries that are missing or incomplete: weak references and names that only Varve has return an error, every one of them;
libraries that are loaded late and unloaded, that are in a namespace of their own, or that have one function only. Nothing
crashes, the output of the program does not change, and `varve info` lists the functions that were missing and the files that
were used.
timeout: 300
"""
import glob
import json
import os
import re
import shutil
import subprocess

from _mpi import HERE, LIBRARIES, build, run
from lib import dump_json, holds, remove_trace, run_tests, same, varve

TABLES = os.path.join(os.environ["VARVE_SOURCE"], "calls")
LAYERS = ("mpi", "mpiio", "hdf5", "netcdf", "pnetcdf")
VARVE = os.environ["VARVE"]
NO_REAL = "calls ... error ... no loaded library"
WEAK = """MPI_Initialized 16 flag 0
MPI_Finalized 16 flag 0
PMPI_Initialized 16 flag 0
MPI_Initialized of nothing 16
MPI_Init 16
MPI_Comm_rank 16
MPI_Wtime 0
H5open -1
H5Fopen -1
nc_open 16
nc_strerror NULL
ncmpi_open 16
""".splitlines()
# Calls of plugin.c.
USED = ["MPI_Initialized", "MPI_Finalized", "MPI_Init", "MPI_Comm_rank", "MPI_File_open", "MPI_File_write_at", "MPI_File_close",
        "MPI_Allreduce", "MPI_Finalize"]


def compiled(output, *words):
    subprocess.run(["cc", "-O1", "-w", "-o", output, *words], check=True)
    return os.path.abspath(output)


def info():
    text = varve("info", "t.varve")
    same(text.returncode, 0, text.stderr)
    result = varve("info", "--format", "json", "t.varve")
    return text.stdout.decode(), json.loads(result.stdout)


def record(words, **options):
    return subprocess.run([VARVE, "record", "-o", "t.varve", "--", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=100, text=True, **options)


def answered_with_an_error(count):
    """The number of calls: in both forms of `info`."""
    text, found = info()
    same([row["count"] for row in found["losses"]], [count])
    holds(found["losses"][0]["text"], NO_REAL)
    holds(text, f"{count} {NO_REAL}")
    same(found["libraries"], [])


def rows():
    """Each function of the library layers: layer, type, name. Those of MPI have two."""
    for path in sorted(glob.glob(f"{TABLES}/*.calls")):
        layer = None
        with open(path, encoding="utf-8") as file:
            for line in file:
                layer = line.split()[1] if line.startswith("layer ") else layer
                match = re.match(r"0x\w+ +(\S[^:]*):\w+ +(\w+) +\(", line)
                if match and layer in LAYERS and not line.endswith(" inner\n"):
                    for name in [match[2], "P" + match[2]][:2 if "mpi" in layer[:3] else 1]:
                        yield layer, match[1].strip(), name


def returns(type_):
    if type_.endswith("*"):
        return "p"
    if type_ in ("double", "void"):
        return type_[0]
    return "w" if type_ in ("hid_t", "haddr_t", "hsize_t", "hssize_t", "size_t", "ssize_t", "MPI_Aint", "H5T_conv_t") else "i"


def is_error(layer, type_, name, answer):
    """Whether a caller understands the result as a failure."""
    value = float(answer) if answer else 0
    if type_.endswith("*") or type_ in ("double", "void", "size_t", "hsize_t", "H5T_conv_t", "MPI_Aint", "MPI_Fint"):
        return value == 0
    if layer == "hdf5":
        return value == -1
    if re.search(r"(?<!Status)_(f2c|c2f)$|MPI_Pcontrol$", name) or type_ != "int":
        return value == 0  # no handle; and functions that cannot fail
    return value != 0


def test_weak_references():
    program = compiled("absent", f"{HERE}/absent.c")
    plain = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    same((plain.stdout, plain.returncode), ("end\n", 3))
    result = record([program], stdin=subprocess.DEVNULL)
    same((result.stdout.splitlines(), result.returncode), ([*WEAK, "end"], 3), result.stderr)
    answered_with_an_error(len(WEAK))


def test_every_name():
    """All rows of all libraries: none is found by name, and each returns an error to a caller that has it anyway."""
    program = compiled("absent", f"{HERE}/absent.c")
    every = list(rows())
    names = [name for _, _, name in every]
    assert {"MPI_Init", "PMPI_File_open", "H5Fopen", "nc_open", "ncmpi_open", "MPI_Wtime"} <= set(names) and len(names) > 3000, len(names)
    same(len(names), len(set(names)), "each once")
    with open("names", "w") as file:
        file.writelines(f"{name} {returns(type_)}\n" for _, type_, name in every)
    with open("names") as given:
        result = record([program, os.environ["VARVE_LIBRARY"]], stdin=given)
    same(result.returncode, 3, result.stderr)
    lines = result.stdout.splitlines()[len(WEAK):-1]
    same([line.split()[0] for line in lines], names)
    wrong = []
    for (layer, type_, name), line in zip(every, lines):
        match = re.fullmatch(r"\w+(?: (\S+?))?( flag 0)?", line)
        flagged = re.fullmatch(r"P?MPI_(Initialized|Finalized)", name) is not None
        if not match or bool(match[2]) != flagged or not is_error(layer, type_, name, match[1]):
            wrong.append((type_, line))
    same(wrong, [])
    answered_with_an_error(len(WEAK) + len(names))


def test_library_with_one_function():
    """Its function is called and recorded, with its file; the others do not exist."""
    library = compiled("libonly.so", "-shared", "-fPIC", f"{HERE}/one_function.c")
    program = compiled("one_function_user", f"{HERE}/one_function_user.c", library)
    plain = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    same((plain.stdout, plain.returncode), ("the only one\n0\n", 0))
    result = record([program])
    same((result.stdout.splitlines(), result.returncode), (["the only one", "0", "16", "16", "5 0", "16", "16", "16"], 0), result.stderr)
    text, found = info()
    same([row["count"] for row in found["losses"]], [5])
    same(found["libraries"], [{"path": library, "function": "MPI_Init", "processes": 1}])
    holds(text, f"libraries ... {library} ... MPI_Init ... 1 process")
    same([(c["function"], c["result"]) for c in dump_json("t.varve") if c["layer"] == "mpi"], [("MPI_Init", 0)])


def each_mpi(how, ranks=2):
    """A program that loads a library with MPI: output and status as without Varve. Returns records by rank, and the output of
    `info`."""
    program = compiled("loads", f"{HERE}/loads.c", "-ldl")
    for mpi in LIBRARIES:
        if not shutil.which(f"mpicc.{mpi}"):
            print(f"skipped: {mpi} is not installed")
            continue
        plugin = build(mpi, "plugin.c", output=f"plugin-{mpi}.so", options=["-shared", "-fPIC"])
        before = run(mpi, ranks, [program, how, plugin])
        remove_trace("t.varve")
        output, status = run(mpi, ranks, [program, how, plugin], [VARVE, "record", "-o", "../t.varve", "--"])
        same(([line for line in output if not line.startswith("varve: ")], status), before, mpi)
        same(before[1], 0, before[0])
        functions = {rank: [] for rank in range(ranks)}
        for call in dump_json("t.varve", "--by-stream"):
            if call["layer"] in ("mpi", "mpiio") and not call["depth"]:
                functions[call["rank"]].append(call["function"])
        yield mpi, functions, info()


def test_local_scope():
    """Loaded late, used, closed: recorded as usual. Functions that are looked up by name afterwards may exist or not."""
    for mpi, ranks, (text, found) in each_mpi("local"):
        for functions in ranks.values():
            same(functions, USED)
        (library,) = found["libraries"]
        same((library["function"], library["processes"]), ("MPI_Initialized", 2))
        assert re.search(r"/libmpi\.so|/libmpich\.so", library["path"]), library
        holds(text, f"libraries ... {library['path']} ... MPI_Initialized ... 2 processes")
        same(found["losses"], [], mpi)


def test_by_handle():
    """MPI through functions that dlsym finds in a library that the program has opened."""
    for mpi, ranks, (_, found) in each_mpi("handle"):
        same(ranks, {rank: USED for rank in range(2)}, mpi)
        same(found["losses"], [], mpi)


def test_namespace():
    """The preload is not in the namespace: none of its calls is recorded, and `info` reports it."""
    for mpi, ranks, (text, found) in each_mpi("namespace"):
        same((mpi, ranks, found["libraries"]), (mpi, {0: [], 1: []}, []))
        holds(text, "dlmopen")


def test_namespace_with_hdf5():
    headers = "/usr/include/hdf5/serial"
    if not os.path.exists(headers):
        print("skipped: HDF5 is not installed")
        return
    program = compiled("loads", f"{HERE}/loads.c", "-ldl")
    plugin = compiled("plugin.so", "-shared", "-fPIC", f"-I{headers}", f"{HERE}/../hdf5/plugin.c", "-lhdf5_serial")
    plain = subprocess.run([program, "namespace", plugin], stdout=subprocess.PIPE, text=True)
    result = record([program, "namespace", plugin])
    same((result.stdout, result.returncode), (plain.stdout, plain.returncode), result.stderr)
    same(plain.stdout, "plugin_write 7\nclosed 0\n")
    same([c for c in dump_json("t.varve") if c["layer"] == "hdf5"], [])


run_tests(globals())
