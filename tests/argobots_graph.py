#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Argobots: the graph of the programs of tests/argobots, which must be what their text says, on the stand-in or on the library (tests/units.py).

At the three levels one graph, without cycles; the canonical list is the same in every run, in both versions of the library, and whoever had to wait.
"""
import csv
import json
import random
import sys

import levels

from units import *

sys.path.insert(0, str(ROOT / "tests/damage"))
from damage_bits import noise
from dump import Dump, give_files

OWN = ("unit", "tasklet", "scheduler", "primary_unit", "external")
# fib(8) of conf.c creates a unit for fib(n - 1) wherever n > 1.
FIB = [0, 0]
for n in range(2, 9):
    FIB.append(1 + FIB[n - 1] + FIB[n - 2])


def hasty(out):
    """Does a unit go on before its wait has ended? What it ran to look again is part of the wait."""
    nodes = {row["id"]: row for row in read_nodes(out)}
    with open(out / "edges.csv", newline="") as f:
        pairs = [(nodes[row["source"]], nodes[row["target"]]) for row in csv.DictReader(f) if row["kind"] == "sequence"]
    early = [f"{wait['id']} ends at {wait['end_ns']}, {after['id']} begins at {after['begin_ns']}" for wait, after in pairs
             if wait["kind"] == "unit_join" and after["kind"] == "fragment" and int(after["begin_ns"]) < int(wait["end_ns"])]
    return f"behind a join: {'; '.join(early[:3])}" if early else None


class Built:
    """A program's dump, built at all levels."""
    def __init__(self, name, program, arguments=(), version="", status=0, build_status=(0,), **env):
        self.name, self.reasons = name, []
        result, dumps = record(name, program, arguments, version, **env)
        self.reasons += [result.why([status]), one(dumps)]
        self.graphs = {}
        for level in ("task", "scope", "fragment"):
            out = PLACE / f"out-{name}-{level}"
            shutil.rmtree(out, ignore_errors=True)
            built = run([BUILDER, "-q", "--csv", "--dot", "--summary", f"--graph={level}", "-o", out, *dumps])
            self.reasons.append(built.why(build_status))
            self.graphs[level] = graph = Graph(out)
            if len(set(graph.edges)) != len(graph.edges) or not graph.known or len(graph.order()) != len(graph.nodes):
                self.reasons.append(f"{level}: edges twice, of no nodes, or a cycle")
            summary = json.loads((out / "summary.json").read_text())
            if level == "fragment" and summary["path"].get("span_ns", 0) > summary["time"]["wall_ns"]:  # what follows each other takes no longer than all of it
                self.reasons.append(f"span {summary['path']['span_ns']} ns of {summary['time']['wall_ns']} ns recorded")
            if level == "fragment":
                self.reasons.append(hasty(out))
            if level == "task":
                self.summary = summary
                with open(out / "edges.csv", newline="") as f:
                    self.rows = list(csv.DictReader(f))
        self.graph = self.graphs["task"]
        self.reasons += [levels.differs(level, self.graph, self.graphs[level]) for level in ("scope", "fragment")]
        self.label = {n["id"]: n["label"] for n in self.graph.nodes}
        self.owner = {n["id"]: n["task"] for n in self.graph.nodes}
        canonical = run([BUILDER, "-q", "--canonical", *dumps])
        self.canonical = canonical.out
        self.reasons.append(canonical.why(build_status))

    def is_so(self, what, found, wanted):
        self.reasons.append(None if found == wanted else f"{what}: {found}, not {wanted}")

    def nodes(self, **wanted):
        for kind, n in wanted.items():
            self.is_so(f"{kind} nodes", self.graph.count(kind), n)

    def edges(self, **wanted):
        for kind, n in wanted.items():
            self.is_so(f"{kind} edges", self.graph.count_edges(kind), n)

    def functions(self, **wanted):
        """Runs by work function: unit_NAME, tasklet_NAME."""
        found = {f["label"]: f["count"] for f in self.summary["units"]["functions"]}
        for name, n in wanted.items():
            label = name.replace("_", "@", 1)
            self.is_so(label, found.get(label, 0), n)
            self.is_so(f"nodes of {label}", sum(x["label"] == label and x["kind"] in OWN for x in self.graph.nodes), n)

    def resumes(self, sync, waker=None):
        """How often somebody (units of that label) resumes who waits for that, and by how many objects."""
        rows = [r for r in self.rows if r["kind"] == "resume" and r["sync"] == sync]
        if waker is not None:
            wrong = [r for r in rows if self.label[self.owner[r["source"]]] != waker]
            self.is_so(f"{sync}: resumed by others than {waker}", len(wrong), 0)
        return len(rows), len({r["object"] for r in rows})

    def check(self):
        report.check(f"{NAME}/{self.name}", next((r for r in self.reasons if r), None))
        return self


def quirks(built, *wanted):
    """Those quirks, and no repair."""
    built.is_so("quirks", sorted(built.summary["quirks"]), sorted(wanted))
    built.is_so("repairs", built.summary["repairs"], {})


def conf():
    """conf.c: all that may become of a unit, one after the other, and fib(8)."""
    lists = {}
    for version in versions():
        one = Built(f"conf-1es{version}", "conf", ["8"], version)
        # 2 nop and one more that is cancelled before it runs; yl unnamed, revived, and two of them; su; inf, which is cancelled.
        one.nodes(unit=FIB[8] + 3 + 4 + 1 + 1, tasklet=2, primary_unit=1, scheduler=1, external=0, unit_wait=1)
        one.functions(unit_fibt=FIB[8], unit_nop=3, unit_yl=4, unit_su=1, unit_inf=1, tasklet_nop=2)
        # All but the unnamed unit and tasklet are joined once; the revived one in each of its runs.
        one.edges(create=FIB[8] + 10, revive=1, join=FIB[8] + 9, resume=1)
        one.is_so("resumed by hand", one.resumes("user", "primary_unit"), (1, 1))
        one.is_so("summary", {k: one.summary["units"][k] for k in ("lives", "revived", "cancelled", "migrated")},
                  {"lives": 1, "revived": 1, "cancelled": 2, "migrated": 0})
        quirks(one, "joined_again", "primary_without_end", *(["resume_before_finish"] if version else []))
        lists[f"one{version}"] = one.check().canonical
        for turn in range(2):
            two = Built(f"conf-2es{version}-{turn}", "conf", ["8", "2"], version)
            # A second execution stream with its scheduler, a unit for it, and one that an external thread creates.
            two.nodes(unit=FIB[8] + 11, scheduler=2, external=1)
            two.edges(create=FIB[8] + 13, join=FIB[8] + 12)
            quirks(two, "joined_again", "primary_without_end", "creator_not_named", *(["resume_before_finish", "root_unit"] if version else []))
            lists[f"two{version}-{turn}"] = two.check().canonical
    for name in ("one", "two"):
        differ = {k for k, v in lists.items() if k.startswith(name) and v != lists[next(x for x in lists if x.startswith(name))]}
        report.check(f"{NAME}/canonical-{name}", f"other lists: {differ}" if differ else None if lists[name if name == "one" else "two-0"] else "it is empty")


def sync():
    """sync.c: three units of each, one after the other."""
    lists = []
    for version in versions():
        built = Built(f"sync{version}", "sync", [], version)
        built.nodes(unit=18, primary_unit=1, scheduler=1)
        built.edges(create=18, join=18, revive=0)
        built.functions(**{f"unit_in_{what}": 3 for what in ("mutex", "cond", "eventual", "future", "barrier", "rwlock")})
        # Whoever waits for the condition and the eventual is resumed by the primary unit; the last of three by none at future and barrier.
        if version:
            n, n_objects = built.resumes("eventual")
            built.is_so("1.1: waits for conditions, eventual, future, barrier", (n >= 3 + 3 + 2 + 4, n_objects >= 4), (True, True))
        else:
            built.is_so("eventual", built.resumes("eventual", "primary_unit"), (3, 1))
            built.is_so("future", built.resumes("future", "unit@in_future"), (2, 1))
            built.is_so("barrier", built.resumes("barrier", "unit@in_barrier"), (4, 1))
            cond = [r for r in built.rows if r["kind"] == "resume" and r["sync"] == "cond" and built.label[r["target"]] == "unit@in_cond"]
            built.is_so("cond", (len(cond), {built.label[built.owner[r["source"]]] for r in cond}), (3, {"primary_unit"}))
            built.is_so("mutex", built.resumes("mutex")[0] >= 2, True)
        quirks(built, "primary_without_end", *(["resume_before_finish"] if version else []))
        lists.append(built.check().canonical)
    report.check(f"{NAME}/canonical-sync", "versions differ" if len(set(lists)) != 1 else None)


def lives():
    """lives.c: the library twice, with three execution streams, 200 units, a unit of an external thread, and a tasklet each time."""
    lists = []
    for turn in range(2):
        built = Built(f"lives-{turn}", "lives")
        built.nodes(unit=2 * 201, tasklet=2, primary_unit=2, external=2)
        built.edges(create=2 * (201 + 1 + 3), join=2 * (201 + 1 + 3), revive=0)
        built.functions(unit_unit=2 * 201, tasklet_slow=2)
        built.is_so("units finish", {n["state"] for n in built.graph.nodes if n["kind"] in OWN}, {"completed"})
        built.is_so("lives", built.summary["units"]["lives"], 2)
        built.is_so("repairs", built.summary["repairs"], {})
        lists.append(built.check().canonical)
    report.check(f"{NAME}/canonical-lives", None if lists[0] == lists[1] and lists[0] else "two runs differ")


def ends():
    """What a program leaves that ends in a unit: cut, and said so."""
    for how, status in (("exit", 3), ("kill", -9)):
        built = Built(how, "lives", [how], "", status, (3,))
        built.is_so("repairs", sorted(built.summary["repairs"]), ["unit_without_end"])
        built.is_so("the first life", sum(n["state"] == "completed" for n in built.graph.nodes if n["kind"] == "unit") >= 201, True)
        built.check()


def both():
    """OpenMP's regions and Argobots' units in one graph."""
    built = Built("omp", "lives-omp", ["omp"])
    built.functions(unit_unit=2 * 201)
    built.is_so("regions", built.graph.count("region") >= 2 * 201, True)
    built.is_so("repairs", built.summary["repairs"], {})
    built.check()


class Truth:
    """What truths.c did in one of its programs, at the fragment level."""
    def __init__(self, what, version, n_ended):
        self.name, self.reasons = f"truth-{what}{version}", []
        result, dumps = record(self.name, "truths", [what], version)
        self.is_so("ended", result.out.strip(), str(n_ended))
        self.reasons += [result.why([0]), one(dumps)]
        out = PLACE / f"out-{self.name}"
        shutil.rmtree(out, ignore_errors=True)
        self.reasons.append(run([BUILDER, "-q", "--csv", "--summary", "--graph=fragment", "-o", out, *dumps]).why([0]))
        self.nodes = {n["id"]: n for n in read_nodes(out)}
        with open(out / "edges.csv", newline="") as f:
            self.edges = list(csv.DictReader(f))
        with open(out / "units.csv", newline="") as f:
            self.units = [u for u in csv.DictReader(f) if u["kind"] != "scheduler"]
        summary = json.loads((out / "summary.json").read_text())
        self.path, self.quirks = summary["path"], summary["quirks"]
        self.is_so("repairs", summary["repairs"], {})
        self.lines = re.findall(r"^ *\d+ +(\S+) +\d+ +(unit_\w+)(.*)$", listed(dumps), re.M)

    def is_so(self, what, found, wanted):
        self.reasons.append(None if found == wanted else f"{what}: {found}, not {wanted}")

    def bound(self, *reasons):
        self.is_so("bound", (self.path["bound"], self.path["reasons"]), ("lower" if reasons else "exact", list(reasons)))

    def unit(self, label, number=0):
        return [u for u in self.units if u["label"] == label][number]

    def of(self, unit, *kinds):
        """The nodes of a unit, of these kinds, in the order of the unit."""
        return [n for n in self.nodes.values() if n["task"] == unit["node"] and n["kind"] in kinds]

    def check(self):
        report.check(f"{NAME}/{self.name}", next((r for r in self.reasons if r), None))


def truths():
    """Each of its programs, on each version."""
    for version in versions():
        t = Truth("lives", version, 4)  # one after the other: all four are on the path
        t.bound("outside_of_units")
        of_path = {t.nodes[n["id"]]["task"] for n in t.nodes.values() if n["path"]}
        primaries = [u["node"] for u in t.units if u["kind"] == "primary"]
        t.is_so("lives on the path", (len(primaries), len(of_path & set(primaries))), (4, 4))
        following = [(t.nodes[e["source"]]["task"], e["target"]) for e in t.edges if e["kind"] == "sequence" and e["target"] in primaries]
        t.is_so("lives that follow", following, list(zip(primaries, primaries[1:])))
        t.check()

        t = Truth("threads", version, 2)  # on two threads: the program has no order of them
        t.bound("outside_of_units")
        primaries = [u["node"] for u in t.units if u["kind"] == "primary"]
        t.is_so("edges to primary units", [e for e in t.edges if e["target"] in primaries], [])
        t.check()

        t = Truth("external", version, 2)  # what the thread did before is unknown; while it waits for the unit it does not work
        t.bound("outside_of_units", "unit_polls")
        (thread,) = [u for u in t.units if u["kind"] == "external"]
        (join,) = t.of(thread, "unit_join")
        before = [n for n in t.of(thread, "external", "fragment") if int(n["begin_ns"]) < int(join["end_ns"])]
        t.is_so("work before its unit has ended", sum(int(n["busy_ns"]) for n in before), 0)
        t.is_so("it waited", int(thread["wait_ns"]) >= int(join["end_ns"]) - int(thread["begin_ns"]) - 1, True)
        t.check()

        t = Truth("muted", version, 3)  # they ran, and the library did not report it
        t.bound("units_muted")
        t.is_so("states", sorted(u["state"] for u in t.units if u["kind"] != "primary"), ["unknown"] * 3)
        t.is_so("quirk", t.quirks.get("muted_at_finalize"), 3)
        t.check()

        t = Truth("yields", version, 1)  # what it does between two yields is work
        t.bound()
        unit = t.unit("unit@yield_often")
        t.is_so("yields, runs, polls", (unit["yields"], unit["runs"], unit["polls"]), ("500", "501", "0"))
        t.is_so("polls in the summary", {f["polls"] for f in json.loads((PLACE / f"out-{t.name}" / "summary.json").read_text())["units"]["functions"]}, {0})
        t.check()

        t = Truth("mutex", version, 2)  # in 1.1 the unit that wants the mutex polls, and does not work meanwhile
        t.bound(*(["unit_polls"] if version else []))
        waiter = t.unit("unit@waiter")
        (wait,) = t.of(waiter, "unit_wait")
        inside = [n for n in t.of(waiter, "unit", "fragment") if int(n["begin_ns"]) < int(wait["end_ns"]) and int(n["end_ns"]) > int(wait["begin_ns"])]
        t.is_so("work while it waits", inside, [])
        own = sum(int(n["busy_ns"]) for n in t.of(waiter, "unit", "fragment"))
        t.is_so("work in both tables", abs(own - int(waiter["busy_ns"])) <= 3, True)
        polls = [int(re.search(r"count=(\d+)", rest)[1]) for _, kind, rest in t.lines if kind == "unit_polls"]
        t.is_so("polls", int(waiter["polls"]), sum(polls) if version else 0)
        if version and not polls:
            t.reasons.append("no unit polled: the test tests nothing")
        if version:  # all that it ran until the last poll was a look
            t.is_so("it waited", int(waiter["wait_ns"]) > 0 and abs(int(waiter["wait_ns"]) - int(wait["busy_ns"])) <= 3, True)
        t.check()


def of_kind(dump, kind):
    """(File, offset) of the records of a kind."""
    found = []
    for name in dump.names(".seg"):
        f = dump.file(name)
        found += [(f, r) for at in f.segments(dump.segment_bytes) for r in f.records(at, dump.segment_bytes) if f.kind(r) == kind]
    return found


def damage():
    """One record of a kind becomes an event that nobody knows; then anything."""
    OTHER = 142
    missing = {"create": (130, {"unit_without_create", "stray_continuation"}), "spawn": (143, {"unit_without_create"}), "free": (132, {"unit_without_free"}), "finish": (135, {"join_before_end"}),
               "suspend": (138, {"unit_without_stop", "resume_without_suspend"}), "resume": (139, {"run_without_resume"}), "end": (129, {"unit_without_end"})}
    _, (whole,) = record("damage", "conf", ["8"])
    give_files(whole)
    place = PLACE / "damaged"

    def attempt(name, change, wanted=()):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(whole, place / "x.otter")
        change(Dump(place / "x.otter"))
        result = run([BUILDER, "-q", "--csv", "--dot", "--summary", "--canonical", "-o", place / "out", place / "x.otter"])
        if result.status not in (0, 3):
            return report.check(f"{NAME}/{name}", result.why([0, 3]))
        summary = json.loads((place / "out" / "summary.json").read_text())
        few = set(wanted) - set(summary["repairs"])
        return report.check(f"{NAME}/{name}", f"no {', '.join(few)} in {summary['repairs']}" if few else Graph(place / "out").flaw(complete=False))

    def lose(kind):
        def change(dump):
            f, at = of_kind(dump, kind)[0]
            f.data[at + 8] = OTHER
            f.store()
        return change

    for name, (kind, wanted) in missing.items():
        attempt(f"without-{name}", lose(kind), wanted)
    for i in range(20):
        attempt(f"noise-{i}", lambda dump, i=i: noise(dump, dump.all_records(), random.Random(i)))


def shift(place, number, ticks):
    """All times of a stream, as if its processor's clock differed from the others'."""
    dump = Dump(place)
    for name in (n for n in dump.names() if int(n.split(".")[0]) == number):
        f = dump.file(name)
        for at in f.segments(dump.segment_bytes):
            f.put(at + 32, f.word(at + 32) + ticks)
            f.seal(at)
            for record in f.records(at, dump.segment_bytes):
                if not 96 <= f.kind(record) < 128:  # a continuation has no time
                    f.put(record, f.word(record) + ticks)
        f.store()


def soonest(rows):
    """By stream, in ns: how soon behind its creation elsewhere a unit first ran there."""
    found = {}
    for row in rows:
        if row["create_ns"] and row["begin_ns"] and row["stream"] != row["create_stream"]:
            number, ns = int(row["stream"]), int(row["begin_ns"]) - int(row["create_ns"])
            found[number] = min(ns, found.get(number, ns))
    return found


def clocks():
    """One stream's clock differs: by 0.05 ms, and by so much that a unit runs before it is created, up to 0.1 ms: where
    handles are used again within that, nothing tells which of their units a record is about. Whatever is created, resumed, ended over there comes before what
    follows from it, and the graph and the units are the same."""
    for name, program, arguments in (("conf", "conf", ["8", "2"]), ("lives", "lives", [])):
        _, (whole,) = record(f"clocks-{name}", program, arguments, OTTER_DRAIN="self")
        give_files(whole)
        (start, start_ns), (end, end_ns) = ([int(n) for n in m.groups()] for m in re.finditer(r"^(?:start|end) (\d+) (\d+) \d+$", (whole / "meta").read_text(), re.M))
        place = PLACE / "shifted"

        def build(number, ns):
            """(what has to stay, the units, how often an order was wrong, what is wrong)."""
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(whole, place / "x.otter")
            shift(place / "x.otter", number, ns * (end - start) // (end_ns - start_ns))
            result = run([BUILDER, "-q", "--csv", "--summary", "--otf2", "--canonical", "-o", place / "out", place / "x.otter"])
            if result.status != 0:
                return None, [], 0, result.why([0])
            summary = json.loads((place / "out" / "summary.json").read_text())
            n_wrong = summary["quirks"].pop("clocks_differ", 0)
            with open(place / "out" / "units.csv", newline="") as f:
                rows = list(csv.DictReader(f))
            kept = sorted([v for k, v in row.items() if not k.endswith("_ns") and k not in ("node", "creator")] for row in rows)
            return (result.out, summary["quirks"], summary["repairs"], kept), rows, n_wrong, run([ROOT / "tests/otf2_check.py", place / "out"]).why([0])

        wanted, rows, n_wrong, reason = build(0, 0)
        if not report.check(f"{NAME}/clocks-{name}", reason or ("in order there is one" if n_wrong else None)):
            continue
        streams = sorted({int(n.split(".")[0]) for n in Dump(whole).names(".seg")})
        tries = [(n, ns, 0) for n in streams for ns in (50_000, -50_000)] + [(n, -ns - 2000, 1) for n, ns in soonest(rows).items() if ns < 100_000]
        for number, ns, at_least in tries:
            found, _, n_wrong, reason = build(number, ns)
            report.check(f"{NAME}/clocks-{name}-{number}{'-before' if at_least else '+' if ns > 0 else '-'}",
                         reason or ("another list, other quirks or units" if found != wanted else f"{n_wrong} orders were wrong" if n_wrong < at_least else None))


if __name__ == "__main__":
    sys.exit(main(conf, sync, lives, truths, ends, both, clocks, damage))
