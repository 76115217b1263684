"""The kernel's events of io_uring rings, whose requests strace does not see: its trace points, in an instance of their own.

Needs root and tracefs, which is mounted in the test's folder. Without them nothing is compared, and a message says so.
"""
import collections
import os
import re
import subprocess
import threading

from lib import same

EVENTS = ("create", "submit_req", "complete", "file_get")
LINE = re.compile(r"-(\d+) +\[.*: io_uring_(\w+): ring (\w+),(.*)")
FIELD = re.compile(r"(req|opcode|fd|result) (\w+|-\d+)")
MOVES = {"READ": "read", "READV": "read", "READ_FIXED": "read", "WRITE": "write", "WRITEV": "write", "WRITE_FIXED": "write"}


def add(row, result):
    return row[0] + 1, row[1] + max(result, 0)


class Rings:
    """Collects the events of all rings of the machine inside the block."""

    def __enter__(self):
        self.lines, self.instance = [], None
        os.mkdir("tracing")
        self.mounted = subprocess.run(["mount", "-t", "tracefs", "none", "tracing"], stderr=subprocess.DEVNULL, check=False)
        if self.mounted.returncode or not os.path.isdir("tracing/events/io_uring"):
            return self
        self.instance = f"tracing/instances/varve-{os.getpid()}"
        os.mkdir(self.instance)
        self.set("buffer_size_kb", "16384")
        for event in EVENTS:
            self.set(f"events/io_uring/io_uring_{event}/enable", "1")
        self.pipe = subprocess.Popen(["cat", f"{self.instance}/trace_pipe"], stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.pipe.stdout))
        self.reader.start()
        return self

    def set(self, name, text):
        with open(f"{self.instance}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    def __exit__(self, *_):
        if self.instance:
            for event in EVENTS:
                self.set(f"events/io_uring/io_uring_{event}/enable", "0")
            # The pipe has no end: available data is read, then the reader is stopped.
            self.set("trace_marker", "last line")
            while not any("last line" in line for line in self.lines[-100:]):
                assert self.pipe.poll() is None
                self.reader.join(0.05)
            self.pipe.terminate()
            self.pipe.wait()
            self.reader.join()
            os.rmdir(self.instance)
        if not self.mounted.returncode:
            subprocess.run(["umount", "-l", "tracing"], check=True)

    def seen(self, pids):
        """For rings that these processes made: the number of each request, and (calls, bytes) of completed ones by descriptor
        and direction."""
        ours, running, begun, ended = set(), {}, collections.Counter(), collections.defaultdict(lambda: (0, 0))
        for line in self.lines:
            assert "LOST" not in line, line
            found = LINE.search(line)
            if not found:
                continue
            pid, event, ring, rest = found.groups()
            fields = dict(FIELD.findall(rest))
            if event == "create" and int(pid) in pids:
                ours.add(ring)
            elif ring not in ours:
                continue
            elif event == "submit_req":
                begun["IORING_OP_" + fields["opcode"]] += 1
                running[fields["req"]] = [None, MOVES.get(fields["opcode"])]
            elif event == "file_get":
                running[fields["req"]][0] = int(fields["fd"])
            elif event == "complete":
                key = tuple(running.pop(fields["req"]))
                ended[key] = add(ended[key], int(fields["result"]))
        return begun, {key: row for key, row in ended.items() if key[1]}

    def check(self, records, pids, killed):
        """`records` are those of requests and completions."""
        if not self.instance:
            print("# rings are not compared: no trace points of the kernel here", flush=True)
            return
        theirs, their_ends = self.seen(pids)
        ours = collections.Counter(call["args"]["opcode"] for call in records if call["function"] == "ring_request")
        our_ends = collections.defaultdict(lambda: (0, 0))
        for call in records:
            if call["function"] == "ring_event" and call["args"]["direction"] != "none":
                key = call["fd"], call["args"]["direction"]
                our_ends[key] = add(our_ends[key], call["result"])
        late = sum(row[0] for row in their_ends.values()) - sum(row[0] for row in our_ends.values())
        if ours or theirs:
            print(f"# rings: {sum(theirs.values())} requests, {sum(row[1] for row in their_ends.values())} bytes; the recorder "
                  f"has {sum(ours.values()) - sum(theirs.values())} more requests, {late} fewer completions", flush=True)
        if killed:
            # Requests that were not yet submitted to the kernel, and completions that no call has read.
            assert all(0 <= ours[name] - theirs[name] <= 1 for name in {*ours, *theirs}), (ours, theirs)
            assert all(our_ends[key] <= row for key, row in their_ends.items()) and not {*our_ends} - {*their_ends}, our_ends
        else:
            same(dict(ours), dict(theirs))
            same(dict(our_ends), their_ends)
