# SPDX-License-Identifier: BSD-3-Clause
"""What programs do to their own process: close descriptors, change root or user, block and handle signals, install
filters, bring a tool."""
import signal
import time

from trial import *

SMALL = {"OTTER_RING": "32K"}
MIDWAY, MIDWAY_TASKS = "15000 tasks", 15000

# The system calls of the recorder once the program runs, beside those of the program and its runtime.
# docs/reliability.md lists them for programs that filter calls.
RECORDER_CALLS = {"x86_64": {
    "openat": 257, "close": 3, "read": 0, "write": 1, "pread64": 17, "pwrite64": 18, "pwritev": 296, "newfstatat": 262, "fstat": 5, "fstatfs": 138,
    "fallocate": 285, "ftruncate": 77, "unlink": 87, "rmdir": 84, "mmap": 9, "munmap": 11, "mprotect": 10, "madvise": 28, "rt_sigprocmask": 14,
    "getpid": 39, "gettid": 186, "getcpu": 309, "clock_gettime": 228, "clock_nanosleep": 230, "prlimit64": 302, "getrlimit": 97, "futex": 202, "perf_event_open": 298, "clone": 56, "clone3": 435,
    "set_robust_list": 273, "rseq": 334, "close_range": 436, "sched_setscheduler": 144, "sched_yield": 24, "getrusage": 98, "fcntl": 72, "sched_setaffinity": 203, "prctl": 157, "exit": 60}}
# The calls of this program and its runtime.
PROGRAM_CALLS = {"x86_64": {"exit_group": 231, "brk": 12, "sched_yield": 24, "rt_sigreturn": 15, "rt_sigaction": 13, "getuid": 102, "sched_getaffinity": 204,
                            "munlock": 150, "newfstatat": 262, "sysinfo": 99, "getrandom": 318, "lseek": 8}}


def descriptors_closed():
    """A program closes the descriptors 3 to 1023, as daemons do, opens a file, and leaves the working directory, to
    which OTTER_DIR is relative."""
    t = Trial("descriptors-closed", program="descriptors", args=("close", WORK / "faults" / "descriptors-closed" / "own"))
    t.env["OTTER_DIR"] = os.path.relpath(t.dir)
    t.run(result="44000 tasks")
    own = t.work / "own"
    content = own.read_text(errors="replace") if own.exists() else ""
    t.check("own", None if content == "the program's own line\n" * 1000 else "the program's file is not its own")
    t.check("whole", whole(t.build([0]), 44000))
    return t.end()


def descriptors_closed_often():
    """A program closes them again and again while the drain thread, which has a table of its own, writes. No thread
    writes itself here."""
    t = Trial("descriptors-closed-often", {**SMALL, "OTTER_FULL": "drop"}, program="closes", args=(WORK / "faults" / "descriptors-closed-often" / "own",))
    (t.work / "own").mkdir()
    t.run(result="its own")
    t.build([0, 3], archive=False)
    return t.end()


def closed_standard():
    """Without stdin, stdout and stderr a new descriptor has one of their numbers."""
    t = Trial("closed-standard")
    t.run(["sh", "-c", f'exec "{t.program}" {FIB} <&- >&- 2>&-'], result="")
    t.check("whole", whole(t.build([0])))
    return t.end()


def chroot():
    """After chroot the dump's path does not exist: recording stops."""
    t = Trial("chroot", SMALL, program="midway", args=("chroot", WORK / "faults" / "chroot" / "root"))
    (t.work / "root").mkdir()
    command = None if is_root() else ["unshare", "-r", t.program, *t.args]
    if command and run(["unshare", "-r", "true"]).status != 0:
        return t.skip("neither root nor user namespaces")
    # After chroot the path of the counts is another one, too.
    t.env["COUNT_FILE"] = "/counts"
    t.run(command, result=MIDWAY)
    for f in (t.work / "root").glob("counts.*"):
        f.rename(t.work / f.name)
    t.check("loss", lossy(t.build([3])))
    return t.end()


def setuid():
    """A process that may not write into its dump any more stops recording."""
    if not is_root():
        return skipped("setuid", "not root")
    t = Trial("setuid", SMALL, program="midway", args=("setuid", 65534), is_public=True)
    t.run(result=MIDWAY)
    t.check("loss", lossy(t.build([3])))
    return t.end()


def signals_blocked():
    """With all signals blocked, one that was sent stays pending until a thread waits for it, and the mask stays as it
    was."""
    t = Trial("signals-blocked", SMALL, program="midway", args=("signals",))
    t.run(result=MIDWAY)
    t.check("whole", whole(t.build([0]), MIDWAY_TASKS))
    return t.end()


def handlers():
    """Signal handlers on an alternate stack use OpenMP: a record that comes in the middle of another one's append is
    counted as lost."""
    t = Trial("handlers", SMALL, program="handlers", args=(2000,))
    t.run(result="handled, errno changed in 0 threads")
    t.build([0, 3])
    return t.end()


def faulting(name, calls, drain="self", pack="off", **more):
    """A SIGSEGV handler forks while a file of the dump is made or written: the child has a dump of its own and leaves
    its parent's alone."""
    def trial():
        t = Trial(f"faulting-{name}", {**SMALL, "OTTER_DRAIN": drain, "OTTER_PACK": pack}, program="faulting", args=(5000,),
                  shim={"FAULT_CALLS": calls, "FAULT_ERROR": "raise", **{f"FAULT_{k.upper()}": v for k, v in more.items()}})
        t.run(result="5000 tasks, 0 children ill, some")
        pids = {f.suffix[1:] for f in t.work.glob("counts.*")}
        parents = [d for d in dumps_in(t.dir) if str(pid_of(d)) in pids]
        if t.report.check(f"{t.name}/dumps", None if len(parents) == 1 else f"{len(parents)} dumps of the parent"):
            t.check("whole", whole(t.build([0], dump=parents[0]), 5000))
        return t.end()
    return trial


def seccomp(name="seccomp", **variables):
    """A filter kills the process at any call but those that docs/reliability.md lists."""
    calls, own = RECORDER_CALLS.get(os.uname().machine), PROGRAM_CALLS.get(os.uname().machine)
    if not calls:
        return skipped(name, f"the numbers of calls are not known for {os.uname().machine}")
    t = Trial(name, {**SMALL, **variables}, program="midway", args=["seccomp", *sorted({*calls.values(), *own.values()})], counted=False)
    t.run(result=MIDWAY)
    summary = t.build([0], whole=False)
    t.check("whole", whole(summary, MIDWAY_TASKS))
    page = ROOT / "docs/reliability.md"
    if page.exists():
        text = page.read_text()
        missing = [name for name in calls if f"`{name}`" not in text]
        t.check("documented", f"docs/reliability.md lacks {', '.join(missing)}" if missing else None)
    return t.end()


def seccomp_refused():
    """A filter makes calls on files fail: recording stops, and what is lost is counted."""
    own = PROGRAM_CALLS.get(os.uname().machine)
    if not own:
        return skipped("seccomp-refused", f"the numbers of calls are not known for {os.uname().machine}")
    calls = RECORDER_CALLS[os.uname().machine]
    kept = {*own.values(), *(calls[c] for c in ("write", "futex", "mmap", "munmap", "madvise", "mprotect", "rt_sigprocmask", "exit", "gettid", "getpid", "close"))}
    t = Trial("seccomp-refused", {**SMALL, "SECCOMP_ERRNO": "1"}, program="midway", args=["seccomp", *sorted(kept)], counted=False)
    t.run(result=MIDWAY)
    t.check("loss", lossy(t.build([3], whole=False)))
    return t.end()


def own_tool():
    """A program that is its own OMPT tool has no other one: the recorder leaves no file."""
    t = Trial("own-tool", program="own_tool", args=(), counted=False)
    t.run(result="threads 2")
    t.check("none", f"{dumps_in(t.dir)}" if dumps_in(t.dir) else None)
    return t.end()


def stopped():
    """A program is stopped for more than a second."""
    t = Trial("stopped", SMALL, program="midway", args=("command", "kill -STOP $PPID"))
    p = subprocess.Popen([t.program, *t.args], env=t.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _, status = os.waitpid(p.pid, os.WUNTRACED)
    t.check("stopped", None if os.WIFSTOPPED(status) else f"status {status}")
    time.sleep(1.2)
    p.send_signal(signal.SIGCONT)
    out, err = p.communicate(timeout=HANG_S)
    t.judge(p.returncode, out, err, MIDWAY)
    t.check("whole", whole(t.build([0]), MIDWAY_TASKS))
    return t.end()


TRIALS = {trial.__name__.replace("_", "-"): trial for trial in (descriptors_closed, descriptors_closed_often, closed_standard, chroot, setuid, signals_blocked,
                                                                handlers, seccomp, seccomp_refused, own_tool, stopped)}
TRIALS["seccomp-packed"] = lambda: seccomp("seccomp-packed", OTTER_PACK="on")
TRIALS |= {"faulting-write": faulting("write", "pwrite", every=20), "faulting-open": faulting("open", "open", file=".seg", every=20),
           "faulting-close": faulting("close", "close", **{"from": 60, "every": 20, "times": 4}),
           "faulting-ring": faulting("ring", "open,pwritev", "auto", file=".ring", **{"from": 3}),
           "faulting-packed": faulting("packed", "open,pwrite", pack="on", file=".pseg", every=3, times=4),
           "faulting-buffer": faulting("buffer", "open,pwritev", pack="on", file=".pbuf", **{"from": 3, "times": 4})}
