"""The output of the verbs for a trace, to compare its forms with each other."""
import json

from lib import varve

DUMPS = ((), ("-f", "json"), ("-f", "csv"), ("--definitions",), ("--where", "size > 100 or failed"))


def views(trace):
    """All output except the size of the trace."""
    said = [varve("dump", *options, trace).stdout for options in DUMPS]
    info = json.loads(varve("info", "--format", "json", trace).stdout)
    for key in ("size", "bytes_per_record"):
        del info[key]
    for node in info.get("nodes", []):
        node.pop("size", None)
    return said + [info]
