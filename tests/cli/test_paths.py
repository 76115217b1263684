"""Paths with any byte in them, of any length, of files with several names or none: right in text, JSON and CSV.

Each format is read by its own parser, and all three must return the bytes that the program used.
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess

from lib import VARVE, run_tests, same, says, varve

PROGRAM = os.path.join(os.environ["VARVE_PROGRAMS"], "paths")
NAMES = [b"plain", b"with space", b" ", b"two\nlines", b"tab\tand\rreturn", b'"quoted"', b"it's", b"back\\slash", b"\\x41", b"\\",
         b"comma,comma", b'","', b"semi;colon", b"#1", b"-n", b"a=b", b"<in>", b"<#2>", b") = 0", b"caf\xc3\xa9",
         b"\xe2\x82\xac\xf0\x9f\x98\x80", b"\xe9", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80", b"\x7f",
         b"\x01\x1f", b"\xc2\x85", b"\xc2\x9b31m", b"\x1b[31m", b"%s%n", b"${HOME}", b"x" * 250, b"\xef\xbb\xbfmark", b"\xe2\x80\xa8"]
ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b'"': b'"', b"\\": b"\\"}


def recorded(*words, given=b"", losses=""):
    """Runs the program in a folder `work`, without Varve and with it; the output is the same."""
    with open("given", "wb") as file:
        file.write(given)
    printed = []
    for record in ([], [VARVE, "record", "-o", "../t.varve", "--"]):
        if os.path.exists("work"):
            shutil.rmtree(b"work")
        os.mkdir("work")
        with open("given", "rb") as given:
            result = subprocess.run([*record, PROGRAM, *words], cwd="work", stdin=given, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, timeout=60)
        same((result.returncode, result.stderr.count(b"\n")), (0, 1 if losses and record else 0), result.stderr)
        assert not losses or not record or says(result.stderr, losses), result.stderr
        printed.append(result.stdout)
    same(printed[1], printed[0])


def unescaped(text):
    def one(found):
        return bytes([int(found[1][1:], 16)]) if found[1][:1] == b"x" else ESCAPES[found[1]]
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", one, text, flags=re.S)


def named(text, name):
    """The value of a quoted argument in text form, or None."""
    found = re.search(rb'(?:\(|, )' + name + rb'="((?:[^"\\]|\\.)*)"', text, flags=re.S)
    return unescaped(found[1]) if found else None


def as_bytes(text):
    return text.encode("utf-8", "surrogateescape") if text is not None else None


def from_text(function):
    lines = varve("dump", "--function", function, "t.varve").stdout.split(b"\n")[:-1]
    return [(named(line, b"path"), named(line, b"newpath")) for line in lines]


def from_json(function):
    lines = varve("dump", "--format", "json", "--function", function, "t.varve").stdout.split(b"\n")[:-1]
    records = [json.loads(line) for line in lines]
    assert all(record["args"]["path"] == record["path"] for record in records)
    return [(as_bytes(record["path"]), as_bytes(record["args"].get("newpath"))) for record in records]


def rows(function):
    text = varve("dump", "--format", "csv", "--function", function, "t.varve").stdout.decode("utf-8", "surrogateescape")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def from_csv(function):
    read = rows(function)
    for row in read:
        same(named(b"(" + as_bytes(row["args"]), b"path"), as_bytes(row["path"]))
    return [(as_bytes(row["path"]), named(b"(" + as_bytes(row["args"]), b"newpath")) for row in read]


def everywhere(function, expected):
    for read in (from_text, from_json, from_csv):
        same(read(function), expected, read.__name__)


def calls(*functions):
    """(function, path, absolute, inode) of these, from JSON; CSV has the same."""
    found = []
    for function in functions:
        lines = varve("dump", "--format", "json", "--function", function, "t.varve").stdout.split(b"\n")[:-1]
        records = [json.loads(line) for line in lines]
        absolute = [as_bytes(record.get("absolute") or "") for record in records]
        same([as_bytes(row["absolute"]) for row in rows(function)], absolute)
        found += list(zip((as_bytes(record.get("path")) for record in records), absolute,
                          (record.get("inode") for record in records)))
    return found


def test_odd_bytes():
    recorded("names", given=b"".join(name + b"\0" for name in NAMES))
    whole = [os.path.join(os.fsencode(os.getcwd()), b"work", name) for name in NAMES]
    everywhere("open", [(name, None) for name in NAMES])
    everywhere("stat", [(name, None) for name in NAMES])
    everywhere("link", [(name, name + b"+") for name in NAMES])
    everywhere("rename", [(name + b"+", name + b"+-") for name in NAMES])
    everywhere("unlink", [(name + b"+-", None) for name in NAMES])
    for function in ("open", "stat", "pwrite", "close"):
        same([absolute for _, absolute, _ in calls(function)], whole, function)


def test_one_record_is_one_line():
    """For every path, text and JSON have one line for each record."""
    recorded("names", given=b"".join(name + b"\0" for name in NAMES))
    info = json.loads(varve("info", "--format", "json", "t.varve").stdout)
    for form in ("text", "json"):
        same(varve("dump", "--recorder", "--format", form, "t.varve").stdout.count(b"\n"), info["records"], form)
    text = varve("dump", "t.varve").stdout
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", text), "control characters reach the terminal"
    text.decode("utf-8")
    varve("info", "t.varve").stdout.decode("utf-8")


def test_long_paths():
    lengths = (100, 1023, 1024, 4094, 4095, 4096)
    recorded("lengths", *map(str, lengths))
    paths = [b".//" * (length % 2 == 0) + b"./" * ((length - 1 - 3 * (length % 2 == 0)) // 2) + b"x" for length in lengths]
    same([len(path) for path in paths], list(lengths))
    everywhere("open", [(path, None) for path in paths])
    same({absolute for _, absolute, _ in calls("open")}, {os.fsencode(os.path.abspath("work/x"))})
    same(json.loads(varve("info", "--format", "json", "t.varve").stdout)["losses"], [])


def test_longer_than_any_path():
    """The kernel refuses them; their beginning is recorded, and the loss is counted."""
    said = "varve: 2 names ... 4096 bytes"
    recorded("lengths", "4097", "20001", losses=said)
    for path, _ in from_json("open"):
        same((len(path), path[:6]), (4096, b"./././"))


def test_links_and_renames():
    """A descriptor keeps the name with which it was opened, and its file, when the name changes."""
    recorded("links")
    here = os.fsencode(os.path.abspath("work"))
    opened = calls("open")
    same([path for path, _, _ in opened], [b"a", b"b", b"c", b"other", b"c", b"s", b"d/inside", b"e/inside"])
    inode = {path: number for path, _, number in opened}
    a = opened[0][2]
    same([number for _, _, number in opened], [a, a, a, inode[b"other"], inode[b"other"], a, inode[b"d/inside"], inode[b"d/inside"]])
    assert len(set(inode.values())) == 3, inode
    same(os.stat("work/other").st_ino, a)
    used = calls("pwrite", "pread")
    same([(absolute, number) for _, absolute, number in used],
         [(os.path.join(here, name), number) for name, number in
          ((b"a", a), (b"b", a), (b"c", a), (b"c", inode[b"other"]), (b"s", a), (b"e/inside", inode[b"d/inside"]))])
    everywhere("rename", [(b"b", b"c"), (b"d", b"e")])
    everywhere("renameat2", [(b"c", b"other")])


def test_working_directory_that_is_gone():
    recorded("gone")
    here = os.path.abspath("work")
    records = [json.loads(line) for line in varve("dump", "--format", "json", "t.varve").stdout.decode().splitlines()]
    opened = [(record["function"], record["path"], record.get("absolute"), record.get("error")) for record in records
              if record["function"] in ("open", "openat")]
    # The path of `x` cannot be known; paths from a descriptor or from the root are known.
    same(opened[0], ("open", ".", here + "/d", None))
    same((opened[1][:2], opened[1][3]), (("open", "x"), "ENOENT"))
    same(opened[2], ("openat", "y", here + "/d/y", "ENOENT"))
    same(opened[3], ("open", "/dev/null", "/dev/null", None))
    same([(record["path"], record.get("absolute")) for record in records if record["function"] == "stat"][-1], ("dev", "/dev"))
    everywhere("mkdir", [(b"d", None)])


def test_descriptors_over_a_socket():
    """They get a number that had another meaning before: each use names the right file."""
    recorded("passed")
    here = os.fsencode(os.path.abspath("work"))
    files = [(os.path.join(here, name), os.stat(os.path.join(here, name)).st_ino) for name in (b"one", b"two")]
    same([(absolute, inode) for _, absolute, inode in calls("pwrite")], files)
    same([(absolute, inode) for _, absolute, inode in calls("pread")], files)


run_tests(globals())
