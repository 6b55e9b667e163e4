#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many processes in one archive, with few open files, and in all that is written by default, with
little memory.

A small dump is copied as many processes of one run, which are built, closed and given back one after the other.

Usage: many.py [N]     (N: how many processes, 600 by default; for a larger one the time and the memory are printed)
"""
import json
import re
import resource
import shutil
import subprocess
import time

from common import *

NAME, PLACE, report = "many", WORK / "many", Report()
FEW = 600                         # processes
TABLES_KIB, MORE_KIB = 30720, 32  # of private memory: for these, and what each one more adds at the most

PROGRAM = r"""
static volatile int n;

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp task
	n++;
}
"""


def record(place, threads):
    result = run([LAUNCHER, "-q", "--", PLACE / "program"], {"OTTER_DIR": empty(place), "OMP_NUM_THREADS": str(threads), "OTTER_RUN": "many"})
    dumps = dumps_in(place)
    return dumps[0] if report.check(f"{NAME}/record-{place.name}", result.why([0]) or (None if len(dumps) == 1 else str(dumps))) else None


def copy(dump, place, n):
    """`dump` as the n processes of a run that have other numbers, which share one file for each binary that is kept."""
    files = {f.name: f.read_bytes() for f in dump.iterdir() if f.is_file()}
    pid = str(pid_of(dump))
    for i in range(n):
        other = str(100000 + i)
        target = place / f"{dump.name[:-len('.otter')].removesuffix(pid)}{other}.otter"
        target.mkdir(parents=True)
        if (dump / "binaries").exists():
            shutil.copytree(dump / "binaries", target / "binaries", copy_function=os.link)
        for name, content in files.items():
            (target / name).write_bytes(content.replace(f"\npid {pid}\n".encode(), f"\npid {other}\n".encode()) if name == "meta" else content)


def build_limited(dumps, option, limit):
    """An output of `dumps`, under a limit of ulimit."""
    out = PLACE / f"{dumps.name}{option}.out"
    shutil.rmtree(out, ignore_errors=True)
    return out, run(["bash", "-c", f'ulimit {limit}; exec "$@"', "-", BUILDER, "-q", option, "-o", out, dumps],
                    {"OMP_NUM_THREADS": "1"})


def data_limit(n):
    """For ulimit: the private memory that n processes may take."""
    return f"-d {TABLES_KIB + MORE_KIB * max(0, n - FEW)}"


def check_default(n):
    """All that is written by default, under the same limit; the graph is drawn by construct, of all processes together, and whole where that is asked for."""
    out, result = build_limited(PLACE / "processes", "--graph=task", data_limit(n))
    report.check(f"{NAME}/default", result.why([0]))
    if result.status != 0:
        return
    summary = json.loads((out / "summary.json").read_text())
    threads = {(t["process"], t["stream"]) for t in summary["states"]["threads"]}
    n_tasks = summary["graph"]["nodes"]["task"]
    report.check(f"{NAME}/summary", None if len(threads) == 2 * n and n_tasks == n and len(summary["process_table"]) == n
                 else f"{len(threads)} threads, {n_tasks} tasks")
    _, result = build_limited(PLACE / "processes", "--canonical", data_limit(n))
    processes = {line.split("[")[1].split(":")[0] for line in result.out.splitlines()} if result.status == 0 else ()
    report.check(f"{NAME}/canonical", result.why([0]) or (None if len(processes) == n else f"{len(processes)} processes"))
    groups = (out / "graph.dot").read_text()
    out, result = build_limited(PLACE / "processes", "--max-nodes=1000000", data_limit(n))
    whole = (out / "graph.dot").read_text() if result.status == 0 else ""
    clusters = [text.count("subgraph cluster_") for text in (groups, whole)]
    nodes = len(re.findall(r"^  n\d+ \[", whole, re.M))
    report.check(f"{NAME}/drawings", result.why([0]) or (None if clusters == [0, n] and nodes == sum(summary["graph"]["nodes"].values())
                                                         and groups.count("digraph") == whole.count("digraph") == 1
                                                         and f"{n} processes together" in groups.splitlines()[1] and "drawn by" not in whole
                                                         else f"{clusters} clusters, {nodes} nodes"))


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else FEW
    (PLACE / "program.c").parent.mkdir(parents=True, exist_ok=True)
    (PLACE / "program.c").write_text(PROGRAM)
    if not report.check(f"{NAME}/compile", compile_c(PLACE / "program.c", PLACE / "program").why([0])):
        report.print()
        return 1
    small = record(PLACE / "small", 2)
    if small:
        copy(small, empty(PLACE / "processes"), n)
        begin = time.monotonic()
        out, result = build_limited(PLACE / "processes", "--otf2", "-n 64")
        seconds = time.monotonic() - begin
        report.check(f"{NAME}/processes", result.why([0]))
        locations = len(list((out / "traces").glob("*.evt")))
        report.check(f"{NAME}/locations", None if locations == 2 * n else f"{locations} of {2 * n}")
        if n <= FEW:
            # otf2-print keeps each location's file open.
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            if hard >= 2 * n + 100:
                resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * n + 100), hard))
                report.check(f"{NAME}/archive", check_archive(out))
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            else:
                report.skip(f"{NAME}/archive", f"{hard} open files are allowed, otf2-print needs {2 * n}")
        # All processes at once take twice as much private memory, and a gigabyte more below AddressSanitizer.
        if "-address" not in os.path.realpath(BUILDER):
            out, result = build_limited(PLACE / "processes", "--csv", data_limit(n))
            nodes = (out / "nodes.csv").read_text().splitlines()[1:] if result.status == 0 else []
            numbers = [int(row.split(",")[0]) for row in nodes]
            report.check(f"{NAME}/tables", result.why([0]) or (None if numbers == sorted(set(numbers)) and len({row.split(",")[4] for row in nodes}) == n
                                                               else "nodes.csv does not have each process once, in order"))
            check_default(n)
        if n > FEW:
            kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            print(f"{n} processes: {seconds:.1f} s, {kib / 1024:.0f} MiB at most")
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
