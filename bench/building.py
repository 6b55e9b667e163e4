# SPDX-License-Identifier: BSD-3-Clause
"""The part `builder`: dumps of a few shapes, each recorded once and read from a warm page cache; each output of otter-build made of it
beside the least that it could take (bench/limits.c), on one thread and on all cores. Used by bench/run."""
import os
import shutil

import harness
import rounds

# Workload, size and threads: about four million records of each, of which --quick takes a twentieth. That of one thread has
# one stream, and so do, but for a hundredth, the flat tasks.
SHAPES = (("fib", 1000000, 2), ("fib", 1000000, 1), ("regions", 400000, 2), ("critical", 600000, 2), ("static", 400000, 2),
          ("tasks", 1300000, 2))
QUICK = 20

# Dumps of the same records (bench/moving_dump.c), of which one task in so many goes on in another stream (0: none): two million records.
MOVING = (("none move", 0), ("one in 50,000 moves", 50000), ("all move", 1))
MOVING_ROUNDS = 8000

# What is run: the name in the tables, and the words after the program.
LIMITS = (("all words", ["words"]), ("sketch", ["sketch"]), ("tables", ["tables"]))
OUTPUTS = (("summary", ["--summary"]), ("OTF2", ["--otf2"]), ("fragments", ["--summary", "--graph=fragment"]), ("CSV", ["--csv"]),
           ("DOT", ["--dot"]), ("canonical", ["--canonical"]), ("list", ["--list"]), ("everything", []))
WRITER = "OTF2's writer"


def record(bench, workload, size, n_threads):
    """Records one dump, and reads it once, so that its pages are in memory. (path, what it says about itself, bytes)"""
    harness.run([os.path.join(harness.OUT, "workload"), workload, str(size)],
                {"OMP_NUM_THREADS": str(n_threads), "OMP_TOOL_LIBRARIES": harness.RECORDER, "OTTER_DIR": bench.dumps})
    path = harness.dump_path(bench.dumps)
    for name in os.listdir(path):
        with open(os.path.join(path, name), "rb") as f:
            while f.read(1 << 24):
                pass
    return path, harness.dump_read(bench.dumps), harness.bytes_below(path)


def commands(limits, path, output, n_records):
    """(name, argv) of all that is run on this dump."""
    found = [(name, [limits] + words + [path]) for name, words in LIMITS]
    found.append((WRITER, [limits, "writer", str(n_records), output]))
    return found + [(name, [harness.BUILDER, "-q", "-o", output] + words + [path]) for name, words in OUTPUTS]


def measure(bench, label, size, everything, n_records, n_bytes, output):
    """Runs each of (name, argv) once a round and number of threads, in turns."""
    for number in range(bench.n_rounds):
        for n_threads in sorted({1, len(os.sched_getaffinity(0))}):
            placement = rounds.threads_placement(n_threads)
            rounds.progress("builder, %s, %s: round %d of %d" % (label, placement.name, number + 1, bench.n_rounds))
            first = number % len(everything)
            for name, argv in everything[first:] + everything[:first]:
                cost = harness.run(argv, {"OMP_NUM_THREADS": str(n_threads)})
                bench.add(part="builder", workload=label, size=size, placement=placement.name, threads=n_threads, subject=name,
                          setting="", round=number, status=0, ops=n_records, wall_ns=cost.wall_ns, cpu_ns=cost.cpu_ns,
                          peak_kib=cost.peak_kib, minor_faults=cost.minor_faults, bytes=n_bytes,
                          archive_bytes=harness.bytes_below(output) if os.path.isdir(output) else 0)
                shutil.rmtree(output, ignore_errors=True)
    harness.empty(bench.dumps)


def measure_moving(bench, size):
    """Untied tasks on 48 streams that stay in their streams, and the same where some move, or all: the summary alone."""
    program = harness.compile_one("moving_dump", ["bench/moving_dump.c", "tests/unit/dump_writer.c", "common/event.c"], driver="gcc")
    output, everything = os.path.join(bench.dumps, "output"), []
    for name, nth in MOVING:
        folder = os.path.join(bench.dumps, str(nth))
        os.mkdir(folder)
        harness.run([program, os.path.join(folder, "moving.otter"), str(size), str(nth)], {})
        everything.append((name, [harness.BUILDER, "-q", "-o", output, "--summary", harness.dump_path(folder)]))
    measure(bench, "untied, 48 streams", size, everything, harness.dump_read(folder)["records"], harness.bytes_below(folder), output)


def run(bench, options):
    limits = harness.compile_limits()
    if limits is None:
        return
    if not options.workloads:
        measure_moving(bench, MOVING_ROUNDS // QUICK if options.quick else MOVING_ROUNDS)
    for workload, size, n_recorded in SHAPES:
        if options.workloads and workload not in options.workloads:
            continue
        size = size // QUICK if options.quick else size
        path, dump, n_bytes = record(bench, workload, size, n_recorded)
        label = workload if n_recorded > 1 else workload + ", one stream"
        output = os.path.join(bench.dumps, "output")
        measure(bench, label, size, commands(limits, path, output, dump["records"]), dump["records"], n_bytes, output)
    rounds.progress("")
