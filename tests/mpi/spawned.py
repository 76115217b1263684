#!/usr/bin/env python3
"""timeout: 200
MPI_Comm_spawn: ranks of the world that it starts are distinguished from those of the first."""
import csv
import json
import os
import subprocess

from _mpi import VARVE, build, recorded, run_tests, same


def opened(where):
    done = subprocess.run([VARVE, "dump", "--format", "json", "--where", f"function == open and kind == file and ({where})", "t.varve"],
                          stdout=subprocess.PIPE, check=True)
    names = {os.path.basename(json.loads(line)["path"]) for line in done.stdout.splitlines()}
    return sorted(name for name in names if name.startswith(("first.", "spawned.")))


def test_worlds(mpi):
    if mpi == "mpich":
        print("# skipped: its launcher on this system starts no further processes")
        return
    output, status, _ = recorded(mpi, 2, [build(mpi, "spawned.c")], environment={"OMPI_MCA_btl": "self,vader,tcp"})
    same(status, 0, output)
    same(opened("rank == 0"), ["first.0"])
    same(opened("rank >= 0"), ["first.0", "first.1"])
    same(opened("rank == 1 and world == 2"), ["spawned.1"])
    same(opened("rank == 0 and has world"), ["first.0", "spawned.0"])
    same(opened("world == 1"), ["first.0", "first.1"])
    for form, read in (("json", lambda text: map(json.loads, text.splitlines())), ("csv", lambda text: csv.DictReader(text.splitlines()))):
        done = subprocess.run([VARVE, "dump", "--format", form, "--function", "open", "t.varve"], stdout=subprocess.PIPE, check=True)
        rows = [row for row in read(done.stdout.decode()) if "spawned." in row.get("path", "")]
        same({(str(row["rank"]), str(row["world"])) for row in rows}, {("0", "2"), ("1", "2")}, form)
    info = subprocess.run([VARVE, "info", "--format", "json", "t.varve"], stdout=subprocess.PIPE, check=True)
    worlds = {(process["rank"], process["world"]) for process in json.loads(info.stdout)["processes"] if process["rank"] is not None}
    same(worlds, {(0, 1), (1, 1), (0, 2), (1, 2)})
    text = subprocess.run([VARVE, "info", "t.varve"], stdout=subprocess.PIPE, check=True).stdout
    assert b"[rank 1, world 2] " in text, text


run_tests(globals())
