#!/usr/bin/env python3
# again: long
"""`varve dump` and `varve info` on a recorded program: formats, filters, escapes, nesting, damage."""
import csv
import io
import json
import os
import re
import subprocess

from lib import VARVE, dump_json, holds, lots, program, program_copy, run_tests, same, tree, varve


def recorded(*options):
    result = varve("record", "-o", "t.varve", *options, "--", program_copy("mixed_calls", "app"))
    same((result.returncode, result.stderr), (3, b""))


def test_text_lines():
    recorded()
    result = varve("dump", "t.varve")
    same((result.returncode, result.stderr), (0, b""))
    lines = result.stdout.decode().splitlines()
    here = os.getcwd()
    line = re.compile(r" *\d+\.\d{9} +(\d+ns|\d+\.\d(us|ms|s)|\?)  \d+/\d+  +(varve )?\w+\(.*\)( = .*)?$")
    for text in lines:
        assert line.match(text), text
    found = "\n".join(lines)
    holds(found, 'open(path="data.bin", flags=O_RDWR|O_CREAT, mode=0644) = 3')
    holds(found, f"pwrite(fd=3 <{here}/data.bin>, count=8, offset=1584) = 8")
    holds(found, 'open(path="missing \\"\\xff\\n", flags=O_RDONLY) = -1 ENOENT')
    holds(found, 'mkdir(path="sub", mode=0750) = 0')
    starts = [float(text.split()[0]) for text in lines]
    same(starts, sorted(starts))


def test_json():
    recorded()
    calls = dump_json("t.varve")
    writes = [call for call in calls if call["function"] == "pwrite"]
    same([call["args"]["offset"] for call in writes], [i * 16 for i in range(100)])
    found = os.stat("data.bin")
    for call in writes:
        same((call["absolute"], call["result"], call["layer"]), (os.path.realpath("data.bin"), 8, "posix"))
        same((call["device"], call["inode"]), (found.st_dev, found.st_ino))
        assert call["identity"] in ("seen", "assumed")
    failed = [call for call in calls if call.get("error") == "ENOENT" and call["function"] == "open"
              and "missing" in call["path"]]
    same(len(failed), 1)
    same(failed[0]["path"].encode("utf-8", "surrogateescape"), b'missing "\xff\n')
    same(failed[0]["result"], -1)


def test_csv_has_the_same_records():
    recorded()
    result = varve("dump", "--format", "csv", "t.varve")
    rows = list(csv.DictReader(io.StringIO(result.stdout.decode(errors="surrogateescape"), newline="")))
    calls = dump_json("t.varve")
    same(len(rows), len(calls))
    for row, call in zip(rows, calls):
        same((row["function"], int(row["start_ns"]), int(row["ordinal"]), row["path"]),
             (call["function"], call["start"], call["ordinal"],
              call.get("path", "").encode("utf-8", "surrogateescape").decode(errors="surrogateescape")))
        for field in ("fd", "offset", "size", "world", "image"):
            same(row[field], str(call.get(field, "")), (field, row))
        same(row["runtime"], str(int("runtime" in call)))
    same([(row["fd"], row["offset"], row["size"]) for row in rows if row["function"] == "pwrite"],
         [("3", str(16 * i), "8") for i in range(100)])


def test_filters():
    recorded()
    calls = dump_json("t.varve")
    for layer in ("posix", "stdio"):
        same(dump_json("t.varve", "--layer", layer), [call for call in calls if call["layer"] == layer])
    same(dump_json("t.varve", "--function", "open,close"),
         [call for call in calls if call["function"] in ("open", "close")])
    same(dump_json("t.varve", "--limit", "7"), calls[:7])
    middle = calls[len(calls) // 2]["start"]
    same(dump_json("t.varve", "--from", f"{middle}ns"), [call for call in calls if call["start"] >= middle])
    same(dump_json("t.varve", "--to", f"{middle}ns"), [call for call in calls if call["start"] < middle])
    streams = {(call["process"], call["thread"]) for call in calls}
    assert len(streams) >= 2, streams
    for process, thread in streams:
        same(dump_json("t.varve", "--stream", f"{process}.{thread}"),
             [call for call in calls if (call["process"], call["thread"]) == (process, thread)])
    ordered = dump_json("t.varve", "--by-stream")
    same(sorted(map(json.dumps, ordered)), sorted(map(json.dumps, calls)))
    keys = [(call["process"], call["thread"], call["ordinal"]) for call in ordered]
    same(keys, sorted(keys))
    same(dump_json("t.varve", "--function", "*ope*,clos?"),
         [call for call in calls if "ope" in call["function"] or call["function"] == "close"])
    result = varve("dump", "--function", "opne", "t.varve")
    same(result.returncode, 2)
    holds(result.stderr, b"'open'")
    result = varve("dump", "--layer", "foo", "t.varve")
    same(result.returncode, 2)
    holds(result.stderr, b"'foo' ... `varve dump --help`")
    for words, said in ((("--process", "9"), b"process 9"), (("--stream", "1.99"), b"process 1 ... thread 99"),
                        (("--from", "5s", "--to", "1s"), b"--from 5s ... --to 1s"),
                        (("--from", "soon"), b"--from ... 'soon'")):
        result = varve("dump", *words, "t.varve")
        same((result.returncode, result.stdout), (2, b""))
        holds(result.stderr, said)


def test_no_memory_for_a_filter_is_no_wrong_use():
    if os.environ.get("VARVE_SANITIZE"):
        return  # sanitizers need more address space than this limit
    recorded()
    wide = "errno in " + ",".join(["1"] * 32000)  # some megabytes, once it is compiled
    for verb in ("dump", "info"):
        statuses = set()
        for kilobytes in range(4096, 65536, 512):
            result = subprocess.run(["sh", "-c", f'ulimit -v {kilobytes}; exec "$0" "$@"', VARVE, verb, "--where", wide,
                                     "t.varve"], capture_output=True)
            if b"`ulimit -v`" in result.stderr and b"filter" in result.stderr:
                statuses.add(result.returncode)
                holds(result.stderr, b"`ulimit -v`")
            if result.returncode == 0:
                break
        same((statuses, result.returncode), ({4}, 0), verb)


def test_nesting_is_indentation():
    recorded()
    calls = dump_json("t.varve")
    lines = varve("dump", "t.varve").stdout.decode().splitlines()
    for call, line in zip(calls, lines):
        gap = re.search(r"/\d+(  +)\w", line).group(1)
        same(len(gap), 2 + 2 * call["depth"])


def test_many_blocks_give_every_record_once():
    same(varve("record", "-o", "t.varve", "--buffer", "64K", "--", program("small_buffer")).returncode, 0)
    calls = dump_json("t.varve", "--layer", "stdio")
    writes = [call for call in calls if call["function"] == "fwrite"]
    same(len(writes), 60000)
    assert not any("unfinished" in call or "failed" in call for call in writes)
    ordinals = [call["ordinal"] for call in dump_json("t.varve", "--stream", "1.1")]
    same(ordinals, list(range(len(ordinals))))
    info = json.loads(varve("info", "-f", "json", "t.varve").stdout)
    assert info["blocks"] > 10, info["blocks"]
    counted = {row["function"]: row for row in info["functions"] if row["layer"] == "stdio"}
    same((counted["fwrite"]["calls"], counted["fwrite"]["bytes"], counted["fwrite"]["unfinished"]), (60000, 480000, 0))


def test_info():
    recorded()
    result = varve("info", "t.varve")
    same((result.returncode, result.stderr), (0, b""))
    assert result.stdout.startswith(b"complete"), result.stdout
    info = json.loads(varve("info", "--format", "json", "t.varve").stdout)
    same((info["losses"], info["damage"], info["end"], info["status"]), ([], [], "exited", 3))
    same(info["arguments"], ["./app"])
    same(info["run"]["cwd"], os.getcwd())
    calls = dump_json("t.varve")
    same(info["records"], len(calls))
    counted = {}
    for call in calls:
        row = counted.setdefault((call["layer"], call["function"]), [0, 0])
        row[0] += 1
        row[1] += "failed" in call
    same({(row["layer"], row["function"]): [row["calls"], row["failures"]] for row in info["functions"]}, counted)
    table = list(csv.DictReader(io.StringIO(varve("info", "--format", "csv", "t.varve").stdout.decode(), newline="")))
    same(sum(int(row["calls"]) for row in table), len(calls))


def test_records_that_dump_hides_are_counted():
    recorded()
    line = re.search(rb"^records +(\d+) in .*; (\d+) of layer varve", varve("info", "t.varve").stdout, re.MULTILINE)
    everything, own = map(int, line.groups())
    same(len(varve("dump", "t.varve").stdout.splitlines()), everything - own)
    same(len(varve("dump", "--recorder", "t.varve").stdout.splitlines()), everything)


def test_processes_of_the_tree():
    same(varve("record", "-o", "t.varve", "--", "sh", "-c", "(cat /dev/null); ls / > out").returncode, 0)
    info = json.loads(varve("info", "-f", "json", "t.varve").stdout)
    programs = {os.path.basename(process.get("exe", "")) for process in info["processes"]}
    assert "cat" in programs and "ls" in programs, programs


def test_damage_is_reported_and_the_rest_read():
    recorded("--no-pack")
    whole = dump_json("t.varve")
    with open("t.varve/data.0", "rb") as file:
        data = bytearray(file.read())
    step = max(1, len(data) // lots(60, 300))
    for at in range(0, len(data), step):
        data[at] ^= 0x10
        with open("t.varve/data.0", "wb") as file:
            file.write(data)
        data[at] ^= 0x10
        for words in (["dump", "t.varve"], ["info", "t.varve"]):
            result = varve(*words)
            same(result.returncode, 3, (words, at, result.stderr))
    for length in range(0, len(data), step):
        with open("t.varve/data.0", "wb") as file:
            file.write(data[:length])
        result = varve("dump", "t.varve")
        same(result.returncode, 3, (length, result.stderr))
        assert result.stderr.startswith(b"varve: ")
    with open("t.varve/data.0", "wb") as file:
        file.write(data + b"trailing")
    same(varve("dump", "t.varve").returncode, 3)
    with open("t.varve/data.0", "wb") as file:
        file.write(data)
    same(dump_json("t.varve"), whole)


def test_damaged_or_missing_index_loses_no_record():
    recorded("--no-pack")
    lines = varve("dump", "t.varve").stdout
    with open("t.varve/index", "rb") as file:
        index = bytearray(file.read())
    for at in range(0, len(index), max(1, len(index) // 100)):
        index[at] ^= 1
        with open("t.varve/index", "wb") as file:
            file.write(index)
        index[at] ^= 1
        result = varve("dump", "t.varve")
        same((result.returncode, result.stdout), (3, lines), at)
    os.unlink("t.varve/index")
    result = varve("dump", "t.varve")
    same((result.returncode, result.stdout), (3, lines))


def test_reading_changes_nothing():
    os.makedirs("traces")
    for name, options in (("packed", ()), ("folder", ("--no-pack",))):
        recorded(*options)
        os.rename("t.varve", f"traces/{name}.varve")
    subprocess.run(["chmod", "-R", "a-w", "traces"], check=True)
    before = tree("traces")
    for words in (["dump"], ["info"], ["dump", "--definitions"]):
        for name in ("packed", "folder"):
            same(varve(*words, f"traces/{name}.varve").returncode, 0)
    same(tree("traces"), before)
    subprocess.run(["chmod", "-R", "u+w", "traces"], check=True)


def test_a_reader_that_goes_away():
    recorded()
    process = subprocess.Popen(["sh", "-c", f"'{VARVE}' dump t.varve | head -1"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    out, err = process.communicate()
    same((out.count(b"\n"), err), (1, b""))


def test_definitions_in_csv():
    """The last field begins with its first pair, and its pairs are those of the text."""
    same(varve("record", "-o", "t.varve", "--", "sh", "-c", "cat /etc/passwd > /dev/null").returncode, 0)
    text = varve("dump", "--definitions", "t.varve").stdout.decode().splitlines()
    rows = list(csv.DictReader(io.StringIO(varve("dump", "--definitions", "--format", "csv", "t.varve").stdout.decode(), newline="")))
    same(len(rows), len(text))
    for row, line in zip(rows, text):
        place = f"{row['process']}.{row['thread']} block {row['block']} before {row['before']}: {row['define']}"
        same(f"{place} {row['what']}", line)
        assert not row["what"].startswith(" "), row
    same({row["define"] for row in rows} >= {"name", "process", "thread"}, True)


run_tests(globals())
