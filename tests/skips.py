#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `make check` skipped on this machine, and what would lift each of these skips.

    tests/skips.py FILE     prints the table of these lines ("TEST<tab>skip NAME: WHY"); check.sh calls it
    tests/skips.py          the test: each text by which a test says that it skips something has a row here
"""
import collections
import re
import sys

from common import *

NAME = "skips"
CHECK, DEPS, ROOT_NEEDED = "tests/deps.sh check", "tests/deps.sh", "root"
OTHER = "nothing on this machine: the same program does not run without Otter either"

# What a text has in it, and what lifts the skip. The first row that is found in a line counts.
LIFTS = (
    ("open: ", "a builder that knows this limit (tests/answers/programs)"),
    ("flang", CHECK + " (flang-19)"),
    ("clang-format", CHECK + " (clang-format)"),
    ("clang-tools-19|no such device", CHECK + " (clang-tools-19)"),
    (r"no (clang|gcc|g\+\+)|no gcc or clang", DEPS + " (clang-19, gcc, g++)"),
    ("chromium", CHECK + " (chromium)"),
    ("firefox", "firefox-esr"),
    ("protoc", CHECK + " (protobuf-compiler)"),
    ("poppler-utils|rsvg-convert", CHECK + " (poppler-utils, librsvg2-bin)"),
    ("networkx|igraph", CHECK + " (python3-networkx, python3-igraph)"),
    ("spin", CHECK + " (spin)"),
    ("shellcheck|mandoc", CHECK + " (shellcheck, mandoc)"),
    ("eslint", CHECK + ", and npm's registry"),
    ("libdebuginfod", CHECK + " (libdebuginfod1)"),
    ("neither perf nor valgrind", CHECK + " (valgrind), or linux-perf"),
    ("valgrind", CHECK + " (valgrind)"),
    ("for aarch64|of that machine", "tests/deps.sh aarch64, and a network"),
    ("ARGOBOTS_PREFIX_11", "ARGOBOTS_PREFIX_11=DIR, where Argobots 1.1 is installed"),
    ("ARGOBOTS", "ARGOBOTS_PREFIX=DIR and ARGOBOTS_EXAMPLES=DIR, where Argobots is installed"),
    ("is not installed", CHECK),
    ("numbers of calls are not known|entries are written for x86-64", "x86-64"),
    ("rings are not in memory", "a tmpfs at /dev/shm with room, and a dump elsewhere"),
    ("no quota groups", CHECK + " (btrfs-progs), and a kernel with quota groups of btrfs"),
    ("strace is not there", CHECK + " (strace), and a kernel on which it can trace"),
    ("musl", "musl-tools"),
    ("made and emulated", CHECK + " (qemu-user, libc6-i386)"),
    ("gcc -m32", "gcc-multilib, and a kernel with IA32 emulation"),
    ("ThreadSanitizer", "setarch -R, or vm.mmap_rnd_bits=28"),
    ("numpy", "python3-numpy, libopenblas0-openmp"),
    ("scikit-learn", "python3-sklearn"),
    ("R with data.table", "r-cran-data.table"),
    ("mpirun", "openmpi-bin"),
    ("late/python", "python3"),
    ("clone of git", "a clone of git's"),
    ("there is no recorder", "make"),
    ("no Debian", "Debian"),
    ("without results of", "make check with the tests that it names"),
    ("traced here", "kernel.yama.ptrace_scope=0, and no seccomp filter that forbids ptrace"),
    ("network namespace", "root, or kernel.unprivileged_userns_clone=1"),
    ("context switches|ha(s|ve) a processor", "kernel.perf_event_paranoid <= 2, or root"),
    ("one processor alone", "two processors or more"),
    ("others had |preempted", "a quiet machine"),
    ("stop behind each instruction", "a processor, or a hypervisor, that steps single instructions"),
    ("it takes root, and", "root, and a build that every user can read"),
    ("/dev/fuse", "root, and a kernel with FUSE"),
    ("mount|not root|neither root nor|loop device|mkfs|image|file system|btrfs|xfs|fsfreeze", "root that may mount images, with " + CHECK + " (btrfs-progs, xfsprogs)"),
    ("open files are allowed", "a higher hard limit of open files (ulimit -Hn)"),
    ("unpacked|download|cannot be fetched|network", "a network: Debian's packages of older runtimes"),
    ("taskset", "util-linux"),
    ("a ring has no room|breaks down|breaks it without|no address|without the recorder|untraced it ends|cannot be built|could not be recorded|leaves no dump|clang does not compile", OTHER),
)


def lift_of(line):
    return next((lift for pattern, lift in LIFTS if re.search(pattern, line)), None)


def table(path):
    """A row for each test and reason, with how often it came."""
    rows = collections.Counter()
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            test, _, said = line.rstrip("\n").partition("\t")
            what, _, why = said.removeprefix("skip").strip().partition(": ")
            rows[test, why or what, lift_of(said) or "not known: a row of tests/skips.py is missing"] += 1
    if not rows:
        return
    print("\nSkipped, and what would lift it:")
    cells = [("skips", "test", "why", "what lifts it")] + [(str(n), test, why if len(why) <= 72 else why[:69] + "...", lift) for (test, why, lift), n in rows.items()]
    widths = [max(len(row[i]) for row in cells) for i in range(3)]
    for n, test, why, lift in cells:
        print(f"  {n:>{widths[0]}}  {test:{widths[1]}}  {why:{widths[2]}}  {lift}")
    print()


# ---- The test ----

# Calls and lines by which tests skip something, in Python, shell and C. What is computed is X.
SAYS = (re.compile(r"\bskip(?:ped)?\((.*)\)\s*(?:if .*)?$"), re.compile(r"print\(f?\"(skip .*)\"\)"), re.compile(r"(?:echo|printf)[ (]+\"(skip .*?)(?:\\n)?\""))
TEXT = re.compile(r"f?\"((?:[^\"\\]|\\.)*)\"")


def texts():
    """(place, text) of each skip in the tests' sources, as far as its words are there."""
    for path in sorted([*(ROOT / "tests").rglob("*"), *(ROOT / "bench").glob("selftest*")]):
        if not path.is_file() or path.suffix not in (".py", ".sh", ".c", "") or path.name in ("skips.py", "common.py", "trial.py", "check.sh") or "golden" in path.parts or "programs" in path.parts[-1]:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = next((m for m in (pattern.search(line) for pattern in SAYS) if m), None)
            if not found:
                continue
            said = found.group(1) if found.group(1).startswith("skip ") else (TEXT.findall(found.group(1)) or [""])[-1]
            if not found.group(1).startswith("skip ") and not found.group(1).rstrip(")").endswith('"'):
                continue  # the reason is made elsewhere
            words = re.sub(r"\$\{?\w+\}?|\{[^}]*\}", "X", said)
            if re.search(r"[a-z]{3}", words.split(": ", 1)[-1].replace("X", "")):
                yield f"{path.relative_to(ROOT)}:{number}", said


def main():
    if sys.argv[1:]:
        table(sys.argv[1])
        return 0
    report, n = Report(), 0
    for place, said in texts():
        n += 1
        if lift_of(said) is None:
            report.check(f"{NAME}/{place}", f"no row of LIFTS has what lifts {said!r}")
    report.check(f"{NAME}/texts", None if n > 40 else f"only {n} were found")
    report.check(f"{NAME}/unknown", None if lift_of("skip x: the moon is full") is None else "a text that nobody knows has a lift")
    lines = empty(WORK / NAME) / "lines"
    lines.write_text("report\tskip report: no chromium\nrun\tskip a: no flang-19\nrun\tskip b: no flang-19\nlint\tskip no shellcheck: scripts are not checked\n")
    shown = [re.split(r"  +", line.strip()) for line in run([ROOT / "tests/skips.py", lines]).out.splitlines() if line.startswith("  ")]
    wanted = [["1", "report", "no chromium", CHECK + " (chromium)"], ["2", "run", "no flang-19", CHECK + " (flang-19)"], ["1", "lint", "scripts are not checked", CHECK + " (shellcheck, mandoc)"]]
    report.check(f"{NAME}/table", None if shown[1:] == wanted else f"{shown}")
    lines.write_text("")
    report.check(f"{NAME}/nothing skipped", run([ROOT / "tests/skips.py", lines]).out)
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
