"""Dependencies have one direction: checks every #include of src/ and of the generated files against the rules of the rooms.

A room is a folder of src/. ROOMS has for each room the rooms that its files may include; a name with a slash at its end
includes all rooms below it, a name without one is this folder alone. A folder below a room has the rule of that room, unless it
has its own line. A new folder directly in src/ needs a line here first."""
import os
import re

from _sources import GENERATED, GENERATED_MODULE, ROOT, Report, sources

BASE = {"base", "base/program"}
HEAP = BASE | {"base/host"}  # code of tools: the heap may be used
LAYOUT = {"codec"}
INPROCESS = LAYOUT | {"codec/inprocess"}
CODEC = INPROCESS | {"codec/host"}
ROOMS = {
    "base": {"base"},
    "base/program": BASE,
    "base/host": HEAP,
    "codec": BASE | LAYOUT,
    "codec/inprocess": BASE | INPROCESS,
    "codec/host": HEAP | CODEC,
    "sink": BASE | INPROCESS | {"sink/"},
    "record": BASE | INPROCESS | {"sink/", "record/"},
    "loop": HEAP | CODEC | {"loop"},
    "packed": HEAP | CODEC | {"loop", "packed"},
    "trace": HEAP | CODEC | {"loop", "packed", "trace/"},
    "analyze": HEAP | CODEC | {"loop", "packed", "trace/", "analyze"},
    "write": HEAP | CODEC | {"write"},
    "pack": HEAP | CODEC | {"loop", "packed", "trace/", "analyze", "pack"},
    "slice": HEAP | CODEC | {"loop", "packed", "trace/", "pack", "write", "slice"},
    "api": HEAP | CODEC | {"loop", "packed", "trace/", "analyze", "api"},
    "object": HEAP | CODEC | {"object"},
    "cli": HEAP | CODEC | {"loop", "sink/", "pack", "slice", "object", "cli/"},
    "pages": HEAP | CODEC | {"cli/", "pages"},
}
# The command reads traces only through <varve/...>. Of the codec it may include the headers of a run and its tables.
CLI_MAY_KNOW = {"codec/control.h", "codec/inprocess/lane_errors.h", "codec/loss.def", "codec/rows.h", "codec/host/tables.h"}
LANES = {"codec/lane.h", "codec/block.h"}  # lanes of a running program: for `varve control`
# Headers that only mark or control a program from inside are for programs.
PUBLIC_FOR = {"trace", "analyze", "api", "slice", "object", "cli"}
PUBLIC_FOR_ALL = {"varve/status.h", "varve/status.def", "varve/definitions.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def rule(room):
    """The rooms that a room may include; a room below one with a rule has the same rule."""
    while room and room not in ROOMS:
        room = os.path.dirname(room)
    return ROOMS.get(room)


def allowed(room, target):
    for may in rule(room):
        if target == may.rstrip("/") or may.endswith("/") and (target + "/").startswith(may):
            return True
    return False


report = Report()
for source in sources():
    if rule(source.room) is None:
        report.complain(source.name, "src/%s is no room that tests/arch/includes.py has a rule for" % source.room)
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
            room = os.path.dirname(name)
        elif os.path.exists(os.path.join(GENERATED, name)):
            room = GENERATED_MODULE.get(name, "record")
        else:
            report.complain(where, '"%s" is neither src/%s nor a generated file' % (name, name))
            continue
        lanes = name in LANES and source.base == "cmd_control.c"
        if source.module == "cli" and room.startswith("codec") and name not in CLI_MAY_KNOW and not lanes:
            report.complain(where, "the command reads traces through <varve/...>, not by %s" % name)
        if source.module == "cli" and room == "slice" and name != "slice/slice.h":
            report.complain(where, "the command knows slice/slice.h and what that brings, not %s" % name)
        if not allowed(source.room, room):
            report.complain(where, "%s may not use %s (%s)" % (source.room, room, name))
report.finish(least=10)
