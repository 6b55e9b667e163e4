#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples the states of real programs (OTTER_SAMPLE) and checks the samples.

    tests/sampling.py [NAME]...        all, or these: constructs of sampling/waits.c and offload.c, programs of omp/
    tests/sampling.py --table [MS]     prints only, for each construct, the states of each thread: the column of docs/states.md

A sampled program must have the status and the output that it has without sampling, and its dump every record that it
has without. Each sample must be in a state that the runtime enumerates, belong to a thread, a task and a region of the
dump, and come in order of time. sampling/waits.c makes a thread wait in one construct: the state that LLVM's runtime
has for this wait must be seen, and where it has none, no state of waiting must be. sampling/offload.c does the same
with constructs that use a device, where clang can build it.
"""
import collections

from common import *

HZ = 20000
# The states of the waiting thread in LLVM's runtime: one of these must be seen, and no other state of mutual exclusion.
# For waiting for tasks the runtime has no state: the thread is at work.
WAITS = {
    "serial": ("work_serial",), "parallel": ("work_parallel",), "task": ("work_parallel",),
    "barrier": ("wait_barrier_explicit",), "loop": ("wait_barrier_implicit_workshare",), "single": ("wait_barrier_implicit_workshare",),
    "sections": ("wait_barrier_implicit_workshare",), "copyprivate": ("wait_barrier_implementation",),
    "join": ("wait_barrier_implicit_parallel",), "join_of_primary": ("wait_barrier_implicit_parallel",),
    "between_regions": ("wait_barrier_implicit_parallel",), "reduction": ("wait_barrier_implementation", "wait_barrier_implicit_workshare"),
    "teams": ("wait_barrier_teams",), "taskwait": ("work_parallel",), "taskwait_depend": ("work_parallel",), "taskgroup": ("work_parallel",),
    "lock": ("wait_lock",), "nest_lock": ("wait_lock",), "critical": ("wait_lock",), "critical_spin": ("work_parallel",),
    "ordered": ("wait_ordered",), "doacross": ("work_parallel",),
}
# The same for sampling/offload.c, and the derived states that must be there: LLVM's runtime says of a thread that waits
# for a device that it works.
OFFLOAD = {
    "target": (("work_serial",), ("wait_target",)), "target_in_parallel": (("work_parallel",), ("wait_target",)),
    "target_teams": (("work_parallel",), ("work_parallel",)), "target_nowait": (("work_parallel",), ("wait_target", "wait_taskwait")),
    "map": (("work_serial",), ("wait_target_map",)), "update": (("work_serial",), ("wait_target_update",)),
    "memcpy": (("work_serial",), ("wait_target_map",)),
}
TARGET = {"wait_target", "wait_target_map", "wait_target_update"}
MUTEX = {"wait_mutex", "wait_lock", "wait_critical", "wait_atomic", "wait_ordered"}
# Programs that use many constructs in little time, and end in different ways.
PROGRAMS = ("fib", "cholesky", "lock_order", "loops", "fork_in_region", "exit_in_task", "roots", "reexec", "pause")


def samples_in(out):
    path = out / "samples.csv"
    if not path.exists():
        return []
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def wrong_samples(out, summary, dump):
    """A list of reasons."""
    rows, wrong = samples_in(out), []
    meta = (dump / "meta").read_text(errors="replace")
    states = {int(n): name for n, name in re.findall(r"^state (\d+) (\S+)$", meta, re.M)}
    graph = Graph(out)
    tasks, regions = {n["task"] for n in graph.nodes if n["task"]}, {n["region"] for n in graph.nodes}
    counts = summary["samples"]
    if counts is None:
        return ["nothing was sampled"]
    if len(rows) != counts["samples"] or sum(1 + int(r["missed"]) for r in rows) != counts["expirations"]:
        wrong.append(f"{len(rows)} rows in samples.csv, the summary says {counts['samples']}")
    if sum(t["samples"] for t in counts["threads"]) != counts["samples"]:
        wrong.append("the threads' samples do not add up")
    last = {}
    for r in rows:
        key = (r["process"], r["stream"])
        if int(r["time_ns"]) < last.get(key, 0):
            wrong.append(f"a sample of stream {key[1]} before the one before it")
        last[key] = int(r["time_ns"])
    unknown = {r["number"] for r in rows if int(r["number"]) not in states or states[int(r["number"])] != "ompt_state_" + r["state"]}
    if unknown:
        wrong.append(f"states {sorted(unknown)} are none of the runtime's")
    if not {r["task"] for r in rows if r["task"]} <= tasks:
        wrong.append("a sample has a task that there is not")
    if not {r["region"] for r in rows if r["region"] != "0"} <= regions:
        wrong.append("a sample has a region that there is not")
    if any(r["wait_id"] and r["state"] not in MUTEX for r in rows):
        wrong.append("a sample waits for something in a state that is no waiting for a mutex")
    return wrong


def record(args, work, hz=HZ, env=None):
    """Runs the program without the recorder and sampled. Returns both results and the dumps."""
    dumps = empty(work / "dumps")
    env = {"OMP_NUM_THREADS": "2", **(env or {})}
    untraced = run(args, env)
    sampled = run([LAUNCHER, "-q", f"--dir={dumps}", f"--sample={hz}", "--", *args], env)
    return untraced, sampled, dumps_in(dumps)


def compare(untraced, sampled):
    return [f"{what} {seen!r}, without the recorder {wanted!r}" for what, seen, wanted in
            (("status", sampled.status, untraced.status), ("output", sampled.out, untraced.out)) if seen != wanted]


def test_program(job):
    name, program = job
    report, work = Report(), empty(WORK / "sampling" / name)
    untraced, sampled, dumps = record([program], work)
    reasons = compare(untraced, sampled)
    for i, dump in enumerate(dumps):
        result, summary = build(dump, work / f"build-{i}")
        reasons.append(result.why([0, 3]))
        if summary is not None:
            reasons += wrong_samples(work / f"build-{i}", summary, dump)
            if summary["lost"]["total"] != 0 or summary["damage"]:
                reasons.append(f"lost {summary['lost']}, damage {summary['damage']}")
            reasons.append(check_archive(work / f"build-{i}"))
    if not dumps:
        reasons.append("no dump")
    report.check(f"sampling/{name}", "; ".join(filter(None, reasons)))
    if report.failed == 0 and "KEEP" not in os.environ:
        shutil.rmtree(work)
    return report


def wrong_metric(out):
    """Checks that the archive's metric has each sample's state. Returns None or a reason."""
    text = otf2_print(out / "traces.otf2").out
    written = collections.Counter(re.findall(r'"thread state sampled" <\d+>; UINT64; (\d+)\)', text))
    wanted = collections.Counter(r["number"] for r in samples_in(out))
    return None if written == wanted else f"the archive's metric has {dict(written)}, samples.csv {dict(wanted)}"


def shares(summary):
    """For each stream a dictionary: state -> share of the timer's expirations."""
    return {t["stream"]: {s: c["expirations"] / t["expirations"] for s, c in t["states"].items()} for t in summary["samples"]["threads"]}


def test_construct(job):
    """Samples a construct, up to fifty times: on a busy machine it can happen that no sample falls into the wait."""
    name, program, wanted, derived, env = job
    report, work = Report(), empty(WORK / "sampling" / f"{program.name}-{name}")
    for attempt in range(50):
        untraced, sampled, dumps = record([program, name, "100"], work, 1000, env)
        reasons = compare(untraced, sampled)
        if len(dumps) != 1:
            reasons.append(f"{len(dumps)} dumps")
            break
        result, summary = build(dumps[0], work / "build")
        reasons.append(result.why([0]))
        if summary is None:
            break
        reasons += wrong_samples(work / "build", summary, dumps[0])
        reasons += [check_archive(work / "build"), wrong_metric(work / "build")]
        seen = collections.Counter(r["state"] for r in samples_in(work / "build"))
        if set(seen) & (MUTEX | TARGET) - set(wanted):
            reasons.append(f"waits for a mutex or a device: {dict(seen)}")
        missing = set(derived) - set(summary["states"]["total"])
        if missing:
            reasons.append(f"{' and '.join(sorted(missing))} not among the derived states")
        if any(reasons) or any(seen[s] > 1 for s in wanted):
            break
    else:
        reasons.append(f"no sample in {' or '.join(wanted)}: {dict(seen)}")
    remove_images(dumps)
    report.check(f"sampling/{program.name}-{name}", "; ".join(filter(None, reasons)))
    if report.failed == 0 and "KEEP" not in os.environ:
        shutil.rmtree(work)
    return report


def table(jobs, ms):
    for name, program, _, _, env in jobs:
        work = empty(WORK / "sampling" / "table")
        _, _, dumps = record([program, name, ms], work, env=env)
        remove_images(dumps)
        _, summary = build(dumps[0], work / "build")
        for stream, states in shares(summary).items():
            print(f"{name:16} {stream} " + ", ".join(f"{share:.1%} {state}" for state, share in sorted(states.items(), key=lambda s: -s[1])), flush=True)


def offload_jobs(names):
    """Returns the jobs of sampling/offload.c, and the reason if there are none."""
    program = WORK / "sampling" / "programs" / "offload"
    if names and not set(names) & set(OFFLOAD):
        return [], None
    if no_offload("x86_64"):
        return [], no_offload("x86_64")
    result = compile_program(ROOT / "tests/sampling/offload.c", program, "clang", ["-fopenmp-targets=x86_64-pc-linux-gnu"])
    jobs = [(name, program, *states, offload_environment()) for name, states in OFFLOAD.items() if not names or name in names]
    return jobs, result.why([0])


def main():
    is_table = sys.argv[1:2] == ["--table"]
    names = [] if is_table else sys.argv[1:]
    need(RECORDER, BUILDER, LAUNCHER)
    waits = WORK / "sampling" / "programs" / "waits"
    programs = {name: WORK / "sampling" / "programs" / name for name in PROGRAMS if not names or name in names}
    results = [compile_c(ROOT / "tests/sampling/waits.c", waits)] + [compile_c(ROOT / "tests/omp" / f"{n}.c", p) for n, p in programs.items()]
    reasons = [r.why([0]) for r in results if r.status != 0]
    if reasons:
        print(f"not ok sampling/compile: {'; '.join(reasons)}")
        return 1
    constructs = [(name, waits, states, (), {}) for name, states in WAITS.items() if not names or name in names]
    offload, reason = offload_jobs(names)
    if is_table:
        table(constructs + offload, sys.argv[2] if sys.argv[2:] else "1000")
        return 0
    if reason:
        print(f"skip sampling/offload: {reason}")
    return 0 if run_all(constructs + offload, test_construct) & run_all(list(programs.items()), test_program) else 1


if __name__ == "__main__":
    sys.exit(main())
