# SPDX-License-Identifier: BSD-3-Clause
"""The programs of programs/: each has one fault, or none, and with -DMENDED=1 the fault is mended. Used by ../answers.py and ../../bench/answers.

A comment at the beginning of each says what must be answered:

    limit: KIND @MARK[,@MARK...] LOW HIGH   the limit, the line of its construct (a comment with that mark), and what mending it can give
    limit: KIND/SORT ...                    the same, with the sort of the limit
    limit: none                             there is no fault
    mended: KIND                            the limit that is left: none, another one, or * where that is not to be known

What programs execute is time of their own threads, so that other programs on the machine make them wait but not work longer. A
recording of which more than BUSY of the threads' time was taken away by others says nothing about the program.
"""
import re

from common import *
import checks

SOURCES = ROOT / "tests/answers/programs"
COMPILER = {".c": "clang", ".cc": "clang", ".f90": "flang"}
SETTINGS = {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "true", "OMP_DYNAMIC": "false"}
BUSY = 0.05


@functools.lru_cache
def goes_first():
    """May a program have a real-time priority here?"""
    return shutil.which("chrt") is not None and run(["chrt", "--rr", "1", "true"]).status == 0


class Program:
    def __init__(self, source):
        self.source, self.name, self.compiler = source, source.name, COMPILER[source.suffix]
        text = source.read_text()
        words = re.search(r"^\W*limit: (.*)$", text, re.MULTILINE)[1].split()
        self.limit, _, self.sort = words[0].partition("/")
        self.marks = words[1].split(",") if len(words) > 1 else []
        self.low, self.high = map(float, words[2:4]) if len(words) > 2 else (1, 1)
        self.then = re.search(r"^\W*mended: (.*)$", text, re.MULTILINE)[1]
        self.offloads = "omp target" in text
        self.has_units = "argobots.h" in text  # and needs no compiler for OpenMP
        self.compiler = "gcc" if self.has_units else self.compiler
        self.lines = [n for n, line in enumerate(text.splitlines(), 1) for mark in self.marks if re.search(rf"(/\*|!) {mark}\b", line)]

    def why_not(self):
        """Why it cannot be tried on this machine; None: it can."""
        if not compiler_found(self.compiler):
            return f"no {COMPILERS[self.compiler]}"
        if len(os.sched_getaffinity(0)) < 2:
            return "one processor alone"
        return no_offload("x86_64") if self.offloads else None

    def compile(self, program, mended):
        if self.has_units:
            return self.compile_units(program, mended)
        flags = [f"-DMENDED={mended:d}", "-D_GNU_SOURCE", "-g", "-O1", "-fopenmp", *(["-fopenmp-targets=x86_64-pc-linux-gnu"] if self.offloads else [])]
        if self.compiler == "flang":
            flags += ["-cpp", "-module-dir", program.parent]
        else:
            flags += ["-fno-optimize-sibling-calls", "-Wall", "-Wextra"]
        compiler = re.sub("clang", "clang++", COMPILERS["clang"], count=1) if self.source.suffix == ".cc" else COMPILERS[self.compiler]
        return run([compiler, *flags, self.source, "-o", program])

    def compile_units(self, program, mended):
        """With the stand-in for Argobots, of the name that the recorder looks for, beside it."""
        library, standin = program.parent / "libabt.so.1", sorted((ROOT / "tests/argobots").glob("standin*.c"))
        common = ["gcc", "-D_GNU_SOURCE", "-g", "-O1", "-pthread", "-I", ROOT]
        made = run([*common, "-fPIC", "-shared", f"-Wl,-soname,{library.name}", *standin, "-o", library])
        if made.status != 0:
            return made
        return run([*common, f"-DMENDED={mended:d}", "-fno-optimize-sibling-calls", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", self.source, library,
                    "-Wl,-rpath,$ORIGIN", "-o", program])

    def environment(self):
        return {**SETTINGS, **(offload_environment() if self.offloads else {})}

    def record(self, program, directory, *options):
        """The dump. Where that is allowed the program goes before all others on the machine, for these some ms."""
        first = ["chrt", "--rr", "1"] if goes_first() and self.limit != "preemption" else []
        result = run([*first, LAUNCHER, "-q", f"--dir={empty(directory)}", *options, "--", program], self.environment())
        dumps = dumps_in(directory)
        if result.status != 0 or len(dumps) != 1:
            raise RuntimeError(f"{program.name}: {result.why([0])}, {len(dumps)} dumps")
        return dumps[0]

    def answer(self, program, place):
        """The answer of a recording, and what is wrong with it as with any other."""
        dump = self.record(program, place / "dumps")
        answer, wrong = checks.answer_of(dump, place / "out")
        if self.offloads:
            remove_images([dump])
        return answer, wrong

    def wrong_limit(self, answer):
        lines = [] if self.compiler == "flang" else self.lines  # it notes no lines of constructs
        said = f"{answer['limit']} {answer['construct']['label']} {answer['possible_speedup']:.2f}"
        if answer["limit"] != self.limit or lines and answer["construct"]["line"] not in lines:
            return f"{said}, not {self.limit} in line {self.lines}"
        if self.sort not in ("", answer["why"].get("sort")):
            return f"{said}, {answer['why'].get('sort')}, not {self.sort}"
        if self.limit != "none" and not self.low <= answer["possible_speedup"] <= self.high:
            return f"{said}, not {self.low:g} to {self.high:g}"
        return None

    def wrong_then(self, answer):
        if self.then not in ("*", answer["limit"]):
            return f"{answer['limit']} {answer['construct']['label']} {answer['possible_speedup']:.2f}, not {self.then}"
        return None


def taken_away(answer):
    """The share of the threads' time in which others had their processors, and in which they waited for that."""
    total = answer["threads"] * answer["wall_ns"]
    blamed = sum(row["why"]["blamed_ns"] for row in (answer, *answer["others"]) if row["limit"] == "preemption")
    return max(blamed, answer["account_ns"]["preempted"]) / total if total else 0


def programs():
    return [Program(source) for source in sorted(SOURCES.iterdir()) if source.suffix in COMPILER]
