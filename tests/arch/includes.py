"""Dependencies point one way: checks every #include of src/ and of the generated files against the order of modules."""
import os
import re

from _sources import GENERATED, GENERATED_MODULE, ROOT, Report, sources

MAY_USE = {
    "base": {"base"},
    "codec": {"codec", "base"},
    "sink": {"sink", "codec", "base"},
    "record": {"record", "sink", "codec", "base"},
    "trace": {"trace", "codec", "base"},
    "cli": {"cli", "trace", "sink", "codec", "base"},
    "pages": {"pages", "cli", "codec", "base"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')

report = Report()
for source in sources():
    if source.module not in MAY_USE:
        report.complain(source.name, "src/%s is no module that tests/arch/includes.py knows" % source.module)
        continue
    for number, line in enumerate(source.lines, 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        report.checked += 1
        where = "%s:%d" % (source.name, number)
        quote, name = found.groups()
        if os.path.basename(name) == "mpi.h" and not source.base.endswith("_mpi.c"):
            report.complain(where, "<mpi.h> belongs into files named *_mpi.c")
        if quote == "<":
            if os.path.exists(os.path.join(ROOT, "src", name)) and "/" in name:
                report.complain(where, "a file of ours is included with quotes: %s" % name)
            continue
        if os.path.exists(os.path.join(ROOT, "src", name)) and "/" in name:
            module = name.split("/")[0]
        elif os.path.exists(os.path.join(GENERATED, name)):
            module = GENERATED_MODULE.get(name, "record")
        else:
            report.complain(where, '"%s" is neither src/%s nor a generated file' % (name, name))
            continue
        if module not in MAY_USE[source.module]:
            report.complain(where, "%s may not use %s (%s)" % (source.module, module, name))
report.finish(least=10)
