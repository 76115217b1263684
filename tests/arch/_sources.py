"""The project's C sources for the checks of this folder: the room of a file, and its code without comments and strings. Reports
collect complaints; a check ends with report.finish()."""
import os
import re
import sys

ROOT = os.environ.get("VARVE_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("VARVE_BUILD") or os.path.join(ROOT, "build", "dev")
GENERATED = os.path.join(BUILD, "generated")

# The room of a generated file; files that are not listed belong to the recorder.
GENERATED_MODULE = {"call_ids.h": "codec", "rows_data.c": "codec"}
GENERATED_UNCHECKED = {"header_check.c"}  # includes the system's headers only, and is not linked


class Source:
    def __init__(self, path, name, room):
        self.path = path  # path of the file
        self.name = name  # name in complaints
        self.room = room  # its folder in src/
        self.module = room.split("/")[0]
        self.base = os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.lines = self.text.splitlines()

    def code(self):
        """Lines without comments and without the content of strings; line numbers stay."""
        def blank(match):
            piece = match.group(0)
            if piece.startswith("/"):
                return "\n" * piece.count("\n") or " "
            return piece[0] + piece[-1]
        stripped = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, self.text, flags=re.S)
        return stripped.splitlines()


def sources():
    """Every C file of src/ and every generated one, with its room."""
    found = []
    for folder, below, files in os.walk(os.path.join(ROOT, "src")):
        below.sort()
        for name in sorted(files):
            if name.endswith((".c", ".h", ".S", ".def")):
                path = os.path.join(folder, name)
                room = os.path.relpath(folder, os.path.join(ROOT, "src")).replace(os.sep, "/")
                found.append(Source(path, os.path.relpath(path, ROOT), room))
    if os.path.isdir(GENERATED):
        for name in sorted(os.listdir(GENERATED)):
            if name.endswith((".c", ".h")) and name not in GENERATED_UNCHECKED:
                found.append(Source(os.path.join(GENERATED, name), "generated/" + name,
                                    GENERATED_MODULE.get(name, "record")))
    return found


class Report:
    def __init__(self):
        self.complaints = []
        self.checked = 0

    def complain(self, where, what):
        self.complaints.append("%s: %s" % (where, what))

    def finish(self, least):
        """Ends the check. Fewer than `least` checked things are a failure too: then nothing was found to check."""
        for complaint in self.complaints:
            print(complaint)
        if self.checked < least:
            print("only %d things were checked: is the tree where VARVE_SOURCE and VARVE_BUILD say?" % self.checked)
            sys.exit(1)
        print("%d checked, %d complaints" % (self.checked, len(self.complaints)))
        sys.exit(1 if self.complaints else 0)
