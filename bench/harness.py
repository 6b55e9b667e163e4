# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of this folder share: compiling the pieces, running a program and taking what it cost, and reading what a dump says about
itself. Python 3, standard library only."""
import functools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
OUT = os.path.join(BUILD, "bench")
CLANG = os.environ.get("BENCH_CLANG", "clang-19")  # it brings the runtime that is measured
FLAGS = ("-std=c11 -D_GNU_SOURCE -O2 -gdwarf-4 -pthread -Wall -Wextra -Wshadow -Wconversion"
         " -Wstrict-prototypes -Wmissing-prototypes").split()
RECORDER = os.path.join(BUILD, "lib", "libotter-ompt.so")
LIBC_RECORDER = os.path.join(BUILD, "tests", "libc", "libotter-ompt.so")  # its calls are libc's, which tools/shim.c and ladder.c replace
BUILDER = os.path.join(BUILD, "bin", "otter-build")
TOOLS = ("attached", "empty", "floor", "count")
LIMIT_S = 120  # for one process

Cost = namedtuple("Cost", "status stdout stderr wall_ns cpu_ns peak_kib minor_faults major_faults yields preemptions end_ns")


compiled = set()  # sources that compile_one() was called with, for bench/selftest


class Failed(Exception):
    """A program that was measured did not end well."""


def die(text):
    sys.exit("bench: " + text)


# ---- Compiling ----

def compile_one(name, sources, flags=(), driver=CLANG):
    """One program or library into build/bench, unless it is newer than all that it may be made of."""
    target = os.path.join(OUT, name)
    os.makedirs(OUT, exist_ok=True)
    compiled.update(os.path.relpath(os.path.join(ROOT, f), ROOT) for f in sources)
    made_of = [os.path.join(top, f) for part in ("bench", "common", "recorder") for top, _, files in os.walk(os.path.join(ROOT, part))
               for f in files if f.endswith((".c", ".h", ".def"))]
    made_of += [f for f in sources if f.endswith(".a")] + [__file__]
    if os.path.exists(target) and os.path.getmtime(target) > max(map(os.path.getmtime, made_of)):
        return target
    job = shlex.split(driver) + ["-I."] + FLAGS + list(flags) + ["-o", target] + list(sources)
    if subprocess.run(job, cwd=ROOT).returncode != 0:
        die("cannot compile " + name)
    return target


def workload_sources(folder="bench/workloads"):
    return sorted(os.path.join(folder, f) for f in os.listdir(os.path.join(ROOT, folder)) if f.endswith(".c")) + ["-lm"]


def compile_all():
    if shutil.which(shlex.split(CLANG)[0]) is None:
        die("no " + CLANG)
    compile_one("workload", workload_sources(), ["-fopenmp"])
    compile_one("measure", ["bench/measure.c"])
    compile_one("shim.so", ["bench/tools/shim.c"], ["-fPIC", "-shared"])
    for tool in TOOLS:
        compile_one(tool + ".so", ["bench/tools/%s_tool.c" % tool], ["-fPIC", "-shared"])
    # All of it before the first measurement: what does not compile ends a run of ten minutes at once.
    compile_ladder()
    compile_moving()
    for reader in ("limits", "stalls"):
        compile_reader(reader)


def compile_ladder():
    """bench/ladder.c with the very objects that the recorder was linked of, but for the one with its system calls, which are libc's functions
    here. None where there is no recorder yet."""
    folder = os.path.dirname(os.path.dirname(os.path.realpath(RECORDER)))
    objects = [os.path.join(folder, name) for name in ("tests/libc/sys.o", "recorder.a", "common.a")]
    if not all(map(os.path.exists, objects + [RECORDER])):
        return None
    return compile_one("ladder", ["bench/ladder.c"] + objects)


def compile_moving():
    """bench/moving_dump.c, which writes dumps by the specification of the format."""
    return compile_one("moving_dump", ["bench/moving_dump.c", "tests/unit/dump_writer.c", "common/event.c"], driver="gcc")


@functools.cache
def compile_reader(name):
    """bench/NAME.c with the builder's own objects: `limits` or `stalls`. None where there is no builder yet."""
    folder = os.path.dirname(os.path.dirname(os.path.realpath(BUILDER)))
    objects = [os.path.join(folder, name) for name in ("builder.a", "common.a")]
    if not all(map(os.path.exists, objects + [BUILDER])):
        return None
    # The libraries of the builder are in the Makefile alone.
    listed = subprocess.run(["make", "-s", "--no-print-directory", "builder-libraries"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        die("make cannot name the builder's libraries: " + listed.stderr)
    return compile_one(name, ["bench/%s.c" % name] + objects + listed.stdout.split(), driver="gcc")


# ---- Running ----

def environment(**more):
    """The caller's environment without what would change a measurement."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("OMP_", "KMP_", "LIBOMP_", "OTTER_", "EZTRACE_", "SCOREP_", "APEX_", "TAU_")) and k != "LD_PRELOAD"}
    env.update(more)
    return env


def figures(text):
    """`key=number ...`, as the bench programs print it."""
    return {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", text)}


def run(argv, variables, cpus=None, may_fail=False, cwd=None, limit_s=LIMIT_S):
    """Runs one program to its end on `cpus`, with these variables, and returns its Cost. One that fails raises Failed."""
    before = os.sched_getaffinity(0)
    results = os.path.join(OUT, "measured")
    command = [os.path.join(OUT, "measure"), results, str(limit_s)] + ["%s=%s" % v for v in variables.items()] + argv
    if cpus is not None:
        os.sched_setaffinity(0, cpus)
    try:
        with open(os.path.join(OUT, "stdout"), "w+") as out, open(os.path.join(OUT, "stderr"), "w+") as err:
            child = subprocess.Popen(command, env=environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=cwd)
            try:
                child.wait()
            except KeyboardInterrupt:
                child.send_signal(signal.SIGTERM)  # it ends the program
                child.wait()
                raise
            out.seek(0)
            err.seek(0)
            stdout, stderr = out.read(), err.read()
    finally:
        os.sched_setaffinity(0, before)
    if child.returncode != 0:
        die("cannot measure: %s%s" % (stdout, stderr))
    with open(results) as f:
        got = figures(f.read())
    cost = Cost(got["status"], stdout, stderr, got["end_ns"] - got["begin_ns"], got["cpu_ns"], got["peak_kib"], got["minor_faults"],
                got["major_faults"], got["yields"], got["preemptions"], got["end_ns"])
    if cost.status != 0 and not may_fail:
        raise Failed("%s ended with %d\n%s%s" % (" ".join(argv), cost.status, stdout, stderr[-2000:]))
    return cost


# ---- Dumps and directories ----

def dump_path(directory):
    names = [n for n in os.listdir(directory) if n.endswith(".otter")]
    if len(names) != 1:
        raise Failed("expected one dump in %s, found %d: did the recorder attach?" % (directory, len(names)))
    return os.path.join(directory, names[0])


def longest_stall_ticks(path):
    """The longest time between begin and end of a buffer_flush record of a dump, packed or not."""
    reader = compile_reader("stalls")
    if reader is None:
        return 0
    done = subprocess.run([reader, path], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed("bench/stalls cannot read %s: %s" % (path, done.stderr[-500:]))
    return figures(done.stdout)["longest_stall_ticks"]


def dump_read(directory):
    """What the one dump in `directory` says: streams, records, samples, switches (records of both, apart), lost, stalled_ns, longest_stall_ns."""
    path = dump_path(directory)
    streams, beside, lost, stalled_ns, clocks = {}, {"samples": 0, "switches": 0}, {}, 0, {}
    with open(os.path.join(path, "meta"), errors="surrogateescape") as meta:
        for line in meta:
            key, *fields = line.split() or [""]
            if key == "stream" and int(fields[0]) < 1 << 19:
                streams[fields[0]] = int(fields[2])
            elif key == "stream":
                beside["samples" if int(fields[0]) < (1 << 20) - 1 else "switches"] += int(fields[2])
            elif key == "lost":
                lost[fields[0]] = int(fields[1])
            elif key in ("lost_no_stream", "lost_reentry"):
                lost[key] = int(fields[0])
            elif key == "stalled_ns":
                stalled_ns = int(fields[0])
            elif key in ("start", "end"):
                clocks[key] = [int(field) for field in fields]
    ticks = longest_stall_ticks(path) if stalled_ns > 0 else 0
    ns_per_tick = (clocks["end"][1] - clocks["start"][1]) / (clocks["end"][0] - clocks["start"][0])
    return {**beside, "streams": len(streams), "records": sum(streams.values()), "lost": sum(lost.values()), "stalled_ns": stalled_ns,
            "longest_stall_ns": round(ticks * ns_per_tick)}


def bytes_below(path):
    return sum(os.path.getsize(os.path.join(top, f)) for top, _, files in os.walk(path) for f in files)


def scratch(base=None):
    """An empty directory for what tracers write: under build/bench, or under `base` (a tmpfs, say)."""
    path = os.path.join(base or OUT, "otter-bench-%d" % os.getpid())
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def empty(path):
    """Removes everything in a scratch directory, and so its dirty pages before the disk sees them."""
    for name in os.listdir(path):
        inner = os.path.join(path, name)
        if os.path.isdir(inner) and not os.path.islink(inner):
            shutil.rmtree(inner)
        else:
            os.unlink(inner)
