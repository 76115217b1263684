"""The Debian packages, made as README.md describes: their content and dependencies, that they do not conflict, and that their
files work where they are unpacked. Builds in build/debian, which takes minutes for the first time.

label: long
timeout: 3600
"""
import glob
import os
import re
import subprocess
import sys

from _install import COMPLETIONS, SOURCE, STRICT, agree, names_in, output, run_tests, same, sample_trace, version, write_example

from lib import holds

BUILD = os.path.join(SOURCE, "build", "debian")
LIBRARIES = "usr/lib/x86_64-linux-gnu"
PACKAGES = ("varve", "libvarve0", "libvarve-dev")


def make():
    """Builds and packs; returns the packages by name."""
    generator = [] if os.path.exists(os.path.join(BUILD, "CMakeCache.txt")) else ["-G", "Ninja"]
    for old in glob.glob(os.path.join(BUILD, "*.deb")):
        os.remove(old)
    for command, folder in ((["cmake", "--preset", "debian", *generator], SOURCE),
                            (["cmake", "--build", BUILD, "-j", "2"], SOURCE), (["cpack"], BUILD)):
        done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit("%s failed:\n%s" % (" ".join(command), done.stdout[-4000:]))
    return {os.path.basename(path).split("_")[0]: path for path in glob.glob(os.path.join(BUILD, "*.deb"))}


MADE = make()


def field(package, name):
    return output("dpkg-deb", "-f", MADE[package], name).strip()


def content(package):
    """Files by path, with mode and owner."""
    found = {}
    for line in output("dpkg-deb", "-c", MADE[package]).splitlines():
        mode, owner, _, _, _, path = line.split(None, 5)
        if not mode.startswith("d"):
            found[path.split(" -> ")[0][2:]] = (mode, owner)
    return found


def unpacked():
    for package in PACKAGES:
        output("dpkg-deb", "-x", MADE[package], "root")
    return os.path.abspath("root")


def test_what_they_say():
    same(sorted(MADE), sorted(PACKAGES))
    for package, section in zip(PACKAGES, ("utils", "libs", "libdevel")):
        same(field(package, "Version"), version() + "-1")
        same(field(package, "Section"), section)
        same(field(package, "Architecture"), output("dpkg", "--print-architecture").strip())
        same(bool(re.match(r".+ <\S+@\S+>$", field(package, "Maintainer"))), True)
        lines = field(package, "Description").splitlines()
        same(len(lines) > 2 and len(lines[0]) < 80, True, lines)
    # Only the C library; the package with the headers needs exactly the library with which they were made.
    for package in ("varve", "libvarve0"):
        same(bool(re.fullmatch(r"libc6 \(>= [\d.]+\)", field(package, "Depends"))), True, field(package, "Depends"))
    same(field("libvarve-dev", "Depends"), "libvarve0 (= %s-1), libzstd-dev" % version())


def test_what_they_hold():
    holds(content("varve"), "usr/bin/varve")
    holds(content("varve"), LIBRARIES + "/libvarve-record.so")
    holds(content("varve"), LIBRARIES + "/libvarve-record-sync.so")
    for path in ("share/man/man1/varve-dump.1", "share/man/man7/varve-filter.7", *COMPLETIONS):
        holds(content("varve"), "usr/" + path)
    same({path for path in content("libvarve0") if not path.startswith("usr/share/doc/")},
         {LIBRARIES + "/libvarve.so.0", LIBRARIES + "/libvarve.so." + version()})
    for path in ("libvarve.so", "libvarve.a", "pkgconfig/varve.pc", "cmake/varve/varve-config.cmake"):
        holds(content("libvarve-dev"), LIBRARIES + "/" + path)
    for name in os.listdir(os.path.join(SOURCE, "include", "varve")):
        holds(content("libvarve-dev"), "usr/include/varve/" + name)
    for package in PACKAGES:
        for name in ("copyright", "changelog.Debian.gz"):
            holds(content(package), "usr/share/doc/%s/%s" % (package, name))
        for path, (mode, owner) in content(package).items():
            same(owner, "root/root", path)
            same(mode, "lrwxrwxrwx" if mode[0] == "l" else "-rwxr-xr-x" if path == "usr/bin/varve" else "-rw-r--r--", path)
    same(output("dpkg-deb", "-I", MADE["libvarve0"], "shlibs"), "libvarve 0 libvarve0 (>= %s-1)\n" % version())
    holds(output("dpkg-deb", "-I", MADE["libvarve0"], "triggers"), "ldconfig")


def test_they_fit_together():
    """dpkg installs all three into one system: no file is in two of them."""
    os.makedirs("system/var/lib/dpkg/updates")
    os.makedirs("system/var/lib/dpkg/info")
    open("system/var/lib/dpkg/status", "w").close()
    done = subprocess.run(["dpkg", "--root=system", "--force-not-root", "--force-depends", "--unpack", *MADE.values()],
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    same(done.returncode, 0, done.stdout)
    holds(output("dpkg", "--root=system", "-S", "/usr/bin/varve"), "varve: /usr/bin/varve")


def test_nothing_knows_the_build():
    same(names_in(unpacked(), BUILD, SOURCE + "/"), [])


def test_they_work():
    root = unpacked()
    varve = os.path.join(root, "usr", "bin", "varve")
    holds(output(varve, "version"), version())
    trace = sample_trace(varve)
    holds(output(varve, "info", trace), "complete")
    found = {"PKG_CONFIG_PATH": os.path.join(root, LIBRARIES, "pkgconfig")}
    flags = output("pkg-config", "--cflags", "--libs", "varve", environment=found).split()
    same("-L" + os.path.join(root, LIBRARIES) in [os.path.normpath(flag) for flag in flags], True, flags)
    subprocess.run(["cc", *STRICT, "-o", "shared", write_example(), *flags], check=True)
    agree("./shared", varve, trace, environment={"LD_LIBRARY_PATH": os.path.join(root, LIBRARIES)})


run_tests(globals())
