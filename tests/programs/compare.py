# SPDX-License-Identifier: BSD-3-Clause
"""Compares the order of a program (must.py) with the graph that was built of its dump. programs.py and its self-test call
it."""
import csv
from collections import Counter

from common import Graph
from matching import Match
from must import DOACROSS, REASONS


class Comparison:
    """wrong: the differences, a text each. pairs, undecided: how many pairs of events of one program there are, and of how
    many nothing is known, by reason. `notes`: see Match; `sound`: is the
    graph itself checked first?"""

    def __init__(self, order, out, file, level, notes=None, sound=True):
        self.order, self.graph = order, Graph(out)
        self.wrong, self.pairs, self.undecided = [], 0, Counter()
        flaw = self.graph.flaw() if sound else None
        if flaw:
            self.wrong.append(flaw)
            return
        self.match = Match(order, self.graph, file, level == "fragment", notes)
        self.wrong += self.match.wrong
        self.known = (DOACROSS,) if level == "fragment" else ()
        self.compare()
        self.compare_exclusion(out)

    def compare(self):
        match, order = self.match, self.order
        nodes = [(event, node) for event, found in match.nodes.items() for node in found]
        marks, programs = {}, Counter()
        for i, (event, _) in enumerate(nodes):
            marks[event] = marks.get(event, 0) | 1 << i
            programs[order.program_of[event]] |= 1 << i
        sure = order.come_before(marks, self.known)
        possible = order.come_before(marks, (*REASONS, *self.known))
        by_reason = {why: order.come_before(marks, (why, *self.known)) for why in REASONS}
        seen = self.graph.reach([node for _, node in nodes])
        for i, (event, node) in enumerate(nodes):
            self_too = ~(1 << i)
            must, may, got = sure[event] & self_too, possible[event] & self_too, seen[node] & self_too
            self.tell(nodes, must & ~got, node, "does not come before")
            self.tell(nodes, got & ~may, node, "must not come before")
            own = programs[order.program_of[event]]
            open_pairs = may & ~must & own
            self.pairs += (own & self_too).bit_count()
            for why in REASONS:
                known = open_pairs & by_reason[why][event]
                self.undecided[why] += known.bit_count()
                open_pairs &= ~known
            self.undecided[REASONS[-1]] += open_pairs.bit_count()

    def tell(self, nodes, bits, node, what):
        while bits:
            low = bits & -bits
            bits ^= low
            self.wrong.append(f"{self.match.name(nodes[low.bit_length() - 1][1])} {what} {self.match.name(node)}")

    def compare_exclusion(self, out):
        """mutexinoutset: each pair that shares an address by it, and that nothing orders, is in a set."""
        sets = {}
        try:
            with open(out / "exclusive.csv", newline="") as f:
                for row in csv.DictReader(f):
                    sets.setdefault(row["node"], set()).add(row["set"])
        except FileNotFoundError:
            pass
        for one, other in self.order.exclusive:
            a, b = (self.match.nodes.get(x.begin, [None])[0] for x in (one, other))
            if a and b and not sets.get(a, set()) & sets.get(b, set()) and not self.order.ordered(one.done, other.begin):
                self.wrong.append(f"{self.match.name(a)} and {self.match.name(b)} do not exclude each other")
