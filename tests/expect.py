# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of tests/omp must give, and the comparison with what came out.

Beside each program (NAME.c or NAME.f90) lies its expectation NAME.expect, written from the program's text and OpenMP 5.1: one word and
its values a line, "#" a comment. A line that begins with compilers (clang gcc flang) or runtimes (libomp14 ... libomp19) is for the programs of
those compilers on those runtimes alone.

The program
    covers SECTION TEXT     what of OpenMP 5.1 it proves: a row of docs/conformance.md
    compilers C...          which compilers' programs (clang; of .f90 flang)
    unbuilt NAME REASON     why there is none by that compiler, or on that runtime: for docs/conformance.md
    threads N               OMP_NUM_THREADS (2)
    env NAME=VALUE          in addition
    offload TARGET          the compiler makes code for that processor too, and the host's own is the device; skipped where that cannot be (see deps.sh check)
    args A...               of the program
    small A...              in place of these where it is run again and again (schedules.py)
    exit N                  of the program; -6 is SIGABRT (0)
    untraced_exit N         where it differs without the recorder
    output TEXT             its stdout holds this
    dumps N                 how many processes leave one (1)

The dump
    build_exit N...         of otter-build (0; 3: said to be incomplete)
    complete yes|no|any     the summary's word (yes)
    counts exact|no|except NAME...      are all callbacks recorded? (exact)
    quirk NAME [sometimes]  the runtime's deviation comes; no other does, but for those that depend on the timing of any program
    tasks KIND N            in the summary
    operations OPTYPE N     operations on data of that type, in the summary
    helpers N               threads of the runtime's own for target tasks
    event NAME N            records of a kind
    listed TEXT             --list holds this

The graph
    nodes|edges KIND N      in the tables
    at @MARK KIND N         nodes of a kind that come from the line marked @MARK
    edge KIND @A @B N       edges of a kind (depend:TYPE: of a dependence of that type) from A, or the last node of a task of A, to B
    before @A @B            every node of A has a path to every node of B
    precedes @A @B          every node of B has a path from one of A, and every one of A to one of B
    unordered @A @B         no node of one has a path to any of the other
    joins @SYNC @A...       the nodes of SYNC wait for the tasks of A... and no others: these have an edge (taskwait, taskgroup, barrier) to one of
                            them, and only these. Or "nothing". SYNC: taskwait, taskgroup, barrier or join
    data @MARK OPTYPE SRC -> DEST N BYTES   operations on data of that type from the line, from device to device (or host), and their bytes in all
    teams @MARK N           launches from the line request N teams
    exclusive @A @B         each task of A and each other one of B are in a mutually exclusive set (mutexinoutset)
    unexclusive @A @B       none of them is
    states WHO PATTERN...   of thread states (docs/states.md): those that a thread comes through, in order; WHO: first (the process's first thread),
                            others (each), some (at least one of the others). PATTERN is a regular expression whose letters are names; ... is any
    state NAME N            how often all threads together come into a state
    scope_nodes|scope_edges|scope_edge  as nodes, edges and edge, at the scope level
    path @MARK N            N of the nodes that @MARK stands for are on the critical path, at the fragment level
    excluded KIND LABEL N   what takes longest of what only one task can execute at a time: kind of mutex, construct, how often
    canonical no REASON     other numbers of threads, or other timing, may give other edges (see schedules.py)

Each compiler's code makes calls of its own: states and state, too, hold for clang's programs, and for others only with their name in front.
A mark is a comment /* @NAME */ (in Fortran ! @NAME) in the construct's line. @NAME stands for the line's task, target, taskwait, taskgroup, barrier
and region nodes, @NAME:KIND for those of one kind. The words with marks need a construct's line. Of gcc's programs LLVM's runtime may give another
construct's return address, and flang 19 notes another statement's line for many: for these two they hold only where "gcc" or "flang" is in front.
N may be "3+": at least. With several dumps a number is given for each, in ascending order.
"""
import csv
import functools
import re

from common import COMPILERS, RESULTS, run
from states import States, wrong_sequence

POINTS = ("task", "target", "taskwait", "taskgroup", "barrier", "region")
JOINS = ("taskwait", "taskgroup", "barrier")  # the kinds of edges by which a task is waited for
HOME = "libomp19"                             # the runtime that the programs find without further ado
RUNTIMES = ("libomp14", "libomp15", "libomp16", HOME)
TIMING = ("late_worker_end", "worker_without_end", "league_end_as_implicit", "region_end_names_another")  # quirks that may or may not come in any program
HELPERS = ("root_without_end",)                # and where there are hidden helpers (their root may live longer than the tool)
HABITS = {r: ("one_kind_of_implicit_barrier",) for r in RUNTIMES if r != HOME}  # and those of older runtimes


class Expectation:
    ONE = {"threads": "2", "exit": "0", "untraced_exit": None, "dumps": "1", "complete": "yes", "output": None, "listed": None, "offload": None,
           "helpers": None}
    LIST = {"build_exit": ["0"], "args": [], "small": [], "counts": ["exact"], "canonical": []}
    LINES = ("at", "edge", "path", "scope_edge", "before", "precedes", "unordered", "joins", "exclusive", "unexclusive", "data", "teams", "states", "state", "excluded")
    MANY = ("covers", "unbuilt", "env", "quirk", "tasks", "nodes", "edges", "scope_nodes", "scope_edges", "event", "operations") + LINES

    def __init__(self, path, compiler, runtime=HOME):
        self.__dict__.update(self.ONE)
        self.__dict__.update(self.LIST)
        self.__dict__.update({k: [] for k in self.MANY})
        self.runtime = runtime
        self.source = source_of(path)
        self.compilers = ["flang" if self.source.suffix == ".f90" else "clang"]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            for_compilers, for_runtimes = [], []
            while words and words[0] in (*COMPILERS, *RUNTIMES):
                (for_compilers if words[0] in COMPILERS else for_runtimes).append(words.pop(0))
            if not words:
                raise ValueError(f"{path.name}:{number}: compilers or runtimes are named, but no expectation")
            key, values = words[0], words[1:]
            if for_compilers and compiler not in for_compilers or for_runtimes and runtime not in for_runtimes or \
                    compiler != "clang" and key in self.LINES and not for_compilers:
                continue
            if key == "canonical" and (values[:1] != ["no"] or len(values) < 2):
                raise ValueError(f"{path.name}:{number}: canonical no REASON")
            if key in self.ONE:
                setattr(self, key, " ".join(values))
            elif key in self.LIST or key == "compilers":
                setattr(self, key, values)
            elif key in self.MANY:
                getattr(self, key).append(values)
            else:
                raise ValueError(f"{path.name}:{number}: unknown word {key}")

    def not_for(self, name):
        """Why there is no program for that compiler or runtime; None: there is."""
        if self.offload and name not in ("clang", "flang", HOME):
            return "code for devices is made by clang and flang, and runs with the runtime of their version"
        return next((" ".join(reason) for who, *reason in self.unbuilt if who == name), None)

    def flags(self):
        """Of the compiler, for this program."""
        return [f"-fopenmp-targets={self.offload}-pc-linux-gnu"] if self.offload else []


def source_of(expect):
    """The program beside an expectation."""
    c, fortran = expect.with_suffix(".c"), expect.with_suffix(".f90")
    return fortran if fortran.exists() else c


def result_file(source, compiler, runtime):
    """Where a program's result is left for docs/conformance.md."""
    return RESULTS / f"{source.stem}-{compiler}-{runtime}"


def marks_of(source):
    """@NAME -> line number."""
    lines = source.read_text().splitlines()
    pattern = r"!\s*(@\w+)\s*$" if source.suffix == ".f90" else r"/\* (@\w+) \*/"
    return {m: i for i, text in enumerate(lines, 1) for m in re.findall(pattern, text)}


def differs(wanted, seen):
    """None if the numbers seen are those wanted ("3" or "3+"), each in ascending order."""
    seen = sorted(seen)
    ok = len(wanted) == len(seen) and all(s >= int(w[:-1]) if w.endswith("+") else s == int(w) for w, s in zip(wanted, seen))
    return None if ok else f"{' '.join(map(str, seen))}, not {' '.join(wanted)}"


@functools.lru_cache(maxsize=None)
def addresses(program):
    """By symbol. (nm would load all plugins of the linker, which takes longer than all else.)"""
    rows = (line.split() for line in run(["readelf", "--symbols", "--wide", program]).out.splitlines())
    return {row[7]: int(row[1], 16) for row in rows if len(row) > 7 and row[0].endswith(":") and row[6] != "UND" and row[1] != "Value"}


@functools.lru_cache(maxsize=None)
def noted_place(program, symbol, offset):
    """The source and the line that the debug information has for the call that returns to this place of a program; ("", "") if there is none."""
    if symbol not in addresses(program):
        return "", ""
    path, _, number = run(["addr2line", "-e", program, hex(addresses(program)[symbol] + offset - 1)]).out.split()[0].rpartition(":")
    return path.rpartition("/")[2], number


class Marked:
    """A graph, and the lines of its source that have names. Where a name stands for nothing, that is said: KeyError."""

    def __init__(self, graph, source, out):
        self.graph, self.source, self.out = graph, source, out
        self.marks = marks_of(source)
        self.owner = {n["id"]: n["task"] for n in graph.nodes}

    def at(self, name, kinds=POINTS):
        """The ids of the nodes that @MARK (of these kinds) or @MARK:KIND stands for."""
        mark, _, kind = name.partition(":")
        if mark not in self.marks:
            raise KeyError(f"no mark {mark} in {self.source.name}")
        kinds = (kind,) if kind else kinds
        line = str(self.marks[mark])
        return [n["id"] for n in self.graph.nodes if n["kind"] in kinds and self.place_of(n) == (self.source.name, line)]

    def place_of(self, node):
        """The source and the line of a node. Where otter-build shows none, because the compiler notes the lines of other statements, it is
        what the compiler notes: these programs are written for that."""
        if node["line"]:
            return node["file"].rpartition("/")[2], node["line"]
        symbol = re.search(r"@(.+)\+0x([0-9a-f]+)$", node["label"])
        return noted_place(self.out.parent / self.source.stem, symbol[1], int(symbol[2], 16)) if symbol else ("", "")

    def on_path(self, name):
        on_it = {n["id"] for n in self.graph.nodes if n["path"]}
        return len(on_it.intersection(self.some(name)))

    def some(self, name, kinds=POINTS):
        nodes = self.at(name, kinds)
        if not nodes:
            raise KeyError(f"no node at {name}")
        return nodes

    def edges(self, kind, a_name, b_name):
        a, b = set(self.some(a_name)), set(self.some(b_name))
        kind, _, dependence = kind.partition(":")
        return sum(k == kind and t in b and (s in a or self.owner[s] in a) and dependence in ("", self.graph.dependence.get((s, t, k)))
                   for s, t, k in self.graph.edges)

    def wrong_order(self, what, a_name, b_name):
        a, b = self.some(a_name), self.some(b_name)
        from_a = self.graph.reach(a)
        everything = (1 << len(a)) - 1
        if what == "before":
            return None if all(from_a[n] == everything for n in b) else f"{a_name} is not before {b_name}"
        if what == "precedes":
            together = 0
            for n in b:
                together |= from_a[n]
            return None if all(from_a[n] for n in b) and together == everything else f"{a_name} does not precede {b_name}"
        from_b = self.graph.reach(b)
        ordered = any(from_a[n] & ~(1 << a.index(n) if n in a else 0) for n in b) or \
            any(from_b[n] & ~(1 << b.index(n) if n in b else 0) for n in a)
        return f"{a_name} and {b_name} are ordered" if ordered else None

    def wrong_joins(self, sync_name, *names):
        """A synchronisation waits for the tasks that its text says, each of them, and for no other."""
        sync = set(self.some(sync_name, JOINS + ("join",)))
        wanted = {n for name in names if name != "nothing" for n in self.some(name, ("task", "target"))}
        joined = {self.owner[s] for s, t, kind in self.graph.edges if kind in JOINS and t in sync}
        seen = {n for n in joined if self.graph.kind[n] in ("task", "target")}
        if seen == wanted:
            return None
        place = {n["id"]: f"{n['label']} (node {n['id']})" for n in self.graph.nodes}
        few, many = sorted(wanted - seen, key=int), sorted(seen - wanted, key=int)
        return f"{sync_name} does not wait for " + ", ".join(place[n] for n in few[:3]) + f": {len(few)}" if few else \
            f"{sync_name} waits for " + ", ".join(place[n] for n in many[:3]) + f", too: {len(many)}"

    def wrong_data(self, name, operation, source, arrow, target, n, n_bytes):
        """Operations on data: their number, their bytes in all, from where to where."""
        if arrow != "->":
            raise ValueError(f"data {name} {operation}: SRC -> DEST")
        ids = set(self.at(name, ("data_op",)))
        seen = [int(x["bytes"]) for x in self.graph.nodes
                if x["id"] in ids and (x["operation"], x["src_device"], x["dest_device"]) == (operation, source, target)]
        return differs([n], [len(seen)]) or (f"{sum(seen)} bytes, not {n_bytes}" if sum(seen) != int(n_bytes) else None)

    def wrong_teams(self, name, n):
        ids = set(self.some(name, ("submit",)))
        return differs([n], {int(x["teams"]) for x in self.graph.nodes if x["id"] in ids})

    def wrong_exclusion(self, what, a_name, b_name):
        a, b = self.some(a_name, ("task", "target")), self.some(b_name, ("task", "target"))
        sets = {}
        try:
            with open(self.out / "exclusive.csv", newline="") as f:
                for row in csv.DictReader(f):
                    sets.setdefault(row["node"], set()).add((row["process"], row["set"]))
        except FileNotFoundError:
            return "no exclusive.csv"
        pairs = [(x, y) for x in a for y in b if x != y]
        if not pairs:
            return f"{a_name} and {b_name} are no pair"
        n = sum(bool(sets.get(x, set()) & sets.get(y, set())) for x, y in pairs)
        return None if n == (len(pairs) if what == "exclusive" else 0) else f"{n} of {len(pairs)} pairs of {a_name} and {b_name} exclude each other"


def wrong_numbers(want, summaries, graphs, outs, others=None):
    """All the expectation's numbers and orders: a list of reasons. One summary, graph, directory of outputs a dump, and graphs of other levels."""
    wrong = []

    def check(what, wanted, numbers):
        try:
            wrong.append((what, differs(wanted, numbers())))
        except KeyError as e:
            wrong.append((what, e.args[0]))

    def check_each(what, reason_of, *names):
        for m in marked:
            try:
                wrong.append((what, reason_of(m, *names)))
            except KeyError as e:
                wrong.append((what, e.args[0]))

    marked = [Marked(g, want.source, out) for g, out in zip(graphs, outs)]
    for kind, *n in want.tasks:
        check(f"tasks {kind}", n, lambda: [s["tasks"].get(kind, 0) for s in summaries])
    for kind, *n in want.nodes:
        check(f"nodes {kind}", n, lambda: [g.count(kind) for g in graphs])
    for kind, *n in want.edges:
        check(f"edges {kind}", n, lambda: [g.count_edges(kind) for g in graphs])
    others = others or {}
    if len(others.get("fragment", ())) == len(graphs):
        marked_fragments = [Marked(g, want.source, out) for g, out in zip(others["fragment"], outs)]
        for mark, *n in want.path:
            check(f"path {mark}", n, lambda: [m.on_path(mark) for m in marked_fragments])
        for kind, label, n in want.excluded:
            found = [g.summary["path"]["exclusion"] for g in others["fragment"]]
            wrong += [(f"excluded {kind} {label} {n}", None if e and (e["kind"], e["label"], e["count"]) == (kind, label, int(n)) else f"it is {e}") for e in found]
    scope_graphs = others.get("scope", ())
    if len(scope_graphs) == len(graphs):
        marked_scopes = [Marked(g, want.source, out) for g, out in zip(scope_graphs, outs)]
        for kind, *n in want.scope_nodes:
            check(f"scope_nodes {kind}", n, lambda: [g.count(kind) for g in scope_graphs])
        for kind, *n in want.scope_edges:
            check(f"scope_edges {kind}", n, lambda: [g.count_edges(kind) for g in scope_graphs])
        for kind, a, b, *n in want.scope_edge:
            check(f"scope_edge {kind} {a} {b}", n, lambda: [m.edges(kind, a, b) for m in marked_scopes])
    for name, *n in want.event:
        check(f"event {name}", n, lambda: [s["events"].get(name, 0) for s in summaries])
    for mark, kind, *n in want.at:
        check(f"{kind} at {mark}", n, lambda: [len(m.at(f"{mark}:{kind}")) for m in marked])
    for kind, a, b, *n in want.edge:
        check(f"edge {kind} {a} {b}", n, lambda: [m.edges(kind, a, b) for m in marked])
    for what in ("before", "precedes", "unordered"):
        for a, b in getattr(want, what):
            check_each(what, Marked.wrong_order, what, a, b)
    for sync, *names in want.joins:
        check_each("joins", Marked.wrong_joins, sync, *names)
    for kind, *n in want.operations:
        check(f"operations {kind}", n, lambda: [s["target"]["operations"].get(kind, {"count": 0})["count"] for s in summaries])
    if want.helpers:
        check("helpers", want.helpers.split(), lambda: [s["target"]["helper_threads"] for s in summaries])
    for words in want.data:
        check_each(f"data {' '.join(words)}", Marked.wrong_data, *words)
    for words in want.teams:
        check_each(f"teams {' '.join(words)}", Marked.wrong_teams, *words)
    for what in ("exclusive", "unexclusive"):
        for a, b in getattr(want, what):
            check_each(what, Marked.wrong_exclusion, what, a, b)
    states = [States(out) for out in outs] if want.states or want.state else []
    for who, *pattern in want.states:
        wrong += [(f"states {who}", wrong_sequence(s, who, *pattern)) for s in states]
    for name, *n in want.state:
        check(f"state {name}", n, lambda: [s.count(name) for s in states])
    return [f"{what}: {reason}" for what, reason in wrong if reason]


def wrong_quirks(want, summaries):
    """Those declared must come, and no others: a list of reasons."""
    seen = {name for s in summaries for name in s["quirks"]}
    must = {name for name, *rest in want.quirk if rest != ["sometimes"]}
    may = {name for name, *rest in want.quirk} | set(TIMING) | set(HABITS.get(want.runtime, ()))
    may |= set(HELPERS if "helper_team" in may else ())
    return [f"no quirk {name}" for name in sorted(must - seen)] + [f"quirk {name} is not expected" for name in sorted(seen - may)]


def tables_disagree(summary, graph):
    """Do the summary's numbers agree with the tables', and with each other?"""
    for what, table, count in (("nodes", summary["graph"]["nodes"], graph.count), ("edges", summary["graph"]["edges"], graph.count_edges)):
        for kind in set(table) | (set(graph.kind.values()) if what == "nodes" else {e[2] for e in graph.edges}):
            if table.get(kind, 0) != count(kind):
                return f"summary has {table.get(kind, 0)} {what} of kind {kind}, {what}.csv {count(kind)}"
    for kind, node in (("initial", "initial"), ("implicit", "implicit"), ("explicit", "task"), ("target", "target")):
        if summary["tasks"].get(kind, 0) != graph.count(node):
            return f"summary has {summary['tasks'].get(kind, 0)} {kind} tasks, nodes.csv {graph.count(node)}"
    ids = [n["host_op_id"] for n in graph.nodes if n["host_op_id"]]
    if len(set(ids)) != len(ids):
        return f"{len(ids) - len(set(ids))} ids of operations are there twice"
    for pair in ("target", "target_data_op", "target_submit"):
        begun, ended = (summary["events"].get(f"{pair}_{end}", 0) for end in ("begin", "end"))
        if summary["complete"] and begun != ended:
            return f"{begun} {pair} begin, {ended} end"
    if sum(summary["events"].values()) != summary["records"]:
        return f"{summary['records']} records, but events sum to {sum(summary['events'].values())}"
    return None


def counts_differ(want, dumps, summaries, count_file):
    """Are all callbacks that the counting tool saw in the dumps? None or a reason."""
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
