#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does otter-build --diff find what differs between runs, and nothing else?

Compares outputs that are written here, with known numbers: several runs with noise, constructs that moved, are new or gone,
counts, limits, several numbers of threads; damaged files; and dumps of a program with a fault, and of the same without it.

Usage: diff.py
"""
from common import *

NAME, PLACE, report = "diff", WORK / "diff", Report()
MS = 1000000
COLUMNS = ("number", "kind", "label", "file", "line", "function", "path", "count", "own_ns", "wait_ns", "path_ns", "blamed_ns")


def construct(kind, line, own_ns, count=1, blamed_ns=0, function="main", file="/src/a.c", label=None):
    return {"kind": kind, "label": label or f"{kind}@{pathlib.Path(file).name}:{line}", "file": file, "line": line or "", "function": function,
            "count": count, "own_ns": own_ns, "wait_ns": 0, "blamed_ns": blamed_ns}


SPAWN = ("number", "process", "above", "depth", "construct", "name", "count", "own_ns", "total_ns", "path_ns")


def write_paths(place, paths):
    """Writes spawn.csv: paths are tuples of numbers of constructs (or names of what is none), each with count and own_ns; () is a process."""
    numbers = {}
    with open(place / "spawn.csv", "w", newline="") as file:
        table = csv.DictWriter(file, SPAWN, restval="", lineterminator="\n")
        table.writeheader()
        for number, (path, count, own_ns) in enumerate(paths, 1):
            numbers[path] = number
            last = path[-1] if path else "process"
            table.writerow({"number": number, "process": 0, "above": numbers[path[:-1]] if path else "", "depth": len(path), "name": last,
                            "construct": last if isinstance(last, int) else "", "count": count, "own_ns": own_ns})


def write(name, constructs, wall_ns, threads=2, limit="none", why=None, complete=True, repairs=None, paths=None):
    """Writes an output of otter-build; the limit is in the first construct."""
    place = PLACE / name
    place.mkdir(parents=True)
    work_ns = sum(c["own_ns"] for c in constructs)
    where = {k: (constructs[0][k] or 0) if k == "line" else constructs[0][k] if limit != "none" else ""
             for k in ("kind", "label", "file", "line", "function")}
    summary = {"processes": 1, "threads": threads, "complete": complete, "snapshot": False, "repairs": repairs or {},
               "time": {"wall_ns": wall_ns}, "states": {"total": {"work_serial": {"ns": MS // 2}, "work_parallel": {"ns": work_ns - MS // 2}, "idle": {"ns": 7}}}, "process_table": [{"dump": place.stem}],
               "answer": {"limit": limit, "construct": where, "possible_speedup": 1.5, "lower_bound": limit == "grain", "why": why or {},
                          "threads": threads}}
    (place / "summary.json").write_text(json.dumps(summary))
    with open(place / "constructs.csv", "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        table.writeheader()
        for number, row in enumerate(constructs, 1):
            table.writerow({**row, "number": number})
    if paths is not None:
        write_paths(place, paths)
    return place


def side(name, runs):
    """Several runs: a list of (constructs, wall_ns), and what else write() takes."""
    for number, (constructs, wall_ns, *more) in enumerate(runs):
        write(f"{name}/{number}.build", constructs, wall_ns, **(more[0] if more else {}))
    return PLACE / name


def diff(*arguments):
    """(Result, diff.json or None)"""
    out = PLACE / "out"
    shutil.rmtree(out, ignore_errors=True)
    result = run([BUILDER, "--diff", "-o", out, *arguments])
    try:
        return result, json.loads((out / "diff.json").read_text())
    except OSError:
        return result, None


def check(name, wrong, result):
    wide = [line for line in result.out.splitlines() if len(line) > 80]
    report.check(f"{NAME}/{name}", wrong or (f"more than 80 columns: {wide[0]}" if wide else None))


def entry(found, label, of="b"):
    return next(e for e in found["comparison"]["constructs"] if e[of] and e[of]["label"] == label)


def check_noise():
    walls = [100, 103, 98, 101, 105, 99]
    old = side("old", [([construct("task", 5, w * MS, 10)], w * MS) for w in walls])
    same = side("same", [([construct("task", 5, (w + 1) * MS, 10)], (w + 1) * MS) for w in reversed(walls)])
    slow = side("slow", [([construct("task", 5, (w + 10) * MS, 10)], (w + 10) * MS) for w in walls])
    result, found = diff(old, same)
    task = entry(found, "task@a.c:5")
    check("noise", result.why([0]) or (task["own_ns"]["changed"] and "noise is called a change")
          or (not task["own_ns"]["interval"][0] < 0 < task["own_ns"]["interval"][1] and f"interval {task['own_ns']['interval']}")
          or ("within noise" not in result.out and result.out), result)
    again, twice = diff(old, same)
    check("repeatable", (twice != found or again.out != result.out) and "the second comparison differs", again)
    result, found = diff(old, slow)
    wall, task = found["comparison"]["wall_ns"], entry(found, "task@a.c:5")
    check("slower", result.why([1]) or (not wall["slower"] and "is not called slower") or (wall["difference"] != 10 * MS and f"{wall}")
          or (not wall["interval"][0] <= 10 * MS <= wall["interval"][1] and f"interval {wall['interval']}")
          or (not task["own_ns"]["changed"] and "the task's change is noise") or ("B is slower" not in result.out and result.out), result)
    result, found = diff(slow, old)
    check("faster", result.why([0]) or (not found["comparison"]["wall_ns"]["faster"] and "is not called faster"), result)
    result, _ = diff("--threshold=12", old, slow)
    check("threshold", result.why([0]), result)
    result, _ = diff("--threshold=0", old, same)
    check("threshold-0-is-noise", result.why([0]), result)
    result, _ = diff("-q", old, slow)
    check("quiet", result.why([1]) or result.out, result)
    result, found = diff(old / "0.build", slow / "0.build")
    check("single-runs", result.why([1]) or (found["comparison"]["wall_ns"]["interval"] is not None and "one run has an interval")
          or ("noise is not known" not in result.out and result.out), result)
    result, _ = diff("--threshold=20", old / "0.build", slow / "0.build")
    check("single-runs-threshold", result.why([0]), result)
    result, found = diff(old / "0.build", old / "1.build", ":", *sorted(slow.glob("*.build")))
    check("colon", result.why([1]) or ([len(s["runs"]) for s in found["sides"]] != [2, 6] and f"{found['sides']}"), result)
    result, found = diff(old / "0.build", old / "1.build", old / "2.build", ":", slow / "0.build", slow / "1.build", slow / "2.build")
    check("few-runs", result.why([1]) or ("by chance alone 1 of 10 " not in result.out and result.out)
          or (abs(found["comparison"]["wall_ns"]["chance"] - 0.1) > 1e-9 and "chance"), result)


def check_percentages():
    """Of two runs that differ much, and of B that takes hardly any time: nothing becomes less by more than all of it."""
    old = side("pc-old", [([construct("task", 5, own * MS, 10, own * MS), construct("task", 9, 10 * MS)], own * MS) for own in (100, 300, 500, 120)])
    new = side("pc-new", [([construct("task", 5, own * MS, 10, own * MS), construct("task", 9, 11 * MS)], own * MS) for own in (10, 12, 11, 13)])
    result, found = diff(old, new)
    shares = [float(share) for share in re.findall(r"(-[0-9.]+)%", result.out)]
    changes = [found["comparison"]["wall_ns"], *(e[f] for e in found["comparison"]["constructs"] for f in ("own_ns", "blamed_ns"))]
    low = [c for c in changes if min(c["interval"]) < -c["a"]["median"] or not c["interval"][0] <= c["difference"] <= c["interval"][1]]
    check("percentages", result.why([0]) or (not found["comparison"]["wall_ns"]["faster"] and "is not called faster")
          or (min(shares) != -100 and f"percentages {shares}") or (low and f"{low[0]}"), result)
    result, found = diff(new, old)
    check("percentages/back", result.why([1]) or (min(map(float, re.findall(r"(-[0-9.]+)%", result.out)), default=0) < -100 and result.out), result)


def check_renamed():
    """Files have other names: what is in them is matched by its function. Of what is in two files of a side it is not known which is which."""
    a = [construct("task", 10, 9 * MS, 100, file="/src/old.c"), construct("taskwait", 12, 0, 1, file="/src/old.c"), construct("task", 30, MS, 7, file="/src/old.c"),
         construct("task", 5, MS, 3, function="tool", file="/src/kept.c"), construct("task", 9, MS, 4, function="gone", file="/src/old.c"),
         construct("task", 3, MS, 5, function="twice", file="/src/one.c"), construct("task", 4, MS, 5, function="twice", file="/src/two.c"),
         construct("task", 50, MS, 3, function="less", file="/src/kept.c"), construct("task", 60, MS, 3, function="less", file="/src/kept.c")]
    b = [construct("task", 14, 9 * MS, 100, file="/src/new.c"), construct("taskwait", 16, 0, 1, file="/src/new.c"), construct("task", 30, MS, 7, file="/src/new.c"),
         construct("task", 5, MS, 3, function="tool", file="/src/kept.c"), construct("critical", 9, MS, 4, function="gone", file="/src/new.c"),
         construct("task", 3, MS, 5, function="twice", file="/src/three.c"), construct("task", 50, MS, 3, function="less", file="/src/kept.c"),
         construct("task", 70, MS, 3, function="", file="/src/new.c")]
    result, found = diff(write("rn-a", a, 20 * MS, limit="chain"), write("rn-b", b, 20 * MS, limit="chain"))
    pairs = {(e["a"] and e["a"]["label"], e["b"] and e["b"]["label"], e["match"]) for e in found["comparison"]["constructs"]}
    wanted = {("task@old.c:10", "task@new.c:14", "moved"), ("taskwait@old.c:12", "taskwait@new.c:16", "moved"), ("task@old.c:30", "task@new.c:30", "moved"),
              ("task@kept.c:5", "task@kept.c:5", "same"), ("task@old.c:9", None, "gone"), (None, "critical@new.c:9", "new"),
              ("task@one.c:3", None, "gone"), ("task@two.c:4", None, "gone"), (None, "task@three.c:3", "new"),
              ("task@kept.c:50", "task@kept.c:50", "same"), ("task@kept.c:60", None, "gone"), (None, "task@new.c:70", "new")}
    check("renamed", result.why([0]) or (pairs != wanted and f"{sorted(map(str, pairs ^ wanted))}")
          or (found["comparison"]["limit_changed"] and "a construct in a renamed file is called another limit")
          or ("task@new.c:14, in A task@old.c:10" not in result.out and result.out)
          or ("         B the same limit, now task@new.c:14, at most 1.50 x\n" not in result.out and result.out), result)


def check_matching():
    a = [construct("task", 10, 5 * MS, 100), construct("task", 20, 6 * MS, 5), construct("task", 30, 7 * MS, 7), construct("taskwait", 12, 0, 1),
         construct("task", 50, MS, 3, function="gone"), construct("parallel", 9, MS, function="main._omp_fn.0")]
    b = [construct("task", 10, 5 * MS, 100, file="/elsewhere/a.c"), construct("task", 15, 9 * MS, 50), construct("task", 25, 6 * MS, 5),
         construct("task", 35, 7 * MS, 8), construct("taskwait", 17, 0, 1), construct("task", 50, MS, 3, function="new"),
         construct("parallel", 14, MS, function="main._omp_fn.3"), construct("task", 1, 3 * MS, 4, label='task@"q",x\ny', file="", function="h")]
    result, found = diff(write("a.build", a, 20 * MS), write("b.build", b, 20 * MS))
    pairs = {(e["a"] and (e["a"]["kind"], e["a"]["line"]), e["b"] and (e["b"]["kind"], e["b"]["line"]), e["match"])
             for e in found["comparison"]["constructs"]}
    wanted = {(("task", 10), ("task", 10), "same"), (None, ("task", 15), "new"), (("task", 20), ("task", 25), "moved"),
              (("task", 30), ("task", 35), "moved"), (("taskwait", 12), ("taskwait", 17), "moved"), (("task", 50), None, "gone"),
              (None, ("task", 50), "new"), (("parallel", 9), ("parallel", 14), "moved"), (None, ("task", 1), "new")}
    check("matching", result.why([0]) or (pairs != wanted and f"{sorted(map(str, pairs ^ wanted))}"), result)
    counts = {e["b"]["line"] for e in found["comparison"]["constructs"] if e["match"] in ("same", "moved") and e["count"]["changed"]}
    check("counts", (counts != {35} and f"changed counts at lines {counts}") or ("7 times, now 8 times" not in result.out and result.out), result)
    # Without debug information constructs are in the order of their code.
    a = [construct("task", 0, MS, n, file="", label=f"task@main+0x{n:x}") for n in (9, 16, 300)]
    b = [construct("task", 0, MS, n, file="", label=f"task@main+0x{n + 8:x}") for n in (9, 16, 300)]
    result, found = diff(write("c.build", a, MS), write("d.build", b, MS))
    check("without-lines", any(e["count"]["changed"] or e["match"] != "moved" for e in found["comparison"]["constructs"]) and f"{found}", result)


def check_limits():
    one, two = construct("task", 5, 9 * MS), construct("critical", 7, 9 * MS)
    a = side("la", [([one, two], 10 * MS, {"limit": "chain"})] * 2 + [([two, one], 10 * MS, {"limit": "exclusion"})])
    b = side("lb", [([construct("task", 6, 9 * MS), two], 10 * MS, {"limit": "chain"})])
    result, found = diff(a, b)
    check("limit-moved", (found["comparison"]["limit_changed"] and "a construct that moved is called another limit")
          or (found["sides"][0]["limit"]["runs"] != 2 and "most of the runs"), result)
    # What is the same is said once, with the gain of both.
    lines = ("limit    A chain of task@a.c:5, at most 1.50 x (2 of 3)", "         B the same limit, now task@a.c:6, at most 1.50 x", "")
    check("limit-moved/screen", "\n".join(lines) not in result.out and result.out, result)
    result, found = diff(b, b)
    lines = ("limit    A chain of task@a.c:6, at most 1.50 x", "         B the same limit, at most 1.50 x", "", "executed")
    check("limit-same", ("\n".join(lines) not in result.out and result.out) or ("another limit" in result.out and result.out), result)
    c = side("lc", [([two, one], 10 * MS, {"limit": "exclusion"})])
    result, found = diff(a, c)
    check("limit/screen", (result.out.count("another limit\n") != 1 or "the same limit" in result.out) and result.out, result)
    check("limit", (not found["comparison"]["limit_changed"] and "another limit is called the same") or ("critical@a.c:7" not in result.out and result.out),
          result)
    d = side("ld", [([two, one], 10 * MS, {"limit": "grain"})])
    result, found = diff(c, d)
    bounds = [s["limit"]["lower_bound"] for s in found["sides"]]
    check("limit/bound", (bounds != [False, True] and bounds) or
          (("at most 1.50 x" not in result.out or "1.50 x, or more" not in result.out) and result.out), result)
    e = side("le", [([two, one], 10 * MS, {"limit": "runtime", "why": {"gain_known": False}})])
    result, found = diff(d, e)
    known = [s["limit"]["gain_known"] for s in found["sides"]]
    check("limit/unknown-gain", (known != [True, False] and known) or
          (("runtime of critical@a.c:7, gain not known\n" not in result.out or result.out.count("1.50 x") != 1) and result.out), result)


def check_scaling():
    sides = []
    for threads, wall, own in ((1, 100, 80), (2, 60, 100), (4, 50, 160)):
        sides.append(write(f"t{threads}.build", [construct("task", 5, own * MS), construct("task", 9, 20 * MS)], wall * MS, threads))
    result, found = diff(*reversed(sides))
    scaling, rows = found["scaling"], [line.split() for line in result.out.splitlines()]
    own = {c["construct"]["line"]: c["own_ns"] for c in scaling["constructs"]}
    check("scaling", result.why([0]) or (scaling["base"] != 2 and f"base {scaling['base']}")
          or (own != {5: [160 * MS, 100 * MS, 80 * MS], 9: [20 * MS] * 3} and f"{own}")
          or (["A", "4", "50.0", "ms", "2.00", "50%", "180", "ms", "1.80"] not in rows and f"no row of A: {result.out}")
          or (["task@a.c:5", "80.0", "ms", "2.00", "1.25"] not in rows and f"no row of the task: {result.out}"), result)
    result, found = diff(sides[0], sides[1])
    check("scaling-of-two", result.why([0]) or (not (found["scaling"] and found["comparison"]) and "a part is missing"), result)


def two_callers(name, runs, lines=(3, 7), functions=("main", "main"), more=()):
    """
    Tasks of a library that two regions create: of each run what the tasks of the first and the second execute, in ms, and
    how many there are; 0: there are none.
    """
    made = []
    for first, second, n_first, n_second in runs:
        constructs = [construct("initial", 0, MS, label="initial"), construct("parallel", lines[0], MS, function=functions[0]),
                      construct("parallel", lines[1], MS, function=functions[1]),
                      construct("task", 5, (first + second) * MS, n_first + n_second, file="/src/lib.c", function="work")]
        paths = [((), 0, 0), ((1,), 1, MS), ((1, 2), 1, MS), ((1, 3), 1, MS), ((1, 2, 4), n_first, first * MS), ((1, 3, 4), n_second, second * MS)]
        made.append((constructs, 100 * MS, {"paths": [*(p for p in paths if p[1] or not p[0]), *more]}))
    return side(name, made)


def paths_of(found, label="task@lib.c:5"):
    """By the creator's label, of B where the path is there: (match, own_ns changed, count changed)"""
    return {(p["b"] or p["a"])[-2]: (p["match"], p["own_ns"]["changed"], p["count"]["changed"]) for p in entry(found, label)["paths"]}


def check_paths():
    noise = (0, 1, -1, 2, -2, 0)
    old = two_callers("pa", [(40 + n, 50 - n, 10, 20) for n in noise])
    same = two_callers("ps", [(40 - n, 50 + n, 10, 20) for n in noise])
    more = two_callers("pm", [(40 + n, 70 - n, 10, 20) for n in noise])
    shift = two_callers("px", [(50 + n, 40 - n, 15, 15) for n in noise])
    first, second, quiet = "parallel@a.c:3", "parallel@a.c:7", ("same", False, False)
    result, found = diff(old, same)
    check("paths/noise", result.why([0]) or (paths_of(found) != {first: quiet, second: quiet} and f"{paths_of(found)}")
          or ("by parallel" in result.out and result.out), result)
    result, found = diff(old, more)
    task = entry(found, "task@lib.c:5")
    check("paths/one-is-slower", result.why([0]) or (paths_of(found) != {first: quiet, second: ("same", True, False)} and f"{paths_of(found)}")
          or (task["paths"][0]["own_ns"]["difference"] != 20 * MS and f"{task['paths'][0]}")
          or (task["paths"][0]["a"] != ["initial", second, "task@lib.c:5"] and f"{task['paths'][0]['a']}")
          or (sum(p["own_ns"]["b"]["median"] for p in task["paths"]) != task["own_ns"]["b"]["median"] and "the paths are not the construct")
          or (not re.search(r"\n  by parallel@a\.c:7 +50\.0 ms.*70\.0 ms", result.out) and result.out) or ("by parallel@a.c:3" in result.out and result.out), result)
    result, found = diff(old, shift)
    task = entry(found, "task@lib.c:5")
    check("paths/one-for-the-other", result.why([0]) or (task["own_ns"]["changed"] and "the sum changed")
          or (paths_of(found) != {p: ("same", True, True) for p in (first, second)} and f"{paths_of(found)}")
          or (any(f"\n  by {p}" not in result.out for p in (first, second)) and result.out)
          or ("task@lib.c:5 by parallel@a.c:3: 10, now 15" not in result.out and result.out), result)
    one = two_callers("p1", [(40 + n, 0, 10, 0) for n in noise])
    result, found = diff(one, old)
    check("paths/new", result.why([0]) or (paths_of(found) != {first: quiet, second: ("new", True, True)} and f"{paths_of(found)}")
          or ("task@lib.c:5 by parallel@a.c:7: 0, now 20" not in result.out and result.out), result)
    result, found = diff(old, one)
    check("paths/gone", result.why([0]) or (paths_of(found) != {first: quiet, second: ("gone", True, True)} and f"{paths_of(found)}")
          or ("task@lib.c:5 by parallel@a.c:7: 20, now 0" not in result.out and result.out), result)
    # Creators that moved, and one that is in another function now; of two that are in other functions it is not known which is which.
    moved = two_callers("pv", [(40 + n, 50 - n, 10, 20) for n in noise], (13, 17))
    result, found = diff(old, moved)
    check("paths/moved", paths_of(found) != {"parallel@a.c:13": quiet, "parallel@a.c:17": quiet} and f"{paths_of(found)}", result)
    renamed = two_callers("pr", [(40 + n, 50 - n, 10, 20) for n in noise], (3, 17), ("main", "run"))
    result, found = diff(old, renamed)
    check("paths/renamed-creator", paths_of(found) != {first: quiet, "parallel@a.c:17": quiet} and f"{paths_of(found)}", result)
    renamed = two_callers("pq", [(40 + n, 50 - n, 10, 20) for n in noise], (13, 17), ("run", "run"))
    result, found = diff(old, renamed)
    check("paths/renamed-creators", {m for m, _, _ in paths_of(found).values()} != {"new", "gone"} and f"{paths_of(found)}", result)
    # Several processes are one; an unknown creator is a creator, too.
    more = (((), 0, 0), ((1,), 1, 0), ((1, 3), 1, 0), ((1, 3, 4), 5, 4 * MS), (("unknown creator",), 0, 0), (("unknown creator", 4), 3, 2 * MS))
    result, found = diff(old, two_callers("pp", [(40 + n, 50 - n, 10, 20) for n in noise], more=more))
    check("paths/processes", paths_of(found) != {first: quiet, second: ("same", True, True), "unknown creator": ("new", True, True)} and f"{paths_of(found)}", result)
    # One creator that itself is reached by two paths: the part that distinguishes them is shown. Of many paths some are left out.
    constructs = [construct("initial", 0, MS, label="initial"), construct("task", 8, MS), construct("task", 9, MS, 40),
                  *(construct("parallel", 100 + i, MS) for i in range(25))]
    paths = [[((), 0, 0), ((1,), 1, MS), *(p for i in range(25) for p in (((1, 4 + i), 1, MS), ((1, 4 + i, 2), 1, MS), ((1, 4 + i, 2, 3), 1, n * i * MS)))] for n in (1, 2)]
    result, found = diff(write("pf", constructs, 100 * MS, paths=paths[0]), write("pg", constructs, 100 * MS, paths=paths[1]))
    task = entry(found, "task@a.c:9")
    check("paths/far", ("by parallel@a.c:124 .." not in result.out and result.out) or ("(17 more paths differ)" not in result.out and result.out), result)
    check("paths/many", (len(task["paths"]), task["paths_left_out"], task["paths"][0]["own_ns"]["difference"]) != (20, 5, 24 * MS) and f"{task}", result)
    result, found = diff(old, write("pn.build", [construct("task", 5, MS)], MS))
    check("paths/not-there", result.why([0]) or (any(e["paths"] is not None for e in found["comparison"]["constructs"]) and "there are paths")
          or ("not compared, as a run has no spawn.csv" not in result.out and result.out), result)
    for name, change, wanted in (("cut", lambda t: t[:-10], "is cut"), ("construct", lambda t: t.replace("4,4,10", "99,4,10"), "none of constructs.csv"),
                                 ("order", lambda t: t.replace("5,0,3,", "5,0,5,"), "not in the order"), ("above", lambda t: t.replace("5,0,3,", "5,0,0,"), "not in the order"),
                                 ("column", lambda t: t.replace("own_ns", "other"), "no column 'own_ns'"), ("count", lambda t: t.replace("4,4,10", "4,4,-1"), "is no number")):
        bad = two_callers(f"p-{name}", [(40, 50, 10, 20)]) / "0.build"
        (bad / "spawn.csv").write_text(change((bad / "spawn.csv").read_text()))
        result, found = diff(old, bad)
        check(f"paths/damaged/{name}", result.why([2]) or (wanted not in result.err and f"says: {result.err}") or (found and "writes diff.json"), result)


def check_errors():
    good = write("good.build", [construct("task", 5, MS)], MS)
    for name, file, change, wanted in (
            ("cut-table", "constructs.csv", lambda t: t[:-10], "is cut"),
            ("fields", "constructs.csv", lambda t: t.replace(",main,", ",", 1), "there are 12 columns"),
            ("column", "constructs.csv", lambda t: t.replace("own_ns", "other"), "no column 'own_ns'"),
            ("number", "constructs.csv", lambda t: t.replace(f",{MS},", ",-1,", 1), "is no number"),
            ("empty", "constructs.csv", lambda t: "", "is empty"),
            ("zero", "constructs.csv", lambda t: t + "\0\n", "byte 0"),
            ("no-answer", "constructs.csv", lambda t: t.replace(f",1,{MS},0,", ",,,,", 1), "built without --answer"),
            ("cut-summary", "summary.json", lambda t: t[:-5], "summary.json:1: "),
            ("key", "summary.json", lambda t: t.replace("wall_ns", "wall"), "'wall_ns' is missing"),
            ("negative", "summary.json", lambda t: t.replace(f'"wall_ns": {MS}', '"wall_ns": -1'), "negative"),
            ("part", "summary.json", lambda t: t[:-1] + ', "part": {}}', "whole runs are compared")):
        bad = write(f"bad-{name}.build", [construct("task", 5, MS)], MS)
        (bad / file).write_text(change((bad / file).read_text()))
        result, found = diff(good, bad)
        check(f"damaged/{name}", result.why([2]) or (wanted not in result.err and f"says: {result.err}") or (found and "writes diff.json"), result)
    (PLACE / "void").mkdir()
    no_table = write("no-table.build", [construct("task", 5, MS)], MS)
    (no_table / "constructs.csv").unlink()
    for name, arguments, wanted in (("nothing", (good, PLACE / "nothing"), "No such file"), ("void", (good, PLACE / "void"), "holds no run"),
                                    ("one-side", (good,), "needs two sides"), ("colons", (good, ":"), "is empty"),
                                    ("no-table", (good, no_table), "without --csv"), ("other-output", ("--dot", good, good), "go with it"),
                                    ("threshold", ("--threshold=x", good, good), "number of percent")):
        result, _ = diff(*arguments)
        check(f"usage/{name}", result.why([2]) or (wanted not in result.err and f"says: {result.err}"), result)
    result = run([BUILDER, "--threshold=3", good])
    check("usage/threshold-alone", result.why([2]), result)
    repaired = write("repaired.build", [construct("task", 5, MS)], MS, repairs={"x": 1})
    slow = write("repaired-slow.build", [construct("task", 5, MS)], 2 * MS, complete=False)
    for name, arguments, status in (("repaired", (good, repaired), 3), ("repaired-slower", (good, slow), 1), ("strict", ("--strict", good, repaired), 4)):
        result, _ = diff(*arguments)
        check(name, result.why([status]), result)
    result = run([BUILDER, "--diff", "-o", good, good, good])
    check("taken", result.why([2]) or ("exists already" not in result.err and result.err), result)


# A chain of tasks that wait for each other by a needless dependence: half a second becomes half of that on two
# threads. The times are slept, so the machine's other programs do not matter.
PROGRAM = """
#include <unistd.h>
int main(void)
{
	int x[8];
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task depend(inout: x[WHICH])
		usleep(60000);
	}
	return x[0] & 0;
}
"""


def check_real():
    sides = {}
    for name, which in (("fault", "0"), ("mended", "i")):
        source = PLACE / name / "chain.c"
        source.parent.mkdir()
        source.write_text(PROGRAM)
        program = source.with_suffix("")
        result = compile_program(source, program, "clang", [f"-DWHICH={which}"])
        sides[name] = PLACE / name / "dumps"
        for _ in range(3):
            result = run([LAUNCHER, "--", program], {"OTTER_DIR": sides[name]})
            if result.why([0]):
                break
        if not report.check(f"{NAME}/record-{name}", result.why([0])):
            return
    for name, one, other, status in (("mended", "fault", "mended", 0), ("fault", "mended", "fault", 1)):
        scratch = PLACE / f"scratch-{name}"
        scratch.mkdir()
        out = PLACE / f"real-{name}"
        result = run([BUILDER, "--diff", "-o", out, sides[one], sides[other]], {"TMPDIR": scratch})
        found = json.loads((out / "diff.json").read_text()) if out.is_dir() else None
        wrong = result.why([status]) or ([len(s["runs"]) for s in found["sides"]] != [3, 3] and f"{found['sides']}")
        if not wrong:
            task = entry(found, "task@chain.c:9")
            wrong = (task["match"] != "same" or task["count"]["changed"] or task["count"]["b"]["median"] != 8) and f"the task: {task}"
            wrong = wrong or (any(scratch.iterdir()) and "the scratch directory is still there")
        check(f"real-{name}", wrong, result)
    # What is built already is not built again, and gives the same.
    for dump in dumps_in(sides["fault"]):
        run([BUILDER, "-q", "--csv", "--answer", dump])
    result, built = diff(sides["fault"], sides["mended"])
    paths = [r["path"] for r in built["sides"][0]["runs"]] if built else []
    check("built-ones", result.why([0]) or (not (len(paths) == 3 and all(p.endswith(".build") for p in paths)) and f"{paths}"), result)


# A function that two regions call: the tasks of one of them become more.
PATHS = """
#include <stdio.h>
static volatile int n_done;
static void work(int n)
{
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task
		n_done++;
	}
}
int main(void)
{
#pragma omp parallel num_threads(2)
	work(8);
#pragma omp parallel num_threads(2)
	work(MORE);
	return n_done < 0;
}
"""


def check_real_paths():
    sides = []
    for more in (8, 12):
        source = PLACE / f"paths-{more}" / "paths.c"
        source.parent.mkdir()
        source.write_text(PATHS)
        program = source.with_suffix("")
        compile_program(source, program, "clang", [f"-DMORE={more}"])
        sides.append(source.parent / "dumps")
        result = run([LAUNCHER, "--", program], {"OTTER_DIR": sides[-1]})
        if not report.check(f"{NAME}/paths/record-{more}", result.why([0])):
            return
    for name in ("dumps", "builds"):
        result, found = diff(*sides)
        counts = {(p["b"] or ["", ""])[-2]: (p["match"], p["count"]["a"]["median"], p["count"]["b"]["median"], p["count"]["changed"])
                  for p in entry(found, "task@paths.c:8")["paths"]}
        check(f"paths/real-{name}", result.why([0, 1]) or (counts != {"parallel@paths.c:14": ("same", 8, 8, False), "parallel@paths.c:16": ("same", 8, 12, True)} and f"{counts}"), result)
        for dumps in sides:
            for dump in dumps_in(dumps):
                run([BUILDER, "-q", "--csv", "--answer", dump])


def check_real_renamed():
    """The same program in a file of another name, below other lines."""
    sides = []
    for name, head in (("walk.c", ""), ("run.cc.c", "\n\n\n")):
        source = PLACE / f"renamed-{name}" / name
        source.parent.mkdir()
        source.write_text(head + PATHS)
        program = source.with_suffix("")
        compile_program(source, program, "clang", ["-DMORE=12"])
        sides.append(source.parent / "dumps")
        result = run([LAUNCHER, "--", program], {"OTTER_DIR": sides[-1]})
        if not report.check(f"{NAME}/renamed/record-{name}", result.why([0])):
            return
    result, found = diff(*sides)
    constructs = [e for e in found["comparison"]["constructs"] if (e["a"] or e["b"])["line"]]
    wrong = [e for e in constructs if e["match"] != "moved" or e["a"]["line"] + 3 != e["b"]["line"] or e["a"]["kind"] != e["b"]["kind"] or e["count"]["changed"]]
    task = {(p["match"], p["count"]["changed"]) for p in entry(found, "task@run.cc.c:11")["paths"]}
    check("renamed/real", result.why([0, 1]) or (len(constructs) < 5 and f"{constructs}") or (wrong and f"{wrong[0]}") or (task != {("same", False)} and f"{task}"), result)


def main():
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(PLACE)
    PLACE.mkdir(parents=True)
    for test in (check_noise, check_percentages, check_matching, check_renamed, check_limits, check_scaling, check_paths, check_errors, check_real, check_real_paths, check_real_renamed):
        test()
    report.print()
    if not os.environ.get("KEEP"):
        shutil.rmtree(PLACE)
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
