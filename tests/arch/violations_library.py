"""The check of libvarve finds what it is there to find: each library here has one thing wrong, and the check must say it."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["varve_f%d" % at for at in range(45)]
HEADER = "/* H. */\n" + "".join("int %s(void);\n" % name for name in NAMES)
FUNCTIONS = "".join("int %s(void) { return %d; }\n" % (name, at) for at, name in enumerate(NAMES))
MAP = "VARVE_0 { global: %s; local: *; };\n" % "; ".join(NAMES)
FINE = ["-Wl,-soname,libvarve.so.0", "-Wl,-z,noexecstack"]

# what is wrong, header, source, options of the linker, map that it is linked with, map in the tree, source of the archive, what
# must be said
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


def write(root, name, text):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


failed = 0
for what, header, source, options, link_map, tree_map, archived, expected in CASES:
    with tempfile.TemporaryDirectory(prefix="varve-test-") as root:
        write(root, "include/varve/varve.h", header)
        write(root, "src/api/libvarve.map", tree_map)
        library = os.path.join(root, "build", "lib", "libvarve.so")
        compiler = os.environ.get("CC", "cc")
        code = write(root, "build/lib/shared.c", source)
        script = write(root, "build/link.map", link_map)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, code, "-Wl,--version-script=" + script, *FINE, *options],
                       check=True)
        code = write(root, "build/lib/static.c", archived)
        subprocess.run([compiler, "-c", "-o", code[:-1] + "o", code], check=True)
        subprocess.run(["ar", "rcs", library[:-2] + "a", code[:-1] + "o"], check=True)
        done = subprocess.run([sys.executable, "-B", os.path.join(HERE, "library.py")], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env={**os.environ, "VARVE_SOURCE": root, "VARVE_BUILD": os.path.join(root, "build")})
        fine = done.returncode == 0 if expected is None else done.returncode == 1 and expected in done.stdout
        print("%s %s" % ("ok" if fine else "not ok", what))
        if not fine:
            print(done.stdout)
            failed = 1
sys.exit(failed)
