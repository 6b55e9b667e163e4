#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""otter.sqlite: what docs/sqlite.md says of it, against the CSV tables and summary.json of the same build.

Each table has the rows of its CSV table, in their order; types, references, indices and version are those of the page; the file has the same bytes for every
number of threads; the page's queries run, and what they count is what summary.json counts. What goes wrong is an error that leaves nothing.
"""
import collections
import json
import sqlite3

from common import *
from readable import values

NAME, PLACE, report = "sqlite", WORK / "sqlite", Report()
PAGE = ROOT / "docs" / "sqlite.md"
OPTIONS = ("--csv", "--sqlite", "--answer", "--summary", "--parallelism", "--lint")
SOURCE = """#include <omp.h>
#include <stdio.h>
static int shared, list[8];
static omp_lock_t lock;
""" + FIB + """int main(void)
{
	int result = 0;
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		result = fib(9);
		for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : shared)
			omp_set_lock(&lock), shared++, omp_unset_lock(&lock);
#pragma omp task depend(mutexinoutset : list[2])
			list[2]++;
		}
#pragma omp taskloop grainsize(1)
		for (int i = 0; i < 30; i++)
#pragma omp critical(one)
			list[i % 8]++;
	}
	printf("%d %d\\n", result, shared);
	return 0;
}
"""


def opened(out):
    return contextlib.closing(sqlite3.connect(f"file:{out / 'otter.sqlite'}?mode=ro", uri=True))


def value_of(text, column_type):
    if text == "":
        return None
    if column_type == "REAL":
        return float(text)
    return int(text) if column_type == "INTEGER" or (column_type == "ANY" and text.isdecimal()) else text


def wrong_table(db, path):
    """Has the table the columns and rows of the CSV table?"""
    types = {row[1]: row[2] for row in db.execute(f"PRAGMA table_info({path.stem})")}
    with open(path, newline="", encoding="utf-8") as f:
        header, *rows = csv.reader(f, strict=True)
    if list(types) != header:
        return f"{path.stem} has the columns {list(types)}, the file {header}"
    wanted = [tuple(value_of(text, types[column]) for column, text in zip(header, row)) for row in rows]
    found = db.execute(f"SELECT * FROM {path.stem} ORDER BY rowid").fetchall()
    return next((f"{path.stem} has {f}, the file {w}" for f, w in zip(found, wanted) if f != w), None) or \
        (f"{path.stem} has {len(found)} rows, the file {len(wanted)}" if len(found) != len(wanted) else None)


def wrong_database(out):
    """None, or what the database has otherwise than the other outputs, or the page."""
    tables = sorted(path for path in out.glob("*.csv"))
    with opened(out) as db:
        if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            return "the database is damaged"
        dangling = db.execute("PRAGMA foreign_key_check").fetchall()
        if dangling:
            return f"references to nothing: {dangling[:3]}"
        if db.execute("PRAGMA user_version").fetchone() != (1,) or db.execute("PRAGMA application_id").fetchone() != (0x4F747472,):
            return "user_version or application_id"
        found = {row[0]: row[1] for row in db.execute("SELECT name, number FROM summary WHERE number IS NOT NULL UNION ALL SELECT name, text FROM summary WHERE number IS NULL")}
        wanted = values(json.loads((out / "summary.json").read_text()))
        wrong = [name for name in {**found, **wanted} if found.get(name) != wanted.get(name) and wanted.get(name) != ""]
        if wrong:
            return f"summary: {wrong[:3]}: {[found.get(n) for n in wrong[:3]]}, not {[wanted.get(n) for n in wrong[:3]]}"
        return next(filter(None, (wrong_table(db, path) for path in tables)), None)


def queries():
    """The queries of the page: [(what it answers, SQL)]."""
    return re.findall(r"^([^\n]+):\n\n```sql\n(SELECT.*?|WITH.*?)```", PAGE.read_text(), re.M | re.S)


def wrong_answers(out):
    """The page's queries run, and count what the summary counts."""
    summary = json.loads((out / "summary.json").read_text())
    if len(queries()) != 10:
        return f"the page has {len(queries())} queries"
    with opened(out) as db:
        nodes, edges, states, longest, ready, parents, after, variables, depth, limit = (db.execute(sql).fetchall() for _, sql in queries())
        named = db.execute("SELECT DISTINCT variable FROM exclusive").fetchall()
        n_tasks = db.execute("SELECT count(*) FROM tasks WHERE kind = 'task'").fetchone()[0]
    given = summary["graph"]
    in_states = {name: s["total_ns"] for name, s in summary["states"]["all"].items()} if "all" in summary["states"] else dict(states)
    threads = collections.Counter()
    for row in csv.DictReader(open(out / "states.csv")):
        threads[row["state"]] += int(row["total_ns"])
    wrong = {
        "nodes": dict(nodes) != {k: n for k, n in given["nodes"].items() if n},
        "edges": dict(edges) != {k: n for k, n in given["edges"].items() if n},
        "states": dict(states) != dict(threads) or dict(states) != {k: n for k, n in in_states.items() if k in dict(states)},
        "longest": sum(n for _, n, _ in longest) != n_tasks or n_tasks != summary["tasks"]["explicit"],
        "ready": sum(n for _, n, _, _ in ready) != n_tasks or any(mean > most for _, _, mean, most in ready),
        "parents": not parents or [n for _, n in parents] != sorted((n for _, n in parents), reverse=True),
        "after": not after,
        "variables": sum(n for _, n in variables) != given["edges"]["depend"] or "shared" not in dict(variables),
        "exclusive": named != [("list+0x8",)],
        "depth": not 5 <= depth[0][0] <= 20,
        "limit": limit != [(summary["answer"]["limit"],)],
    }
    return ", ".join(name for name, is_wrong in wrong.items() if is_wrong) or None


# What a reader looks up most: its index, and the entries that it must find there.
LOOKUPS = {
    "edges_by_source": ("SELECT * FROM edges WHERE source = ?", "SELECT source, count(*) FROM edges NOT INDEXED GROUP BY source"),
    "edges_by_target": ("SELECT * FROM edges WHERE target = ?", "SELECT target, count(*) FROM edges NOT INDEXED GROUP BY target"),
    "nodes_by_parent": ("SELECT * FROM nodes WHERE parent = ?", "SELECT parent, count(*) FROM nodes NOT INDEXED WHERE parent IS NOT NULL GROUP BY parent"),
}


def wrong_lookups(out):
    """Edges from and to a node, and its children, are found by an index, and it finds all of them."""
    with opened(out) as db:
        for index, (lookup, counted) in LOOKUPS.items():
            plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {lookup}", (1,))]
            if len(plan) != 1 or index not in plan[0]:
                return f"{lookup}: {plan}"
            wrong = [key for key, n in db.execute(counted).fetchall() if len(db.execute(lookup, (key,)).fetchall()) != n]
            if wrong:
                return f"{index} lacks rows of {wrong[:3]}"
    return None


def wrong_page(out):
    """The page names each table, and the indices are there."""
    with opened(out) as db:
        names = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}
        indexed = {row[0] for row in db.execute("SELECT tbl_name FROM sqlite_master WHERE type = 'index'")}
    missing = [name for name in names if f"`{name}`" not in PAGE.read_text()]
    return f"the page lacks {missing}" if missing else None if indexed == {"edges", "nodes", "state_intervals", "summary"} else f"indices of {indexed}"


def build_with(out, dump, *options, threads=2, wrapper=()):
    shutil.rmtree(out, ignore_errors=True)
    return run([*wrapper, BUILDER, "-q", "-o", out, *options, *dump], {"OMP_NUM_THREADS": str(threads)})


def check_database(name, dump, *options):
    out = PLACE / "out"
    result = build_with(out, dump, *OPTIONS, *options)
    report.check(f"{NAME}/{name}", result.why([0, 3]) or wrong_database(out))
    return out


def main():
    need(RECORDER, BUILDER)
    if not compiler_found("clang"):
        print(f"skip {NAME}: no {COMPILERS['clang']}")
        return 77
    with alone(PLACE):
        source, program, dumps = PLACE / "program.c", PLACE / "program, \"quoted\"", PLACE / "dumps"
        source.write_text(SOURCE)
        report.check(f"{NAME}/compile", compile_c(source, program).why([0]))
        dumps.mkdir()
        run([program], {"OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(dumps), "OTTER_SAMPLE": "1000"})
        dump = dumps_in(dumps)
        out = check_database("tables", dump, "--states")
        report.check(f"{NAME}/queries", wrong_answers(out))
        report.check(f"{NAME}/lookups", wrong_lookups(out))
        report.check(f"{NAME}/page", wrong_page(out))
        for level in ("scope", "fragment"):
            check_database(level, dump, f"--graph={level}")
        check_database("merged", [*dump, *unpacked("locks"), *unpacked("devices")], "--merge")
        check_database("units", unpacked("units"))
        check_database("damaged", unpacked("killed"))
        files = set()
        for threads in (1, 2, 4, 16):
            build_with(PLACE / "alone", dump, "--sqlite", "--states", threads=threads)
            files.add((PLACE / "alone" / "otter.sqlite").read_bytes())
        report.check(f"{NAME}/threads", None if len(files) == 1 else "the file depends on the number of threads")
        result = build_with(PLACE / "task", dump, "--sqlite", "--task=3")
        with opened(PLACE / "task") as db:
            counts = [db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("nodes", "states", "waits", "summary")]
        report.check(f"{NAME}/task", result.why([0]) or (None if counts[0] and counts[3] and not counts[1] and not counts[2] else f"{counts}"))
        result = build_with(PLACE / "full", dump, "--sqlite", wrapper=("prlimit", "--fsize=40000"))
        left = [p.name for p in PLACE.glob("full*")]
        report.check(f"{NAME}/full", result.why([1]) or (None if "otter.sqlite: could not be written whole" in result.err and not left else f"{result.err} {left}"))
    report.print()
    return report.failed > 0


def unpacked(name):
    """A dump of tests/golden."""
    place = PLACE / f"golden-{name}"
    if not place.exists():
        shutil.unpack_archive(ROOT / f"tests/golden/{name}.tar.xz", place)
    return dumps_in(place)


if __name__ == "__main__":
    sys.exit(main())
