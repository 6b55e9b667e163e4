#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a run: what --from and --to, or --task and --depth cut is closed cleanly, adds up to the whole, and is said.

Builds windows with random bounds (a fixed seed) of the dumps that tests/golden keeps. Each archive keeps Otter's rules,
each table refers to itself only, and nothing lies outside of the window. Windows that follow each other have, together,
the whole's times by thread and state, and by task, to the tick. Graphs of tasks have what follows from the whole graph's
tables.

Usage: parts.py [--count=N] [NAME...]     (N windows of each dump, 8 by default; all dumps, or these)
"""
import random
import sys
import tarfile

from common import *
from states import parallelism_flaw

NAME, PLACE, report = "parts", WORK / "parts", Report()
DUMPS = ("cancel", "depend", "killed", "locks", "nested", "sections", "target", "taskloop", "taskwait", "untied")
MANY = 1 << 63


def unpack(name):
    """The dump, unpacked once."""
    place = PLACE / name
    if place.exists():
        return next(place.glob("*.otter"))
    place.mkdir(parents=True)
    with tarfile.open(ROOT / f"tests/golden/{name}.tar.xz") as archive:
        archive.extractall(place)
    return next(place.glob("*.otter"))


def build(dump, out, *options):
    return run([BUILDER, "-q", "-o", out, "--force", *options, dump])


def rows(out, name):
    with open(out / name, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def summary_of(out):
    return json.loads((out / "summary.json").read_text())


def why_malformed(out, begin, end):
    """What is wrong with the tables of a window; None: nothing."""
    nodes = rows(out, "nodes.csv")
    ids = {row["id"] for row in nodes}
    for row in nodes:
        for column in ("begin_ns", "end_ns"):
            if row[column] and not begin <= int(row[column]) <= end:
                return f"node {row['id']} has {column} {row[column]}, outside of {begin} to {end}"
        if int(row["busy_ns"] or 0) > end - begin + 1:
            return f"node {row['id']} is busy for {row['busy_ns']} of {end - begin} ns"
    for row in rows(out, "edges.csv"):
        if row["source"] not in ids or row["target"] not in ids:
            return f"edge {row['source']} to {row['target']} is not between nodes"
    last = {}
    for row in rows(out, "state_intervals.csv"):
        key, since, until = (row["process"], row["stream"]), int(row["begin_ns"]), int(row["end_ns"])
        if not max(begin, last.get(key, begin)) <= since <= until <= end:
            return f"state {row} is outside of {begin} to {end}, or before the one before it"
        last[key] = until
    sums, totals = {}, {}
    for row in rows(out, "state_intervals.csv"):
        key = row["stream"], row["state"]
        sums[key] = sums.get(key, 0) + int(row["end_ns"]) - int(row["begin_ns"])
    for row in rows(out, "states.csv"):
        totals[row["stream"], row["state"]] = int(row["total_ns"])
    for key in set(sums) | set(totals):
        if abs(sums.get(key, 0) - totals.get(key, 0)) > 2 + len(rows(out, "state_intervals.csv")):
            return f"{key}: {sums.get(key)} ns in intervals, {totals.get(key)} in sums"
    part = summary_of(out)["part"]
    nodes_of_whole = part["nodes_outside"] + len(nodes)
    if not part["nodes_cut"] <= len(nodes) <= nodes_of_whole:
        return str(part)
    bins = rows(out, "parallelism.csv")
    if any(not begin <= int(row["begin_ns"]) <= int(row["end_ns"]) <= end for row in bins):
        return f"rows of parallelism.csv are outside of {begin} to {end}"
    return parallelism_flaw(bins, summary_of(out)["states"]["total"])


def why_wrong(dump, out, wanted, begin, end, *options):
    result = build(dump, out, "--otf2", "--csv", "--dot", "--summary", "--parallelism", "--states", *options, f"--from={begin}ns", f"--to={end}ns")
    problem = result.why([wanted])
    if problem:
        return problem
    return check_archive(out) or why_malformed(out, begin, end)


def ticks_by(out):
    """Nanoseconds by thread and state, and by node."""
    states = {(row["process"], row["stream"], row["state"]): int(row["total_ns"]) for row in rows(out, "states.csv")}
    nodes = {("node", row["id"]): int(row["busy_ns"] or 0) for row in rows(out, "nodes.csv")}
    return states | nodes


def why_not_the_sum(dump, out, wanted, whole, bounds, level):
    total = {}
    for i, begin in enumerate(bounds[:-1]):
        last = ["--to=" + f"{bounds[i + 1]}ns"] if i + 2 < len(bounds) else []
        result = build(dump, out, "--csv", f"--graph={level}", f"--from={begin}ns", *last)
        if result.why([wanted]):
            return result.why([wanted])
        for key, ns in ticks_by(out).items():
            total[key] = total.get(key, 0) + ns
    # Each sum is rounded to ns once in each window; ticks add up exactly.
    slack = len(bounds)
    wrong = [f"{key}: {total.get(key, 0)} ns, not {whole.get(key, 0)}" for key in set(whole) | set(total)
             if abs(total.get(key, 0) - whole.get(key, 0)) > slack]
    return ", ".join(wrong[:5]) or None


def check_dump(name, count):
    dump, out = unpack(name), PLACE / f"{name}.build"
    numbers = random.Random(name)
    result = build(dump, out, "--csv", "--summary", "--graph=fragment")
    wanted = result.status
    if not report.check(f"{NAME}/{name}/whole", result.why([0, 3]) or (None if "part" not in summary_of(out) else "it is said to be a part")):
        return
    length = summary_of(out)["time"]["wall_ns"]
    whole = ticks_by(out)
    for i in range(count):
        begin, end = sorted(numbers.sample(range(length), 2))
        level = ("task", "fragment", "scope")[i % 3]
        report.check(f"{NAME}/{name}/{begin}-{end}", why_wrong(dump, out, wanted, begin, end, f"--graph={level}"))
    bounds = [0, *sorted(numbers.sample(range(1, length), 4)), length + 1]
    report.check(f"{NAME}/{name}/sum", why_not_the_sum(dump, out, wanted, whole, bounds, "fragment"))


def family(whole, root, depth):
    """The nodes of a task, and of its descendants down to a depth, by their numbers; and its edges."""
    nodes = {row["id"]: row for row in rows(whole, "nodes.csv")}
    tasks = {id for id, row in nodes.items() if id == row["task"]}
    team = {row["region"]: row["parent"] for row in nodes.values() if row["kind"] in ("implicit", "initial")}
    depths = {root: 0}
    for _ in range(depth):
        depths |= {id: depths[nodes[id]["parent"]] + 1 for id in tasks - set(depths) if nodes[id]["parent"] in depths}
    teams = {region for region, parent in team.items() if depths.get(parent, depth) < depth}
    if nodes[root]["kind"] in ("implicit", "initial"):
        teams.add(nodes[root]["region"])
    found = {id for id, row in nodes.items() if row["task"] in depths or (row["kind"] == "barrier" and row["region"] in teams)}
    edges = {(row["source"], row["target"], row["kind"]) for row in rows(whole, "edges.csv") if {row["source"], row["target"]} <= found}
    begins = {nodes[id]["region"]: id for id in found if nodes[id]["kind"] == "region"}
    edges |= {(begins[nodes[id]["region"]], id, "sequence") for id in found if nodes[id]["kind"] == "join" and nodes[id]["region"] not in teams}
    return found, edges


def why_not_the_family(dump, out, wanted, whole, root, depth, level):
    """Are the nodes and edges those of the task and its descendants, each as in the whole graph? None: yes."""
    limit = [] if depth == MANY else [f"--depth={depth}"]
    result = build(dump, out, "--csv", "--summary", "--dot", f"--graph={level}", f"--task={root}", *limit)
    if result.why([wanted]):
        return result.why([wanted])
    found, edges = family(whole, root, min(depth, 1000))
    of_whole = {row["id"]: row for row in rows(whole, "nodes.csv")}
    for row in rows(out, "nodes.csv"):
        other = dict(of_whole[row["id"]], path=row["path"], parent=row["parent"] and of_whole[row["id"]]["parent"])
        if row != other:
            return f"{row}, in the whole graph {other}"
    got = {row["id"] for row in rows(out, "nodes.csv")}, {(row["source"], row["target"], row["kind"]) for row in rows(out, "edges.csv")}
    if got != (found, edges):
        return f"nodes {sorted(got[0] ^ found)[:9]} and edges {sorted(got[1] ^ edges)[:9]} are not those of both"
    summary = summary_of(out)
    part = {"nodes_outside": len(of_whole) - len(found), "task": int(root)} | ({"depth": depth} if depth != MANY else {})
    if summary["part"] != part:
        return f"{summary['part']}, not {part}"
    path = summary.get("path") or {}
    executed = sum(int(row["busy_ns"]) for row in rows(out, "nodes.csv"))
    # Polls of units are no work, and of kernels the device's time counts.
    is_plain = not any(row["device"] or row["kind"] == "primary_unit" for row in of_whole.values())
    if path.get("work_ns") and is_plain and not (path["span_ns"] <= path["work_ns"] and abs(path["work_ns"] - executed) <= 1):
        return f"path {path}, but {executed} ns in nodes"
    absent = [name for name in ("states.csv", "mutexes.csv", "parallelism.csv", "traces.otf2") if (out / name).exists()]
    return f"{absent} are there" if absent else None


def check_families(name, count):
    """Of `count` tasks, at each level, with descendants of some depth and of all depths."""
    dump, out, whole = unpack(name), PLACE / f"{name}.build", PLACE / f"{name}.whole"
    numbers = random.Random(name)
    for level in ("task", "fragment", "scope"):
        wanted = build(dump, whole, "--csv", f"--graph={level}").status
        tasks = [row["id"] for row in rows(whole, "nodes.csv") if row["id"] == row["task"]]
        for root in {tasks[0], *numbers.sample(tasks, min(count, len(tasks)))}:
            for depth in (0, 1, 2, MANY):
                why = why_not_the_family(dump, out, wanted, whole, root, depth, level)
                report.check(f"{NAME}/{name}/{level}/task {root}, {depth}", why)


def check_early_process():
    """Of two processes one is over when the part begins: all that there is of it is that."""
    dumps, lengths = [unpack(name) for name in ("locks", "untied")], []
    out = PLACE / "early.build"
    for dump in dumps:
        said = re.search(r"lasted (\d+)\.(\d{9}) s", build(dump, out, "--summary", "--from=1000s").err)
        lengths.append(int(said[1] + said[2]))
    for levels in ("task", "fragment"):
        options = ["--otf2", "--csv", "--summary", "--parallelism", "--states", f"--graph={levels}", "--merge", f"--from={min(lengths) + 1000}ns"]
        result = run([BUILDER, "-q", "-o", out, "--force", *options, *dumps])
        why = result.why([0, 3])
        part = {} if why else summary_of(out)["part"]
        processes = {row["process"] for name in ("nodes.csv", "state_intervals.csv", "parallelism.csv") for row in rows(out, name)} if not why else ()
        if not why and (part["processes_outside"] != 1 or part["from_ns"] < min(lengths) or len(processes) != 1):
            why = f"{part}, nodes of {processes}"
        check = run([ARCHIVE_CHECK, "-q", out])
        report.check(f"{NAME}/early process, {levels}", why or (None if check.status == 0 else check.out[-600:] + check.err[-600:]))
    result = run([BUILDER, "-q", "-o", out, "--force", "--csv", "--merge", f"--from={max(lengths) + 1000}ns", *dumps])
    report.check(f"{NAME}/no process", result.why([1]) or (None if "the longest lasted" in result.err else result.err))


def check_family_errors():
    dump, out = unpack("untied"), PLACE / "errors.build"
    for options, wrong in (
        (("--task=0",), "number of a task"), (("--task=x",), "is a number"), (("--depth=1",), "goes with --task"),
        (("--task=1", "--otf2"), "--otf2 is about threads"), (("--task=1", "--list"), "--list is about"),
        (("--task=1", "--canonical"), "--canonical is about"), (("--task=1", "--parallelism"), "--parallelism is about"),
        (("--task=1", "--csv", "--states"), "--states is about threads"),
    ):
        result = build(dump, out, *options)
        report.check(f"{NAME}/{' '.join(options)}", result.why([2]) or (None if wrong in result.err else result.err))
    result = build(dump, out, "--csv", "--task=999999")
    report.check(f"{NAME}/no such task", result.why([1]) or (None if "no task of" in result.err and "from 1 to" in result.err else result.err))
    result = run([BUILDER, "-q", "-o", out, "--force", "--merge", "--task=1", dump, unpack("locks")])
    report.check(f"{NAME}/task of two", result.why([1]) or (None if "--process names one" in result.err else result.err))
    # Without an option for outputs those about threads are left out, and times cut the same graph once more.
    result = run([BUILDER, "-q", "-o", out, "--force", "--task=1", "--from=10%", "--to=60%", dump])
    part = summary_of(out)["part"]
    got = [name for name in ("traces.otf2", "states.csv", "parallelism.csv", "nodes.csv", "graph.dot") if (out / name).exists()]
    report.check(f"{NAME}/task and times", result.why([0, 3]) or (None if got == ["nodes.csv", "graph.dot"] else str(got)) or
                 (None if {"task", "from_ns", "to_ns", "nodes_cut"} <= set(part) else str(part)))
    build(dump, PLACE / "one", "--csv", "--task=1")
    build(dump, PLACE / "two", "--csv", "--from=10%", "--to=60%")
    both = [{row["id"] for row in rows(PLACE / place, "nodes.csv")} for place in ("one", "two", "errors.build")]
    check_early_process()
    report.check(f"{NAME}/both parts", None if both[0] & both[1] == both[2] else f"{sorted(both[0] & both[1] ^ both[2])}")


def check_errors():
    dump, out = unpack("taskwait"), PLACE / "errors.build"
    length = 1 << 40
    for option, wrong in (("from", ""), ("from", "x"), ("to", "-1"), ("from", "1h"), ("to", "1.2.3s"), ("from", "5 s"), ("to", "101%"),
                          ("from", "1e3"), ("to", "inf"), ("from", "99999999999999999999")):
        result = build(dump, out, f"--{option}={wrong}")
        report.check(f"{NAME}/{option}-'{wrong}'", result.why([2]) or (None if f"--{option} is a time" in result.err else result.err))
    for options in (("--from=2ms", "--to=1ms"), ("--from=1s", "--to=1000ms"), ("--to=0",), ("--from=50%", "--to=50%")):
        result = build(dump, out, *options)
        report.check(f"{NAME}/reversed {' '.join(options)}", result.why([2]) or (None if "before --to" in result.err else result.err))
    for options in ((f"--from={length}ns",), ("--from=99%", "--to=1ns")):
        result = build(dump, out, *options)
        report.check(f"{NAME}/outside {' '.join(options)}", result.why([1]) or (None if "lasted" in result.err else result.err))
    for output in ("--canonical", "--list"):
        result = build(dump, out, output, "--from=1us")
        report.check(f"{NAME}/{output[2:]}", result.why([2]) or (None if "whole processes" in result.err else result.err))
    for name in ("units", "devices"):
        result = build(unpack(name), out, "--from=1us")
        report.check(f"{NAME}/{name}", result.why([1]) or (None if "do not cut" in result.err else result.err))
        check_families(name, 3)
    # The same time in all its units.
    texts = []
    for text in ("0.00002", "0.00002s", "0.02ms", "20us", "20000ns"):
        build(dump, out, "--csv", f"--from={text}")
        texts.append((out / "nodes.csv").read_text())
    report.check(f"{NAME}/units-of-time", None if len(set(texts)) == 1 else "windows from the same time differ")


def main(arguments):
    counts = [int(a.partition("=")[2]) for a in arguments if a.startswith("--count=")]
    names = [a for a in arguments if not a.startswith("-")] or DUMPS
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(PLACE)
    PLACE.mkdir(parents=True)
    for name in names:
        check_dump(name, counts[0] if counts else 8)
        check_families(name, min(3, counts[0] if counts else 3))
    check_errors()
    check_family_errors()
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
