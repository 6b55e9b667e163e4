# SPDX-License-Identifier: BSD-3-Clause
"""What bench/run, bench/builder and bench/instructions share: compiling the pieces, running a program and taking what it cost, and
reading what a dump says about itself. Python 3, standard library only."""
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "build", "bench")
CLANG = os.environ.get("BENCH_CLANG", "clang-19")  # it brings the runtime that is measured
FLAGS = ("-std=c11 -D_GNU_SOURCE -O2 -g -pthread -Wall -Wextra -Wshadow -Wconversion"
         " -Wstrict-prototypes -Wmissing-prototypes").split()
RECORDER = os.path.join(ROOT, "build", "lib", "libotter-ompt.so")
BUILDER = os.path.join(ROOT, "build", "bin", "otter-build")

Cost = namedtuple("Cost", "stdout stderr wall_ns cpu_ns rss_kib")


def die(text):
    sys.exit("bench: " + text)


def compile_tools():
    """The programs and tools into build/bench: always anew, so that no measurement is of an old one."""
    os.makedirs(OUT, exist_ok=True)
    if shutil.which(CLANG) is None:
        die("no " + CLANG)
    jobs = [["-fopenmp", "-o", "micro", "bench/micro.c"]]
    for tool in ("empty", "floor", "count"):
        jobs.append(["-fPIC", "-shared", "-o", tool + ".so", "bench/tools/" + tool + "_tool.c"])
    for job in jobs:
        job[job.index("-o") + 1] = os.path.join(OUT, job[job.index("-o") + 1])
        if subprocess.run([CLANG, "-I."] + FLAGS + job, cwd=ROOT).returncode != 0:
            die("cannot compile " + job[-1])


def compile_record_loop():
    """bench/record_loop.c with the very objects that the recorder was linked of. False where there is no recorder yet."""
    objects = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(RECORDER))), "recorder.a")
    if not os.path.exists(RECORDER) or not os.path.exists(objects):
        return False
    job = [CLANG, "-I."] + FLAGS + ["-o", os.path.join(OUT, "record_loop"), "bench/record_loop.c", objects]
    if subprocess.run(job, cwd=ROOT).returncode != 0:
        die("cannot compile bench/record_loop.c")
    return True


def environment(**more):
    """The caller's environment without what would change a measurement."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("OMP_", "KMP_", "LIBOMP_", "OTTER_")) and k != "LD_PRELOAD"}
    env.update(more)
    return env


def recorder_environment(drain, dumps):
    return {"OMP_TOOL_LIBRARIES": RECORDER, "OTTER_DIR": dumps, "OTTER_DRAIN": drain}


def run(argv, env, cpus=None):
    """Runs one program to its end on `cpus` and returns its Cost; a program that fails ends the benchmark. Cost.rss_kib is never less
    than this script's own 15 MiB: Linux counts the moment between fork and exec."""
    before = os.sched_getaffinity(0)
    if cpus is not None:
        os.sched_setaffinity(0, cpus)
    try:
        begin = time.monotonic_ns()
        with open(os.path.join(OUT, "stdout"), "w+") as out, open(os.path.join(OUT, "stderr"), "w+") as err:
            child = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            wall_ns = time.monotonic_ns() - begin
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            cost = Cost(out.read(), err.read(), wall_ns, round((usage.ru_utime + usage.ru_stime) * 1e9), usage.ru_maxrss)
    finally:
        os.sched_setaffinity(0, before)
    if child.returncode != 0:
        die("%s ended with %d\n%s%s" % (" ".join(argv), child.returncode, cost.stdout, cost.stderr))
    return cost


def figures(text):
    """`key=number ...`, as the bench programs print it."""
    return {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", text)}


BUFFER_FLUSH = 66  # kind of the record that a thread leaves where it wrote out a segment itself
RECORD, HEADER_RECORDS, TIME, END = 32, 4, 0, 16  # common/format.h, common/events.def


def longest_flush_ticks(path, segment_bytes):
    """The longest time between begin and end of a buffer_flush record in one file of segments."""
    with open(path, "rb") as f:
        data = f.read()
    kinds = data[8::RECORD]
    longest, slot = 0, kinds.find(BUFFER_FLUSH)
    while slot >= 0:
        if slot % (segment_bytes // RECORD) >= HEADER_RECORDS:
            begin, end = (int.from_bytes(data[slot * RECORD + word:slot * RECORD + word + 8], "little") for word in (TIME, END))
            longest = max(longest, end - begin)
        slot = kinds.find(BUFFER_FLUSH, slot + 1)
    return longest


def dump_read(dumps):
    """What the one dump under `dumps` says: path, streams, records, lost, stalled_ns, longest_stall_ns, bytes."""
    names = [n for n in os.listdir(dumps) if n.endswith(".otter")]
    if len(names) != 1:
        die("expected one dump in %s, found %d: did the recorder attach?" % (dumps, len(names)))
    path = os.path.join(dumps, names[0])
    streams, lost, stalled_ns, clocks = {}, {}, 0, {}
    with open(os.path.join(path, "meta"), errors="surrogateescape") as meta:
        for line in meta:
            key, *fields = line.split()
            if key == "stream":
                streams[fields[0]] = int(fields[2])
            elif key == "lost":
                lost[fields[0]] = int(fields[1])
            elif key in ("lost_no_stream", "lost_reentry"):
                lost[key] = int(fields[0])
            elif key == "stalled_ns":
                stalled_ns = int(fields[0])
            elif key == "segment_bytes":
                segment_bytes = int(fields[0])
            elif key in ("start", "end"):
                clocks[key] = [int(field) for field in fields]
    files = [os.path.join(path, f) for f in os.listdir(path)]
    ticks = max((longest_flush_ticks(f, segment_bytes) for f in files if f.endswith(".seg")), default=0)
    ns_per_tick = (clocks["end"][1] - clocks["start"][1]) / (clocks["end"][0] - clocks["start"][0])
    return {"path": path, "streams": len(streams), "records": sum(streams.values()), "lost": sum(lost.values()),
            "stalled_ns": stalled_ns, "longest_stall_ns": round(ticks * ns_per_tick), "bytes": sum(map(os.path.getsize, files))}


def rounds():
    text = os.environ.get("BENCH_ROUNDS", "7")
    if not text.isdecimal() or int(text) == 0:
        die("BENCH_ROUNDS=%s: not a number of rounds" % text)
    return int(text)


def scratch(base=None):
    """An empty directory for dumps: under build/bench, or under `base` (a tmpfs, say)."""
    path = os.path.join(base or OUT, "otter-bench-dumps-%d" % os.getpid())
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def empty(path):
    """Removes the dumps in a scratch directory, and so their dirty pages before the disk sees them."""
    for name in os.listdir(path):
        shutil.rmtree(os.path.join(path, name))


def filesystem(path):
    return subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, text=True).stdout.strip()


def first_line(*argv):
    lines = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    return lines[0].strip() if lines else "unknown"


def machine():
    """What the figures are of."""
    cpu = re.search(r"model name\s*:\s*(.*)", open("/proc/cpuinfo").read())
    maps = run([os.path.join(OUT, "micro"), "hello"], environment(LD_TRACE_LOADED_OBJECTS="1")).stdout
    runtime = re.search(r"=> (\S*libomp\S*)", maps)
    changed = subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=ROOT, capture_output=True, text=True).stdout
    return {"machine": platform.machine(), "cpu": cpu.group(1) if cpu else "unknown", "cores": str(os.cpu_count()),
            "kernel": platform.release(), "compiler": first_line(CLANG, "--version"),
            "runtime": os.path.realpath(runtime.group(1)) if runtime else "unknown",
            "commit": first_line("git", "rev-parse", "--short", "HEAD") + ("+" if changed else "")}
