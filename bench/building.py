# SPDX-License-Identifier: BSD-3-Clause
"""The part `builder`: dumps of a few shapes, each recorded once and read from a warm page cache; each output of otter-build made of it
beside the least that it could take (bench/limits.c), on one thread and on all cores. Used by bench/run."""
import os
import shutil

import harness
import machine
import rounds

# Workload, size and threads: about four million records of each, of which --quick takes a twentieth. That of one thread has
# one stream, and so do, but for a hundredth, the flat tasks.
SHAPES = (("fib", 1000000, 2), ("fib", 1000000, 1), ("regions", 400000, 2), ("critical", 600000, 2), ("static", 400000, 2),
          ("tasks", 1300000, 2), ("depend4", 700000, 2))
QUICK = 20

# Dumps of the same records (bench/moving_dump.c), of which one task in so many goes on in another stream (0: none): two million records.
MOVING = (("none move", 0), ("one in 50,000 moves", 50000), ("all move", 1))
MOVING_ROUNDS, MOVING_STREAMS = 8000, 48
# And as many of them on other numbers of streams.
STREAMS = (12, 48, 384)

# What is run: the name in the tables, and the words after the program.
LIMITS = (("all words", ["words"]), ("packing", ["pack"]), ("sketch", ["sketch"]), ("tables", ["tables"]))
OUTPUTS = (("summary", ["--summary"]), ("OTF2", ["--otf2"]), ("fragments", ["--summary", "--graph=fragment"]), ("CSV", ["--csv"]),
           ("SQLite", ["--sqlite"]), ("Perfetto", ["--perfetto"]), ("DOT", ["--dot"]), ("answer", ["--answer"]), ("canonical", ["--canonical"]), ("list", ["--list"]), ("everything", []))
PACKED = (("summary, packed", ["--summary"]), ("OTF2, packed", ["--otf2"]))  # of a packed copy of the dump
WRITER = "OTF2's writer"


def record(bench, workload, size, n_threads):
    """Records one dump, and reads it once, so that its pages are in memory. (path, that of a packed copy,
    what it says about itself)"""
    harness.run([os.path.join(harness.OUT, "workload"), workload, str(size)],
                {"OMP_NUM_THREADS": str(n_threads), "OMP_TOOL_LIBRARIES": harness.RECORDER, "OTTER_DIR": bench.dumps,
                 "OTTER_PACK": "off"})
    path = harness.dump_path(bench.dumps)
    for name in os.listdir(path):
        with open(os.path.join(path, name), "rb") as f:
            while f.read(1 << 24):
                pass
    dump = harness.dump_read(bench.dumps)
    packed = os.path.join(bench.dumps, "packed", os.path.basename(path))
    shutil.copytree(path, packed)
    harness.run([harness.BUILDER, "-q", "--pack", packed], {})
    return path, packed, dump


def commands(limits, path, packed, output, n_records):
    """(name, argv) of all that is run on this dump."""
    found = [(name, [limits] + words + [path]) for name, words in LIMITS]
    found.append(("unpacking", [limits, "words", packed]))
    found.append((WRITER, [limits, "writer", str(n_records), output]))
    found += [(name, [harness.BUILDER, "-q", "-o", output] + words + [path]) for name, words in OUTPUTS]
    return found + [(name, [harness.BUILDER, "-q", "-o", output] + words + [packed]) for name, words in PACKED]


def measure(bench, label, size, everything, n_records, n_bytes, output):
    """Runs each of (name, argv) once a round and number of threads, in an order of chance. n_bytes: of the dump that each of them reads,
    by name."""
    for number in range(bench.n_rounds):
        for n_threads in sorted({1, len(os.sched_getaffinity(0))}):
            placement = rounds.threads_placement(n_threads)
            rounds.progress("builder, %s, %s: round %d of %d" % (label, placement.name, number + 1, bench.n_rounds))
            for rank, (name, argv) in bench.shuffled(enumerate(everything), "builder", label, placement.name, number):
                watch = machine.Watch()
                cost = harness.run(argv, {"OMP_NUM_THREADS": str(n_threads)})
                bench.add(part="builder", workload=label, size=size, placement=placement.name, threads=n_threads, subject=name,
                          setting="", rank=rank, round=number, status=0, ops=n_records, wall_ns=cost.wall_ns,
                          process_wall_ns=cost.wall_ns, cpu_ns=cost.cpu_ns,
                          peak_kib=cost.peak_kib, minor_faults=cost.minor_faults, bytes=n_bytes[name],
                          archive_bytes=harness.bytes_below(output) if os.path.isdir(output) else 0,
                          **watch.columns(cost.cpu_ns))
                shutil.rmtree(output, ignore_errors=True)
    harness.empty(bench.dumps)


def measure_untied(bench, label, size, dumps):
    """Dumps of as many untied tasks, each (name, one in so many moves, streams): the summary alone."""
    program = harness.compile_moving()
    output, everything, n_bytes = os.path.join(bench.dumps, "output"), [], {}
    for name, nth, n_streams in dumps:
        folder = os.path.join(bench.dumps, "%d-%d" % (nth, n_streams))
        os.mkdir(folder)
        harness.run([program, os.path.join(folder, "untied.otter"), str(size * MOVING_STREAMS // n_streams), str(nth), str(n_streams)], {})
        everything.append((name, [harness.BUILDER, "-q", "-o", output, "--summary", harness.dump_path(folder)]))
        n_bytes[name] = harness.bytes_below(folder)
    measure(bench, label, size, everything, harness.dump_read(folder)["records"], n_bytes, output)


def run(bench, options):
    """With --quick the first shape alone."""
    limits = harness.compile_reader("limits")
    if limits is None:
        return
    if not options.workloads and not options.quick and not bench.is_over("builder, tasks that move"):
        measure_untied(bench, "untied, %d streams" % MOVING_STREAMS, MOVING_ROUNDS, [(name, nth, MOVING_STREAMS) for name, nth in MOVING])
        measure_untied(bench, "untied, streams", MOVING_ROUNDS, [("%d streams" % n, 0, n) for n in STREAMS])
    for workload, size, n_recorded in SHAPES[:1 if options.quick and not options.workloads else None]:
        label = workload if n_recorded > 1 else workload + ", one stream"
        if options.workloads and workload not in options.workloads or bench.is_over("builder, " + label):
            continue
        path, packed, dump = record(bench, workload, size // QUICK if options.quick else size, n_recorded)
        output = os.path.join(bench.dumps, "output")
        everything = commands(limits, path, packed, output, dump["records"])
        n_bytes = {name: harness.bytes_below(packed if packed in argv else path) for name, argv in everything}
        measure(bench, label, size, everything, dump["records"], n_bytes, output)
    rounds.progress("")
