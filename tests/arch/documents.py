#!/usr/bin/env python3
"""Facts in documents that a script can check: links lead to existing files and headings, files that ARCHITECTURE.md and
docs/internals name exist where the text says, and docs/calls.md of the build is what the rows generate. A document with a link
to a generated document names the place where the build puts it."""
import os
import re
import sys
from pathlib import Path

from _sources import BUILD, ROOT, Report

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "gen"))

from docs import Tests, calls_markdown, read_reached, read_unreached  # noqa: E402
from rows import read_tables  # noqa: E402

# Generated: in the build folder they have the same path as they would have in the source folder. They are installed with the
# other documents.
MADE = {"docs/calls.md"}
FOLDERS = [".", "bench", "docs", "docs/howto", "docs/development", "docs/internals", "docs/adr", "tests/golden"]


def anchors(text):
    """Valid targets of `#...`: the headings, as web pages name them."""
    return {re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in text.splitlines() if line.startswith("#")}


def place_of(path, name):
    """The document to which a link in the document at `path` leads, and whether it is generated."""
    inside = os.path.relpath(os.path.normpath(path.parent / name), ROOT)
    return (Path(BUILD, inside), True) if inside in MADE else (path.parent / name, False)


def check_links(report, path, file=None):
    """Checks the links of the document at `path`; a generated document is in `file`."""
    text = (file or path).read_text(encoding="utf-8")
    where = str(path.relative_to(ROOT))
    without = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", without):
        if re.match(r"[a-z]+:", target):
            continue
        report.checked += 1
        name, _, anchor = target.partition("#")
        to, made = place_of(path, name) if name else (file or path, False)
        if not to.exists():
            report.complain(where, "the link to %s leads nowhere" % target)
        elif anchor and anchor not in anchors(to.read_text(encoding="utf-8")):
            report.complain(where, "there is no heading for the link to %s" % target)
        elif made and not re.search(r"build/\w+/%s" % re.escape(os.path.relpath(to, BUILD)), text):
            report.complain(where, "leads to %s, which the build makes, and does not say where: build/release/docs/..." % target)


def check_sources(report, path):
    """Files of src/ that a document names exist."""
    for name in re.findall(r"`(src/[\w/]+\.\w+)`", path.read_text(encoding="utf-8")):
        report.checked += 1
        if "NAME" not in name and not Path(ROOT, name).exists():
            report.complain(str(path.relative_to(ROOT)), "names %s, which is not there" % name)


class Names:
    """The files of the tree, by path and by name."""

    def __init__(self):
        self.top = [Path(ROOT), Path(ROOT, "src"), Path(BUILD)]
        self.first = {entry.name for place in (ROOT, Path(ROOT, "src")) for entry in os.scandir(place)} - {"build"} | {"generated"}
        self.of_source = {path.name: path.parent for path in Path(ROOT, "src").rglob("*") if path.is_file()}

    def find(self, name):
        """The file or folder with this path in the tree, in src/ or in the build folder. Patterns match any file; a decision
        (docs/adr/0041) is named by its number."""
        pattern = name + "-*.md" if re.fullmatch(r"docs/adr/\d{4}", name) else name
        return next((found for top in self.top for found in top.glob(pattern)), None)


def check_names(report, path, names):
    """Names of files in backticks. In a table of where.md, a name without a folder is in the folder of the name before it."""
    where = str(path.relative_to(ROOT))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        folder = None
        for name in re.findall(r"`([\w./*-]+)`", line):
            if "NAME" in name or not re.search(r"[\w]/|\.(c|h|S|py|def|list|calls|map)$", name):
                continue
            place = "%s:%d" % (where, number)
            if "/" in name:
                if name.split("/")[0] not in names.first:
                    continue
                found = names.find(name.rstrip("/"))
                if not found:
                    report.complain(place, "names %s, which is not there" % name)
                folder = found and (found if found.is_dir() else found.parent)
            elif name not in names.of_source and not (folder and (folder / name).exists()):
                report.complain(place, "names %s, which is not there" % name)
            elif folder and path.name == "where.md" and not (folder / name).exists():
                report.complain(place, "%s is not in %s: name its folder" % (name, folder.relative_to(ROOT)))
            report.checked += 1
        for function, name in re.findall(r"`(\w+)\(\)` in `([\w./]+\.[ch])`", line):
            found = names.find(name) if "/" in name else names.of_source.get(name, Path(ROOT)) / name
            report.checked += 1
            if not found or not found.exists() or not re.search(r"\b%s\(" % function, found.read_text(encoding="utf-8")):
                report.complain("%s:%d" % (where, number), "there is no %s() in %s" % (function, name))


def check_calls(report):
    table = read_tables(Path(ROOT, "calls"))
    tests = Tests(read_unreached(Path(ROOT, "calls", "unreached.list"), table), read_reached(Path(BUILD, "reached.list")))
    if Path(BUILD, "docs", "calls.md").read_text(encoding="utf-8") != calls_markdown(table, tests):
        report.complain("docs/calls.md", "of the build is not what the rows make: build again")


report = Report()
for folder in FOLDERS:
    for path in sorted(Path(ROOT, folder).glob("*.md")):
        check_links(report, path)
        check_sources(report, path)
names = Names()
for path in [Path(ROOT, "ARCHITECTURE.md"), *sorted(Path(ROOT, "docs", "internals").glob("*.md"))]:
    check_names(report, path, names)
for name in MADE:
    check_links(report, Path(ROOT, name), Path(BUILD, name))
check_calls(report)
report.finish(least=40)
