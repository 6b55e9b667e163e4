#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ends programs in every way at every place, and checks that their dumps hold what their witness proves, and nothing
else.

    tests/endings.py [PLACE]...     all, or these places
    tests/endings.py --untraced     prints how each of them ends without the recorder: ENDLESS below comes from this

A recorded program must end as it does without the recorder: same status, same output. endings/matrix.c counts in a
file, the witness, what it does. All its threads but one stand still when it ends: its dumps must hold exactly what the
witness counts, with nothing lost, a valid archive and an acyclic graph. Where the runtime could finalize, the dump is
complete (otter-build's status is 0); where not, otter-build says so (status 3).
"""
import itertools
import signal
import struct

from common import *

WAYS = ("return", "exit", "_exit", "abort", "quick_exit", "pthread_exit", "sigterm", "sigkill", "sigsegv", "execve")
CONSTRUCTS = ("primary", "worker", "single", "task", "undeferred", "initial_task", "taskwait", "join", "critical", "nested", "child_region")
PLACES = ("before", "serial", "alone", "busy", *CONSTRUCTS[:-1], "root", "atexit", "destructor", "child", CONSTRUCTS[-1])
# Combinations that do not end without the recorder either. After pthread_exit a process lives until its last thread has
# ended, which the runtime's workers never do. A forked child has no workers, and crashes. A construct cannot be left by
# return, nor can a thread of its team leave it by pthread_exit.
ENDLESS = [(place, "pthread_exit") for place in ("serial", "atexit", "destructor", "child", *CONSTRUCTS)] + [(p, "return") for p in CONSTRUCTS]

FIELDS = ("regions", "implicit", "created", "switches", "waits", "waited", "criticals", "pid")
ROW_BYTES = 8 * len(FIELDS)
ROWS = ("program", "child", "again")


def run_one(program, place, way, file, env, timeout=HANG_S):
    """(Result, rows by name)"""
    file.write_bytes(b"\0" * ROW_BYTES * len(ROWS))
    result = run([program, place, way, file], env, timeout)
    data = file.read_bytes()
    rows = {name: dict(zip(FIELDS, struct.unpack_from(f"<{len(FIELDS)}Q", data, i * ROW_BYTES))) for i, name in enumerate(ROWS)}
    return result, {name: row for name, row in rows.items() if row["pid"]}


def dumps_by_row(rows, dumps):
    """Returns the dumps by the witness's row, or a reason. After execve the process has the same number and a second
    dump."""
    found, left = {}, list(dumps)
    for name, row in rows.items():
        mine = [d for d in left if pid_of(d) == row["pid"]]
        if row["implicit"] == 0:  # no OpenMP, no dump
            continue
        if not mine:
            return None, f"no dump of the {name}"
        found[name] = mine[0]
        left.remove(found[name])
    return (None, f"one dump too many: {left[0].name}") if left else (found, None)


def wanted_end(place, way, row):
    """Returns what a process's dump must give: otter-build's status, and whether the summary calls it complete."""
    if row == "again" or row == "program" and place.startswith("child"):
        return 0, True
    if (place, way) == ("initial_task", "exit"):
        return 3, True  # the runtime finalizes, but the initial task never ends
    if (place, way) == ("destructor", "exit"):
        return 3, False  # the destructors that would follow, the runtime's among them, are not called
    ends_well = way in ("return", "exit") and place not in CONSTRUCTS or way == "pthread_exit" and place in ("alone", "busy", "root")
    return (0, True) if ends_well else (3, False)


def wrong_dump(dump, row, status, is_complete, out):
    """Compares a dump with its row of the witness. Returns a list of reasons."""
    result, summary = build(dump, out)
    wrong = [result.why([status])]
    if summary is None:
        return wrong
    graph = Graph(out)
    for what, seen, proven in (("parallel_begin", summary["events"]["parallel_begin"], row["regions"]),
                               ("implicit tasks", summary["tasks"]["implicit"], row["implicit"]),
                               ("explicit tasks", summary["tasks"]["explicit"], row["created"]),
                               ("task_schedule", summary["events"]["task_schedule"], row["switches"]),
                               ("taskwaits", graph.count("taskwait"), row["waits"]),
                               ("mutex_acquired", summary["events"]["mutex_acquired"], row["criticals"])):
        if seen != proven:
            wrong.append(f"{what}: {seen} in the dump, {proven} proven")
    if summary["lost"]["total"] != 0:
        wrong.append(f"lost {summary['lost']}")
    if summary["damage"]:
        wrong.append(f"damage {summary['damage']}")
    if summary["complete"] != is_complete:
        wrong.append(f"complete: {summary['complete']}")
    if bool(summary["repairs"]) != (status == 3):
        wrong.append(f"repairs {summary['repairs']}")
    wrong.append(graph.flaw(is_complete))
    wrong.append(check_archive(out, is_printed=False))
    return wrong


def test_ending(job):
    place, way, compiler, program = job
    report, name = Report(), f"endings/{place}-{way}-{compiler}"
    work = empty(WORK / "endings" / f"{place}-{way}-{compiler}")
    dumps_dir = empty(work / "dumps")
    env = {"OMP_NUM_THREADS": "2", **preload_for(compiler)}
    untraced, rows = run_one(program, place, way, work / "witness", env)
    traced, traced_rows = run_one(program, place, way, work / "witness",
                                  {**env, "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(dumps_dir)})
    reasons = [f"ends with {what} {seen!r}, untraced with {wanted!r}"
               for what, seen, wanted in (("status", traced.status, untraced.status), ("output", traced.out, untraced.out),
                                          ("errors", traced.err, untraced.err)) if seen != wanted]
    for row, other in zip(rows.values(), traced_rows.values()):
        reasons += [f"{f}: {other[f]}, untraced {row[f]}" for f in FIELDS if f != "pid" and row[f] != other[f]]
    found, reason = dumps_by_row(traced_rows, dumps_in(dumps_dir))
    reasons.append(reason)
    for row, dump in (found or {}).items():
        reasons += [r and f"{row}: {r}" for r in wrong_dump(dump, traced_rows[row], *wanted_end(place, way, row), work / f"build-{row}")]
    report.check(name, "; ".join(filter(None, reasons)))
    if report.failed == 0 and "KEEP" not in os.environ:
        shutil.rmtree(work)
    return report


def test_library(job):
    """A program without OpenMP loads a library with OpenMP, unloads it and loads it again: one dump must hold
    everything."""
    times, how, compiler, programs = job
    report, name = Report(), f"endings/library-{how}-{times}-{compiler}"
    work = empty(WORK / "endings" / f"library-{how}-{times}-{compiler}")
    args, env = [programs["opens"], programs["library"], times, how], {"OMP_NUM_THREADS": "2", **preload_for(compiler)}
    untraced = run(args, env)
    traced = run(args, {**env, "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(work)})
    reasons = [untraced.why([0])]
    if (traced.status, traced.out, traced.err) != (untraced.status, untraced.out, untraced.err):
        reasons.append(f"ends with {traced.status} {traced.out!r} {traced.err!r}, untraced with {untraced.status} {untraced.out!r} {untraced.err!r}")
    dumps = dumps_in(work)
    if len(dumps) != 1:
        reasons.append(f"{len(dumps)} dumps")
    else:
        n_tasks = sum(5 + i for i in range(times))
        row = {"regions": times, "implicit": 2 * times, "created": n_tasks, "switches": 2 * n_tasks, "waits": 0, "criticals": 0}
        reasons += wrong_dump(dumps[0], row, 0, True, work / "build")
        places = {(n["file"].rpartition("/")[2], n["kind"]) for n in Graph(work / "build").nodes if n["kind"] == "task"}
        if places != {("library.c", "task")}:
            reasons.append(f"tasks come from {places}")
    report.check(name, "; ".join(filter(None, reasons)))
    if report.failed == 0 and "KEEP" not in os.environ:
        shutil.rmtree(work)
    return report


def test_launched(job):
    """A launched program executes another one: the first dump has the process's start, and the last one its end. The time
    before exec is not the second program's."""
    compiler, program = job
    report, work = Report(), empty(WORK / "endings" / f"launched-{compiler}")
    (work / "witness").write_bytes(b"\0" * ROW_BYTES * len(ROWS))
    result = run([LAUNCHER, "-q", program, "serial", "execve", work / "witness"], {"OMP_NUM_THREADS": "2", "OTTER_DIR": str(work)})
    dumps, reasons = dumps_in(work), [result.why([23])]
    lines = [[line.split() for line in meta_of(d).splitlines() if line.startswith("process_")] for d in dumps]
    seen = [[(words[0], len(words) > 3 or int(words[2])) for words in of_dump] for of_dump in lines]
    if seen != [[("process_start", 10000000), ("process_start", 0)], [("process_end", True)]]:
        reasons.append(f"lines of meta: {lines}")
    summaries = [build(d, work / f"build-{i}")[1] for i, d in enumerate(dumps)]
    ends = [s and (s["answer"]["ended"]["how"], s["answer"]["ended"]["from_start"]) for s in summaries]
    if ends != [("unknown", True), ("exited", False)]:
        reasons.append(f"the ends are {ends}")
    report.check(f"endings/launched-{compiler}", "; ".join(filter(None, reasons)))
    return report


def compile_one(name, compiler, suffix="", flags=()):
    """(program or library, Result)"""
    output = WORK / "endings" / "programs" / f"{name}-{compiler}{suffix}"
    return output, compile_c(ROOT / "tests/endings" / f"{name}.c", output, compiler, flags)


def say_untraced(programs, places):
    """Prints how each combination ends without the recorder."""
    work = empty(WORK / "endings" / "untraced")
    for (compiler, built), place in itertools.product(programs.items(), places):
        env = {"OMP_NUM_THREADS": "2", **preload_for(compiler)}
        said = (f"{way} {run_one(built['matrix'], place, way, work / 'witness', env, 3)[0].status}" for way in WAYS)
        print(f"{compiler:6}{place:14}", ", ".join(said), flush=True)


def main():
    names = [a for a in sys.argv[1:] if a != "--untraced"] or PLACES
    need(RECORDER, BUILDER)
    programs = {}
    for compiler in ("clang", "gcc"):
        results = {"matrix": compile_one("matrix", compiler), "library": compile_one("library", compiler, ".so", ["-shared", "-fPIC"]),
                   "opens": compile_one("opens", compiler, "", ["-fno-openmp", "-ldl"])}
        programs[compiler] = {name: output for name, (output, _) in results.items()}
        reasons = [f"{name}: {result.why([0])}" for name, (_, result) in results.items() if result.status != 0]
        if reasons:
            print(f"not ok endings/compile-{compiler}: {'; '.join(reasons)}")
            return 1
    if "--untraced" in sys.argv:
        say_untraced(programs, names)
        return 0
    jobs = [(place, way, compiler, p["matrix"]) for place in names for way in WAYS if (place, way) not in ENDLESS for compiler, p in programs.items()]
    is_good = run_all(jobs, test_ending)
    if not sys.argv[1:]:
        is_good &= run_all([(times, how, c, p) for times in (1, 2, 3) for how in ("close", "keep") for c, p in programs.items()], test_library)
        is_good &= run_all([(c, p["matrix"]) for c, p in programs.items()], test_launched)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
