#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `otter-build --chrome` writes, parsed as JSON, against summary.json and the tables of the same dump.

Times are compared to the nanosecond: threads and processes have names, states add up to those of the summary, slices of a row do
not overlap and are those of nodes.csv, with the arguments that the tables say, flows begin and end once, within slices, and are as many as tasks, dependences and waits.
Names full of quotes and control characters are text. A run with more than a million nodes is folded, as are the processes before
the one with which the run becomes so large.

Usage: chrome.py
"""
import collections
import decimal

from common import *

sys.path.insert(0, str(ROOT / "tests" / "perfetto"))
import arguments

NAME, PLACE, report = "chrome", WORK / "chrome", Report()

PROGRAM = FIB + r"""
#include <stdlib.h>
static void depend(int n)
{
	int a[4] = {0};
	for (int i = 0; i < n; i++)
#pragma omp task depend(inout : a[i % 4])
		for (volatile int k = 0; k < 500; k++)
			;
#pragma omp taskwait
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
#pragma omp parallel
#pragma omp single
	{
		depend(n < 0 ? 1000 : 12); /* one slice begins the flows of a thousand tasks */
		fib(n);
	}
}
"""


def record(name, argument, threads):
    run([LAUNCHER, "-q", "--", PLACE / "program", argument], {"OTTER_DIR": empty(PLACE / name), "OMP_NUM_THREADS": str(threads)})
    return dumps_in(PLACE / name)


def ns(us):
    """A time of the file in ns; it has to be a whole number of them."""
    value = decimal.Decimal(us) * 1000
    if value != int(value):
        raise ValueError(f"{us} us is not a whole number of ns")
    return int(value)


class Trace:
    def __init__(self, path):
        whole = json.loads(path.read_text(encoding="utf-8"), parse_float=decimal.Decimal, object_pairs_hook=self.no_key_twice)
        self.begin_ns = int(whole["otherData"]["begin_realtime_ns"])
        self.names, self.processes, self.slices, self.flows = {}, {}, collections.defaultdict(list), {"s": {}, "f": {}}
        self.counters, opened = collections.defaultdict(list), {}
        for e in whole["traceEvents"]:
            row, at = (e["pid"], e["tid"]), ns(e["ts"])
            if e["ph"] == "M" and e["name"].endswith("_name"):
                where, key = (self.names, row) if e["name"] == "thread_name" else (self.processes, e["pid"])
                if key in where:
                    raise ValueError(f"{key} has two names")
                where[key] = e["args"]["name"]
            elif e["ph"] == "X":
                self.slices[row].append((at, at + ns(e["dur"]), e["name"], e["cat"], e.get("args", {})))
            elif e["ph"] == "B":
                opened[row] = at, e
            elif e["ph"] == "E":
                begin, b = opened.pop(row)
                self.slices[row].append((begin, at, b["name"], b["cat"], b.get("args", {})))
            elif e["ph"] in "sf":
                key = e["cat"], e["id"]
                if key in self.flows[e["ph"]] or (e["ph"] == "f" and e["bp"] != "e"):
                    raise ValueError(f"flow {key} begins or ends twice, or outside")
                self.flows[e["ph"]][key] = at, row
            elif e["ph"] == "C":
                self.counters[e["pid"], e["name"]].append((at, float(*e["args"].values())))
        if opened:
            raise ValueError(f"{len(opened)} slices do not end")

    @staticmethod
    def no_key_twice(pairs):
        if len({k for k, _ in pairs}) != len(pairs):
            raise ValueError(f"a key comes twice: {pairs}")
        return dict(pairs)

    def wrong(self):
        """What holds of any trace."""
        for row, slices in self.slices.items():
            if row not in self.names or row[0] not in self.processes:
                return f"{row} has no name"
            if any(after[0] < before[1] for before, after in zip(sorted(slices), sorted(slices)[1:])):
                return f"slices of {row} overlap"
        begins, ends = self.flows["s"], self.flows["f"]
        if begins.keys() != ends.keys():
            return f"{len(begins.keys() ^ ends.keys())} flows have one end"
        if any(begins[k][0] > ends[k][0] for k in begins):
            return "flows end before they begin"
        rows = {row: sorted(slices) for row, slices in self.slices.items()}
        for side in (begins, ends):
            for at, row in side.values():
                if not any(b <= at <= e for b, e, *_ in rows[row]):
                    return "a flow in no slice"
        return None

    def states(self):
        """By name: how many, and how long together."""
        counts, times = collections.Counter(), collections.Counter()
        for slices in self.slices.values():
            for begin, end, name, kind, _ in slices:
                if kind == "state":
                    counts[name] += 1
                    times[name] += end - begin
        return counts, times


def table(name):
    with open(PLACE / "out" / name, newline="") as file:
        return list(csv.DictReader(file))


def read(dumps, *options):
    """The trace, the summary, and why there are none."""
    shutil.rmtree(PLACE / "out", ignore_errors=True)
    result = run([BUILDER, "-q", "-o", PLACE / "out", "--chrome", "--summary", "--csv", "--states", "--parallelism", *options, *dumps])
    why = result.why([0, 3])
    if why:
        return None, None, why
    try:
        trace = Trace(PLACE / "out" / "trace.json")
    except (ValueError, KeyError) as e:
        return None, None, f"{type(e).__name__}: {e}"
    return trace, json.loads((PLACE / "out" / "summary.json").read_text()), trace.wrong()


def check_states(trace, summary):
    counts, times = trace.states()
    rows = table("state_intervals.csv")
    if counts != collections.Counter(r["state"] for r in rows):
        return f"other states than in state_intervals.csv: {counts}"
    # The summary adds up before it counts in ns: each interval may be rounded.
    listed = {name: s["ns"] for name, s in summary["states"]["total"].items()}
    wrong = [n for n in listed.keys() | times.keys() if abs(listed.get(n, 0) - times[n]) > counts[n]]
    return f"states {wrong}: {times}, not {listed}" if wrong else None


def check_tasks(trace, summary):
    """The first and the last slice of each task are where nodes.csv has it."""
    nodes = {int(r["id"]): r for r in table("nodes.csv")}
    slices = collections.defaultdict(list)
    for listed in trace.slices.values():
        for begin, end, name, kind, arguments in listed:
            if "node" in arguments:
                slices[arguments["node"]].append((begin, end, name, kind))
    tasks = [i for i, r in nodes.items() if r["kind"] == "task"]
    if len(tasks) != summary["tasks"]["explicit"] or any(i not in slices for i in tasks):
        return f"{sum(i in slices for i in tasks)} tasks, not {summary['tasks']['explicit']}"
    wrong = [i for i in tasks if min(slices[i])[0] - min(slices[tasks[0]])[0] != int(nodes[i]["begin_ns"]) - int(nodes[tasks[0]]["begin_ns"]) or
             max(s[1] for s in slices[i]) - min(slices[i])[0] != int(nodes[i]["end_ns"]) - int(nodes[i]["begin_ns"])]
    labels = {c["number"]: c["label"] for c in table("constructs.csv")}
    unnamed = [i for i in tasks if {s[2:] for s in slices[i]} != {(labels[nodes[i]["construct"]], "task")}]
    return f"tasks {wrong[:3]} are at other times" if wrong else f"tasks {unnamed[:3]} have other names" if unnamed else None


def check_arguments(trace, dumps, is_whole):
    nodes, constructs = {int(r["id"]): r for r in table("nodes.csv")}, {r["number"]: r for r in table("constructs.csv")}
    bases = {}
    for r in table("state_intervals.csv"):
        process = int(r["process"])
        bases[process] = min(bases.get(process, int(r["begin_ns"])), int(r["begin_ns"]))
    first = {p: min(s[0] for row, listed in trace.slices.items() if row[0] == p + 1 for s in listed if s[3] == "state") for p in bases}
    slices, states = [], []
    for (pid, row), listed in trace.slices.items():
        name_of = trace.names[pid, row].split()
        for begin, end, name, kind, args in listed:
            if kind == "state":
                shift = bases[pid - 1] - first[pid - 1]
                states.append((pid - 1, name_of[1].rstrip(","), name, begin + shift, end + shift, args))
            elif "node" in args:
                slices.append((begin, name, args))
    return arguments.check_slices(slices, nodes, constructs) or arguments.Waits(states, nodes, table("edges.csv"), constructs).check(is_whole) or \
        arguments.check_processors(states, dumps, BUILDER)


def check_flows(trace, summary):
    mine = collections.Counter(kind for kind, _ in trace.flows["s"])
    expected = summary["tasks"]["explicit"] + summary["tasks"]["implicit"] - summary["graph"]["nodes"]["region"]
    if mine["create"] != expected:
        return f"{mine['create']} creations, not {expected}"
    if mine["depend"] != summary["graph"]["edges"]["depend"]:
        return f"{mine['depend']} dependences, not {summary['graph']['edges']['depend']}"
    return None if 0 < mine["wake"] <= summary["graph"]["nodes"]["taskwait"] else f"{mine['wake']} waits are ended"


def check_counters(trace, summary):
    """How long all threads worked, by the summary."""
    states = summary["states"]["total"]
    for counter, begin in (("running", "work_"), ("waiting", "wait_")):
        mine = sum(v * (after - at) for (_, name), values in trace.counters.items() if name == counter
                   for (at, v), (after, _) in zip(values, values[1:]))
        expected = sum(s["ns"] for name, s in states.items() if name.startswith(begin))
        if abs(mine - expected) > 1e-3 * expected + 1000 * len(trace.counters):
            return f"{counter}: {mine} ns, not {expected}"
    return None


def check_run(dumps):
    trace, summary, why = read(dumps)
    return why or check_states(trace, summary) or check_tasks(trace, summary) or check_flows(trace, summary) or check_arguments(trace, dumps, True) or check_counters(trace, summary)


def check_folded(small, large):
    """The large process comes last: what was written of the other one is folded, too."""
    trace, summary, why = read([*small, *large], "--merge")
    if why:
        return why
    if trace.slices or trace.flows["s"]:
        return "it is not folded"
    if len(trace.processes) != 2 or (PLACE / "out" / "trace.json").stat().st_size > 1 << 20:
        return f"{len(trace.processes)} processes, {(PLACE / 'out' / 'trace.json').stat().st_size} bytes"
    result = run([BUILDER, "--force", "-o", PLACE / "out", "--chrome", *large])
    if result.status != 0 or "trace.json: more than 1000000 nodes" not in result.err:
        return f"status {result.status}: {result.err}"
    return check_counters(trace, summary)


def check_kept(name):
    place = empty(PLACE / "kept")
    shutil.unpack_archive(ROOT / "tests" / "golden" / f"{name}.tar.xz", place)
    dumps = sorted(place.rglob("*.otter"))
    trace, _, why = read(dumps)
    why = why or check_arguments(trace, dumps, False)
    if why:
        return why
    kernels = sum(r["kind"] == "kernel" for r in table("nodes.csv"))
    shown = sum(s[3] == "device" for slices in trace.slices.values() for s in slices)
    return None if shown >= kernels else f"{shown} slices on devices, {kernels} kernels"


def main():
    source = PLACE / "program.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(PROGRAM)
    # The name of the file is in the labels.
    hostile = PLACE / 'a"\\b\t<\x7f.c'
    hostile.write_text(PROGRAM)
    for name, file, argument, threads in (("plain", source, "12", 4), ("crowd", source, "-1", 2), ("names", hostile, "5", 2)):
        if report.check(f"{NAME}/{name}/compile", compile_c(file, PLACE / "program").why([0])):
            dumps = record(name, argument, threads)
            report.check(f"{NAME}/{name}", check_run(dumps) if dumps else "not recorded")
    small, large = dumps_in(PLACE / "plain"), record("large", "28", 2)
    report.check(f"{NAME}/folded", check_folded(small, large) if small and large else "not recorded")
    for file in sorted((ROOT / "tests" / "golden").glob("*.tar.xz")):
        name = file.name.split(".")[0]
        report.check(f"{NAME}/{name}-kept", check_kept(name))
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
