#!/usr/bin/env python3
"""mpi4py: an extension of Python that is loaded late and with local scope, together with MPI. Collectives, nonblocking
messages, and files, on one, two and four ranks: output and files are the same, and every call is recorded.
label: long
timeout: 300
"""
import os
from collections import Counter, defaultdict

from _real import need, run_tests, same, script, transparent
from lib import dump_json

PYTHON = "/usr/bin/python3"  # Debian's, for which its packages are built
SCRIPT = """
import sys
from array import array
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
said = [f"rank {rank} of {size}"]

mine, all_of_them = array("i", [rank + 1, rank * rank]), array("i", [0, 0])
world.Allreduce(mine, all_of_them, op=MPI.SUM)
said.append(f"sum {all_of_them.tolist()}")
gathered = array("i", [0] * (2 * size))
world.Allgather(mine, gathered)
said.append(f"gathered {gathered.tolist()}")
said.append(f"objects {world.bcast({'from': rank}, root=0)} {world.gather(rank, root=size - 1)}")
world.Barrier()

got = array("d", [0.0] * 8)
requests = [world.Irecv(got, source=(rank - 1) % size, tag=5), world.Isend(array("d", [rank] * 8), dest=(rank + 1) % size, tag=5)]
MPI.Request.Waitall(requests)
said.append(f"got {got.tolist()}")
later = world.Ibarrier()
while not later.Test():
    pass

file = MPI.File.Open(world, "data", MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at_all(rank * 100, bytearray([65 + rank]) * 100)
# What others have written is there only now.
file.Sync()
world.Barrier()
file.Sync()
back = bytearray(100)
file.Read_at_all(((rank + 1) % size) * 100, back)
request = file.Iwrite_at(size * 100 + rank * 10, bytearray(b"0123456789"))
request.Wait()
said.append(f"read {back[:1].decode()} size {file.Get_size() >= size * 100}")
file.Close()
half = world.Split(rank % 2, rank)
said.append(f"half {half.Get_rank()} of {half.Get_size()}")
half.Free()
try:
    MPI.File.Open(MPI.COMM_SELF, "nowhere/data", MPI.MODE_RDONLY)
except MPI.Exception as error:
    said.append(f"no {error.Get_error_class() == MPI.ERR_NO_SUCH_FILE}")
with open(f"said.{rank}", "w") as log:
    log.write("\\n".join(said))
"""
# How often each rank makes the script's calls; mpi4py makes more for itself.
ONCE = ["MPI_Init_thread", "MPI_Allreduce", "MPI_Allgather", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Ibarrier",
        "MPI_File_write_at_all", "MPI_File_read_at_all", "MPI_File_iwrite_at", "MPI_File_close", "MPI_Comm_split", "MPI_Comm_free",
        "MPI_Finalize"]


def by_rank():
    ranks = defaultdict(list)
    for call in dump_json("traces/record.varve", "--by-stream"):
        if call["layer"] in ("mpi", "mpiio"):
            ranks[call["rank"]].append(call)
    return ranks


def checked(ranks):
    need(PYTHON, "/usr/lib/python3/dist-packages/mpi4py", "mpirun.openmpi")
    info, _ = transparent(["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), PYTHON, "-B", "script"],
                          ["python3.*"], prepare=script(SCRIPT), OMPI_MCA_btl="self,vader", OMPI_MCA_mpi_yield_when_idle="1")
    same(sorted(row["processes"] for row in info["libraries"]), [ranks], info["libraries"])
    assert os.path.basename(info["libraries"][0]["path"]).startswith("libmpi.so"), info["libraries"]
    found = by_rank()
    same(sorted(found), list(range(ranks)))
    for rank, made in found.items():
        with open(f"work/said.{rank}") as file:
            said = file.read().splitlines()
        same((said[0], said[-1]), (f"rank {rank} of {ranks}", "no True"))
        outer = [call for call in made if not call["depth"]]
        count = Counter(call["function"] for call in outer)
        same([count[name] for name in ONCE], [1] * len(ONCE), (rank, count))
        one = {call["function"]: call for call in outer}
        write, read = one["MPI_File_write_at_all"], one["MPI_File_read_at_all"]
        same([write["args"][key] for key in ("offset", "count", "bytes")], [rank * 100, 100, 100])
        same([read["args"][key] for key in ("offset", "bytes")], [(rank + 1) % ranks * 100, 100])
        same(write["absolute"], os.path.realpath("work/data"))
        same([one["MPI_Isend"]["args"][key] for key in ("dest", "tag", "bytes")], [str((rank + 1) % ranks), "5", 64])
        same([(call["args"]["filename"], bool(call.get("failed"))) for call in outer if call["function"] == "MPI_File_open"],
             [("data", False), ("nowhere/data", True)])
        done = [call["args"]["request"] for call in made if call["function"] == "completion"]
        started = [one[name]["args"]["request"] for name in ("MPI_Irecv", "MPI_Isend", "MPI_Ibarrier", "MPI_File_iwrite_at")]
        same([request for request in started if done.count(request) != 1], [], (started, done))


def test_one():
    checked(1)


def test_two():
    checked(2)


def test_four():
    checked(4)


run_tests(globals())
