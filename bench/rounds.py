# SPDX-License-Identifier: BSD-3-Clause
"""Rounds: every subject once a round, one after the other, each round beginning with another one; each run is a row. Used by bench/run and
bench/scenarios."""
import csv
import os
import re
import shlex
import subprocess
import sys
from collections import namedtuple

import harness
import subjects

FIELDS = ("date machine cpu cores kernel compiler runtime commit files load part workload size placement threads subject setting round status"
          " ops all_ops wall_ns cpu_ns own_cpu_ns process_wall_ns process_cpu_ns finish_ns rss_kib peak_kib minor_faults major_faults yields preemptions"
          " callbacks_per_op records_per_op lost stalled_ns longest_stall_ns streams bytes archive_ns archive_bytes graph_ns"
          " chunk_ps change_ns path instructions").split()

# status of a row
WELL, FAILED, SILENT = 0, 1, 2

# How many threads on which processors.
Placement = namedtuple("Placement", "name threads cpus")

# One who is measured once a round: a subject, and what is different for it. setting: the text for it in the table.
Entry = namedtuple("Entry", "subject setting variables")


def placements():
    """A thread alone on two processors leaves one for the drain thread; alone on one it leaves nothing; two are all there is."""
    cpus = sorted(os.sched_getaffinity(0))
    rows = [Placement("1 thread, 1 core", 1, cpus[:1])]
    if len(cpus) > 1:
        rows = [Placement("1 thread, 2 cores", 1, cpus[:2])] + rows + [Placement("2 threads, 2 cores", 2, cpus[:2])]
    return rows


def threads_placement(n_threads):
    """So many threads on all processors."""
    cpus = sorted(os.sched_getaffinity(0))
    return Placement("%d thread%s, %d core%s" % (n_threads, "s"[n_threads == 1:], len(cpus), "s"[len(cpus) == 1:]), n_threads, cpus)


def pinned(placement):
    """The variables that bind each thread to a processor, where there is one for each."""
    variables = {"OMP_NUM_THREADS": str(placement.threads), "OMP_DYNAMIC": "false"}
    if placement.threads <= len(placement.cpus):
        variables["OMP_PLACES"] = ",".join("{%d}" % cpu for cpu in placement.cpus)
        variables["OMP_PROC_BIND"] = "true"
    return variables


def progress(text):
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)


def say(text):
    progress("")
    print("bench: " + text, file=sys.stderr, flush=True)


class Rounds:
    def __init__(self, n_rounds, dumps, is_quick=False):
        self.n_rounds = n_rounds
        self.is_quick = is_quick
        self.dumps = dumps
        self.rows = []
        self.about = harness.machine(dumps)
        self.table = subjects.read(harness.OUT, harness.BUILD)
        self.callbacks = {}
        self.sizes = {}
        listed = subprocess.run([os.path.join(harness.OUT, "workload"), "--list"], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            name, group, size, quick, _ = line.split(None, 4)
            self.sizes[name] = (group, int(size), int(quick))

    def entries(self, part, names=None):
        """Those of the table that were found and take part, as they are."""
        return [Entry(s, "", {}) for s in self.table.values()
                if s.found is not None and s.words["only"] in ("", part) and (not names or s.name in names)]

    def entry(self, name, setting="", **variables):
        """One of them with something changed; None where it is not there."""
        subject = self.table.get(name)
        return Entry(subject, setting, variables) if subject and subject.found is not None else None

    def size(self, workload):
        _, size, quick = self.sizes[workload]
        return quick if self.is_quick else size

    def program(self, subject):
        """The workloads as this subject wants them compiled."""
        if not subject.words["cc"]:
            return os.path.join(harness.OUT, "workload")
        return harness.compile_one("workload-" + subject.name, harness.workload_sources(), ["-fopenmp"],
                                   subject.fill(subject.words["cc"], cc=harness.CLANG))

    def count(self, workload, size, placement):
        """Callbacks of the default event groups, an op."""
        key = workload, size, placement.threads
        if key not in self.callbacks:
            tool = {"OMP_TOOL_LIBRARIES": os.path.join(harness.OUT, "count.so")}
            cost = harness.run([os.path.join(harness.OUT, "workload"), workload, str(size)], dict(pinned(placement), **tool),
                               placement.cpus)
            said = re.search(r"^callbacks (\d+)$", cost.stderr, re.M)
            if not said:
                harness.die("the counting tool did not attach: " + cost.stderr)
            self.callbacks[key] = int(said.group(1)) / harness.figures(cost.stdout)["all_ops"]
        return self.callbacks[key]

    def add(self, **columns):
        self.rows.append(dict(self.about, **columns))

    def command(self, subject, key):
        """One of a subject's own commands, in what it left; what it took, in ns."""
        line = subject.fill(subject.words[key], out=self.dumps)
        return harness.run(["sh", "-c", line], {}, cwd=self.dumps).wall_ns if line else ""

    def once(self, part, workload, size, placement, entry, number, callbacks, is_whole=False, limit_s=harness.LIMIT_S):
        """One run, one row. is_whole: to the archive and the graph. False: it failed."""
        subject = entry.subject
        variables = dict(pinned(placement), **subject.environment(out=self.dumps))
        variables.update(entry.variables)
        argv = shlex.split(subject.fill(subject.words["run"])) + [self.program(subject), workload, str(size)]
        row = dict(part=part, workload=workload, size=size, placement=placement.name, threads=placement.threads, subject=subject.name,
                   setting=entry.setting, round=number, status=WELL)
        try:
            self.command(subject, "before")
            cost = harness.run(argv, variables, placement.cpus, limit_s=limit_s)
            got = harness.figures(cost.stdout)
            row.update(ops=got["ops"], all_ops=got["all_ops"], wall_ns=got["wall_ns"], cpu_ns=got["cpu_ns"], rss_kib=got["rss_kib"],
                       process_wall_ns=cost.wall_ns, process_cpu_ns=cost.cpu_ns, finish_ns=cost.end_ns - got["end_ns"],
                       peak_kib=cost.peak_kib, minor_faults=cost.minor_faults, major_faults=cost.major_faults, yields=cost.yields,
                       preemptions=cost.preemptions, callbacks_per_op="%.4f" % callbacks)
            if "OTTER_DIR" in variables:
                dump = harness.dump_read(self.dumps)
                row.update(records_per_op="%.4f" % (dump.pop("records") / got["all_ops"]), **dump)
            if subject.traces():
                row.update(bytes=harness.bytes_below(self.dumps))
                # No format of a trace takes less than a byte for an event: it does not record these, so what it costs says nothing.
                if "OTTER_DIR" not in variables and row["bytes"] < callbacks * got["all_ops"]:
                    row.update(status=SILENT)
            if is_whole:
                row.update(archive_ns=self.command(subject, "archive"))
                if subject.words["archive"]:
                    row.update(archive_bytes=harness.bytes_below(os.path.join(self.dumps, "archive")) or row["bytes"])
                row.update(graph_ns=self.command(subject, "graph"))
        except harness.Failed as e:
            if not subject.traces() or "OTTER_DIR" in variables:
                raise
            say("%s with %s failed: %s" % (workload, subject.name, str(e).strip().splitlines()[-1]))
            row.update(status=FAILED)
        finally:
            harness.empty(self.dumps)
        self.add(**row)
        return row["status"] != FAILED

    def interleaved(self, part, workload, placement, entries, size=None, repeats=1, **more):
        """Each of `entries` once a round; one that failed is left out of what follows."""
        size = size or self.size(workload)
        callbacks = self.count(workload, size, placement)
        entries = [e for e in entries if e is not None]
        for number in range(self.n_rounds):
            progress("%s: %s, %s: round %d of %d" % (part, workload, placement.name, number + 1, self.n_rounds))
            at = number % len(entries)
            for entry in entries[at:] + entries[:at]:
                if not all(self.once(part, workload, size, placement, entry, number, callbacks, **more) for _ in range(repeats)):
                    entries = [e for e in entries if e is not entry]
        progress("")

    def write(self, path):
        with open(path, "w", newline="") as f:
            out = csv.DictWriter(f, FIELDS, restval="")
            out.writeheader()
            out.writerows(self.rows)
