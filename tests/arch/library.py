"""libvarve.so as the dynamic linker sees it: it exports exactly the functions that the public headers declare, under VARVE_0,
is called libvarve.so.0, and needs nothing but the C library. libvarve.a has the same names and no others."""
import os
import re

from _linked import check_linked, output
from _public import functions, own_text
from _sources import BUILD, ROOT, Report

LIBRARY = os.path.join(BUILD, "lib", "libvarve.so")
ARCHIVE = os.path.splitext(LIBRARY)[0] + ".a"
MAP = os.path.join(ROOT, "src", "api", "libvarve.map")
NODE = "VARVE_0"


def listed():
    """The names of the version script."""
    with open(MAP, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    found = re.fullmatch(r"\s*%s\s*\{\s*global:(.*?)local:\s*\*;\s*\};\s*" % NODE, text, flags=re.S)
    if not found:
        raise SystemExit("%s is not one node %s that lists what is global and hides the rest" % (MAP, NODE))
    return {name.strip() for name in found[1].split(";")} - {""}


def compare(report, where, got, wanted, of):
    for name in sorted(got - wanted):
        report.complain(where, "has %s, which is not of %s" % (name, of))
    for name in sorted(wanted - got):
        report.complain(where, "does not have %s of %s" % (name, of))


def check_library(report, declared):
    exported = set()
    for line in output("nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY).splitlines():
        kind, name = line.split()[-2:]
        name, _, version = name.partition("@")
        if kind == "A" and name == NODE:
            continue
        exported.add(name)
        if version.lstrip("@") != NODE:
            report.complain(LIBRARY, "%s has the version '%s', not %s" % (name, version.lstrip("@"), NODE))
        if kind != "T":
            report.complain(LIBRARY, "%s is no function: programs may only call" % name)
    compare(report, LIBRARY, exported, declared, "include/varve")

    dynamic = check_linked(report, LIBRARY)
    if re.findall(r"\(SONAME\).*\[(.*?)\]", dynamic) != ["libvarve.so.0"]:
        report.complain(LIBRARY, "is not called libvarve.so.0 (SONAME)")


def check_archive(report, declared):
    shown = {line.split()[2] for line in output("nm", "-g", "--defined-only", ARCHIVE).splitlines() if len(line.split()) == 3}
    compare(report, ARCHIVE, shown, declared, "include/varve")


report = Report()
declared = set(functions(own_text()))
report.checked += len(declared)
compare(report, MAP, listed(), declared, "include/varve")
check_library(report, declared)
check_archive(report, declared)
report.finish(least=40)
