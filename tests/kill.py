#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills a recorded program with SIGKILL at random moments and asks its dump for everything that its witness proves.

    tests/kill.py [KILLS]       else the environment's KILLS, else 60; SEED repeats a run

omp/witness.c counts, in a file of its own, events that were certainly recorded. A third of the kills fall into the start of the
process, the first 2 ms of the program or of the recording, or the end; the others anywhere. Every dump must build (status 3, or 0 if
the program had ended before), hold at least what the witness says and at most one event a thread more, have lost nothing, and give a
valid archive and an acyclic graph. Where the program died before there was a dump, the witness must prove nothing either.
Some are stopped instead of killed, and read while they live: a snapshot, by the same measure.
"""
import collections
import mmap
import random
import signal
import struct
import sys
import time

from common import *

TEAM = 3
SLOTS = TEAM + 1
FIELDS = ("created", "run", "completed", "waits", "regions", "begun")
BYTES = 64 * (1 + SLOTS)
BORN, RECORDING, ENDING = 1, 2, 3
RUN_MS = 60

VARIANTS = {
    "default": {},
    "self": {"OTTER_DRAIN": "self"},
    "small": {"OTTER_RING": "32K"},
    "small-self": {"OTTER_RING": "32K", "OTTER_DRAIN": "self"},
    "all": {"OTTER_EVENTS": "all"},
    "ring-dir": {"OTTER_RING_DIR": "/dev/shm"},
    "drop": {"OTTER_FULL": "drop", "OTTER_RING": "2M"},
}


def words(mapping, offset, n):
    return struct.unpack_from(f"<{n}Q", mapping, offset)


# How the runs went, so that a machine on which no kill hits the program is noticed.
outcomes = collections.Counter()


class Witness:
    def __init__(self, path):
        path.write_bytes(b"\0" * BYTES)
        with open(path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), BYTES)

    def phase(self):
        return words(self.map, 0, 1)[0]

    def sum(self):
        """Field -> sum over the threads."""
        rows = [words(self.map, 64 * (1 + i), len(FIELDS)) for i in range(SLOTS)]
        return dict(zip(FIELDS, map(sum, zip(*rows))))


def sleep_until(deadline):
    while time.perf_counter() < deadline:
        time.sleep(0.00002)


def stop_at_random(process, witness, moment, rng, how):
    """Sends the signal at a moment of the given sort. False if the program had ended before."""
    phase, width_ms = {"exec": (0, 10), "born": (BORN, 2), "recording": (RECORDING, 2), "ending": (ENDING, 4), "any": (BORN, RUN_MS)}[moment]
    while witness.phase() < phase and process.poll() is None:
        time.sleep(0.00002)
    sleep_until(time.perf_counter() + rng.random() * width_ms * 1e-3)
    if process.poll() is not None:
        return False
    process.send_signal(how)
    if how == signal.SIGSTOP:
        _, status = os.waitpid(process.pid, os.WUNTRACED)  # its last thread stands still
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
            return False
    return True


def wrong_counts(proven, summary, is_snapshot):
    """What the dump must hold, by the witness: None or a reason."""
    event = lambda name: summary["events"].get(name, 0)
    lacks = []

    def at_least(what, seen, proof):
        if seen < proof:
            lacks.append(f"{what}: {seen} in the dump, {proof} proven")

    at_least("task_create", event("task_create"), proven["created"])
    at_least("explicit tasks", summary["tasks"].get("explicit", 0), proven["created"])
    at_least("task_schedule", event("task_schedule"), proven["run"] + proven["completed"])
    at_least("sync_region_end", event("sync_region_end"), proven["waits"])
    at_least("sync_region_begin", event("sync_region_begin"), proven["waits"])
    at_least("parallel_begin", event("parallel_begin"), (proven["begun"] + TEAM - 1) // TEAM)
    at_least("parallel_end", event("parallel_end"), proven["regions"])
    at_least("implicit_task_begin", event("implicit_task_begin"), proven["begun"])
    # Nothing twice either: a thread is one event ahead of its witness at most.
    for what, seen, proof in (("task_create", event("task_create"), proven["created"]),
                              ("explicit tasks", summary["tasks"].get("explicit", 0), proven["created"]),
                              ("parallel_end", event("parallel_end"), proven["regions"])):
        if seen > proof + SLOTS:
            lacks.append(f"{what}: {seen} in the dump, {proof} proven")
    if summary["lost"]["total"] != 0:
        lacks.append(f"lost {summary['lost']}")
    if summary["snapshot"] != is_snapshot:
        lacks.append(f"snapshot {summary['snapshot']}")
    return "; ".join(lacks) or None


def test_kill(job):
    number, moment, variant, seed, program, is_snapshot = job
    rng = random.Random(seed)
    report, name = Report(), f"kill/{number}-{moment}-{variant}" + ("-snapshot" if is_snapshot else "")
    work = empty(WORK / "kill" / str(number))
    dumps_dir = empty(work / "dumps")
    witness = Witness(work / "witness")
    env = {**CLEAN, "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(dumps_dir), "OMP_NUM_THREADS": str(TEAM), **VARIANTS[variant]}
    process = subprocess.Popen([program, work / "witness", str(RUN_MS)], env=env, stderr=subprocess.PIPE)
    is_stopped = stop_at_random(process, witness, moment, rng, signal.SIGSTOP if is_snapshot else signal.SIGKILL)
    if not is_snapshot or not is_stopped:
        process.wait(60)
    try:
        # Whether it was really killed is the status's to say: the signal may have come too late.
        has_ended = process.returncode == 0
        if process.returncode not in (0, -signal.SIGKILL, None):
            report.check(f"{name}/program", f"status {process.returncode} {process.stderr.read()}")
            return report
        dumps = dumps_in(dumps_dir)
        proven = witness.sum()
        proves = any(proven.values()) or has_ended
        if not dumps:
            outcomes["before the dump"] += 1
            report.check(f"{name}/none", f"no dump, but the witness proves {proven}" if proves else None)
        else:
            outcomes["ended"] += has_ended
            outcomes["snapshot"] += is_snapshot and is_stopped
            outcomes["proving something"] += proves
            result, summary = build(dumps[0], work / "out")
            # Killed behind the recorder's own end: nothing was missing any more.
            statuses = [0] if has_ended else [0, 3] if witness.phase() == ENDING else [3]
            reasons = [result.why(statuses)]
            if len(dumps) > 1:
                reasons.append(f"{len(dumps)} dumps")
            if summary is not None:
                reasons.append(wrong_counts(proven, summary, is_snapshot and is_stopped))
                reasons.append(None if summary["complete"] == (result.status == 0) else f"complete: {summary['complete']}")
                reasons.append(Graph(work / "out").flaw(complete=False))
                reasons.append(check_archive(work / "out"))
            report.check(name, "; ".join(filter(None, reasons)))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if report.failed == 0 and "KEEP" not in os.environ:
        shutil.rmtree(work)
    # What a killed process leaves outside of its directory. Of libomp's, an empty one would end the next process with the same number.
    for left in pathlib.Path("/dev/shm").glob(f"*{process.pid}*"):
        if left.name == f"__KMP_REGISTERED_LIB_{process.pid}_{os.getuid()}":
            left.unlink()
        elif left.name.endswith(f"-{process.pid}.otter"):
            shutil.rmtree(left)
    return report


def main():
    kills = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KILLS", 60))
    seed = int(os.environ.get("SEED", time.time_ns() % 1000000))
    need(RECORDER, BUILDER)
    program = WORK / "kill" / "program" / "witness"
    result = compile_c(ROOT / "tests/omp/witness.c", program)
    if result.status != 0:
        print(f"not ok kill/compile: {result.err}")
        return 1
    print(f"kill: {kills} kills, SEED={seed}")
    moments = ["exec", "any", "born", "any", "recording", "any", "ending", "any", "any", "any", "any"]
    variants = list(VARIANTS)
    jobs = [(i, moments[i % len(moments)], variants[i % len(variants)], seed * 1000 + i, program, False) for i in range(kills)]
    jobs += [(kills + i, "any", variants[i % len(variants)], seed * 1000 + kills + i, program, True) for i in range(max(kills // 10, 1))]
    is_good = run_all(jobs, test_kill)
    print("kill: " + ", ".join(f"{n} {what}" for what, n in outcomes.items()))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
