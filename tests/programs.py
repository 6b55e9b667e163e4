#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records random programs, and compares the order of their graphs with what their texts and the OpenMP specification
say.

    tests/programs.py [--count N] [--first SEED] [--without FEATURE]... [--small N] [SEED...]

Without seeds there are N (100) from SEED (1) on, and those that once found a fault. Named seeds are tried one by one, their text is printed, and so is each
difference. A failure leaves its program, dump and differences in build/tests/run/programs; the first N (3) that fail are
made smaller as well.

tests/programs/ draws a program from a seed (drawing.py, statements.py), says what must be ordered in it and what must not
(must.py), and finds its events among the graph's nodes (matching.py). For every pair of events about which the text
decides, one has to reach the other in the graph, or must not. Each program is compiled by clang and gcc and runs on 1, 2
and 4 threads, with small rings and both ways of draining, and all outputs are built with --strict.
"""
import argparse
import itertools
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent / folder) for folder in ("programs", "answers")]

from common import *
import checks
from collections import Counter
from compare import Comparison
from drawing import FEATURES, LATER, program
from must import Order
from shrink import smaller
from statements import LOST, Text

BATCH = 5  # seeds in one executable
# Programs as they were drawn before LATER. Three whose lists differed from run to run: tasks with several waits or regions that move; and one that was taken for damaged:
# a task in a region of one thread begins another such region.
FOUND = (40907, 40967, 41334, 89882)
RUNS_BESIDE = 5000  # without the recorder, until one fails as the one with it did
MOST_UNDECIDED = 0.05  # of the pairs of many programs, with all features
RINGS = ({}, {"OTTER_RING": "32K"}, {"OTTER_DRAIN": "self"}, {"OTTER_RING": "32K", "OTTER_DRAIN": "self"})
LEVELS = ("fragment", "task", "fragment", "scope")
THREADS = (1, 2, 4)
CHECKED = {"clang": ["-fverify-intermediate-code", "-fno-crash-diagnostics"], "gcc": []}  # clang 19's code may be wrong (docs/runtimes.md)


def variants(first):
    """(compiler, threads, environment, level) of each run of the executable whose first seed this is."""
    rings, levels = itertools.cycle(RINGS), itertools.cycle(LEVELS)
    for _ in range(first % 5):
        next(rings)
    for _ in range(first // 5 % 4):
        next(levels)
    return [(compiler, n, next(rings), next(levels)) for compiler in ("clang", "gcc") for n in THREADS if compiler_found(compiler)]


def drawn(seed, without):
    return program(seed, [*without, *LATER] if seed in FOUND else without)


def lacks_an_address(wrong):
    """Is one task of the text without a line? The runtime loses an address once in 200,000 tasks. Where several are lost it
    is not that."""
    return sum(bool(re.match(r"task \(node \d+\) is not in the text", line)) for line in wrong) == 1


class Tally:
    """Adds up the pairs of all programs that were compared."""

    def __init__(self):
        self.lock, self.pairs, self.undecided = threading.Lock(), 0, Counter()

    def add(self, comparison):
        with self.lock:
            self.pairs += comparison.pairs
            self.undecided += comparison.undecided

    def line(self):
        reasons = ", ".join(f"{why}: {n}" for why, n in sorted(self.undecided.items()))
        return f"{self.pairs} pairs, undecided {100 * self.share():.1f} % ({reasons or 'none'})"

    def share(self):
        return sum(self.undecided.values()) / max(1, self.pairs)


def environment(compiler, threads):
    return {**preload_for(compiler), "OMP_NUM_THREADS": str(threads), "OMP_MAX_ACTIVE_LEVELS": "8", "OMP_DYNAMIC": "false",
            "OMP_MAX_TASK_PRIORITY": "4"}


def recording(dumps):
    return {"OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(dumps)}


def breaks_itself(command, env, status):
    """Does the program fail in the same way without the recorder, or hang? What the runtime breaks is nothing of Otter's.
    It may do so in one of fifteen hundred runs."""
    return any(run(command, env, 30).status in (status, "hang") for _ in range(RUNS_BESIDE))


def why_not(result):
    """Why a program failed that was recorded, or None."""
    return "tasks were not executed" if result.status == LOST else result.why([0])


def notes_of(dumps):
    """(stream, ns, command, what) of each call of omp_control_tool."""
    listing = run([BUILDER, "--list", *dumps_in(dumps)]).out
    pattern = r"^(\d+) \S+ (\d+) control_tool command=(\d+) modifier=(\d+)"
    return [tuple(map(int, found)) for found in re.findall(pattern, listing, re.MULTILINE)]


def made(programs, compiler, work):
    """Compiles programs, unless they are there from before. Returns the executable, the source, and a Result."""
    executable, source, text = work / compiler, work / f"{compiler}.c", str(Text(programs, compiler))
    if executable.exists() and source.read_text() == text:
        return executable, source, Result(0, "", "")
    source.write_text(text)
    result = compile_c(source, executable, compiler, ["-w", *CHECKED[compiler]])
    if result.status != 0:
        executable.unlink(missing_ok=True)
    return executable, source, result


class Trial:
    """One run of programs. failed: a reason, or None. skipped: why it does not count, or None. wrong: the differences."""

    def __init__(self, programs, variant, work, again=True):
        """`again`: a runtime's own failure is recognised by running without the recorder."""
        self.failed = self.skipped = self.comparison = None
        self.wrong = []
        compiler, threads, ring, level = variant
        executable, source, result = made(programs, compiler, work)
        if result.status != 0:
            if re.search("frontend command failed|internal compiler error", result.err):
                self.skipped = f"{compiler} breaks down"
            else:
                self.failed = result.why([0])
            return
        env, dumps = environment(compiler, threads), empty(work / f"dumps-{compiler}-{threads}")
        order = Order(programs, compiler, threads)
        command = [executable, order.runs]
        result = run(command, {**env, **ring, **recording(dumps)}, 60)
        if result.status != 0:
            if again and breaks_itself(command, env, result.status):
                self.skipped = f"the runtime breaks it without the recorder, too (status {result.status})"
            else:
                self.failed = why_not(result)
            return
        out = work / f"build-{compiler}-{threads}"
        result = run([BUILDER, "--strict", "--csv", "--answer", "--force", f"--graph={level}", "-o", out, *dumps_in(dumps)])
        if result.status != 0:
            self.failed = result.why([0])
            return
        self.comparison = Comparison(order, out, source.name, level, notes_of(dumps) if compiler == "gcc" else None)
        self.wrong = self.comparison.wrong
        if lacks_an_address(self.wrong):
            self.skipped, self.wrong, self.comparison = "the runtime gave a task no address (Q9)", [], None
            return
        answer = json.loads((out / "summary.json").read_text()).get("answer")
        if answer and checks.flaw(answer):
            self.wrong = [checks.flaw(answer), *self.wrong]
        self.failed = "; ".join(self.wrong[:4])


def kind_of(reason):
    """What is wrong, without the places."""
    repairs = re.search(r"repairs: ([^;]*)", reason)
    words = repairs[1] if repairs else re.sub(r"\S*[0-9]\S*|\(.*?\)", "", reason.partition(";")[0])
    return " ".join(re.findall(r"[a-z_]+", words))


def shrunk(seed, without, variant, reason, work):
    """Makes the program of a seed smaller as long as it fails in the same way. Returns its text."""
    def fails(statements):
        trial = Trial([statements], variant, work, again=False)
        return bool(trial.failed) and kind_of(trial.failed) == kind_of(reason)
    statements = smaller(drawn(seed, without), fails)
    fails(statements)
    return str(Text([statements], variant[0]))


def canonical_differs(programs, threads, work):
    """Records programs on each of these numbers of threads, and compares the canonical lists of all runs. Returns "" or a
    reason; None if there is nothing to compare."""
    executable, _, result = made(programs, "clang", work)
    if result.status != 0:
        return result.why([0])
    lists = []
    for n, ring in zip(threads, RINGS):
        dumps, env = empty(work / f"dumps-{len(lists)}"), environment("clang", n)
        command = [executable, Order(programs, "clang", n).runs]
        result = run(command, {**env, **ring, **recording(dumps)}, 60)
        if result.status != 0:
            return None if breaks_itself(command, env, result.status) else why_not(result)
        result = run([BUILDER, "--canonical", *dumps_in(dumps)])
        if result.status != 0 or not result.out:
            return result.why([0]) or "an empty list"
        lists.append(result.out)
        (work / f"canonical-{len(lists)}").write_text(result.out)
    return "" if len(set(lists)) == 1 else f"runs on {threads} threads give {len(set(lists))} canonical lists"


def check_canonical(report, name, programs, work):
    """The canonical lists of the programs that make the same graph in each run: on as many threads, or on any number."""
    Text(programs, "clang")
    orders = [Order([one], "clang", 2) for one in programs]
    for what, asks, threads in (("canonical", True, (2, 2)), ("canonical-threads", False, THREADS)):
        same = [one for one, order in zip(programs, orders) if not order.varies and order.asks == asks]
        reason = canonical_differs(same, threads, empty(work / what)) if same else None
        if reason is not None:
            report.check(f"{name}/{what}", reason)


def try_seeds(seeds, given, tally):
    name = f"programs/{seeds[0]}" + (f"-{seeds[-1]}" if len(seeds) > 1 else "")
    report, programs, first = Report(), [drawn(seed, given.without) for seed in seeds], None
    work = empty(WORK / name)
    for variant in variants(seeds[0]):
        compiler, threads, ring, level = variant
        trial = Trial(programs, variant, work)
        shown = f"{name}/{compiler}-{threads}-{'-'.join(ring.values()) or 'default'}-{level}"
        if trial.skipped and len(seeds) > 1:  # what does not break it is tried
            for seed in seeds:
                one = Trial([drawn(seed, given.without)], variant, empty(work / str(seed)))
                report.skip(f"{shown}/{seed}", one.skipped) if one.skipped else report.check(f"{shown}/{seed}", one.failed)
            continue
        if trial.skipped:
            report.skip(shown, trial.skipped)
            continue
        if trial.comparison:
            tally.add(trial.comparison)
        if not report.check(shown, trial.failed):
            (work / f"differences-{compiler}-{threads}").write_text("".join(line + "\n" for line in trial.wrong))
            first = first or (variant, trial.failed)
    if compiler_found("clang") and not report.failed and not any(line.startswith("skip") for line in report.lines):
        check_canonical(report, name, programs, work)
    if report.failed and len(seeds) > 1:  # which of them is it?
        parts = [try_seeds([seed], given, Tally()) for seed in seeds]
        report.lines += [line for part in parts for line in part.lines if line.startswith(("not ok", " "))]
    elif first and given.small > 0:
        given.small -= 1
        text = shrunk(seeds[0], given.without, *first, empty(work / "small"))
        (work / "small.c").write_text(text)
        body = text[text.index("static void program0"):text.index("int main")].expandtabs(4)
        report.lines += ["     | " + line for line in body.splitlines() if line and "HERE;" not in line]
    if report.failed == 0 and "KEEP" not in os.environ:
        shutil.rmtree(work)
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--small", type=int, default=3)
    parser.add_argument("--without", action="append", default=[], choices=[*FEATURES, *LATER])
    parser.add_argument("seeds", nargs="*", type=int)
    given = parser.parse_args()
    need(RECORDER, BUILDER)
    tally = Tally()
    if given.seeds:
        for seed in given.seeds:
            print(Text([drawn(seed, given.without)], "clang"))
        batches = [[seed] for seed in given.seeds]
    else:
        seeds = list(range(given.first, given.first + given.count)) + list(FOUND)
        batches = [seeds[i:i + BATCH] for i in range(0, len(seeds), BATCH)]
    with alone(WORK / "programs"):
        good = run_all(batches, lambda seeds: try_seeds(seeds, given, tally))
    report = Report()
    too_many = tally.share() > MOST_UNDECIDED and len(batches) >= 10 and not given.without
    report.check("programs/undecided", f"{100 * tally.share():.1f} % of the pairs" if too_many else None)
    report.print()
    print(tally.line())
    return 0 if good and not report.failed else 1


if __name__ == "__main__":
    sys.exit(main())
