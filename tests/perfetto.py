#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `otter-build --perfetto` writes, decoded by protoc, against the tables of the same dump.

Each trace is decoded with the fields that tests/perfetto/trace.proto names, and no field is left that it does not name. Slices do
not overlap on their tracks, states are those of state_intervals.csv, slices of tasks begin and end as nodes.csv says, flows begin
and end once and are those of edges.csv, and cut into small files it is the same.

Usage: perfetto.py [NAME...]     (all dumps, or these)
"""
import collections

from common import *

NAME, PLACE, report = "perfetto", WORK / "perfetto", Report()
PROTO = ROOT / "tests" / "perfetto"

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
WORDS = re.compile(r'"((?:[^"\\]|\\.)*)"')


def parse(text):
    """The messages of protoc's text, as {field: [values]}; None and a reason where a field is not named."""
    stack = [collections.defaultdict(list)]
    for line in text.splitlines():
        line = line.strip()
        if line[:1].isdigit():
            raise ValueError(f"a field that trace.proto does not name: {line}")
        if line.endswith("{"):
            message = collections.defaultdict(list)
            stack[-1][line[:-1].strip()].append(message)
            stack.append(message)
        elif line == "}":
            stack.pop()
        else:
            name, value = line.split(": ", 1)
            word = WORDS.fullmatch(value)
            stack[-1][name].append(word.group(1) if word else True if value == "true" else float(value) if "." in value or "e" in value else int(value))
    return stack[0]


class Trace:
    """One file: tracks, and what is on them in ns of the real time."""

    def __init__(self, path):
        with open(path, "rb") as file:
            decoded = subprocess.run(["protoc", "--decode=Trace", "-I", PROTO, "trace.proto"], stdin=file, capture_output=True, text=True)
        if decoded.returncode != 0:
            raise ValueError(f"protoc: {decoded.stderr.strip()}")
        self.tracks, self.slices, self.counters, self.flows, self.ends, self.instants = {}, [], collections.defaultdict(list), {}, {}, 0
        packets = parse(decoded.stdout)["packet"]
        head = packets[0]["clock_snapshot"][0]
        if head["primary_trace_clock"] != [1] or [c["clock_id"] for c in head["clocks"]] != [[1], [3]]:
            raise ValueError("the first packet does not say what the time is")
        self.sequences, opened = {}, {}
        for packet in packets[1:]:
            self.take(packet, opened)
        if opened:
            raise ValueError(f"{len(opened)} slices do not end")

    def take(self, packet, opened):
        for track in packet["track_descriptor"]:
            if track["uuid"][0] in self.tracks:
                raise ValueError("a track comes twice")
            self.tracks[track["uuid"][0]] = track
        if not packet["trusted_packet_sequence_id"]:
            return
        number = packet["trusted_packet_sequence_id"][0]
        for snapshot in packet["clock_snapshot"]:
            clocks = {c["clock_id"][0]: c["timestamp"][0] for c in snapshot["clocks"]}
            if clocks[1] != clocks[64] or number in self.sequences:
                raise ValueError("the clock of a sequence is not the others'")
            self.sequences[number] = {"time": clocks[64]}
        sequence = self.sequences[number]
        if packet["sequence_flags"] == [1]:
            sequence["track"] = packet["trace_packet_defaults"][0]["track_event_defaults"][0]["track_uuid"][0]
            data = packet["interned_data"][0]
            sequence["names"] = {n["iid"][0]: n["name"][0] for n in data["event_names"]}
            sequence["annotations"] = {n["iid"][0]: n["name"][0] for n in data["debug_annotation_names"]}
        for event in packet["track_event"]:
            sequence["time"] += packet["timestamp"][0]
            self.event(event, sequence["time"], sequence, opened)

    def event(self, event, time, sequence, opened):
        track = event["track_uuid"][0] if event["track_uuid"] else sequence["track"]
        if track not in self.tracks:
            raise ValueError("an event on no track")
        kind = event["type"][0]
        if kind == 1:
            name = event["name"][0] if event["name"] else sequence["names"][event["name_iid"][0]]
            notes = {sequence["annotations"][a["name_iid"][0]]: (a["uint_value"] + a["bool_value"])[0] for a in event["debug_annotations"]}
            if track in opened:
                raise ValueError("a slice begins in another one")
            opened[track] = {"track": track, "name": name, "begin": time, **notes}
        elif kind == 2:
            slice_ = opened.pop(track)
            slice_["end"] = time
            self.slices.append(slice_)
        elif kind == 3:
            self.instants += 1
        elif kind == 4:
            self.counters[track].append((time, event["double_counter_value"][0]))
        for side, ids in ((self.flows, event["flow_ids"]), (self.ends, event["terminating_flow_ids"])):
            for flow in ids:
                flow = int(flow)
                if flow in side:
                    raise ValueError(f"flow {flow:#x} begins or ends twice")
                side[flow] = (time, opened[track])

    def check_flows(self):
        if self.flows.keys() != self.ends.keys():
            return f"{len(self.flows.keys() ^ self.ends.keys())} flows have one end"
        bad = [f for f in self.flows if self.flows[f][0] > self.ends[f][0]]
        return f"{len(bad)} flows end before they begin" if bad else None

    def path(self, track):
        """The process, and the names of the track and of those around it."""
        names, at = [], track
        while at is not None:
            t = self.tracks[at]
            names.append((t["name"] or [None])[0] or (t["thread"] and t["thread"][0]["thread_name"][0]) or t["process"][0]["process_name"][0])
            process = at >> 32
            at = t["parent_uuid"][0] if t["parent_uuid"] else None
        return process - 1, tuple(names[:-1])


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def build(dump, out, *options):
    empty(PLACE / "out")
    result = run([BUILDER, "-q", "-o", PLACE / "out" / out, *options, *dump], PASSIVE)
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
    pairs = {kind: collections.Counter() for kind in range(3)}
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


def check(dump, split_bytes):
    why = build(dump, "out", "--perfetto", "--csv", "--states", "--parallelism")
    if why:
        return why
    out = PLACE / "out" / "out"
    try:
        trace = Trace(out / "trace.pftrace")
        nodes = {int(r["id"]): r for r in table(out / "nodes.csv")}
        states = table(out / "state_intervals.csv")
        why, bases = check_states(trace, states)
        why = why or trace.check_flows() or check_tasks(trace, nodes, bases, states) or check_edges(trace, nodes, table(out / "edges.csv")) or \
            check_counters(trace, table(out / "parallelism.csv"))
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
    large = [f.name for f in files if f.stat().st_size > n_bytes]
    traces = [Trace(f) for f in files]
    why = next((t.check_flows() for t in traces if t.check_flows()), None)
    # A 4096th of the time is never cut: where a busy machine has stopped the program, much happens in one.
    if why or 2 * len(large) > len(files):
        return why or f"larger than {n_bytes} bytes: {large}"
    key = lambda s: tuple(sorted((k, v) for k, v in s.items()))
    if collections.Counter(key(s) for t in traces for s in t.slices) != collections.Counter(key(s) for s in whole.slices):
        return "other slices than in one file"
    return None if 0 < sum(len(t.flows) for t in traces) <= len(whole.flows) else "flows are lost"


def check_kept(name):
    """A dump of tests/golden, such as of devices, units of Argobots, killed and damaged processes: what holds of any trace."""
    place = empty(PLACE / "kept")
    subprocess.run(["tar", "-xf", ROOT / "tests" / "golden" / f"{name}.tar.xz", "-C", place], check=True)
    dump = sorted(place.rglob("*.otter"))
    why = build(dump, "out", "--perfetto", "--csv", "--states")
    if why:
        return why
    try:
        trace = Trace(PLACE / "out" / "out" / "trace.pftrace")
        why = trace.check_flows() or check_states(trace, table(PLACE / "out" / "out" / "state_intervals.csv"))[0]
        nodes = table(PLACE / "out" / "out" / "nodes.csv")
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
    env = {"OTTER_DIR": empty(PLACE / name), "OMP_NUM_THREADS": str(RUNS[name]), **({"OTTER_RING": "32K"} if name == "killed" else {})}
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
            report.check(f"{NAME}/{name}", check(dump, 40000 if name in ("fib", "crowd") else 0) if dump else "not recorded")
    for file in sorted((ROOT / "tests" / "golden").glob("*.tar.xz")):
        name = file.name.split(".")[0]
        if not sys.argv[1:] or name in sys.argv[1:]:
            report.check(f"{NAME}/{name}-kept", check_kept(name))
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
