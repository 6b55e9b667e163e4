#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose answers are known from their text (tests/truths/truths.c): are the times that the builder gives true?

How long the runtime takes to start, where it may be blocked, is no program's truth: no bound depends on that. Bounds are wide, and hold on a busy machine, as time without a processor is known: where the kernel does not report it, what depends on that is skipped by name. Of every
program the states' lines, the nodes' times at each level, and the critical path must add up to each other, on one screen and in the tables.
"""
import csv
import json
import re
import sys

from common import *
import path
import states

sys.path.insert(0, str(ROOT / "tests/answers"))
import screen

LEVELS = "task", "scope", "fragment"
PROGRAMS = "taskgroup", "tiny", "triangle", "critical", "fib", "sleeps", "burn", "if0", "final", "behind", "yields", "excluded", "own_locks", "turns", "unseen"
SOURCE = ROOT / "tests/truths/truths.c"
MUTEXES = "critical", "lock", "atomic", "ordered"
UNKNOWN_SHARE = 0.02  # of its work: with more than that a program says nothing about preemption


class Built:
    """A recorded program, built at all levels."""

    def __init__(self, work, dump, name):
        self.name, self.out, self.reason = name, {}, None
        for level in LEVELS:
            self.out[level] = work / level
            result = run([BUILDER, "--csv", "--summary", "--states", f"--graph={level}", "-o", self.out[level], dump])
            self.reason = self.reason or result.why([0])
            if level == "fragment":
                self.screen = result.out
        if self.reason:
            return
        answer = run([BUILDER, "--answer", "-o", work / "answer", dump])
        self.reason, self.first_screen = answer.why([0]), answer.out
        if self.reason:
            return
        summary = json.loads((work / "answer/summary.json").read_text())
        self.answer, self.wrong_answer = summary["answer"], screen.flaw(self.first_screen, summary, work / "answer")
        self.waited = list(csv.DictReader((work / "answer/waits.csv").open()))
        self.graphs = {level: Graph(self.out[level]) for level in LEVELS}
        self.summary = json.loads((self.out["fragment"] / "summary.json").read_text())
        self.path = self.summary["path"]
        self.states = states.States(self.out["fragment"])

    def knows_processors(self):
        found = self.summary["processors"]
        return found is not None and found["unknown_ns"] <= UNKNOWN_SHARE * found["work_ns"]

    def of(self, kind, level="task"):
        return [n for n in self.graphs[level].nodes if n["kind"] == kind]

    def ns_in(self, *names):
        return sum(ns for (_, state), (_, ns) in self.states.sums.items() if state in names)

    def waits(self):
        """(begin, end) of all waiting, of all threads."""
        return sorted((b, e) for spans in self.states.intervals.values() for s, b, e in spans if s.startswith("wait_"))


def outside(what, found, low, high):
    return None if low <= found <= high else f"{what} is {found:.6g}, not {low:g} to {high:g}"


# ---- What is known of each program: None, or what is wrong ----


def taskgroup(b):
    """One thread is in the task, the other one waits for it at the end of the taskgroup, as long as the task is not over."""
    task, = b.of("task")
    lasts = int(task["end_ns"]) - int(task["begin_ns"])
    return outside("waiting in the taskgroup, of what the task lasts,", b.ns_in("wait_taskgroup") / lasts, 0.3, 1.02) or outside("parallelism", b.path["parallelism"], 0, 1.3)


def behind(b):
    """Each thread that waits, wherever it does, waits for a task: there is nothing else that runs."""
    for row in b.waited:
        rows = [r for r in b.waited if (r["construct"], r["state"]) == (row["construct"], row["state"])]
        known = [int(r["for_ns"]) for r in rows if r["for"]]
        tasks = sum(int(r["for_ns"]) for r in rows if r["for_label"].startswith("task"))
        is_behind = row["state"] in ("wait_taskwait", "wait_barrier_implicit_workshare", "wait_barrier_implementation")
        if is_behind and int(row["total_ns"]) > 20e6 and tasks < max(0.9 * sum(known), 0.1 * int(row["total_ns"])):
            return f"of {row['total_ns']} ns at {row['label']} threads waited {tasks} ns for tasks: {rows}"
    return outside("places at which a thread waits for tasks", sum(r["for_label"].startswith("task") for r in b.waited), 1, 10)


def tiny(b):
    """No thread waits while a task is ready: from its creation until it is begun."""
    ready = sorted((int(n["create_ns"]), int(n["begin_ns"])) for n in b.of("task") if "undeferred" not in n["flags"])
    joined = []
    for begin, end in ready:
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    waits, wrong, i = b.waits(), 0, 0
    for begin, end in waits:
        while i < len(joined) and joined[i][1] <= begin:
            i += 1
        for since, until in joined[i:]:
            if since >= end:
                break
            wrong += max(0, min(end, until) - max(begin, since) - 2)  # each time is rounded by itself
    return f"threads wait {wrong} ns while tasks are ready" if wrong else outside("tasks", len(ready), 1, 20000)


def triangle(b):
    """The turns of the first thread are a quarter of all."""
    for level in LEVELS:
        of_task = {}
        for n in b.graphs[level].nodes:
            of_task[n["task"]] = of_task.get(n["task"], 0) + int(n["busy_ns"])
        times = sorted(of_task[n["task"]] for n in b.of("implicit", level))
        reason = f"{len(times)} implicit tasks" if len(times) != 2 else outside(f"ratio of the threads' times at the level {level}", times[1] / times[0], 2.2, 4)
        if reason:
            return reason
    return None


def critical(b):
    """Nine tenths of the turns are in one critical section."""
    held = b.path["exclusion"]
    waited = [r for r in b.waited if r["state"] == "wait_critical"]
    if waited and sum(int(r["for_ns"]) for r in waited if r["for"] == r["construct"]) < 0.99 * int(waited[0]["total_ns"]):
        return f"threads do not wait for the thread in the section: {waited}"
    return (f"what excludes is {held}" if not held or held["count"] != 400 or held["kind"] != "critical" else None) or outside("parallelism at most", b.path["parallelism_at_most"], 0, 1.2)


def fib(b):
    """On one thread there is no other thread to wait for."""
    waited = sum(end - begin for begin, end in b.waits())
    return f"it waits {waited} ns for no thread" if waited else None


def sleeps(b):
    """0.1 s of sleep is no work, and what comes after it comes after that."""
    task, = b.of("task")
    return (outside("blocked", int(task["blocked_ns"]), 90e6, 10e9) or outside("executed", int(task["busy_ns"]), 0, 50e6) or
            outside("span", b.path["span_ns"], 90e6, 10e9) or outside("work", b.path["work_ns"], 0, 80e6))


def unseen(b):
    """0.2 s of processor time were another thread's, and without them the task would not have waited: nothing is said to be faster than these."""
    processors, limits = b.summary["processors"], (*b.answer["others"], b.answer)
    blocked = [row["possible_speedup"] for row in limits if row["limit"] == "blocked"]
    least_ns = processors["unseen_ns"] / min(b.answer["threads"], b.answer.get("processors", 2))
    return (outside("unseen", processors["unseen_ns"], 170e6, 400e6) or
            outside("the run without blocked time, of what the other thread's work takes,", b.answer["wall_ns"] / max(blocked, default=1) / least_ns, 0.99, 1e9) or
            (None if "unseen " in b.first_screen else "the screen does not say it"))


def burn(b):
    """Another process wants the same processor all the time."""
    task, = b.of("task")
    lasts, busy, lost = int(task["end_ns"]) - int(task["begin_ns"]), int(task["busy_ns"]), b.ns_in("preempted")
    return (outside("executed, of what the task lasts,", busy / lasts, 0, 0.8) or outside("preempted, of what the task lasts,", lost / lasts, 0.2, 1.2) or
            outside("the task's own part of what the thread was preempted", int(task["preempted_ns"]) / lost, 0.5, 1.001) or
            outside("work, of what the task executed,", b.path["work_ns"] / busy, 0.99, 1.5))


def excluded(b):
    """No task may begin while another one runs: threads wait for that, and neither is the runtime slow nor would more processors help."""
    tasks = sorted(b.of("task"), key=lambda n: int(n["begin_ns"]))
    for before, task in zip(tasks, tasks[1:]):
        since = max(int(before["end_ns"]), int(task["create_ns"]))
        if abs(int(task["begin_ns"]) - since - int(task["ready_ns"])) > 2:
            return f"a task was ready for {task['ready_ns']} ns, from the end of the one before for {int(task['begin_ns']) - since} ns"
    limits = {row["limit"]: row["why"]["blamed_ns"] for row in (*b.answer["others"], b.answer)}
    executed = sum(int(n["busy_ns"]) for n in tasks)
    return outside("what is blamed on exclusion, of what tasks executed,", limits.get("exclusion", 0) / executed, 0.3, 2)


def own_locks(b):
    """Each thread acquires its own lock, 20000 times: no thread waits for another one."""
    limits = {row["limit"] for row in (*b.answer["others"], b.answer)}
    of_lock = {row["state"]: row for row in b.waited if row["kind"] == "lock"}
    if "exclusion" in limits or "wait_lock" in of_lock or b.answer["account_ns"].get("exclusion", 0):
        return f"threads are said to wait: {limits}, {of_lock}, {b.answer['account_ns']}"
    return outside("acquisitions", int(of_lock["overhead"]["count"]), 40000, 40000)


def turns(b):
    """An ordered loop whose iterations two threads execute in turns: each waits for the other one, though no thread is in the ordered part."""
    waited = {row["state"]: int(row["total_ns"]) for row in b.waited if row["kind"] == "ordered"}
    return outside("waiting for the turn, of all that ordered takes,", waited.get("wait_ordered", 0) / sum(waited.values()), 0.9, 1)


def yields(b):
    """On one processor threads work no longer than the region lasts, as far as it is known. What the kernel had no room for is not."""
    processors, lasts = b.summary["processors"], max(int(n["end_ns"]) - int(n["begin_ns"]) for n in b.of("implicit"))
    work = b.ns_in("work_parallel")
    return outside("work of which it is known, of what the region lasts,", (work - processors["unknown_ns"]) / lasts, 0, 1.05)


def in_turns(b):
    """Each task ends before the next one is created."""
    executed = sum(int(n["busy_ns"]) for n in b.of("task"))
    return (outside("tasks", len(b.of("task")), 100, 101) or outside("parallelism", b.path["parallelism"], 0, 1.1) or
            outside("span, of what the tasks executed,", b.path["span_ns"] / executed, 0.999, 10000))


TRUTHS = {"taskgroup": taskgroup, "tiny": tiny, "triangle": triangle, "critical": critical, "fib": fib, "sleeps": sleeps, "burn": burn, "if0": in_turns, "final": in_turns, "behind": behind, "yields": yields, "excluded": excluded, "own_locks": own_locks, "turns": turns, "unseen": unseen}
NEED_PROCESSORS = "triangle", "critical", "sleeps", "burn", "if0", "final", "taskgroup", "excluded", "unseen"


def ready_flaw(n, depends):
    """A task without dependences is ready from its creation to its begin. Of undeferred ones alone it is known what they cost, which is in that time."""
    if n["kind"] != "task" or n["state"] == "never started":
        return "something that is no task was ready" if n["ready_ns"] or n["creation_ns"] else None
    ready, is_undeferred = int(n["begin_ns"]) - int(n["create_ns"]), "undeferred" in n["flags"]
    if int(n["ready_ns"]) > ready + 1 or not depends and int(n["ready_ns"]) < ready - 1:
        return f"it was ready for {n['ready_ns']} ns, from its creation to its begin {ready} ns"
    if is_undeferred != (n["creation_ns"] != "") or (is_undeferred and int(n["creation_ns"]) > ready + 1):
        return f"it cost {n['creation_ns'] or 'nothing'}, and is {n['flags']}"
    return None


def sums_flaw(b):
    """Do all outputs of one program agree? Returns None, or what differs."""
    executed = b.ns_in(*states.EXECUTING)
    for level in LEVELS:
        nodes = b.graphs[level].nodes
        total = sum(int(n["busy_ns"]) for n in nodes)
        if level != "scope" and abs(total - executed) > len(nodes) + 1:
            return f"nodes at the level {level} executed {total} ns, threads {executed} ns"
        blocked = sum(int(n["blocked_ns"] or 0) for n in nodes)
        if b.summary["processors"] and abs(blocked - b.ns_in("blocked")) > len(nodes) + 1:
            return f"nodes at the level {level} were blocked {blocked} ns, threads {b.ns_in('blocked')} ns"
        waits = {state for _, state in b.states.sums if state.startswith("wait_") and not state.startswith("wait_target")}
        waited, threads = sum(int(n["wait_ns"] or 0) for n in nodes), b.ns_in(*waits)
        if abs(waited - threads) > len(nodes) + len(b.states.sums):
            return f"nodes at the level {level} waited {waited} ns, threads {threads} ns"
        preempted = sum(int(n["preempted_ns"] or 0) for n in nodes)
        if preempted > b.ns_in("preempted") + len(nodes):  # less: a thread may be between two tasks
            return f"nodes at the level {level} were preempted for {preempted} ns, threads for {b.ns_in('preempted')} ns"
        for n in nodes:
            reason = ready_flaw(n, b.name in ("behind", "excluded"))
            if reason:
                return f"node {n['id']} at the level {level}: {reason}"
    if abs(b.path["work_ns"] - executed) > len(b.graphs["fragment"].nodes) + 1:
        return f"the path has {b.path['work_ns']} ns of work, threads {executed} ns"
    return None


def waits_flaw(b):
    """waits.csv, the answer, and the threads' states: the same times, at the same places. None or what differs."""
    states_ns = sum(ns for (_, state), (_, ns) in b.states.sums.items() if state.startswith("wait_"))
    places = {}
    for row in b.waited:
        places.setdefault((row["construct"], row["state"]), []).append(row)
    # While a thread acquires a mutex that is free, it is in a state in which threads wait, and does not wait.
    waited = sum(int(rows[0]["total_ns"]) for (_, state), rows in places.items() if state.startswith("wait_") or rows[0]["kind"] in MUTEXES)
    if abs(waited - states_ns) > len(places) + len(b.states.sums):
        return f"threads waited {waited} ns at all places, and {states_ns} ns in all states"
    for (construct, state), rows in places.items():
        if abs(sum(int(r["for_ns"]) for r in rows) - int(rows[0]["total_ns"])) > len(rows):
            return f"what was waited for is not what was waited: {rows}"
        if state == "wait_taskgroup" and rows[0]["line"] and "omp taskgroup" not in SOURCE.read_text().splitlines()[int(rows[0]["line"]) - 1]:
            return f"a taskgroup is not in line {rows[0]['line']}"
        if state == "wait_taskgroup" and not rows[0]["label"].startswith("taskgroup@"):
            return f"threads wait at the end of a taskgroup at no place: {rows}"
    for wait in b.answer["waits"]:
        told = wait["for_share"] * wait["total_ns"]
        same = [r for r in b.waited if r["kind"] == wait["construct"]["kind"] and int(r["total_ns"]) == wait["total_ns"]]
        longest = max((int(r["for_ns"]) for r in same if r["for"]), default=0)
        if same and abs(told - longest) > 2:
            return f"{wait['construct']} is said to have waited {told} ns for {wait['for']}, and waits.csv has {longest}"
    return None


def unknown_flaw(b):
    """The first screen says where it is not known whether threads had processors. None or what is wrong."""
    found, said = b.summary["processors"], re.search(r"^not seen    context switches(?: for (\d+)% of the work)?:", b.first_screen, re.M)
    share = 100 * found["unknown_ns"] / max(found["work_ns"], 1) if found else 0
    is_told = said is not None and (said[1] is None if found is None else said[1] is not None and abs(int(said[1]) - share) <= 0.51)
    is_worth_a_word = found is None or share >= 1
    return None if is_told == is_worth_a_word and (is_told or said is None) else f"it says {said and said[0]!r} of {found}"


def screen_flaw(b):
    """The same on the terminal, as far as its figures have digits: path, shares of all threads, and of each thread."""
    work = re.search(r"work ([\d.]+) s", b.screen)
    line = re.search(r"^states +(.*)$", b.screen, re.M)
    if not work or not line:
        return "the screen has no work or no states"
    shares = {name: float(share) for share, name in re.findall(r"([\d.]+)% (\w+)", line[1])}
    life = sum(ns for _, ns in b.states.sums.values())
    seen = sum(shares.get(name, 0) for name in states.EXECUTING) / 100 * life
    slack = life * 0.0005 * (len(states.EXECUTING) + 1) + 1000
    if abs(seen - float(work[1]) * 1e9) > slack:
        return f"the states' line has {seen / 1e9:.6f} s of work, the path {work[1]} s"
    for name in states.OFF:
        found = re.search(rf"^processor .*{name} ([\d.]+)%", b.screen, re.M)
        if b.summary["processors"] and (not found or abs(float(found[1]) - shares.get(name, 0)) > 0.11):
            return f"{name} is {found and found[1]} % in one line and {shares.get(name, 0)} % in another"
    return outside("the sum of all states in percent", sum(shares.values()), 99, 101)


# ---- Running ----


def record(work, program, argument, env):
    """Runs it; `burn` on one processor, which a second process wants as well, `yields` on one."""
    one = str(min(os.sched_getaffinity(0)))
    if argument != "burn":
        return run([*(["taskset", "-c", one] if argument == "yields" else []), program, argument], env)
    with subprocess.Popen(["taskset", "-c", one, program, "forever"], stdin=subprocess.DEVNULL) as other:
        try:
            return run(["taskset", "-c", one, program, argument], env)
        finally:
            other.kill()


def test(job):
    """What has bounds of time is tried three times: what a hypervisor takes is in no record. What holds exactly must hold at once."""
    for _ in range(3):
        report, is_bound_alone = try_once(*job)
        if not is_bound_alone:
            break
    return report


def try_once(compiler, argument):
    """The Report, and whether nothing but a bound of time is wrong."""
    report, name = Report(), f"truths/{argument}-{compiler}"
    if not compiler_found(compiler):
        report.skip(name, f"no {COMPILERS[compiler]}")
        return report, False
    if argument in ("burn", "yields") and not shutil.which("taskset"):
        report.skip(name, "no taskset")
        return report, False
    with alone(WORK / "truths" / f"{argument}-{compiler}") as work:
        program = work / "truths"
        if not report.check(f"{name}/compile", compile_program(SOURCE, program, compiler).why([0])):
            return report, False
        env = {**preload_for(compiler), "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(work)}
        reason, dumps = record(work, program, argument, env).why([0]), dumps_in(work)
        if not report.check(f"{name}/record", reason or (f"{len(dumps)} dumps" if len(dumps) != 1 else None)):
            return report, False
        b = Built(work, dumps[0], argument)
        if not report.check(f"{name}/build", b.reason):
            return report, False
        is_bound_alone = False
        report.check(f"{name}/sums", sums_flaw(b) or path.flaw(b.graphs["fragment"], b.summary))
        report.check(f"{name}/screen", screen_flaw(b))
        report.check(f"{name}/answer", b.wrong_answer)
        report.check(f"{name}/waits", waits_flaw(b))
        report.check(f"{name}/unknown", unknown_flaw(b))
        has_switches = b.summary["processors"] and not b.summary["processors"]["unknown_threads"]
        if argument == "yields" and not has_switches or argument in NEED_PROCESSORS and not b.knows_processors():
            report.skip(f"{name}/truth", "the kernel does not report when threads have a processor")
        else:
            has_bounds = argument in (*NEED_PROCESSORS, "yields")
            is_bound_alone = not report.check(f"{name}/truth", TRUTHS[argument](b)) and report.failed == 1 and has_bounds
        if report.failed == 0 and "KEEP" not in os.environ:
            shutil.rmtree(work)
    return report, is_bound_alone


def main():
    need(RECORDER, BUILDER)
    wanted = sys.argv[1:] or PROGRAMS
    return 0 if run_all([(c, p) for c in ("clang", "gcc") for p in wanted], test) else 1


if __name__ == "__main__":
    sys.exit(main())
