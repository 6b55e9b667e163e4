#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of programs.py finds what is wrong in a graph: edges that are taken out of a graph, or put in, in a
program that orders most of its tasks in some way, and nodes that are not what they are taken for. It does not depend on
which thread began first. Programs know of tasks that were not executed, and of what depends on who executes a `single`.

    tests/programs_selftest.py

Each edge that no other path replaces is taken out in turn; and between each two tasks that nothing orders an edge is put
in. Each time something must be found, and nothing in the graph as it is.
"""
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "programs"))

from common import *
from compare import Comparison
from must import Order
from statements import *

# No pair of it is undecided: what a thread of unknown number executes would make some.
PROGRAM = [Region(None, [
    Masked([
        Task([Task([Work(1)]), Wait(), Work(1)], [Depend("out", 0)]),
        Task([Work(1)], [Depend("mutexinoutset", 0)]),
        Task([Work(1)], [Depend("mutexinoutset", 0)]),
        Task([Work(1)], [Depend("in", 0, count=2)]),
        Wait([Depend("in", 0)]),
        Group([Task([Task([Work(1)])]), Task([Work(1)])]),
        Task([Work(1)]),
        Taskloop("num_tasks(3)", 3, 3, [Task([Work(1)])]),
        Wait(),
        Region(2, [Each([Task([Work(1)])]), Barrier(), Masked([Task([Work(1)])])]),
        Task([Work(1)])]),
    Barrier(),
    Share("static", [[Task([Work(1)]), Wait(), Task([Work(1)])], [Task([Work(1)])]]),
    Each([Task([Work(1)])])])]


# Each of three threads does something else, one of them by tasks without a line.
TEAM = [Region(3, [Share("static", [
    [Task([Work(1)])],
    [Taskloop("num_tasks(3)", 3, 3, [Work(1)], nogroup=True), Task([Work(1)])],
    [Task([Work(1)]), Wait()]])])]


def depends(kind):
    return [Depend(kind, 0)]


# Two constructs that may or may not be one thread's: is the graph another one if they are?
VARIES = (
    (Task([], depends("in")), Task([], depends("in")), False),
    (Task([], depends("out")), Task([], depends("in")), True),
    (Task([], depends("inout"), ("if(0)",)), Task([], depends("in"), ("if(0)",)), True),
    (Task([], depends("mutexinoutset")), Task([], depends("mutexinoutset")), True),
    (Task([], depends("inoutset")), Task([], depends("inoutset")), False),
    (Task([], [Depend("out", None)]), Task([], depends("in")), True),
    (Task([], depends("out")), Wait(depends("in")), True),
    (Wait(depends("out")), Task([], depends("in")), True),
    (Wait(depends("out")), Wait(depends("in")), True),
    (Wait(depends("in")), Wait(depends("in")), False),
    (Wait(depends("in")), Wait(), False),
    (Task([]), Wait(), True),
    (Taskloop("num_tasks(2)", 2, 2, [], nogroup=True), Wait(), True),
    (Taskloop("num_tasks(2)", 2, 2, []), Wait(), True),
    (Task([]), Group([Task([])]), False))


def varies_wrongly():
    """Which of VARIES is not known to Order, by number. Between explicit tasks all is known."""
    wrong = []
    for number, (one, other, varies) in enumerate(VARIES):
        for first, second in ((Single, Single), (Masked, Single), (Single, Masked)):
            nowait = [first([one]), second([other])]
            nowait[0].nowait = True
            program = [Region(2, nowait), Region(2, [Single([Task([one, other])])])]
            Text([program], "clang")
            if Order([program], "clang", 2).varies != varies or Order([program[1:]], "clang", 2).varies:
                wrong.append(number)
    return f"numbers {sorted(set(wrong))}" if wrong else None


def began_in_any_order(work):
    """Finds the nodes of TEAM whichever thread began first. Returns a reason or None."""
    reason = record(work, TEAM, "3")
    if reason:
        return reason
    nodes = work / "build" / "nodes.csv"
    with open(nodes, newline="") as f:
        table = csv.DictReader(f)
        rows, names = list(table), table.fieldnames
    implicits = [row for row in rows if row["kind"] == "implicit"]
    for order in itertools.permutations(range(1, 4)):
        for row, place in zip(implicits, order):
            row["create_ns"] = row["begin_ns"] = str(place)
        with open(nodes, "w", newline="") as f:
            out = csv.DictWriter(f, names)
            out.writeheader()
            out.writerows(rows)
        wrong = Comparison(Order([TEAM], "clang", 3), work / "build", "clang.c", "fragment", sound=False).wrong
        if wrong:
            return f"began in the order {order}: " + "; ".join(wrong[:3])
    return None


def lost_wrongly(work):
    """Does a program know how often bodies of tasks must be executed?"""
    right = Order([PROGRAM], "clang", 2).runs
    wanted = {right - 1: LOST, right: 0, right + 1: LOST}
    got = {n: run([work / "clang", n], {"OMP_NUM_THREADS": "2", "OMP_MAX_ACTIVE_LEVELS": "8"}).status for n in wanted}
    return None if got == wanted else f"statuses {got}, not {wanted}"


def record(work, program, threads):
    """Records a program and builds its graph. Returns a reason or None."""
    (work / "clang.c").write_text(str(Text([program], "clang")))
    result = compile_c(work / "clang.c", work / "clang", "clang", ["-w"])
    if result.status == 0:
        result = run([work / "clang"], {"OMP_NUM_THREADS": threads, "OMP_MAX_ACTIVE_LEVELS": "8", "OMP_TOOL_LIBRARIES": str(RECORDER),
                                        "OTTER_DIR": str(empty(work / "dumps"))})
    if result.status == 0:
        result = run([BUILDER, "--strict", "--csv", "--graph=fragment", "-o", work / "build", *dumps_in(work / "dumps")])
    return result.why([0])


def planted(out, rows, names):
    """Compares the graph with these edges instead of its own."""
    with open(out / "edges.csv", "w", newline="") as f:
        table = csv.DictWriter(f, names)
        table.writeheader()
        table.writerows(rows)
    return Comparison(Order([PROGRAM], "clang", 2), out, "clang.c", "fragment", sound=False)


def too_few(n):
    return f"only {n} were tried" if n < 40 else None


def main():
    need(RECORDER, BUILDER)
    report = Report()
    with alone(WORK / "programs_selftest") as work:
        if not report.check("programs_selftest/record", record(work, PROGRAM, "2")):
            report.print()
            return 1
        out = work / "build"
        with open(out / "edges.csv", newline="") as f:
            table = csv.DictReader(f)
            rows, names = list(table), table.fieldnames
        whole = planted(out, rows, names)
        report.check("programs_selftest/whole", "; ".join(whole.wrong[:3]))
        is_decided = whole.pairs > 0 and sum(whole.undecided.values()) == 0
        report.check("programs_selftest/decided", None if is_decided else f"undecided {whole.undecided}")
        matched = [node for found in whole.match.nodes.values() for node in found]
        reached = whole.graph.reach(matched)
        missed, n_tried = [], 0
        for i, row in enumerate(rows):
            one = planted(out, rows[:i] + rows[i + 1:], names)
            reached_now = one.graph.reach(matched)
            if any(reached_now[node] != reached[node] for node in matched):
                n_tried += 1
                if not one.wrong:
                    missed.append(f"{row['kind']} {row['source']} -> {row['target']}")
        report.check("programs_selftest/without-an-edge", f"not found: {missed[:4]}" if missed else too_few(n_tried))
        missed, n_tried = [], 0
        template = {name: "" for name in names}
        for i, a in enumerate(matched):
            for j, b in enumerate(matched):
                if i % 3 == j % 3 and a != b and not reached[b] >> i & 1 and not reached[a] >> j & 1:
                    n_tried += 1
                    more = {**template, "source": a, "target": b, "kind": "depend", "dependence": "in"}
                    if not planted(out, rows + [more], names).wrong:
                        missed.append(f"{a} -> {b}")
        report.check("programs_selftest/one-edge-more", f"not found: {missed[:4]}" if missed else too_few(n_tried))
        planted(out, rows, names)
        lines = (out / "nodes.csv").read_text().splitlines()
        for kind in ("task", "taskwait", "taskgroup", "barrier"):
            at = next(i for i, line in enumerate(lines) if line.split(",")[1] == kind)
            words = lines[at].split(",")
            words[1] = "fragment"
            (out / "nodes.csv").write_text("\n".join([*lines[:at], ",".join(words), *lines[at + 1:]]) + "\n")
            found = planted(out, rows, names).wrong
            report.check(f"programs_selftest/no-{kind}", None if found else "not found")
        report.check("programs_selftest/lost", lost_wrongly(work))
        report.check("programs_selftest/began", began_in_any_order(empty(work / "team")))
        report.check("programs_selftest/varies", varies_wrongly())
    report.print()
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
