#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that are written by default are bounded: no tables with a row for each node, above a million nodes of all processes together.

Fibonacci of 28 has half a million too many, of 27 a few too few: two of those are too many. The messages are compared with what --csv writes.
"""
import json

from common import *

NAME, PLACE, report = "large", WORK / "large", Report()
MOST = 1_000_000
TABLES = {"nodes.csv": "nodes", "edges.csv": "edges"}


def record(program, n):
    place = empty(PLACE / f"dumps-{n}")
    result = run([program, n], {"OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(place), "OMP_NUM_THREADS": "2"})
    report.check(f"{NAME}/record {n}", result.why([0]))
    return dumps_in(place)


def built(out, *arguments):
    """(Result, summary or None)"""
    shutil.rmtree(out, ignore_errors=True)
    result = run([BUILDER, "-o", out, *arguments])
    path = out / "summary.json"
    return result, json.loads(path.read_text()) if path.exists() else None


def lines(path):
    with open(path, "rb") as f:
        return sum(1 for _ in f) - 1


def check_left_out(name, dumps):
    """By default the two tables are not there, and the figures given for them are those of the tables that --csv writes."""
    default, asked = PLACE / "default", PLACE / "asked"
    result, summary = built(default, "--merge", *dumps)
    whole = built(asked, "--merge", "--csv", *dumps)[0]
    reason = result.why([0]) or whole.why([0])
    left_out = {row["file"]: row for row in summary.get("left_out", ())} if not reason else {}
    if not reason and (set(left_out) != set(TABLES) or any((default / table).exists() for table in TABLES)):
        reason = f"left out: {sorted(left_out)}; there: {sorted(p.name for p in default.iterdir())}"
    for table, what in TABLES.items() if not reason else ():
        row, size = left_out[table], (asked / table).stat().st_size
        if (row["counted"], row["count"], row["option"]) != (what, lines(asked / table), "csv"):
            reason = f"{row}, and the table has {lines(asked / table)} rows"
        elif not 0.9 < row["bytes"] / size < 1.1:
            reason = f"{row}, and the table has {size} bytes"
        elif not re.search(rf"^left out {table}: {row['count']} {what}, about [\d.]+ MB \(--csv writes it\)$", result.out, re.M):
            reason = f"the screen does not say it: {result.out[-300:]}"
    kept = {"constructs.csv", "summary.json", "graph.dot", "traces.otf2", "waits.csv"} - {p.name for p in default.iterdir()} if not reason else ()
    report.check(f"{NAME}/{name}", reason or (f"{sorted(kept)} are not there" if kept else None))


def main():
    need(RECORDER, BUILDER)
    if not compiler_found("clang"):
        print(f"skip {NAME}: no {COMPILERS['clang']}")
        return 77
    with alone(PLACE):
        source, program = PLACE / "fib.c", PLACE / "fib"
        source.write_text("#include <stdlib.h>\n" + FIB + "int main(int c, char **v)\n{\n\tint r;\n#pragma omp parallel\n#pragma omp single\n"
                          "\tr = fib(atoi(v[1]));\n\treturn c > 9 ? r : 0;\n}\n")
        report.check(f"{NAME}/compile", compile_c(source, program).why([0]))
        large, small = record(program, 28), record(program, 27)
        other = record(program, 26)
        check_left_out("one process", large)
        check_left_out("two processes", [*small, *other])
        for name, dumps, options in (("below the bound", small, ()), ("asked for", large, ("--csv", "--answer"))):
            result, summary = built(PLACE / "out", *options, *dumps)
            reason = result.why([0]) or ("something is left out" if "left_out" in summary or "left out" in result.out else None)
            n = lines(PLACE / "out" / "nodes.csv") if not reason else 0
            report.check(f"{NAME}/{name}", reason or (None if (n > MOST) == (name == "asked for") else f"{n} nodes"))
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
