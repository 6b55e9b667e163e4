#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a run: what --from and --to cut is closed cleanly, adds up to the whole, and is said.

Builds windows with random bounds (a fixed seed) of the dumps that tests/golden keeps. Each archive keeps Otter's rules,
each table refers to itself only, and nothing lies outside of the window. Windows that follow each other have, together,
the whole's times by thread and state, and by task, to the tick.

Usage: parts.py [--count=N] [NAME...]     (N windows of each dump, 8 by default; all dumps, or these)
"""
import random
import sys
import tarfile

from common import *

NAME, PLACE, report = "parts", WORK / "parts", Report()
DUMPS = ("cancel", "depend", "killed", "locks", "nested", "sections", "target", "taskloop", "taskwait", "untied")


def unpack(name):
    place = PLACE / name
    place.mkdir(parents=True)
    with tarfile.open(ROOT / f"tests/golden/{name}.tar.xz") as archive:
        archive.extractall(place)
    return next(place.glob("*.otter"))


def build(dump, out, *options):
    return run([BUILDER, "-q", "-o", out, "--force", *options, dump], PASSIVE)


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
    return None if part["nodes_cut"] <= len(nodes) <= nodes_of_whole else str(part)


def why_wrong(dump, out, wanted, begin, end, *options):
    result = build(dump, out, "--otf2", "--csv", "--dot", "--summary", "--states", *options, f"--from={begin}ns", f"--to={end}ns")
    problem = result.why([wanted])
    if problem:
        return problem
    check = run([ARCHIVE_CHECK, "-q", out])
    if check.status != 0:
        return f"archive: {check.out[-600:]}{check.err[-600:]}"
    printed = run(["otf2-print", out / "traces.otf2"]) if shutil.which("otf2-print") else None
    if printed and printed.status != 0:
        return f"otf2-print: {printed.err[-300:]}"
    return why_malformed(out, begin, end)


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


def check_errors():
    dump, out = unpack("taskwait").parent, PLACE / "errors.build"
    dump = next(dump.glob("*.otter"))
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
        if name == "taskwait":
            shutil.rmtree(PLACE / name)
    check_errors()
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
