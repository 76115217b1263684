#!/usr/bin/env python3
"""The plain tier, on request: doubles, variable arguments, callbacks and pointers are passed on unchanged; threads.
timeout: 300
"""
import os
import subprocess

from _hdf5 import build, recorded, run_tests, same

THREADS, TIMES = 4, 100


def test_plain():
    program = build("plain")
    os.mkdir("work")
    before = subprocess.run([program], cwd="work", check=True, stdout=subprocess.PIPE).stdout
    after, records = recorded([program], options=["--also", "hdf5"])
    same(after, before)
    calls = {}
    for record in records:
        if record["layer"] == "hdf5":
            calls.setdefault(record["function"], []).append(record)
    same(calls["H5Pget_class_name"][0]["result"], 1)
    same(calls["H5Pregister2"][0]["args"]["size"], 4)
    same(calls["H5Ecreate_msg"][0]["args"]["msg"], "major")
    same([calls["H5check_version"][0]["args"][name] for name in ("majnum", "minnum")], [1, 10])
    assert len(calls["H5open"]) > 3, calls["H5open"]
    # A function with variable arguments is passed on, and leaves no record.
    assert "H5Epush2" not in calls
    # Without a request, none of these are recorded.
    _, records = recorded([program])
    there = {record["function"] for record in records if record["layer"] == "hdf5"}
    assert "H5Pcreate" in there and not there & {"H5open", "H5Pregister2", "H5Eget_num"}, there


def test_threads():
    for options in ([], ["--buffer", "64K"]):
        output, records = recorded([build("threads")], options=options)
        same(output, b"right\n")
        counts = {}
        for record in records:
            function, args = record["function"], record["args"]
            if function in ("H5Fcreate", "H5Dwrite", "H5Dread", "H5Fclose", "H5Sselect_hyperslab"):
                path = args.get("filename") or args.get("dset_id_path") or os.path.basename(args.get("file_id_path", ""))
                text = (function, path, args.get("bytes"), args.get("selection"))
                counts[text] = counts.get(text, 0) + 1
        expected = {}
        for number in range(1, THREADS + 1):
            part = f"hyperslab start=[{number}] count=[10]"
            for text in (("H5Fcreate", f"thread{number}.h5", None, None), ("H5Dwrite", f"/data{number}", 200, "all"),
                         ("H5Sselect_hyperslab", "", None, part), ("H5Dread", f"/data{number}", 40, part),
                         ("H5Fclose", f"thread{number}.h5", None, None)):
                expected[text] = TIMES
        same(counts, expected)


run_tests(globals())
