"""The public headers for the checks of this folder: functions, structures with their members, enumerations.

Read from the compiler's output for <varve/varve.h>, without the system's headers. Only for the plain C of these headers."""
import os
import re
import subprocess

from _sources import ROOT

FOLDER = os.path.join(ROOT, "include")
CC = os.environ.get("CC", "cc")


def headers():
    return sorted(name for name in os.listdir(os.path.join(FOLDER, "varve")) if name.endswith(".h"))


def own_text():
    """The declarations of <varve/varve.h>, without those of the system."""
    made = subprocess.run([CC, "-E", "-I" + FOLDER, "-x", "c", "-"], input="#include <varve/varve.h>\n", text=True, check=True,
                          capture_output=True).stdout
    lines, ours = [], False
    for line in made.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = marker[1].startswith(FOLDER)
        elif ours:
            lines.append(line)
    return re.sub(r"\s+", " ", " ".join(lines))


def functions(text):
    """Declarations by name."""
    flat = re.sub(r"\{[^{}]*\}", "", text)
    return {found[2]: found[1].strip() for found in
            re.finditer(r"(?:^|;)\s*([\w\s*]+?\b(varve_\w+)\s*\([^()]*\))\s*(?=;)", flat)}


def structures(text):
    """Members by the name of their structure, in order."""
    made = {}
    for found in re.finditer(r"\bstruct (\w+) \{([^{}]*)\}", text):
        members = [part.strip() for part in found[2].split(";") if part.strip()]
        made[found[1]] = [re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", member)[1] for member in members]
    return made


def enumerations(text):
    """Constants by the name of their enumeration; those without a name are under ''."""
    made = {}
    for found in re.finditer(r"\benum (\w*)\s*\{([^{}]*)\}", text):
        names = [part.split("=")[0].strip() for part in found[2].split(",") if part.strip()]
        made.setdefault(found[1], []).extend(names)
    return made
