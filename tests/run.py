#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the programs of tests/omp, builds the dumps and compares with what each program's text says must come out.

    tests/run.py [NAME...]      all programs, or these

Beside each program lies its expectation, written from its text and OpenMP 5.1, one word and its values a line ("#" a comment;
"clang" or "gcc" in front: for that compiler's program alone):

    compilers C...      which compilers' programs (clang)           threads N       OMP_NUM_THREADS (2)
    env NAME=VALUE      in addition                                 args A...       of the program
    exit N              of the program; -6 is SIGABRT (0)           output TEXT     its stdout holds this
    untraced_exit N     where it differs without the recorder       dumps N         how many processes leave one (1)
    build_exit N...     of otter-build (0; 3: said to be incomplete)
    complete yes|no|any     the summary's word (yes)
    counts exact|no|except NAME...      are all callbacks recorded? (exact)
    tasks|nodes|edges KIND N            in summary and tables
    event NAME N                        records of a kind
    at @MARK KIND N                     nodes of a kind that come from the line marked @MARK
    before @A @B        every node of A has a path to every node of B
    precedes @A @B      every node of B has a path from one of A, and every one of A to one of B
    unordered @A @B     no node of one has a path to any of the other
    canonical N...      the canonical edge list is the same with so many threads
    listed TEXT         --list holds this

The last five need a construct's line, which LLVM's runtime tells of clang's programs alone (of gcc's it may give another construct's
return address): they hold for gcc where "gcc" is in front. N may be "3+": at least. With several dumps a number is given for each, in ascending order. A @MARK stands for the task, target, taskwait, taskgroup, barrier
and region nodes of its line, @MARK:KIND for one kind. The recorder is loaded behind the counting tool (tools/count_tool.c), so that its
records and the counts are of one and the same run, whatever the timing; the canonical lists come from runs of otter-record.
"""
import filecmp
import re
import sys

from common import *

POINTS = ("task", "target", "taskwait", "taskgroup", "barrier", "region")


class Expectation:
    ONE = {"threads": "2", "exit": "0", "untraced_exit": None, "dumps": "1", "complete": "yes", "output": None, "listed": None}
    LIST = {"compilers": ["clang"], "build_exit": ["0"], "args": [], "canonical": [], "counts": ["exact"]}
    LINES = ("at", "before", "precedes", "unordered", "canonical")
    MANY = ("env", "tasks", "nodes", "edges", "event", "at", "before", "precedes", "unordered")

    def __init__(self, path, compiler):
        self.__dict__.update(self.ONE)
        self.__dict__.update(self.LIST)
        self.__dict__.update({k: [] for k in self.MANY})
        for line in path.read_text().splitlines():
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] in COMPILERS:
                if words[0] != compiler:
                    continue
                words = words[1:]
            elif compiler == "gcc" and words[0] in self.LINES:
                continue
            key, values = words[0], words[1:]
            if key in self.ONE:
                setattr(self, key, " ".join(values))
            elif key in self.LIST:
                setattr(self, key, values)
            elif key in self.MANY:
                getattr(self, key).append(values)
            else:
                raise ValueError(f"{path.name}: unknown word {key}")


def marks_of(source):
    """@NAME -> line number."""
    lines = source.read_text().splitlines()
    return {m: i for i, text in enumerate(lines, 1) for m in re.findall(r"/\* (@\w+) \*/", text)}


def differs(wanted, seen):
    """None if the numbers seen are those wanted ("3" or "3+"), each in ascending order."""
    seen = sorted(seen)
    ok = len(wanted) == len(seen) and all(s >= int(w[:-1]) if w.endswith("+") else s == int(w) for w, s in zip(wanted, seen))
    return None if ok else f"{' '.join(map(str, seen))}, not {' '.join(wanted)}"


def nodes_at(graph, marks, name):
    """Ids of the nodes that @MARK or @MARK:KIND stands for."""
    mark, _, kind = name.partition(":")
    return [n["id"] for n in graph.nodes
            if n["line"] == str(marks[mark]) and n["file"].endswith(".c") and (n["kind"] == kind if kind else n["kind"] in POINTS)]


def wrong_order(graph, marks, what, a_name, b_name):
    a, b = nodes_at(graph, marks, a_name), nodes_at(graph, marks, b_name)
    if not a or not b:
        return f"no node at {a_name if not a else b_name}"
    from_a = graph.reach(a)
    everything = (1 << len(a)) - 1
    if what == "before":
        return None if all(from_a[n] == everything for n in b) else f"{a_name} is not before {b_name}"
    if what == "precedes":
        together = 0
        for n in b:
            together |= from_a[n]
        return None if all(from_a[n] for n in b) and together == everything else f"{a_name} does not precede {b_name}"
    from_b = graph.reach(b)
    ordered = any(from_a[n] & ~(1 << a.index(n) if n in a else 0) for n in b) or \
        any(from_b[n] & ~(1 << b.index(n) if n in b else 0) for n in a)
    return f"{a_name} and {b_name} are ordered" if ordered else None


def wrong_numbers(want, summaries, graphs, marks):
    """All the expectation's numbers and orders: a list of reasons."""
    wrong = []
    for kind, *n in want.tasks:
        wrong.append((f"tasks {kind}", differs(n, [s["tasks"].get(kind, 0) for s in summaries])))
    for kind, *n in want.nodes:
        wrong.append((f"nodes {kind}", differs(n, [g.count(kind) for g in graphs])))
    for kind, *n in want.edges:
        wrong.append((f"edges {kind}", differs(n, [g.count_edges(kind) for g in graphs])))
    for name, *n in want.event:
        wrong.append((f"event {name}", differs(n, [s["events"].get(name, 0) for s in summaries])))
    for mark, kind, *n in want.at:
        wrong.append((f"{kind} at {mark}", differs(n, [len(nodes_at(g, marks, f"{mark}:{kind}")) for g in graphs])))
    for what in ("before", "precedes", "unordered"):
        for a, b in getattr(want, what):
            wrong += [("order", wrong_order(g, marks, what, a, b)) for g in graphs]
    return [f"{what}: {reason}" for what, reason in wrong if reason]


def tables_disagree(summary, graph):
    """Do the summary's numbers agree with the tables', and with each other?"""
    for what, table, count in (("nodes", summary["graph"]["nodes"], graph.count), ("edges", summary["graph"]["edges"], graph.count_edges)):
        for kind in set(table) | (set(graph.kind.values()) if what == "nodes" else {e[2] for e in graph.edges}):
            if table.get(kind, 0) != count(kind):
                return f"summary has {table.get(kind, 0)} {what} of kind {kind}, {what}.csv {count(kind)}"
    for kind, node in (("initial", "initial"), ("implicit", "implicit"), ("explicit", "task"), ("target", "target")):
        if summary["tasks"].get(kind, 0) != graph.count(node):
            return f"summary has {summary['tasks'].get(kind, 0)} {kind} tasks, nodes.csv {graph.count(node)}"
    if sum(summary["events"].values()) != summary["records"]:
        return f"{summary['records']} records, but events sum to {sum(summary['events'].values())}"
    return None


def counts_differ(want, dumps, summaries, count_file):
    if want.counts[0] == "no":
        return None
    spared = want.counts[1:]
    for dump, summary in zip(dumps, summaries):
        pid = re.search(r"-(\d+)\.otter", dump.name).group(1)
        counted = dict(line.split() for line in open(f"{count_file}.{pid}"))
        wrong = [f"{name} {summary['events'].get(name, 0)} of {n}" for name, n in counted.items()
                 if summary["events"].get(name, 0) != int(n) and name not in spared]
        if wrong:
            return ", ".join(wrong)
        if sum(map(int, counted.values())) == 0:
            return "the counting tool saw nothing"
    return None


def canonical_differs(want, program, env, work):
    """Records with each number of threads by the launcher, as a user would, and compares the canonical edge lists."""
    first = None
    for n in want.canonical:
        d = empty(work / f"canonical-{n}")
        result = run([LAUNCHER, "--", program, *want.args], {**env, "OTTER_DIR": str(d), "OMP_NUM_THREADS": n})
        if result.status != int(want.exit):
            return f"otter-record with {n} threads: {result.why([int(want.exit)])}"
        dumps = dumps_in(d)
        if len(dumps) != 1:
            return f"{len(dumps)} dumps with {n} threads"
        edges = d / "edges"
        with open(edges, "w") as f:
            result = run([BUILDER, "--canonical", dumps[0]], stdout=f)
        if result.status != 0:
            return f"otter-build --canonical with {n} threads: {result.why([0])}"
        if edges.stat().st_size == 0:
            return f"nothing with {n} threads"
        first = first or edges
        if not filecmp.cmp(first, edges, shallow=False):
            return f"{n} threads give another list than {want.canonical[0]} ({first}, {edges})"
    return None


def test_program(job):
    source, compiler = job
    report, name = Report(), f"omp/{source.stem}-{compiler}"
    want = Expectation(source.with_suffix(".expect"), compiler)
    work = empty(WORK / "omp" / f"{source.stem}-{compiler}")
    program = work / source.stem
    env = {"OMP_NUM_THREADS": want.threads, **preload_for(compiler), **dict(e[0].split("=", 1) for e in want.env)}
    result = compile_c(source, program, compiler)
    if not report.check(f"{name}/compile", result.why([0])):
        return report
    result = run([program, *want.args], env)
    report.check(f"{name}/untraced", result.why([int(want.untraced_exit or want.exit)]))

    d = empty(work / "dumps")
    result = run([program, *want.args], {**env, "OMP_TOOL_LIBRARIES": str(COUNT_TOOL), "COUNT_CHAIN": str(RECORDER),
                                         "COUNT_FILE": str(work / "counts"), "OTTER_EVENTS": "all", "OTTER_DIR": str(d)})
    reason = result.why([int(want.exit)])
    if not reason and want.output and want.output not in result.out:
        reason = f"printed {result.out!r}"
    dumps = dumps_in(d)
    if not reason and len(dumps) != int(want.dumps):
        reason = f"{len(dumps)} dumps, not {want.dumps}"
    if not report.check(f"{name}/record", reason):
        return report

    summaries, graphs, reasons = [], [], []
    outs = [work / f"build-{i}" for i in range(len(dumps))]
    for dump, out in zip(dumps, outs):
        result, summary = build(dump, out)
        reasons.append(result.why([int(n) for n in want.build_exit]))
        if summary is not None:
            summaries.append(summary)
            if summary["lost"]["total"] != 0:
                reasons.append(f"lost {summary['lost']}")
            if summary["repairs"] and result.status == 0:
                reasons.append(f"status 0 with repairs {summary['repairs']}")
            if want.complete != "any" and summary["complete"] != (want.complete == "yes"):
                reasons.append(f"complete: {summary['complete']}")
    if not report.check(f"{name}/build", "; ".join(filter(None, reasons))) and len(summaries) != len(dumps):
        return report
    graphs = [Graph(out) for out in outs]
    complete = want.complete == "yes"
    report.check(f"{name}/graph", "; ".join(filter(None, [g.flaw(complete) or tables_disagree(s, g) for g, s in zip(graphs, summaries)])))
    report.check(f"{name}/expected", "; ".join(wrong_numbers(want, summaries, graphs, marks_of(source))))
    report.check(f"{name}/counts", counts_differ(want, dumps, summaries, work / "counts"))
    n_tasks = [s["tasks"]["explicit"] + s["tasks"]["target"] for s in summaries]
    report.check(f"{name}/archive", "; ".join(filter(None, map(check_archive, outs, n_tasks))))
    if want.listed:
        result = run([BUILDER, "--list", dumps[0]])
        report.check(f"{name}/list", None if want.listed in result.out else f"--list lacks {want.listed!r}")
    if want.canonical:
        report.check(f"{name}/canonical", canonical_differs(want, program, env, work))
    if report.failed == 0 and "KEEP" not in os.environ:
        shutil.rmtree(work)
    return report


def main():
    names = sys.argv[1:]
    sources = sorted((ROOT / "tests/omp").glob("*.expect"))
    need(RECORDER, LAUNCHER, BUILDER, COUNT_TOOL)
    jobs = []
    for expect in sources:
        if names and expect.stem not in names:
            continue
        compilers = {c for c in COMPILERS if c in Expectation(expect, c).compilers}
        jobs += [(expect.with_suffix(".c"), c) for c in COMPILERS if c in compilers]
    jobs.sort(key=lambda j: j[0].stem != "fib")  # the long one first
    return 0 if run_all(jobs, test_program) else 1


if __name__ == "__main__":
    sys.exit(main())
