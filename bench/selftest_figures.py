# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what figures are made of, without measuring any: the order of subjects, medians and their intervals, differences and ratios, what is
noise, tables, comparisons. Used by bench/selftest."""
import contextlib
import csv
import io
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import xml.etree.ElementTree

import colours
import harness
import rounds
import stats
from checks import PLACE, ok, rows_of, script


def write_rows(name, rows):
    """A file of results."""
    path = os.path.join(PLACE, name + ".csv")
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, rounds.FIELDS)
        out.writeheader()
        out.writerows(rows)
    return path


def order_of_subjects():
    bench = rounds.Rounds(1, PLACE, seed=7)
    def orders(bench):
        return [bench.shuffled("abcde", "micro", "tasks", number) for number in range(200)]
    found = orders(bench)
    ok(all(sorted(order) == list("abcde") for order in found), "each subject once a round")
    ok(orders(rounds.Rounds(1, PLACE, seed=7)) == found != orders(rounds.Rounds(1, PLACE, seed=8)), "the order is that of the seed")
    pairs = {pair for order in found for pair in zip(order, order[1:])}
    ok(len(pairs) == 5 * 4, "each has followed each other one")
    ok(bench.about["seed"] == "7" and rounds.Rounds(1, PLACE).seed != rounds.Rounds(1, PLACE).seed,
       "each row has the seed, which differs from run to run")


def drawn_anew(values):
    """The interval by the plain way: medians of resamples, sorted, the middle 95 %. stats.py draws ranks once for all values."""
    dice = random.Random(12345)
    medians = sorted(statistics.median(dice.choices(values, k=len(values))) for _ in range(4000))
    return medians[100], medians[3899]


def order_of_tables():
    rows = [row for name, rank in (("c", "2"), ("a", "0"), ("b", "1")) for row in rows_of(name, [1, 2], rank=rank)]
    ok(stats.cells(rows, "micro")["p", "w"].subjects() == [("a", ""), ("b", ""), ("c", "")], "tables have the subjects' own order, whatever ran first")
    ok(stats.cells(rows_of("y", [1]) + rows_of("x", [1]), "micro")["p", "w"].subjects() == [("y", ""), ("x", "")], "or that of the file")


def intervals():
    ok(stats.spread([4]) == (4, 4, 4, 1) and stats.spread([1, 2, 3, 4, 100]) == (1, 3, 100, 5), "up to five values the interval is all of them")
    # Of 15 values another drawing's ends may be neighbours of these ends; of such as come often they are the same.
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]
    found = stats.spread(values)
    ok((found.low, found.high) == drawn_anew(values) and found.median == 5, "more values: the middle 95 %% of medians, %s" % (found,))
    ok(found == stats.spread(values[::-1]), "the same values have the same interval each time")
    low, _, high, _ = stats.spread([10, 11, 12, 10, 11, 12, 10, 11, 500])
    ok((low, high) == (10, 12), "one bad round of nine is not in the interval")
    ok(stats.half(stats.Spread(2, 3, 5, 4)) == 1.5, "what stands after the +- is half its width")


def noise():
    ok(not stats.is_noise(stats.spread([10, 12, 14])) and stats.is_noise(stats.spread([1, 2, 4])), "noise is what is smaller than its interval is wide")
    ok(stats.is_noise(stats.spread([-1, 5, 5.5])) and stats.is_noise(stats.spread([-20, -10, -5])),
       "what may be nothing is noise, and what is negative may be")
    ok(not stats.is_noise(stats.spread([7])) and not stats.is_noise(stats.spread([0, 0, 0])),
       "a single value is not called noise, nor is nothing at all")
    ok(stats.shown(stats.spread([10, 12, 14])) == "12.0 ±2.0" and stats.shown(stats.spread([10, 12, 14]), 0, True) == "+12 ±2", "a value as text")
    ok(stats.shown(stats.spread([-3, 1, 4])) == "noise -3.0..4.0" and stats.ratio(stats.spread([1, 2, 9])) == "noise", "noise as text gives no value")
    ok(stats.shown(stats.spread([7])) == "7.0", "a single value has no interval")
    empty, ours = rows_of("empty", [100, 100, 100]), rows_of("otter", [120, 120, 125])
    def times(other):
        return stats.cells(empty + ours + rows_of("other", other), "micro")["p", "w"].cost_ratio("otter", "other", "empty", stats.wall)
    ok(times([200, 220, 225]).median == 5, "how often another one's cost is ours: 5, 6 and 5")
    ok(times([90, 200, 300]) is None and times([101, 300, 103]) is None, "no ratio of noise")
    ok(times([80, 81, 80]) is None and times([]) is None, "no ratio of what costs nothing, or is not there")
    marked = script("plot").marked
    ok(math.isnan(marked(stats.spread([1, 2, 9]))) and marked(stats.spread([7, 8, 9])) == 8, "noise has no mark in a picture")
    compare = script("compare")
    ok(compare.per_cent(stats.spread([10, 11, 12]), stats.spread([21, 22, 23])) == "+100 %", "per cent")
    ok(compare.per_cent(stats.spread([1, 11, 22]), stats.spread([40, 42, 43])) == "", "no per cent of noise")


def tables():
    rows = rows_of("untraced", [100] * 3) + rows_of("empty", [110] * 3) + rows_of("floor", [120] * 3)
    mine = dict(records_per_op="2.0", bytes="9", streams="1", longest_stall_ns="5", lost="0", rss_kib="2000")
    rows = [row | dict(rss_kib="1000", kernel_ns="50") for row in rows]
    rows += [row | mine | dict(kernel_ns=str(90 + 400 * i), finish_ns=str(10**6 * (1 + 7 * (i == 1))))
             for i, row in enumerate(rows_of("otter", [150, 151, 152]))]
    rows += [row | dict(bytes="9", kernel_ns="250", finish_ns="3000000") for row in rows_of("peer", [100, 170, 100])]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        script("table").micro(stats.cells(rows, "micro"))
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.getvalue().splitlines() if line.startswith("|")]
    ok(["otter", "1.0", "8.0", "w"] in [line[:4] for line in lines], "the end of a process has its median and its longest")
    head = next(line for line in lines if "otter, kernel" in line)
    row = dict(zip(head, lines[lines.index(head) + 2]))
    # 40, 440 and 840 ns of ten ops of two callbacks; 200.
    ok((row["otter, kernel"], row["peer, kernel"]) == ("noise 2.0..42.0", "10.0 ±0.0"),
       "CPU of the kernel's threads over the empty tool's run, a callback")
    ok(row["peer"] == "noise 0.0..7.0", "a row whose spread is of the order of its value is marked")
    for row in rows:
        row["kernel_ns"] = ""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        script("table").micro(stats.cells(rows, "micro"))
    ok("noise" in printed.getvalue(), "where no thread of the kernel is seen there are tables without")
    busy = [row | dict(others_ns="600", steal_ns="50", process_wall_ns="1000", machine="m", kernel="k", compiler="c", runtime="r", files="ext4",
                       commit="x", load="0.1", cores="2", seed="7") for row in rows]
    ok("others kept 0.60 processors busy meanwhile, the hypervisor 0.05" in stats.about(busy) and "seed 7" in stats.about(busy),
       "the tables say what else ran, and the seed")


def builder_table():
    """Ten records: the sketch reads them, the timeline has 350 bytes of them."""
    rows = [row for name, walls, left in (("sketch", [100] * 3, "0"), ("Perfetto", [200] * 3, "350"))
            for row in rows_of(name, walls, "builder", bytes="320", archive_bytes=left, peak_kib="2048")]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        script("table").builder(stats.cells(rows, "builder"))
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.getvalue().splitlines() if line.startswith("|")]
    by_name = {line[0]: dict(zip(lines[0], line)) for line in lines[2:]}
    ok((by_name["Perfetto"]["bytes a record"], by_name["sketch"]["bytes a record"]) == ("35.0", "0.0") and by_name["Perfetto"]["CPU over the limit"] == "2.0 ±0.0",
       "an output of the builder has the bytes that it wrote of a record, and its CPU time over the limit")


def page():
    by_tool = {"untraced": [100] * 3, "empty": [101, 105, 113], "floor": [120] * 3, "otter": [140, 141, 140], "eztrace": [300, 301, 300]}
    about = dict(machine="m", kernel="k", compiler="c", runtime="r", files="ext4", commit="x", load="0.1", cores="2", seed="7")
    rows = [row for tool, walls in by_tool.items() for row in rows_of(tool, walls, workload="tasks", **about)]
    rows += [row for tool in ("untraced", "otter") for row in rows_of(tool, by_tool[tool], workload="masked", **about)]
    rows += rows_of("eztrace", [300] * 3, workload="masked", status="2", **about)
    rows += [row for tool in ("untraced", "otter", "eztrace") for row in rows_of(tool, [100, 180, 90], workload="lock", **about)]
    path = write_rows("paged", rows)
    done = subprocess.run([os.path.join(harness.ROOT, "bench", "page"), path], capture_output=True, text=True)
    with open(path[:-4] + "-page.md") as f:
        text = f.read()
    drawn = xml.etree.ElementTree.parse(path[:-4] + "-page.svg")
    ok(done.returncode == 0 and "| empty task" in text and "critical" not in text, "a page of the constructs that were measured")
    lines = {line.split("|")[1].strip(): line for line in text.splitlines() if line.startswith("|")}
    ok("| 5.0 x |" in re.sub(" +", " ", lines["empty task"]), "how often a peer's cost is ours: (300 - 100) / (140 - 100)")
    ok("records none" in lines["masked"] and "noise" in lines["lock"] and " x " not in lines["lock"],
       "no ratio of noise, nor with who records nothing")
    ok("Not installed here, so not measured: the original Otter, Score-P, TAU, APEX, omptrace on LTTng." in text,
       "who is absent is told, and who is there is not")
    # The empty tool's are in the legend and, of the tasks alone, in the panel of wall time: its CPU time is noise.
    kinds = [e for e in drawn.iter() if e.tag.endswith("circle") and e.get("fill") == colours.FIXED["empty"]]
    ok(len(kinds) == 2, "what is noise has no dot: %d" % len(kinds))
    ok("noise" in lines["empty task"], "and is marked in the table")


def arithmetic():
    # The machine is twice as slow in the last round: differences and ratios are formed within a round.
    rows = rows_of("untraced", [100, 100, 200]) + rows_of("empty", [110, 120, 240]) + rows_of("otter", [150, 160, 320], records_per_op="4.0")
    cell = stats.cells(rows, "micro")["p", "w"]
    ok(cell.ratio("otter", "untraced", stats.wall).median == 1.6, "ratios within a round")
    ok(cell.over("otter", "empty", stats.wall).median == 4.0, "differences within a round: 4, 4 and 8 ns an op")
    ok(cell.over("otter", "empty", stats.cpu, cell.callbacks("otter")).median == 4.0, "CPU by callback: 8 ns an op, two callbacks")
    ok(cell.events("otter") == 4.0 and cell.events("empty") == 2.0, "records where there is a dump, else callbacks")
    rows = rows_of("otter", [10, 20], records_per_op="4.0", all_ops="100") + rows_of("sampled", [30, 40], records_per_op="6.0", all_ops="100")
    cell = stats.cells(rows, "micro")["p", "w"]
    ok(cell.extra_records("sampled", "otter") == {0: 200, 1: 200}, "records more")
    ok(cell.over_records("sampled", "otter", stats.number("wall_ns")).median == 0.1, "a run's cost by the records more")
    ok(cell.over_records("otter", "otter", stats.number("wall_ns")) is None, "no records more, no cost of one")
    ok(cell.ratio("nobody", "untraced", stats.wall) is None, "nothing of nobody")
    ok(not stats.cells(rows_of("otter", [1], status="1"), "micro"), "what failed does not count")


def comparing():
    compare = script("compare")
    def verdict(a, b):
        return compare.verdict(stats.spread(a), stats.spread(b))
    ok(verdict([10, 11, 12], [10, 11, 12]) == "noise", "the same is noise")
    ok(verdict([10, 11, 12], [20, 21, 22]) == "more" and verdict([20, 21, 22], [10, 11, 12]) == "less", "more and less")
    ok(verdict([10, 20, 30], [19, 24, 29]) == "noise", "a difference of 4 in a spread of 5 and 2.5 is noise")
    ok(verdict([10, 10, 30], [18, 18.5, 19]) == "noise", "medians apart, but intervals that overlap: noise")
    ok(verdict([10, 11], [20, 21]) == "noise" and verdict([10], [20]) == "noise", "two rounds tell nothing")
    ok(compare.verdict(stats.spread([37]), stats.spread([38]), is_exact=True) == "more", "one count of instructions is enough")
    before = rows_of("untraced", [100] * 5) + rows_of("empty", [110, 111, 110, 109, 110]) + rows_of("otter", [150, 151, 150, 149, 150])
    after = rows_of("untraced", [100] * 5) + rows_of("empty", [110, 111, 110, 109, 110]) + rows_of("otter", [170, 171, 170, 169, 170])
    changed, alone = compare.compared(before, after + rows_of("otter", [1], workload="other"), "cpu")
    # CPU is twice the wall time: (300 - 220) / 10 ops / 2 callbacks, and (340 - 220) / 20.
    ok([(r[3], r[4].median, r[5].median, r[6]) for r in changed] == [("otter", 4.0, 6.0, "more")] and alone == 1, "two results compared")
    changed, _ = compare.compared(before, after, "ratio")
    ok([(r[3], r[4].median, r[5].median, r[6]) for r in changed] ==
       [("empty", 1.1, 1.1, "noise"), ("otter", 1.5, 1.7, "more")], "and by ratio")
    if shutil.which("gnuplot"):
        plots = script("plot")
        with contextlib.redirect_stdout(io.StringIO()):
            plots.cost(PLACE, rows_of("untraced", [100] * 3) + rows_of("otter", [90] * 3))
            plots.cost(PLACE, rows_of("untraced", [100] * 3, workload="alone"))
        ok(os.path.exists(os.path.join(PLACE, "cost-p.svg")), "a picture of nothing but costs below zero, which are noise, and one of nothing")
    files = [write_rows(name, rows) for name, rows in (("before", before), ("after", after))]
    program = os.path.join(harness.ROOT, "bench", "compare")
    both = [subprocess.run([program, "--fail"] + order, capture_output=True, text=True) for order in (files, files[::-1])]
    ok([done.returncode for done in both] == [1, 0] and "1 more, 0 less" in both[0].stdout and "0 more, 1 less" in both[1].stdout,
       "compare --fail ends with 1 where something costs more")


TESTS = order_of_subjects, order_of_tables, intervals, noise, arithmetic, tables, builder_table, page, comparing
