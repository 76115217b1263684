#!/usr/bin/env python3
"""LAMMPS, which Debian builds with Open MPI and its package MPIIO: a small Lennard-Jones system on four ranks. Dumps, restart
file and log (without times) are the same with and without Varve, and the number of bytes written with MPI-IO is that of the
files.
label: long
timeout: 300
"""
import os
from collections import defaultdict

from _real import calls, need, run_tests, same, script, transparent
from lib import dump_json

RANKS = 4
INPUT = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
dump 1 all custom/mpiio 5 dump.mpiio id type x y z vx vy vz
dump_modify 1 sort id
dump 2 all custom 5 dump.plain id type x y z
dump_modify 2 sort id
thermo 5
run 10
write_restart restart.mpiio
"""
# Lines of the log with times.
TIMES = "CPU|Loop time|Performance|min time|^(Pair|Neigh|Comm|Output|Modify|Other) +[|]|wall time"
COMMAND = f"""mpirun.openmpi --allow-run-as-root --oversubscribe -n {RANKS} lmp -in input -screen none &&
grep -vE '{TIMES}' log.lammps > log && rm log.lammps"""


def written():
    """By file: bytes, functions and first offset of the program's MPI-IO, and the ranks that wrote; bytes of POSIX below it."""
    files = defaultdict(lambda: {"bytes": 0, "functions": set(), "ranks": set(), "posix": 0, "first": 1 << 62})
    for call in dump_json("traces/record.varve"):
        file = files[os.path.basename(call.get("absolute", ""))]
        if call["layer"] == "mpiio" and call["function"].startswith("MPI_File_write"):
            file["bytes"] += call["args"]["bytes"]
            file["functions"].add(call["function"])
            file["ranks"].add(call["rank"])
            file["first"] = min(call["args"]["offset"], file["first"])
        elif call["layer"] == "posix" and call["function"] in ("write", "pwrite", "writev", "pwritev"):
            file["posix"] += call.get("size", 0)
    return files


def test_dumps():
    need("lmp", "mpirun.openmpi", "grep")
    info, _ = transparent(["sh", "-c", COMMAND], ["lmp"], prepare=script(INPUT, "input"), OMPI_MCA_btl="self,vader",
                          OMPI_MCA_mpi_yield_when_idle="1")
    same((info["ranks"], info["world"]), (RANKS, RANKS))
    libraries = [os.path.basename(row["path"]).split(".so")[0] for row in info["libraries"]]
    same((libraries, [row["processes"] for row in info["libraries"]]), (["libmpi"], [RANKS]))
    same(calls(info, "MPI_Finalize"), RANKS)
    assert calls(info, "MPI_Allreduce") and calls(info, "MPI_Send", "MPI_Irecv"), "LAMMPS sends messages"
    files = written()
    for name in ("dump.mpiio", "restart.mpiio"):
        file, size = files[name], os.path.getsize(os.path.join("work", name))
        same((name, file["first"] + file["bytes"]), (name, size))
        same((name, file["posix"]), (name, file["bytes"]))
        same(file["first"] > 0, name == "restart.mpiio", "this one has a head, which rank 0 writes by stdio")
        same(file["ranks"], set(range(RANKS)))
        assert "MPI_File_write_at_all" in file["functions"], file
    same(files["dump.plain"]["functions"], set(), "written by stdio")


run_tests(globals())
