"""Each error message of the command also has a next step: it asks, offers or names what to do."""
import re

from _sources import Report, sources

CALL = re.compile(r'\bmessage\(((?:\s*(?:"(?:\\.|[^"\\])*"|[A-Z][A-Za-z_0-9]+))+)')
# A next step is a command in backticks, a question, a second half after a semicolon, or a correct value.
STEP = re.compile(r"[;?`]|, not '|: (?:see|say|give)\b")
# Losses and damage of a trace need no next step; messages that are only %s have their next step in a table (failed(),
# settings).
PLAIN = re.compile(r"^(?:damaged: |not recorded: |%s |.*: )?%s(?:%s)*(?: more)?$|^damaged: |^still running: |^not recorded: ")

report = Report()
for source in sources():
    if source.module != "cli":
        continue
    for found in CALL.finditer(source.text):
        text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', found.group(1)))
        report.checked += 1
        if not STEP.search(text) and not PLAIN.search(text):
            line = source.text.count("\n", 0, found.start()) + 1
            report.complain("%s:%d" % (source.name, line), "says what is wrong and not what to do: %s" % text)
report.finish(least=20)
