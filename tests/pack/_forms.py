"""Compares the two forms of a trace: a folder, and the file that `varve pack` makes of it.

Everything that the command prints must be the same for both: calls in all formats, definitions, counters, damages, and its exit
status. Used by the tests of this folder and by the random traces.
"""
import json
import os
import re

from lib import varve

# Facts about files and not about the run.
OWN = ("size", "bytes_per_record", "data_size", "index_size", "encoded_bytes", "records_in_lanes", "complete")
BY_STREAM = ["dump", "--format", "json", "--by-stream"]
VIEWS = [["dump", "--definitions"], ["info", "--files", "--format", "json"], ["dump", "--format", "csv"], ["dump"],
         ["dump", "--format", "json"]]
# Nesting of calls, and calls by file, which cut calls at the ends of blocks must not change.
FILTERS = ['has parent.function', 'depth > 0 and not failed', 'has path and size > 3', 'kind == pipe or kind == stream']


# A message about a block's header does not name the owner of its records.
WHOSE = re.compile(rb" \(\d+ records? of process \d+, thread \d+\)$")


def said(words, trace):
    """Status, output, and messages without the name of the trace."""
    result = varve(*words, trace, timeout=300)
    # Records that processes left in their lanes are packed; the message about them is ignored.
    lines = [WHOSE.sub(b"", line) for line in result.stderr.replace(os.fsencode(trace), b"TRACE").splitlines()
             if not line.startswith(b"varve: still in lanes")]
    if b"AddressSanitizer" in result.stderr or b"runtime error" in result.stderr:
        raise AssertionError(f"varve {' '.join(words)} {trace}: {result.stderr.decode(errors='replace')}")
    return result.returncode, result.stdout, sorted(lines)


def without_sizes(value):
    if isinstance(value, dict):
        return {key: without_sizes(inner) for key, inner in value.items() if key not in OWN}
    if isinstance(value, list):
        return [without_sizes(inner) for inner in value]
    return value


def first_difference(ours, theirs):
    """The place where two texts differ, for people."""
    left, right = ours.splitlines(), theirs.splitlines()
    for at, (mine, other) in enumerate(zip(left, right)):
        if mine != other:
            return f"line {at + 1}:\n  folder {mine[:2000]!r}\n  packed {other[:2000]!r}"
    return f"{len(left)} lines in the folder, {len(right)} in the packed file"


def same_info(folder, packed, calls):
    """If blocks are lost unnoticed, headers omit calls that began in them: a packed trace counts its own calls."""
    if folder["records"] != calls:
        assert packed["records"] == calls, f"{calls} calls, info of the packed file says {packed['records']}"
        return
    # The halves of a cut call have the clocks of several blocks, which differ a little: sums in headers may differ by some
    # ticks, records do not; if a clock was set while the call waited, by a thousandth.
    for mine, other in zip(folder["functions"], packed["functions"]):
        timed = mine["ns"] is not None and other["ns"] is not None  # dlopen has no times
        if timed and abs(mine["ns"] - other["ns"]) <= 2 * folder["resolution_ns"] * mine["calls"] + 1000 + mine["ns"] // 1000:
            other["ns"] = mine["ns"]
        assert mine == other, f"info differs: folder {mine}, packed {other}"
    keys = [key for key in {**folder, **packed} if folder.get(key) != packed.get(key)]
    if keys:
        raise AssertionError("info differs: " + "; ".join(f"{key}: folder {folder.get(key)}, packed {packed.get(key)}"
                                                          for key in keys)[:4000])


def same_view(words, folder, packed, calls=0):
    """The output for the folder. `calls`: the number that `info` must count. In a damaged folder headers count what cannot be
    read, and packing reads everything: `info` is compared with it in other cases."""
    ours, theirs = said(words, folder), said(words, packed)
    if words[0] == "info" and ours[1] and theirs[1]:
        infos = [without_sizes(json.loads(view[1])) for view in (ours, theirs)]
        if any(info["damage"] for info in infos):
            return ours[1]
        same_info(*infos, calls)
    elif ours[1] != theirs[1]:
        raise AssertionError(f"varve {' '.join(words)} differs, {first_difference(ours[1], theirs[1])}")
    if (ours[0], ours[2]) != (theirs[0], theirs[2]):
        raise AssertionError(f"varve {' '.join(words)}: folder {ours[0]} {ours[2]}, packed {theirs[0]} {theirs[2]}")
    return ours[1]


def pack(folder, packed):
    status, out, told = said(["pack", "--format", "json", "-o", packed], folder)
    if status not in (0, 3):
        raise AssertionError(f"varve pack: status {status}, {told}")
    about = json.loads(out)
    assert bool(about["damages"]) == (status == 3), (status, about)
    return about


def same_forms(folder, packed, views=VIEWS):
    """Packs, and compares each view. Returns the output of pack."""
    about = pack(folder, packed)
    calls = same_view(BY_STREAM, folder, packed).count(b"\n")
    for words in views:
        same_view(words, folder, packed, calls)
    return about


def same_filtered(folder, packed, where):
    """Calls and sums with a filter: summaries give some, records the others. For folders without losses."""
    found = same_view([*BY_STREAM, "--where", where], folder, packed)
    calls = found.count(b"\n")
    same_view(["info", "--format", "json", "--where", where], folder, packed, calls)


def packed_agrees(folder):
    """In the form for the random traces: the number of calls, and whether the trace is damaged. The trace determines which
    views of time are tried: each is tried often enough."""
    packed = folder + ".packed"
    try:
        turn = os.path.getsize(os.path.join(folder, "data.0")) // 8
        about = same_forms(folder, packed, VIEWS[:2] + [VIEWS[2 + turn % 3]])
        if not about["damages"] and json.loads(said(VIEWS[1], folder)[1])["records"] == about["records"]:
            same_filtered(folder, packed, FILTERS[turn % len(FILTERS)])
        if turn % 4 == 0:
            again = packed + ".again"
            try:
                pack(packed, again)
                same_view(BY_STREAM, packed, again)
            finally:
                if os.path.exists(again):
                    os.unlink(again)
        return about["records"], bool(about["damages"])
    finally:
        if os.path.exists(packed):
            os.unlink(packed)
