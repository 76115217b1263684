"""The verbs and their options, from the help of the command."""
import re

from lib import same, varve


def verbs():
    text = varve("--help").stdout.decode()
    return re.findall(r"^  ([a-z]+) ", text.split("\nVerbs:\n")[1].split("\n\n")[0], re.MULTILINE)


def options(verb):
    """For each option: its letter or "", its name, the name of its value or ""."""
    result = varve(verb, "--help")
    same(result.returncode, 0, verb)
    text = result.stdout.decode().split("\nOptions:\n")[1].split("\nExamples:\n")[0]
    return re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: ([A-Z]\S*))?", text, re.MULTILINE)
