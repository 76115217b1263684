"""A document of docs/ as a manual page: manual.py DOCUMENT NAME SECTION TITLE VERSION writes the page to stdout.

Knows what those documents use of Markdown: headings, paragraphs, lists, tables, blocks of code, `code`, **strong** and links.
The table of contents at the head is left out: a page has none. Standard library only."""
import re
import sys

CONTENTS = "| section |"


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return text.replace("^", "\\(ha").replace("~", "\\(ti")


def inline(text):
    """Marks of a line of text as changes of font."""
    out = []
    for piece in re.split(r"(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))", text):
        if piece.startswith("`") and len(piece) > 1:
            out.append("\\fB" + escape(piece[1:-1].replace("\\|", "|")) + "\\fR")
        elif piece.startswith("**"):
            out.append("\\fB" + inline(piece[2:-2]).replace("\\fR", "\\fB") + "\\fR")
        elif piece.startswith("["):
            out.append(escape(re.match(r"\[([^\]]+)\]", piece).group(1)))
        else:
            out.append(escape(piece))
    return "".join(out)


def line_of(text):
    """A line that does not begin with what groff takes for a request."""
    return "\\&" + text if text.startswith((".", "'")) else text


def cells(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def table(rows):
    """Each row is an entry: its first cell is the term, the others are what is said of it."""
    for row in rows[2:]:
        first, *others = cells(row)
        yield ".TP"
        yield line_of(inline(first))
        said = [cell for cell in others if cell]
        yield line_of(inline(": ".join(said) if said else "."))


def blocks(lines):
    """Kind and lines of each block of the document."""
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if line.startswith("```"):
            while not lines[end].startswith("```"):
                end += 1
            yield "code", lines[at + 1:end]
            at = end + 1
            continue
        if line.startswith("#"):
            yield "heading", [line]
        elif line.startswith("|"):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            yield "table", lines[at:end]
        elif line.startswith("- "):
            while end < len(lines) and lines[end].startswith("  "):
                end += 1
            yield "item", [line[2:]] + [more.strip() for more in lines[at + 1:end]]
        elif line.strip():
            while end < len(lines) and lines[end].strip() and not lines[end].startswith(("|", "```", "#", "- ")):
                end += 1
            yield "text", lines[at:end]
        at = end


def page(document, name, section, title, version):
    yield f'.TH {name.upper()} {section} "" "Varve {version}" "Varve"'
    yield ".SH NAME"
    yield f"{name} \\- {escape(title)}"
    yield ".SH DESCRIPTION"
    for kind, lines in blocks(document.splitlines()):
        if kind == "heading":
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            if level > 1:
                text = lines[0].lstrip("# ")
                yield f'.SH "{escape(text.upper())}"' if level == 2 else f'.SS "{escape(text)}"'
        elif kind == "code":
            yield from [".PP", ".RS 4", ".nf", *(line_of(escape(line)) for line in lines), ".fi", ".RE"]
        elif kind == "table" and not lines[0].startswith(CONTENTS):
            yield from table(lines)
        elif kind == "item":
            yield ".IP \\(bu 2"
            yield line_of(inline(" ".join(lines)))
        elif kind == "text":
            yield ".PP"
            yield line_of(inline(" ".join(lines)))
    yield ".SH \"SEE ALSO\""
    yield "varve\\-dump(1), varve\\-info(1)"


if __name__ == "__main__":
    path, *words = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        print("\n".join(page(file.read(), *words)))
