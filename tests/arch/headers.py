"""Each public header can be included alone, in C11 and in C++17, with all warnings, and includes what it uses."""
import os
import subprocess
import sys

from _public import FOLDER, headers

COMPILERS = [
    ["gcc", "-std=c11", "-xc"],
    ["clang", "-std=c11", "-xc"],
    ["g++", "-std=c++17", "-xc++"],
    ["clang++", "-std=c++17", "-xc++"],
]
OPTIONS = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I" + FOLDER, "-"]
# Code of a program that uses them: the macros too must be valid in both languages.
USES = {
    "cursor.h": "struct varve_query query = VARVE_QUERY_ALL; int use(void); "
                "int use(void) { return query.from_ns == INT64_MIN ? (VARVE_NO_FILE != 0) : 0; }",
    "status.h": "struct varve_causes causes; int use(void); "
                "int use(void) { return causes.count + (varve_status_text(VARVE_OK) != 0); }",
    "control.h": "int use(void); int use(void) { return varve_pause() + varve_resume() + varve_flush(); }",
    "region.h": "int use(void); int use(void) { return varve_region_begin(\"a\") + varve_region_phase(\"b\", 1) + "
                "varve_region_value(\"c\", -1) + varve_region_end(0); }",
    "trace.h": "struct varve_state state; int use(struct varve_trace *trace); "
               "int use(struct varve_trace *trace) { varve_state_of(trace, &state); return state.status; }",
}


def takes(compiler, text):
    done = subprocess.run([*compiler, *OPTIONS], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


failed = 0
for header in headers():
    for compiler in COMPILERS:
        # Twice: the include guard works.
        fine, said = takes(compiler, "#include <varve/%s>\n#include <varve/%s>\n%s\n" % (
            header, header, USES.get(header, "int unit;")))
        print("%s %s with %s %s" % ("ok" if fine else "not ok", header, compiler[0], compiler[1]))
        if not fine:
            print(said)
            failed = 1
if len(headers()) < 8:
    print("not ok: only %d headers below %s" % (len(headers()), os.path.join(FOLDER, "varve")))
    failed = 1
sys.exit(failed)
