#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that a program's canonical graph does not depend on the schedule.

    tests/schedules.py [NAME...]        all programs, or these

Each program of tests/omp whose expectation does not say `canonical no` is recorded SCHEDULES times (default 3; 10 with WHOLE=1) with each of 1, 2, 4 and 16 threads, every second time with threads that wait without spinning, and twice
with OTTER_DRAIN=self and with the smallest ring. All dumps must have the same canonical edge list, byte for byte, which
must not be empty. Where two lists differ, both stay in
build/tests/run/schedules.
"""
import difflib
import itertools
import sys

from common import *
from expect import *
from run import environment, program_jobs

RUNS = int(os.environ.get("SCHEDULES", "10" if WHOLE else "3"))
VARIANTS = [{"OMP_NUM_THREADS": n, **(PASSIVE if i % 2 else {})} for i in range(RUNS) for n in ("1", "2", "4", "16")] + \
    [{"OMP_NUM_THREADS": "4", **v} for v in ({"OTTER_DRAIN": "self"}, {"OTTER_RING": "32K"})] * min(RUNS, 2)


def canonical_list(program, want, env, directory):
    """Records the program once. Returns (its list, None), or (None, a reason)."""
    result = run([program, *(want.small or want.args)], {**env, "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_EVENTS": "all", "OTTER_DIR": str(directory)})
    if result.status != int(want.exit):
        return None, result.why([int(want.exit)])
    dumps = dumps_in(directory)
    if len(dumps) != int(want.dumps):
        return None, f"{len(dumps)} dumps, not {want.dumps}"
    result = run([BUILDER, "--canonical", *dumps])
    reason = result.why([int(n) for n in want.build_exit])
    if reason:  # the dumps stay, and the summary says what is wrong with them
        said = run([BUILDER, "--summary", "-o", directory / "refused", *dumps]).out.splitlines()
        found = "; ".join(" ".join(line.split()) for line in said if line.startswith(("records", "lost", "stopped", "repairs", "damage", "state ")))
        return None, f"otter-build --canonical: {result.status}, {found}, {directory}"
    remove_images(dumps)
    for dump in dumps:
        shutil.rmtree(dump)
    return result.out, None if result.out else "an empty list"


def first_difference(a, b):
    lines = [line for line in difflib.unified_diff(a.splitlines(), b.splitlines(), lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]
    return f"{len(lines)} lines differ: " + " | ".join(itertools.islice(lines, 4))


def test_schedules(job):
    source, compiler = job
    report, name = Report(), f"schedules/{source.stem}-{compiler}"
    if not compiler_found(compiler):
        report.skip(name, f"no {COMPILERS[compiler]}")
        return report
    want = Expectation(source.with_suffix(".expect"), compiler)
    if want.offload and no_offload(want.offload):
        report.skip(name, no_offload(want.offload))
        return report
    with alone(WORK / "schedules" / f"{source.stem}-{compiler}") as work:
        program = work / source.stem
        result = compile_once(source, program, compiler, want.flags())
        reason, first = result.why([0]), None
        for variant in VARIANTS[::5] if want.offload else VARIANTS:  # fewer: loading code onto a device takes long
            if reason:
                break
            shown = " ".join(f"{k}={v}" for k, v in variant.items())
            edges, reason = canonical_list(program, want, {**environment(want, compiler), **variant}, empty(work / "dumps"))
            if reason:
                reason = f"with {shown}: {reason}"
                break
            if first is None:
                first = edges
                (work / "first").write_text(first)
            if edges != first:
                (work / "other").write_text(edges)
                reason = f"{shown} gives another list than one thread, {work}/first and other: {first_difference(first, edges)}"
        if report.check(name, reason):
            shutil.rmtree(work)
    return report


def main():
    need(RECORDER, BUILDER)
    jobs = [(source, c) for source, c in program_jobs(sys.argv[1:])
            if not Expectation(source.with_suffix(".expect"), c).canonical]
    return 0 if run_all(jobs, test_schedules) else 1


if __name__ == "__main__":
    sys.exit(main())
