#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The builder's memory below --memory: the same output, little memory, and a clean end where files have no room.

Usage: memory.py
"""
import shutil

from common import *

NAME, PLACE, report = "memory", WORK / "memory", Report()
PROGRAM = FIB + r"""
int main(void)
{
#pragma omp parallel
#pragma omp single
	fib(23);
}
"""
OPTIONS = ("--graph=fragment", "--csv", "--otf2", "--summary")
PRIVATE_MIB = 24  # what is enough with --memory=0, and not without it: code's data, stacks, OTF2's chunks


def build(name, dump, *options, limit="true", env={}):
    """(Result, what is in the output directory by path) of a build in a shell that has set a limit."""
    out = PLACE / f"{name}.out"
    shutil.rmtree(out, ignore_errors=True)
    result = run(["bash", "-c", f'{limit}; exec "$@"', "-", BUILDER, "-q", "-o", out, *OPTIONS, *options, dump],
                 {"OMP_NUM_THREADS": "1", **env})
    return result, {str(f.relative_to(out)): f.read_bytes() for f in out.rglob("*") if f.is_file()}


def leftovers(place):
    return [f.name for f in place.iterdir() if f.name.endswith(".XXXXXX") or f.name.startswith("otter-build") or ".tmp-" in f.name]


def fails(name, what, expected, dump, *options, **how):
    result, files = build(name, dump, *options, **how)
    report.check(f"{NAME}/{name}", result.why([1]) or (None if expected in result.err else f"{what}: {result.err}") or
                 (f"left {sorted(files)[:3]}" if files else None))


def main():
    empty(PLACE)
    (PLACE / "program.c").write_text(PROGRAM)
    if not report.check(f"{NAME}/compile", compile_c(PLACE / "program.c", PLACE / "program").why([0])):
        report.print()
        return 1
    dumps = []
    for pack in ("off", "on"):
        directory = empty(PLACE / f"dumps-{pack}")
        run([LAUNCHER, "-q", "--", PLACE / "program"], {"OTTER_DIR": directory, "OMP_NUM_THREADS": "2", "OTTER_PACK": pack})
        dumps += dumps_in(directory)
    if report.check(f"{NAME}/record", None if len(dumps) == 2 else str(dumps)):
        files = empty(PLACE / "files")
        env, no_place = {"TMPDIR": str(files)}, {"TMPDIR": str(PLACE / "missing")}
        for dump, packed in zip(dumps, ("", "-packed")):
            whole, expected = build("whole", dump)
            report.check(f"{NAME}/whole{packed}", whole.why([0]))
            for name, options, how in (("4M", ["--memory=4M"], {"env": env}), ("none", ["--memory=0"], {"env": env}), ("output", ["--memory=0K"], {"env": no_place})):
                result, made = build(name, dump, *options, **how)
                wrong = sorted(f for f in {*expected, *made} if expected.get(f) != made.get(f))
                report.check(f"{NAME}/same-{name}{packed}", result.why([0]) or (f"other {wrong}" if wrong else None))
        if "-address" not in os.path.realpath(BUILDER):  # AddressSanitizer's own memory is more than that
            limit = f"ulimit -d {PRIVATE_MIB << 10}"
            fails("private-whole", "fits without --memory", "out of memory", dumps[0], limit=limit)
            report.check(f"{NAME}/private", build("private", dumps[0], "--memory=0", limit=limit, env=env)[0].why([0]))
        # The first table is larger than any file may be, as on a full disk; the output's own files come after it.
        fails("full", "another error", ".*: File too large", dumps[0], "--memory=0", limit="ulimit -f 64", env=env)
        list_only = run([BUILDER, "--canonical", "--memory=0", dumps[0]], {**no_place})
        report.check(f"{NAME}/no-place", list_only.why([1]) or (None if "missing" in list_only.err else list_only.err))
        left = leftovers(PLACE) + leftovers(files)
        report.check(f"{NAME}/left", f"{left}" if left else None)
    for wrong in ("", "M", "-1", "1T", "99999999999G", "1.5G"):
        report.check(f"{NAME}/usage-'{wrong}'", run([BUILDER, f"--memory={wrong}", PLACE / "x.otter"]).why([2]))
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
