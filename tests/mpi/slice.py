#!/usr/bin/env python3
"""again: long
timeout: 600
`varve slice` of programs with MPI: by rank, by any filter, joining slices by rank, and without readable names of files.
"""
from _mpi import build, recorded, run_tests, same
from lib import lots, modules_of

modules_of("cli")
from _slices import BY_NUMBER, calls, compare, info, lines, sliced  # noqa: E402

OPTIONS = ["--buffer", "64K"]


def test_filters(mpi):
    for source in ("oracle_messages.c", "oracle_files.c"):
        recorded(mpi, 2, [build(mpi, source)], OPTIONS)
        compare("t.varve", twice=False)
        for where in ("layer in mpi,mpiio", "layer == mpiio", "not runtime and not layer == posix", "depth > 1",
                      "layer == posix and inside 'MPI_File_*'", *BY_NUMBER[:lots(1, 4)]):
            compare("t.varve", "--where", where, twice=False)


def test_ranks(mpi):
    recorded(mpi, 3, [build(mpi, "proof.c")], OPTIONS)
    for ranks in ("1", "0:1", "0,2", "0:2:2"):
        sliced("--rank", ranks, "t.varve")
        same(lines("s.varve"), lines("t.varve", "--where", f"rank in {ranks}"), ranks)
    facts = info("s.varve")
    same({process["rank"] for process in facts["processes"]}, {0, 2})
    same(facts["ranks_missing"], 0, "a part lacks no ranks")
    for rank in range(3):
        sliced("--rank", str(rank), "t.varve", to=f"rank{rank}")
    sliced("rank2", "rank0", "rank1", to="joined")
    key = lambda call: (call["start"], call["pid"], call["tid"], call["ordinal"])
    about = lambda trace, *options: [{name: value for name, value in call.items() if name != "process"}
                                     for call in sorted(calls(trace, *options), key=key)]
    same(about("joined"), about("t.varve", "--where", "rank in 0:2"))


def test_by_the_name_that_was_given(mpi):
    recorded(mpi, 2, [build(mpi, "proof.c")], OPTIONS)
    of_file = [call for call in calls("t.varve", "--layer", "mpiio") if call.get("absolute", "").endswith("/proof.out")]
    given = {call["path"] for call in of_file if call["function"] == "MPI_File_open"}
    assert len(of_file) > 4 and len(given) == 1 and not given.copy().pop().startswith("/"), given
    same({call["path"] for call in of_file}, given)
    sliced("--file", given.pop(), "--layer", "mpiio", "t.varve")
    same(len(calls("s.varve")), len(of_file))


def test_names_of_files(mpi):
    recorded(mpi, 2, [build(mpi, "proof.c")], OPTIONS)
    sliced("--anonymize", "t.varve")
    shown = "\n".join(line.decode() for form in (["--format", "json"], ["--definitions"]) for line in lines("s.varve", *form))
    assert "proof" not in shown and "proof.out" in "\n".join(map(bytes.decode, lines("t.varve")))
    opened = {call["args"]["filename"] for call in calls("s.varve") if call["function"] == "MPI_File_open"}
    same(len(opened), 1, opened)
    assert opened.pop().endswith(".out")
    assert "MPI_COMM_WORLD" in shown


run_tests(globals())
