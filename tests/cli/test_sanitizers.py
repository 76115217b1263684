"""Programs that are built with a sanitizer behave in the same way under `varve record`: same output, same status, same reported
errors; also when one program starts the next. And their calls are recorded."""
import os
import re
import subprocess

from lib import build_program, dump_json, remove_trace, run_tests, same, varve


def build(name, compiler, *options):
    return os.path.abspath(build_program(name, "-g", "-O0", *options, source="sanitized.c", compiler=compiler))


def summary(report):
    """The reported errors, without addresses."""
    return [re.sub(rb"0x[0-9a-f]+", b"", line) for line in report.splitlines() if line.startswith(b"SUMMARY")]


def compare(*words, calls):
    before = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    after = varve("record", "-o", "t.varve", "--", *words)
    same((after.returncode, after.stdout), (before.returncode, before.stdout), after.stderr)
    same(summary(after.stderr), summary(before.stderr))
    same(bool(after.stderr), bool(before.stderr), after.stderr)
    opened = [call for call in dump_json("t.varve", "--function", "open") if call["args"]["path"] == "/etc/passwd"]
    same(len(opened), calls)
    remove_trace("t.varve")


def both(program, overflow):
    compare(program, calls=1)
    compare(program, "exec", program, calls=2)
    compare(program, "fork", program, "exec", "/bin/true", calls=2)
    compare(program, "system", program + "; ls / >/dev/null", calls=2)
    if overflow:
        compare(program, "overflow", calls=1)


def test_address_shared():
    both(build("shared", "gcc", "-fsanitize=address"), True)


def test_address_with_options_of_its_own():
    program = build("own", "gcc", "-fsanitize=address", '-DASAN_OPTIONS="exitcode=77"')
    compare(program, calls=1)
    compare(program, "overflow", calls=1)


def test_address_preloaded_by_hand():
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], stdout=subprocess.PIPE).stdout.decode().strip()
    program = build("none", "gcc")
    os.environ["LD_PRELOAD"] = os.path.realpath(library)
    try:
        result = varve("record", "-o", "t.varve", "--", program)
    finally:
        del os.environ["LD_PRELOAD"]
    same((result.returncode, result.stdout, result.stderr), (3, b"60\n", b""))


def test_thread_shared():
    both(build("thread", "gcc", "-fsanitize=thread"), False)


def test_leak_and_undefined():
    both(build("leak", "gcc", "-fsanitize=leak"), False)
    both(build("undefined", "gcc", "-fsanitize=undefined"), False)


def test_linked_in():
    both(build("address", "clang", "-fsanitize=address"), False)
    both(build("thread", "clang", "-fsanitize=thread"), False)
    both(build("memory", "clang", "-fsanitize=memory"), False)


def test_asked_otherwise():
    """The user's options override those of Varve."""
    program = build("shared", "gcc", "-fsanitize=address")
    result = varve("record", "-o", "t.varve", "--", program, env=dict(os.environ, ASAN_OPTIONS="verify_asan_link_order=1"))
    same(result.returncode, 1)


run_tests(globals())
