#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Paths of creation: spawn.csv, spawn.folded and spawn.speedscope.json say the same, add up to constructs.csv, and are what follows from nodes.csv.

Records a program whose paths follow from its text, also as two processes, and takes the dumps that tests/golden keeps; with Argobots' units too.

Usage: spawn.py
"""
import sys
import tarfile

from common import *

NAME, PLACE, report = "spawn", WORK / "spawn", Report()

# Each function has one construct of a kind, so that functions name them.
PROGRAM = r"""
#include <omp.h>

static void work(int n)
{
	for (volatile int i = 0; i < n * 100; i++)
		;
}

static int fib(int n)
{
	int x, y;
	if (n < 2)
		return n;
#pragma omp task shared(x)
	x = fib(n - 1);
	y = fib(n - 2);
#pragma omp taskwait
	return x + y;
}

static void leaf(void)
{
#pragma omp task
	work(20);
}

static void even(int n);

static void odd(int n)
{
	work(1);
#pragma omp task
	even(n - 1);
}

static void even(int n)
{
	work(2);
	if (n > 0)
#pragma omp task
		odd(n - 1);
	leaf();
}

static void regions(int n)
{
#pragma omp parallel num_threads(1)
	if (n > 0)
		regions(n - 1);
}

static void loop(void)
{
#pragma omp for
	for (int i = 0; i < 10; i++)
		work(10);
}

static void first(void)
{
#pragma omp parallel num_threads(2)
	{
		loop();
#pragma omp masked
		{
			fib(10);
			leaf();
		}
	}
}

static void second(void)
{
#pragma omp parallel num_threads(2)
	{
		loop();
#pragma omp masked
		even(6);
	}
}

static void nested(void)
{
#pragma omp parallel num_threads(1)
#pragma omp masked
#pragma omp taskloop num_tasks(9)
	for (int i = 0; i < 9; i++)
		work(i);
}

int main(void)
{
	nested();
	first();
	second();
	second();
	omp_set_max_active_levels(8);
	regions(3);
}
"""
# By the text: the path as functions, with how many tasks, regions, or times that a thread took part. A fib(10) makes 88 tasks; even(6) one
# more odd and even each for 6, 4 and 2.
EXPECTED = {
    "initial": 1,
    "parallel nested": 1,
    "parallel nested;masked nested": 1,
    "parallel nested;taskloop nested": 1,
    "parallel nested;task nested": 9,
    "parallel first": 1,
    "parallel first;loop loop": 2,
    "parallel first;masked first": 1,
    "parallel first;task fib": 88,
    "parallel first;task leaf": 1,
    "parallel second": 2,
    "parallel second;loop loop": 4,
    "parallel second;masked second": 2,
    "parallel second;task even": 6,
    "parallel second;task leaf": 2,
    "parallel second;task even;task odd": 6,
    "parallel second;task even;task odd;task leaf": 6,
    "parallel regions": 4,
}
# What is no task, region or worksharing construct: constructs.csv has a time or count of its own for them.
OTHERS = ("taskwait", "taskgroup", "barrier", "reduction", "critical", "ordered", "atomic", "lock")


def rows(out, name):
    with open(out / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def number(text):
    return int(text or 0)


def paths_of(table):
    """The names of each row's path, from below the process."""
    paths = {}
    for row in table:
        paths[row["number"]] = paths[row["above"]] + (row["name"],) if row["above"] else ()
    return paths


def why_no_tree(table):
    by_number, total, last = {row["number"]: row for row in table}, {}, {}
    if [row["number"] for row in table] != [str(i + 1) for i in range(len(table))]:
        return "rows are not numbered from 1"
    for row in table:
        above = by_number.get(row["above"])
        if row["above"] and (above is None or int(above["number"]) >= int(row["number"]) or int(above["depth"]) + 1 != int(row["depth"])):
            return f"{row} is not below a row before it"
        if not row["above"] and (row["depth"] != "0" or row["name"] != f"process {row['process']}"):
            return f"{row} is no process"
        if above and above["process"] != row["process"]:
            return f"{row} is below another process"
        if above and last.get(row["above"], 1 << 63) < int(row["total_ns"]):
            return f"{row} comes after a sibling with less time"
        last[row["above"]] = int(row["total_ns"])
        total[row["above"]] = total.get(row["above"], 0) + int(row["total_ns"])
        seen, up = [], row
        while up:
            seen.append((up["construct"], up["name"]))
            up = by_number.get(up["above"])
        if len(set(seen)) != len(seen):
            return f"{row} has a construct above it twice"
    for row in table:
        if int(row["total_ns"]) != int(row["own_ns"]) + total.get(row["number"], 0):
            return f"{row}: its own time and that below add up to {int(row['own_ns']) + total.get(row['number'], 0)}"
    return None


def why_no_sums(table, constructs, has_path):
    """The figures of constructs.csv are, to the nanosecond, the sums over paths."""
    sums = {}
    for row in table:
        of = sums.setdefault(row["construct"], [0, 0, 0])
        for i, column in enumerate(("count", "own_ns", "path_ns")):
            of[i] += number(row[column])
        if (row["path_ns"] != "") != has_path:
            return f"{row}: the critical path is {'' if has_path else 'not '}known"
    for c in constructs:
        if c["kind"] in OTHERS or c["count"] == "":
            if c["number"] in sums:
                return f"{c['label']} has a path"
            continue
        wanted = [number(c["count"]), number(c["own_ns"]), number(c["path_ns"])]
        if sums.get(c["number"], [0, 0, 0]) != wanted:
            return f"{c['label']}: paths have {sums.get(c['number'])}, constructs.csv {wanted}"
    return None


def why_not_folded(out, table):
    """spawn.folded has what spawn.csv has; and its lines are what tools for flame graphs read."""
    wanted, paths = {}, paths_of(table)
    has_processes = sum(row["above"] == "" for row in table) > 1
    for row in table:
        frames = ((f"process {row['process']}",) if has_processes else ()) + tuple(name.replace(";", "\\x3b") for name in paths[row["number"]])
        if int(row["own_ns"]) > 0:
            wanted[frames] = wanted.get(frames, 0) + int(row["own_ns"])
    found = {}
    for line in (out / "spawn.folded").read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"([^;]+(?:;[^;]+)*) ([1-9][0-9]*)", line)
        if not match or not line.isprintable():
            return f"this is no stack: {line!r}"
        frames = tuple(match[1].split(";"))
        found[frames] = found.get(frames, 0) + int(match[2])
    wrong = [key for key in {*found, *wanted} if found.get(key) != wanted.get(key)]
    return f"{wrong[0]}: {found.get(wrong[0])} ns, spawn.csv {wanted.get(wrong[0])}" if wrong else None


def why_not_speedscope(out, table):
    """The rules of speedscope's file format for sampled profiles, and the sums of spawn.csv."""
    file = json.loads((out / "spawn.speedscope.json").read_text(encoding="utf-8"))
    frames, profiles = file["shared"]["frames"], file["profiles"]
    if file["$schema"] != "https://www.speedscope.app/file-format-schema.json" or not profiles or file["activeProfileIndex"] not in range(len(profiles)):
        return f"{list(file)}"
    for frame in frames:
        if not isinstance(frame["name"], str) or not set(frame) <= {"name", "file", "line"} or not isinstance(frame.get("line", 1), int):
            return f"{frame} is no frame"
    if len({tuple(frame.items()) for frame in frames}) != len(frames):
        return "a frame is there twice"
    by_process = {}
    for row in table:
        by_process.setdefault(row["process"], []).append(row)
    columns = [(process, column) for process in by_process for column in ("own_ns", "path_ns") if by_process[process][0][column] != ""]
    if len(columns) != len(profiles):
        return f"{len(profiles)} profiles for {columns}"
    paths = paths_of(table)
    for profile, (process, column) in zip(profiles, columns):
        samples, weights = profile["samples"], profile["weights"]
        if (profile["type"], profile["unit"], profile["startValue"]) != ("sampled", "nanoseconds", 0) or not isinstance(profile["name"], str):
            return f"{profile['name']} is no profile"
        if len(samples) != len(weights) or sum(weights) != profile["endValue"] or any(w <= 0 for w in weights):
            return f"{profile['name']}: {len(samples)} samples, {len(weights)} weights to {profile['endValue']}"
        if any(not stack or any(i not in range(len(frames)) for i in stack) for stack in samples):
            return f"{profile['name']}: a stack of frames that are not there"
        found = [(tuple(frames[i]["name"] for i in stack), weight) for stack, weight in zip(samples, weights)]
        wanted = [(paths[row["number"]], int(row[column])) for row in by_process[process] if row["above"] and int(row[column]) > 0]
        if found != wanted:
            return f"{profile['name']}: not the paths of {column}"
    return None


def why_not_nodes(out, table, constructs):
    """Counts and times of tasks, looked up in nodes.csv: each task's ancestors, as constructs, and folded."""
    nodes = {row["id"]: row for row in rows(out, "nodes.csv")}
    by_number = {c["number"]: c for c in constructs}
    first_of = {}
    for c in constructs:
        first_of.setdefault((c["kind"], c["file"], c["line"], c["function"], nodes and process_of(nodes, c)), c["number"])

    def same(construct):
        c = by_number[construct]
        return first_of[c["kind"], c["file"], c["line"], c["function"], process_of(nodes, c)] if c["line"] else construct

    found = {}
    for row in nodes.values():
        if row["kind"] not in Graph.TASKS:
            continue
        chain, up = [], row
        while up:
            chain.append(same(up["construct"]))
            up, top = nodes.get(up["parent"]), up
        path = []
        for construct in reversed(chain):
            path = path[:path.index(construct) + 1] if construct in path else [*path, construct]
        if top["kind"] != "initial":
            path.insert(0, "")
        of = found.setdefault((row["process"], *path), [0, 0, 0])
        of[0] += row["kind"] != "implicit"
        of[1] += int(row["busy_ns"])
        of[2] += 1
    place = {}
    for row in table:
        place[row["number"]] = (*place[row["above"]], row["construct"]) if row["above"] else (row["process"],)
    own = {}
    for row in table:
        kind = by_number[row["construct"]]["kind"] if row["construct"] else ""
        is_task = kind in ("initial", "task", "target", "taskloop_split", "parallel", "teams")
        key = place[row["number"]] if is_task else place[row["number"]][:-1]  # what a worksharing construct has is its region's
        of = own.setdefault(key, [0, 0])
        of[0] += number(row["count"]) if kind in ("initial", "task", "target", "taskloop_split") else 0
        of[1] += number(row["own_ns"])
    for key, (count, ns, n) in found.items():
        if key not in own:
            return f"no row for {key}"
        if key[-1] and by_number[key[-1]]["kind"] in ("parallel", "teams"):
            count = 0
        # Every number is rounded to ns once.
        if own[key][0] != count or abs(own[key][1] - ns) > n + len(table):
            return f"{key}: {own[key]}, by nodes.csv {count} tasks and {ns} ns"
    return None


def why_not_path(out, table, constructs):
    """What the nodes of the critical path executed is the paths', and that of explicit tasks the one of their construct."""
    nodes, kinds = rows(out, "nodes.csv"), {c["number"]: c["kind"] for c in constructs}
    of = {row["id"]: row for row in nodes}
    on_path = [row for row in nodes if row["path"] and row["kind"] in (*Graph.TASKS, *Graph.UNITS, "fragment")]
    busy, path, explicit = {}, {}, {}
    for row in on_path:
        busy[row["process"]] = busy.get(row["process"], 0) + int(row["busy_ns"]) * (not kinds.get(of[row["task"]]["construct"], "").startswith("scheduler"))
        if of[row["task"]]["kind"] == "task":
            explicit[of[row["task"]]["process"]] = explicit.get(of[row["task"]]["process"], 0) + int(row["busy_ns"])
    tasks = {}
    for row in table:
        path[row["process"]] = path.get(row["process"], 0) + int(row["path_ns"])
        if kinds.get(row["construct"]) in ("task", "taskloop_split"):
            tasks[row["process"]] = tasks.get(row["process"], 0) + int(row["path_ns"])
    for name, found, wanted in (("all", path, busy), ("explicit tasks", tasks, explicit)):
        for process in {*found, *wanted}:
            if abs(found.get(process, 0) - wanted.get(process, 0)) > len(on_path) + len(table):
                return f"process {process}, {name}: {found.get(process)} ns on the critical path, by nodes.csv {wanted.get(process)}"
    return None


def process_of(nodes, construct):
    """The process that a construct belongs to: constructs of several processes differ."""
    if not hasattr(process_of, "cache") or process_of.cache[0] is not nodes:
        process_of.cache = nodes, {row["construct"]: row["process"] for row in nodes.values()}
    return process_of.cache[1].get(construct["number"], "")


def compare(name, dumps, wanted, expected=None):
    for level in ("task", "fragment"):
        out = PLACE / f"{name}-{level}"
        result = run([BUILDER, "-q", "-o", out, f"--graph={level}", "--csv", "--answer", "--folded", "--speedscope", "--merge", *dumps])
        if not report.check(f"{NAME}/{name}-{level}/build", result.why(wanted)):
            continue
        table, constructs = rows(out, "spawn.csv"), rows(out, "constructs.csv")
        has_answer = "answer" in json.loads((out / "summary.json").read_text())
        has_path = table[0]["path_ns"] != ""
        report.check(f"{NAME}/{name}-{level}/tree", why_no_tree(table))
        if has_answer:
            report.check(f"{NAME}/{name}-{level}/sums", why_no_sums(table, constructs, has_path))
        report.check(f"{NAME}/{name}-{level}/folded", why_not_folded(out, table))
        report.check(f"{NAME}/{name}-{level}/speedscope", why_not_speedscope(out, table))
        if level == "task":  # a task's node has all of its time
            report.check(f"{NAME}/{name}-{level}/nodes", why_not_nodes(out, table, constructs))
        elif has_path:
            report.check(f"{NAME}/{name}-{level}/path", why_not_path(out, table, constructs))
        if expected:
            report.check(f"{NAME}/{name}-{level}/paths", expected(table))
        alone = run([BUILDER, "-q", "-o", PLACE / "alone", "--force", "--folded", "--merge", *dumps])
        same = (PLACE / "alone/spawn.folded").read_bytes() == (out / "spawn.folded").read_bytes() if not alone.why(wanted) else False
        report.check(f"{NAME}/{name}-{level}/alone", alone.why(wanted) or (None if same else "--folded alone writes another file"))


def why_not_expected(table):
    found, paths = {}, paths_of(table)
    for row in table:
        names = [re.sub(r"@\S+ \((\w+)\)$", r" \1", name) for name in paths[row["number"]]]
        if names:
            key = ";".join(names[1:]) or names[0]
            found[key] = found.get(key, 0) + int(row["count"])
    if all(row["path_ns"] == "0" for row in table if row["name"].startswith("loop@")):
        return "no loop is on the critical path, which is the only way through its region"
    wrong = sorted(key for key in {*found, *EXPECTED} if found.get(key) != EXPECTED.get(key))
    return ", ".join(f"{key}: {found.get(key)}, by the text {EXPECTED.get(key)}" for key in wrong) or None


def why_not_units(table):
    """In tests/argobots/stack.c: the paths of work functions, and not the schedulers' time."""
    scheduler = [row for row in table if row["name"].startswith("scheduler") and row["own_ns"] != "0"]
    units = [row for row in table if row["name"].startswith("unit@")]
    return f"a scheduler executes: {scheduler[0]}" if scheduler else None if units and "primary_unit" in {row["name"] for row in table} else "no units"


def main():
    need(RECORDER, LAUNCHER, BUILDER)
    empty(PLACE)
    (PLACE / "program.c").write_text(PROGRAM)
    # Inlined, a function would have its constructs in others, under their names.
    if report.check(f"{NAME}/compile", compile_c(PLACE / "program.c", PLACE / "program", flags=["-fno-inline"]).why([0])):
        dumps = []
        for i in range(2):
            result = run([LAUNCHER, "-q", "--", PLACE / "program"], {"OTTER_DIR": empty(PLACE / f"dumps-{i}"), "OMP_NUM_THREADS": "2"})
            report.check(f"{NAME}/record-{i}", result.why([0]))
            dumps += dumps_in(PLACE / f"dumps-{i}")
        compare("program", dumps[:1], [0], why_not_expected)
        compare("processes", dumps, [0], lambda table: why_not_expected(
            [row for row in table if row["process"] == "1"]) or (None if len({row["process"] for row in table}) == 2 else "not two processes"))
    for kept in sorted((ROOT / "tests/golden").glob("*.tar.xz")):
        name = kept.name.partition(".")[0]
        with tarfile.open(kept) as archive:
            archive.extractall(PLACE / "kept")
        compare(name, [PLACE / "kept" / f"{name}.otter"], [0, 3], why_not_units if name == "units" else None)
    result = run([BUILDER, "--folded", "--task=1", "-o", PLACE / "family", dumps[0]])
    report.check(f"{NAME}/not-of-a-task", result.why([2]))
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
