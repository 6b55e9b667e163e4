#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Argobots: units.csv, the table of units, against logs of the library and what the program's own tool counted; on the stand-in or on the library (tests/units.py).

conf, sync and stack are run on one execution stream: their logs (tests/argobots/*.expect) say of each unit what its row must say. lives has several streams, and
a tool of its own, which counts what the table must add up to; which handle is a unit's n-th is counted anew from the listing.
"""
import collections
import csv
import json
import sys

from units import *
import normal

STOPS = {"FINISH": "completed", "CANCEL": "cancelled"}
COLUMNS = ("creator", "state", "flags", "runs", "yields", "suspends", "pool", "last_pool", "depth", "run", "creates")


class Tables:
    def __init__(self, name, dumps, statuses=(0,)):
        self.out = PLACE / f"out-{name}"
        shutil.rmtree(self.out, ignore_errors=True)
        self.built = run([BUILDER, "-q", "--csv", "--summary", "-o", self.out, *dumps])
        self.reason = self.built.why(statuses)
        if self.reason:
            return
        with open(self.out / "units.csv", newline="") as f:
            self.units = list(csv.DictReader(f))
        with open(self.out / "nodes.csv", newline="") as f:
            self.nodes = {row["id"]: row for row in csv.DictReader(f)}
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
        if node is None and row["node"] or node and (node["label"] != row["label"] or node["task"] != row["node"] or node["state"] != row["state"]):
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
    lines = re.findall(r"^ *\d+ +\S+ +(\d+) +unit_(create|revive) pool=(\S+) .*?unit=(\S+)", text, re.M)
    wanted, found, n, uncreated = [], [], collections.Counter(), collections.Counter()
    for _, kind, pool, handle in sorted(lines, key=lambda line: int(line[0])):
        n[handle] += kind == "create"
        if pool != "0":  # 1.1: the library's own
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
    sys.exit(main(logs, tool, absent))
