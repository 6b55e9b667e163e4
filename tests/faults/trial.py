# SPDX-License-Identifier: BSD-3-Clause
"""A trial: one recorded run of a program under a fault, and what is checked of it.

The counting tool (tools/count_tool.c) is loaded before the recorder: it counts how many records there were to make.
"""
import resource

from common import *

PROGRAMS = WORK / "faults" / "programs"
FIB = 22
FIB_RESULT = "fib 22 = 17711"
FIB_TASKS = 57312  # 2 (F(23) - 1)
RING = 2 << 20
OWN_SLACK = 64     # records of the recorder's own kinds that may be among the lost ones
SHIM = PROGRAMS / "shim.so"
# The recorder whose calls are libc's functions, which a preloaded library can make fail.
LIBC_RECORDER = BUILD / "tests" / "libc" / "libotter-ompt.so"


def compile_programs():
    """Compiles the programs of tests/faults and those that trials borrow from other tests. Returns None or a reason."""
    jobs = [(ROOT / "tests/omp/fib.c", PROGRAMS / "fib", "clang", []), (ROOT / "tests/omp/descriptors.c", PROGRAMS / "descriptors", "clang", []),
            (ROOT / "tests/launch/own_tool.c", PROGRAMS / "own_tool", "clang", ["-rdynamic"]),
            (ROOT / "tests/endings/library.c", PROGRAMS / "library-gcc.so", "gcc", ["-shared", "-fPIC"]),
            (ROOT / "tests/endings/library.c", PROGRAMS / "library-clang.so", "clang", ["-shared", "-fPIC"]),
            (ROOT / "tests/faults/shim.c", SHIM, "gcc", ["-fno-openmp", "-shared", "-fPIC", "-ldl"]),
            (ROOT / "tests/faults/wraps.c", PROGRAMS / "wraps.so", "clang", ["-shared", "-fPIC", "-ldl"])]
    jobs += [(source, PROGRAMS / source.stem, "clang", ["-ldl"]) for source in (ROOT / "tests/faults").glob("*.c") if source.stem not in ("shim", "wraps")]
    for source, output, compiler, flags in jobs:
        if output.exists() and output.stat().st_mtime > source.stat().st_mtime:
            continue
        result = compile_c(source, output, compiler, flags)
        if result.status != 0:
            return f"{source.name}: {result.err}"
    return None


class Trial:
    def __init__(self, name, env=None, program="fib", args=(FIB,), directory=None, limits=None, shim=None, user=None, is_public=False, counted=True):
        """`limits`: resource -> soft and hard limit. `shim`: variables of faults/shim.c. `user`: the number of the
        user that root runs the program as. `is_public`: any user can reach the program, its libraries and its work,
        which is not so below a folder of mode 0700."""
        self.report, self.name = Report(), f"faults/{name}"
        self.kept = WORK / "faults" / name
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="otter-")) if is_public else empty(self.kept)
        self.dir = directory or empty(self.work / "dumps")
        self.program, recorder, count_tool = PROGRAMS / program, LIBC_RECORDER if shim else RECORDER, COUNT_TOOL
        if is_public:
            self.work.chmod(0o777)
            self.program, recorder, count_tool = (pathlib.Path(shutil.copy(file, self.work)) for file in (self.program, recorder, count_tool))
        self.env = {**CLEAN, "OMP_NUM_THREADS": "2", "OMP_TOOL_LIBRARIES": str(recorder), "OTTER_DIR": str(self.dir)}
        if counted:
            self.env |= {"OMP_TOOL_LIBRARIES": str(count_tool), "COUNT_CHAIN": str(recorder), "OTTER_EVENTS": "all", "COUNT_FILE": str(self.work / "counts")}
        if shim:
            self.env |= {"LD_PRELOAD": str(SHIM), "FAULT_COUNTS": str(self.work / "failed"), **{k: str(v) for k, v in shim.items()}}
        self.env |= env or {}
        self.args, self.limits, self.user = [str(a) for a in args], limits or {}, user
        if user is not None:
            for directory in (self.work, self.dir):
                os.chown(directory, user, user)

    def before(self):
        for what, value in self.limits.items():
            resource.setrlimit(what, (value, value))

    def run(self, command=None, result=FIB_RESULT, timeout_s=HANG_S):
        """Runs the program, and checks that it has status 0, prints `result` (None: anything), and prints nothing on stderr."""
        who = {"user": self.user, "group": self.user, "extra_groups": []} if self.user is not None else {}
        p = subprocess.run(command or [self.program, *self.args], env=self.env, preexec_fn=self.before if self.limits else None,
                           capture_output=True, text=True, timeout=timeout_s, stdin=subprocess.DEVNULL, **who)
        forget_dead()
        self.judge(p.returncode, p.stdout, p.stderr, result)
        return p

    def judge(self, status, out, err, result):
        reason = None
        if status != 0:
            reason = f"status {status} {err.strip()[-300:]!r}"
        elif result is not None and out.strip() != result:
            reason = f"it printed {out!r}"
        elif err:
            reason = f"it said {err!r}"
        self.report.check(f"{self.name}/program", reason)

    def counted(self):
        files = list(self.work.glob("counts.*"))
        return sum(int(line.split()[1]) for f in files for line in open(f))

    def failed(self):
        """The number of calls that the shim has made fail."""
        path = self.work / "failed"
        return int.from_bytes(path.read_bytes()[:8], "little") if path.exists() else 0

    def build(self, statuses, whole=True, dump=None, archive=True):
        """Builds the only dump, or `dump`. Where `whole`, each record must be in it or counted as lost. The archive is
        checked where the dump is not all there: that of a whole one is as any other (run.py). Returns the summary or
        None."""
        dumps = dumps_in(self.dir)
        if dump is None and len(dumps) != 1:
            self.report.check(f"{self.name}/build", f"{len(dumps)} dumps")
            return None
        out = self.work / "out"
        result, summary = build(dump or dumps[0], out)
        reasons = [result.why(statuses)]
        if summary is not None:
            own = set(summary["events"]) - {line.split()[0] for f in self.work.glob("counts.*") for line in open(f)}
            seen = sum(n for kind, n in summary["events"].items() if kind not in own)
            lost, counted = summary["lost"]["total"], self.counted()
            if whole and not counted <= seen + lost <= counted + OWN_SLACK:
                reasons.append(f"{counted} records to make, {seen} in the dump, {lost} lost {summary['lost']}")
            # A runtime that was not recorded leaves the dump whole.
            is_whole = summary["complete"] or "other_runtimes" in summary
            if is_whole != (result.status == 0) and not (result.status == 3 and summary["repairs"]):
                reasons.append(f"status {result.status}, complete {summary['complete']}")
            reasons += [Graph(out).flaw(complete=False), check_archive(out, is_printed=False) if archive and (WHOLE or result.status != 0) else None]
        self.report.check(f"{self.name}/build", "; ".join(filter(None, reasons)))
        return summary

    def notes(self):
        return [line for d in dumps_in(self.dir) for line in (d / "meta").read_text(errors="replace").splitlines() if line.startswith("note ")]

    def check(self, what, reason):
        self.report.check(f"{self.name}/{what}", reason)

    def skip(self, reason):
        self.report.skip(self.name, reason)
        return self.end()

    def end(self):
        if self.report.failed == 0 and "KEEP" not in os.environ:
            shutil.rmtree(self.work)
        elif self.work != self.kept:
            shutil.rmtree(self.kept, ignore_errors=True)
            shutil.move(self.work, self.kept)
        return self.report


def lossy(summary):
    return None if summary and summary["lost"]["total"] > 0 else "nothing lost"


def whole(summary, tasks=FIB_TASKS):
    if summary is None:
        return "no summary"
    if summary["lost"]["total"] or summary["tasks"]["explicit"] != tasks:
        return f"lost {summary['lost']['total']}, {summary['tasks']['explicit']} tasks of {tasks}"
    return None


def skipped(name, reason):
    """The Report of a trial that cannot run on this machine."""
    report = Report()
    report.skip(f"faults/{name}", reason)
    return report


def is_root():
    return os.geteuid() == 0


@contextlib.contextmanager
def image(name, size_bytes, make, options="loop"):
    """Yields the directory of a new file system in a file of that size, which the command `make` has made; None where
    there is no such command, or it cannot be mounted."""
    mount, file = WORK / "faults" / f"mount-{name}", WORK / "faults" / f"image-{name}"
    mount.mkdir(parents=True, exist_ok=True)
    with open(file, "wb") as f:
        f.truncate(size_bytes)
    try:
        if not is_root() or run([*make, file]).status != 0 or run(["mount", "-o", options, file, mount]).status != 0:
            yield None
            return
        try:
            yield mount
        finally:
            run(["umount", mount])
    finally:
        file.unlink()


@contextlib.contextmanager
def tmpfs(name, size):
    """Yields the directory of a new tmpfs of that size, or None where it cannot be mounted."""
    mount = WORK / "faults" / f"mount-{name}"
    mount.mkdir(parents=True, exist_ok=True)
    if not is_root() or run(["mount", "-t", "tmpfs", "-o", f"size={size}", "otter-test", mount]).status != 0:
        yield None
        return
    try:
        yield mount
    finally:
        run(["umount", mount])
