#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What otter-build writes by default takes a time that grows with the records alone.

Programs that have much of one thing (linear/shapes.py) are played, or copied, at two sizes, one four times the other. The
instructions that the builder executes on one thread, above those that it takes for next to nothing, may be MOST times as many.
No clock is looked at: perf counts the instructions, where the machine lets it, else valgrind.

Usage: linear.py [NAME...]     (a dozen shapes, or these; the figures of these are printed)
       linear.py --all         (all of them)
"""
import concurrent.futures
import sys

from common import *

sys.path[:0] = [str(ROOT / "tests/answers"), str(ROOT / "tests/linear")]
import shapes

NAME, PLACE = "linear", WORK / "linear"
WRITER = BUILD / "tests/tools/write_dump"
TIMES, MOST = 4, 4.6
PROCESSES = 10  # of one run, at the smaller size
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}


def by_perf(command, log):
    result = run(["perf", "stat", "-x", ",", "-e", "instructions:u", "-o", log, *command], ENVIRONMENT)
    found = re.search(r"^(\d+),", log.read_text() if log.exists() else "", re.M)
    return result, int(found[1]) if found else None


def by_valgrind(command, log):
    result = run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={log}", *command],
                 ENVIRONMENT)
    found = re.search(r"I +refs: +([\d,]+)", log.read_text() if log.exists() else "")
    return result, int(found[1].replace(",", "")) if found else None


def counter():
    """How instructions are counted here; None: they are not."""
    with tempfile.TemporaryDirectory() as place:
        return next((count for count in (by_perf, by_valgrind) if count(["true"], pathlib.Path(place) / "log")[1]), None)


def write(player, dump):
    written = subprocess.run([WRITER, dump], input=player.text(), text=True, stderr=subprocess.PIPE)
    if written.returncode != 0:
        raise RuntimeError(f"write_dump: {written.stderr}")
    return dump


def processes(dump, n, place):
    """The same process n times, under other numbers."""
    dumps = []
    for i in range(n):
        copy = place / f"program-{i}.otter"
        shutil.copytree(dump, copy)
        meta = (copy / "meta").read_text()
        (copy / "meta").write_text(re.sub(r"^pid \d+$", f"pid {100000 + i}", meta, flags=re.M))
        dumps.append(copy)
    return dumps


def cost(count, place, dumps):
    """Instructions of all default outputs, and what went wrong."""
    result, n = count([BUILDER, "-q", "-o", place / "out", *(["--merge"] if len(dumps) > 1 else []), *dumps], place / "log")
    return n, result.why([0])


def cost_of(count, place, player, n=1):
    place = empty(place)
    dump = write(player, place / "program.otter")
    return cost(count, place, [dump] if n == 1 else processes(dump, n, place))


def test(count, base, name, make, size):
    report, costs = Report(), []
    for times in (1, TIMES):
        player, n = (shapes.flat(20), size * times) if make is None else (make(size * times), 1)
        found, wrong = cost_of(count, PLACE / f"{name}-{times}", player, n)
        if not report.check(f"{NAME}/{name}-{size * times}", wrong or (None if found else "not counted")):
            return report, None
        costs.append(found - base)
    ratio = costs[1] / costs[0]
    report.check(f"{NAME}/{name}", None if ratio <= MOST else f"{TIMES} times as much takes {ratio:.2f} times the instructions: {costs[0]}, {costs[1]}")
    return report, (ratio, *costs)


def main():
    need(BUILDER, WRITER)
    count = counter()
    if count is None:
        print(f"skip {NAME}: nothing counts instructions here: neither perf nor valgrind")
        return 77
    names, failed = sys.argv[1:], 0
    wanted = names or [*shapes.USUAL, "processes"]
    jobs = [s for s in [*shapes.SHAPES, ("processes", None, PROCESSES)] if s[0] in wanted or names == ["--all"]]
    with alone(PLACE):
        base, wrong = cost_of(count, PLACE / "nothing", shapes.nothing())
        if wrong or not base:
            print(f"not ok {NAME}/nothing: {wrong or 'not counted'}")
            return 1
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
            for job, (report, figures) in zip(jobs, pool.map(lambda job: test(count, base, *job), jobs)):
                report.print()
                failed += report.failed
                if names and figures:
                    print(f"{job[0]}: {figures[0]:.2f} times, {figures[1]} and {figures[2]} instructions more than {base}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
