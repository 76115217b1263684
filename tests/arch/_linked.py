"""Checks for every library of Varve, as the dynamic linker sees it: it needs nothing but the C library, from the system's
folders only, and its code needs no relocation."""
import re
import subprocess

MAY_NEED = re.compile(r"^(libc\.so\.6|ld-linux.*\.so\.\d)$")
# Weak references of the compiler's start files and of zstd: null if no library has them.
MAY_BE_ABSENT = re.compile(r"^(_ITM_\w+|__gmon_start__|__cxa_finalize|ZSTD_trace_\w+)$")
NEVER = {"TEXTREL": "has relocations in its code", "RPATH": "has a search path", "RUNPATH": "has a search path"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_linked(report, library):
    """Complains about every violation. Returns the dynamic section, for further checks."""
    for line in output("nm", "-D", "--undefined-only", library).splitlines():
        kind, name = line.split()[-2:]
        if "@GLIBC_" not in name and not (kind in "wv" and MAY_BE_ABSENT.match(name)):
            report.complain(library, "needs %s, which is not of the C library" % name)
    dynamic = output("readelf", "-dW", library)
    for needed in re.findall(r"\(NEEDED\).*\[(.*?)\]", dynamic):
        if not MAY_NEED.match(needed):
            report.complain(library, "needs " + needed)
    for tag, why in NEVER.items():
        if re.search(r"\(%s\)" % tag, dynamic):
            report.complain(library, why)
    if re.search(r"GNU_STACK.*\bRWE\b", output("readelf", "-lW", library)):
        report.complain(library, "asks for an executable stack")
    return dynamic
