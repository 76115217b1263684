"""Facts about a whole run from the second decoder, with the names of `varve info --format json`.

Counted from the decoded records, not from the summaries in block headers, so that these are compared with the records too;
except for times that are not exact.
"""
from _blocks import RECORDS
from _records import CONTINUED, FAILED, PROCESS, UNFINISHED
from _tables import ENDS, KEPT_FROM, read_pairs
from _tracks import EXACT

LISTED = ("argument", "ignored")
LEFT_OUT = ("calls_on_files", "calls_in_pauses", "pauses", "paused_ns", "processes", "programs")


def run_facts(trace, calls):
    """Description, losses and end."""
    run = {key: value for key, value in trace.run
           if key not in LISTED and not key.startswith(("env.", "setting.", "slice."))}
    loss = trace.index.loss
    return {"run": run, "arguments": [value for key, value in trace.run if key == "argument"],
            "slice": [{"key": key[6:], "value": value} for key, value in trace.run if key.startswith("slice.")],
            "environment": {key[4:]: value for key, value in trace.run if key.startswith("env.")},
            "losses": list(trace.index.losses().items()),
            "left_out": dict(zip(LEFT_OUT, loss[KEPT_FROM:])), "end": ENDS[trace.index.end], "status": trace.index.status,
            "records": len(calls), "blocks": sum(1 for block in trace.blocks if block.type == RECORDS),
            "streams": len(trace.streams)}


def bytes_of(row, words, result):
    """Bytes moved, by the function's rule."""
    if row.rule == 3:
        return words[row.rule_word]
    if row.rule == 4:
        return row.rule_word if result != -1 else 0
    if result <= 0 or row.rule == 0:
        return 0
    return result if row.rule == 1 else result * words[row.rule_word]


def counters(trace):
    """Counters by layer and function."""
    rows = {}
    for blocks in trace.streams.values():
        for block, records, _ in blocks:
            for record in records:
                if record.marks & CONTINUED and trace.packed:
                    continue  # counted where it began
                row = trace.tables.functions[record.function]
                found = rows.setdefault((row.layer, row.name), {"layer": row.layer, "function": row.name, "calls": 0,
                                                                "failures": 0, "unfinished": 0, "bytes": 0, "ns": 0})
                continued = bool(record.marks & CONTINUED)
                found["calls"] += not continued
                found["failures"] += bool(record.marks & FAILED)
                found["unfinished"] += bool(record.marks & UNFINISHED) - continued
                found["ns"] += (record.exit - record.entry) * block.resolution
                if not record.marks & UNFINISHED and not (row.rule in (3, 4) and record.marks & FAILED):
                    found["bytes"] += bytes_of(row, record.words, record.result)
    if trace.time != EXACT:
        recorded_times(trace, rows)
    for function in trace.tables.functions.values():
        if function.op == "load" and (function.layer, function.name) in rows:
            rows[function.layer, function.name]["ns"] = None  # only the end of the recorder's own work is recorded
    return rows


def recorded_times(trace, rows):
    """If the times of records are estimates, those of the summaries are the recorded ones."""
    for row in rows.values():
        row["ns"] = 0
    for block in trace.blocks:
        for function, *_, ticks in block.summary_rows():
            row = trace.tables.functions[function]
            rows[row.layer, row.name]["ns"] += ticks * block.resolution


def processes(trace):
    """The content of the PROCESS definitions, by number."""
    found = []
    for (process, thread), blocks in sorted(trace.streams.items()):
        for block, _, definitions in blocks[:1] if thread == 1 else ():
            for type_, _, _, text in definitions:
                if type_ == PROCESS:
                    pairs = read_pairs(text)
                    said = dict(pairs)
                    found.append({"process": process, "pid": int(said["pid"]),
                                  **{key: said[key] for key in ("ppid", "origin", "exe", "cwd", "host")},
                                  "arguments": [value for key, value in pairs if key == "argv"]})
    return found
