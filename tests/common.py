# SPDX-License-Identifier: BSD-3-Clause
"""What the tests on real programs share: paths, running programs, reports, and checks of a graph.

run.py, schedules.py, kill.py, faults.py and others import it. Environment: BUILD (default build) is the folder with
what `make check-bin` makes; CLANG (default clang-19), GCC (default gcc) and FLANG (default flang-new-19) compile the
programs; JOBS is how many programs run at once (default: one on each processor); COMPILED is for compile_once(); where
KEEP is set, what a test has recorded and built stays below build/tests/run.
"""
import contextlib
import csv
import fcntl
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = (ROOT / os.environ.get("BUILD", "build")).resolve()
RECORDER = BUILD / "lib" / "libotter-ompt.so"
LAUNCHER = BUILD / "bin" / "otter-record"
BUILDER = BUILD / "bin" / "otter-build"
COUNT_TOOL = BUILD / "tests" / "tools" / "count_tool.so"
WORK = BUILD / "tests" / "run"
RESULTS = BUILD / "tests" / "results"
COMPILERS = {"clang": os.environ.get("CLANG", "clang-19"), "gcc": os.environ.get("GCC", "gcc"), "flang": os.environ.get("FLANG", "flang-new-19")}
WHOLE = "WHOLE" in os.environ  # see docs/hacking.md
ARCHIVE_CHECK = ROOT / "tests" / "otf2_check.py"
sys.path.append(str(ROOT / "tests" / "otf2"))  # see check_archive()

# The environment without the variables that change what a program or the recorder does: a test sets those itself.
CLEAN = {k: v for k, v in os.environ.items() if not re.match(r"(OMP|KMP|LIBOMP|GOMP|OTTER|COUNT)_|LD_PRELOAD$", k)}

# For the builder, whose threads would otherwise wait by spinning: that takes the processors from tests that run at the
# same time, and four fifths of the time of building a small dump. run() sets it.
PASSIVE = {"OMP_WAIT_POLICY": "passive"}


class Report:
    """The lines of one program, which are printed together: "ok NAME", "not ok NAME: REASON" or "skip NAME: REASON"
    for each check."""

    def __init__(self):
        self.lines, self.failed = [], 0

    def check(self, name, reason):
        """`reason`: what is wrong; None or "" if nothing is. Returns whether nothing is."""
        if reason:
            self.failed += 1
            self.lines.append(f"not ok {name}: {reason}")
        else:
            self.lines.append(f"ok {name}")
        return not reason

    def skip(self, name, reason):
        self.lines.append(f"skip {name}: {reason}")

    def print(self):
        print("".join(line + "\n" for line in self.lines), end="", flush=True)


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def why(self, wanted):
        """A reason for Report.check: None if the exit status is one of `wanted`."""
        if self.status in wanted:
            return None
        text = (self.err or self.out).strip().splitlines()
        return f"status {self.status}, not {' or '.join(map(str, wanted))}" + (f" ({text[-1][:300]})" if text else "")


# A check of LLVM's own that fails now and then, with any tool and without: a thread that still looks for a task to take
# meets a team that has become smaller (docs/runtimes.md).
RUNTIME_RACE = "victim_tid < task_team->tt.tt_nproc"

# A function of a C program, with two tasks and a taskwait in each call.
FIB = r"""
static int fib(int n)
{
	int x, y;
	if (n < 2)
		return n;
#pragma omp task shared(x)
	x = fib(n - 1);
#pragma omp task shared(y)
	y = fib(n - 2);
#pragma omp taskwait
	return x + y;
}
"""


# Seconds after which a program is taken to hang. One that works takes less than a tenth of it on a quiet machine: what limits
# the time of a program limits its processor time (prlimit --cpu).
HANG_S = 1200


def run(args, env=None, timeout=HANG_S, cwd=None, stdout=subprocess.PIPE):
    """Runs a program to its end. One that hangs is killed and has the status "hang"; one that is not there has 127, as
    in a shell. One that LLVM's runtime aborts because of RUNTIME_RACE is run again, without what it has recorded."""
    for _ in range(3):
        result = run_once(args, env, timeout, cwd, stdout)
        if result.status != -signal.SIGABRT or RUNTIME_RACE not in result.err:
            break
        for dump in dumps_in(pathlib.Path(env["OTTER_DIR"])) if env and "OTTER_DIR" in env else ():
            shutil.rmtree(dump)
    return result


def run_once(args, env, timeout, cwd, stdout):
    args = [str(a) for a in args]
    waits = PASSIVE if any(str(BUILDER) in a for a in args) else {}
    try:
        process = subprocess.Popen(args, env={**CLEAN, **waits, **(env or {})}, cwd=cwd, stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=subprocess.PIPE, text=True, errors="replace")
    except FileNotFoundError as e:
        return Result(127, "", f"{e.filename}: not found")
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return Result("hang", out or "", err)
    finally:
        forget_dead()
    return Result(process.returncode, out or "", err)


def compiler_found(compiler):
    return shutil.which(COMPILERS[compiler]) is not None


def compile_program(source, output, compiler, flags=()):
    """Compiles a program of tests/omp, in C or Fortran."""
    if source.suffix != ".f90":
        return compile_c(source, output, compiler, flags)
    output.parent.mkdir(parents=True, exist_ok=True)
    targets = [flag.partition("=")[2] for flag in flags if flag.startswith("-fopenmp-targets=")]
    if targets:  # flang's kernels call functions that only GPUs have: flang_device.c stands in for them
        device = output.with_name(f"{output.name}-device.o")
        result = run([COMPILERS["clang"], "-c", "-fPIC", ROOT / "tests/runtimes/flang_device.c", "-o", device])
        if result.status != 0:
            return result
        flags = [*flags, f"-Wl,--device-linker={targets[0]}={device}"]
    return run([COMPILERS[compiler], "-fopenmp", "-g", "-O1", "-module-dir", output.parent, *flags, source, "-o", output])


def compile_c(source, output, compiler="clang", flags=()):
    # Without this flag a construct at a function's end may be called by a jump, and have the return address of the
    # function's caller.
    output.parent.mkdir(parents=True, exist_ok=True)
    return run([COMPILERS[compiler], "-D_GNU_SOURCE", "-fopenmp", "-g", "-O1", "-fno-optimize-sibling-calls", "-Wall", "-Wextra", "-I", ROOT, *flags,
                source, "-o", output, "-pthread"])


def compile_once(source, output, compiler, flags=()):
    """compile_program(), but once for all tests in whose environment COMPILED names the same folder, as check.sh does: the
    others copy the program."""
    if "COMPILED" not in os.environ:
        return compile_program(source, output, compiler, flags)
    known = pathlib.Path(os.environ["COMPILED"]) / f"{source.name}-{compiler}-{'-'.join(flags)}".replace("/", "+") / "program"
    known.parent.mkdir(parents=True, exist_ok=True)
    with open(known.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = Result(0, "", "") if known.exists() else compile_program(source, known, compiler, flags)
    if result.status == 0:
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(known, output)
    return result


# A program that offloads, and removes what the runtime leaves of its code.
PROBE = """
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char line[4096], path[4096];
	int x = 0;
#pragma omp target map(tofrom : x)
	x = 1;
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
		if (sscanf(line, "%*s %*s %*s %*s %*s %4095[a-zA-Z0-9/_]", path) == 1 && strncmp(path, "/tmp/tmpfile_", 13) == 0)
			unlink(path);
	return x != 1;
}
"""


def remove_images(dumps):
    """LLVM's plugin for x86-64 leaves files with the code that it loaded, which otter-build reads. Called after that,
    it removes them."""
    for dump in dumps:
        for path in re.findall(r"^map .* (/tmp/tmpfile_\w{6})$", (dump / "meta").read_text(errors="replace"), re.MULTILINE):
            pathlib.Path(path).unlink(missing_ok=True)


@functools.lru_cache
def no_offload(target):
    """Why a program of clang's cannot use the host's processor as a device on this machine; None if it can."""
    with tempfile.TemporaryDirectory() as directory:
        source, program = pathlib.Path(directory) / "probe.c", pathlib.Path(directory) / "probe"
        source.write_text(PROBE)
        result = run([COMPILERS["clang"], "-fopenmp", f"-fopenmp-targets={target}-pc-linux-gnu", source, "-o", program])
        if result.status != 0:
            return f"clang cannot build it, which takes package clang-tools-19: {result.why([0])}"
        result = run([program], offload_environment())
        return f"no such device: {result.why([0])}" if result.status != 0 else None


def offload_environment():
    """Variables by which a program with code for devices finds the library that runs it, and does not fall back to the
    host."""
    library = pathlib.Path(run([COMPILERS["clang"], "-print-file-name=libomptarget.so"]).out.strip()).parent
    return {"LD_LIBRARY_PATH": str(library), "OMP_TARGET_OFFLOAD": "MANDATORY"}


def need(*files):
    for f in files:
        if not f.exists():
            sys.exit(f"not ok {f.name}: {f} is not there: make check-bin")


def preload_for(compiler):
    """Variables by which a program of gcc's runs on LLVM's runtime, which has the entry points of gcc's too."""
    return {"LD_PRELOAD": "libomp.so.5"} if compiler == "gcc" else {}


def empty(directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


@contextlib.contextmanager
def alone(directory):
    """Empties `directory` and keeps it for the caller alone: the same test that another process runs in this tree waits
    until then."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    with open(directory.with_name(directory.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield empty(directory)


def meta_of(dump):
    """A dump's `meta`, as far as it was written."""
    try:
        return (dump / "meta").read_text(errors="replace")
    except OSError:
        return ""


def pid_of(dump):
    """The process's number, as meta has it: in the dump's name another number may follow it. None: meta was not
    written so far."""
    match = re.search(r"^pid (\d+)$", meta_of(dump), re.MULTILINE)
    return match and int(match[1])


def dumps_in(directory):
    """In the order in which recording began: the numbers of processes start again from low ones when there are no
    higher ones left."""
    def began(dump):
        match = re.search(r"^start \d+ (\d+)", meta_of(dump), re.MULTILINE)
        return (int(match[1]) if match else sys.maxsize, dump.name)
    return sorted((p for p in directory.glob("*.otter*") if p.is_dir()), key=began)


def forget_dead():
    """Removes what LLVM's runtime leaves in /dev/shm when its process is killed: a later process of the same number
    would find it, and could end."""
    for left in pathlib.Path("/dev/shm").glob(f"__KMP_REGISTERED_LIB_*_{os.getuid()}"):
        if not os.path.exists(f"/proc/{left.name.split('_')[-2]}"):
            left.unlink(missing_ok=True)


def build(dump, out, *options):
    """Builds a dump into the directory `out`, by default with all outputs. Returns (Result, summary or None)."""
    shutil.rmtree(out, ignore_errors=True)
    result = run([BUILDER, "-o", out, *options, dump])
    try:
        summary = json.loads((out / "summary.json").read_text())
    except (OSError, ValueError) as e:
        summary = None
        if result.status in (0, 3):
            result.err += f"\nsummary.json: {e}"
            result.status = "no summary"
    return result, summary


def otf2_print(anchor, *options, env=None, stdout=subprocess.PIPE):
    """Runs otf2-print. For whatever archive it first makes tables of some hundred megabytes: in large pages, where the
    kernel has them, that takes a third of the time."""
    return run(["otf2-print", *options, anchor], {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", **(env or {})}, stdout=stdout)


one_archive_at_a_time = threading.Lock()  # OTF2's Python binding is not safe with threads


def check_archive(out, n_tasks=None, numbers=None, is_printed=True):
    """Checks that the archive keeps the rules of otf2_check.py, read by OTF2's Python binding, and that it has n_tasks
    tasks, created and completed, and these numbers of other things; where `is_printed`, that otf2-print reads it to its
    end as well. (Its start takes longer than all else: it is left out where a test makes hundreds of archives which
    differ little.) Returns None or a reason."""
    anchor = out / "traces.otf2"
    if not anchor.exists():
        return "no traces.otf2"
    if is_printed or WHOLE:
        result = otf2_print(anchor, "--silent", stdout=subprocess.DEVNULL)
        if result.status != 0:
            return "otf2-print: " + (result.why([0]) or "")
    from flaw import archive_flaw  # the binding is needed by those tests alone that check an archive
    tasks = {"tasks": n_tasks, "completed": n_tasks} if n_tasks is not None else {}
    with one_archive_at_a_time:
        flaw = archive_flaw(anchor, {**tasks, **(numbers or {})})
    return flaw and f"otf2_check: {flaw[:400]}"


def rows_of(path):
    """The rows of a table, each by column. Every row has all columns: csv.DictReader, which would fill up a short one, takes
    three times as long."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = csv.reader(f, strict=True)
        columns = next(rows)
        return [dict(zip(columns, row, strict=True)) for row in rows]


def read_nodes(out):
    """The rows of nodes.csv, each with what constructs.csv says of its construct: label, file, function."""
    constructs = {c["number"]: c for c in rows_of(out / "constructs.csv")}
    nodes = rows_of(out / "nodes.csv")
    unknown = {"label": "unknown", "file": "", "function": ""}
    for n in nodes:
        c = constructs[n["construct"]] if n["construct"] else unknown
        n.update({column: c[column] for column in unknown})
    return nodes


class Graph:
    """nodes.csv, with what constructs.csv says of each construct, and edges.csv as the builder wrote them."""

    TASKS = ("initial", "implicit", "task", "taskloop_split", "target")
    UNITS = ("unit", "tasklet", "scheduler", "primary_unit", "external")  # Argobots'

    def __init__(self, out):
        self.nodes = read_nodes(out)
        rows = rows_of(out / "edges.csv")
        self.edges = [(r["source"], r["target"], r["kind"]) for r in rows]
        self.places = {(r["source"], r["target"], r["kind"]): r["path"] for r in rows if r.get("path")}
        self.dependence = {(r["source"], r["target"], "depend"): r["dependence"] for r in rows if r["kind"] == "depend"}
        self.kind = {n["id"]: n["kind"] for n in self.nodes}
        self.next, self.n_in = {}, {n["id"]: 0 for n in self.nodes}
        self.known = all(s in self.kind and t in self.kind for s, t, _ in self.edges)
        if self.known:
            for s, t, _ in self.edges:
                self.next.setdefault(s, []).append(t)
                self.n_in[t] += 1

    def count(self, kind):
        return sum(1 for k in self.kind.values() if k == kind)

    def count_edges(self, kind):
        return sum(1 for e in self.edges if e[2] == kind)

    def order(self):
        """The ids in topological order. Where there is a cycle some are missing."""
        left = dict(self.n_in)
        ready = [n for n, k in left.items() if k == 0]
        done = []
        while ready:
            n = ready.pop()
            done.append(n)
            for t in self.next.get(n, ()):
                left[t] -= 1
                if left[t] == 0:
                    ready.append(t)
        return done

    def flaw(self, complete=True):
        """Checks what holds of the graph of every program. Returns None or a reason."""
        if len(self.kind) != len(self.nodes):
            return "nodes.csv has an id twice"
        if not self.known:
            return "edges.csv names a node that nodes.csv lacks"
        if len(set(self.edges)) != len(self.edges):
            return f"{len(self.edges) - len(set(self.edges))} edges are there twice"
        if len(self.order()) != len(self.nodes):
            return "there is a cycle"
        reached = [n for n, k in self.kind.items() if k == "initial" or k in self.UNITS]
        seen = set(reached)
        while reached:
            for t in self.next.get(reached.pop(), ()):
                if t not in seen:
                    seen.add(t)
                    reached.append(t)
        lost = [n for n in self.nodes if n["id"] not in seen]
        if lost and complete:
            return f"{len(lost)} nodes are not reached from an initial task, e.g. {lost[0]}"
        made, sequence, joined, left = {}, {}, {}, set()
        owner = {n["id"]: n["task"] for n in self.nodes}
        for s, t, kind in self.edges:
            if kind == "create":
                made[t] = made.get(t, 0) + 1
                continue
            if kind == "sequence":
                sequence[t] = sequence.get(t, 0) + 1
            if kind != "depend":
                left.add(s)
            if kind in ("taskwait", "taskgroup", "barrier"):
                joined[owner[s]] = joined.get(owner[s], 0) + 1
        serial = {n["region"] for n in self.nodes if n["kind"] == "initial"}  # where no thread must wait for a task
        for n in self.nodes:
            i, kind = n["id"], n["kind"]
            if kind in ("task", "taskloop_split", "implicit") and complete and made.get(i, 0) != 1:
                return f"{kind} node {i} has {made.get(i, 0)} create edges"
            if kind not in self.TASKS + self.UNITS and i in made:
                return f"{kind} node {i} has a create edge"
            if sequence.get(i, 0) > 1:
                return f"node {i} has {sequence[i]} sequence edges"
            if kind == "implicit" and complete and i not in left:
                return f"nothing comes after implicit node {i}"
            if kind in ("task", "taskloop_split") and joined.get(i, 0) != 1 and (joined.get(i, 0) > 1 or complete and n["region"] not in serial):
                return f"task {i} is joined {joined.get(i, 0)} times"
        return None

    def reach(self, sources):
        """For every node the set of those `sources` from which a path leads to it: bit I stands for sources[I]."""
        bits = {n: 0 for n in self.kind}
        own = {n: 1 << i for i, n in enumerate(sources)}
        for n in self.order():
            b = bits[n] | own.get(n, 0)
            for t in self.next.get(n, ()):
                bits[t] |= b
        return bits


def take_part(arguments):
    """Removes "--part I/N" from a script's arguments. Returns a function that takes every N-th of a list, from the
    I-th on."""
    if "--part" not in arguments:
        return lambda jobs: jobs
    at = arguments.index("--part")
    match = re.fullmatch(r"(\d+)/(\d+)", " ".join(arguments[at + 1:at + 2]))
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        sys.exit("--part takes I/N, the I-th of N parts")
    del arguments[at:at + 2]
    first, step = int(match[1]) - 1, int(match[2])
    return lambda jobs: jobs[first::step]


def number_of_jobs():
    return int(os.environ.get("JOBS", os.cpu_count() or 1))


def run_all(jobs, work):
    """Calls work(job) for every job, several at once, and prints the Reports that they return in the order of the
    jobs. True if nothing failed."""
    reports, failed = [None] * len(jobs), 0
    done = threading.Condition()
    todo = list(enumerate(jobs))

    def worker():
        while True:
            with done:
                if not todo:
                    return
                index, job = todo.pop(0)
            try:
                report = work(job)
            except Exception as e:  # a broken test is a failed one
                report = Report()
                report.check(str(job), f"the test itself failed: {type(e).__name__}: {e}")
            with done:
                reports[index] = report
                done.notify()

    threads = [threading.Thread(target=worker, daemon=True) for _ in range(number_of_jobs())]
    for t in threads:
        t.start()
    for i in range(len(jobs)):
        with done:
            while reports[i] is None:
                done.wait()
        reports[i].print()
        failed += reports[i].failed
    return failed == 0
