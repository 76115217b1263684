"""Dependencies point one way: checks every #include of src/ and of the generated files against the order of modules."""
import os
import re

from _sources import GENERATED, GENERATED_MODULE, ROOT, Report, sources

MAY_USE = {
    "base": {"base"},
    "codec": {"codec", "base"},
    "sink": {"sink", "codec", "base"},
    "record": {"record", "sink", "codec", "base"},
    "loop": {"loop", "codec", "base"},
    "trace": {"trace", "loop", "codec", "base"},
    "pack": {"pack", "trace", "loop", "codec", "base"},
    "slice": {"slice", "pack", "trace", "loop", "codec", "base"},
    "api": {"api", "trace", "loop", "codec", "base"},
    "cli": {"cli", "pack", "slice", "loop", "sink", "codec", "base"},
    "pages": {"pages", "cli", "codec", "base"},
}
# The command reads traces through <varve/...> alone. Of the codec it may know what a run and its tables are.
CLI_MAY_KNOW = {"codec/control.h", "codec/lane_errors.h", "codec/loss.def", "codec/rows.h", "codec/tables.h"}
LANES = {"codec/lane.h", "codec/block.h"}  # what a running program has not written yet: for `varve control`
# What only marks or controls a program from inside is for programs.
PUBLIC_FOR = {"trace", "api", "slice", "cli"}
PUBLIC_FOR_ALL = {"varve/status.h", "varve/status.def", "varve/definitions.h"}
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
        if name == "mpi.h" and not source.base.endswith("_mpi.c"):
            report.complain(where, "<mpi.h> belongs into files named *_mpi.c")
        if quote == "<":
            if os.path.exists(os.path.join(ROOT, "src", name)) and "/" in name:
                report.complain(where, "a file of ours is included with quotes: %s" % name)
            if name.startswith("varve/") and name not in PUBLIC_FOR_ALL and source.module not in PUBLIC_FOR:
                report.complain(where, "%s has no use for <%s>" % (source.module, name))
            continue
        if os.path.exists(os.path.join(ROOT, "src", name)) and "/" in name:
            module = name.split("/")[0]
        elif os.path.exists(os.path.join(GENERATED, name)):
            module = GENERATED_MODULE.get(name, "record")
        else:
            report.complain(where, '"%s" is neither src/%s nor a generated file' % (name, name))
            continue
        lanes = name in LANES and source.base == "cmd_control.c"
        if source.module == "cli" and module == "codec" and name not in CLI_MAY_KNOW and not lanes:
            report.complain(where, "the command reads traces through <varve/...>, not by %s" % name)
        if source.module == "cli" and module == "slice" and name != "slice/slice.h":
            report.complain(where, "the command knows slice/slice.h and what that brings, not %s" % name)
        if module not in MAY_USE[source.module]:
            report.complain(where, "%s may not use %s (%s)" % (source.module, module, name))
report.finish(least=10)
