# SPDX-License-Identifier: BSD-3-Clause
"""The events of an Argobots dump as conf-*.expect has them: a line an event, handles by their place in the order of appearance. Of what the library
says with an event only what its interface defines for it is compared: an expectation has all of it, a dump only that."""
import collections
import re

import asked

# By event, what the interface defines: the words of a line of an expectation that are compared.
DEFINED = {"CREATE": ("xs", "pool", "caller"), "REVIVE": ("xs", "pool", "caller"), "JOIN": ("caller",), "FREE": ("caller",), "RUN": ("xs", "depth", "caller"),
           "FINISH": ("xs", "depth"), "CANCEL": (), "YIELD": ("xs", "pool", "depth", "st", "so"), "SUSPEND": ("xs", "depth", "st", "so"),
           "RESUME": ("pool", "caller")}
SYNC = {name: str(n) for n, name in enumerate(("unknown", "user", "other", "xstream_join", "unit_join", "mutex", "cond", "rwlock", "eventual", "future",
                                               "barrier"))}


def expected(text):
    """[(thread, event, unit, {word: value})], in the order of the file."""
    events = []
    for line in text.splitlines():
        thread, event, unit, *words = line.split()
        values = dict(w.split("=", 1) for w in words)
        events.append((thread, event, unit, {w: values[w].replace("NULL", "-") for w in DEFINED[event]}))
    return events


class Names:
    """u1, u2 ... for units by creation, h1 ... for those whose creation was not reported, x0 ... and p0 ... for streams and pools."""
    def __init__(self):
        self.units, self.others, self.n = {}, {}, {}

    def new(self, kind, first):
        self.n[kind] = self.n.get(kind, first - 1) + 1
        return f"{kind}{self.n[kind]}"

    def create(self, handle):
        self.units[handle] = self.new("u", 1)
        return self.units[handle]

    def unit(self, handle):
        if handle == 0:
            return "-"
        if handle not in self.units:
            self.units[handle] = self.new("h", 1)
        return self.units[handle]

    def other(self, kind, handle):
        if handle == 0:
            return "-"
        if (kind, handle) not in self.others:
            self.others[kind, handle] = self.new(kind, 0)
        return self.others[kind, handle]


def listed(text):
    """The same, of `otter-build --list`: streams' records brought into the order of time, polls unfolded."""
    records, current = [], None
    for line in text.splitlines():
        stream, _, time, kind, *words = line.split()
        values = dict(w.split("=", 1) for w in words if "=" in w)
        if time == "+":
            current[3].update({"more_" + k: v for k, v in values.items()})
        else:
            current = [int(time), stream, kind, values]
            records.append(current)
    records.sort(key=lambda r: r[0])  # stable: within a stream as they are
    names, threads, events = Names(), {}, []
    told = collections.defaultdict(asked.Thread)
    for time, stream, kind, v in records:
        if not kind.startswith("unit_"):
            continue
        thread = threads.setdefault(stream, f"T{len(threads)}")
        event = "CREATE" if kind == "unit_spawn" else kind[5:].upper()
        numbers = {k: asked.SYNC[w] if k == "sync" else int(w, 0) for k, w in v.items()}
        if event == "BEGIN":
            names.other("x", numbers["xstream"])
        elif event == "POLLS":
            pair = events[-2:] if events[-1][0] == thread else [e for e in events if e[0] == thread][-2:]
            events.extend(pair * int(v["count"]))
        elif event in DEFINED:
            # Names are given in the order of an expectation's words: unit, xs, pool, caller, so.
            unit = names.create(numbers["unit"]) if event == "CREATE" else names.unit(numbers["unit"])
            found = {"xs": names.other("x", numbers.get("more_xstream", told[stream].xstream)) if "xs" in DEFINED[event] else None,
                     "pool": names.other("p", numbers.get("pool", 0)), "depth": v.get("depth"),
                     "caller": names.unit(told[stream].caller(kind[5:], numbers)), "st": SYNC.get(v.get("sync")),
                     "so": names.unit(numbers.get("object", 0))}
            events.append((thread, event, unit, {w: found[w] for w in DEFINED[event]}))
        told[stream].step(kind[5:], numbers)
    return events


def without_races(events):
    """Behind the creation of a second execution stream: whether a unit over there has ended when it is joined, so that nobody has to wait, is timing."""
    first = next((i for i, e in enumerate(events) if e[0] == "T0" and e[1] == "CREATE" and e[3]["caller"] == "-"), len(events))
    return events[:first] + [e for e in events[first:] if not (e[2] == "h1" and e[1] in ("SUSPEND", "RESUME", "RUN"))]


def difference(want, found):
    """None, or where each thread's events differ."""
    for thread in sorted({e[0] for e in want} | {e[0] for e in found}):
        a, b = ([e[1:] for e in events if e[0] == thread] for events in (want, found))
        for i in range(max(len(a), len(b))):
            x, y = (events[i] if i < len(events) else None for events in (a, b))
            if x != y:
                return f"{thread}, event {i + 1}: {x} was to come, not {y}"
    return None
