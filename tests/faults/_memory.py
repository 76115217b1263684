"""Peak memory of a program with and without Varve."""
import json
import os

from lib import VARVE, program, run, same, varve

MOST_KIB = 4096


def peak(words, path, timeout=600):
    result = run([*words, path], "work", timeout=timeout)
    same((result.returncode, result.stdout, result.stderr), (0, b"", b""))
    with open(path) as file:
        return int(file.read())


def added(way, count, trace="t.varve"):
    """KiB that tracing adds to the peak; the trace must be complete."""
    words = [program("memory"), way, str(count)]
    plain = peak(words, os.path.abspath("plain"))
    traced = peak([VARVE, "record", "-o", os.path.abspath(trace), "--", *words], os.path.abspath("traced"))
    result = varve("info", "--quick", "--format", "json", trace, timeout=600)
    same(result.returncode, 0, result.stderr)
    info = json.loads(result.stdout)
    same((info["losses"], info["damage"]), ([], []))
    assert info["records"] >= count, info["records"]
    return traced - plain


def check(way, count):
    more = added(way, count)
    print(f"# {way} {count}: {more} KiB more", flush=True)
    assert more <= MOST_KIB, f"{more} KiB more for {count} calls ({way})"
