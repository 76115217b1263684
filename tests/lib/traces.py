"""A recorded trace, read through `varve info` and `varve dump`; and the numbers of losses."""
import json

from lib.check import holds, same
from lib.command import varve

# Numbers of src/codec/loss.def.
(SPACE, LIMIT, NO_LANE, DEEP, HANDLER, START, NO_REAL, UNTRACED, NAME, CLOCK, TORN, UNTRACKED,
 CLOCKLESS, RUNTIME, LOOKUP, SHARED, DISK_FULL, FILE_LIMIT, DENIED, GONE, DESCRIPTORS, IO, RING_FILE,
 REQUESTS) = range(24)
# Reasons for which made records are not in the trace, except the size limit.
DROPPED = {SPACE, DISK_FULL, FILE_LIMIT, DENIED, GONE, DESCRIPTORS, IO}


def dropped(losses):
    return sum(losses.get(reason, 0) for reason in DROPPED)


def dumped(*words, status=0, said=None):
    """Records of a trace, as `dump --format json` shows them with these options. `said`: expected messages on stderr."""
    result = varve("dump", "--format", "json", *words)
    same(result.returncode, status, result.stderr)
    if said is not None:
        same(result.stderr, said)
    return [json.loads(line) for line in result.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]]


def dump_json(trace, *options):
    return dumped(*options, trace)


class Trace:
    def __init__(self, path, told=b""):
        self.path = path
        self.told = told  # messages of `varve record` on stderr

    def info(self, status=0):
        result = varve("info", "--format", "json", self.path)
        same(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def calls(self, *options, status=0):
        return dumped(*options, self.path, status=status)

    def losses(self):
        return {row["reason"]: row["count"] for row in self.info()["losses"]}

    def no_lane(self):
        """Why no lane could be made, as `info` prints in its first lines and the message at the end."""
        start = "calls not recorded: no buffer (lane) could be created: "
        stated = [row["text"] for row in self.info()["losses"] if row["reason"] == NO_LANE]
        same(len(stated), 1, stated)
        assert stated[0].startswith(start), stated
        holds(varve("info", self.path).stdout, stated[0].encode())
        return stated[0][len(start):]

    def counts(self):
        """Calls by function, as `info` counts them; checks that `dump` finds the same number and that nothing is damaged."""
        info = self.info()
        same(info["damage"], [])
        calls = {}
        for row in info["functions"]:
            calls[row["function"]] = calls.get(row["function"], 0) + row["calls"]
        found = {}
        result = varve("dump", "--format", "json", self.path)
        # Records without space in the trace are no loss as long as they are in a lane.
        said = [line for line in result.stderr.splitlines() if not line.startswith(b"varve: still in lanes: ")]
        same((result.returncode, said == []), (0, not info["losses"]), result.stderr)
        for line in result.stdout.decode().splitlines():
            name = json.loads(line)["function"]
            found[name] = found.get(name, 0) + 1
        same(found, calls)
        return calls

    def complete(self):
        """Counts of a trace in which nothing is missing."""
        same((self.losses(), self.told), ({}, b""))
        return self.counts()
