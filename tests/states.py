# SPDX-License-Identifier: BSD-3-Clause
"""Thread states as the builder wrote them (docs/states.md), and what must hold of them whatever the program. Used by run.py, on every program.

A thread's life is read from the listing of its records, which knows nothing of states: its states fill it without gap and overlap.
"""
import collections
import re

from common import BUILDER, meta_of, otf2_print, pid_of, rows_of, run

NAME = r"[a-z_]+"


SWITCHES = str(2**20 - 1)  # the stream of all threads' context switches
NOT_STATES = "begin", "end", "ready", "untaken"  # columns of parallelism.csv
OFF = "preempted", "blocked"  # states that come by chance: the machine is busy, memory is not there yet


class States:
    """states.csv and state_intervals.csv of one dump."""

    def __init__(self, out):
        self.sums = {(int(r["stream"]), r["state"]): (int(r["count"]), int(r["total_ns"])) for r in rows_of(out / "states.csv")}
        self.intervals = collections.defaultdict(list)  # stream -> (state, begin, end) in order
        for r in rows_of(out / "state_intervals.csv"):
            self.intervals[int(r["stream"])].append((r["state"], int(r["begin_ns"]), int(r["end_ns"])))

    def sequences(self, stream):
        """Of each thread that had the stream, one after another: the states without those in which it has no processor."""
        threads, last = [], None
        for state, begin, end in self.intervals[stream]:
            if begin != last:
                threads.append([])
            if state not in OFF and threads[-1][-1:] != [state]:
                threads[-1].append(state)
            last = end
        return [" ".join(states) for states in threads if states]

    def count(self, state):
        return sum(n for (_, s), (n, _) in self.sums.items() if s == state)

    def spans(self, stream):
        """Begin and end of the times without a gap."""
        spans = []
        for _, begin, end in self.intervals[stream]:
            if spans and spans[-1][1] == begin:
                spans[-1][1] = end
            else:
                spans.append([begin, end])
        return spans


# With what the initial thread begins. It has executed the initial task since the process began (OpenMP 5.2, 1.3), where meta knows when.
BEGINNING = [["thread_attach"], ["thread_begin", "type=initial"], ["implicit_task_begin", "flags=initial"]]


def initial_stream(dump, lines):
    """The stream of the thread with which the process began, if meta says when that was."""
    firsts = [line.split() for line in lines if re.match(r"\d+ 1\.[012] ", line)]
    for i, words in enumerate(firsts):
        begins = [w[3:] for w in firsts[i : i + len(BEGINNING)] if w[0] == words[0]]
        if [w[: len(b)] for w, b in zip(begins, BEGINNING)] == BEGINNING and f"tid={pid_of(dump)}" in words:
            return int(words[0]) if re.search(r"^process_start ", meta_of(dump), re.MULTILINE) else None
    return None


def lives(dump):
    """Stream -> [begin, end] of its threads' lives, in ns, from the listing."""
    spans, alive, last = collections.defaultdict(list), {}, 0
    lines = run([BUILDER, "--list", dump]).out.splitlines()
    initial = initial_stream(dump, lines)
    for line in lines:
        words = line.split(None, 4)
        if len(words) < 4 or not words[2].isdigit() or words[0] == SWITCHES:  # a gap, a continuation, or of no thread
            continue
        stream, ns, kind = int(words[0]), int(words[2]), words[3]
        last = max(last, ns)
        if stream not in spans or kind == "thread_attach" and not alive[stream]:
            spans[stream] += [[0 if stream == initial and not spans[stream] else ns, None]]
            alive[stream] = True
        if kind == "thread_detach" and alive[stream]:
            spans[stream][-1][1] = ns
            alive[stream] = False
    for stream, is_alive in alive.items():
        if is_alive:
            spans[stream][-1][1] = last
    return {stream: joined(pairs) for stream, pairs in spans.items()}


def joined(spans):
    """Without the empty ones; those that touch are one, and so are those that overlap by what the processors' clocks differ: one thread
    has detached before the next one attaches."""
    out = []
    for begin, end in spans:
        if out and begin <= out[-1][1]:
            out[-1][1] = max(end, out[-1][1])
        elif end > begin:
            out.append([begin, end])
    return out


def flaw(dump, out, summary):
    """None, or what is wrong with a dump's states."""
    states = States(out)
    for stream, intervals in states.intervals.items():
        for (state, begin, end), after in zip(intervals, intervals[1:] + [None]):
            if end < begin or after is not None and after[1] < end:
                return f"stream {stream}: {state} from {begin} to {end} ns, then {after}"
            if after is not None and after[1] == end and after[0] == state:
                return f"stream {stream}: {state} ends at {end} ns and begins again"
    wanted = {stream: spans for stream, spans in lives(dump).items() if spans}
    seen = {stream: joined(states.spans(stream)) for stream in states.intervals}
    if {stream: spans for stream, spans in seen.items() if spans} != wanted:
        return f"states from {seen} ns, lives from {wanted}"[:400]
    sums = collections.defaultdict(lambda: [0, 0])
    for stream, intervals in states.intervals.items():
        for state, begin, end in intervals:
            sums[stream, state][0] += 1
            sums[stream, state][1] += end - begin
    if set(sums) != set(states.sums):
        return f"states.csv and state_intervals.csv differ in {set(sums) ^ set(states.sums)}"
    for key, (count, ns) in states.sums.items():
        if sums[key][0] != count or abs(sums[key][1] - ns) > count + 1:  # each interval is rounded by itself
            return f"{key}: {count} times {ns} ns in states.csv, {sums[key]} in state_intervals.csv"
    return summary_flaw(states, summary["states"]) or parallelism_flaw(rows_of(out / "parallelism.csv"), summary["states"]["total"])


def parallelism_flaw(rows, total):
    """Do the rows of parallelism.csv follow each other, and add up to the summary's states?"""
    if any(row["begin_ns"] != before["end_ns"] for before, row in zip(rows, rows[1:])):
        return "the rows of parallelism.csv do not follow each other"
    for column in rows[0] if rows else ():
        state = column.removesuffix("_ns")
        if state in NOT_STATES or state == column:
            continue
        ns = sum(int(row[column]) for row in rows)
        if ns != total.get(state, {"ns": 0})["ns"]:
            return f"{state}: {ns} ns in parallelism.csv, {total.get(state)} in summary.json"
    threads = max((sum(int(row[f"{state}_ns"]) for state in total) / max(int(row["end_ns"]) - int(row["begin_ns"]), 1) for row in rows), default=0)
    most = max((int(row["most_working"]) for row in rows), default=0)
    return f"{most} threads work at once, of {threads}" if most > threads + 1 else None


def summary_flaw(states, summary):
    """Has summary.json the same sums as states.csv, and do they add up?"""
    total, life = collections.Counter(), 0
    for thread in summary["threads"]:
        sums = {state: (v["count"], v["ns"]) for state, v in thread["states"].items()}
        if sums != {state: v for (stream, state), v in states.sums.items() if stream == thread["stream"]}:
            return f"stream {thread['stream']}: summary.json and states.csv differ"
        if sum(ns for _, ns in sums.values()) != thread["life_ns"]:
            return f"stream {thread['stream']}: the states add up to other than {thread['life_ns']} ns"
        if thread["life_ns"] != 0 and abs(sum(v["share"] for v in thread["states"].values()) - 1) > 1e-9:
            return f"stream {thread['stream']}: the shares do not add up to 1"
        life += thread["life_ns"]
        for state, (_, ns) in sums.items():
            total[state] += ns
    if {state: v["ns"] for state, v in summary["total"].items()} != dict(total) or life != summary["life_ns"]:
        return "the threads' states do not add up to the summary's total"
    return None


EXECUTING = ("work_serial", "work_parallel", "work_reduction", "wait_target", "wait_target_map", "wait_target_update")


def sink_waits(graph):
    """How long iterations of doacross loops may have waited, all together: each from the begin of the fragment before its sink
    to the other iteration's source."""
    begin = {n["id"]: int(n["begin_ns"] or 0) for n in graph.nodes}
    before = {t: s for s, t, kind in graph.edges if kind == "sequence"}
    after = {s: t for s, t, kind in graph.edges if kind == "sequence"}
    return sum(max(0, begin[after[s]] - begin[before[t]]) for s, t, kind in graph.edges if kind == "doacross")


def times_flaw(out, graphs, summary):
    """Do the nodes' times add up to those of the states in which a task executes, at the task and the fragment level? None
    or a reason. The states have waits at a `sink` as work. Units of Argobots have times of their own."""
    if summary["units"]["runs"] or "taskgroup_waits" in (graphs[-1].summary["path"] or {"reasons": []})["reasons"]:
        return None
    wanted = sum(ns for (_, state), (_, ns) in States(out).sums.items() if state in EXECUTING)
    for level, graph in zip(("task", "fragment"), graphs):
        total = sum(int(n["busy_ns"]) for n in graph.nodes)
        most = sink_waits(graph) if level == "fragment" else 0
        if not -len(graph.nodes) - 1 - most <= total - wanted <= len(graph.nodes) + 1:  # each is rounded by itself
            return f"nodes of the {level} level executed {total} ns, threads were in states of executing for {wanted} ns"
    return None


def archive_flaw(out):
    """Has the archive's metric, as otf2-print shows it, the states of state_intervals.csv? None or a reason."""
    states, seen = States(out), collections.defaultdict(list)
    text, printed = otf2_print(out / "traces.otf2", "-G").out, otf2_print(out / "traces.otf2")
    if printed.status != 0:
        return f"otf2-print: {printed.why([0])}"
    names = dict(re.findall(r"(\d+)=(\w+)", re.search(r'Name: "thread state".*Descr.: "([^"]*)"', text).group(1)))
    ns_per_tick = 1e9 / int(re.search(r"Ticks per Seconds: (\d+)", text).group(1))
    for location, ticks, value in re.findall(r'^METRIC +(\d+) +(\d+) .*"thread state" <0>; UINT64; (\d+)\)', printed.out, re.M):
        begins = seen[int(location) >> 32]
        if begins and begins[-1] == ("undefined", int(ticks)):  # no interval
            begins.pop()
        begins.append((names[value], int(ticks)))
    for stream, intervals in states.intervals.items():
        # Between two lives of a stream and behind the last one the metric says undefined, the table nothing.
        wanted = []
        for i, (state, begin, end) in enumerate(intervals):
            wanted.append((state, begin))
            if i + 1 == len(intervals) or intervals[i + 1][1] != end:
                wanted.append(("undefined", end))
        wanted = [w for i, w in enumerate(wanted) if i == 0 or w[0] != wanted[i - 1][0]]
        got = [(state, (ticks - seen[stream][0][1]) * ns_per_tick + wanted[0][1]) for state, ticks in seen[stream]]
        if len(got) < len(wanted) - 1 or any(g[0] != w[0] or abs(g[1] - w[1]) > 1000 for g, w in zip(got, wanted)):
            return f"stream {stream}: {got[:20]} in the archive, {wanted[:20]} in state_intervals.csv"
    return None


def compiled(words):
    """The regular expression of a pattern of states: names, with groups, * + ? | and ... for any states."""
    text = re.sub(NAME, lambda m: f"(?:{m.group()} )", " ".join(words).replace("...", "ANY"))
    return re.compile(text.replace(" )", "\0").replace(" ", "").replace("\0", " )").replace("ANY", f"(?:{NAME} )*"))


def wrong_sequence(states, who, *words):
    """Of a thread: first (the process's), others (each), some (at least one of the others). None or a reason."""
    pattern = compiled(words)
    threads = [sequence for stream in sorted(states.intervals) for sequence in states.sequences(stream)]
    chosen = threads[:1] if who == "first" else threads[1:]
    if who not in ("first", "others", "some"):
        return f"no thread is called {who}"
    bad = [sequence for sequence in chosen if not pattern.fullmatch(sequence + " ")]
    if not chosen:
        return "there is no such thread"
    if who == "some" and len(bad) < len(chosen) or not bad:
        return None
    return f"a thread is in {bad[0]}"
