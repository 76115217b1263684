#!/usr/bin/env python3
"""`varve slice --anonymize`: the new trace contains no name of a file, host or user of the source, and still has what analyses
need: equal files are still equal, and paths have the same depth and extensions."""
import os
import re
import shutil
import socket
import sys

from lib import holds, run_tests, same, varve
from _slices import calls, info, lines, record, sliced
from _blocks import RECORDS, RUN  # of the second decoder
from _decoder import Trace

PROGRAM = r"""
import ctypes, os, socket, subprocess, sys, tempfile
os.chdir("wonderland")
for name in ("rabbithole/teaparty.nc", "rabbithole/madhatter.h5", "dormouse", "../wonderland/./marchhare.verylongextension"):
    with open(name, "w") as file:
        file.write("text")
    os.stat(name)
os.stat("/etc/passwd")
here = os.open("rabbithole", os.O_RDONLY)
os.close(os.open("teaparty.nc", os.O_RDONLY, dir_fd=here))
os.rename("dormouse", "rabbithole/whiterabbit.txt")
os.symlink("rabbithole/whiterabbit.txt", "lookingglass")
os.readlink("lookingglass")
server = socket.socket(socket.AF_UNIX)
server.bind("cheshirecat.sock")
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect("cheshirecat.sock")
other = socket.socket()
other.bind(("127.0.0.3", 0))
try:
    os.setxattr("rabbithole", "user.jabberwocky", b"x")
except OSError:
    pass
memory = os.memfd_create("humptydumpty")
os.write(memory, b"x")
try:
    ctypes.CDLL("libtweedledum.so")
except OSError:
    pass
try:
    socket.getaddrinfo("queenofhearts.invalid", 80)
except OSError:
    pass
subprocess.run(["sh", "-c", "cat rabbithole/teaparty.nc > mockturtle", "gryphon", "--out=caterpillar/duchess.nc", "-n", "4",
                "-oknave"])
"""
WORDS = re.compile(rb"[A-Za-z][A-Za-z0-9_]{3,}")


def recorded():
    os.makedirs("wonderland/rabbithole")
    # The bytes of its files are searched.
    record([sys.executable, "-c", PROGRAM], "--no-pack")


def secrets():
    """Every part of a path, argument or host of the source that is too long to occur by chance."""
    found = set()
    shown = varve("dump", "--format", "json", "t.varve").stdout
    for text in re.findall(rb'"((?:[^"\\]|\\.)*)"', shown) + varve("dump", "--definitions", "t.varve").stdout.split(b'"'):
        if b"/" in text or b"." in text:
            found.update(WORDS.findall(text))
    for process in info("t.varve")["processes"]:
        found.update(WORDS.findall("/".join([process["exe"], process["cwd"], *process["arguments"]]).encode()))
    found.update((socket.gethostname().encode(), b"jabberwocky", b"humptydumpty", b"queenofhearts", b"knave", b"gryphon"))
    return found


def everything(trace):
    """All output for the trace, and the content of its files, stored and unpacked."""
    parts = [varve(*words, trace).stdout for words in (
        ("dump",), ("dump", "--format", "json"), ("dump", "--format", "csv"), ("dump", "--definitions"),
        ("info", "--processes"), ("info", "--format", "json"))]
    for name in os.listdir(trace):
        with open(os.path.join(trace, name), "rb") as file:
            parts.append(file.read())
    mine = Trace(trace)
    for block in mine.blocks:
        if block.type == RECORDS:
            parts += [bytes(values) for encoding, values in block.read_columns().values() if encoding == 3]
    parts += [block.payload() for block in mine.blocks if block.type == RUN]
    return b"\n".join(parts)


def own_words(trace):
    """Words in every trace: names of functions, of kinds, and labels of `info`. Extensions stay, too."""
    mine = Trace(trace)
    words = set()
    for function in mine.tables.functions.values():
        words.add(function.name.encode())
        words.update(WORDS.findall(" ".join(field.name for field in function.recorded).encode()))
    for text in (varve("info", "golden").stdout, varve("info", "--format", "json", "golden").stdout,
                 varve("dump", "--format", "json", "golden").stdout, varve("dump", "--definitions", "golden").stdout):
        words.update(WORDS.findall(text))
    return words | {b"socket", b"unix", b"inet", b"anonymous", b"memfd", b"inherited", b"argv", b"call", b"libc",
                    b"AF_UNIX"}


def golden():
    """A trace that is independent of the other one."""
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "first.varve")
    os.symlink(source, "golden")


def test_nothing_is_left():
    recorded()
    golden()
    hidden = secrets()
    for name in ("wonderland", "rabbithole", "teaparty", "madhatter", "dormouse", "whiterabbit", "lookingglass", "cheshirecat",
                 "jabberwocky", "humptydumpty", "libtweedledum", "mockturtle", "gryphon", "caterpillar", "duchess", "knave",
                 "marchhare", "verylongextension"):
        assert name.encode() in hidden, name
    text = everything("t.varve")
    same({word for word in hidden if word not in text} - {b"queenofhearts"}, set())
    for options in ((), ("--key-text", "alice"), ("--where", "ordinal in 0:9999:2")):
        sliced("--anonymize", *options, "t.varve")
        text = re.sub(rb"([0-9A-Z]{10})\.[A-Za-z0-9]{1,8}\b", rb"\1", everything("s.varve"))
        allowed = own_words("s.varve")
        # Short names are parts of other words by chance.
        said = set(WORDS.findall(text))
        left = {word for word in hidden - allowed if (word in text if len(word) > 7 else word in said)}
        same(left, set(), options)
        assert b"127.0.0.3" not in text
        facts = info("s.varve")
        for host in [facts["run"]["host"], *(process["host"] for process in facts["processes"])]:
            assert re.fullmatch(r"[0-9A-Z]{10}", host), host
        assert b"env.HOME" not in text and os.environ.get("HOME", "/root").encode() + b"/" not in text


def shape(path):
    """The parts of a path that stay: its depth, dots, and its extension."""
    parts = []
    for part in path.split("/"):
        kept = re.search(r"[^.](\.(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{1,8})$", part)
        parts.append(part if part in ("", ".", "..") else kept[1] if kept else "x")
    return "/".join(parts)


def test_the_same_files():
    recorded()
    sliced("--anonymize", "t.varve")
    to, back = {}, {}
    before, after = calls("t.varve"), calls("s.varve")
    same(len(after), len(before))
    for old, new in zip(before, after):
        for key in ("function", "start", "end", "result", "ordinal", "depth", "pid", "inode", "device", "fd", "size"):
            same(new.get(key), old.get(key), key)
        path, hashed = old.get("absolute", ""), new.get("absolute", "")
        if not path.startswith("/"):
            continue
        same(to.setdefault(path, hashed), hashed, path)
        same(back.setdefault(hashed, path), path, hashed)
        same(shape(hashed), shape(path))
        assert path == "/" or path != hashed
    assert len(to) > 20, to
    assert any(path.endswith(".nc") for path in back) and any(path.endswith(".h5") for path in back), back
    assert not any("verylong" in path for path in back)


def test_keys():
    recorded()
    with open("key", "w") as file:
        file.write("down the hole\n")
    with open("other", "w") as file:
        file.write("another one\n")
    shown = {}
    for name, options in {"a": ["--key", "key"], "b": ["--key", "key"], "c": ["--key", "other"], "d": [], "e": [],
                          "f": ["--key-text", "just a text"], "g": ["--key-text", "just a text"]}.items():
        sliced("--anonymize", *options, "t.varve")
        shown[name] = tuple(lines("s.varve", "--format", "json"))
        assert b"down the hole" not in everything("s.varve")
    same(shown["a"] == shown["b"], True)
    same(shown["f"] == shown["g"], True)
    same(len({shown[name] for name in "acdef"}), 5)


def test_system_folders():
    recorded()
    sliced("--anonymize", "--keep-system", "t.varve")
    paths = {call["absolute"] for call in calls("s.varve") if call.get("absolute", "").startswith("/")}
    assert any(re.fullmatch(r"/etc/[0-9A-Z]{10}.*", path) for path in paths), paths
    assert any(path.startswith("/usr/") or path.startswith("/lib/") for path in paths), paths
    for path in paths:
        assert all(re.fullmatch(r"|\.|\.\.|[0-9A-Z]{10}(\.\w{1,8})?", part) for part in path.split("/")[2:]), path
    sliced("--anonymize", "t.varve")
    assert not any(call.get("absolute", "").startswith(("/etc/", "/usr/", "/dev/", "/proc/")) for call in calls("s.varve"))


def test_options_and_numbers_stay():
    recorded()
    sliced("--anonymize", "t.varve")
    arguments = next(p["arguments"] for p in info("s.varve")["processes"] if "-n" in p["arguments"])
    same((arguments[1], arguments[5:7]), ("-c", ["-n", "4"]))
    assert re.fullmatch(r"--out=[0-9A-Z]{10}/[0-9A-Z]{10}\.nc", arguments[4]), arguments
    same({p["host"] for p in info("s.varve")["processes"]}, {info("s.varve")["run"]["host"]})
    same("user" in info("s.varve")["run"], "user" in info("t.varve")["run"])
    holds(varve("info", "s.varve").stdout, b"anonymized")


def test_regions_stay():
    program = os.path.join(os.environ.get("VARVE_PROGRAMS", ""), "regions")
    record([program, "cut", "10"])
    sliced("--anonymize", "t.varve")
    names = lambda trace: sorted(region["name"] for region in info(trace)["regions"])
    assert names("t.varve")
    same(names("s.varve"), names("t.varve"))


LAUNCH = """import os, subprocess, sys
open("/etc/passwd").close()
subprocess.run(["/bin/cat", "/etc/hostname"])
subprocess.run(["/bin/cat", "/etc/passwd"], env={**os.environ, "PMI_RANK": "0", "PMI_SIZE": "1"})
"""
# Fields that a filter computes from names; the anonymous names must give the same values.
SELECTED = ["runtime", "not runtime", "rank == 0", "has rank", "has path", "not has path", "has absolute", "kind == file",
            "kind in pipe,socket,anonymous,device,folder", "extension == py", "extension == so",
            "arg.flags has O_CREAT", "layer != process", "has region", 'parent.function == "fopen"', "failed", "process > 1"]


def test_filters_select_the_same():
    """A launcher is recognised by the name of its executable. Its folders are replaced."""
    os.makedirs("secretfolder/bin")
    for name in ("mpirun", "hydra_pmi_proxy"):
        shutil.copy(os.path.realpath(sys.executable), f"secretfolder/bin/{name}")
        record([f"secretfolder/bin/{name}", "-c", LAUNCH], "--no-pack")
        chosen = lambda trace, text: [(call["process"], call["thread"], call["ordinal"], call["function"])
                                      for call in calls(trace, "--where", text)]
        assert chosen("t.varve", "runtime") and chosen("t.varve", "not runtime"), name
        for options in ((), ("--keep-system",), ("--key-text", "alice", "--packed")):
            sliced("--anonymize", *options, "t.varve")
            for text in SELECTED:
                left, right = set(chosen("t.varve", text)), set(chosen("s.varve", text))
                same(sorted(left ^ right)[:5], [], (name, options, text, len(left), len(right)))
            programs = {process["exe"] for process in info("s.varve")["processes"]}
            assert any(program.endswith("/" + name) for program in programs), programs
            assert not any("secretfolder" in program or "/cat" in program for program in programs), programs


run_tests(globals())
