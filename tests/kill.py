#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills a recorded program with SIGKILL and checks that its dump holds everything that the program's witness proves.

    tests/kill.py [KILLS]       KILLS kills at random moments (default: the variable KILLS, or 60), and a few at system
                                calls; SEED=N repeats a run
    tests/kill.py --all KILLS   the same, and one kill at the begin and one at the end of every system call from the
                                making of the dump on
    ... --part I/N              every N-th of these from the I-th on: the N parts together are all

The witness is a file in which omp/witness.c counts before and after each event: the counts show what was certainly
recorded, and what can have been recorded at most. With each taskwait the program also records the next number of a
sequence, which must be in the dump without a hole as far as the witness says. Every dump must build (status 3, or 0 if
the program had ended before), have lost nothing, and give a valid archive and an acyclic graph. If the program died
before there was a dump, the witness must prove nothing. Some processes are stopped instead of killed, and their dump is
read while they live: the same must hold of such a snapshot.

The moments (MOMENTS below) aim at rare steps: the start of the process, the making of the dump, the first segments that
are written to a file, new threads, the end. The last line says how many kills hit each of them. tools/kill_at.c kills
at system calls: these leave every state that lies between two steps of the recorder.
"""
import collections
import mmap
import random
import signal
import struct
import sys
import time

from common import *


KILL_AT = BUILD / "tests" / "tools" / "kill_at"
TEAM = 3
SLOTS = TEAM + 1
TASKS, TASKS_ROOT = 20, 5  # between two marks
MARK = 100
FIELDS = ("creating", "created", "marking", "marked", "run", "completed", "regions", "begun")
BYTES = 64 * (1 + SLOTS)
BORN, RECORDING, ENDING = 1, 2, 3
RUN_MS = 60
CALLS_SAMPLE = 12  # moments at system calls that are tried where not all are

# The kill comes within `width_ms` after: a phase of the witness, or that the dump has a file by one of these names.
MOMENTS = {
    "exec": (0, (), 10),
    "creating": (0, ("meta",), 1.5),
    "born": (BORN, (), 2),
    "recording": (RECORDING, (), 2),
    "draining": (BORN, (".seg", ".dseg", ".pseg", ".pbuf"), 3),
    "thread": (BORN, (), RUN_MS),
    "ending": (ENDING, (), 4),
    "any": (BORN, (), RUN_MS),
}
ORDER = ("exec", "any", "creating", "thread", "recording", "draining", "any", "ending", "thread", "draining", "born", "any")

VARIANTS = {
    "default": {},
    "self": {"OTTER_DRAIN": "self"},
    "small": {"OTTER_RING": "32K"},
    "small-self": {"OTTER_RING": "32K", "OTTER_DRAIN": "self"},
    "all": {"OTTER_EVENTS": "all"},
    "ring-dir": {"OTTER_RING_DIR": "/dev/shm"},
    "drop": {"OTTER_FULL": "drop", "OTTER_RING": "2M"},
    "pack": {"OTTER_PACK": "on", "OTTER_RING": "32K"},
    "pack-self": {"OTTER_PACK": "on", "OTTER_RING": "32K", "OTTER_DRAIN": "self"},
    "pack-auto": {"OTTER_PACK": "auto", "OTTER_RING": "32K"},
}


# How many kills hit what. main() prints it, so that a machine where every kill comes too late is noticed.
outcomes = collections.Counter()


class Witness:
    def __init__(self, path):
        path.write_bytes(b"\0" * BYTES)
        with open(path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), BYTES)

    def phase(self):
        return struct.unpack_from("<Q", self.map)[0]

    def slots(self):
        """For each slot field -> counter."""
        return [dict(zip(FIELDS, struct.unpack_from(f"<{len(FIELDS)}Q", self.map, 64 * (1 + i)))) for i in range(SLOTS)]

    def sum(self):
        """Field -> sum over the slots."""
        slots = self.slots()
        return {field: sum(s[field] for s in slots) for field in FIELDS}


# ---- What a dump must hold ----

def wrong_counts(proven, summary, is_snapshot):
    """Compares the dump's counts with the witness's. Returns None or a reason."""
    event = lambda name: summary["events"].get(name, 0)
    lacks = []

    def within(what, seen, proof, limit=None):
        if seen < proof or limit is not None and seen > limit:
            lacks.append(f"{what}: {seen} in the dump, {proof} proven" + (f", {limit} begun" if limit is not None else ""))

    within("task_create", event("task_create"), proven["created"], proven["creating"])
    within("explicit tasks", summary["tasks"].get("explicit", 0), proven["created"], proven["creating"])
    within("control_tool", event("control_tool"), proven["marked"], proven["marking"])
    within("task_schedule", event("task_schedule"), proven["run"] + proven["completed"])
    within("sync_region_end", event("sync_region_end"), proven["marked"])
    within("sync_region_begin", event("sync_region_begin"), proven["marked"])
    within("parallel_begin", event("parallel_begin"), (proven["begun"] + TEAM - 1) // TEAM)
    within("parallel_end", event("parallel_end"), proven["regions"], proven["regions"] + 1)
    within("implicit_task_begin", event("implicit_task_begin"), proven["begun"])
    if summary["lost"]["total"] != 0:
        lacks.append(f"lost {summary['lost']}")
    if summary["snapshot"] != is_snapshot:
        lacks.append(f"snapshot {summary['snapshot']}")
    return "; ".join(lacks) or None


def wrong_sequence(dump, slots):
    """Checks that the marks of each slot have no hole as far as its witness says, and that all tasks between two marks
    are there."""
    wanted = re.compile(r"(\d+) \S+ \S+ (task_create|control_tool) (?:.*?command=(\d+) modifier=(\d+))?")
    lines = subprocess.run(f'"{BUILDER}" --list -q "{dump}" | grep -E " (task_create|control_tool) "', shell=True, env={**CLEAN, **PASSIVE}, capture_output=True,
                           text=True).stdout
    created, numbers = collections.Counter(), [[] for _ in range(SLOTS)]
    for match in map(wanted.match, lines.splitlines()):
        stream, kind, command, modifier = match.groups()
        if kind == "task_create":
            created[stream] += 1
            continue
        slot = int(command) - MARK
        numbers[slot].append(int(modifier))
        n_tasks = TASKS if slot < TEAM else TASKS_ROOT
        if created[stream] != n_tasks:
            return f"{created[stream]} tasks of {n_tasks} before mark {modifier} of slot {slot}"
        created[stream] = 0
    for slot, (seen, witness) in enumerate(zip(numbers, slots)):
        if sorted(seen) != list(range(len(seen))):
            return f"the marks of slot {slot} are not a sequence: {sorted(seen)[-5:]}, {len(seen)} in all"
        if not witness["marked"] <= len(seen) <= witness["marking"]:
            return f"slot {slot} has {len(seen)} marks, {witness['marked']} proven, {witness['marking']} begun"
    return None


def hits(dump, witness):
    """Yields what the kill has interrupted, as far as the files show it."""
    meta = (dump / "meta").read_text(errors="replace") if (dump / "meta").exists() else ""
    if "\nstart " not in meta:
        yield "while the dump was made"
    elif "\nended " not in meta and witness.phase() == ENDING:
        yield "at the end, not yet finalised"
    rings = [*dump.glob("*.ring"), *pathlib.Path("/dev/shm").glob(f"{dump.name}/*.ring")]
    if any(open(r, "rb").read(8) != b"OTTERRNG" for r in rings):
        yield "while a ring was made"
    place = re.search(r"^segment_bytes (\d+)$", meta, re.M)
    for file in [*dump.glob("*.seg"), *dump.glob("*.dseg")] if place else ():
        data = file.read_bytes()
        last = data[(len(data) - 1) // int(place[1]) * int(place[1]):]
        # `closed` of the header: there must be as many bytes.
        if len(last) < 32 or len(last) < struct.unpack_from("<I", last, 24)[0] & 0x7fffffff:
            yield "while a segment was written"
    if any(dump.glob("*.pbuf")):
        yield "with segments in a packing buffer"


def judge(report, name, dumps, witness, work, has_ended, is_snapshot):
    """Checks the dump that a killed program has left."""
    proven = witness.sum()
    if not dumps:
        outcomes["before the dump"] += 1
        report.check(f"{name}/none", f"no dump, but the witness proves {proven}" if any(proven.values()) or has_ended else None)
        return
    outcomes["ended"] += has_ended
    outcomes["snapshot"] += is_snapshot
    outcomes["proving something"] += any(proven.values())
    outcomes.update(hits(dumps[0], witness))
    result, summary = build(dumps[0], work / "out")
    # A kill in the phase ENDING may come after the recorder's end, when nothing is missing any more.
    statuses = [0] if has_ended else [0, 3] if witness.phase() == ENDING else [3]
    reasons = [result.why(statuses)]
    if len(dumps) > 1:
        reasons.append(f"{len(dumps)} dumps")
    if summary is not None:
        # Without the beginning of meta the builder does not know which process to look for, and takes it for dead.
        meta = dumps[0] / "meta"
        knows_process = meta.exists() and "\nboot_id " in meta.read_text(errors="replace")
        reasons.append(wrong_counts(proven, summary, is_snapshot and knows_process))
        reasons.append(wrong_sequence(dumps[0], witness.slots()))
        reasons.append(None if summary["complete"] == (result.status == 0) else f"complete: {summary['complete']}")
        reasons.append(Graph(work / "out").flaw(complete=False))
        reasons.append(check_archive(work / "out", is_printed=False))
    report.check(name, "; ".join(filter(None, reasons)))


def clean_up(report, work, pid):
    if report.failed == 0 and "KEEP" not in os.environ:
        shutil.rmtree(work)
    # What a killed process leaves outside of its directory.
    forget_dead()
    for left in pathlib.Path("/dev/shm").glob(f"*-{pid}.otter"):
        shutil.rmtree(left)


def environment(dumps_dir, variant):
    return {**CLEAN, "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(dumps_dir), "OMP_NUM_THREADS": str(TEAM), **VARIANTS[variant]}


# ---- At random moments ----

def sleep_until(deadline):
    while time.perf_counter() < deadline:
        time.sleep(0.00002)


def has_file(dumps_dir, suffixes):
    return any(f.endswith(suffixes) for d in os.listdir(dumps_dir) for f in os.listdir(dumps_dir / d))


def stop_at_random(process, witness, dumps_dir, moment, rng, how):
    """Sends the signal at a moment of that kind. Returns False if the program had ended before."""
    phase, files, width_ms = MOMENTS[moment]
    while (witness.phase() < phase or files and not has_file(dumps_dir, files)) and process.poll() is None:
        time.sleep(0.00002)
    sleep_until(time.perf_counter() + rng.random() * width_ms * 1e-3)
    if process.poll() is not None:
        return False
    process.send_signal(how)
    if how == signal.SIGSTOP:
        _, status = os.waitpid(process.pid, os.WUNTRACED)  # returns when its last thread stands still
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
            return False
    return True


def test_kill(job):
    number, moment, variant, seed, program, is_snapshot = job
    rng = random.Random(seed)
    report, name = Report(), f"kill/{number}-{moment}-{variant}" + ("-snapshot" if is_snapshot else "")
    work = empty(WORK / "kill" / str(number))
    dumps_dir = empty(work / "dumps")
    witness = Witness(work / "witness")
    mode = ["threads"] if moment == "thread" else []
    process = subprocess.Popen([program, work / "witness", str(RUN_MS), *mode], env=environment(dumps_dir, variant), stderr=subprocess.PIPE)
    is_stopped = stop_at_random(process, witness, dumps_dir, moment, rng, signal.SIGSTOP if is_snapshot else signal.SIGKILL)
    if not is_snapshot or not is_stopped:
        process.wait(HANG_S)
    try:
        # The status shows whether it was killed: the signal may have come too late.
        if process.returncode not in (0, -signal.SIGKILL, None):
            report.check(f"{name}/program", f"status {process.returncode} {process.stderr.read()}")
            return report
        judge(report, name, dumps_in(dumps_dir), witness, work, process.returncode == 0, is_snapshot and is_stopped)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    clean_up(report, work, process.pid)
    return report


# ---- At system calls ----

def run_to_call(number, variant, work, program):
    """Returns (Witness, the dumps' directory, the number of moments, the process's number and status), or None where
    tracing is forbidden."""
    dumps_dir, witness = empty(work / "dumps"), Witness(work / "witness")
    result = run([KILL_AT, number, program, work / "witness", 0], environment(dumps_dir, variant))
    if result.status != 0:
        return None
    return witness, dumps_dir, *map(int, result.out.split())


def test_call(job):
    number, variant, program = job
    report, name = Report(), f"kill/call-{number}-{variant}"
    work = empty(WORK / "kill" / f"call-{number}-{variant}")
    traced = run_to_call(number, variant, work, program)
    if traced is None:
        report.check(name, "kill_at could not follow the program")
        return report
    witness, dumps_dir, _, pid, status = traced
    if status not in (0, -signal.SIGKILL):
        report.check(f"{name}/program", f"status {status}")
    else:
        outcomes["at a system call"] += status != 0
        judge(report, name, dumps_in(dumps_dir), witness, work, status == 0, False)
    clean_up(report, work, pid)
    return report


def call_jobs(program, is_all):
    """The kills at system calls: all, or a few spread over the run. Small rings make the calls of all variants."""
    jobs = []
    for variant in ("small", "small-self", "pack", "pack-self"):
        work = empty(WORK / "kill" / f"calls-{variant}")
        traced = run_to_call(0, variant, work, program)
        if traced is None:
            return None
        n = traced[2]
        # The number differs from run to run, as threads run at once: some more are tried than there were.
        numbers = range(1, n + 20) if is_all else [1 + i * n // (CALLS_SAMPLE // 2) for i in range(CALLS_SAMPLE // 2)]
        jobs += [(number, variant, program) for number in numbers]
        shutil.rmtree(work)
    return jobs


def main():
    arguments = [a for a in sys.argv[1:] if a != "--all"]
    part = take_part(arguments)
    kills = int(arguments[0] if arguments else os.environ.get("KILLS", 60))
    seed = int(os.environ.get("SEED", time.time_ns() % 1000000))
    need(RECORDER, BUILDER, KILL_AT)
    program = WORK / "kill" / "program" / "witness"
    result = compile_c(ROOT / "tests/omp/witness.c", program)
    if result.status != 0:
        print(f"not ok kill/compile: {result.err}")
        return 1
    print(f"kill: {kills} kills, SEED={seed}")
    variants = list(VARIANTS)
    jobs = [(i, ORDER[i % len(ORDER)], variants[i % len(variants)], seed * 1000 + i, program, False) for i in range(kills)]
    jobs += [(kills + i, "any", variants[i % len(variants)], seed * 1000 + kills + i, program, True) for i in range(max(kills // 10, 1))]
    is_good = run_all(part(jobs), test_kill)
    calls = call_jobs(program, "--all" in sys.argv)
    if calls is None:
        print("skip kill/calls: a process may not be traced here")
    else:
        is_good &= run_all(part(calls), test_call)
    print("kill: " + ", ".join(f"{n} {what}" for what, n in outcomes.items()))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
