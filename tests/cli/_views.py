"""What the verbs say of a trace, to hold its forms against each other."""
import json

from lib import varve

DUMPS = ((), ("-f", "json"), ("-f", "csv"), ("--definitions",), ("--where", "size > 100 or failed"))


def views(trace):
    """All of it, but for what the trace takes."""
    said = [varve("dump", *options, trace).stdout for options in DUMPS]
    info = json.loads(varve("info", "--format", "json", trace).stdout)
    for key in ("size", "bytes_per_record"):
        del info[key]
    for node in info.get("nodes", []):
        node.pop("size", None)
    return said + [info]
