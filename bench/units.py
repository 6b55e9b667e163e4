# SPDX-License-Identifier: BSD-3-Clause
"""The part `argobots`: what recording an event of Argobots' tool interface costs. Where the library is, ARGOBOTS_PREFIX says; its own profiler
(abtx_prof.h, a header among its examples) is measured beside it where ARGOBOTS_PROFILER names that file."""
import os
import re

import harness
import machine
import rounds

# name, the tool that the program attaches itself, the recorder's variables
SUBJECTS = (("untraced", "none", None), ("empty", "empty", None), ("floor", "floor", None), ("otter", "none", {"OTTER_DRAIN": "auto"}),
            ("otter-self", "none", {"OTTER_DRAIN": "self"}), ("profiler", "basic", None), ("profiler-detailed", "detailed", None))


def compile_units(prefix):
    """The workloads with that library. None where there is none."""
    if not prefix or not os.path.exists(os.path.join(prefix, "include", "abt.h")):
        return None
    lib, profiler = os.path.join(prefix, "lib"), os.environ.get("ARGOBOTS_PROFILER")
    flags = ["-isystem", os.path.join(prefix, "include"), "-L" + lib, "-Wl,-rpath," + lib]
    if profiler:
        flags.append('-DPROFILER="%s"' % os.path.realpath(profiler))
    # What it is linked with is part of its name: another library is another program.
    name = "units-%08x" % (hash_of(flags))
    return harness.compile_one(name, ["bench/argobots/units.c", "-labt"], flags)


def hash_of(words):
    value = 0
    for byte in "\0".join(words).encode():
        value = (value * 31 + byte) & 0xffffffff
    return value


def sizes_of(program):
    """{name: (size, quick size)}"""
    listed = harness.run([program, "--list"], {}).stdout
    return {line.split()[0]: tuple(map(int, line.split()[1:3])) for line in listed.splitlines()}


def names():
    """Of workloads and of subjects."""
    program = compile_units(os.environ.get("ARGOBOTS_PREFIX"))
    return set(sizes_of(program)) if program else set(), {s[0] for s in SUBJECTS}


def once(bench, program, workload, size, placement, subject, rank, number, events):
    name, tool, variables = subject
    if variables is not None:
        variables = dict(variables, LD_PRELOAD=harness.RECORDER, OTTER_DIR=bench.dumps)
    watch = machine.Watch()
    cost = harness.run([program, workload, str(size), tool], variables or {}, placement.cpus)
    beside = watch.columns(cost.cpu_ns)
    got = harness.figures(cost.stdout)
    row = dict(ops=got["ops"], all_ops=got["all_ops"], wall_ns=got["wall_ns"], cpu_ns=got["cpu_ns"], own_cpu_ns=got["own_cpu_ns"],
               rss_kib=got["rss_kib"], process_wall_ns=cost.wall_ns, peak_kib=cost.peak_kib, minor_faults=cost.minor_faults,
               callbacks_per_op="%.4f" % events, **beside)
    if variables is not None:
        dump = harness.dump_read(bench.dumps)
        row.update(records_per_op="%.4f" % (dump.pop("records") / got["all_ops"]), bytes=harness.bytes_below(bench.dumps), **dump)
        harness.empty(bench.dumps)
    bench.add(part="argobots", workload=workload, size=size, placement=placement.name, threads=1, subject=name, setting="",
              rank=rank, round=number, status=rounds.WELL, **row)


def run(bench, options):
    program = compile_units(os.environ.get("ARGOBOTS_PREFIX"))
    if program is None:
        rounds.say("no Argobots, so its events are not measured: ARGOBOTS_PREFIX says where it is installed")
        return
    subjects = [s for s in SUBJECTS if (not s[0].startswith("profiler") or os.environ.get("ARGOBOTS_PROFILER"))
                and (s[2] is None or os.path.exists(harness.RECORDER)) and (not options.subjects or s[0] in options.subjects)]
    for placement in [p for p in rounds.placements() if p.threads == 1]:
        for workload, both in sizes_of(program).items():
            if options.workloads and workload not in options.workloads or bench.is_over("argobots %s, %s" % (workload, placement.name)):
                continue
            size = both[options.quick]
            counted = harness.run([program, workload, str(size), "count"], {}, placement.cpus)
            events = int(re.search(r"^callbacks (\d+)$", counted.stderr, re.M)[1]) / harness.figures(counted.stdout)["ops"]
            for number in range(bench.n_rounds):
                rounds.progress("argobots: %s, %s: round %d of %d" % (workload, placement.name, number + 1, bench.n_rounds))
                for rank, subject in bench.shuffled(enumerate(subjects), "argobots", workload, placement.name, number):
                    once(bench, program, workload, size, placement, subject, rank, number, events)
    rounds.progress("")
