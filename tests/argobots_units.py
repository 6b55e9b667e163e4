#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Argobots: units.csv, the table of units, against logs of the library and what the program's own tool counted; the states of the threads that run them, against
the listing of the records; on the stand-in or on the library (tests/units.py).

conf, sync and stack are run on one execution stream: their logs (tests/argobots/*.expect) say of each unit what its row must say. lives has several streams, and
a tool of its own, which counts what the table must add up to; which handle is a unit's n-th is counted anew from the listing.
"""
import collections
import csv
import json
import sys

import states
from units import *
import normal

STOPS = {"FINISH": "completed", "CANCEL": "cancelled"}
COLUMNS = ("creator", "state", "flags", "runs", "yields", "suspends", "pool", "last_pool", "depth", "run", "creates")


class Tables:
    def __init__(self, name, dumps, options=()):
        self.out = PLACE / f"out-{name}"
        shutil.rmtree(self.out, ignore_errors=True)
        built = run([BUILDER, "-q", "--csv", "--summary", *options, "-o", self.out, *dumps])
        self.reason = built.why([0])
        if self.reason:
            return
        with open(self.out / "units.csv", newline="") as f:
            self.units = list(csv.DictReader(f))
        self.nodes = {row["id"]: row for row in read_nodes(self.out)}
        self.summary = json.loads((self.out / "summary.json").read_text())["units"]


def from_log(events):
    """By the log alone: what each run of a created unit has to say, in the order of creation."""
    rows, current = [], {}
    for _, event, unit, words in events:
        if event in ("CREATE", "REVIVE"):
            before = current.get(unit)
            row = dict.fromkeys(COLUMNS, 0) | {"creator": words["caller"], "state": "never started", "flags": set(), "pool": words["pool"], "last_pool": words["pool"],
                                                      "run": 1 if event == "CREATE" else before["run"] + 1, "name": unit, "depth": None}
            current[unit] = row
            rows.append(row)
            if words["caller"] in current:
                current[words["caller"]]["creates"] += 1
            continue
        row = current.get(unit)
        if row is None:
            continue
        if event == "RUN":
            row["runs"] += 1
            row["state"] = "unfinished" if row["state"] == "never started" else row["state"]
            row["depth"] = int(words["depth"]) if row["depth"] is None else row["depth"]
        elif event in ("YIELD", "SUSPEND"):
            row[event.lower() + "s"] += 1
        elif event in STOPS:
            row["state"] = STOPS[event]
        elif event in ("JOIN", "FREE"):
            row["flags"].add("joined" if event == "JOIN" else "freed")
        if event in ("YIELD", "RESUME") and words["pool"] != "-":
            row["last_pool"] = words["pool"]
    for row in rows:
        row["depth"] = row["depth"] or 0
    return [row for row in rows if row["pool"] != "-" or row["runs"]]  # the library's own below a scheduler (1.1) is in no table


def one_row(tables, row, names, pools):
    """The same of a row of the table; names: by node, pools: by handle."""
    polls = int(row["polls"])
    found = {c: int(row[c]) for c in ("runs", "yields", "suspends", "depth", "run", "creates")}
    found["runs"] += polls
    found["yields"] += polls
    found |= {"creator": names.get(row["creator"], "-"), "state": row["state"], "flags": set(filter(None, row["flags"].split("|"))),
              "pool": pools.get(row["pool"], "-"), "last_pool": pools.get(row["last_pool"], "-")}
    return found


def flaw_of_rows(tables):
    """What holds of any table: against the graph's nodes, and in itself."""
    for row in tables.units:
        node = tables.nodes.get(row["node"])
        if node is None and row["node"] or node and (node["label"] != row["label"] or node["task"] != row["node"] or node["parent"] != row["creator"] or node["state"] != row["state"]):
            return f"{row} is node {node}"
        times = [int(row[c]) for c in ("create_ns", "begin_ns", "end_ns", "free_ns") if row[c]]
        if times != sorted(times):
            return f"{row}: times go back"
        if row["kind"] == "external" or not row["begin_ns"] or not row["end_ns"]:
            continue
        since = int(row["create_ns"] or row["begin_ns"])
        if sum(int(row[c]) for c in ("busy_ns", "wait_ns", "queued_ns")) > int(row["end_ns"]) - since + 3:
            return f"{row}: it ran, waited and was queued for longer than it was there"
    created = [(r["process"], r["handle"], r["generation"], r["run"]) for r in tables.units if r["handle"]]
    if len(set(created)) != len(created):
        return "a run is there twice"
    sums = {"runs": "runs", "yields": "yields", "suspends": "suspends", "polls": "polls"}
    differ = [c for c, s in sums.items() if sum(int(r[c]) for r in tables.units) != tables.summary[s]]
    if differ:
        return f"summary.json has other sums of {differ}"
    of_functions = [sum(f[c] for f in tables.summary["functions"]) for c in ("runs", "yields", "suspends")]
    with_function = [r for r in tables.units if r["function"]]
    if of_functions != [sum(int(r[c]) for r in with_function) for c in ("runs", "yields", "suspends")]:
        return f"by function summary.json has {of_functions}"
    return None


def flaw_of_identity(tables, text):
    """(handle, generation) by the listing: the n-th creation under a handle, but for rows of who was not created; revivals are of the same generation."""
    lines = re.findall(r"^ *\d+ +\S+ +(\d+) +unit_(create|spawn|revive) (?:stack_kib=\d+ )?pool=(\S+) .*?unit=(\S+)", text, re.M)
    wanted, found, n, uncreated = [], [], collections.Counter(), collections.Counter()
    for _, kind, pool, handle in sorted(lines, key=lambda line: int(line[0])):
        n[handle] += kind != "revive"
        if pool != "0x0":  # 1.1: the library's own
            wanted.append((handle, n[handle]))
    for row in tables.units:
        if row["handle"] and not row["create_ns"]:
            uncreated[row["handle"]] += 1
        elif row["handle"]:
            found.append((row["handle"], int(row["generation"]) - uncreated[row["handle"]]))
    return None if wanted == found else f"{len(wanted)} units by the listing, {len(found)} in the table, {len(set(wanted) ^ set(found))} differ"


def logs():
    """Row by row."""
    for program, arguments in (("conf", ["8"]), ("sync", []), ("stack", [])):
        for version in versions():
            log = f"{'conf-1es' if program == 'conf' else program}{version}"
            result, dumps = record(log, program, arguments, version)
            tables = Tables(log, dumps)
            reason = result.why([0]) or one(dumps) or tables.reason
            if reason:
                check(log, reason)
                continue
            wanted = from_log(normal.expected((HERE / f"{log}.expect").read_text()))
            rows = [r for r in tables.units if r["create_ns"]]
            # Names are given as the log does: units by creation, pools as they appear.
            names, pools = {}, {}
            for row, want in zip(rows, wanted):
                names[row["node"]] = want["name"]
                for column in ("pool", "last_pool"):
                    if row[column] and row[column] not in pools.keys():
                        pools[row[column]] = want[column]
            names |= {r["node"]: "h1" for r in tables.units if r["kind"] == "primary"}
            differ = None if len(rows) == len(wanted) else f"{len(rows)} rows of units that were created, not {len(wanted)}"
            for row, want in zip(rows, wanted):
                found = one_row(tables, row, names, pools)
                wrong = {c: (found[c], want[c]) for c in COLUMNS if found[c] != want[c]}
                if wrong and not differ:
                    differ = f"{want['name']}, run {want['run']}: (found, wanted) {wrong}"
            text = listed(dumps)
            check(log, differ, None if len(set(pools.values())) == len(pools) else f"two pools of one name: {pools}", flaw_of_rows(tables), flaw_of_identity(tables, text))


def tool():
    """What the program's own tool counted, with several streams, external threads and polls."""
    for version in versions():
        result, dumps = record(f"lives{version}", "lives", [], version)
        tables = Tables(f"lives{version}", dumps)
        reason = result.why([0]) or one(dumps) or tables.reason
        if reason:
            check(f"tool{version}", reason)
            continue
        said = {k: int(v) for k, v in (line.split() for line in result.out.splitlines())}
        total = {c: sum(int(r[c]) for r in tables.units) for c in ("runs", "yields", "suspends", "polls")}
        begun = sum(not r["create_ns"] for r in tables.units)  # who was not created began without a run
        found = {"run": total["runs"] + total["polls"] - begun, "yield": total["yields"] + total["polls"], "suspend": total["suspends"],
                 "finish": sum(r["state"] == "completed" and bool(r["create_ns"]) for r in tables.units)}
        wrong = {k: (v, said[k]) for k, v in found.items() if v != said[k]}
        units = [r for r in tables.units if r["label"] == "unit@unit"]
        streams = {r["stream"] for r in units}
        ranks = collections.defaultdict(set)
        for row in units:
            ranks[row["life"], row["stream"]].add(row["rank"])
        check(f"tool{version}", f"(found, counted) {wrong}" if wrong else None, None if len(units) == 402 else f"{len(units)} units", None if len(streams) >= 2 else "all on one stream",
              None if all(len(r) == 1 and r != {""} for r in ranks.values()) else f"ranks by stream: {dict(ranks)}",
              None if {r["kind"] for r in tables.units if r["node"] in {u["creator"] for u in units}} == {"primary", "external"} else "other creators",
              flaw_of_rows(tables), flaw_of_identity(tables, listed(dumps)))


WAITS = {"unit_join": "wait_taskwait", "xstream_join": "wait_taskwait", "cond": "wait_taskwait", "eventual": "wait_taskwait", "future": "wait_taskwait", "mutex": "wait_mutex",
         "rwlock": "wait_mutex", "barrier": "wait_barrier_explicit"}


class Thread:
    """What a thread of a program without OpenMP does, by its records alone: [(state, from)], the time of a look being told by what comes behind it."""
    def __init__(self):
        self.states, self.waits, self.look = [], {}, None

    def be(self, state, time):
        if self.states and self.states[-1][0] != state or not self.states:
            self.states.append((state, time))

    def decide(self, is_wait):
        if self.look:
            unit, since = self.look
            self.look = None
            self.be(WAITS[self.waits[unit][0]] if is_wait else "work_serial", since)

    def run(self, unit, time, is_scheduler):
        self.decide(False)
        if not is_scheduler and unit in self.waits:
            self.look = (unit, time)
        else:
            self.be("idle" if is_scheduler else "work_serial", time)

    def stop(self, unit, time, wait):
        self.decide(self.look is not None and wait is not None and self.waits.get(unit) == wait)
        self.waits.pop(unit, None)
        if wait:
            self.waits[unit] = wait
        self.be("idle", time)


def derived(text, tables):
    """By stream, from the listing."""
    threads = collections.defaultdict(Thread)
    records = [line.split() for line in text.splitlines()]
    schedulers = collections.defaultdict(list)
    for row in tables.units:
        schedulers[row["handle"]].append((int(row["create_ns"] or row["begin_ns"] or 0), row["kind"] == "scheduler"))

    def is_scheduler(handle, time):
        return [kind for since, kind in schedulers[handle] if since <= time][-1]

    for stream, _, time, kind, *words in records:
        if time == "+":
            continue
        t, time, v = threads[int(stream)], int(time), dict(w.split("=", 1) for w in words if "=" in w)
        unit = v.get("unit")
        wait = (v["sync"], v.get("object")) if v.get("sync") in WAITS else None
        if kind == "thread_attach":
            t.be("undefined", time)
        elif kind == "thread_detach":
            t.decide(False)
            t.be(None, time)
        elif kind == "unit_begin":
            t.be("work_serial", time)
        elif kind == "unit_end":
            t.decide(False)
            t.be("undefined", time)
        elif kind == "unit_run":
            t.run(unit, time, is_scheduler(unit, time))
        elif kind in ("unit_yield", "unit_suspend", "unit_finish"):
            t.stop(unit, time, wait if kind == "unit_yield" else None)
        elif kind == "unit_polls":
            t.decide(True)
            t.look = (unit, time)
        elif kind == "unit_join" and t.look:
            t.decide(t.waits[t.look[0]] == ("unit_join", unit) and v["caller"] == t.look[0])
            t.be("work_serial", time)
        elif kind in ("unit_create", "unit_spawn", "unit_revive", "unit_free", "unit_resume"):
            t.decide(False)
    return threads


def without_switches(intervals):
    """Where the thread had no processor it was in a unit all the same: that is what the records tell."""
    joined = []
    for state, begin, end in intervals:
        state = "work_serial" if state in states.OFF else state
        if joined and joined[-1][0] == state == "work_serial" and joined[-1][2] == begin:
            joined[-1] = (state, joined[-1][1], end)
        else:
            joined.append((state, begin, end))
    return joined


def wrong_states(found, wanted):
    """Of state_intervals.csv: None, or where it differs from what was derived."""
    for stream, thread in wanted.items():
        spans = [(state, begin, after[1]) for (state, begin), after in zip(thread.states, thread.states[1:] + [(None, None)]) if state]
        spans = [span for span in spans if span[0] != "undefined" or span[1] != span[2]]
        for have, want in zip(without_switches(found.intervals[stream]) + [None], spans + [None]):
            if have is None and want is not None and want[2] is None:  # it all ends there
                break
            if have != want and (have is None or want is None or have[:2] != want[:2] or want[2] is not None):
                return f"stream {stream}: {have}, not {want}"
    return None


def thread_states():
    """What threads are in, record by record; with OpenMP in the units what must be there; and the archive's metric."""
    for program, arguments, has_openmp in (("conf", ["8"], False), ("conf", ["8", "2"], False), ("sync", [], False), ("stack", [], False), ("lives", [], False), ("lives-omp", ["omp"], True),
                                           ("within", [], True)):
        for version in versions():
            name = "-".join(["states", program, *arguments[1:]]) + version
            # Without the kernel's context switches, of which the derivation knows nothing.
            result, dumps = record(name, program, arguments, version, OTTER_EVENTS="-switch")
            tables = Tables(name, dumps, options=("--states", "--parallelism", "--otf2"))
            reason = result.why([0]) or one(dumps) or tables.reason
            if reason:
                check(name, reason)
                continue
            found = states.States(tables.out)
            summary = json.loads((tables.out / "summary.json").read_text())
            has = {state for _, state in found.sums}
            wanted = {"idle", "work_serial"} | ({"wait_taskwait"} if program == "lives" else set())
            if has_openmp:  # on a thread that runs units
                first = min(found.intervals)
                has = {state for state, _, _ in found.intervals[first]}
                wanted |= {"work_parallel", "overhead"}  # whether a thread waits in a barrier is timing
            check(name, states.flaw(dumps[0], tables.out, summary), states.archive_flaw(tables.out), f"no {wanted - has}" if wanted - has else None,
                  None if has_openmp else wrong_states(found, derived(listed(dumps), tables)))


def migration():
    """Where units ran before and behind their migration, by what they noted themselves. In 1.1 polls of a unit that two streams run in turns may be counted as one's."""
    for version in versions():
        name = f"migrate{version}"
        result, dumps = record(name, "migrate", ["private"] if version else [], version)
        tables = Tables(name, dumps, options=("--otf2",))
        reason = result.why([0]) or one(dumps) or tables.reason
        if reason:
            check(name, reason)
            continue
        noted = [(what, first, last) for what, first, last in (line.split() for line in result.out.splitlines())]
        units = [r for r in tables.units if r["label"] == "unit@two_parts"]
        found = [(what, r["rank"], last if what == "to_any" else r["last_rank"]) for (what, _, last), r in zip(noted, units)]
        moves = {what: r["moves"] for (what, _, _), r in zip(noted, units)}
        moved = ("to_xstream", "to_sched", "to_pool")
        # Of two that share a pool whoever comes first runs it, also behind its second part; private pools are changed.
        pools = {what: r["last_pool"] != r["pool"] for (what, _, _), r in zip(noted, units)}
        check(name, None if len(noted) == len(units) == (4 if version else 24) and found == noted else f"{len(units)} units: {found}, not {noted}",
              None if all(moves[w] == "1" and pools[w] for w in moved) and moves["refused"] == "0" and not pools["refused"] else f"moves {moves}, other pools {pools}",
              flaw_of_rows(tables), flaw_of_identity(tables, listed(dumps)), run([ROOT / "tests/otf2_check.py", tables.out]).why([0]))


def answered():
    """What holds of every answer: the account has all of the streams' time, and shares are shares. Each program, at its worst: polling, stacked, migrating,
    external threads, several lives, OpenMP inside."""
    sys.path.insert(0, str(ROOT / "tests/answers"))
    import checks
    for program, arguments in (("conf", ["8"]), ("conf", ["8", "2"]), ("sync", []), ("stack", []), ("lives", []), ("migrate", ["private"]), ("truths", ["lives"]),
                               ("truths", ["threads"]), ("truths", ["external"]), ("truths", ["muted"]), ("truths", ["yields"]), ("truths", ["mutex"]), ("hand", []),
                               ("lives-omp", ["omp"]), ("within", [])):
        for version in versions():
            name = "-".join(["answered", program, *arguments]) + version
            result, dumps = record(name, program, arguments, version)
            reason = result.why([0]) or one(dumps)
            if reason:
                check(name, reason)
                continue
            answer, wrong = checks.answer_of(dumps[0], PLACE / f"out-{name}")
            n_streams = answer["threads"] if answer else 0
            check(name, wrong, None if answer else "no answer", None if n_streams >= 1 else "no thread executed anything",
                  None if answer and answer["account_ns"]["work"] > 0 else "nobody worked")


def absent():
    """Where there are no units there is no table."""
    place = PLACE / "no-units"
    shutil.rmtree(place, ignore_errors=True)
    program = PLACE / "fib"
    compiled = run([COMPILERS["clang"], "-fopenmp", "-O1", ROOT / "tests/omp/fib.c", "-o", program])
    result = run([program], env={"OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(place)})
    dumps = sorted(place.glob("*.otter"))
    built = run([BUILDER, "-q", "--csv", "-o", place / "out", *dumps])
    check("absent", compiled.why([0]), result.why([0]), one(dumps), built.why([0]), "units.csv is there" if (place / "out/units.csv").exists() else None)


if __name__ == "__main__":
    sys.exit(main(logs, tool, migration, thread_states, answered, absent))
