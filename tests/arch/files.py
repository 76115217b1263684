"""Every source file begins with a comment that describes it, has at most 800 lines, and contains no notes of open work. In src/ names
of files are unique, no folder has too many files, and each top folder has a README."""
import os
import re

from _sources import ROOT, Report

SKIPPED = {".git", "build", "__pycache__", "golden", "corpus"}
SOURCES = (".c", ".h", ".cc", ".S", ".py", ".cmake", ".def", ".calls")
LONGEST = 800
FULLEST = 26
NOTES = re.compile(r"\b(%s)\b" % "|".join(("TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK")))


def is_script(path):
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


report = Report()
for folder, below, files in os.walk(ROOT):
    below[:] = sorted(b for b in below if b not in SKIPPED and not b.endswith(".varve"))
    for name in sorted(files):
        path = os.path.join(folder, name)
        shown = os.path.relpath(path, ROOT)
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except UnicodeDecodeError:
            continue
        report.checked += 1
        for number, line in enumerate(lines, 1):
            found = NOTES.search(line)
            if found:
                report.complain("%s:%d" % (shown, number), "holds %s: do it, or write an issue" % found.group(1))
        script = is_script(path)
        if not (script or name.endswith(SOURCES)):
            continue
        if len(lines) > LONGEST and not name.endswith(".calls"):
            report.complain(shown, "has %d lines, at most %d: it does more than one thing" % (len(lines), LONGEST))
        first = next((line for line in lines[1 if script else 0:] if line.strip()), "")
        if not first.startswith(("/*", "#", '"""', "//")) or (first.startswith("#") and first.startswith("#include")):
            report.complain(shown, "does not open with a comment that says what it is")

homes = {}
for folder, below, files in os.walk(os.path.join(ROOT, "src")):
    below.sort()
    shown = os.path.relpath(folder, ROOT)
    code = [name for name in files if name.endswith((".c", ".h", ".S", ".inc"))]
    if len(code) > FULLEST:
        report.complain(shown, "has %d files of code, at most %d: it is more than one room" % (len(code), FULLEST))
    for name in sorted(files):
        if name == "README.md":
            continue
        if name in homes:
            report.complain(os.path.join(shown, name), "has the same name as a file in %s" % homes[name])
        homes[name] = shown
    if os.path.dirname(shown) == "src" and "README.md" not in files:
        report.complain(shown, "has no README.md: what its rooms own, may include, never do")
report.finish(least=20)
