"""Compares the second decoder with `varve`: the same calls and definitions, object by object, and the same damages at the same
places.

Used by the tests of this folder, for both forms. A disagreement is an AssertionError that names the first call that differs.
"""
import json
import os
import re
import subprocess

from _columns import WRAP
from _decoder import open_trace
from _definitions import said_of
from _files import sides_of
from _print import text_of
from _tables import HEX, STRING
from _tracks import EXACT, HISTOGRAM

VARVE = os.environ.get("VARVE", "varve")
DAMAGE = re.compile(r"varve: damaged: ([\w.]+)(?:,(?: (\d+) bytes)? at offset (\d+))?: ")


class Dump:
    """The output of `varve dump`: calls as objects, lines about damage."""

    def __init__(self, trace):
        result = subprocess.run([VARVE, "dump", "--format", "json", "--by-stream", trace], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.status = result.returncode
        self.calls = json.loads(b"[" + b",".join(result.stdout.splitlines()) + b"]")
        for call in self.calls:
            call.pop("image", None)  # the process number after an exec: not part of its record
            call.pop("world", None)  # of its process, as `info` shows it: not part of its record
            if "errno" not in call:
                call.pop("error", None)  # the name of an error code that a library returned
        self.said = result.stderr.decode("utf-8", "replace").splitlines()
        packed = os.path.isfile(trace) or os.path.exists(os.path.join(trace, "packed.0"))
        self.damages = self.read_damages(trace) if packed else self.said_damages()
        self.definitions = self.read_definitions(trace)
        texts = {text for made in self.definitions for text in made.get("strings", ())}
        if any(text.startswith("exe=") and os.path.basename(text).startswith(("mpirun", "orterun", "prterun")) for text in texts):
            for call in self.calls:
                if "rank" not in call:
                    call.pop("runtime", None)  # of a launcher: not part of its record

    @staticmethod
    def read_definitions(trace):
        result = subprocess.run([VARVE, "dump", "--format", "json", "--definitions", trace], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(b"[" + b",".join(result.stdout.splitlines()) + b"]")

    def said_damages(self):
        """File, offset and length of the lines about damage; damage of a whole file has only the file."""
        lines = [line for line in self.said if line.startswith("varve: damaged: ") and not line.endswith(": no record can be read")]
        places = [DAMAGE.match(line) for line in lines]
        assert all(places), lines
        return [(place[1], int(place[3] or 0), int(place[2] or 0)) for place in places]

    @staticmethod
    def read_damages(trace):
        """Those of a packed trace: the command prints less than all of them when the file is cut."""
        result = subprocess.run([VARVE, "info", "--format", "json", trace], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
        found = json.loads(result.stdout)["damage"] if result.stdout else []
        return [(one["file"], one.get("offset") or 0, one.get("length") or 0) for one in found]


def difference(ours, theirs):
    """The differences of two objects, for people."""
    keys = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
    return "; ".join(f"{key}: decoder {ours.get(key)!r}, varve {theirs.get(key)!r}" for key in keys)


def same_calls(ours, theirs):
    for mine, other in zip(ours, theirs):
        if mine != other or list(mine) != list(other) or list(mine["args"]) != list(other["args"]):
            where = f"{other['process']}.{other['thread']} call {other['ordinal']} {other['function']}"
            raise AssertionError(f"{where}: {difference(mine, other) or 'another order of keys'}")
    if len(ours) != len(theirs):
        raise AssertionError(f"the decoder has {len(ours)} calls, varve {len(theirs)}")


def same_definitions(ours, theirs):
    for mine, other in zip(ours, theirs):
        if mine != other or list(mine) != list(other):
            where = f"{other['process']}.{other['thread']} block {other['block']} {other['define']}"
            raise AssertionError(f"{where}: {difference(mine, other) or 'another order of keys'}")
    if len(ours) != len(theirs):
        raise AssertionError(f"the decoder has {len(ours)} definitions, varve {len(theirs)}")


def same_places(ours, theirs):
    """Each damage once, in any order. A lost chunk has the place of one of the wrong parts of its stream."""
    left = list(theirs)
    for file, offset, length, _ in sorted(ours, key=lambda damage: damage[2] is None):
        places = offset if length is None else {(offset, length)}
        found = next((place for place in left if place[0] == file and place[1:] in places), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def agree(trace):
    """Both read the trace and return the same. Returns the trace of the decoder and its calls."""
    dump, mine = Dump(trace), open_trace(trace)
    calls = list(mine.calls())
    same_calls(calls, dump.calls)
    same_definitions(list(said_of(mine)), dump.definitions)
    if not same_places(mine.damages, dump.damages) or dump.status != (3 if mine.damages else 0):
        raise AssertionError(f"damages: decoder {mine.damages}, varve {dump.status} {dump.said}")
    return mine, calls


def timeless(call):
    return {key: value for key, value in call.items() if key not in ("start", "duration", "approximate")}


def totals_of(calls, tables, resolutions):
    """Sums for each file, by stream: calls, failures, unfinished, bytes read, ticks, bytes written."""
    sums = {}
    rows = {(function.layer, function.name): function for function in tables.functions.values()}
    for call in calls:
        if not call["function"] or call["layer"] == "varve":
            continue
        stream, layer, seen = (call["process"], call["thread"]), call["layer"], None
        for file, side in zip((call, call.get("second", {})), sides_of(rows[layer, call["function"]], call["args"], "second" in call)):
            path = file.get("absolute") or file.get("path")
            if not path:
                continue
            row = sums.setdefault(stream, {}).setdefault((layer, path), [0] * 6)
            if path != seen:
                row[0] += 1
                row[1] += call.get("failed", False)
                row[2] += call.get("unfinished", False)
                row[4] = row[4] + (call.get("duration") or 0) // resolutions[stream] & WRAP
            if side:
                place = 3 if side == "read" else 5
                row[place] = min(row[place] + call.get("size", 0), WRAP)
            seen = path
    return sums


def regions_of(mine, calls):
    """Sums for each region, by stream."""
    sums = {}
    functions = {function.name: function for function in mine.tables.functions.values()
                 if function.layer == "region" and function.op in ("region", "function")}
    for call in calls:
        function = functions.get(call["function"])
        if not function:
            continue
        stream, text, place = (call["process"], call["thread"]), "", 0
        first = function.fields[0] if function.fields else None
        if first and first.kind.style == STRING:
            text = call["args"].get(first.name) or ""
        elif first and first.kind.style == HEX:
            place = int(call["args"].get(first.name) or "0", 16)
        row = sums.setdefault(stream, {}).setdefault((function.number, text, place), [0] * 5)
        ticks = (call.get("duration") or 0) // mine.readers[stream].stream.resolution & WRAP
        row[0] += 1
        row[1] += call.get("unfinished", False)
        row[2] += not call.get("unfinished", False) and call.get("result", 0) != 0
        row[3] = row[3] + ticks & WRAP
        row[4] = max(row[4], ticks)
    return sums


def same_sums(what, ours, stored):
    if ours != stored or list(ours) != list(stored):
        keys = [key for key in {**ours, **stored} if ours.get(key) != stored.get(key)]
        raise AssertionError(f"totals of {what}: {[(key, ours.get(key), stored.get(key)) for key in keys[:5]]}")


def same_totals(mine, calls):
    """The stored sums of each file and region in a packed trace are equal to the sums over its calls."""
    layers = mine.tables.layers
    sums = totals_of(calls, mine.tables, {stream: reader.stream.resolution for stream, reader in mine.readers.items()})
    regions = regions_of(mine, calls)
    for stream, reader in mine.readers.items():
        ours = sums.get(stream, {})
        if mine.version < 3:  # without a sum of bytes written
            ours = {key: [*row[:3], min(row[3] + row[5], WRAP), row[4]] for key, row in ours.items()}
        stored = {(layers[layer], text_of(path)): row for (layer, path), row in reader.files(mine.version).items()}
        for key, row in stored.items():
            if mine.time == HISTOGRAM:
                row[4] = ours.get(key, row)[4]
        same_sums("files", ours, stored)
        ours = regions.get(stream, {})
        stored = {(function, text_of(name), place): row for (function, name, place), row in reader.regions().items()}
        for key, row in stored.items():
            if mine.time == HISTOGRAM:
                row[3:] = ours.get(key, row)[3:]
        same_sums("regions", ours, stored)


def same_answers(mine, calls):
    """The stored facts about the processes of a packed trace: the text of each, and the number of its calls."""
    answers = mine.answers()
    processes = sorted({process for process, _ in mine.readers})
    if answers is None:
        if len(mine.readers) > 1:
            raise AssertionError("several streams, and no answers")
        return
    made = {process: 0 for process in processes}
    for call in calls:
        made[call["process"]] += 1
    told = {}
    for said in said_of(mine):
        if said["define"] == "process":
            told.setdefault(said["process"], said)
    # Headers count the calls of blocks, also of damaged ones.
    if not mine.damages and [entry[5] for entry in answers["tree"]] != list(made.values()):
        raise AssertionError(f"calls of processes: {made}, stored {answers['tree']}")
    if [bool(strings) for strings in answers["strings"]] != [process in told for process in processes]:
        raise AssertionError(f"what processes say: {sorted(told)}, stored {answers['strings']}")


def same_packed(source, calls, mine, packed):
    """A packed trace, read by agree(), has the same content as the folder from which it was made."""
    if mine.time == EXACT:
        same_calls(packed, calls)
    else:
        same_calls(list(map(timeless, packed)), list(map(timeless, calls)))
    same_totals(mine, packed)
    same_answers(mine, packed)
    same_definitions(list(said_of(mine)), list(said_of(source)))
    places, told = (sorted(damage[:3] for damage in trace.damages) for trace in (mine, source))
    if places != told:
        raise AssertionError(f"damages: packed {places}, folder {told}")


def agree_packed(trace):
    """Like decoders_agree(), for the trace itself, then for its packed form with each way to keep times."""
    source, calls = agree(trace)
    for time in ("exact", "histogram", "none"):
        target = f"{trace}.{time}"
        try:
            packed = subprocess.run([VARVE, "pack", "--quiet", "--time", time, "-o", target, trace], stderr=subprocess.PIPE)
            if packed.returncode not in (0, 3):  # 3: of a damaged trace
                raise AssertionError(f"pack: status {packed.returncode}, {packed.stderr!r}")
            same_packed(source, calls, *agree(target))
        finally:
            if os.path.exists(target):
                os.unlink(target)
    return len(calls), bool(source.damages)


def decoders_agree(trace):
    """In the form for the random traces: the number of calls, and whether the trace is damaged."""
    mine, calls = agree(trace)
    return len(calls), bool(mine.damages)
