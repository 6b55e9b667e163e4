# SPDX-License-Identifier: BSD-3-Clause
"""The programs of programs/: each has one fault, or none, and with -DMENDED=1 the fault is mended. Used by ../answers.py, keeping.py and
../../bench/answers.

A comment at the beginning of each says what must be answered:

    limit: KIND @MARK[,@MARK...] LOW HIGH   the limit, the line of its construct (a comment with that mark; -: no line), and what
                                            mending it gives (left out: that is not to be known, as of a program that never ends)
    limit: KIND/SORT ...                    the same, with the sort of the limit
    limit: KIND|KIND ...                    either of these is right
    limit: none                             there is no fault
    limit: unseen                           there is one that the records do not show: any answer may be given
    mended: KIND                            the limit that is left: none (left out: the same), another one, or * where that is not to be known
    compiler: gcc                           it is compiled by gcc (left out: by clang, and on Argobots by gcc)
    status: N                               how the faulty program ends, -9 where it is killed (left out: 0, as the mended one does)
    threads: N                              it needs that number of threads (left out: 2)
    environment: NAME=VALUE ...             settings of both versions
    faulty environment: NAME=VALUE ...      settings of the faulty one, which are the fault
    kept: NAME=VALUE ...                    macros of both versions where a recording is kept (keeping.py), which make that small
    open: yes                               the builder cannot answer this yet: a wrong answer is skipped, and no failure

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
WORTH = 1.1  # the least speedup that is worth a sentence


def is_least(answer):
    """Is the speedup that is said a lower bound ("or more")?"""
    return answer["lower_bound"]


@functools.lru_cache
def goes_first():
    """May a program have a real-time priority here?"""
    return shutil.which("chrt") is not None and shutil.which("prlimit") is not None and run(["chrt", "--rr", "1", "true"]).status == 0


class Program:
    def __init__(self, source):
        self.source, self.name, self.compiler = source, source.name, COMPILER[source.suffix]
        text = source.read_text()

        def field(name, default=""):
            found = re.search(rf"^\W*{name}: (.*)$", text, re.MULTILINE)
            return found[1] if found else default

        self.text_of_limit = field("limit")
        words = self.text_of_limit.split()
        self.limits = [tuple(word.partition("/")[::2]) for word in words[0].split("|")]  # (kind, sort or "")
        self.limit = self.limits[0][0]
        self.marks = words[1].split(",") if words[1:] and words[1] != "-" else []
        self.low, self.high = map(float, words[2:4]) if len(words) > 2 else (None, None)
        self.then, self.status, self.is_open = field("mended", "none"), int(field("status", "0")), field("open") == "yes"
        self.threads = int(field("threads", "0"))
        self.macros = [f"-D{macro}" for macro in field("kept").split()]
        self.settings, self.fault = (dict(word.split("=", 1) for word in field(name).split()) for name in ("environment", "faulty environment"))
        self.offloads = "omp target" in text
        self.has_units = "argobots.h" in text  # and needs no compiler for OpenMP
        self.compiler = "gcc" if self.has_units else field("compiler", self.compiler)
        # Threads of Argobots are bound to no processors. With real-time priorities two of them may share one for 100 ms, a time slice of these.
        self.goes_first = goes_first() and self.limit not in ("preemption", "hang") and not self.has_units
        self.lines, self.code = self.lines_in(text), code_of(text)

    def lines_in(self, text):
        """The lines of the construct in a text of the program."""
        return [n for n, line in enumerate(text.splitlines(), 1) for mark in self.marks if re.search(rf"(/\*|!) {mark}\b", line)]

    def why_not(self):
        """Why it cannot be tried on this machine; None: it can."""
        if not compiler_found(self.compiler):
            return f"no {COMPILERS[self.compiler]}"
        if len(os.sched_getaffinity(0)) < 2:
            return "one processor alone"
        return no_offload("x86_64") if self.offloads else None

    def compile(self, program, mended, *more):
        if self.has_units:
            return self.compile_units(program, mended, *more)
        flags = [f"-DMENDED={mended:d}", "-D_GNU_SOURCE", "-g", "-O1", "-fopenmp", *(["-fopenmp-targets=x86_64-pc-linux-gnu"] if self.offloads else [])]
        if self.compiler == "flang":
            flags += ["-cpp", "-module-dir", program.parent]
        else:
            flags += ["-fno-optimize-sibling-calls", "-Wall", "-Wextra", "-pthread"]
        flags += more
        compiler = COMPILERS[self.compiler]
        if self.source.suffix == ".cc":
            compiler = re.sub("clang|gcc", lambda match: {"clang": "clang++", "gcc": "g++"}[match[0]], compiler, count=1)
        return run([compiler, *flags, self.source, "-o", program])

    def compile_units(self, program, mended, *more):
        """With the stand-in for Argobots, of the name that the recorder looks for, beside it."""
        library, standin = program.parent / "libabt.so.1", sorted((ROOT / "tests/argobots").glob("standin*.c"))
        common = ["gcc", "-D_GNU_SOURCE", "-g", "-O1", "-pthread", "-I", ROOT]
        made = run([*common, "-fPIC", "-shared", f"-Wl,-soname,{library.name}", *standin, "-o", library])
        if made.status != 0:
            return made
        return run([*common, f"-DMENDED={mended:d}", "-fno-optimize-sibling-calls", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", *more, self.source, library,
                    "-Wl,-rpath,$ORIGIN", "-o", program])

    def environment(self, mended, threads=2):
        """On that number of threads, if the program does not need another one."""
        threads = self.threads or threads
        bound = "true" if threads <= len(os.sched_getaffinity(0)) else "false"
        return {**SETTINGS, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": bound, **self.settings, **({} if mended else self.fault),
                **(offload_environment() if self.offloads else {})}

    def first(self, mended):
        """Where that is allowed the program goes before all others on the machine, for these some ms; except where others must have
        processors too, or it could keep them for long. The limit, in us, is for one that does not end."""
        return ["prlimit", "--rttime=10000000", "chrt", "--rr", "1"] if self.goes_first and (mended or self.limit != "binding") else []

    def record(self, binary, directory, *options, mended=False, threads=2):
        """The dump."""
        result = run([*self.first(mended), LAUNCHER, "-q", f"--dir={empty(directory)}", *options, "--", binary], self.environment(mended, threads))
        dumps, status = dumps_in(directory), 0 if mended else self.status
        if result.status != status or len(dumps) != 1:
            raise RuntimeError(f"{self.name}: {result.why([status])}, {len(dumps)} dumps")
        return dumps[0]

    def answer(self, binary, place, mended=False, threads=2):
        """The answer of a recording, and what is wrong with it as with any other."""
        dump = self.record(binary, place / "dumps", mended=mended, threads=threads)
        answer, wrong = self.answer_of(dump, place / "out", mended)
        if self.offloads:
            remove_images([dump])
        return answer, wrong

    def answer_of(self, dump, out, mended):
        """The same of a dump."""
        answer, wrong = checks.answer_of(dump, out, (0,) if mended or self.status == 0 else (0, 3))
        if answer:
            answer["start_ns"] = start_ns(dump)
        return answer, wrong

    def is_another(self, answer, mended):
        """How the answer is another one than the planted. None: it is that one."""
        return self.wrong_then(answer) if mended else self.wrong_limit(answer)

    def names(self, row):
        """Does a limit, the first or one of the others, have the right kind and line?"""
        lines = [] if self.compiler == "flang" else self.lines  # it notes no lines of constructs
        return any(row["limit"] == kind and sort in ("", row["why"].get("sort")) for kind, sort in self.limits) and (not lines or row["construct"]["line"] in lines)

    @staticmethod
    def speedup(answer):
        """The possible speedup without the time before the first use of OpenMP, which is the machine's in so short a run."""
        wall = answer["wall_ns"]
        left = wall / answer["possible_speedup"] - answer["start_ns"]
        return (wall - answer["start_ns"]) / left if left > 0 else answer["possible_speedup"]

    def is_start(self, answer):
        """Is what limits it no more than the program's start, which takes some ms, and more on a busy machine? The recorder's own beginning
        and the first threads come after that, and take as long again."""
        wall, start = answer["wall_ns"], 2.5 * answer["start_ns"]
        return answer["limit"] == "serial" and (start >= wall or answer["possible_speedup"] <= 1.03 * wall / (wall - start))

    def wrong_limit(self, answer):
        said = " ".join(filter(None, (answer["limit"], answer["why"].get("sort"), answer["construct"]["label"], f"{answer['possible_speedup']:.2f}")))
        if self.limit == "unseen":
            return None
        if self.limit == "none" and self.is_start(answer):
            return None
        if not self.names(answer):
            return f"{said}, not {' or '.join('/'.join(filter(None, limit)) for limit in self.limits)} in line {self.lines}"
        low = WORTH if is_least(answer) else self.low
        if low is not None and not low <= self.speedup(answer) <= self.high and not low <= answer["possible_speedup"] <= self.high:
            return f"{said}, not {low:g} to {self.high:g}"
        return None

    def wrong_then(self, answer):
        if self.then not in ("*", answer["limit"]) and not (self.then == "none" and self.is_start(answer)):
            return f"{answer['limit']} {answer['construct']['label']} {answer['possible_speedup']:.2f}, not {self.then}"
        return None


def code_of(text):
    """Without the comments at its beginning."""
    return re.sub(r"\A(\s*/\*.*?\*/|\s*![^\n]*\n)*\s*", "", text, flags=re.DOTALL)


def start_ns(dump):
    """From the process's start to that of its recording, which is the first use of OpenMP."""
    meta = dict(line.split(" ", 1) for line in (dump / "meta").read_text().splitlines() if line.startswith(("start ", "process_start ")))  # the last of each
    return max(int(meta["start"].split()[1]) - int(meta["process_start"].split()[0]), 0) if "process_start" in meta else 0


def taken_away(answer):
    """The share of the threads' time in which others had their processors, and in which they waited for that."""
    total = answer["threads"] * answer["wall_ns"]
    blamed = sum(row["why"]["blamed_ns"] for row in (answer, *answer["others"]) if row["limit"] == "preemption")
    return max(blamed, answer["account_ns"]["preempted"]) / total if total else 0


def programs():
    return [Program(source) for source in sorted(SOURCES.iterdir()) if source.suffix in COMPILER]


def one_of_each(programs):
    """The first of each kind and sort of limit by each compiler; one that is open where there is no other."""
    firsts = {}
    for program in sorted(programs, key=lambda p: p.is_open):
        firsts.setdefault((program.limits[0], program.compiler, program.has_units), program)
    return sorted(firsts.values(), key=lambda p: p.name)
