#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the programs of tests/omp, builds the dumps, and compares the results with what each program's text says
they must be (expect.py).

    tests/run.py [NAME...]      all programs, or these

The counting tool (tools/count_tool.c) is loaded first and loads the recorder: both see the same run, so that their
counts can be compared whatever the timing. For each program a file in build/tests/results says whether all was as
expected; conformance.py reads them.
"""
import sys

from common import *
from expect import *
import path
import states
from levels import wrong_levels

sys.path.insert(0, str(ROOT / "tests/answers"))
import screen

PARTS = ("untraced", "quirks", "levels", "canonical", "counts", "archive", "states", "metric")
OUTPUTS = ("--otf2", "--dot", "--csv", "--parallelism", "--summary", "--states")


def program_jobs(names):
    """(source, compiler) of all programs, or of those that are named. An expectation that cannot be read becomes a job
    that fails."""
    jobs = []
    for expect in sorted((ROOT / "tests/omp").glob("*.expect")):
        if not names or expect.stem in names:
            try:
                jobs += [(source_of(expect), c) for c in COMPILERS if c in Expectation(expect, c).compilers]
            except ValueError:
                jobs.append((source_of(expect), "clang"))
    return sorted(jobs, key=lambda j: j[0].stem != "fib")  # it takes longest: started first


def environment(want, compiler):
    return {"OMP_NUM_THREADS": want.threads, **preload_for(compiler), **(offload_environment() if want.offload else {}), **dict(e[0].split("=", 1) for e in want.env)}


def test_program(source, compiler, runtime=HOME, env=None, suffix="", skip=()):
    """Records a program, builds, compares. `runtime`: the name of the runtime that `env` makes the program use;
    `skip`: PARTS that are left out."""
    with alone(WORK / "omp" / f"{source.stem}-{compiler}{suffix}") as work:
        report = test_in(work, source, compiler, runtime, env or {}, suffix, skip)
        remove_images(dumps_in(work / "dumps"))
        if report.failed == 0 and "KEEP" not in os.environ:
            shutil.rmtree(work)
        return report


def wrong_screen(dump, out):
    """Do the figures of the answer's screen, of summary.json and of the tables agree?"""
    place = out.with_name(f"{out.name}-answer")
    result, summary = build(dump, place, "--csv", "--answer")
    return result.why([0, 3]) or screen.flaw(result.out, summary, place)


def wrong_splits(graph):
    """The runtime's own tasks that split a taskloop, and all that they create, have the taskloop's line."""
    labels = {n["id"]: n["label"] for n in graph.nodes}
    wrong = [f"{labels[t]} of {labels[s]}" for s, t, kind in graph.edges
             if kind == "create" and graph.kind.get(s) == "taskloop_split" and labels[s].partition("@")[2] != labels[t].partition("@")[2]]
    return f"{len(wrong)} tasks have another line than what splits their taskloop: {wrong[0]}" if wrong else None


def test_in(work, source, compiler, runtime, env, suffix, skip):
    report, name = Report(), f"omp/{source.stem}-{compiler}{suffix}"
    want = Expectation(source.with_suffix(".expect"), compiler, runtime)
    if want.not_for(runtime):
        return report
    if not compiler_found(compiler):
        report.skip(name, f"no {COMPILERS[compiler]}")
        leave_result(source, compiler, runtime, None)
        return report
    if want.offload and no_offload(want.offload):
        report.skip(name, no_offload(want.offload))
        leave_result(source, compiler, runtime, None)
        return report
    leave_result(source, compiler, runtime, "differs")
    program = work / source.stem
    env = {**environment(want, compiler), **env}
    result = compile_once(source, program, compiler, want.flags())
    if not report.check(f"{name}/compile", result.why([0])):
        return report
    if "untraced" not in skip and not want.offload:  # an untraced one would leave files (see remove_images) whose names no dump tells
        result = run([program, *want.args], env)
        report.check(f"{name}/untraced", result.why([int(want.untraced_exit or want.exit)]))

    d = empty(work / "dumps")
    result = run([program, *want.args], {**env, "OMP_TOOL_LIBRARIES": str(COUNT_TOOL), "COUNT_CHAIN": str(RECORDER),
                                         "COUNT_FILE": str(work / "counts"), "OTTER_EVENTS": env.get("OTTER_EVENTS", "all"), "OTTER_DIR": str(d)})
    reason = result.why([int(want.exit)])
    if not reason and want.output and want.output not in result.out:
        reason = f"printed {result.out!r}"
    dumps = dumps_in(d)
    if not reason and len(dumps) != int(want.dumps):
        reason = f"{len(dumps)} dumps, not {want.dumps}"
    if not report.check(f"{name}/record", reason):
        return report

    summaries, reasons = [], []
    outs = [work / f"build-{i}" for i in range(len(dumps))]
    for dump, out in zip(dumps, outs):
        result, summary = build(dump, out, *OUTPUTS)
        reasons.append(result.why([int(n) for n in want.build_exit]))
        if summary is not None:
            summaries.append(summary)
            if summary["lost"]["total"] != 0:
                reasons.append(f"lost {summary['lost']}")
            if summary["repairs"] and result.status == 0:
                reasons.append(f"status 0 with repairs {summary['repairs']}")
            if want.complete != "any" and summary["complete"] != (want.complete == "yes"):
                reasons.append(f"complete: {summary['complete']}")
    if not report.check(f"{name}/build", "; ".join(filter(None, reasons))) and len(summaries) != len(dumps):
        return report
    graphs = [Graph(out) for out in outs]
    complete = want.complete == "yes"
    report.check(f"{name}/graph", "; ".join(filter(None, [g.flaw(complete) or tables_disagree(s, g) for g, s in zip(graphs, summaries)])))
    report.check(f"{name}/screen", "; ".join(filter(None, map(wrong_screen, dumps, outs))))
    report.check(f"{name}/splits", "; ".join(filter(None, map(wrong_splits, graphs))))
    others = {}
    if "levels" not in skip:
        others, wrong = wrong_levels(dumps, graphs, outs)
        report.check(f"{name}/levels", "; ".join(wrong))
        report.check(f"{name}/path", "; ".join(filter(None, [path.flaw(g, g.summary) for g in others["fragment"]])))
    report.check(f"{name}/expected", "; ".join(wrong_numbers(want, summaries, graphs, outs, others)))
    if "quirks" not in skip:
        report.check(f"{name}/quirks", "; ".join(wrong_quirks(want, summaries)))
    if "canonical" not in skip:
        report.check(f"{name}/canonical", "; ".join(filter(None, map(wrong_canonical, dumps, graphs))))
    if "counts" not in skip:
        report.check(f"{name}/counts", counts_differ(want, dumps, summaries, work / "counts"))
    if "archive" not in skip:
        n_tasks = [s["tasks"]["explicit"] + s["tasks"]["target"] + s["graph"]["nodes"].get("taskloop_split", 0) for s in summaries]
        reasons = [check_archive(*of_dump, is_printed=False) for of_dump in zip(outs, n_tasks, map(transfers_of, summaries))]  # printed for the metric
        report.check(f"{name}/archive", "; ".join(filter(None, reasons)))
        if want.helpers:
            definitions = run(["otf2-print", "-G", outs[0] / "traces.otf2"]).out
            names = re.findall(r'^LOCATION +\d+ +Name: "OMP hidden helper thread ', definitions, re.MULTILINE)
            report.check(f"{name}/helpers", differs(want.helpers.split(), [len(names)]))
    if "states" not in skip:
        report.check(f"{name}/states", "; ".join(filter(None, map(states.flaw, dumps, outs, summaries))))
    if "states" not in skip and "levels" not in skip:
        pairs = zip(graphs, others["fragment"])
        report.check(f"{name}/times", "; ".join(filter(None, map(states.times_flaw, outs, pairs, summaries))))
    if not {"states", "archive", "metric"}.intersection(skip):
        report.check(f"{name}/metric", "; ".join(filter(None, map(states.archive_flaw, outs))))
    if want.listed:
        result = run([BUILDER, "--list", dumps[0]])
        report.check(f"{name}/list", None if want.listed in result.out else f"--list lacks {want.listed!r}")
    if report.failed == 0:
        leave_result(source, compiler, runtime, "exact")
    return report


def transfers_of(summary):
    """How many transfers, and bytes, an archive has that holds no records of the devices' own: those that the host
    asked for."""
    moved = [n for kind, n in summary["target"]["operations"].items() if kind.startswith("transfer")]
    return {"transfers": sum(n["count"] for n in moved), "transferred": sum(n["bytes"] for n in moved)}


def wrong_canonical(dump, graph):
    """Checks that the canonical list has the creation of every explicit task, and every dependence but those between
    tasks of an implicit task that a barrier orders anyway. Returns None or a reason."""
    result = run([BUILDER, "--canonical", dump])
    n_created = n_depend = 0
    lines = result.out.splitlines()
    for line in lines:
        match = re.fullmatch(r"(.+) (->|--) (.+) ([a-z_:]+)(?: x(\d+))?", line)
        if not match:
            return f"it has the line {line}"
        target, kind, n = match[3], match[4], int(match[5] or 1)
        n_created += n if kind == "create" and not target.startswith(("implicit[", "initial[")) else 0
        n_depend += n if kind.startswith("depend") else 0
    if len(set(lines)) != len(lines):
        return "it has a line twice"
    operation = re.search(r"^.*\b(data_\w+|transfer_\w+|submit)[@\[].*$", result.out, re.MULTILINE)
    if operation:
        return f"operations on data depend on what is on the device already: {operation.group()}"
    created = sum(kind == "create" and graph.kind[t] not in ("implicit", "initial", "taskloop_split") for _, t, kind in graph.edges)
    depends = graph.count_edges("depend") - n_implied_by_barriers(graph)
    return None if (n_created, n_depend) == (created, depends) else \
        f"{n_created} tasks and {n_depend} dependences, not {created} and {depends}"


def n_implied_by_barriers(graph):
    parent, owner = ({n["id"]: n[column] for n in graph.nodes} for column in ("parent", "task"))
    siblings = [(s, t) for s, t, kind in graph.edges if kind == "depend" and graph.kind.get(parent[owner[s]]) == "implicit"]
    barriers = [n for n, kind in graph.kind.items() if kind == "barrier"]
    from_barriers, from_sources = graph.reach(barriers), graph.reach([s for s, _ in siblings])
    return sum(any(from_sources[b] >> i & 1 and from_barriers[t] >> j & 1 for j, b in enumerate(barriers))
               for i, (_, t) in enumerate(siblings))


def leave_result(source, compiler, runtime, result):
    """Leaves the result in a file, for conformance.py. None: the program did not run, and an earlier result is
    removed."""
    file = result_file(source, compiler, runtime)
    file.parent.mkdir(parents=True, exist_ok=True)
    if result is None:
        file.unlink(missing_ok=True)
    else:
        file.write_text(result + "\n")


def main():
    need(RECORDER, BUILDER, COUNT_TOOL)
    return 0 if run_all(program_jobs(sys.argv[1:]), lambda job: test_program(*job)) else 1


if __name__ == "__main__":
    sys.exit(main())
