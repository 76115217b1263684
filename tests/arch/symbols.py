"""The preload library as the dynamic linker sees it: it exports exactly what the table of calls says, unversioned, and
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


def exports_map():
    """The names that the version script exports, and whether the script is anonymous."""
    with open(os.path.join(GENERATED, "exports.map"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/|#[^\n]*", " ", file.read(), flags=re.S)
    anonymous = re.fullmatch(r"\s*\{(.*)\}\s*;\s*", text, flags=re.S)
    body = anonymous.group(1) if anonymous else text
    exported = re.search(r"global\s*:(.*?)(?:local\s*:|$)", body, flags=re.S)
    names = {name.strip() for name in exported.group(1).split(";")} - {""} if exported else set()
    return names, bool(anonymous)


if not os.path.exists(LIBRARY):
    raise SystemExit("%s is not built" % LIBRARY)
report = Report()
wanted, anonymous = exports_map()
if not anonymous:
    report.complain("exports.map", "the version script has a name: nothing versioned would be intercepted")
if any("*" in name or "?" in name for name in wanted):
    report.complain("exports.map", "exports by pattern")

exported = {line.split()[2].split("@")[0] for line in output("nm", "-D", "--defined-only", LIBRARY).splitlines()}
report.checked = len(wanted)
for name in sorted(exported - wanted):
    report.complain(LIBRARY, "exports %s, which exports.map does not list" % name)
for name in sorted(wanted - exported):
    report.complain(LIBRARY, "does not export %s, which exports.map lists" % name)

for line in output("nm", "-D", "--undefined-only", LIBRARY).splitlines():
    kind, name = line.split()[-2:]
    if "@GLIBC_" not in name and not (kind in "wv" and MAY_BE_ABSENT.match(name)):
        report.complain(LIBRARY, "needs %s, which is not of the C library" % name)

dynamic = output("readelf", "-dW", LIBRARY)
for needed in re.findall(r"\(NEEDED\).*\[(.*?)\]", dynamic):
    if not MAY_NEED.match(needed):
        report.complain(LIBRARY, "needs " + needed)
for tag, why in (("TEXTREL", "has relocations in its code"), ("VERDEF", "defines versions of its symbols"),
                 ("RPATH", "has a search path"), ("RUNPATH", "has a search path")):
    if re.search(r"\(%s\)" % tag, dynamic):
        report.complain(LIBRARY, why)
for tag, flag in (("FLAGS_1", "NODELETE"), ("FLAGS_1", "NOW")):
    if not re.search(r"\(%s\).*\b%s\b" % (tag, flag), dynamic):
        report.complain(LIBRARY, "is not linked with -z %s" % flag.lower())
if re.search(r"GNU_STACK.*\bRWE\b", output("readelf", "-lW", LIBRARY)):
    report.complain(LIBRARY, "asks for an executable stack")
if re.search(r"_DTPMOD|_TLSDESC", output("readelf", "-rW", LIBRARY)):
    report.complain(LIBRARY, "has thread variables that are not initial-exec: their first use may allocate")
report.finish(least=1)
