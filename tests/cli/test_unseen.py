"""`varve info` says what cannot be in a trace: functions without a row, system calls of the program's own, mappings, rings,
libraries in another namespace; and of which objects it cannot tell."""
import json
import os
import subprocess

from lib import CC, compile_program, holds, remove_trace, run_tests, same, varve

OPEN = "close(open(\"/dev/null\", O_RDONLY));"
HEAD = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <fcntl.h>\n#include <sys/mman.h>\n#include <sys/syscall.h>\n" \
       "#include <unistd.h>\n"
RPC = ("extern int svc_getreq(int);\n__asm__(\".symver svc_getreq, svc_getreq@GLIBC_2.2.5\");\n"
       "int rpc(int count) { return count > 9 ? svc_getreq(0) : 0; }\n")
RAW = ("long raw(void) { long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(425), \"D\"(0), \"S\"(0)"
       " : \"rcx\", \"r11\", \"memory\"); return r; }\n")


def info(trace="t.varve"):
    result = varve("info", "--format", "json", trace)
    same(result.returncode, 0, result.stderr)
    return json.loads(result.stdout)["unseen"]


def text(trace="t.varve"):
    return [line for line in varve("info", trace).stdout.decode().splitlines() if line.startswith("not ")]


def record(program):
    """What `record` prints."""
    remove_trace("t.varve")
    result = varve("record", "-o", "t.varve", "--", program)
    same(result.returncode, 0)
    return result.stderr.decode().splitlines()


def library(name, source):
    with open(name + ".c", "w") as file:
        file.write(HEAD + source)
    subprocess.run([CC, "-O1", "-shared", "-fPIC", "-o", name, name + ".c"], check=True)
    return os.path.abspath(name)


def main(name, body, more=""):
    return compile_program(name, HEAD + more + "int main(void) { " + OPEN + body + " return 0; }\n")


def of(found, name):
    return next(entry for entry in found["objects"] if os.path.basename(entry["path"]) == name)


def test_nothing_to_say():
    record(main("plain", ""))
    same(text(), [])
    found = info()
    program = of(found, "plain")
    same((program["program"], program["state"], program["symbols"], program["system_calls"]), (True, "read", [], []))
    same(of(found, "libc.so.6")["state"], "read")
    same((found["file_mappings"], found["rings"], found["deep_bound_loads"]), (0, 0, 0))


def test_functions_without_a_row():
    path = library("librpc.so", RPC)
    record(main("loads", f'if (!dlopen("{path}", RTLD_NOW)) return 1;'))
    entry = of(info(), "librpc.so")
    same([symbol["name"] for symbol in entry["symbols"]], ["svc_getreq"])
    holds(entry["symbols"][0]["why"], "Sun RPC")
    holds(text()[0], f"1 function ... {path} ... svc_getreq (Sun RPC")


def test_system_calls_of_its_own():
    path = library("libraw.so", RAW)
    record(main("loads", f'if (!dlopen("{path}", RTLD_NOW)) return 1;'))
    same(of(info(), "libraw.so")["system_calls"], ["io_uring_setup"])
    holds(text()[0], f"system calls ... {path} ... io_uring_setup")


def test_mappings():
    record(main("maps", 'int fd = open("/proc/self/exe", O_RDONLY);'
                        "if (mmap(0, 5000, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED) return 1;"
                        "mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
                        "mmap(0, 4096, PROT_READ, MAP_PRIVATE, -1, 0);"))
    found = info()
    same((found["file_mappings"], found["file_mapping_bytes"]), (1, 5000))
    holds(text()[0], "1 mapping ... 5000 bytes")


def test_bytes_that_no_call_reports():
    """Of characters that the compiler takes from a stream's buffer, of fscanf and of wide characters."""
    record(main("plain", 'fputs("a", fopen("plain.dat", "w"));', "#include <stdio.h>\n"))
    same((info()["uncounted_calls"], text()), (0, []))
    body = ('FILE *file = fopen("inlined.dat", "w+"); __overflow(file, 97); putc_unlocked(98, file); rewind(file);'
            'return __uflow(file) != 97;')
    record(main("inlined", body, "#include <stdio.h>\nextern int __uflow(FILE *), __overflow(FILE *, int);\n"))
    same(info()["uncounted_calls"], 2)
    (line,) = text()
    holds(line, "not counted ... 2 calls ... __overflow, __uflow ... getc_unlocked ... putc_unlocked")
    for words in ((), ("--files",)):
        said = varve("info", *words, "t.varve").stdout.decode().splitlines()
        same((said[1], sum(part.startswith("not counted") for part in said)), (line, 1))
    record(main("scans", 'int a; FILE *file = fopen("inlined.dat", "r"); return fscanf(file, "%d", &a) != 0;',
                "#include <stdio.h>\n"))
    same(len(text()), 1)
    holds(text()[0], "not counted ... 1 call ... fscanf")


def test_requests_whose_result_nobody_asked_for():
    """aio_return() was not called, as by a program that looks at aio_error() only."""
    body = ('static char bytes[1000]; struct aiocb a = {.aio_fildes = open("a.dat", O_RDWR | O_CREAT, 0666),'
            '.aio_buf = bytes, .aio_nbytes = 1000}, b = a; aio_write(&a); while (aio_error(&a) == EINPROGRESS);'
            'aio_write(&b); while (aio_error(&b) == EINPROGRESS);')
    head = "#include <aio.h>\n#include <errno.h>\n"
    record(main("asks", body + "aio_return(&a); return aio_return(&b) != 1000;", head))
    same((info()["open_requests"], text()), (0, []))
    record(main("leaves", body + "return aio_return(&a) != 1000;", head))
    same(info()["open_requests"], 1)
    same(len(text()), 1)
    holds(text()[0], "not counted ... 1 request")


def test_rings():
    program = main("rings", "struct { char bytes[120]; } wanted = {{0}};"
                            "return syscall(SYS_io_uring_setup, 4, &wanted) < 0;")
    if subprocess.run([program]).returncode:
        print("# no io_uring here")
        return
    record(program)
    same(info()["rings"], 1)
    holds(str(text()), "1 ring")


def test_libraries_past_us():
    path = library("libraw.so", RAW)
    said = record(main("past", f'dlopen("{path}", RTLD_NOW | RTLD_DEEPBIND);'
                               f'dlmopen(LM_ID_NEWLM, "{path}", RTLD_NOW);'))
    found = info()
    same(found["deep_bound_loads"], 1)
    assert [entry["namespace"] for entry in found["objects"] if entry["path"] == path] == [0, 1], found
    lines = varve("info", "t.varve").stdout.decode().splitlines()
    same([line.split()[0] for line in lines[:3]], ["LOST", "LOST", "program"], lines[:3])
    holds(lines[0], "RTLD_DEEPBIND")
    holds(lines[1], "namespace")
    same(said, ["varve: " + line.split(None, 1)[1] for line in lines[:2]])


def test_end_of_the_only_program():
    """`record` says so, too, of a program without children."""
    said = record(main("leaves", "raw();", "void raw(void) { __asm__ volatile(\"syscall\" : : \"a\"(231), \"D\"(0)"
                                           " : \"rcx\", \"r11\", \"memory\"); }\n"))
    lines = varve("info", "t.varve").stdout.decode().splitlines()
    holds(lines[0], "LOST ... 1 process ... system call")
    same(said, ["varve: " + lines[0].split(None, 1)[1]])


def test_gone_and_changed():
    first, second = library("libfirst.so", RPC), library("libsecond.so", RPC)
    record(main("loads", f'dlopen("{first}", RTLD_NOW); dlopen("{second}", RTLD_NOW);'))
    os.remove(first)
    os.utime(second)
    found = info()
    same((of(found, "libfirst.so")["state"], of(found, "libsecond.so")["state"]), ("gone", "changed"))
    same(of(found, "libsecond.so")["symbols"], [])
    holds(str(text()), "2 of 5")


def test_quick_does_not_look():
    path = library("librpc.so", RPC)
    record(main("loads", f'dlopen("{path}", RTLD_NOW);'))
    assert "unseen" not in json.loads(varve("info", "--quick", "--format", "json", "t.varve").stdout)


run_tests(globals())
