# SPDX-License-Identifier: BSD-3-Clause
"""A dump beside the answers of a tool that asks the library everything about each event (asker.c), in the same run: event by event, field by field.

What the recorder does not ask is derived here as docs/graph.md says, from the thread's records before: who ran before a unit runs, and the
scheduler that frees a unit. What cannot be derived, and is lost, is told by name."""
import collections
import re

EVENTS = ("create", "join", "free", "revive", "run", "finish", "cancel", "yield", "suspend", "resume")
SYNC = {name: n for n, name in enumerate(("unknown", "user", "other", "xstream_join", "unit_join", "mutex", "cond", "rwlock", "eventual", "future", "barrier"))}
Asked = collections.namedtuple("Asked", "event unit xstream pool depth caller sync object")


def answers(text):
    """{OS thread: [Asked]}; null handles are 0."""
    threads = collections.defaultdict(list)
    for line in text.splitlines():
        thread, event, unit, xstream, pool, depth, caller, sync, thing = line.split()
        unit, xstream, pool, caller, thing = (0 if h == "(nil)" or int(h, 16) <= 0xff else int(h, 16) for h in (unit, xstream, pool, caller, thing))
        threads[int(thread)].append(Asked(EVENTS[int(event).bit_length() - 1], unit, xstream, pool, int(depth), caller, int(sync), thing))
    return threads


def records(text):
    """{OS thread: [(kind, {field: value})]}, from `otter-build --list`; polls unfolded, continuations with their record."""
    threads, thread = collections.defaultdict(list), {}
    for line in text.splitlines():
        stream, _, time, kind, *words = line.split()
        values = {k: v for k, v in (w.split("=", 1) for w in words if "=" in w)}
        if kind == "thread_attach":
            thread[stream] = int(values["tid"])
        if not kind.startswith("unit_") or kind in ("unit_begin", "unit_end"):
            continue
        into = threads[thread[stream]]
        numbers = {k: SYNC[v] if k == "sync" else int(v, 0) for k, v in values.items()}
        if time == "+":
            into[-1][1].update({"more_" + k: v for k, v in numbers.items()})
        elif kind == "unit_polls":
            into.extend(into[-2:] * numbers["count"])
        else:
            into.append(("create" if kind == "unit_spawn" else kind[5:], numbers))
    return threads


class Thread:
    """What one thread's records tell. `derived` counts what is not recorded and told by them; `n_lost`, what is not."""

    def __init__(self):
        self.xstream = 0
        self.below = {}  # depth -> the scheduler of units of this depth
        self.running = self.stopped = self.handed = None
        self.joins = {}  # unit that has stopped here last to join another one -> that one
        self.depth = 0   # of the unit that ran or stopped last
        self.n_lost, self.derived = 0, collections.Counter()

    def caller(self, event, v):
        """Who did it, recorded or derived: of a run, who ran before. Then step() is to be called."""
        if "stack_kib" in v:  # unit_spawn
            self.derived["create"] += 1
            return self.running
        said = v.get("previous", v.get("caller", 0))
        if said == 0 and event == "free" and self.stopped is not None:
            self.derived[event] += 1
            return self.below.get(self.depth, 0)
        if said == 0 and event == "run":
            self.derived[event] += 1
            return self.handed[1] if self.handed and self.handed[0] == v["unit"] else self.below.get(v["depth"], 0)
        return said

    def step(self, event, v):
        """The event has happened."""
        if event == "xstream":
            self.xstream = v["xstream"]
        elif event == "run":
            if v["previous"] not in (0, self.stopped):
                self.below[v["depth"]] = v["previous"]
            self.running, self.stopped, self.handed, self.depth = v["unit"], None, None, v["depth"]
            self.joins.pop(v["unit"], None)
        elif event in ("finish", "yield", "suspend"):
            self.running, self.stopped, self.depth = None, v["unit"], v["depth"]
            if event == "suspend" and v["sync"] == SYNC["unit_join"]:
                self.joins[v["unit"]] = v["object"]
        elif event == "resume" and v["caller"] in (self.running, self.stopped) and self.joins.get(v["unit"]) == v["caller"]:
            self.handed = (v["unit"], v["caller"])  # a unit that ends goes on with the one that joins it, if that has stopped here

    def pair(self, event, v, asked):
        """What is recorded of an event, and what the library says of it."""
        want, have = {"unit": asked.unit}, {"unit": v["unit"]}
        if event in ("create", "revive"):
            want["xstream"], have["xstream"] = asked.xstream, v.get("more_xstream", self.xstream)
        if event in ("create", "revive", "join", "free", "resume", "run"):
            want["caller"], have["caller"] = asked.caller, self.caller(event, v)
            if event == "run" and v["previous"] == 0 and have["caller"] != asked.caller == self.stopped:
                self.n_lost += 1  # handed over, of its own accord
                have["caller"] = asked.caller
        if event in ("run", "finish", "yield", "suspend"):
            want.update(xstream=asked.xstream, depth=min(asked.depth, 255))
            have.update(xstream=self.xstream, depth=v["depth"])
        if event in ("yield", "suspend"):
            want.update(sync=asked.sync, object=asked.object)
            have.update(sync=v["sync"], object=v["object"])
        if event in ("create", "revive", "yield", "resume"):
            want["pool"], have["pool"] = asked.pool, v["pool"]
        return want, have

    def difference(self, records, answers):
        """None, or where the thread's records and the answers differ first."""
        answers = iter(answers)
        for event, v in records:
            if event != "xstream":
                asked = next(answers, None)
                if asked is None or asked.event != event:
                    return f"recorded {event} {v}, the library says {asked}"
                want, have = self.pair(event, v, asked)
                if want != have:
                    return f"{event}: recorded {have}, the library says {want}"
            self.step(event, v)
        left = next(answers, None)
        return f"not recorded: {left}" if left else None
