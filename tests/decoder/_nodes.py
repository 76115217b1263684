"""Nodes of the second decoder: section 2 and the rule "Nodes" of section 12 of docs/format.md.

A node is one data file with its index and its file `lanes`. Reads them, and computes how much later than the first node another
one began.
"""
import os
import re

from _blocks import INDEX, RECORDS, RUN, TABLES, VOID, block_at, scan
from _columns import Bad
from _tables import Index, read_pairs

DATA = re.compile(r"data\.(0|[1-9]\d*)")
NO_BOOT = "0" * 32


def node_numbers(path):
    """Numbers of the existing data files, in order."""
    found = [DATA.fullmatch(name) for name in os.listdir(path)]
    return sorted(int(match[1]) for match in found if match and int(match[1]) < 1 << 20)


def named(base, number):
    return f"{base}.{number}" if number else base


class Node:
    """A data file: blocks, description, index, damages."""

    def __init__(self, path, number, run_id):
        self.number, self.name = number, f"data.{number}"
        with open(os.path.join(path, self.name), "rb") as file:
            self.data = file.read()
        self.blocks, damages, self.run_id = scan(self.data, run_id)
        self.damages = [(self.name, *rest) for _, *rest in damages]
        self.lanes = os.path.exists(os.path.join(path, named("lanes", number)))
        self.run, self.clock, self.tables, self.index = [], {}, None, None
        for block in self.blocks:
            if block.type != RECORDS:
                self.read_head(block)
        if self.data:
            self.read_index(os.path.join(path, named("index", number)))

    def damage(self, block, why):
        self.damages.append((self.name, block.at, block.length, why))

    def read_head(self, block):
        if block.type not in (RUN, TABLES, VOID):
            self.damage(block, "a block that has no place here")
        elif not block.payload_is_good():
            self.damage(block, "payload")
        elif block.type == RUN:
            pairs = read_pairs(block.payload())
            self.run = self.run or pairs
            if "clock.reference" in dict(pairs):
                self.clock = dict(pairs)
        elif block.type == TABLES and self.tables is None:
            self.tables = block

    def value(self, key):
        return next((value for name, value in self.run if name == key), None)

    def read_index(self, path):
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            if not self.lanes:
                self.damages.append((named("index", self.number), 0, 0, "no index"))
            return
        block = block_at(data, 0)
        try:
            if block is None or block.type != INDEX or block.length != len(data) or not block.payload_is_good():
                raise Bad("the index is no good block")
            if self.run_id and block.run_id != self.run_id:
                raise Bad("an index of another run")
            self.index = Index(block.payload())
        except Bad as bad:
            self.damages.append((named("index", self.number), 0, len(data), str(bad)))
            return
        self.compare_index()

    def compare_index(self):
        if self.index.data_length > len(self.data):
            self.damages.append((self.name, len(self.data), self.index.data_length - len(self.data),
                                 "shorter than the index says"))
        found = {block.at: block for block in self.blocks}
        damaged = list(self.damages)
        for offset, length, sequence, process, thread, records, first, last, type_, _ in self.index.entries:
            block = found.get(offset)
            if block is None or ((block.length, block.sequence, block.process, block.thread, block.records,
                                  block.first_tick, block.last_tick, block.type)
                                 != (length, sequence, process, thread, records, first, last, type_)):
                if not any(at < offset + length and offset < at + size for _, at, size, _ in damaged):
                    self.damages.append((self.name, offset, length, "not found as the index lists it"))


APART_NS = 1000000  # clocks of one kernel that differ by more are in different time namespaces


def same_boot(one, other):
    return one.value("boot") not in (None, NO_BOOT) and one.value("boot") == other.value("boot")


def later(node, base, clock):
    return int(node.value(clock)) - int(base.value(clock))


def measured(nodes, node):
    """The reference node of this node's clock, and the difference of the two."""
    number = node.clock.get("clock.reference")
    reference = next((other for other in nodes if str(other.number) == number), None)
    return reference, int(node.clock["clock.offset"]) if reference else 0


def align(nodes, node, base):
    """ns by which a node began later than another; whether this was measured."""
    if node is base:
        return 0, False
    (own, own_offset), (other, base_offset) = measured(nodes, node), measured(nodes, base)
    bound = sum(int(one.clock.get("clock.error", 0)) for one in (node, base)) + APART_NS
    apart = own is not None and own is other and abs(own_offset - base_offset) > bound
    if same_boot(node, base) and not apart:
        return later(node, base, "start_monotonic"), False
    if other is None and own is not None and (own is base or same_boot(own, base)):
        other, base_offset = own, 0
    elif own is None and other is not None and (other is node or same_boot(other, node)):
        own, own_offset = other, 0
    if own is not None and own is other:
        return later(node, base, "start_monotonic") - own_offset + base_offset, True
    return later(node, base, "start_realtime"), False


def shifts(nodes):
    """ns by which each began later than the first."""
    found = {node.number: align(nodes, node, nodes[0]) for node in nodes}
    for node in nodes:
        bridge, _ = measured(nodes, node)
        if bridge is None or bridge is node or found[node.number][1] or same_boot(node, nodes[0]):
            continue
        ns, sure = align(nodes, node, bridge)
        if sure:
            found[node.number] = found[bridge.number][0] + ns, True
    return {number: ns for number, (ns, _) in found.items()}


def join(nodes):
    """Processes get their numbers in the run, times count from the start of the first node."""
    if len(nodes) == 1:
        return
    before, moved = 0, shifts(nodes)
    for node in nodes:
        records = [block for block in node.blocks if block.type == RECORDS]
        most = max((block.process for block in records), default=0)
        for block in records:
            block.process += before
            block.shift = moved[node.number] // block.resolution
        before += most
