#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The words of the expectations (expect.py) accept what is so and refuse what is not, on a small graph that is written down here."""
import sys
import tempfile
import types

from common import *
from expect import *

SOURCE = """\
a(); /* @first */
b(); /* @second */
c(); /* @wait */
d(); /* @other */
e(); /* @child */ /* @also */
f(); /* @region */
"""

# id, kind, line, task. Two tasks of @first, one of @second (which has a child) and one of @other; a taskwait for the first three.
NODES = ((1, "initial", 0, 1), (2, "implicit", 6, 2), (3, "task", 1, 3), (4, "task", 1, 4), (5, "task", 2, 5), (6, "task", 4, 6), (7, "task", 5, 7),
         (8, "taskwait", 3, 2), (9, "region", 6, 1), (10, "join", 6, 1))
EDGES = ((1, 9, "sequence"), (9, 2, "create"), (2, 3, "create"), (2, 4, "create"), (2, 5, "create"), (5, 7, "create"), (3, 5, "depend:inout"),
         (3, 8, "taskwait"), (4, 8, "taskwait"), (5, 8, "taskwait"), (2, 8, "sequence"), (8, 6, "create"), (7, 10, "barrier"), (6, 10, "barrier"),
         (8, 10, "join"))
PATH = {9: 1, 2: 2, 3: 3, 5: 4, 8: 5, 6: 6, 10: 7}  # by id, of the longest way
EXCLUSIVE = ((0, 1, 3), (0, 1, 4), (0, 2, 4), (0, 2, 5))
STATES = {0: "overhead work_serial overhead work_parallel wait_taskwait work_parallel wait_taskwait work_serial", 1: "idle work_parallel idle", 2: "idle"}
SUMMARY = {"tasks": {"explicit": 5}, "events": {"flush": 3}, "quirks": {"work_without_end": 2, "late_worker_end": 1}}

RIGHT = """\
tasks explicit 5
tasks target 0
tasks explicit 4+
nodes task 5
edges taskwait 3
event flush 3
at @first task 2
at @first taskwait 0
at @also task 1
edge depend @first @second 1
edge depend:inout @first @second 1
edge depend @second @first 0
edge taskwait @first @wait 2
before @first @wait
before @wait @other
precedes @second @child
precedes @first @wait
unordered @first @first
unordered @other @child
joins @wait @first @second
joins @region:join @child @other
exclusive @first @first
unexclusive @other @child
states first overhead work_serial overhead (work_parallel wait_taskwait)+ work_serial
states first ... wait_taskwait work_serial
states first overhead ... work_parallel wait_taskwait? work_serial?
states others idle (work_parallel idle)?
states some idle work_parallel idle
state work_parallel 3
state wait_taskwait 2+
state wait_lock 0
path @first:task 1
path @second 1
path @child 0
path @wait 1
quirk work_without_end
clang tasks explicit 5
gcc tasks explicit 1
clang gcc libomp19 libomp14 nodes join 1
libomp14 nodes join 2
""".splitlines()

WRONG = """\
tasks explicit 4
tasks explicit 6+
nodes task 4
edges taskwait 2
event flush 4
at @first task 1
at @nowhere task 0
edge depend @first @second 0
edge depend:in @first @second 1
edge depend @nowhere @second 0
before @first @second
before @other @wait
before @nowhere @wait
precedes @first @second
precedes @other @child
unordered @first @second
unordered @wait @other
joins @wait @first
joins @wait @first @second @child
joins @wait @first @other
joins @wait nothing
joins @wait @nowhere
joins @region:join nothing
joins @first:barrier nothing
exclusive @first @second
exclusive @second @second
exclusive @other @child
unexclusive @first @second
states first overhead work_serial overhead work_parallel wait_taskwait work_serial
states first overhead work_serial
states first work_serial ...
states first ... work_parallel
states others idle work_parallel idle
states some idle work_parallel
states everybody ...
state work_parallel 2
state wait_lock 1+
path @first:task 2
path @child 1
path @nowhere 0
clang tasks explicit 1
libomp19 nodes join 2
""".splitlines()

REFUSED = ("canonical 1 2 8", "canonical no", "canonical", "joined @wait", "libomp14", "clang")


def outcome(directory, line):
    """What an expectation of this line and the quirk says of the graph: a list of reasons."""
    expect = directory / "small.expect"
    expect.write_text(line + "\n")
    graph = Graph(directory)
    want = Expectation(expect, "clang")
    reasons = wrong_numbers(want, [SUMMARY], [graph], [directory], {"fragment": [graph]})
    return reasons + (wrong_quirks(want, [SUMMARY]) if want.quirk else [])


def check_words(report, directory):
    for line in RIGHT:
        report.check(f"accepts: {line}", "; ".join(outcome(directory, line)))
    for line in WRONG:
        report.check(f"refuses: {line}", None if outcome(directory, line) else "accepted")
    for line in REFUSED:
        try:
            outcome(directory, line)
            report.check(f"is no expectation: {line}", "accepted")
        except ValueError:
            report.check(f"is no expectation: {line}", None)
    for names, n in ((["work_without_end"], 0), (["work_without_end", "sometimes"], 0), (["masked_without_end"], 2), (["masked_without_end", "sometimes"], 1)):
        reasons = wrong_quirks(types.SimpleNamespace(quirk=[names], runtime=HOME), [SUMMARY])
        report.check(f"quirk {' '.join(names)}: {n} reasons", None if len(reasons) == n else "; ".join(reasons) or "accepted")
    (directory / "exclusive.csv").unlink()
    report.check("refuses: exclusive without its table", None if outcome(directory, "exclusive @first @first") else "accepted")


def write_table(path, columns, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows([columns, *rows])


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "small.c").write_text(SOURCE)
        kinds = sorted({kind for _, kind, _, _ in NODES})
        write_table(directory / "constructs.csv", ("number", "label", "file", "function"), [(i, kind, "small.c", "") for i, kind in enumerate(kinds, 1)])
        write_table(directory / "nodes.csv", ("id", "kind", "construct", "line", "task", "path"),
                    [(i, kind, kinds.index(kind) + 1, line or "", task, PATH.get(i, "")) for i, kind, line, task in NODES])
        write_table(directory / "edges.csv", ("source", "target", "kind", "dependence"), [(s, t, *(kind + ":").split(":")[:2]) for s, t, kind in EDGES])
        write_table(directory / "exclusive.csv", ("process", "set", "node"), EXCLUSIVE)
        write_table(directory / "states.csv", ("process", "stream", "state", "count", "total_ns"),
                    [(0, s, n, seen.split().count(n), 10 * seen.split().count(n)) for s, seen in STATES.items() for n in sorted(set(seen.split()))])
        write_table(directory / "state_intervals.csv", ("process", "stream", "state", "begin_ns", "end_ns"),
                    [(0, s, n, 10 * i, 10 * i + 10) for s, seen in STATES.items() for i, n in enumerate(seen.split())])
        check_words(report, directory)
    report.print()
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
