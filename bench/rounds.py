# SPDX-License-Identifier: BSD-3-Clause
"""Rounds: every subject once a round, one after the other, in an order of chance; each run is a row. Used by bench/run and bench/scenarios."""
import csv
import os
import random
import re
import shlex
import subprocess
import sys
import time
from collections import namedtuple

import harness
import kept
import machine
import subjects

FIELDS = ("date machine cpu cores kernel compiler runtime commit files load seed part workload size placement threads subject setting rank round status"
          " ops all_ops wall_ns cpu_ns own_cpu_ns process_wall_ns process_cpu_ns finish_ns rss_kib peak_kib minor_faults major_faults yields preemptions"
          " kernel_ns others_ns steal_ns"
          " callbacks_per_op records_per_op lost stalled_ns longest_stall_ns streams bytes archive_ns archive_bytes graph_ns"
          " chunk_ps change_ns path instructions samples switches").split()

# status of a row
WELL, FAILED, SILENT = 0, 1, 2

# How many threads on which processors.
Placement = namedtuple("Placement", "name threads cpus")

# A subject that is measured once a round, and what is different for it. setting: the text for it in the table. rank: its place there,
# as the order in which they run is one of chance.
Entry = namedtuple("Entry", "subject setting variables rank", defaults=(0,))


def placements():
    """A thread alone on two processors leaves one for the drain thread; alone on one it leaves nothing; two are all there is."""
    cpus = sorted(os.sched_getaffinity(0))
    rows = [Placement("1 thread, 1 core", 1, cpus[:1])]
    if len(cpus) > 1:
        rows = [Placement("1 thread, 2 cores", 1, cpus[:2])] + rows + [Placement("2 threads, 2 cores", 2, cpus[:2])]
    return rows


def threads_placement(n_threads):
    """n_threads threads on all processors."""
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
    def __init__(self, n_rounds, dumps, is_quick=False, seed=None, seconds=None, is_first_only=False):
        """
        seconds: this time after the first measurement no new one is begun, and those left out are reported. is_first_only: of each part only the first
        measurement is made.
        """
        self.n_rounds = n_rounds
        self.is_quick = is_quick
        self.dumps = dumps
        self.seconds, self.begin_s, self.left_out = seconds, None, []
        self.is_first_only, self.n_begun = is_first_only, 0
        self.rows = []
        self.seed = random.SystemRandom().randrange(10**6) if seed is None else seed
        self.about = dict(machine.describe(harness.ROOT, harness.CLANG, os.path.join(harness.OUT, "workload"), dumps), seed=str(self.seed))
        self.table = subjects.read(harness.OUT, harness.BUILD)
        self.kept = kept.Kept(dumps)
        self.callbacks = {}
        self.sizes = {}
        listed = subprocess.run([os.path.join(harness.OUT, "workload"), "--list"], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            name, group, size, quick, _ = line.split(None, 4)
            self.sizes[name] = (group, int(size), int(quick))

    def shuffled(self, entries, *what):
        """
        These in an order of chance, so that no subject always follows the same one, which may leave it warm caches or a busy disk. The same seed gives
        the same order of the same entries to the same `what`, whatever else is measured.
        """
        order = list(entries)
        random.Random(" ".join(map(str, (self.seed,) + what))).shuffle(order)
        return order

    def begin_part(self):
        self.n_begun = 0

    def is_over(self, what):
        """Is the time over? Then `what` is one of those left out. Called before each measurement."""
        self.begin_s = self.begin_s or time.monotonic()
        if self.is_first_only and self.n_begun > 0:
            return True
        self.n_begun += 1
        if self.seconds is None or time.monotonic() - self.begin_s < self.seconds:
            return False
        self.left_out.append(what)
        return True

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

    def once(self, part, workload, size, placement, entry, number, callbacks, is_whole=False, keeps=False, limit_s=harness.LIMIT_S):
        """One run, one row. is_whole: to the archive and the graph. keeps: what it wrote goes to the disk and stays. False: it failed."""
        subject = entry.subject
        variables = dict(pinned(placement), **subject.environment(out=self.dumps))
        variables.update(entry.variables)
        argv = shlex.split(subject.fill(subject.words["run"])) + [self.program(subject), workload, str(size)]
        row = dict(part=part, workload=workload, size=size, placement=placement.name, threads=placement.threads, subject=subject.name,
                   setting=entry.setting, rank=entry.rank, round=number, status=WELL)
        try:
            self.command(subject, "before")
            watch = machine.Watch()
            cost = harness.run(argv, variables, placement.cpus, limit_s=limit_s)
            row.update(watch.columns(cost.cpu_ns, self.dumps if keeps else None))
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
            if keeps:
                self.kept.take(self.dumps)
            else:
                harness.empty(self.dumps)
        if number >= 0:
            self.add(**row)
        return row["status"] != FAILED

    def interleaved(self, part, workload, placement, entries, size=None, repeats=1, keeps=False, **more):
        """
        Each of `entries` once a round, or `repeats` times; one that failed is left out of what follows. keeps: outputs stay until the last round
        has ended, and a round before the first one, of which nothing is known, takes the memory that others have left.
        """
        if self.is_over("%s %s, %s" % (part, workload, placement.name)):
            return
        size = size or self.size(workload)
        callbacks = self.count(workload, size, placement)
        entries = [e._replace(rank=rank) for rank, e in enumerate(e for e in entries if e is not None)]
        failed = []
        try:
            for number in range(-1 if keeps else 0, self.n_rounds):
                progress("%s: %s, %s: round %d of %d" % (part, workload, placement.name, number + 1, self.n_rounds))
                lacking = self.kept.lacks(number + 1) if keeps else None
                if lacking:
                    say("%s: %s, %s: round %d and what follows not measured for lack of %s" % (part, workload, placement.name, number + 1, lacking))
                    break
                for entry in self.shuffled(entries * repeats, part, workload, placement.name, number):
                    if entry not in failed and not self.once(part, workload, size, placement, entry, number, callbacks, keeps=keeps, **more):
                        failed.append(entry)
        finally:
            self.kept.remove()
        progress("")

    def write(self, path):
        with open(path, "w", newline="") as f:
            out = csv.DictWriter(f, FIELDS, restval="")
            out.writeheader()
            out.writerows(self.rows)
