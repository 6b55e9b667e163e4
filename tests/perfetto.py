#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `otter-build --perfetto` writes, decoded by protoc, against the tables of the same dump.

Each trace is decoded with the fields that tests/perfetto/trace.proto names, and no field is left that it does not name. Slices do
not overlap on their tracks, states are those of state_intervals.csv, slices of tasks begin and end as nodes.csv says, flows begin
and end once and are those of edges.csv, the arguments are those of the tables, and cut into small files it is the same.

Usage: perfetto.py [NAME...]     (all dumps, or these)
"""
import collections

from common import *

sys.path.insert(0, str(ROOT / "tests" / "perfetto"))
import arguments
from pftrace import Trace

NAME, PLACE, report = "perfetto", WORK / "perfetto", Report()

PROGRAM = r"""
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
static volatile int sum;
""" + FIB + r"""
static void work(void) { for (volatile int i = 0; i < 500; i++) ; }
static void depend(void)
{
	int a[8] = {0};
	for (int k = 0; k < 40; k++)
		for (int i = 0; i < 7; i++)
#pragma omp task depend(in : a[i]) depend(inout : a[i + 1])
			work();
#pragma omp taskwait
}
static void groups(int depth)
{
#pragma omp taskgroup
	for (int i = 0; i < 3 && depth > 0; i++)
#pragma omp task untied
	{
		groups(depth - 1);
#pragma omp taskyield
		work();
	}
}
int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	for (int k = 0; k < 3; k++)
#pragma omp parallel
#pragma omp single
	{
		if (strcmp(mode, "fib") == 0)
			fib(12);
		if (strcmp(mode, "depend") == 0 || strcmp(mode, "killed") == 0)
			depend();
		if (strcmp(mode, "groups") == 0)
			groups(5);
		if (strcmp(mode, "crowd") == 0)
			for (int i = 0; i < 1000; i++)
#pragma omp task
				work();
		if (strcmp(mode, "killed") == 0 && k == 2)
			kill(getpid(), SIGKILL);
	}
}
"""
RUNS = {"fib": 4, "depend": 3, "groups": 4, "crowd": 2, "killed": 2}
# The thread that creates the crowd does not execute it in between.
SETTINGS = {"killed": {"OTTER_RING": "32K"}, "crowd": {"KMP_ENABLE_TASK_THROTTLING": "0"}}


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def build(dump, out, *options):
    empty(PLACE / "out")
    result = run([BUILDER, "-q", "-o", PLACE / "out" / out, *options, *dump])
    return result.why([0, 3])


def check_states(trace, rows):
    """The states one by one, at times with the same distance in each process."""
    mine, theirs, bases = collections.Counter(), collections.Counter(), {}
    slices = collections.defaultdict(list)
    for s in trace.slices:
        process, path = trace.path(s["track"])
        if path[0] == "state":
            slices[process].append((path[1].split()[-1], s["name"], s["begin"], s["end"]))
    for process in {int(r["process"]) for r in rows}:
        listed = [r for r in rows if int(r["process"]) == process]
        if not slices[process]:
            return f"process {process} has no states"
        bases[process] = min(b for _, _, b, _ in slices[process]) - min(int(r["begin_ns"]) for r in listed)
        theirs.update((process, r["stream"], r["state"], int(r["begin_ns"]), int(r["end_ns"])) for r in listed)
        mine.update((process, t, n, b - bases[process], e - bases[process]) for t, n, b, e in slices[process])
    if mine != theirs:
        return f"states: {len(mine - theirs)} too many, {len(theirs - mine)} missing", bases
    return None, bases


def check_arguments(trace, nodes, edges, bases, dump, is_whole):
    constructs = {r["number"]: r for r in table(PLACE / "out" / "out" / "constructs.csv")}
    slices, states = [], []
    for s in trace.slices:
        process, path = trace.path(s["track"])
        if path[0] == "state":
            states.append((process, path[1].split()[-1], s["name"], s["begin"] - bases[process], s["end"] - bases[process], s))
        elif "node" in s:
            slices.append((s["begin"], s["name"], s))
    return arguments.check_slices(slices, nodes, constructs) or arguments.Waits(states, nodes, edges, constructs).check(is_whole) or \
        arguments.check_processors(states, dump, BUILDER)


def check_tasks(trace, nodes, bases, states):
    by_node = collections.defaultdict(list)
    for s in trace.slices:
        if "node" in s:
            process, path = trace.path(s["track"])
            by_node[s["node"]].append((s["begin"] - bases[process], s["end"] - bases[process], path[0].split()[-1], process))
    for id_, row in nodes.items():
        if row["kind"] not in ("task", "target", "implicit", "initial", "taskloop_split"):
            continue
        mine = sorted(by_node.get(id_, []))
        if not row["begin_ns"]:
            if mine:
                return f"task {id_} never began and has slices"
            continue
        if row["kind"] == "task" and not row["flags"].endswith("taskwait"):
            if not mine or mine[0][0] != int(row["begin_ns"]) or mine[0][2] != row["stream"]:
                return f"task {id_} begins otherwise: {mine[:1]}, {row['begin_ns']} on {row['stream']}"
            if row["state"] == "completed" and "detachable" not in row["flags"] and mine[-1][1] != int(row["end_ns"]):
                return f"task {id_} ends otherwise: {mine[-1:]}, {row['end_ns']}"
    # A thread that works does so in a slice, and one that waits for tasks is in none.
    work, covered = collections.defaultdict(int), collections.defaultdict(int)
    spans, waits = collections.defaultdict(list), collections.defaultdict(list)
    for pieces in by_node.values():
        for b, e, thread, process in pieces:
            spans[process, thread].append((b, e))
    for r in states:
        key = int(r["process"]), r["stream"]
        if r["state"].startswith(("work_serial", "work_parallel")):
            work[key] += int(r["end_ns"]) - int(r["begin_ns"])
            waits[key].append((int(r["begin_ns"]), int(r["end_ns"])))
    for key, listed in waits.items():
        mine, i = sorted(spans[key]), 0
        for b, e in sorted(listed):
            while i < len(mine) and mine[i][1] <= b:
                i += 1
            j = i
            while j < len(mine) and mine[j][0] < e:
                covered[key] += max(0, min(e, mine[j][1]) - max(b, mine[j][0]))
                j += 1
    return next((f"thread {k}: works for {work[k]} ns, in slices for {covered[k]}" for k in work if work[k] != covered[k]), None)


def check_edges(trace, nodes, edges):
    """Flows against the rows of edges.csv that could have one."""
    has_slice = {s["node"] for s in trace.slices if "node" in s}
    pairs = {kind: collections.Counter() for kind in range(4)}
    for flow, (_, source) in trace.flows.items():
        pairs[flow & 3][source.get("node"), trace.ends[flow][1].get("node")] += 1
    depends = collections.Counter()
    for e in edges:
        source, target = int(e["source"]), int(e["target"])
        s, t = nodes[source], nodes[target]
        if e["kind"] == "depend" and source in has_slice and target in has_slice and s["state"] == "completed" and \
                int(s["end_ns"]) <= int(t["begin_ns"]):
            depends[source, target] += 1
    if pairs[1] != depends:
        return f"dependences: {sum(pairs[1].values())} flows, {sum(depends.values())} edges"
    creates = collections.Counter((int(r["parent"]), i) for i, r in nodes.items() if r["kind"] == "task" and i in has_slice and int(r["parent"] or 0) in has_slice)
    mine = collections.Counter({p: n for p, n in pairs[0].items() if nodes[p[1]]["kind"] == "task"})
    if mine != creates:
        return f"creations: {len(mine - creates)} too many, {len(creates - mine)} missing"
    return check_wakes(pairs[2], nodes, edges, has_slice)


def check_wakes(wakes, nodes, edges, has_slice):
    """Each wait that its last task has let end, and no other, has one flow. An edge begins at the last node of its task."""
    waits = collections.defaultdict(set)
    for e in edges:
        task = int(nodes[int(e["source"])]["task"] or 0)
        if e["kind"] in ("taskwait", "taskgroup") and task in has_slice and nodes[task]["state"] == "completed":
            waits[int(e["target"])].add(task)
    mine, n_expected = collections.Counter(wakes), 0
    for node, tasks in waits.items():
        last, waiter = max(int(nodes[t]["end_ns"]) for t in tasks), int(nodes[node]["task"] or 0)
        candidates = [(t, waiter) for t in tasks if int(nodes[t]["end_ns"]) == last and mine[t, waiter]]
        is_in_wait = nodes[node]["begin_ns"] and int(nodes[node]["begin_ns"]) <= last <= int(nodes[node]["end_ns"])
        if nodes[node]["kind"] == "taskwait" and bool(candidates) != bool(is_in_wait):
            return f"the wait {node} of task {waiter} has {len(candidates)} flows"
        for pair in candidates[:1]:
            mine[pair] -= 1
            n_expected += 1
    wrong = [p for p, n in mine.items() if n]
    return f"no wait ends so: {wrong[:3]}" if wrong else None if n_expected or not waits else "nobody is woken"


def check_releases(trace):
    """What holds of each: who came last has ended that slice, and another thread goes on then that has waited longer than that took."""
    before, targets = {}, set()
    for slices in rows_of(trace).values():
        before.update((id(after), slices[:i + 1]) for i, after in enumerate(slices[1:]))
    for flow, (_, source) in trace.flows.items():
        target = trace.ends[flow][1]
        if flow & 3 != 3:
            continue
        if source["track"] == target["track"] or id(target) in targets or id(target) not in before:
            return f"to {target} comes no thread, or more than one"
        targets.add(id(target))
        cost, ended = target["begin"] - source["end"], [s["end"] for s in before[id(target)]]
        if cost < 0 or not any(source["end"] - e > cost for e in ended[-2:]):
            return f"{target} did not wait for {source}"
    return None


def rows_of(trace):
    """The slices of each thread, in the order of time, by the thread's number."""
    rows = collections.defaultdict(list)
    for s in trace.slices:
        name = trace.path(s["track"])[1][0]
        if name.startswith("thread "):
            rows[int(name.split()[1])].append(s)
    return {thread: sorted(slices, key=lambda s: (s["begin"], s["end"])) for thread, slices in rows.items()}


def check_barriers(dump):
    """Which flows there are follows from the text, and from who of the others has waited longer than the barrier took after the last one
    (on a busy machine, not all do)."""
    why = build(dump, "out", "--perfetto", "--chrome", "--csv")
    if why:
        return why
    out = PLACE / "out" / "out"
    trace = Trace(out / "trace.pftrace")
    nodes = {int(r["id"]): r for r in table(out / "nodes.csv")}
    by_node = collections.defaultdict(list)
    for slices in rows_of(trace).values():
        for s in slices:
            by_node[s["node"]].append(s)
    of_kind = lambda kind: [nodes[n] for n in sorted(by_node) if nodes[n]["kind"] == kind]
    regions = sorted({int(r["region"]) for r in of_kind("implicit")})
    teams = [[by_node[int(r["id"])] for r in of_kind("implicit") if int(r["region"]) == region] for region in regions]
    initial, task = (by_node[int(of_kind(kind)[0]["id"])] for kind in ("initial", "task"))
    # Thread k of the first team is the one that has slept before barrier k.
    length = lambda s: s["end"] - s["begin"]
    teams[0] = [max(teams[0], key=lambda slices: length(slices[k])) for k in range(4)]
    if len({slices[0]["track"] for slices in teams[0]}) != 4 or teams[0][0][0]["track"] != initial[0]["track"]:
        return "some thread came last to two barriers"
    waits = [(teams[0][k][k], teams[0][t][k], teams[0][t][k + 1]) for k in range(4) for t in range(4) if t != k]
    waits.append((teams[0][2][4], teams[0][0][4], initial[1]))
    waits += [(task[-1], t[0], t[1]) for t in teams[1] if t[0]["track"] != task[-1]["track"]]
    expected = collections.Counter((id(last), id(after)) for last, mine, after in waits
                                   if last["end"] - mine["end"] > after["begin"] - last["end"])
    mine = collections.Counter((id(source), id(trace.ends[f][1])) for f, (_, source) in trace.flows.items() if f & 3 == 3)
    at_ends = {id(initial[2])} # the second region's end, to which nobody is late by the text
    mine = collections.Counter({p: n for p, n in mine.items() if p[1] not in at_ends})
    if mine != expected or not expected:
        return f"{sum(mine.values())} flows of {len(waits)} waits, {len(mine - expected)} too many, {len(expected - mine)} missing"
    n = sum(f & 3 == 3 for f in trace.flows)
    chrome = collections.Counter(e["ph"] for e in json.loads((out / "trace.json").read_text())["traceEvents"] if e.get("cat") == "release")
    return None if chrome == {"s": n, "f": n} else f"in trace.json {dict(chrome)}, not {n}"


def check_waits(dump):
    """Where each long wait of tests/perfetto/waits.c is, and for what, in both formats. At the end either thread may come last."""
    why = build(dump, "out", "--perfetto", "--chrome")
    if why:
        return why
    out = PLACE / "out" / "out"
    expected = {(f"{label}@waits.c:{line}", other and f"{other}@waits.c:{at}") for label, line, other, at in (
        ("barrier", 13, "loop", 13), ("barrier", 16, "single", 16), ("critical", 18, None, 0), ("taskwait", 27, "task", 21),
        ("barrier", 11, "task", 21), ("barrier", 11, "parallel", 11))}
    states = [(s["name"], s["end"] - s["begin"], s) for s in Trace(out / "trace.pftrace").slices]
    events = json.loads((out / "trace.json").read_text())["traceEvents"]
    for listed in (states, [(e["name"], e["dur"] * 1000, e.get("args", {})) for e in events if e["ph"] == "X" and e["name"].startswith("wait_")]):
        found = {(a.get("label"), a.get("awaited")) for name, ns, a in listed if name.startswith("wait_") and ns > 50e6}
        if found - expected or len(found) < 3:
            return f"waits {found}"
    return None


def check_units():
    """Which unit lets which one go on, and which one's end, on the stand-in for Argobots: tests/perfetto/units.c."""
    standin, library = ROOT / "tests" / "argobots", PLACE / "libabt.so.1"
    for command in (["gcc", "-g", "-I", ROOT, "-pthread", "-fPIC", "-shared", "-Wl,-soname,libabt.so.1", *sorted(standin.glob("standin*.c")), "-o", library],
                    ["gcc", "-g", ROOT / "tests" / "perfetto" / "units.c", library, "-o", PLACE / "units"]):
        why = run(command).why([0])
        if why:
            return why
    env = {"LD_LIBRARY_PATH": str(PLACE), "LD_PRELOAD": str(RECORDER.with_name("libotter-abt.so")), "OTTER_DIR": empty(PLACE / "dumps")}
    why = run([PLACE / "units"], env).why([0]) or build(dumps_in(PLACE / "dumps"), "out", "--perfetto")
    if why:
        return why
    trace = Trace(PLACE / "out" / "out" / "trace.pftrace")
    found = collections.defaultdict(list)
    for flow, (at, source) in trace.flows.items():
        if flow & 3 > 1:
            end, target = trace.ends[flow]
            found[flow & 3, source["name"], target["name"]].append((at, source["end"], end))
    # The primary unit goes on once for each that it waits for; the setter has ended when the waiter does.
    joins = [(2, f"unit@{name}", "primary_unit") for name in ("holder", "wanter", "waiter", "alone")]
    expected = [*joins, (3, "unit@holder", "unit@wanter"), (3, "unit@setter", "unit@waiter")]
    if {key: len(flows) for key, flows in found.items()} != dict.fromkeys(expected, 5):
        return f"flows {({key: len(flows) for key, flows in found.items()})}"
    # Round by round; a unit that ends has ended when the other one goes on.
    mixed = [key for key, flows in found.items() for i, (begin, end, after) in enumerate(sorted(flows))
             if not begin <= after or (key[0] == 2 and end > after) or (i < 4 and after > sorted(flows)[i + 1][0])]
    return f"of other rounds: {mixed}" if mixed else None


def check_counters(trace, rows):
    for track, values in trace.counters.items():
        process, path = trace.path(track)
        column = {"ready": "ready_ns"}.get(path[0])
        listed = [r for r in rows if int(r["process"]) == process]
        expected = sum(int(v) for r in listed for c, v in r.items()
                       if (c == column if column else c.startswith("work_") if path[0] == "running" else c.startswith("wait_")))
        mine = sum(v * (after - at) for (at, v), (after, _) in zip(values, values[1:]))
        if abs(mine - expected) > 1e-3 * expected + 2 * len(values) * max([v for _, v in values] + [1]):
            return f"counter {path[0]}: {mine} ns, not {expected}"
    return None if trace.counters or not rows else "no counters"


def check(dump, split_bytes, is_crowd, is_whole):
    why = build(dump, "out", "--perfetto", "--csv", "--states", "--parallelism")
    if why:
        return why
    out = PLACE / "out" / "out"
    try:
        trace = Trace(out / "trace.pftrace")
        nodes = {int(r["id"]): r for r in table(out / "nodes.csv")}
        states = table(out / "state_intervals.csv")
        why, bases = check_states(trace, states)
        why = why or trace.check_flows() or check_releases(trace) or (check_crowd(trace) if is_crowd else None) or check_tasks(trace, nodes, bases, states) or check_edges(trace, nodes, table(out / "edges.csv")) or \
            check_arguments(trace, nodes, table(out / "edges.csv"), bases, dump, is_whole) or check_counters(trace, table(out / "parallelism.csv"))
        return why or check_split(dump, trace, split_bytes)
    except (ValueError, KeyError) as e:
        return f"{type(e).__name__}: {e}"


def check_split(dump, whole, n_bytes):
    """The same in several files, each understood alone, with the same slices together, and no flow from one to another."""
    if not n_bytes:
        return None
    why = build(dump, "split", "--perfetto", f"--perfetto-bytes={n_bytes}")
    files = sorted((PLACE / "out" / "split").glob("*.pftrace"))
    if why or len(files) < 3:
        return why or f"{len(files)} files of at most {n_bytes} bytes"
    traces = [Trace(f) for f in files]
    why = next((t.check_flows() for t in traces if t.check_flows()), None)
    # A 4096th of the time is never cut: where a busy machine has stopped the program, much happens in one.
    bounds = [at for values in whole.counters.values() for at, _ in values]
    least = (max(bounds) - min(bounds)) / 4096 + 2
    for file, trace in zip(files, traces):
        begins = [s["begin"] for s in trace.slices]
        if file.stat().st_size > n_bytes and max(begins) - min(begins) > least:
            return why or f"{file.name} is larger than {n_bytes} bytes, and has {max(begins) - min(begins)} ns, not {least:.0f}"
    key = lambda s: (s["track"], s["begin"], s["end"], s["name"], s.get("node"))
    places = collections.defaultdict(list)
    for n, trace in enumerate(traces):
        for s in trace.slices:
            places[key(s)].append(n)
    if {k: len(n) for k, n in places.items()} != collections.Counter(key(s) for s in whole.slices):
        return "other slices than in one file"
    # A flow is there if both of its slices are in the same file, and from the one to the other.
    ends = lambda trace, flow: (flow, key(trace.flows[flow][1]), key(trace.ends[flow][1]))
    expected = {end for end in (ends(whole, flow) for flow in whole.flows) if places[end[1]] == places[end[2]]}
    mine = [ends(t, flow) for t in traces for flow in t.flows]
    return why or (None if len(mine) == len(set(mine)) and set(mine) == expected else f"{len(mine)} flows, not {len(expected)}")


def check_crowd(trace):
    """Each of the three regions has one slice that creates all of its thousand tasks: 256 flows begin with it, and 256 at most with each of
    three instants later in it."""
    created = collections.Counter(id(source) for flow, (_, source) in trace.flows.items() if flow & 3 == 0)
    many = sorted(n for n in created.values() if n > 3)
    at = collections.Counter((id(source), time) for flow, (time, source) in trace.flows.items() if flow & 3 == 0 and created[id(source)] > 3)
    return None if many == [1000] * 3 and sorted(at.values()) == [232] * 3 + [256] * 9 and trace.instants == 9 else \
        f"slices create {many} tasks, at {sorted(at.values())}, with {trace.instants} instants"


def check_kept(name):
    """A dump of tests/golden, such as of devices, units of Argobots, killed and damaged processes: what holds of any trace."""
    place = empty(PLACE / "kept")
    shutil.unpack_archive(ROOT / "tests" / "golden" / f"{name}.tar.xz", place)
    dump = sorted(place.rglob("*.otter"))
    why = build(dump, "out", "--perfetto", "--csv", "--states")
    if why:
        return why
    try:
        trace = Trace(PLACE / "out" / "out" / "trace.pftrace")
        nodes = table(PLACE / "out" / "out" / "nodes.csv")
        why, bases = check_states(trace, table(PLACE / "out" / "out" / "state_intervals.csv"))
        why = trace.check_flows() or why or check_arguments(trace, {int(r["id"]): r for r in nodes}, table(PLACE / "out" / "out" / "edges.csv"), bases, dump, False)
        on_devices = sum(r["kind"] == "kernel" for r in nodes)
        shown = sum(trace.path(s["track"])[1][0].startswith("device ") for s in trace.slices)
        if not why and shown < on_devices:
            return f"{shown} slices on devices, {on_devices} kernels"
        units = {r["id"] for r in nodes if r["kind"] == "unit" and r["begin_ns"]}
        if not why and units and not any(trace.path(s["track"])[1][0].startswith("stream ") for s in trace.slices):
            return "no slices of units"
        return why
    except (ValueError, KeyError) as e:
        return f"{type(e).__name__}: {e}"


def record(name):
    env = {"OTTER_DIR": empty(PLACE / name), "OMP_NUM_THREADS": str(RUNS[name]), **SETTINGS.get(name, {})}
    result = run([LAUNCHER, "-q", "--", PLACE / "program", name], env)
    dumps = dumps_in(PLACE / name)
    return dumps if result.status == (-signal.SIGKILL if name == "killed" else 0) and len(dumps) == 1 else None


def main():
    if not shutil.which("protoc"):
        report.skip(NAME, "protoc is not installed")
        report.print()
        return 0
    (PLACE / "program.c").parent.mkdir(parents=True, exist_ok=True)
    (PLACE / "program.c").write_text(PROGRAM)
    if report.check(f"{NAME}/compile", compile_c(PLACE / "program.c", PLACE / "program").why([0])):
        for name in [n for n in sys.argv[1:] or RUNS if n in RUNS]:
            dump = record(name)
            report.check(f"{NAME}/{name}", check(dump, 40000 if name in ("fib", "crowd") else 0, name == "crowd", name in ("fib", "depend", "crowd")) if dump else "not recorded")
    if not sys.argv[1:] or "barriers" in sys.argv[1:]:
        why = compile_c(ROOT / "tests" / "perfetto" / "barriers.c", PLACE / "barriers").why([0])
        run([LAUNCHER, "-q", "--", PLACE / "barriers"], {"OTTER_DIR": empty(PLACE / "dumps"), **PASSIVE})
        report.check(f"{NAME}/barriers", why or check_barriers(dumps_in(PLACE / "dumps")))
    if not sys.argv[1:] or "waits" in sys.argv[1:]:
        why = compile_c(ROOT / "tests" / "perfetto" / "waits.c", PLACE / "waits").why([0])
        run([LAUNCHER, "-q", "--", PLACE / "waits"], {"OTTER_DIR": empty(PLACE / "dumps"), **PASSIVE})
        report.check(f"{NAME}/waits", why or check_waits(dumps_in(PLACE / "dumps")))
    if not sys.argv[1:] or "units" in sys.argv[1:]:
        report.check(f"{NAME}/units", check_units())
    for file in sorted((ROOT / "tests" / "golden").glob("*.tar.xz")):
        name = file.name.split(".")[0]
        if not sys.argv[1:] or name in sys.argv[1:]:
            report.check(f"{NAME}/{name}-kept", check_kept(name))
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
