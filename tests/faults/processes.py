#!/usr/bin/env python3
"""Processes made in every way: each is recorded once, nothing twice, and its start is as without Varve."""
import errno
import glob
import json
import os
import shutil
import stat
import struct
import subprocess
import sys
import time

from lib import (LIBRARY, NO_LANE, RUNTIME, SHARED, UNTRACED, Trace, VARVE, build_program, compare, compiled_source, dropped, holds,
                 program, run, run_tests, says, same, varve)

PROCESSES = program("processes")
BESIDE = program("beside")
OWN_CALLS, OWN_CALLS_GO = program("own_calls"), program("own_calls_go")
START_STATIC = program("start_static")


def origins(trace):
    return sorted(process["origin"] for process in trace.info()["processes"])


def test_vfork():
    trace = compare([PROCESSES, "vfork"], status=8)
    counts = trace.complete()
    same(counts["pwrite"], 3 + 1 + 3 + 5 + 1)
    same(counts["vfork"], 4)
    same(origins(trace), ["image"] * 3)
    calls = trace.calls("--stream", "1.1")
    inside = [call["function"] for call in calls if call.get("vfork") and call["depth"] > 0]
    same(inside, ["execv", "_exit", "execv", "_exit", "pwrite", "execve"], "what a vfork child did stands inside vfork")
    same([call["result"] > 0 for call in calls if call["function"] == "vfork"], [True] * 4)
    same([call["depth"] for call in calls if call["function"] == "pwrite"], [1, 0, 0, 0, 0, 0, 0])


def test_fork_handlers():
    """Calls of a handler of pthread_atfork in the child belong to the child: one process, although it makes calls before fork
    returns."""
    trace = compare([program("fork_handlers")], status=0)
    same(trace.complete()["write"], 6)
    same(origins(trace), ["fork"] * 3 + ["image"])


def test_python_subprocess():
    script = ("import subprocess, sys\n"
              "for i in range(5): print(subprocess.run([sys.argv[1], 'write', str(i)]).returncode, flush=True)\n"
              "for close in (True, False):\n"
              "    print(subprocess.run([sys.argv[1], 'write', '3'], close_fds=close, env={}).returncode, flush=True)\n"
              "try:\n    subprocess.run(['/no/such'])\nexcept OSError as error:\n    print(error)\n")
    trace = compare([sys.executable, "-S", "-c", script, PROCESSES], status=0)
    writes = [call for call in trace.calls("--function", "pwrite") if call["process"] > 1]
    same(len(writes), 0 + 1 + 2 + 3 + 4 + 3 + 3)
    same(len(trace.info()["processes"]), 8)


def test_spawn():
    trace = compare([PROCESSES, "spawn"], status=8)
    counts = trace.complete()
    same(counts["pwrite"], 4 + 5 + 4 + 5 + 1)
    same((counts["posix_spawn"], counts["posix_spawnp"]), (3, 1))


def test_fork_without_exec():
    for options in ((), ("--buffer", "128K")):
        trace = compare([PROCESSES, "fork", "4000"], options, trace=f"t{len(options)}", status=8)
        same(trace.complete()["pwrite"], 4000 * (1 + 2 + 3 + 1 + 1) + 1)
        same(origins(trace), ["fork"] * 3 + ["image"])
        writes = {}
        for call in trace.calls("--function", "pwrite"):
            writes[call["process"]] = writes.get(call["process"], 0) + 1
        same(sorted(writes.values()), [4000, 8000, 8001, 12000])


def test_fork_in_a_handler():
    """The child continues inside the call, or the recorder's own code, that the signal interrupted."""
    for way, clock in (("handler", "tsc"), ("handler", "monotonic"), ("rawhandler", "tsc")):
        for again in range(3):
            trace = compare([PROCESSES, way], ("--buffer", "128K", "--clock", clock), trace=f"{way}-{clock}-{again}", status=8)
            counts = trace.counts()
            if clock == "tsc":
                same(counts["fork" if way == "handler" else "syscall"], 40)
            children = {call["process"] for call in trace.calls("--function", "pwrite") if call["process"] > 1}
            assert len(children) >= 1, children


def test_a_child_on_the_same_thread_data():
    """It is not recorded, and this is reported; the process that made it is recorded to the end, and so is the program that it
    executes."""
    for options in ((), ("--buffer", "128K")):
        trace = compare([BESIDE, "3000"], options, trace=f"t{len(options)}.varve", status=7)
        same((trace.losses(), untraced(trace)), ({SHARED: 1}, [(None, "shared", 1)]))
        holds(trace.told, b"varve: ... 1 process ... CLONE_VM")
        counts = trace.counts()
        same((counts["pwrite"], counts["clone"], counts["waitpid"]), (4 * 3000, 1, 1))
        calls = trace.calls("--function", "pwrite,open")
        files = {}
        for call in calls:
            name = os.path.basename(call["path"])
            files[name] = files.get(name, 0) + (call["function"] == "pwrite")
        same(files, {name: 3000 for name in ("before", "during", "thread", "after")})
        assert not [call for call in trace.calls() if "unfinished" in call and call["function"] not in ("exit", "_exit")]
    trace = compare([BESIDE, "300", PROCESSES, "write", "3"], trace="exec.varve", status=7)
    same((trace.losses(), trace.counts()["pwrite"]), ({SHARED: 1}, 4 * 300 + 3))
    same([process["began"] for process in trace.info()["processes"]], ["start", "vfork"])


def test_ends_out_of_sight():
    """exec and exit without the C library cannot be seen; `info` reports that something is missing."""
    for words, status, unseen in (([OWN_CALLS, "exit"], 5, 1), ([OWN_CALLS, "number"], 6, 0),
                                  ([OWN_CALLS, "exec", PROCESSES, "write", "3"], 3, 1), ([OWN_CALLS, "daemon"], 0, 0),
                                  (["sh", "-c", f"'{OWN_CALLS}' exit; '{OWN_CALLS}' number; exit 7"], 7, 1)):
        trace = compare(words, trace=f"{len(words)}{words[1]}.varve", status=status)
        same((trace.losses(), trace.info()["unseen_ends"]), ({}, unseen))
        first = varve("info", trace.path).stdout.decode().splitlines()[0]
        same(says(first, "LOST ... 1 process ... system call"), unseen == 1, first)


def test_a_runtime_that_makes_its_own_calls():
    """The runtime of Go: reported first; programs that it starts are recorded, because the environment is passed on."""
    trace = compare([OWN_CALLS_GO, "fork", PROCESSES, "write", "3"], status=4)
    same((trace.losses(), trace.counts()["pwrite"]), ({RUNTIME: 1}, 3))
    same([process["began"] for process in trace.info()["processes"]], ["start", "libc"])
    holds(varve("info", trace.path).stdout.splitlines()[0], b"LOST ... 1 program ... Go")
    found = json.loads(varve("doctor", "--format", "json", OWN_CALLS_GO).stdout)["findings"]
    same([row["severity"] for row in found if row["check"] == "go"], ["limits"])


def test_environment_cleared():
    trace = compare([PROCESSES, "cleared"], status=8)
    counts = trace.complete()
    same(counts["pwrite"], 4 * 6 + 1)
    same(origins(trace), ["fork"] * 4 + ["image"] * 5)


def test_environment_cleared_and_not_followed():
    trace = compare([PROCESSES, "cleared"], ("--no-follow",), status=8)
    same(trace.complete()["pwrite"], 1)
    same(trace.info()["left_out"]["programs"], 4)
    same({why for _, why, _ in untraced(trace)}, {"not-followed"})
    text = varve("info", trace.path).stdout.decode().splitlines()
    holds(text[0], "4 programs ... --no-follow")
    same(text[1].split()[0], "complete")
    trace = compare(["env", "-i", "sh", "-c", "exit 3"], ("--no-follow",), trace="u.varve", status=3)
    same((trace.info()["left_out"]["programs"], len(trace.info()["processes"])), (1, 1))
    for trace in compare([PROCESSES, "spawn"], ("--no-follow",), trace="v.varve", status=8), compare(
            ["sh", "-c", "env -i true & wait; true | cat"], ("--no-follow",), trace="w.varve", status=0):
        same(trace.losses(), {})


def test_exec_by_number():
    """Through syscall(): the program's own environment does not have the variables with which the next program is recorded."""
    trace = compare([PROCESSES, "number"], status=8)
    counts = trace.complete()
    same(counts["pwrite"], 4 * 6 + 1)
    same((counts["syscall"], counts["execve"], counts["execveat"]), (7, 5, 2))
    same(origins(trace), ["fork"] * 4 + ["image"] * 5)
    calls = [call for call in trace.calls("--process", "1") if call["function"] in ("syscall", "execve", "execveat")]
    same([(call["function"], call.get("errno")) for call in calls if "vfork" not in call],
         [("syscall", errno.EFAULT), ("execve", errno.EFAULT), ("syscall", errno.EBADF), ("execveat", errno.EBADF)])
    same([(call["function"], call["depth"]) for call in calls if "vfork" in call], [("syscall", 1), ("execve", 2)])


def test_few_arguments_by_number():
    """The stack behind the given arguments belongs to the program."""
    for level in "012":
        made = os.path.abspath(build_program(f"bare{level}", f"-O{level}", source="few_arguments.c"))
        trace = compare([made], trace=f"{level}.varve", status=3)
        trace.complete()
        same([(call["path"], call["args"]["flags"], call["args"]["mode"]) for call in trace.calls("--function", "openat")
              if call["path"] == "made"], [("made", "O_WRONLY|O_CREAT", "0600")])


def test_a_path_that_begins_in_a_folder():
    """With RESOLVE_IN_ROOT an absolute path is relative to the folder: the file does not get the name that this path has
    elsewhere."""
    trace = compare([program("open_in_root")], prepare=lambda folder: os.mkdir(folder + "/jail"), status=0)
    trace.complete()
    same([call["absolute"] for call in trace.calls("--function", "write")], [os.path.abspath("traced/jail/inside")])
    same([call for call in trace.calls() if "/inside" in (call.get("path"), call.get("absolute"))], [])


def test_exec_by_number_of_a_static_program():
    static = program("processes_static")
    trace = compare([PROCESSES, "number", static], status=8)
    same(untraced(trace), [(static, "static", 4)])


def untraced(trace):
    return [(row["path"], row["why"], row["count"]) for row in trace.info()["untraced"]]


def shown(trace):
    """How each process began and ended, in the order of their numbers."""
    return [(process["began"], process["ended"], process.get("status", process.get("signal")))
            for process in trace.info()["processes"]]


def test_static_program():
    static = program("processes_static")
    trace = compare([PROCESSES, "run", static], status=8)
    same(trace.losses(), {UNTRACED: 4})
    same(trace.counts()["pwrite"], 1)
    same(untraced(trace), [(static, "static", 4)])
    same(shown(trace), [("start", "exited", 8)] + [("fork", "vanished", None)] * 4)
    text = varve("info", trace.path).stdout.decode()
    holds(text, f"not recorded ... {static} (static) ... 4 times ... process 2")


def test_static_program_alone():
    trace = compare([program("processes_static")])
    same(untraced(trace), [(program("processes_static"), "static", 1)])


def test_static_program_that_starts_others():
    """The program that it starts is recorded, and is not mistaken for it."""
    trace = compare([START_STATIC, "1", PROCESSES, "write", "3"], status=4)
    same((trace.losses(), untraced(trace)), ({UNTRACED: 1}, [(START_STATIC, "static", 1)]))
    same((shown(trace), trace.counts()["pwrite"]), ([("unknown", "exited", 3)], 3))
    text = varve("info", trace.path).stdout.decode()
    holds(text.splitlines()[0], f"LOST ... {START_STATIC} (static)")
    assert "complete" not in text, text
    same(trace.info()["status"], 4)


def foreign(folder):
    """A program with another loader than that of the C library, judging by its name."""
    loader = subprocess.run(["gcc", "-print-file-name=ld-linux-x86-64.so.2"], stdout=subprocess.PIPE, check=True)
    shutil.copy(os.path.realpath(loader.stdout.decode().strip()), f"{folder}/ld-other.so.1")
    subprocess.run(["gcc", "-o", f"{folder}/foreign", f"-Wl,--dynamic-linker={os.path.abspath(folder)}/ld-other.so.1",
                    compiled_source("print_preload.c")], check=True)
    return os.path.abspath(f"{folder}/foreign")


def test_program_of_another_c_library():
    """Alone, as a script's interpreter, and started by a shell: its environment has no variable of Varve."""
    path = foreign(".")
    with open("script", "w") as file:
        file.write(f"#!{path}\n")
    os.chmod("script", 0o755)
    for number, words in enumerate(([path], [os.path.abspath("script")])):
        trace = compare(words, trace=f"{number}.varve", status=5)
        same((trace.losses(), untraced(trace)), ({UNTRACED: 1}, [(words[0], "foreign", 1)]))
        holds(trace.told, b"varve: ... C library")
    trace = compare(["sh", "-c", f"{path}; exit 6"], trace="shell.varve", status=6)
    same((trace.losses(), untraced(trace)), ({UNTRACED: 1}, [(path, "foreign", 1)]))


def with_musl():
    """A program of another C library that ends with status 3."""
    return os.path.abspath(build_program("musl", "-DSTATUS=3", source="nothing.c", compiler="musl-gcc"))


def test_musl():
    if not shutil.which("musl-gcc"):
        return
    musl = with_musl()
    trace = compare([musl], status=3)
    same(untraced(trace), [(musl, "foreign", 1)])
    loader = glob.glob("/lib/ld-musl-*.so.1")[0]
    compare([loader, musl], trace="loader.varve", status=3)


def test_musl_out_of_sight():
    """Started by programs that are not recorded: its loader does not find the library, that of the C library does."""
    if not shutil.which("musl-gcc"):
        return
    musl, static, go = with_musl(), START_STATIC, OWN_CALLS_GO
    for name, words, status in (
            ("static", [static, "1", musl], 4), ("go", [go, "fork", musl], 4),
            ("shell", ["sh", "-c", f"{static} 1 {musl}; exit $?"], 4),
            ("both", [go, "fork", static, "1", musl], 5),
            ("glibc", [static, "1", PROCESSES, "write", "3"], 4),
            ("goes", [go, "fork", static, "1", "/bin/sh", "-c", f"{static} 0 {PROCESSES} write 3; exit 4"], 6)):
        trace = compare(words, trace=f"{name}.varve", status=status)
        assert b"loading" not in trace.told and b"relocating" not in trace.told, trace.told
        if PROCESSES in " ".join(words):
            same(trace.counts()["pwrite"], 3)
    for name, parent in (("s", f"{static} 0"), ("g", f"{go} fork")):
        result = varve("record", "-o", f"env-{name}.varve", "--", "sh", "-c", f"{parent} /usr/bin/env; :",
                       env=dict(os.environ, LD_PRELOAD="libm.so.6"))
        lines = [line for line in result.stdout.splitlines() if line.startswith((b"LD_PRELOAD", b"VARVE_LD", b"VARVE_RUN"))]
        same(lines, [b"LD_PRELOAD=libm.so.6"])
        assert "/usr/bin/env" in str([row for row in json.loads(
            varve("info", "--format", "json", f"env-{name}.varve").stdout)["processes"]])


def test_a_loader_that_only_lists():
    """ldd and similar commands: the library is not in their output, and nothing is missing."""
    plain = "s/ (0x.*//"
    for number, command in enumerate((f"ldd /bin/ls | sed '{plain}'", f"LD_TRACE_LOADED_OBJECTS=1 /bin/ls | sed '{plain}'",
                                      f"/lib64/ld-linux-x86-64.so.2 --list /bin/ls | sed '{plain}'",
                                      "/lib64/ld-linux-x86-64.so.2 --verify /bin/ls")):
        for options in ((), ("--no-follow",)):
            trace = compare(["bash", "-c", command], options, trace=f"{number}{len(options)}.varve", status=0)
            trace.complete()
            same({why for _, why, _ in untraced(trace)}, {"listing"})
    trace = compare(["/lib64/ld-linux-x86-64.so.2", "--verify", "/bin/ls"], trace="alone.varve", status=0)
    same((trace.losses(), trace.told, untraced(trace)), ({}, b"", [("/lib64/ld-linux-x86-64.so.2", "listing", 1)]))


def test_program_that_cannot_be_started_is_not_missing():
    """Checked before exec, and then exec fails: nothing was left untraced."""
    shutil.copy(program("processes_static"), "static")
    os.chmod("static", 0o600)
    trace = compare([PROCESSES, "run", os.path.abspath("static")], status=8)
    same((trace.losses(), untraced(trace)), ({}, []))


def test_set_uid_program():
    """Only if it gains privileges; otherwise it is an ordinary program."""
    if os.geteuid() != 0 or os.statvfs(".").f_flag & os.ST_NOSUID:
        return
    shutil.copy(PROCESSES, "gains")
    gains = os.path.abspath("gains")
    os.chmod(".", 0o755)
    os.chmod("gains", 0o4755)
    trace = compare([PROCESSES, "run", gains], trace="own.varve", status=8)
    same((trace.losses(), untraced(trace), trace.counts()["pwrite"]), ({}, [], 4 * 6 + 1))
    os.chown("gains", 65534, 65534)
    os.chmod("gains", 0o4755)
    trace = compare([PROCESSES, "run", gains], trace="other.varve", status=8, prepare=open_to_all)
    same((trace.losses(), untraced(trace)), ({UNTRACED: 4}, [(gains, "set-uid", 4)]))
    os.chmod("gains", 0o2755)
    trace = compare([PROCESSES, "run", gains], trace="group.varve", status=8, prepare=open_to_all)
    same(untraced(trace), [(gains, "set-uid", 4)])


def test_exec_in_a_thread():
    trace = compare([PROCESSES, "execthread"], status=9)
    same(trace.complete()["pwrite"], 9)
    same(shown(trace), [("start", "replaced", None), ("exec", "exited", 9)])
    reads = trace.calls("--function", "read", "--process", "1")
    same([call.get("unfinished", False) for call in reads][-1:], [True])
    execs = trace.calls("--function", "execv")
    same([call.get("errno") for call in execs], [errno.ENOENT, None])


def test_ends():
    """Taken from the process that waited, otherwise from the process itself."""
    trace = compare(["sh", "-c", f"'{PROCESSES}' write 3; sh -c 'kill -9 $$'; ('{PROCESSES}' write 4 &); "
                     "while ! test -s out; do :; done; sh -c 'kill -SEGV $$'; exit 5"], status=5)
    ends = sorted(row for row in shown(trace) if row[1] in ("exited", "killed"))
    assert ("start", "exited", 5) in ends, ends
    for status in (3, 4):
        assert [row for row in ends if row[1:] == ("exited", status)], ends
    for signal in (9, 11):
        assert [row for row in ends if row[1:] == ("killed", signal)], ends


def test_process_that_calls_nothing():
    """It is in the tree in any case."""
    nothing = os.path.abspath(build_program("nothing", "-DSTATUS=6"))
    trace = compare([nothing], status=6)
    same((trace.complete(), shown(trace)), ({"lane": 1, "object": 2, "end": 1}, [("start", "exited", 6)]))
    trace = compare(["sh", "-c", f"{nothing} for ever & sleep 0.3; kill -9 $!; wait $!; exit 0"], trace="k", status=0)
    assert [row for row in trace.info()["processes"] if row["exe"] == nothing and row.get("signal") == 9], shown(trace)


def test_pid_namespace():
    """Pids of another namespace: there is one tree, and no process counts as living forever."""
    if os.geteuid() != 0:
        return
    script = f"'{PROCESSES}' write 5; '{PROCESSES}' fork 10; exit 3"
    for again, options in enumerate((("--pid",), ("--pid", "--mount-proc"), ("--user", "--map-root-user", "--pid"))):
        trace = compare(["unshare", *options, "--fork", "sh", "-c", script], trace=f"t{again}", status=3)
        same(trace.complete()["pwrite"], 5 + 10 * 8 + 1)
        processes = trace.info()["processes"]
        same([process["process"] for process in processes if process["parent"] == 0], [1])
        same([process["ended"] for process in processes if process["ended"] not in ("exited", "replaced")], [])
        same([process["pid"] for process in processes][1:3], [1, 1])


def can_run(path):
    try:
        return subprocess.run([path]).returncode == 6
    except OSError:
        return False


def test_32_bit_program():
    """A 32-bit program may not run here; the result of exec must be the same in any case."""
    header = b"\x7fELF\x01\x01\x01" + bytes(9)
    header += struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    header += struct.pack("<IIIIIIII", 1, 0, 0x8048000, 0x8048000, 94, 94, 5, 4096)
    # mov $6, %ebx; mov $1, %eax; int $0x80: exit(6)
    code = b"\xbb\x06\x00\x00\x00\xb8\x01\x00\x00\x00\xcd\x80"
    path = os.path.abspath("thirty-two")
    with open(path, "wb") as file:
        file.write(header + code)
    os.chmod(path, 0o755)
    trace = compare([PROCESSES, "run", path], status=8)
    same(trace.losses(), {UNTRACED: 4} if can_run(path) else {})
    same(untraced(trace), [(path, "32-bit", 4)] if can_run(path) else [])


def test_system_and_popen():
    trace = compare([PROCESSES, "system"], status=8)
    same(trace.complete()["pwrite"], 6 + 6 + 1)


def accounted(trace, made):
    counts, losses = trace.counts(), trace.losses()
    lost = dropped(losses) + losses.get(NO_LANE, 0)
    assert counts["pwrite"] <= made <= counts["pwrite"] + lost, (counts, losses)
    return counts["pwrite"]


def another_user_can_run(program):
    """Not if the source folder is in a folder that only its owner can search."""
    while (program := os.path.dirname(program)) != "/":
        if not os.stat(program).st_mode & stat.S_IXOTH:
            print(f"not tried: others cannot enter {program}")
            return False
    return os.geteuid() == 0


def open_to_all(folder):
    path = os.path.join(folder, "out")
    open(path, "w").close()
    os.chmod(path, 0o666)


def test_chroot():
    if os.geteuid() == 0:
        trace = compare([PROCESSES, "chroot", "1000"], status=8)
        assert accounted(trace, 2011) >= 2001


def test_chroot_and_full_lanes():
    if os.geteuid() == 0:
        accounted(compare([PROCESSES, "chroot", "20000"], ("--buffer", "128K"), status=8), 40011)


def test_full_lanes_are_handed_over():
    """A program with short pauses gives the collector time to take its lanes, although it cannot reach the trace itself."""
    if os.geteuid() == 0:
        trace = compare([PROCESSES, "unreachable", "40000", "500"], ("--buffer", "128K"), status=8)
        kept = accounted(trace, 40001)
        assert kept >= 36000, kept


def test_another_user():
    if another_user_can_run(PROCESSES):
        trace = compare([PROCESSES, "setuid", "1000"], status=7, prepare=open_to_all)
        same(trace.complete()["pwrite"], 2017)


def test_another_user_and_full_lanes():
    if another_user_can_run(PROCESSES):
        trace = compare([PROCESSES, "setuid", "20000"], ("--buffer", "128K"), status=7,
                        prepare=open_to_all)
        same(trace.complete()["pwrite"], 40017)


def test_daemon_outlives_the_program():
    os.mkdir("work")
    process = subprocess.Popen([VARVE, "record", "--no-keeper", "-o", os.path.abspath("t"), "--", PROCESSES, "daemon"], cwd="work",
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    stdout, stderr = process.communicate(timeout=100)
    same((process.returncode, stdout), (8, b"daemon: status 0\n"))
    assert b"still run" in stderr and b"varve pack " in stderr, stderr
    trace = Trace("t")
    assert trace.info()["running_threads"] + trace.info()["running_processes"] > 0
    # The trace has no records of the daemon yet.
    same(shown(trace), [("start", "exited", 8), ("fork", "exited", 0)])
    for _ in range(400):
        if not os.path.exists("work/running"):
            break
        time.sleep(0.05)
    time.sleep(0.3)
    same(len(trace.calls("--function", "pwrite")), 106)
    same(varve("pack", "--recover", "t").returncode, 0)
    same(trace.complete()["pwrite"], 106)
    same(shown(trace), [("start", "exited", 8), ("fork", "exited", 0), ("fork", "exited", 0)])
    assert not os.path.exists("t/lanes")


def test_rights_that_end_with_exec():
    """Before the exec the library can still be read: the executed program is named nevertheless."""
    place = os.path.join(os.getcwd(), "bin")
    os.mkdir(place, 0o700)
    command, _ = (shutil.copy(name, place) for name in (VARVE, LIBRARY))
    result = run([command, "record", "-o", os.path.abspath("t"), "--", "setpriv", "--reuid", "nobody", "--clear-groups", "true"],
                 "work")
    same(result.returncode, 0, result.stderr)
    trace = Trace(os.path.abspath("t"))
    same(trace.losses(), {UNTRACED: 1})
    holds(result.stderr, b"varve: ... /true (")
    same([(entry["why"], entry["path"].rsplit("/", 1)[1]) for entry in trace.info()["untraced"]], [("unreachable", "true")])


run_tests(globals())
