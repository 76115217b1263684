#!/usr/bin/env python3
# again: long
# timeout: 600
"""Packed traces of recorded programs, with each way to keep times: the second decoder and `varve` read the same from them, and
the same as from the stream form."""
import math
import os
import shutil
import struct
import subprocess
import sys

from _blocks import TABLES, scan
from _columns import xxh64
from _compare import VARVE, same_packed
from _recorded import GOLDEN, THREADS, nested, read, record, run
from _records import CONTINUED, FAILED, UNFINISHED
from _tracks import CALLS, HISTOGRAMS, NAMES

from lib import in_the_long_set, lots, program, run_tests, same

LOOPS = """
import os
os.makedirs("out", exist_ok=True)
log = open("out/log", "w", buffering=1)
for step in range(40):
    with open("out/step%04d.dat" % step, "wb", buffering=0) as file:
        for i in range(step % 5 + 20):
            os.pwrite(file.fileno(), b"x" * (512 + 16 * (i * i % 7)), 4096 * i)
    os.stat("out/step%04d.dat" % step)
    log.write("step\\n")
"""
MANY = """
import os, random
with open("file", "wb") as file:
    for i in range(140000):
        os.lseek(file.fileno(), random.getrandbits(40), os.SEEK_SET)
"""


def pack(trace, time, files=1):
    target = f"{os.path.basename(trace)}.{time}.{files}"
    subprocess.run([VARVE, "pack", "--quiet", "--time", time, "--files", str(files), "-o", target, trace], check=True, timeout=120)
    return target


def all_packed(source, calls, trace="t.varve"):
    """The trace in each way of packing, read by both and compared with the stream form; returns the packed traces by time."""
    found = {}
    for time in ("exact", "histogram", "none"):
        mine, packed = read(pack(trace, time))
        same_packed(source, calls, mine, packed)
        found[time] = mine
    check_histograms(found["exact"], found["histogram"])
    return found


def bin_of(value):
    return value.bit_length() if value >= 0 else 65 + (-value).bit_length()


def gaps_and_durations(exact, stream):
    """For each place (runtime, group) the gaps and durations of its records."""
    found = {}
    for chunk, records, _ in exact.streams[stream]:
        entry = exit_ = depth = 0
        for at, (record_, place) in enumerate(zip(records, chunk.places)):
            since = exit_ if depth >= record_.depth else entry
            entry, exit_, depth = record_.entry, record_.exit, record_.depth
            gaps, durations = found.setdefault(place, ([], []))
            gaps.append(entry - since if at else 0)
            durations.append(exit_ - entry)
    return found


def check_histograms(exact, spread):
    """Histograms are those of the exact times, place by place."""
    for stream, reader in spread.readers.items():
        for (runtime, group), quantities in gaps_and_durations(exact, stream).items():
            for values, histogram in zip(quantities, reader.histograms[runtime][group]):
                mean = sum(values) / len(values)
                same((histogram.count, histogram.least, histogram.most), (len(values), min(values), max(values)))
                bins = {}
                for value in values:
                    bins[bin_of(value)] = bins.get(bin_of(value), 0) + 1
                same(histogram.bins, bins)
                variance = sum((value - mean) ** 2 for value in values) / len(values)
                assert math.isclose(histogram.mean, mean, rel_tol=1e-9, abs_tol=1e-6), (histogram.mean, mean)
                assert math.isclose(histogram.variance, variance, rel_tol=1e-6, abs_tol=1e-3), (histogram.variance, variance)


def loops_of(track):
    return sum(1 for group, _ in track.nodes if group is None)


def test_loops():
    found = all_packed(*record([sys.executable, "-c", LOOPS]))
    reader = found["exact"].readers[1, 1]
    assert loops_of(reader.tracks[CALLS]) >= 2 and any(len(set(values.all())) > 1 for values in reader.tracks[CALLS].trips)
    raw = [values for group in reader.tracks[CALLS].columns for values in group if values.parts]
    assert raw, "no column is raw"
    assert any(b"step\1\1.dat" in key for key in reader.tracks[NAMES].keys), reader.tracks[NAMES].keys
    same([track is not None for track in (reader.tracks[HISTOGRAMS], found["histogram"].readers[1, 1].tracks[HISTOGRAMS])],
         [False, True])


def test_processes():
    source, calls = record(["sh", "-c", "for i in 1 2 3; do cat /etc/passwd | wc; done; cd /; ls -l /etc"])
    found = all_packed(source, calls)["exact"]
    assert len({process for process, _ in found.streams}) > 6
    assert any(call.get("unfinished") for call in calls), "programs that are replaced never return"
    assert any(class_.members > 2 for class_ in found.classes[CALLS]), "no streams are of one class"


def test_threads():
    source, calls = record([sys.executable, "-c", THREADS.replace("1200", str(lots(300, 600)))], "--buffer", "64K")
    found = all_packed(source, calls)["exact"]
    assert len(found.streams) > 3 and max(len(chunks) for chunks in found.streams.values()) > 3


def test_cut_calls():
    source, calls = record([nested(), "5", str(lots(3000, 6000))], "--buffer", "64K")
    found = all_packed(source, calls)["exact"]
    continued = [sum(1 for one in records if one.marks & CONTINUED) for _, records, _ in found.streams[1, 1]]
    same(max(continued), 5)
    walks = [call for call in found.calls() if call["function"] == "ftw"]
    same([(call["depth"], call["result"]) for call in walks], [(depth, 0) for depth in range(5)])


def test_outputs_of_cut_calls():
    source, calls = record([program("fts_compare")], "--buffer", "64K")
    found = all_packed(source, calls)["exact"]
    opened = next(call for call in found.calls() if call["function"] == "fts_open")
    same((opened["handle"], opened["kind"], opened["absolute"]), (opened["result"], "dir", "/etc"))
    assert any(definition.late for stream in found.streams.values() for _, _, all_ in stream for definition in all_)


@in_the_long_set
def test_many_records():
    """Times in more than one part, a raw column in more than one."""
    found, _ = read(pack(run([sys.executable, "-c", MANY], "--buffer", "64M"), "exact"))
    assert max(len(chunk.times[0]) for chunk in found.blocks) > 1, [chunk.records for chunk in found.blocks]
    columns = [values for reader in found.readers.values() for group in reader.tracks[CALLS].columns for values in group]
    assert max(len(values.parts or ()) for values in columns) > 8


def test_tables():
    """The check is that of the source's tables; they contain the functions that occur."""
    source, calls = record(["ls", "/"])
    with open("t.varve/data.0", "rb") as file:
        blocks, *_ = scan(file.read())
    payload = next(block.payload() for block in blocks if block.type == TABLES)
    found = all_packed(source, calls)["exact"]
    same(found.tables_check, xxh64(payload.rstrip(b"\0")))
    same({row.name for row in found.tables.functions.values()}, {call["function"] for call in calls})


def test_other_tables():
    """A trace with tables of another build; `varve` reads it with those in the packed file."""
    own = all_packed(*record(["ls", "/"]))["exact"].tables_check
    trace = os.path.join(GOLDEN, "first.varve")
    found = all_packed(*read(trace), trace)["exact"]
    assert found.tables_check != own


def test_imports_of_another_version():
    """Its packed trace has only functions with calls: `info` does not list the others as not recorded."""
    run(["cut", "-c1", "/etc/services"])
    make_foreign("t.varve/data.0")
    outcome = subprocess.run([VARVE, "info", pack("t.varve", "exact")], capture_output=True, text=True, check=True)
    said = [line.split("  ")[0] for line in outcome.stdout.splitlines()]
    assert "not known" in said and "not recorded" not in said, outcome.stdout


def make_foreign(path):
    """Changes a bit without meaning of the tables in a data file (the unused one of a zstd frame); its checks stay right."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at = next(block.at for block in scan(bytes(data))[0] if block.type == TABLES)
    header, length = struct.unpack_from("<IQ", data, at + 12)
    data[data.index(b"\x28\xb5\x2f\xfd", at + header, at + length) + 4] ^= 0x10
    sequence, = struct.unpack_from("<Q", data, at + 40)
    struct.pack_into("<Q", data, at + 152, xxh64(bytes(data[at + header:at + length]), sequence))
    struct.pack_into("<Q", data, at + 160, xxh64(bytes(data[at + 168:at + header]), xxh64(bytes(data[at:at + 160]), 0)))
    with open(path, "wb") as file:
        file.write(data)


def test_packed_again():
    """A packed trace that is packed again is the same file."""
    once = pack(run([sys.executable, "-c", LOOPS], "--buffer", "64K"), "exact")
    twice = pack(once, "exact")
    mine, _ = read(once)
    again, _ = read(twice)
    same(mine.sections, again.sections)
    same(mine.data == again.data, True)


def shares_of(sizes, files):
    """The number of streams in each file, by the rule of section 15."""
    found, before, at = [], 0, 0
    for file in range(files):
        first, later = at, files - 1 - file
        while at < len(sizes) - later and (at == first or not later or
                                           before + sizes[at] // 2 <= (file + 1) * (sum(sizes) // files)):
            before += sizes[at]
            at += 1
        found.append(at - first)
    return found


def test_several_files():
    source, calls = record([sys.executable, "-c", THREADS.replace("1200", str(lots(300, 1200)))], "--buffer", "64K")
    for files, time in (2, "exact"), (3, "histogram"), (100, "exact"), (100, "none"):
        mine, packed = read(pack("t.varve", time, files))
        same_packed(source, calls, mine, packed)
        sizes = [sum(part.size for part in reader.stream.parts) for reader in mine.readers.values()]
        same([share for _, share in mine.files], shares_of(sizes, min(files, len(sizes))))


def test_ranks():
    if not shutil.which("mpirun.openmpi") or not shutil.which("mpicc.openmpi"):
        print("Open MPI is not installed: traces with ranks are left out")
        return
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ranks_mpi.c")
    subprocess.run(["mpicc.openmpi", "-O1", "-o", "ranks", source], check=True)
    source, calls = record(["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "4", "./ranks"])
    found = all_packed(source, calls)["exact"]
    streams = [reader.stream for reader in found.readers.values() if reader.stream.rank >= 0 and reader.stream.thread == 1]
    same([stream.rank for stream in streams if stream.classes[CALLS]], [0, 1, 2, 3])
    same({stream.classes[NAMES] for stream in streams}, {streams[0].classes[NAMES]}, "ranks have names of one class")
    assert any(call.get("runtime") for call in calls), "nothing is of class runtime"
    assert any(record_.marks & (FAILED | UNFINISHED) for stream in found.streams.values() for _, records, _ in stream
               for record_ in records)


run_tests(globals())
