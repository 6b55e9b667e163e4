#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that an undeferred task with dependences is told from a wait with dependences and another task.

tests/omp/depend_or_wait.c has two such tasks, and two waits that other tasks follow. LLVM's runtime reports both alike
in a team of one thread, and only the program's machine code tells which is which. So the program is built by clang and
gcc with options that change that code, and recorded with one thread and with two: the quirk must come twice each time.
Without the program's file nothing is joined, and the critical path of a team of one is not exact.
"""
import json
import sys

from common import *

OPTIONS = ("-O0", "-O1", "-O2", "-Os", "-O3 -fno-plt", "-O2 -mcmodel=large", "-O0 -mcmodel=large", "-O2 -fno-pie -no-pie", "-O2 -fcf-protection=full")
EXTRA = {"clang": ("-Oz",), "gcc": ()}


def build(dump, out):
    """(quirks, what the summary has of the critical path, edges of dependences), or a reason."""
    result = run([BUILDER, "-q", "--summary", "--graph=fragment", "-o", out, dump])
    if result.why([0]):
        return f"otter-build: {result.why([0])}"
    summary = json.loads((out / "summary.json").read_text())
    return summary["quirks"], summary["path"], summary["graph"]["edges"].get("depend", 0)


def unlike(wanted, seen):
    return None if wanted == seen else f"{seen}, not {wanted}"


def test_options(job):
    compiler, options, threads = job
    report, name = Report(), f"undeferred/{compiler}{options.replace(' ', '')}/{threads}"
    if not compiler_found(compiler):
        report.skip(name, f"no {COMPILERS[compiler]}")
        return report
    with alone(WORK / "undeferred" / f"{compiler}{options.replace(' ', '')}-{threads}") as work:
        program = work / "depend_or_wait"
        result = compile_program(ROOT / "tests/omp/depend_or_wait.c", program, compiler, options.split())
        if not report.check(f"{name}/compile", result.why([0])):
            return report
        env = {**preload_for(compiler), "OMP_NUM_THREADS": str(threads), "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(work)}
        result = run([program], env)
        dumps = dumps_in(work)
        if not report.check(f"{name}/record", result.why([0]) or unlike(1, len(dumps))):
            return report
        found = build(dumps[0], work / "with")
        if report.check(f"{name}/build", found if isinstance(found, str) else None):
            quirks, path, n_depend = found
            seen = quirks.get("undeferred_behind_its_wait", 0), quirks.get("undeferred_or_wait", 0), n_depend, "undeferred_or_wait" in path["reasons"]
            report.check(f"{name}/joined", unlike((2, 0, 6, False), seen))
        program.unlink()
        found = build(dumps[0], work / "without")
        if report.check(f"{name}/build-without", found if isinstance(found, str) else None):
            quirks, path, _ = found
            seen = quirks.get("undeferred_behind_its_wait", 0), quirks.get("undeferred_or_wait", 0) > 0, "undeferred_or_wait" in path["reasons"]
            # gcc's code has the runtime call itself for such a task: there the address alone tells.
            report.check(f"{name}/unknown", unlike((2 if compiler == "gcc" else 0, True, threads == 1), seen))
    return report


def main():
    need(RECORDER, BUILDER)
    return 0 if run_all([(c, o, n) for c in EXTRA for o in OPTIONS + EXTRA[c] for n in (1, 2)], test_options) else 1


if __name__ == "__main__":
    sys.exit(main())
