"""The preload libraries as the dynamic linker sees them: each exports exactly the symbols in the table of calls, unversioned,
and imports only the functions of the C library that are listed here."""
import os
import re

from _linked import check_linked, output
from _sources import BUILD, GENERATED, Report

LIBRARY = os.environ.get("VARVE_LIBRARY") or os.path.join(BUILD, "bin", "libvarve-record.so")

# Functions that the library may import: none that allocates, prints, formats, locks or ends the process. Another name needs a
# reason.
MAY_IMPORT = {
    # bytes and strings: pure functions
    "memchr", "memcmp", "memcpy", "memmove", "memset", "strchr", "strcmp", "strcspn", "strlen", "strncmp", "strnlen", "strrchr",
    "strspn", "strstr", "strerrordesc_np",
    # values that the loader and the kernel gave the process
    "__environ", "environ", "getenv", "program_invocation_name", "__progname_full", "getauxval", "__libc_stack_end", "__libc_single_threaded", "_r_debug", "_dl_find_object",
    "dl_iterate_phdr", "dladdr", "dlsym", "dlvsym", "__errno_location", "stdin", "stdout", "stderr",
    # called once, at the start: registers what to do at a fork and at the end
    "__register_atfork", "on_exit", "__cxa_finalize",
    # cancellation of a thread inside a wrapper
    "__pthread_register_cancel", "__pthread_unregister_cancel", "__pthread_unwind_next", "__sigsetjmp",
    # the compiler's and zstd's
    "__stack_chk_fail", "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "ZSTD_trace_compress_begin",
    "ZSTD_trace_compress_end",
}


def imports(library):
    """Names that the dynamic linker has to find elsewhere, as readelf lists them."""
    lines = output("readelf", "-W", "--dyn-syms", library).splitlines()
    fields = [line.split() for line in lines]
    return {words[7].split("@")[0] for words in fields if len(words) > 7 and words[0][:-1].isdigit() and words[6] == "UND"}


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

    found = imports(library)
    report.checked += len(found)
    for name in sorted(found - MAY_IMPORT):
        report.complain(library, "imports %s, which MAY_IMPORT of this test does not list" % name)

    dynamic = check_linked(report, library)
    if "(VERDEF)" in dynamic:
        report.complain(library, "defines versions of its symbols")
    for tag, flag in (("FLAGS_1", "NODELETE"), ("FLAGS_1", "NOW")):
        if not re.search(r"\(%s\).*\b%s\b" % (tag, flag), dynamic):
            report.complain(library, "is not linked with -z %s" % flag.lower())
    if re.search(r"_DTPMOD|_TLSDESC", output("readelf", "-rW", library)):
        report.complain(library, "has thread variables that are not initial-exec: their first use may allocate")


report = Report()
check(report, LIBRARY, "exports.map")
# A library that was made for a complaint is tested alone.
if os.path.exists(os.path.join(GENERATED, "exports_sync_library.map")):
    check(report, os.path.join(os.path.dirname(LIBRARY), "libvarve-record-sync.so"), "exports_sync_library.map")
report.finish(least=1)
