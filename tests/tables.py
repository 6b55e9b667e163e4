#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is docs/tables.md true of the tables that otter-build writes?

A sampled program with OpenMP and one with Argobots' units are recorded and built. Each table has the columns that the page says, in that order; columns that
are never empty are not; points in time and durations are numbers of ns, handles and ids hexadecimal; numbers of nodes and constructs are in their tables.
"""
from units import *

PAGE = ROOT / "docs" / "tables.md"
HANDLES = ("host_op_id", "object", "handle", "pool", "last_pool", "wait_id")
NODES = ("source", "target", "node", "task", "parent", "creator")


def described():
    """{file: {column: (unit, when it is empty)}} by the page."""
    files, columns = {}, None
    for line in PAGE.read_text().splitlines():
        heading = re.match(r"## (\S+\.csv)$", line)
        if heading:
            columns = files[heading[1]] = {}
        row = re.match(r"\| `(\w+)` \| (.*?) ?\| .+ \| (.*?) ?\|$", line)
        if row and columns is not None:
            columns[row[1]] = row[2], row[3]
        elif columns is not None and line.startswith("| `"):
            sys.exit(f"not ok tables/page: no row of four fields: {line}")
    return files


def wrong_fields(name, column, unit, empty, values, ids, constructs):
    if not empty and "" in values:
        return f"{name}: {column} is empty, and the page does not say when"
    some = [v for v in values if v]
    if unit == "ns" and not all(v.isdecimal() for v in some) or (unit == "ns") != column.endswith("_ns"):
        return f"{name}: {column} is in {unit or 'no unit'}: {some[:3]}"
    if column in HANDLES and not all(re.fullmatch("0x[1-9a-f][0-9a-f]*", v) for v in some):
        return f"{name}: {column} is no handle in hexadecimal: {some[:3]}"
    if column in NODES and not set(some) <= ids:
        return f"{name}: {column} names nodes that nodes.csv lacks: {sorted(set(some) - ids)[:3]}"
    if column == "construct" and not set(some) <= constructs:
        return f"{name}: constructs {sorted(set(some) - constructs)[:3]} are not in constructs.csv"
    return None


def wrong_tables(out, pages):
    """Reasons; of the tables that are described and were written, which ones."""
    tables = {}
    for path in sorted(out.glob("*.csv")):
        with open(path, newline="", encoding="utf-8") as f:
            header, *rows = csv.reader(f, strict=True)
        tables[path.name] = header, rows
    ids, constructs = ({row[0] for row in tables[name][1]} for name in ("nodes.csv", "constructs.csv"))
    used = {row[header.index("construct")] for header, rows in tables.values() if "construct" in header for row in rows} - {""}
    if not used <= constructs:
        yield f"constructs {sorted(used - constructs)[:3]} are not in constructs.csv"
    for name, (header, rows) in tables.items():
        if header != list(pages.get(name, ())):
            yield f"{name} has the columns {header}, the page {list(pages.get(name, ()))}"
            continue
        for i, column in enumerate(header):
            yield wrong_fields(name, column, *pages[name][column], [row[i] for row in rows], ids, constructs)


def main():
    need(RECORDER, ABT, BUILDER, LAUNCHER)
    if not shutil.which("gcc") or not compiler_found("clang"):
        print(f"skip {NAME}: no gcc or clang")
        return 77
    compile_all()
    pages, written = described(), set()
    program, sampled = PLACE / "lock_order", empty(PLACE / "dumps-sampled")
    compile_c(ROOT / "tests/omp/lock_order.c", program)
    run([LAUNCHER, "-q", f"--dir={sampled}", "--sample=5000", "--", program])
    for name, dumps in (("sampled", dumps_in(sampled)), ("conf", record("conf", "conf", ["8"])[1])):
        for level in ("task", "fragment"):
            out = PLACE / f"out-{name}-{level}"
            shutil.rmtree(out, ignore_errors=True)
            built = run([BUILDER, "-q", "--csv", "--parallelism", "--answer", "--what-if", "--lint", f"--graph={level}", "-o", out, *dumps])
            reason = built.why([0])
            check(f"{name}-{level}", reason, *([] if reason else wrong_tables(out, pages)))
            written |= {path.name for path in out.glob("*.csv")}
    out = empty(PLACE / "out-bins") / "out"
    built = run([BUILDER, "-q", "--parallelism", "--bins=3", "-o", out, *dumps_in(sampled)])
    lines = (out / "parallelism.csv").read_text().splitlines() if (out / "parallelism.csv").exists() else ()
    check("bins", built.why([0]), None if len(lines) == 4 else f"{len(lines)} lines")
    for wrong in ("0", "-1", "x", "1000001"):
        check(f"bins-{wrong}", run([BUILDER, "--parallelism", f"--bins={wrong}", "-o", out, *dumps_in(sampled)]).why([2]))
    check("all", f"on the page or in the output alone: {sorted(written ^ set(pages))}" if written != set(pages) else None)
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
