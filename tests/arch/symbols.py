"""The preload libraries as the dynamic linker sees them: each exports exactly what the table of calls says, unversioned, and
needs nothing but the C library."""
import os
import re
import subprocess

from _sources import BUILD, GENERATED, Report

LIBRARY = os.environ.get("VARVE_LIBRARY") or os.path.join(BUILD, "bin", "libvarve-record.so")
MAY_NEED = re.compile(r"^(libc\.so\.6|ld-linux.*\.so\.\d)$")
# Weak references of the compiler's start files and of zstd: absent, they are null.
MAY_BE_ABSENT = re.compile(r"^(_ITM_\w+|__gmon_start__|__cxa_finalize|ZSTD_trace_\w+)$")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exports_map(script):
    """The names that the version script exports, and whether the script is anonymous."""
    with open(os.path.join(GENERATED, script), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/|#[^\n]*", " ", file.read(), flags=re.S)
    anonymous = re.fullmatch(r"\s*\{(.*)\}\s*;\s*", text, flags=re.S)
    body = anonymous.group(1) if anonymous else text
    exported = re.search(r"global\s*:(.*?)(?:local\s*:|$)", body, flags=re.S)
    names = {name.strip() for name in exported.group(1).split(";")} - {""} if exported else set()
    return names, bool(anonymous)


def check(report, library, script):
    if not os.path.exists(library):
        raise SystemExit("%s is not built" % library)
    wanted, anonymous = exports_map(script)
    if not anonymous:
        report.complain(script, "the version script has a name: nothing versioned would be intercepted")
    if any("*" in name or "?" in name for name in wanted):
        report.complain(script, "exports by pattern")

    exported = {line.split()[2].split("@")[0] for line in output("nm", "-D", "--defined-only", library).splitlines()}
    report.checked += len(wanted)
    for name in sorted(exported - wanted):
        report.complain(library, "exports %s, which %s does not list" % (name, script))
    for name in sorted(wanted - exported):
        report.complain(library, "does not export %s, which %s lists" % (name, script))

    for line in output("nm", "-D", "--undefined-only", library).splitlines():
        kind, name = line.split()[-2:]
        if "@GLIBC_" not in name and not (kind in "wv" and MAY_BE_ABSENT.match(name)):
            report.complain(library, "needs %s, which is not of the C library" % name)

    dynamic = output("readelf", "-dW", library)
    for needed in re.findall(r"\(NEEDED\).*\[(.*?)\]", dynamic):
        if not MAY_NEED.match(needed):
            report.complain(library, "needs " + needed)
    for tag, why in (("TEXTREL", "has relocations in its code"), ("VERDEF", "defines versions of its symbols"),
                     ("RPATH", "has a search path"), ("RUNPATH", "has a search path")):
        if re.search(r"\(%s\)" % tag, dynamic):
            report.complain(library, why)
    for tag, flag in (("FLAGS_1", "NODELETE"), ("FLAGS_1", "NOW")):
        if not re.search(r"\(%s\).*\b%s\b" % (tag, flag), dynamic):
            report.complain(library, "is not linked with -z %s" % flag.lower())
    if re.search(r"GNU_STACK.*\bRWE\b", output("readelf", "-lW", library)):
        report.complain(library, "asks for an executable stack")
    if re.search(r"_DTPMOD|_TLSDESC", output("readelf", "-rW", library)):
        report.complain(library, "has thread variables that are not initial-exec: their first use may allocate")


report = Report()
check(report, LIBRARY, "exports.map")
# A library that was made to be complained about stands alone.
if os.path.exists(os.path.join(GENERATED, "exports_apart.map")):
    check(report, os.path.join(os.path.dirname(LIBRARY), "libvarve-record-sync.so"), "exports_apart.map")
report.finish(least=1)
