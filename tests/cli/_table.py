"""The verbs and their options, as the help of the command lists them."""
import re

from lib import same, varve


def verbs():
    text = varve("--help").stdout.decode()
    return re.findall(r"^  ([a-z]+) ", text.split("\nVerbs:\n")[1].split("\n\n")[0], re.MULTILINE)


def options(verb):
    """Of each option: its letter or "", its name, what it takes or ""."""
    result = varve(verb, "--help")
    same(result.returncode, 0, verb)
    text = result.stdout.decode().split("\nOptions:\n")[1].split("\nExamples:\n")[0]
    return re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: ([A-Z]\S*))?", text, re.MULTILINE)
