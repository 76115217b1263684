"""Each check of this folder fails when it must: a small tree that breaks one rule gets the expected complaint, and the same
tree without the violation passes."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FINE = "/* Fine. */\n#include <stddef.h>\n#include \"base/a.h\"\n"
TREE = {"src/base/a.h": "/* Base: fine. */\n#include <stddef.h>\n", "generated/real.h": "/* Real. */\n",
        "generated/call_ids.h": "/* Ids. */\n", "generated/exports.map": "{ global: fsync; close; local: *; };\n"}
for room in ("base", "codec", "cli", "sink", "record", "trace", "other"):
    TREE["src/%s/README.md" % room] = "Fine.\n"
for at in range(20):
    TREE["src/codec/fine%d.c" % at] = FINE
WRAPPERS = "int fsync(int fd) { return fd; }\nint close(int fd) { return -fd; }\n"
LINK = ["-Wl,-z,now", "-Wl,-z,nodelete", "-Wl,-z,noexecstack", "-nostartfiles", "-fno-asynchronous-unwind-tables"]

MESSAGES = 'message("%s");\nmessage("the disk is full; make room");\nmessage("a number, not \'%s\'", x);\n' * 7

# check, file, its content, expected complaint (None: nothing)
SOURCES = [
    ("includes", "src/record/fine.c", FINE + '#include "real.h"\n', None),
    ("includes", "src/base/b.c", '/* B. */\n#include "codec/x.h"\n', "is neither"),
    ("includes", "src/codec/b.c", '/* B. */\n#include "sink/s.h"\n', "codec may not use sink"),
    ("includes", "src/sink/b.c", '/* B. */\n#include "trace/s.h"\n', "sink may not use trace"),
    ("includes", "src/trace/b.c", '/* B. */\n#include "sink/s.h"\n', "trace may not use sink"),
    ("includes", "src/cli/b.c", '/* B. */\n#include "record/s.h"\n', "cli may not use record"),
    ("includes", "src/cli/b.c", '/* B. */\n#include "sink/s.h"\n', None),
    ("includes", "src/cli/b.c", '/* B. */\n#include "trace/s.h"\n', "cli may not use trace"),
    ("includes", "src/cli/b.c", '/* B. */\n#include "codec/fine.h"\n', "reads traces through <varve/...>"),
    ("includes", "src/cli/cmd_control.c", '/* B. */\n#include "codec/lane.h"\n', None),
    ("includes", "src/cli/b.c", '/* B. */\n#include <varve/cursor.h>\n', None),
    ("includes", "src/record/b.c", '/* B. */\n#include <varve/cursor.h>\n', "record has no use for"),
    ("includes", "src/record/b.c", '/* B. */\n#include <varve/status.h>\n', None),
    ("includes", "src/codec/b.c", '/* B. */\n#include "real.h"\n', "codec may not use record"),
    ("includes", "src/codec/b.c", '/* B. */\n#include "call_ids.h"\n', None),
    ("includes", "generated/rows_data.c", '/* B. */\n#include "sink/s.h"\n', "codec may not use sink"),
    ("includes", "src/trace/b.c", "/* B. */\n#include <mpi.h>\n", "*_mpi.c"),
    ("includes", "src/trace/b_mpi.c", "/* B. */\n#include <mpi.h>\n", None),
    ("includes", "src/other/b.c", FINE, "is no room"),
    ("includes", "src/sink/b.c", '/* B. */\n#include "codec/host/h.h"\n', "sink may not use codec/host"),
    ("includes", "src/codec/inprocess/b.c", '/* B. */\n#include "base/host/h.h"\n', "codec/inprocess may not use base/host"),
    ("includes", "src/codec/host/b.c", '/* B. */\n#include "base/host/h.h"\n', None),
    ("includes", "src/sink/run/b.c", '/* B. */\n#include "sink/s.h"\n', None),
    ("recorder", "src/record/b.c", FINE + "static void f(void)\n{\n\tfree(0);\n}\n", "free() is not for"),
    ("recorder", "src/record/b.c", FINE + "static void f(void)\n{\n\treal.free(0); /* not free() */\n}\n", None),
    ("recorder", "src/record/b.c", FINE + "int printf(const char *format, ...)\n{\n\treturn 0;\n}\n", None),
    ("recorder", "src/sink/b.c", FINE + "static void f(char *s)\n{\n\tsnprintf(s, 1, 0);\n}\n", "snprintf() is not for"),
    ("recorder", "src/codec/inprocess/b.c", FINE + "static void *f(void)\n{\n\treturn malloc(1);\n}\n", "malloc() is not for"),
    ("recorder", "src/codec/host/decode.c", FINE + "static void *f(void)\n{\n\treturn malloc(1);\n}\n", None),
    ("recorder", "generated/wrappers_a.c", FINE + "static void f(void)\n{\n\texit(1);\n}\n", "exit() is not for"),
    ("recorder", "src/sink/b.c", FINE + "#include <stdio.h>\n", "<stdio.h> is not for"),
    ("recorder", "src/record/b.c", FINE + "static void f(void)\n{\n\tgetenv(\"A\");\n}\n", "getenv() belongs"),
    ("recorder", "src/trace/b.c", FINE + "static void f(void)\n{\n\tsecure_getenv(\"A\");\n}\n", "secure_getenv() belongs"),
    ("recorder", "src/trace/b.c", FINE + "static void f(void)\n{\n\tprintf(\"a\");\n}\n", "printf: only src/cli"),
    ("recorder", "src/trace/b.c", FINE + "static void f(void)\n{\n\tfprintf(stderr, \"a\");\n}\n", "stderr: only src/cli"),
    ("recorder", "src/pack/b.c", FINE + "static void f(void)\n{\n\twrite(2, \"a\", 1);\n}\n", "write(2: only src/cli"),
    ("recorder", "src/base/host/b.c", FINE + "static void f(void)\n{\n\tputs(\"a\");\n}\n", "puts: only src/cli"),
    ("recorder", "src/trace/b.c", FINE + "static void f(char *s, FILE *g)\n{\n\tsnprintf(s, 1, 0);\n\tfputs(s, g);\n}\n", None),
    ("recorder", "src/cli/b.c", FINE + "static void f(void)\n{\n\tperror(\"a\");\n}\n", None),
    ("recorder", "src/record/start.c", FINE + "static void f(void)\n{\n\tgetenv(\"A\");\n}\n", None),
    ("recorder", "src/cli/b.c", FINE + "static void f(void)\n{\n\tgetenv(\"A\");\n}\n", None),
    ("files", "src/trace/b.c", "int a;\n", "does not open with a comment"),
    ("files", "src/trace/b.c", "#include <stddef.h>\n", "does not open with a comment"),
    ("files", "src/trace/b.c", "/* B. */\n" + "\n" * 800, "has 801 lines"),
    ("files", "src/trace/b.c", "/* B. */\n" + "\n" * 799, None),
    ("files", "src/trace/cursor/a.h", "/* A. */\n", "has the same name as a file in src/base"),
    ("files", "src/new/b.c", "/* B. */\n", "has no README.md"),
    ("files", {"src/codec/more%d.c" % at: "/* More. */\n" for at in range(7)}, None, "has 27 files of code"),
    ("messages", "src/cli/b.c", FINE + MESSAGES, None),
    ("messages", "src/cli/b.c", FINE + MESSAGES + 'message("the " "disk is full");\n', "not what to do: the disk is full"),
    ("messages", "src/cli/b.c", FINE + MESSAGES + 'message("no disk %" PRIu64 "; see `df`", n);\n', None),
    ("messages", "src/trace/b.c", FINE + 'message("the disk is full");\n', "only 0 things were checked"),
    ("files", "docs/b.md", "a TO" "DO here\n", "do it, or write an issue"),
    ("files", "docs/b.md", "mkstemp(\"XXXXXX\")\n", None),
]

# what is wrong, source, linker options, version script, expected complaint
LIBRARIES = [
    ("nothing", WRAPPERS, [], None, None),
    ("a symbol too many", WRAPPERS, [], "{ global: fsync; local: *; };", "which exports.map does not list"),
    ("a symbol missing", WRAPPERS, [], "{ global: fsync; close; open; local: *; };", "does not export open"),
    ("a named version", WRAPPERS, [], "VARVE_1 { global: fsync; close; local: *; };", "the version script has a name"),
    ("a pattern", WRAPPERS, [], "{ global: fs*; close; local: *; };", "exports by pattern"),
    ("a dependency", "double sin(double);\n" + WRAPPERS.replace("-fd", "(int)sin(fd)"), ["-lm"], None, "needs libm.so.6"),
    ("an unknown symbol", "int other(void);\n" + WRAPPERS.replace("-fd", "other()"), [], None, "needs other"),
    ("an executable stack", WRAPPERS, ["-Wl,-z,execstack"], None, "executable stack"),
    ("a search path", WRAPPERS, ["-Wl,-rpath,/somewhere"], None, "has a search path"),
    ("lazy binding", WRAPPERS, ["-Wl,-z,lazy"], None, "not linked with -z now"),
    ("relocated code", '__asm__(".text\\n.quad fsync\\n");\n' + WRAPPERS, ["-Wl,-z,notext"], None, "relocations in its code"),
    ("dynamic TLS", "extern __thread int t; __thread int t;\n" + WRAPPERS.replace("-fd", "t++"), [], None, "initial-exec"),
]

failures = 0


def tell(name, fine, said):
    global failures
    print("%s %s" % ("ok" if fine else "not ok", name))
    if not fine:
        failures += 1
        print(said)


def write(root, name, content):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)


def check(name, root, **more):
    environment = dict(os.environ, VARVE_SOURCE=root, VARVE_BUILD=root, **more)
    done = subprocess.run([sys.executable, os.path.join(HERE, name + ".py")], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


for rule, name, content, expected in SOURCES:
    with tempfile.TemporaryDirectory() as root:
        for fine, text in TREE.items():
            write(root, fine, text)
        if rule == "includes":  # files that are included
            for header in ("sink/s", "trace/s", "record/s", "codec/lane", "codec/fine", "codec/host/h", "base/host/h"):
                write(root, "src/%s.h" % header, "/* H. */\n")
        for path, text in (name if isinstance(name, dict) else {name: content}).items():
            write(root, path, text)
        status, said = check(rule, root)
        fine = status == 0 if expected is None else status == 1 and expected in said
        tell("%s: %s, %s" % (rule, min(name) if isinstance(name, dict) else name, expected or "fine"), fine, said)

for what, source, options, script, expected in LIBRARIES:
    with tempfile.TemporaryDirectory() as root:
        for fine, text in TREE.items():
            write(root, fine, text)
        library = os.path.join(root, "library.so")
        write(root, "library.c", source)
        if script:
            write(root, "generated/exports.map", script)
        # An extra symbol is one that the check's map does not have: link with the larger map.
        write(root, "link.map", TREE["generated/exports.map"] if what != "a named version" else script)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, os.path.join(root, "library.c"),
                        "-Wl,--version-script=" + os.path.join(root, "link.map"), *LINK, *options], check=True)
        status, said = check("symbols", root, VARVE_LIBRARY=library)
        fine = status == 0 if expected is None else status == 1 and expected in said
        tell("symbols: " + what, fine, said)

sys.exit(1 if failures else 0)
