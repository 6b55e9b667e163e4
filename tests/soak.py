#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the same program over and over on busy processors, kills it in between, and compares each dump with what the program
has counted itself: nothing may be lost.

    tests/soak.py [MINUTES]     30 minutes; SEED=N repeats the lengths of the runs and the kills

`make soak MINUTES=30` calls it; it is not in make check. As many processes as there are processors do nothing but loop. The
program is omp/witness.c with eight threads (and, in each fourth run, with one, and without the loops, so that the drain
thread has a processor and writes directly); tests/kill.py explains what it proves. Where the recorder packs
(OTTER_PACK), every second run is packed. Each dump is built; a run that came to its end must have exactly what was counted, one
that was killed all that is proven. What fails stays in build/tests/run/soak.
"""
import random

import kill
from kill import *

LONGEST_S = 3
TEAMS = {8: "witness-8", 1: "witness-1"}


def compile_witness(team):
    program = WORK / "soak" / TEAMS[team]
    result = compile_c(ROOT / "tests/omp/witness.c", program, "clang", [f"-DTEAM={team}"])
    if result.status != 0:
        sys.exit(f"not ok soak/compile: {result.err}")
    return program


def variants():
    """(threads, variables) of the runs, in turn."""
    has_pack = b"OTTER_PACK" in RECORDER.read_bytes()
    for number in range(1 << 30):
        variables = {"OTTER_RING": "128K"} if number % 5 == 4 else {}
        if has_pack:
            variables["OTTER_PACK"] = ("on", "auto", "on", "off")[number // 2 % 4]
        yield (1 if number % 4 == 3 else 8), variables


class Loops:
    """Processes that take all processors, while they are not stopped."""

    def __init__(self):
        self.all = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in os.sched_getaffinity(0)]

    def send(self, number):
        for process in self.all:
            process.send_signal(number)

    def end(self):
        for process in self.all:
            process.kill()
            process.wait()


def wrong_marks(dump, slots):
    """kill.wrong_sequence without the tasks between two marks, of which there are too many: the summary counts them."""
    wanted = re.compile(r".* command=(\d+) modifier=(\d+)")
    lines = subprocess.run(f'"{BUILDER}" --list -q "{dump}" | grep " control_tool "', shell=True, env={**CLEAN, **PASSIVE}, capture_output=True, text=True).stdout
    numbers = [[] for _ in slots]
    for command, modifier in (match.groups() for match in map(wanted.match, lines.splitlines())):
        numbers[int(command) - MARK].append(int(modifier))
    for slot, (seen, witness) in enumerate(zip(numbers, slots)):
        if sorted(seen) != list(range(len(seen))):
            return f"the marks of slot {slot} are not a sequence: {sorted(seen)[-5:]}, {len(seen)} in all"
        if not witness["marked"] <= len(seen) <= witness["marking"]:
            return f"slot {slot} has {len(seen)} marks, {witness['marked']} proven, {witness['marking']} begun"
    return None


def sizes(dump):
    """Bytes that the drain thread wrote, and that threads wrote themselves."""
    drained = sum(f.stat().st_size for f in dump.glob("drain*"))
    return drained, sum(f.stat().st_size for f in dump.iterdir()) - drained


def soak(report, number, program, team, variables, rng, totals):
    """One run: killed at some moment, or not."""
    kill.TEAM, kill.SLOTS, kill.BYTES = team, team + 1, 64 * (2 + team)
    work = empty(WORK / "soak" / str(number))
    dumps, witness = empty(work / "dumps"), Witness(work / "witness")
    length_s = rng.random() * LONGEST_S
    env = {**CLEAN, "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(dumps), "OMP_NUM_THREADS": str(team), **variables}
    process = subprocess.Popen([program, work / "witness", str(length_s * 1000)], env=env, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        process.wait(rng.random() * 1.5 * length_s + 0.01)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    forget_dead()
    name, has_ended = f"soak/{number}", process.returncode == 0
    reasons = [None if process.returncode in (0, -signal.SIGKILL) else f"status {process.returncode} {process.stderr.read()[-300:]}"]
    proven, found = witness.sum(), dumps_in(dumps)
    if not found:
        reasons.append("no dump" if has_ended or any(proven.values()) else None)
    else:
        result, summary = build(found[0], work / "out", "-q", "--summary")
        # A kill in the phase ENDING may come after the recorder's end, when nothing is missing any more.
        reasons.append(result.why([0] if has_ended else [0, 3] if witness.phase() == ENDING else [3]))
        if summary is not None:
            damage = {kind: n for kind, n in summary["damage"].items() if kind != "meta_empty" or any(proven.values())}  # killed as it began
            reasons += [wrong_counts(proven, summary, False), wrong_marks(found[0], witness.slots()), f"damage {damage}" if damage else None]
            totals["records"] += summary["records"]
            totals["bytes by the drain thread"], totals["bytes by the program's threads"] = (
                a + b for a, b in zip((totals["bytes by the drain thread"], totals["bytes by the program's threads"]), sizes(found[0])))
    totals["runs"] += 1
    totals["killed"] += not has_ended
    totals["tasks counted by the program"] += proven["created"]
    if report.check(name, "; ".join(filter(None, reasons))):
        shutil.rmtree(work)
    else:
        print(f"not ok {name}: {variables}, {team} threads: {'; '.join(filter(None, reasons))}", flush=True)


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    seed = int(os.environ.get("SEED", time.time_ns() % 1000000))
    need(RECORDER, BUILDER)
    programs = {team: compile_witness(team) for team in TEAMS}
    print(f"soak: {minutes:g} minutes, SEED={seed}", flush=True)
    report, totals, rng = Report(), collections.Counter(), random.Random(seed)
    end, loops = time.monotonic() + minutes * 60, Loops()
    try:
        for number, (team, variables) in enumerate(variants()):
            loops.send(signal.SIGSTOP if team == 1 else signal.SIGCONT)
            soak(report, number, programs[team], team, variables, rng, totals)
            if time.monotonic() > end:
                break
    finally:
        loops.send(signal.SIGCONT)
        loops.end()
    print("soak: " + ", ".join(f"{n} {what}" for what, n in totals.items()))
    print(f"soak: {report.failed} runs failed, load {os.getloadavg()[0]:.1f}")
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
