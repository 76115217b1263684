"""Fills in templates of C: the files of gen/templates, with the name of their result and `.in`.

A line with only `@name@` is replaced by the lines for this name, indented like the mark (except directives and empty
lines); if there are none, the line is removed. Elsewhere `@name@` is replaced by the text for it. Lines that begin with
`@ ` are comments about the template and are removed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import List, Union

FOLDER = Path(__file__).resolve().parent / "templates"
MARK = re.compile(r"@([a-z_]+)@")
ALONE = re.compile(r"(\s*)@([a-z_]+)@")


@lru_cache(maxsize=None)
def template(name: str) -> List[str]:
    lines = (FOLDER / f"{name}.in").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("@ ")]


def indented(indent: str, line: str) -> str:
    return line if not line or line.startswith("#") else indent + line


def fill(name: str, **values: Union[str, List[str]]) -> List[str]:
    """The lines of a template with all its marks filled in; every value must have a mark, and every mark a value."""
    made: List[str] = []
    used = set()
    for line in template(name):
        used.update(MARK.findall(line))
        alone = ALONE.fullmatch(line)
        lines = values[alone[2]] if alone else None
        if isinstance(lines, list):
            made += [indented(alone[1], text) for text in lines]
        else:
            made.append(MARK.sub(lambda mark: values[mark[1]], line))
    if used != set(values):
        raise KeyError(f"{name}: no mark for {', '.join(sorted(set(values) - used))}")
    return made


def text_of(lines: List[str]) -> str:
    return "\n".join(lines) + "\n"
