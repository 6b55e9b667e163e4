#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The builder that AddressSanitizer and UndefinedBehaviorSanitizer watch writes each output, of recordings of all sorts.

Unit tests and the corpora of the fuzzers reach the replay and the graph; what comes after them, the answer, what-if, the
report, and each format, is reached here: by the dumps of tests/golden, and by the program of threads.py, which has rows
enough that tables grow. A leak is an error, too, where it is not one of the libraries that draw.

    tests/sanitized.py OTTER-BUILD [NAME...]     (NAME: a mode of the program, or golden-DUMP)
"""
import signal
import tarfile

from common import *
from threads import PROGRAM

NAME, PLACE = "sanitized", WORK / "sanitized"
WATCHED = None  # the builder, from the command line
MODES = ("fib", "move", "depend", "groups", "exclude", "nest", "all", "killed")
OUTPUTS = (
    ("--what-if", "--lint", "--answer", "--fold=1000", "--dot", "--csv", "--otf2", "--states"),
    ("--report", "--perfetto", "--chrome", "--svg", "--pdf", "--graphml", "--folded", "--speedscope", "--sqlite"),
    ("--graph=fragment", "--report", "--csv", "--summary", "--from=20%", "--to=70%"),
    ("--graph=fragment", "--report", "--csv", "--summary", "--dot", "--task=1", "--depth=2"),
    ("--memory=0",),
)
# What a dump of another sort than the option is for is refused with.
REFUSALS = ("--from and --to do not cut a process with",)
LEAKS = "\n".join(f"leak:{library}" for library in ("libgvc", "libcgraph", "libpango", "libfontconfig", "libglib", "libcairo", "librsvg"))


def jobs(names):
    golden = ["golden-" + p.name.removesuffix(".tar.xz") for p in sorted((ROOT / "tests/golden").glob("*.tar.xz"))]
    return [name for name in (*MODES, *golden) if not names or name in names]


def dump_of(name, place):
    """The dump, or why there is none."""
    if name in MODES:
        result = run([LAUNCHER, "-q", "--", PLACE / "program", name], {"OTTER_DIR": place, "OMP_NUM_THREADS": "4",
                                                                     "OTTER_EVENTS": "all", "OTTER_RING": "32K"})
        reason = result.why([-signal.SIGKILL if name == "killed" else 0])
    else:
        with tarfile.open(ROOT / "tests/golden" / f"{name.removeprefix('golden-')}.tar.xz") as archive:
            archive.extractall(place)
        reason = None
    found = sorted({p.parent for p in place.rglob("meta")})
    return (found[0], reason) if found else (None, reason or "no dump")


def build_all(name):
    report = Report()
    place = empty(PLACE / name)
    dump, reason = dump_of(name, place)
    if not report.check(f"{NAME}/{name}/dump", reason):
        return report
    env = {**PASSIVE, "OMP_NUM_THREADS": "2", "LSAN_OPTIONS": f"print_suppressions=0:suppressions={PLACE / 'leaks'}"}
    for i, options in enumerate(OUTPUTS):
        result = run([WATCHED, "-q", "-o", place / f"out-{i}", *options, dump], env)
        is_refused = any(refusal in result.err for refusal in REFUSALS)
        wrong = result.why([1, 2] if is_refused else [0, 3])
        if "Sanitizer" in result.err or "runtime error" in result.err:
            wrong = "; ".join(line for line in result.err.splitlines() if re.search(r"Sanitizer|runtime error|^ *#[0-5] ", line))
        report.check(f"{NAME}/{name}/{' '.join(options)}", wrong)
    if report.failed == 0:
        shutil.rmtree(place)
    return report


def main():
    global WATCHED
    WATCHED = sys.argv[1]
    empty(PLACE)
    (PLACE / "leaks").write_text(LEAKS)
    (PLACE / "program.c").write_text(PROGRAM)
    report = Report()
    compiled = report.check(f"{NAME}/compile", compile_c(PLACE / "program.c", PLACE / "program").why([0]))
    report.print()
    return 0 if compiled and run_all(jobs(sys.argv[2:]), build_all) else 1


if __name__ == "__main__":
    sys.exit(main())
