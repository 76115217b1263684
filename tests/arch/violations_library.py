"""The checks of libvarve fail when they must: each library, interface and header here has one thing wrong, and the check must
report it."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["varve_f%d" % at for at in range(45)]
HEADER = "/* H. */\n" + "".join("int %s(void);\n" % name for name in NAMES)
FUNCTIONS = "".join("int %s(void) { return %d; }\n" % (name, at) for at, name in enumerate(NAMES))
MAP = "VARVE_0 { global: %s; local: *; };\n" % "; ".join(NAMES)
FINE = ["-Wl,-soname,libvarve.so.0", "-Wl,-z,noexecstack"]

# what is wrong, header, source, options of the linker, map that it is linked with, map in the tree, source of the archive,
# expected complaint
CASES = [
    ("nothing", HEADER, FUNCTIONS, [], MAP, MAP, FUNCTIONS, None),
    ("a function more in the headers", HEADER + "int varve_more(void);\n", FUNCTIONS, [], MAP, MAP, FUNCTIONS,
     "does not have varve_more of include/varve"),
    ("a function more in the library", HEADER, FUNCTIONS + "int varve_more(void) { return 1; }\n", [],
     MAP.replace("global:", "global: varve_more;"), MAP, FUNCTIONS, "has varve_more, which is not of include/varve"),
    ("a function more in the archive", HEADER, FUNCTIONS, [], MAP, MAP, FUNCTIONS + "int trace_open(void) { return 1; }\n",
     "has trace_open, which is not of include/varve"),
    ("a function that is not in the map", HEADER, FUNCTIONS, [], MAP, MAP.replace(" varve_f7;", ""), FUNCTIONS,
     "libvarve.map: does not have varve_f7"),
    ("another version", HEADER, FUNCTIONS, [], MAP.replace("VARVE_0", "VARVE_1"), MAP, FUNCTIONS, "not VARVE_0"),
    ("a map by pattern", HEADER, FUNCTIONS, [], MAP, "VARVE_0 { global: varve_*; local: *; };\n", FUNCTIONS,
     "has varve_*, which is not of include/varve"),
    ("a map that hides nothing", HEADER, FUNCTIONS, [], MAP, MAP.replace("local: *;", ""), FUNCTIONS, "is not one node"),
    ("a variable", HEADER, FUNCTIONS.replace("int varve_f3(void) { return 3; }", "int varve_f3 = 3;"), [], MAP, MAP, FUNCTIONS,
     "varve_f3 is no function"),
    ("another name", HEADER, FUNCTIONS, ["-Wl,-soname,libvarve.so"], MAP, MAP, FUNCTIONS, "is not called libvarve.so.0"),
    ("a dependency", HEADER, "double sin(double);\n" + FUNCTIONS.replace("return 3;", "return (int)sin(varve_f2());"), ["-lm"],
     MAP, MAP, FUNCTIONS, "needs libm.so.6"),
    ("an unknown symbol", HEADER, "int other(void);\n" + FUNCTIONS.replace("return 3;", "return other();"), [], MAP, MAP,
     FUNCTIONS, "needs other"),
    ("a search path", HEADER, FUNCTIONS, ["-Wl,-rpath,/somewhere"], MAP, MAP, FUNCTIONS, "has a search path"),
    ("an executable stack", HEADER, FUNCTIONS, ["-Wl,-z,execstack"], MAP, MAP, FUNCTIONS, "executable stack"),
    ("relocated code", HEADER, '__asm__(".text\\n.quad varve_f3\\n");\n' + FUNCTIONS, ["-Wl,-z,notext"], MAP, MAP, FUNCTIONS,
     "relocations in its code"),
]

# For abi.py: one version of the library, and the next one.
BEFORE = """/* H. */
struct varve_s { int first; int second; };
enum varve_e { VARVE_A, VARVE_B };
int varve_f(struct varve_s *s, enum varve_e e, int number);
"""
BODY = "int varve_f(struct varve_s *s, enum varve_e e, int number) { return s->first + (int)e + (int)number; }\n"
MOVED = BEFORE.replace("int first; int second;", "int second; int first;")
LONG, LONG_BODY = [text.replace("int number", "long number") for text in (BEFORE, BODY)]
# What is wrong, header in the tree, header that the library is built with, source, expected complaint.
INTERFACES = [
    ("nothing", BEFORE, BEFORE, BODY, None),
    ("a member that moved", MOVED, MOVED, BODY, "+\t0+4 second"),
    ("a member that moved in the library alone", BEFORE, MOVED, BODY, "not ok types"),
    ("a value that changed", BEFORE.replace("VARVE_A, VARVE_B", "VARVE_B, VARVE_A"), BEFORE, BODY, "+\t0 VARVE_B"),
    ("another type of a parameter", LONG, LONG, LONG_BODY, "e, long number)"),
    ("another type of a parameter in the library alone", BEFORE, LONG, LONG_BODY, "not ok types"),
    ("a function that is gone from the library", BEFORE, BEFORE, BODY.replace("varve_f", "varve_g"), "not ok types"),
]
# For headers.py.
LONE = "/* H. */\n#ifndef H%d\n#define H%d\n#include <stddef.h>\nsize_t varve_f%d(void);\n#endif\n"
HEADERS = [
    ("nothing", {}, None),
    ("a header that lacks an include", {"h3.h": (LONE % (3, 3, 3)).replace("#include <stddef.h>\n", "")}, "not ok h3.h with gcc"),
    ("a header without a guard", {"h4.h": "/* H. */\nenum varve_e { VARVE_A };\n"}, "not ok h4.h with clang"),
    ("a header that is not C++", {"h5.h": (LONE % (5, 5, 5)).replace("(void)", "(int new)")}, "not ok h5.h with g++"),
    ("a folder without headers", {"h%d.h" % at: None for at in range(8)}, "only 0 headers"),
]
COMPILER = os.environ.get("CC", "cc")


def write(root, name, text):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def run(root, *words):
    return subprocess.run([sys.executable, "-B", *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=HERE,
                          env={**os.environ, "VARVE_SOURCE": root, "VARVE_BUILD": os.path.join(root, "build")})


def tell(what, done, expected):
    fine = done.returncode == 0 if expected is None else done.returncode == 1 and expected in done.stdout
    print("%s %s" % ("ok" if fine else "not ok", what))
    if not fine:
        print(done.stdout)
    return not fine


def check_library(root, header, source, options, link_map, tree_map, archived):
    write(root, "include/varve/varve.h", header)
    write(root, "src/api/libvarve.map", tree_map)
    library = os.path.join(root, "build", "lib", "libvarve.so")
    code = write(root, "build/lib/shared.c", source)
    script = write(root, "build/link.map", link_map)
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, code, "-Wl,--version-script=" + script, *FINE, *options],
                   check=True)
    code = write(root, "build/lib/static.c", archived)
    subprocess.run([COMPILER, "-c", "-o", code[:-1] + "o", code], check=True)
    subprocess.run(["ar", "rcs", library[:-2] + "a", code[:-1] + "o"], check=True)
    return run(root, "library.py")


def make_interface(root, header, built_with, source):
    write(root, "include/varve/varve.h", header)
    # Types of a folder include/varve are in the list, others are not.
    write(root, "build/include/varve/varve.h", built_with)
    code = write(root, "build/lib/shared.c", "#include <varve/varve.h>\n" + source)
    subprocess.run([COMPILER, "-g", "-shared", "-fPIC", "-I" + os.path.join(root, "build", "include"), "-o",
                    os.path.join(root, "build", "lib", "libvarve.so"), code], check=True)


def check_interface(root, *now):
    """abi.py, after the earlier interface was stored."""
    suppressed = os.path.join(os.path.dirname(HERE), "abi", "private.suppr")
    os.makedirs(os.path.join(root, "tests", "abi"))
    shutil.copy(suppressed, os.path.join(root, "tests", "abi"))
    make_interface(root, BEFORE, BEFORE, BODY)
    written = run(root, "-c", "import _abi; open(_abi.LAYOUT, 'w').write(_abi.layout()); open(_abi.DUMP, 'w').write(_abi.dump())")
    if written.returncode:
        return written
    make_interface(root, *now)
    return run(root, "abi.py")


def check_headers(root, changed):
    texts = {"h%d.h" % at: LONE % (at, at, at) for at in range(8)}
    os.makedirs(os.path.join(root, "include", "varve"))
    for name, text in {**texts, **changed}.items():
        if text:
            write(root, "include/varve/" + name, text)
    return run(root, "headers.py")


failed = 0
for check, cases in ((check_library, CASES), (check_interface, INTERFACES), (check_headers, HEADERS)):
    for what, *given, expected in cases:
        with tempfile.TemporaryDirectory(prefix="varve-test-") as root:
            failed |= tell("%s: %s" % (check.__name__, what), check(root, *given), expected)
sys.exit(failed)
