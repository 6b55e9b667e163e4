#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gives the recorder a hard time: a full disk, no directory, no descriptors, small limits. Whatever happens, the program's result and
exit status are its own, nothing of it is touched, the dump builds, and every record is either in it or counted as lost.

    tests/faults.py [NAME...]

The counting tool (tools/count_tool.c) is loaded before the recorder: its sum is what there was to record.
Exit status 77 where nothing but skipping was possible.
"""
import re
import resource
import stat
import sys
import threading
import time

from common import *

FIB = 22
FIB_RESULT = "fib 22 = 17711"
FIB_TASKS = 57312  # 2 (F(23) - 1)
RING = 2 << 20
OWN_SLACK = 64     # records of the recorder's own kinds that may be among the lost ones


class Trial:
    """One recorded run of fib, or of another program, with everything that goes with it."""

    def __init__(self, name, env=None, program="fib", args=(FIB,), directory=None, limit=None):
        self.report, self.name = Report(), f"faults/{name}"
        self.work = empty(WORK / "faults" / name)
        self.dir = directory or empty(self.work / "dumps")
        self.program = WORK / "faults" / "programs" / program
        self.env = {**CLEAN, "OMP_NUM_THREADS": "2", "OMP_TOOL_LIBRARIES": str(COUNT_TOOL), "COUNT_CHAIN": str(RECORDER), "OTTER_EVENTS": "all",
                    "COUNT_FILE": str(self.work / "counts"), "OTTER_DIR": str(self.dir), **(env or {})}
        self.args, self.limit = [str(a) for a in args], limit

    def run(self, command=None, result=FIB_RESULT):
        """The program's own result and nothing else: status 0, its output, nothing on stderr."""
        before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (self.limit, self.limit))) if self.limit else None
        p = subprocess.run(command or [self.program, *self.args], env=self.env, preexec_fn=before, capture_output=True, text=True,
                           timeout=120, stdin=subprocess.DEVNULL)
        reason = None
        if p.returncode != 0:
            reason = f"status {p.returncode}"
        elif p.stdout.strip() != result:
            reason = f"it printed {p.stdout!r}"
        elif p.stderr:
            reason = f"it said {p.stderr!r}"
        self.report.check(f"{self.name}/program", reason)
        return p

    def counted(self):
        files = list(self.work.glob("counts.*"))
        return sum(int(line.split()[1]) for f in files for line in open(f))

    def build(self, statuses, whole=True):
        """Builds the one dump. What is not in it must be counted as lost. Returns the summary."""
        dumps = dumps_in(self.dir)
        if len(dumps) != 1:
            self.report.check(f"{self.name}/build", f"{len(dumps)} dumps")
            return None
        out = self.work / "out"
        result, summary = build(dumps[0], out)
        reasons = [result.why(statuses)]
        if summary is not None:
            own = set(summary["events"]) - {line.split()[0] for f in self.work.glob("counts.*") for line in open(f)}
            seen = sum(n for kind, n in summary["events"].items() if kind not in own)
            lost, counted = summary["lost"]["total"], self.counted()
            if whole and not counted <= seen + lost <= counted + OWN_SLACK:
                reasons.append(f"{counted} records to make, {seen} in the dump, {lost} lost")
            if summary["complete"] != (result.status == 0):
                reasons.append(f"status {result.status}, complete {summary['complete']}")
            reasons += [Graph(out).flaw(complete=False), check_archive(out)]
        self.report.check(f"{self.name}/build", "; ".join(filter(None, reasons)))
        return summary

    def check(self, what, reason):
        self.report.check(f"{self.name}/{what}", reason)

    def end(self):
        if self.report.failed == 0 and "KEEP" not in os.environ:
            shutil.rmtree(self.work)
        return self.report


def lossy(summary):
    return None if summary and summary["lost"]["total"] > 0 else "nothing lost"


def whole(summary, tasks=FIB_TASKS):
    if summary is None:
        return "no summary"
    if summary["lost"]["total"] or summary["tasks"]["explicit"] != tasks:
        return f"lost {summary['lost']['total']}, {summary['tasks']['explicit']} tasks of {tasks}"
    return None


def full_disk(size, is_filled=False):
    """A tmpfs of that size; the rings alone take 2 MiB a stream. Filled: by somebody else, once recording has begun."""
    def trial():
        name = f"full-disk-{size}" + ("-filled" if is_filled else "")
        mount = WORK / "faults" / f"mount-{name}"
        mount.mkdir(parents=True, exist_ok=True)
        if os.geteuid() != 0 or run(["mount", "-t", "tmpfs", "-o", f"size={size}", "otter-test", mount]).status != 0:
            report = Report()
            report.skip(f"faults/{name}", "cannot mount a tmpfs")
            return report
        try:
            t = Trial(name, directory=mount)
            filler = threading.Thread(target=fill, args=(mount,))
            if is_filled:
                t.args, result = ["25"], "fib 25 = 75025"
                filler.start()
                t.run(result=result)
                filler.join()
            else:
                t.run()
            t.check("loss", lossy(t.build([3])))
            return t.end()
        finally:
            run(["umount", mount])
    return trial


def fill(directory):
    """Waits for the first segment on the disk and takes all the rest of the space."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not list(directory.glob("*.otter/*.seg")):
        time.sleep(0.001)
    with open(directory / "filler", "wb", buffering=0) as f:
        try:
            while True:
                f.write(b"x" * (1 << 20))
        except OSError:
            pass


def no_directory(path):
    def trial():
        t = Trial("no-directory" + path.replace("/", "-"), {"OTTER_DIR": path})
        t.run()
        return t.end()
    return trial


def occupied(kind):
    """The dump's name is taken: by a symbolic link, which must not be followed, by a directory or a file, which must not be touched."""
    def trial():
        t = Trial(f"occupied-by-{kind}")
        target = empty(t.work / "target")
        make = {"link": f'ln -s "{target}" "$name"', "dangling": f'ln -s "{target}/not-there" "$name"',
                "directory": 'mkdir "$name"', "file": ': >"$name"'}[kind]
        t.run(["sh", "-c", f'name="{t.dir}/fib-$(uname -n)-$$.otter"; {make}; exec "{t.program}" {FIB}'])
        t.check("untouched", "something was written to the link's target" if list(target.iterdir()) else None)
        taken = [p for p in t.dir.iterdir() if re.search(r"-\d+\.otter$", p.name) and not re.search(r"-\d+-\d+\.otter$", p.name)]
        if len(taken) != 1:
            t.check("untouched", f"names: {[p.name for p in t.dir.iterdir()]}")
            return t.end()
        if kind in ("directory", "file"):
            used = list(taken[0].iterdir()) if kind == "directory" else taken[0].stat().st_size
            t.check("untouched", "what was there was written to" if used else None)
        taken[0].rename(t.work / "taken")
        t.check("whole", whole(t.build([0])))
        return t.end()
    return trial


def file_size_limit(limit):
    """RLIMIT_FSIZE: a write beyond it would kill the program by SIGXFSZ."""
    def trial():
        t = Trial(f"file-size-{limit}", limit=limit)
        t.run()
        t.check("loss", lossy(t.build([3])))
        return t.end()
    return trial


def directory_bytes(path):
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file() and p.suffix in (".seg", ".dseg"))


def limited():
    t = Trial("limit", {"OTTER_LIMIT": "1M"})
    t.run()
    t.check("loss", lossy(t.build([3])))
    # What the rings hold takes their place at the end, limit or not.
    size = directory_bytes(t.dir)
    t.check("size", f"{size} bytes of segments" if size > (1 << 20) + 2 * RING else None)
    return t.end()


def newest():
    """The flight recorder: the end of the program is there, the beginning is not, and the disk is not filled."""
    t = Trial("keep-newest", {"OTTER_KEEP": "newest", "OTTER_LIMIT": "2M", "OTTER_RING": "256K"})
    t.run()
    summary = t.build([3], whole=False)
    size = directory_bytes(t.dir)
    t.check("size", f"{size} bytes of segments" if size > 2 << 20 else None)
    if summary:
        events = summary["events"]
        t.check("window", None if events.get("parallel_end") == 1 and 10000 < summary["records"] < 200000 else
                f"{events.get('parallel_end')} parallel_end, {summary['records']} records")
    return t.end()


def newest_fits():
    """Where everything fits, the flight recorder forgets nothing."""
    t = Trial("keep-newest-fits", {"OTTER_KEEP": "newest", "OTTER_LIMIT": "256M"})
    t.run()
    t.check("whole", whole(t.build([0])))
    return t.end()


def drop():
    t = Trial("drop", {"OTTER_FULL": "drop", "OTTER_RING": "32K"})
    t.run()
    t.build([0, 3])
    return t.end()


def small_ring(drain):
    def trial():
        t = Trial(f"small-ring-{drain}", {"OTTER_RING": "32K", "OTTER_DRAIN": drain, "OTTER_EVENTS": "all"})
        t.run()
        t.check("whole", whole(t.build([0])))
        return t.end()
    return trial


def modes():
    """Nobody else may read a dump: 0700 and 0600, whatever the umask."""
    t = Trial("modes")
    t.run(["sh", "-c", f'umask 0; exec "{t.program}" {FIB}'])
    t.check("whole", whole(t.build([0])))
    wrong = [f"{p.name} {stat.S_IMODE(p.stat().st_mode):o}" for d in dumps_in(t.dir) for p in [d, *d.iterdir()]
             if stat.S_IMODE(p.stat().st_mode) != (0o700 if p.is_dir() else 0o600)]
    t.check("modes", ", ".join(wrong))
    return t.end()


def descriptors(how, may_lose):
    def trial():
        t = Trial(f"descriptors-{how}", program="descriptors", args=(how, WORK / "faults" / f"descriptors-{how}" / "own"))
        # A relative directory: the program leaves the one that it is relative to.
        t.env["OTTER_DIR"] = os.path.relpath(t.dir)
        t.run(result="44000 tasks")
        own = t.work / "own"
        content = own.read_text(errors="replace") if own.exists() else ""
        t.check("own", None if content == "the program's own line\n" * 1000 else "the program's file is not its own")
        summary = t.build([0, 3] if may_lose else [0])
        if not may_lose:
            t.check("whole", whole(summary, 44000))
        return t.end()
    return trial


def closed_standard():
    """Without stdin, stdout and stderr a new descriptor has one of their numbers."""
    t = Trial("closed-standard")
    t.run(["sh", "-c", f'exec "{t.program}" {FIB} <&- >&- 2>&-'], result="")
    t.check("whole", whole(t.build([0])))
    return t.end()


def unusable():
    """Values that are none: the default is used, and meta says so."""
    values = {"OTTER_RING": "much", "OTTER_DRAIN": "maybe", "OTTER_FULL": "", "OTTER_KEEP": "some", "OTTER_LIMIT": "-3", "OTTER_EVENTS": "+nothing"}
    t = Trial("unusable-values", values)
    t.run()
    t.check("whole", whole(t.build([0, 3], whole=False)))
    notes = [line for d in dumps_in(t.dir) for line in (d / "meta").read_text().splitlines() if line.startswith("note ")]
    missing = [name for name, value in values.items() if value and not any(name in line for line in notes)]
    t.check("noted", f"no note on {', '.join(missing)}" if missing else None)
    return t.end()


def ranks():
    t = Trial("ranks-not-selected", {"OTTER_RANKS": "1-3,8", "PMIX_RANK": "0"})
    t.run()
    t.check("none", f"{dumps_in(t.dir)}" if dumps_in(t.dir) else None)
    first = t.end()
    t = Trial("ranks-selected", {"OTTER_RANKS": "1-3,8", "PMIX_RANK": "8"})
    t.run()
    t.check("whole", whole(t.build([0], whole=False)))
    t.check("name", None if any("-r8-" in d.name for d in dumps_in(t.dir)) else "the rank is not in the dump's name")
    first.lines += t.end().lines
    first.failed += t.report.failed
    return first


def main():
    need(RECORDER, BUILDER, COUNT_TOOL)
    for program in ("fib", "descriptors"):
        result = compile_c(ROOT / f"tests/omp/{program}.c", WORK / "faults" / "programs" / program)
        if result.status != 0:
            print(f"not ok faults/compile: {result.err}")
            return 1
    trials = {f"full-disk-{size}": full_disk(size) for size in ("256k", "8m", "19m", "24m")}
    trials["full-disk-filled"] = full_disk("60m", True)
    trials |= {f"no-directory-{i}": no_directory(path) for i, path in enumerate(("/dev/null/x", "/proc/otter"))}
    trials |= {f"occupied-{kind}": occupied(kind) for kind in ("link", "dangling", "directory", "file")}
    trials |= {f"file-size-{limit}": file_size_limit(limit) for limit in (4096, 1 << 20, 3 << 20)}
    trials |= {f"small-ring-{drain}": small_ring(drain) for drain in ("auto", "self")}
    trials |= {"descriptors-close": descriptors("close", False), "descriptors-exhaust": descriptors("exhaust", True)}
    for trial in (limited, newest, newest_fits, drop, modes, closed_standard, unusable, ranks):
        trials[trial.__name__] = trial
    names = sys.argv[1:]
    jobs = [t for name, t in trials.items() if not names or any(n in name for n in names)]
    return 0 if run_all(jobs, lambda trial: trial()) else 1


if __name__ == "__main__":
    sys.exit(main())
