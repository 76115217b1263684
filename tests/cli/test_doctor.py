"""`varve doctor`: its output and status for the machine, for variables and for programs of every kind."""
import json
import os
import random
import select
import shutil
import struct
import subprocess

from lib import CC, VARVE, build_program, holds, remove_trace, run_tests, same, varve

CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith("VARVE") and name not in ("LD_PRELOAD", "ASAN_OPTIONS")}


def doctor(*words, **variables):
    result = varve("doctor", "--format", "json", *words, env=dict(CLEAN, **variables))
    same(result.stderr, b"", words)
    found = json.loads(result.stdout)
    same(result.returncode, 0 if found["fine"] else 1)
    return found


def checks(*words, **variables):
    """Findings by their checks, without notes."""
    return {finding["check"]: finding for finding in doctor(*words, **variables)["findings"]
            if finding["severity"] != "note"}


def notes(*words, **variables):
    return {finding["check"]: finding for finding in doctor(*words, **variables)["findings"]
            if finding["severity"] == "note"}


def hello(name, *options, compiler=CC):
    return build_program(name, *options, source="hello.c", compiler=compiler)


def script(name, text):
    with open(name, "w") as file:
        file.write(text)
    os.chmod(name, 0o755)
    return "./" + name


def test_the_machine():
    before = set(os.listdir("/dev/shm"))
    found = doctor()
    assert found["fine"] and found["recorded_trial"], found
    mine = {name for name in set(os.listdir("/dev/shm")) - before if name.startswith("varve-doctor")}
    same(mine, set())
    text = varve("doctor", env=CLEAN)
    same((text.returncode, text.stdout.split()[0]), (0, b"fine"))


def left_behind(name):
    """The lanes of a run that was killed with all its processes."""
    process = subprocess.Popen([VARVE, "record", "-o", name, "--lanes", os.path.abspath("lanes"), "--", "sh", "-c", "echo; read line"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=CLEAN)
    process.stdout.readline()
    children = subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE).stdout.split()
    process.kill()
    for child in children:
        ended = os.pidfd_open(int(child))
        os.kill(int(child), 9)
        select.select([ended], [], [])
        os.close(ended)
    process.wait()
    with open(name + "/lanes") as file:
        return file.read()


def test_lanes_of_traces_that_are_gone():
    os.mkdir("lanes")
    here = {"VARVE_LANES": os.path.abspath("lanes")}
    gone, kept = left_behind("gone.varve"), left_behind("kept.varve")
    remove_trace("gone.varve")
    held = subprocess.Popen([VARVE, "record", "-o", "held.varve", "--lanes", here["VARVE_LANES"], "--", "sh", "-c", "echo; exec cat"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=CLEAN)
    held.stdout.readline()
    with open("held.varve/lanes") as file:
        holds_lanes = file.read()
    os.rename("held.varve", "elsewhere")
    def left():
        return [finding["what"] for finding in doctor(**here)["findings"] if finding["check"] == "lanes-left"
                and finding["what"].startswith(here["VARVE_LANES"])]

    def clean(*words):
        return varve("doctor", "--clean", *words, env=dict(CLEAN, **here))
    same(len(left()), 1)
    assert left()[0].startswith(gone + " ") and left()[0].endswith("/gone.varve"), left()
    holds(left()[0], " records of ")
    # A folder with records is removed only when it is named.
    result = clean()
    same((result.returncode, os.path.exists(gone)), (0, True))
    holds(result.stderr, b"leftover lane folder ... still with records")
    same(b"nothing removed; " in result.stderr, not result.stdout)
    for folder in (gone, kept, holds_lanes):
        found = checks(folder)["lane-folder"]
        holds(found["what"], "is a lane folder, not a program")
        holds(found["do"], "varve pack ... varve doctor --clean FOLDER")
    for folder in (kept, holds_lanes):
        same((clean(folder).returncode, os.path.exists(folder)), (2, True))
    same(clean("no/such/folder").returncode, 2)
    result = clean(os.path.relpath(gone))
    same((result.returncode, result.stderr), (0, b""))
    assert b"removed " + gone.encode() + b", " in result.stdout, result.stdout
    same([os.path.exists(path) for path in (gone, kept, holds_lanes)], [False, True, True])
    # Without a record in it, it is removed without being named.
    bare = left_behind("bare.varve")
    remove_trace("bare.varve")
    for name in os.listdir(bare):
        if name.startswith("lane."):
            os.remove(bare + "/" + name)
    holds(left()[0], "no records")
    same((clean().returncode, os.path.exists(bare)), (0, False))
    os.rename("elsewhere", "held.varve")
    held.communicate(b"", timeout=60)
    same(varve("pack", "kept.varve").returncode, 0)


def test_lanes_of_a_trace_that_was_moved():
    os.mkdir("lanes")
    here = dict(CLEAN, VARVE_LANES=os.path.abspath("lanes"))
    lanes = left_behind("moved.varve")
    expected = len(varve("dump", "moved.varve", env=CLEAN).stdout.splitlines())
    assert expected > 2
    os.rename("moved.varve", "other.varve")
    result = varve("doctor", "--clean", env=here)
    same((result.returncode, os.path.exists(lanes)), (0, True), (result, os.listdir("other.varve")))
    # A file system that is not mounted: its folder is missing or empty.
    os.mkdir("disk")
    lanes = left_behind("disk/far.varve")
    os.rename("disk", "unmounted")
    same((varve("doctor", "--clean", env=here).returncode, os.path.exists(lanes)), (0, True))
    found = [finding for finding in json.loads(varve("doctor", "--format", "json", env=here).stdout)["findings"]
             if finding["check"] == "lanes-far"]
    same(len(found), 1, found)
    holds(found[0]["what"], "lane folder")
    holds(varve("doctor", "--clean", env=here).stderr, b"lane folder ... of traces that may be on a file system that is not mounted")
    os.mkdir("disk")
    same((varve("doctor", "--clean", env=here).returncode, os.path.exists(lanes)), (0, True))
    # A user who names it has decided that its trace is gone.
    same((varve("doctor", "--clean", lanes, env=here).returncode, os.path.exists(lanes)), (0, False))
    same(len(varve("dump", "other.varve", env=CLEAN).stdout.splitlines()), expected)
    same(varve("pack", "other.varve").returncode, 0)
    same(len(varve("dump", "other.varve", env=CLEAN).stdout.splitlines()), expected)


def test_files_of_others():
    """FIFOs and links in place of a file, and folders of another user: the command does not wait and removes nothing elsewhere."""
    os.mkdir("lanes")
    here = {"VARVE_LANES": os.path.abspath("lanes"), "TMPDIR": os.getcwd()}
    os.mkfifo(f"varve-{os.geteuid()}.unrecorded")
    assert "unrecorded" not in notes(**here)
    os.remove(f"varve-{os.geteuid()}.unrecorded")
    with open("target", "w") as file:
        file.write("1 ./program: a line\n")
    os.symlink("target", f"varve-{os.geteuid()}.unrecorded")
    assert "unrecorded" not in notes(**here)
    os.mkdir(f"lanes/varve-{os.geteuid()}-fifo")
    os.mkfifo(f"lanes/varve-{os.geteuid()}-fifo/control")
    linked = left_behind("linked.varve")
    remove_trace("linked.varve")
    os.rename(linked, "real")
    os.symlink(os.path.abspath("real"), linked)
    fifo = left_behind("fifo.varve")
    remove_trace("fifo.varve")
    os.mkfifo(fifo + "/lane.99.1")
    if os.geteuid() == 0:
        other = left_behind("other.varve")
        remove_trace("other.varve")
        owned = os.path.dirname(other) + "/varve-65534-0123456789abcdef"
        os.rename(other, owned)
        for path in (owned, *(f"{owned}/{name}" for name in os.listdir(owned))):
            os.chown(path, 65534, 65534)
    found = [finding["what"] for finding in doctor(**here)["findings"] if finding["check"] == "lanes-left"
             and finding["what"].startswith(here["VARVE_LANES"])]
    same([what.split()[0] for what in found], [fifo])
    assert "records of" not in found[0], found
    before = sorted(os.listdir("real"))
    same(varve("doctor", "--clean", env=dict(CLEAN, **here)).returncode, 0)
    same((os.path.exists(fifo), sorted(os.listdir("real"))), (True, before))
    same(varve("doctor", "--clean", linked, env=dict(CLEAN, **here)).returncode, 2)
    same(sorted(os.listdir("real")), before)
    if os.geteuid() == 0:
        same(varve("doctor", "--clean", owned, env=dict(CLEAN, **here)).returncode, 2)
        assert os.path.exists(owned + "/control")


def test_a_dynamic_program():
    found = doctor(build_program("hello"))
    assert found["fine"], found
    same(found["program"], "./hello")
    assert doctor("ls")["fine"]


def test_order_of_severity():
    severities = [finding["severity"] for finding in doctor("/no/such", VARVE_BUFER="1", container="here")["findings"]]
    order = ["blocks", "limits", "note"]
    same(severities, sorted(severities, key=order.index))
    same(severities[:2], ["blocks", "limits"])


def test_text_has_reason_and_remedy():
    result = varve("doctor", "/no/such", env=CLEAN)
    same(result.returncode, 1)
    lines = result.stdout.decode().splitlines()
    holds(lines[0], "blocks ... /no/such ... not found")
    assert lines[1].startswith("        why: ") and lines[2].startswith("        do:  "), lines


def test_static():
    holds(checks(hello("fixed", "-static"))["static"]["what"], "linked statically")
    holds(checks(hello("moved", "-static-pie"))["static"]["what"], "static-pie")
    same(set(checks("busybox")), {"static"})


def test_not_a_program():
    same(set(checks("/usr")), {"directory"})
    same(set(checks("./none")), {"missing"})
    same(set(checks("no-such-program-at-all")), {"missing"})
    # Names that PATH does not have, but the working directory does.
    with open("here", "w") as file:
        file.write("")
    os.mkdir("t.varve")
    holds(checks("here")["not-in-path"]["what"], "./here")
    holds(checks("t.varve")["not-a-program"]["what"], "t.varve ... trace")
    same(varve("record", "-o", "p.varve", "--", "true", env=CLEAN).returncode, 0)
    same(varve("record", "--no-pack", "-o", "f", "--", "true", env=CLEAN).returncode, 0)
    for trace in ("./t.varve", "p.varve", "./p.varve", os.path.abspath("p.varve"), "./f"):
        found = checks(trace)
        same(set(found), {"not-a-program"}, trace)
        holds(found["not-a-program"]["what"], f"{trace} is a trace, not a program")
    shutil.copy("/bin/true", "app.varve")
    assert "not-a-program" not in checks("./app.varve")
    with open("plain", "w") as file:
        file.write("text\n")
    same(set(checks("./plain")), {"not-executable"})
    os.chmod("plain", 0o755)
    same(set(checks("./plain")), {"no-program"})
    open("empty", "w").close()
    os.chmod("empty", 0o755)
    same(set(checks("./empty")), {"no-program"})


def test_scripts_are_followed():
    fixed = os.path.abspath(hello("fixed", "-static"))
    same(set(checks(script("plain", "#!/bin/sh\n"))), set())
    same(set(checks(script("fixed.sh", f"#! {fixed} -x\n"))), {"static"})
    same(set(checks(script("nothing.sh", "#!/no/such/shell\n"))), {"no-interpreter"})
    same(set(checks(script("env.sh", "#!/usr/bin/env -S A=1 fixed -u\n"), PATH=os.getcwd())), {"static"})
    same(set(checks(script("env.sh", "#!/usr/bin/env no-such-thing\n"))), {"no-interpreter"})
    same(set(checks(script("twice.sh", f"#!{os.getcwd()}/fixed.sh\n"))), {"static"})
    script("loop.sh", f"#!{os.getcwd()}/loop.sh\n")
    doctor("./loop.sh")


def test_set_uid():
    program = build_program("hello")
    os.chmod(program, 0o4755)
    same(set(checks(program)), set())
    holds(notes(program)["set-uid"]["what"], "gains no")
    if os.geteuid() == 0:
        os.chown(program, 65534, 0)
        os.chmod(program, 0o4755)
        holds(checks(program)["set-uid"]["what"], "set-uid")
        os.chown(program, 0, 65534)
        os.chmod(program, 0o2755)
        holds(checks(program)["set-uid"]["what"], "set-gid")


def patched(name, *changes):
    """A copy of a program with bytes changed."""
    with open(build_program("hello"), "rb") as file:
        data = bytearray(file.read())
    for offset, value in changes:
        data[offset:offset + len(value)] = value
    with open(name, "wb") as file:
        file.write(data)
    os.chmod(name, 0o755)
    return "./" + name


def test_other_machines():
    same(set(checks(patched("small", (4, b"\x01"), (18, b"\x03\x00")))), {"32-bit"})
    same(set(checks(patched("arm", (18, struct.pack("<H", 183))))), {"machine"})
    same(set(checks(patched("big", (5, b"\x02")))), {"machine"})
    holds(str(checks(patched("object", (16, b"\x01\x00")))), "no-program")


def test_loaders():
    program = hello("musl", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
    assert "libc" in checks(program), checks(program)
    holds(checks(program)["libc"]["what"], "musl")
    same(set(checks(hello("lost", "-Wl,--dynamic-linker=/none/ld-linux-x86-64.so.2"))), {"no-loader"})


def test_broken_files():
    """With any content, the file is judged and nothing fails."""
    with open(build_program("hello"), "rb") as file:
        whole = file.read()
    chance = random.Random(7)
    for round_ in range(40):
        data = bytearray(whole[:chance.choice((20, 63, 64, 200, 1000, 5000, len(whole)))])
        for _ in range(chance.randrange(12)):
            at = chance.randrange(16, min(len(data), 900)) if len(data) > 16 else 0
            data[at] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
        with open("broken", "wb") as file:
            file.write(data)
        os.chmod("broken", 0o755)
        result = varve("doctor", "--format", "json", "./broken", env=CLEAN)
        assert result.returncode in (0, 1) and not result.stderr, (round_, result)
        json.loads(result.stdout)


def test_sanitizers():
    found = notes(hello("asan", "-fsanitize=address", compiler="gcc"))["sanitizer"]
    holds(found["what"], "AddressSanitizer")
    same(found["do"], "nothing")
    own = hello("own", "-fsanitize=address", '-DASAN_OPTIONS="detect_leaks=0"', compiler="gcc")
    holds(notes(own)["sanitizer"]["do"], "verify_asan_link_order=0")
    if shutil.which("clang"):
        program = hello("linked", "-fsanitize=address", compiler="clang")
        holds(notes(program)["sanitizer"]["what"], "AddressSanitizer")
        same(set(checks(program)), set())


def test_system_calls_of_its_own():
    found = checks(build_program("ring", "-DNUMBER=426", source="raw_call.c"))["direct-system-calls"]
    holds(found["what"], "io_uring_enter")
    # gettid: not for files
    same(set(checks(build_program("thread", "-DNUMBER=186", source="raw_call.c"))), set())


def test_functions_without_a_row():
    found = checks(build_program("rpc", source="uncovered.c"))["not-covered"]
    holds(found["what"], "svc_getreq")
    holds(found["why"], "Sun RPC")


def test_variables():
    same(set(checks(VARVE_PAGER="less", VARVE_LIMIT="1G")), set())
    same(set(checks(VARVE_BUFER="1M")), {"variable-unknown"})
    holds(checks(VARVE_BUFER="1M")["variable-unknown"]["what"], "VARVE_BUFFER")
    same(set(checks(VARVE_DISABLE="1")), {"disabled"})
    assert doctor(VARVE_DISABLE="1")["recorded_trial"]
    assert "variable-value" in checks(VARVE_LIMIT="much")
    assert {"variable-value", "lanes"} <= set(checks(VARVE_LANES="/no/such/folder"))
    os.mkdir("there.varve")
    same(set(checks(VARVE_TRACE="there.varve")), {"trace-exists"})


def test_other_preloaded_libraries():
    if os.environ.get("VARVE_SANITIZE"):
        print("# a command with a sanitizer's runtime in it can have nothing preloaded before that")
        return
    for name in ("libdarshan.so", "libjemalloc.so", "libother.so"):
        build_program(name, "-shared", "-fPIC", source="empty_library.c")
    path = os.getcwd()
    same(set(checks(LD_PRELOAD=f"{path}/libdarshan.so")), {"preloaded"})
    same(set(checks(LD_PRELOAD=f"{path}/libjemalloc.so:{path}/libother.so")), set())
    holds(notes(LD_PRELOAD=f"{path}/libjemalloc.so")["preloaded"]["why"], "allocator")


def test_limits():
    limited = subprocess.run(["sh", "-c", 'ulimit -f 1000; exec "$0" doctor --format json', VARVE], env=CLEAN,
                             stdout=subprocess.PIPE)
    holds(str(json.loads(limited.stdout)["findings"]), "limit-file-size")
    same(limited.returncode, 1)


def test_another_root():
    program = build_program("hello")
    os.makedirs("root/usr/bin")
    shutil.copy(program, "root/usr/bin/hello")
    os.symlink("/usr/bin/hello", "root/usr/bin/link")
    same(set(checks("--root", "root", "/usr/bin/hello")), {"library-not-visible", "lanes-not-visible", "no-loader"})
    same(set(checks("--root", "root/", "hello")), {"library-not-visible", "lanes-not-visible", "no-loader"})
    library = doctor()["library"]
    with open(program, "rb") as file:
        data = file.read()
    loader = data[data.index(b"/lib64/ld-linux"):].split(b"\0")[0].decode()
    for path in (library, loader):
        os.makedirs("root" + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, "root" + path)
    os.makedirs("root/dev/shm")
    same(set(checks("--root", "root", "link")), set())
    same(varve("doctor", "--root", "none", "ls", env=CLEAN).returncode, 2)


def test_a_library_that_does_not_fit():
    """With a command that was copied elsewhere: no library beside it, then a file that is no library, then one of another
    version."""
    os.mkdir("bin")
    shutil.copy(VARVE, "bin/varve")
    real = doctor()["library"]

    def found():
        result = subprocess.run(["bin/varve", "doctor", "--format", "json"], env=CLEAN, stdout=subprocess.PIPE)
        same(result.returncode, 1)
        return {finding["check"] for finding in json.loads(result.stdout)["findings"]
                if finding["severity"] == "blocks"}
    with open("bin/libvarve-record.so", "w") as file:
        file.write("nothing")
    same(found(), {"library-broken", "trial"})
    with open(real, "rb") as file:
        data = file.read()
    assert b"varve-record library " in data
    with open("bin/libvarve-record.so", "wb") as file:
        file.write(data.replace(b"varve-record library ", b"varve-record library x"[:20] + b"?"))
    holds(str(found()), "library-version")


def test_usage():
    holds(varve("doctor", "--help").stdout, b"Usage: varve doctor [OPTION...] [PROGRAM]\n       varve doctor --clean [FOLDER]\n")
    same(varve("doctor", "--format", "xml", env=CLEAN).returncode, 2)
    same(varve("doctor", "a", "b", env=CLEAN).returncode, 2)
    same(varve("doctor", "--nothing", env=CLEAN).returncode, 2)
    same(varve("doctor", env=dict(CLEAN, TMPDIR="/no/such/folder")).returncode, 4)


run_tests(globals())
