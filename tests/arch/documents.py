#!/usr/bin/env python3
"""Documents are true where a machine can tell: links between them lead somewhere, and docs/calls.md is what the rows make."""
import os
import re
import sys
from pathlib import Path

from _sources import ROOT, Report

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "gen"))

from docs import calls_markdown, read_reached  # noqa: E402
from rows import read_tables  # noqa: E402

FOLDERS = [".", "bench", "docs", "docs/howto", "docs/internals", "docs/adr", "tests/golden"]


def anchors(text):
    """What `#...` may name: the headings, as they are shown on the web."""
    return {re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in text.splitlines() if line.startswith("#")}


def check_links(report, path):
    text = path.read_text(encoding="utf-8")
    without = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", without):
        if re.match(r"[a-z]+:", target):
            continue
        report.checked += 1
        name, _, anchor = target.partition("#")
        to = path.parent / name if name else path
        if not to.exists():
            report.complain(str(path.relative_to(ROOT)), "the link to %s leads nowhere" % target)
        elif anchor and anchor not in anchors(to.read_text(encoding="utf-8")):
            report.complain(str(path.relative_to(ROOT)), "there is no heading for the link to %s" % target)


def check_sources(report, path):
    """Files of src/ that a document names are there."""
    for name in re.findall(r"`(src/[\w/]+\.\w+)`", path.read_text(encoding="utf-8")):
        report.checked += 1
        if "NAME" not in name and not Path(ROOT, name).exists():
            report.complain(str(path.relative_to(ROOT)), "names %s, which is not there" % name)


def check_calls(report):
    made = calls_markdown(read_tables(Path(ROOT, "calls")), read_reached(Path(ROOT, "calls", "reached.list")))
    if Path(ROOT, "docs", "calls.md").read_text(encoding="utf-8") != made:
        report.complain("docs/calls.md", "is not up to date: python3 gen/generate.py --docs docs/calls.md")


report = Report()
for folder in FOLDERS:
    for path in sorted(Path(ROOT, folder).glob("*.md")):
        check_links(report, path)
        check_sources(report, path)
check_calls(report)
report.finish(least=40)
