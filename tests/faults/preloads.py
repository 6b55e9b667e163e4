# SPDX-License-Identifier: BSD-3-Clause
"""Preloaded libraries that wrap libc's functions. wraps.c wraps all for files, memory, clocks, processes and signals, and
notes which of them the recorder calls: none. Others are of everyday use: a false clock, a false root, writes that need not
reach the disk, allocators, a profiler. The program has the same status and output with the library as without the recorder, its
dump is whole, and its times are the kernel's.
"""
import time

from trial import *

N = 18
RESULT, N_TASKS = "fib 18 = 2584", 8360
SETTINGS = {"": {}, "-self": {"OTTER_DRAIN": "self"}, "-newest": {"OTTER_KEEP": "newest"}, "-pack": {"OTTER_PACK": "on", "OTTER_RING": "32K"},
            "-sample": {"OTTER_SAMPLE": "1000"}, "-direct": {"OTTER_RING": "128K", "OTTER_PACK": "off"}, "-memory": {"OTTER_RING_DIR": "/dev/shm"}}
CLOCKS = {"monotonic": (1, time.CLOCK_MONOTONIC), "realtime": (2, time.CLOCK_REALTIME)}


def times(t, begin):
    """None, or what is wrong with the times of the dump's begin and end, which lie between `begin` and now."""
    for dump in dumps_in(t.dir):
        lines = [line.split() for line in (dump / "meta").read_text(errors="replace").splitlines()]
        for name, (word, clock) in CLOCKS.items():
            seen = [int(line[1 + word]) for line in lines if line[0] in ("start", "end")]
            if len(seen) != 2 or not begin[name] <= seen[0] <= seen[1] <= time.clock_gettime_ns(clock):
                return f"{name}: {seen}, not from {begin[name]} on"
    return None


def trial(name, library, env, command=(), program="fib", args=(N,)):
    """`library`: a path, or the pattern of one, which is preloaded; or nothing, where the command does that."""
    def run_it():
        t = Trial(f"preload-{name}", env, program=program, args=args, counted=False)
        files = sorted(pathlib.Path("/").glob(library.lstrip("/"))) if library else []
        if library and not files or command and not shutil.which(command[0]):
            return t.skip(f"{pathlib.Path(library).name or command[0]} is not installed")
        if library:
            t.env |= {"LD_PRELOAD": str(files[0])}
        t.env |= {"WRAPS_CALLS": str(t.work / "calls"), "CPUPROFILE": str(t.work / "profile")}
        words = [*command, str(t.program), *t.args]
        alone = run(words, {k: v for k, v in t.env.items() if k not in ("OMP_TOOL_LIBRARIES", "WRAPS_CALLS")})
        begin = {name: time.clock_gettime_ns(clock) for name, (_, clock) in CLOCKS.items()}
        recorded = run(words, t.env)
        said = [(r.status, r.out, [line for line in r.err.splitlines() if not line.startswith("PROFILE: ")]) for r in (alone, recorded)]
        t.check("program", None if said[0] == said[1] and alone.status == 0 else f"alone {said[0]}, recorded {said[1]}")
        for dump in dumps_in(t.dir):
            # The children of the other program end by _exit.
            summary = t.build([0] if program == "fib" else [0, 3], whole=False, dump=dump)
            if program == "fib":
                t.check("whole", None if env.get("OTTER_KEEP") and summary and summary["complete"] else whole(summary, N_TASKS))
        t.check("dumps", None if len(dumps_in(t.dir)) == (1 if program == "fib" else 5) else f"{len(dumps_in(t.dir))} dumps")
        if program == "fib":
            t.check("times", times(t, begin))
        calls = t.work / "calls"
        if "wraps" in library:
            lines = sorted(set(calls.read_bytes()[8:].rstrip(b"\0").decode().split()))
            t.check("calls", f"the recorder calls {', '.join(lines)}" if lines else None)
        return t.end()
    return run_it


WRAPS = str(PROGRAMS / "wraps.so")
ROWS = [(f"{how}{setting}", WRAPS, {"WRAPS_HOW": how, "OTTER_RING": "32K", **env}) for how in ("gone", "openmp") for setting, env in SETTINGS.items()]
ROWS += [("slow", WRAPS, {"WRAPS_HOW": "slow", "OTTER_RING": "32K"}), ("slow-self", WRAPS, {"WRAPS_HOW": "slow", "OTTER_RING": "32K", "OTTER_DRAIN": "self"})]
for drain in ("auto", "self"):
    env = {"OTTER_RING": "32K", "OTTER_DRAIN": drain}
    ROWS += [(f"{name}-{drain}", f"/usr/lib/*/{library}", {**more, **env}) for name, library, more in (
        ("faketime", "faketime/libfaketime.so.1", {"FAKETIME": "-10d"}), ("faketime-fast", "faketime/libfaketime.so.1", {"FAKETIME": "-10d x3"}),
        ("eatmydata", "libeatmydata.so.1", {}), ("jemalloc", "libjemalloc.so.2", {}), ("tcmalloc", "libtcmalloc.so.4", {}),
        ("tcmalloc-minimal", "libtcmalloc_minimal.so.4", {}), ("profiler", "libprofiler.so.0", {}))]
TRIALS = {f"preload-{name}": trial(name, library, env) for name, library, env in ROWS}
TRIALS |= {f"preload-fakeroot-{drain}": trial(f"fakeroot-{drain}", "", {"OTTER_RING": "32K", "OTTER_DRAIN": drain}, ["fakeroot"]) for drain in ("auto", "self")}
TRIALS |= {f"preload-{how}-forks": trial(f"{how}-forks", WRAPS, {"WRAPS_HOW": how, "OTTER_RING": "32K"}, program="forks", args=(4,)) for how in ("gone", "openmp")}
