#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is what otter-build says of other numbers of threads, and of faster constructs, what then happens?

The player of answers/player.py plays a program on 4 threads; --what-if of that dump is compared with what the player needs for the same
program on 2 to 64 threads, or with constructs that take less time. No clock is looked at. The error that the builder states comes
from costs of the other half: of a program whose halves differ, the player plays the one with the halves' costs exchanged. And a graph that is
folded gives what it gives unfolded, nearly.

Usage: whatif.py [NAME...]
"""
import csv
import sys

from common import *

sys.path.insert(0, str(ROOT / "tests/answers"))
import checks
from player import Player
from plays import PLAYS, region, single, steps, task, times, work

NAME, PLACE = "whatif", WORK / "whatif"
WRITER = BUILD / "tests/tools/write_dump"
US, OBSERVED = 1000, 4
WITHIN = 0.03


def dump_of(player, place):
    dump = place / "play.otter"
    shutil.rmtree(dump, ignore_errors=True)
    written = subprocess.run([WRITER, dump], input=player.text(), text=True, stderr=subprocess.PIPE)
    if written.returncode != 0:
        raise RuntimeError(f"write_dump: {written.stderr}")
    return dump


def build_of(player, place, *options):
    """The answer with the whole curve, and the text that is printed."""
    result = run([BUILDER, "--what-if", "--answer", "--csv", "--force", *options, "-o", place / "out", dump_of(player, place)])
    wrong = result.why((0,))
    if wrong:
        raise RuntimeError(wrong)
    return json.loads((place / "out/summary.json").read_text())["answer"], result.out


def rows(place, name):
    return list(csv.DictReader((place / "out" / name).open()))


# ---- Programs: functions of the number of threads ----


def tree(depth, ns):
    """Two tasks each, for which the task that makes them waits."""
    def body(t):
        yield from t.work(ns)
        if depth:
            for _ in range(2):
                yield from t.create(30, tree(depth - 1, ns))
            yield from t.taskwait(31)
    return body


def share(profile):
    """Of a loop whose shares on 4 threads are these, each thread's share on n of them."""
    def ns(t):
        n, i = len(t.player.threads), t.stream
        parts = [profile[k * OBSERVED // n] * OBSERVED // n for k in range(i, i + 1)] if n >= OBSERVED else \
            profile[i * OBSERVED // n:(i + 1) * OBSERVED // n]
        return t.work(sum(parts))
    return ns


def loops(*profiles, n=8):
    return region(lambda t: times(n, *[lambda t, p=p, i=i: t.loop(50 + i, share(p)) for i, p in enumerate(profiles)])(t))


def chains(n_chains, length, ns):
    return single(steps(*[task(20, ns, inout=(1 + c,)) for _ in range(length) for c in range(n_chains)]))


def locked(t):
    yield from t.work(100 * US)
    yield from t.critical(41, 1, 20 * US)


def locked_loop(ns, held_ns):
    """The shares of a loop of 64 iterations, which hold a mutex."""
    def share_of(t):
        for _ in range(64 // len(t.player.threads)):
            yield from t.work(ns)
            yield from t.critical(41, 1, held_ns)
    return region(lambda t: t.loop(50, share_of))


def regions(n, ns):
    def program(t):
        for _ in range(n):
            yield from t.work(3 * US)
            yield from t.parallel(5, len(t.player.threads), lambda t: t.loop(50, share([ns] * OBSERVED)))
    return program


def few(n):
    """A region that asks for two threads has two of any number."""
    return region(lambda t: t.single(10, times(n, task(20, 100 * US))), n=2)


CURVES = {
    "tasks": single(times(400, task(20, 200 * US))),
    "uneven": single(times(60, task(20, 300 * US), task(21, 50 * US), task(22, 120 * US))),
    "tree": single(lambda t: t.create(30, tree(9, 20 * US))),
    "creator": single(times(200, work(30 * US), task(20, 100 * US))),
    "chains": chains(6, 40, 200 * US),
    "mutex": single(times(200, lambda t: t.create(40, locked))),
    "locked_loop": locked_loop(100 * US, 5 * US),
    "long_locked_loop": locked_loop(10 * US, 50 * US),
    "loops": loops([500 * US] * 4, [100 * US, 200 * US, 300 * US, 400 * US]),
    "regions": regions(30, 200 * US),
    "serial": lambda t: steps(work(2000 * US), regions(10, 400 * US))(t),
}


def test_curve(name):
    report, program = Report(), CURVES[name]
    with alone(PLACE / name) as place:
        answer, text = build_of(Player(OBSERVED, program), place)
        what_if = answer["what_if"]
        said = {row["threads"]: row["wall_ns"] for row in what_if["curve"] if row["policy"] == "oldest"}
        # Who takes which task of a tree decides who may help later: on many threads that is luck, here as there. And where all threads
        # of many come to a mutex at once, shares of a few threads do not.
        for n in (2, 4, 8, 16, 64)[:3 if name in ("tree", "locked_loop") else 5]:
            wall = Player(n, program).wall
            wrong = None if abs(said[n] / wall - 1) < WITHIN else f"{said[n]} ns, and the player takes {wall}"
            report.check(f"{NAME}/{name}-{n}", wrong)
        report.check(f"{NAME}/{name}-bounds", wrong_bounds(what_if))
        report.check(f"{NAME}/{name}-table", wrong_table(place, what_if, text))
        report.check(f"{NAME}/{name}-error", None if abs(what_if["error"]) < 0.02 else f"{what_if['error']:.1%} of a program whose halves are equal")
        report.check(f"{NAME}/{name}-screen", checks.answer_of(place / "play.otter", place / "screen")[1])
    return report


def wrong_bounds(what_if):
    """No schedule is faster than the bounds, and none is slower than all work and all that is late one after the other."""
    threads = sorted({row["threads"] for row in what_if["curve"]})
    if threads[0] != 1 or threads[-1] != 4096 or len(what_if["curve"]) != 4 * len(threads):
        return f"a curve over {threads} with {len(what_if['curve'])} points"
    for row in what_if["curve"]:
        if row["wall_ns"] + 2 < max(row["work_bound_ns"], row["span_ns"]):
            return f"faster than any schedule: {row}"
    return None


def wrong_table(place, what_if, text):
    """whatif.csv has the same as summary.json; the table on stdout as many rows."""
    table = [(int(r["threads"]), r["policy"], int(r["wall_ns"]), int(r["span_ns"])) for r in rows(place, "whatif.csv")]
    if table != [(r["threads"], r["policy"], r["wall_ns"], r["span_ns"]) for r in what_if["curve"]]:
        return "whatif.csv differs from summary.json"
    lines = text[text.index("what if  there"):].splitlines()
    if any(len(line) > checks.COLUMNS for line in lines):
        return "a line is too long"
    n = sum(line.split()[:1] == [str(threads)] for line in lines for threads in {r["threads"] for r in what_if["curve"]})
    return None if n == len(what_if["curve"]) // 4 else f"{n} rows are printed"


def test_teams(_name):
    """A team that has fewer threads than there are keeps its number; twice as many threads do not help it."""
    report = Report()
    with alone(PLACE / "teams") as place:
        answer, _text = build_of(Player(OBSERVED, steps(few(100), region(work(100 * US)))), place)
        said = {row["threads"]: row["wall_ns"] for row in answer["what_if"]["curve"] if row["policy"] == "oldest"}
        wall = Player(8, steps(few(100), region(work(100 * US)))).wall
        report.check(f"{NAME}/teams", None if abs(said[8] / wall - 1) < WITHIN else f"{said[8]}, and the player takes {wall}")
    return report


def test_default(_name):
    """Without --what-if there are the observed number of threads and twice that, and a line of the screen about it."""
    report = Report()
    with alone(PLACE / "default") as place:
        dump = dump_of(Player(OBSERVED, CURVES["tasks"]), place)
        text = run([BUILDER, "--answer", "--force", "-o", place / "out", dump]).out
        answer = json.loads((place / "out/summary.json").read_text())["answer"]
        points = [(row["threads"], row["policy"]) for row in answer["what_if"]["curve"]]
        report.check(f"{NAME}/default-points", None if points == [(4, "run"), (8, "run")] else str(points))
        speedup = answer["what_if"]["curve"][1]["speedup"]
        report.check(f"{NAME}/default-line", None if f"estimate    8 threads: {speedup:.2f}x faster" in text else text)
        single_one = run([BUILDER, "--what-if", "--force", "-o", place / "alone", dump])
        files = sorted(path.name for path in (place / "alone").iterdir()) if single_one.status == 0 else single_one.why((0,))
        report.check(f"{NAME}/default-alone", None if files == ["summary.json", "whatif.csv"] and single_one.out.startswith("what if") else f"{files}")
        report.check(f"{NAME}/default-files", None if not (place / "out/whatif.csv").exists() and (place / "out/speedups.csv").exists() else "its files")
    return report


# ---- The error ----


def halves(odd_ns, even_ns):
    """Every second task is in a chain."""
    return single(times(40, task(20, odd_ns, inout=(1,)), task(20, even_ns)))


def test_error(_name):
    """Costs are never a node's own: of halves that differ, the simulated run has the other one's."""
    report = Report()
    with alone(PLACE / "error") as place:
        player = Player(OBSERVED, halves(100 * US, 300 * US))
        answer, _text = build_of(player, place)
        wanted = Player(OBSERVED, halves(300 * US, 100 * US)).wall / player.wall - 1
        found = answer["what_if"]["error"]
        report.check(f"{NAME}/error-exchanged", None if abs(found - wanted) < 0.02 and wanted > 0.2 else f"{found:.3f}, not {wanted:.3f}")
        once = Player(OBSERVED, single(steps(task(20, 900 * US), task(21, 100 * US))))
        answer, _text = build_of(once, place)
        found = answer["what_if"]["own_costs_share"]
        report.check(f"{NAME}/error-own-costs", None if found > 0.99 else f"{found} of the work has no other half, and all has none")
    return report


# ---- Folded graphs ----

FOLDED = {
    "tasks": (single(times(3000, task(20, 50 * US))), 500),
    "tree": (single(lambda t: t.create(30, tree(10, 20 * US))), 2500),
    "chains": (chains(6, 200, 50 * US), 300),
    "loops": (loops([50 * US] * 4, [10 * US, 20 * US, 30 * US, 40 * US], n=150), 200),
    "shifted": (region(lambda t: steps(*[lambda t, k=k: t.loop(50, (100 if (t.stream + k) % 4 == 0 else 20) * US) for k in range(200)])(t)), 200),
    "regions": (regions(200, 40 * US), 200),
    "mutex": (single(times(2000, lambda t: t.create(40, locked))), 500),
    "levels": (single(steps(*[task(20, 40 * US, inout=(1 + (i * 7 + i // 50) % 50,)) for i in range(4000)])), 1200),
}


def test_fold(name):
    report, (program, most) = Report(), FOLDED[name]
    with alone(PLACE / f"fold-{name}") as place:
        player = Player(OBSERVED, program)
        whole = build_of(player, place, "--fold=1000000")[0]["what_if"]
        answer, text = build_of(player, place, f"--fold={most}")
        folded = answer["what_if"]
        if not report.check(f"{NAME}/fold-{name}", None if folded else "it was not simulated"):
            return report
        n = folded["simulated_nodes"]
        report.check(f"{NAME}/fold-{name}-nodes", None if n <= most < folded["nodes"] == whole["simulated_nodes"] else f"{n} of {folded['nodes']}")
        report.check(f"{NAME}/fold-{name}-said", None if f"folded   {folded['nodes']} nodes are simulated as {n}" in text else "the screen does not say so")
        for a, b in zip(whole["curve"], folded["curve"]):
            if a["threads"] <= 8 and abs(b["wall_ns"] / a["wall_ns"] - 1) > 0.08:
                report.check(f"{NAME}/fold-{name}-{a['threads']}-{a['policy']}", f"{b['wall_ns']}, and {a['wall_ns']} unfolded")
        off = abs(answer["what_if"]["simulated_ns"] / player.wall - 1)
        report.check(f"{NAME}/fold-{name}-wall", None if off < 0.05 else f"{off:.1%} from what it took")
    return report


def test_acquisitions(_name):
    """Many acquisitions of mutexes in few nodes: several are one, and the run takes as long."""
    def body(t):
        for i in range(300):
            yield from t.work((5 + (7 * i + 13 * t.stream) % 31) * US)
            yield from t.critical(41 + i // 100 % 2, 1 + i // 100 % 2, 4 * US)
    report = Report()
    with alone(PLACE / "acquisitions") as place:
        program = region(body)
        player = Player(OBSERVED, program)
        whole, text = build_of(player, place, "--fold=1000000")
        report.check(f"{NAME}/acquisitions-whole", None if "acquisitions of mutexes are" not in text else "they are folded")
        answer, text = build_of(player, place, "--fold=100")
        a, b = whole["what_if"], answer["what_if"]
        n, wanted = b["simulated_acquisitions"], OBSERVED * 300
        report.check(f"{NAME}/acquisitions-n", None if a["acquisitions"] == a["simulated_acquisitions"] == b["acquisitions"] == wanted and
                     100 <= n <= 130 else f"{a['acquisitions']}, {a['simulated_acquisitions']}; {b['acquisitions']}, {n}")
        report.check(f"{NAME}/acquisitions-said", None if f"{wanted} acquisitions of mutexes are simulated as {n}" in text else "the screen does not say so")
        for what, took in (("whole", a), ("folded", b)):
            off = abs(took["simulated_ns"] / player.wall - 1)
            report.check(f"{NAME}/acquisitions-{what}-wall", None if off < 0.05 else f"{off:.1%} from what it took")
    return report


# ---- Faster constructs ----


def two_chains(a, b):
    """Two chains beside each other."""
    return single(steps(*[task(20 + c, ns, inout=(1 + c,)) for _ in range(20) for c, ns in enumerate((a, b))]))


FASTER = {  # a program of the times of two constructs, their places, and these times
    "chains": (two_chains, ("task@0x400014", "task@0x400015"), (600 * US, 400 * US)),
    "tasks": (lambda a, b: single(times(50, task(20, a), task(21, b))), ("task@0x400014", "task@0x400015"), (300 * US, 100 * US)),
    "loops": (lambda a, b: region(times(10, lambda t: t.loop(50, a), lambda t: t.loop(51, b))), ("loop@0x400032", "loop@0x400033"), (400 * US, 200 * US)),
    "creator": (lambda a, b: single(times(100, work(a), task(20, b))), ("single@0x40000a", "task@0x400014"), (200 * US, 80 * US)),
}


def test_faster(name):
    report, (program, labels, ns) = Report(), FASTER[name]
    with alone(PLACE / f"faster-{name}") as place:
        player = Player(OBSERVED, program(*ns))
        answer, _text = build_of(player, place)
        by_label = {row["construct"]["label"]: row for row in answer["speedups"]["constructs"]}
        for i, label in enumerate(labels):
            row = by_label.get(label)
            if not report.check(f"{NAME}/faster-{name}-{label}", None if row else f"only {list(by_label)}"):
                continue
            for point in row["curve"]:
                factor = point["faster"] or 1e9
                there = [int(t / factor) if j == i else t for j, t in enumerate(ns)]
                wall = Player(OBSERVED, program(*there)).wall
                # What creating a task takes is the creator's work, too: as much as there are tasks.
                wrong = None if abs(point["wall_ns"] - wall) < WITHIN * wall + 25 * US else f"{point['wall_ns']}, and the player takes {wall}"
                report.check(f"{NAME}/faster-{name}-{label}-{point['faster']}", wrong)
        shares = sum(row["work_share"] for row in by_label.values())
        report.check(f"{NAME}/faster-{name}-shares", None if 0.95 < shares <= 1.0001 else f"the shares of work are {shares}")
        table = rows(place, "speedups.csv")
        report.check(f"{NAME}/faster-{name}-table", None if len(table) == 5 * len(by_label) and
                     {r["faster"] for r in table} == {"1.25", "1.5", "2", "4", "inf"} else "speedups.csv")
        if name == "chains":
            critical = answer["speedups"]["critical"]
            found = critical["first"]["label"], critical["then"]["label"], round(critical["path_speedup"], 1)
            report.check(f"{NAME}/faster-next", None if found == (*labels, 1.5) else f"{found}: the second chain is next, at 2/3")
    return report


# ---- Grain ----


def test_grain(_name):
    report = Report()
    with alone(PLACE / "grain") as place:
        build_of(Player(OBSERVED, single(steps(*[task(20, 400)] * 3000, *[task(20, 100 * US)] * 100, *[task(21, 500 * US)] * 40))), place)
        grain = {}
        for row in rows(place, "grain.csv"):
            grain.setdefault(row["label"], {})[int(row["from_ns"])] = (int(row["tasks"]), int(row["starts"]))
        found = {n: tasks for n, (tasks, _) in grain["task@0x400014"].items() if tasks}
        report.check(f"{NAME}/grain-lengths", None if found == {256: 3000, 65536: 100} else str(found))
        found = {n: tasks for n, (tasks, _) in grain["task@0x400015"].items() if tasks}
        report.check(f"{NAME}/grain-long", None if found in ({262144: 40}, {524288: 40}) else str(found))
        by_label = {row["label"]: row for row in rows(place, "constructs.csv")}
        small, large = by_label["task@0x400014"], by_label["task@0x400015"]
        cost, cutoff = int(small["cost_ns"]), int(small["cutoff_ns"] or 0)
        report.check(f"{NAME}/grain-cutoff", None if cutoff == 10 * cost and int(small["below_cost"]) == (3000 if cost > 400 else 0) else str(small))
        saves = (3000 - 3000 * 400 // cutoff - 1) * cost if cutoff else 0
        report.check(f"{NAME}/grain-saves", None if saves and abs(int(small["cutoff_saves_ns"]) / saves - 1) < 0.01 else f"{small['cutoff_saves_ns']}, not {saves}")
        report.check(f"{NAME}/grain-none", None if large["cutoff_ns"] == "" else f"tasks of 500 us are to be larger: {large['cutoff_ns']}")
    return report


# ---- Every play ----


def test_play(job):
    """The bounds, and the stated error, of all programs with faults: nothing was late without a pattern; what was preempted is no error."""
    play, n = job
    report = Report()
    with alone(PLACE / f"{play.name}-{n}") as place:
        what_if = build_of(play.make(n)[0], place)[0]["what_if"]
        report.check(f"{NAME}/{play.name}-{n}-bounds", wrong_bounds(what_if))
        is_late = play.limit == "runtime"
        report.check(f"{NAME}/{play.name}-{n}-error", None if is_late or abs(what_if["error"]) < 0.08 else f"{what_if['error']:.1%}")
    return report


TESTS = [(test_curve, CURVES), (test_fold, FOLDED), (test_faster, FASTER), (test_teams, ["teams"]), (test_default, ["default"]), (test_acquisitions, ["acquisitions"]),
         (test_error, ["error"]), (test_grain, ["grain"])]


def main():
    need(BUILDER, WRITER)
    names, is_right = sys.argv[1:], True
    for test, cases in TESTS:
        is_right &= run_all([name for name in cases if not names or name in names], test)
    is_right &= run_all([(play, 4) for play in PLAYS if 4 in play.threads and (not names or play.name in names)], test_play)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
