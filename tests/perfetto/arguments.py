# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of slices and states in trace.pftrace and trace.json, against the tables of the same dump. Used by
tests/perfetto.py and tests/chrome.py, which bring what they have read into the same form."""
import collections
import re
import subprocess

SYNCS = {"wait_taskwait": "taskwait", "wait_taskgroup": "taskgroup"}
PLACE = ("kind", "file", "line", "function")


def place_of(construct):
    """The arguments that a construct gives, as in constructs.csv."""
    place = {key: construct[key] for key in PLACE if construct[key]}
    return {**place, "line": int(place["line"])} if "line" in place else place


def check_slices(slices, nodes, constructs):
    """`slices`: (begin, name, arguments) of each slice of a task; `nodes`, `constructs`: rows by number."""
    first = {}
    for begin, name, arguments in slices:
        row = nodes[arguments["node"]]
        construct = constructs.get(row["construct"])
        mine = {key: arguments[key] for key in PLACE if key in arguments}
        expected = place_of(construct) if construct else {}
        if mine != expected or (construct and construct["label"] and name != construct["label"]):
            return f"a slice of node {row['id']} has {name} {mine}, not {expected}"
        if "ready_ns" in arguments and row["id"] in first and first[row["id"]][0] <= begin:
            return f"a later slice of node {row['id']} has ready_ns"
        if row["id"] not in first or begin < first[row["id"]][0]:
            first[row["id"]] = begin, arguments.get("ready_ns")
    wrong = [(n, r, nodes[int(n)]["ready_ns"]) for n, (_, r) in first.items() if (str(r) if r is not None else "") != nodes[int(n)]["ready_ns"]]
    return f"ready_ns of node {wrong[0][0]}: {wrong[0][1]}, not {wrong[0][2]}, and {len(wrong) - 1} others" if wrong else None


class Waits:
    """`states`: (process, stream, name, begin, end, arguments) of each state, at the times of the tables."""

    def __init__(self, states, nodes, edges, constructs):
        self.states, self.nodes, self.constructs = states, nodes, constructs
        self.sources, self.at = collections.defaultdict(list), collections.defaultdict(list)
        for e in edges:
            if e["kind"] in ("taskwait", "taskgroup"):
                self.sources[int(e["target"])].append(nodes[int(e["source"])])
        for row in nodes.values():
            if row["kind"] in ("taskwait", "taskgroup", "barrier") and row["begin_ns"] and row["end_ns"]:
                self.at[row["process"], row["kind"], row["stream"] if row["kind"] != "barrier" else ""].append(row)

    def around(self, process, stream, name, begin, end):
        """The nodes of that kind of which the state may be a part, the innermost first."""
        kind = SYNCS.get(name, "barrier")
        rows = self.at[str(process), kind, stream if kind != "barrier" else ""]
        rows = [r for r in rows if int(r["begin_ns"]) <= begin and end <= int(r["end_ns"])]
        return sorted(rows, key=lambda r: -int(r["begin_ns"]))

    def label(self, row):
        return self.constructs.get(row["construct"], {}).get("label", "")

    def awaited(self, node):
        """The labels of the tasks that ended last, in the wait; none: all of them had ended before."""
        ends = [(int(r["end_ns"]), self.nodes[int(r["task"])]) for r in self.sources[int(node["id"])] if r["end_ns"] and r["task"]]
        last = max((e for e, _ in ends), default=-1)
        return {self.label(task) for end, task in ends if end == last and end >= int(node["begin_ns"])}

    def check(self, is_whole=True):
        """`is_whole`: nothing is missing in the dump, and no task waits on several streams."""
        labels = {c["label"]: c for c in self.constructs.values()}
        n_awaited = collections.Counter()
        for process, stream, name, begin, end, arguments in self.states:
            mine = {key: arguments[key] for key in PLACE if key in arguments}
            if not name.startswith("wait_"):
                if mine or "label" in arguments or "awaited" in arguments:
                    return f"{name} at {begin} has {arguments}"
                continue
            if "label" in arguments:
                expected = place_of(labels[arguments["label"]])
                if {**expected, **mine} != expected or mine.get("line") != expected.get("line"):
                    return f"{name} at {begin} has {mine}, not {expected}"
            if not name.startswith(("wait_task", "wait_barrier")):
                continue
            why = self.check_sync(process, stream, name, begin, end, arguments, is_whole)
            if why:
                return why
            n_awaited[name] += "awaited" in arguments
        return None if not is_whole or not self.states or sum(n_awaited.values()) or not any(s[2] in SYNCS for s in self.states) else "no wait has awaited"

    def check_sync(self, process, stream, name, begin, end, arguments, is_whole):
        around = self.around(process, stream, name, begin, end)
        if not is_whole or not around:
            return f"{name} at {begin} is in no node" if is_whole and name in SYNCS else None
        if arguments.get("label") not in {self.label(r) for r in (around[:1] if name in SYNCS else around)}:
            return f"{name} at {begin} is at {arguments.get('label')}, not {self.label(around[0])}"
        if name == "wait_taskwait" and begin < end:
            expected = self.awaited(around[0])
            if arguments.get("awaited", "") not in (expected or {""}):
                return f"{name} at {begin} waits for {arguments.get('awaited')}, not {expected}"
        return None


def check_processors(states, dumps, builder):
    """States without a processor have those of the records of the kernel, whose times differ from the tables' by little."""
    offs = collections.defaultdict(list)
    listed = subprocess.run([builder, "-q", "--list", *dumps], capture_output=True, text=True).stdout
    stream, n = "", 0
    for line in listed.splitlines():
        found = re.search(r" switches is_first=\d stream=(\d+)", line)
        stream = found[1] if found else stream
        found = re.search(r" off begin=(\d+) why=(\w+) cpu=(\d+) end=(\d+) next_cpu=(\d+)", line)
        if found:
            offs[stream].append((int(found[1]), int(found[4]), found[2], int(found[3]), int(found[5])))
    for _, stream, name, begin, end, arguments in states:
        if "cpu" not in arguments:
            if "next_cpu" in arguments:
                return f"{name} at {begin} has no processor before"
            continue
        n += 1
        fits = [(abs(o[0] - begin), o) for o in offs[stream] if o[0] <= begin + 2000 and (o[1] == 0 or end <= o[1] + 2000) and
                (o[2] == "preempted") == (name == "preempted") and o[3] == arguments["cpu"] and arguments.get("next_cpu", o[4]) == o[4]]
        if not fits or name not in ("preempted", "blocked"):
            return f"{name} at {begin} on {stream} has {arguments}"
        # Who got this processor first, of the threads that are recorded. An end of 0 is none yet: a later record may have it.
        off = min(fits, key=lambda fit: (fit[0], -fit[1][1]))[1]
        others = [(o[1], other) for other, listed in offs.items() for o in listed if o[4] == off[3] and o[2] != "unknown" and off[0] <= o[1] < (off[1] or end + 1)]
        first = min(others, default=(0, stream))[1]
        expected = int(first) if name == "preempted" and first != stream else None
        if arguments.get("taken_by") != expected:
            return f"{name} at {begin} on {stream} is taken by {arguments.get('taken_by')}, not {expected}"
    return None if n or not any(offs.values()) or not any(s[2] in ("preempted", "blocked") for s in states) else "no state has its processor"
