# SPDX-License-Identifier: BSD-3-Clause
"""Checks the rules that concern several locations, after all of them have been read."""
import bisect
import collections

from definitions import UNDEFINED


def is_before(first, second):
    """Is one moment before another? On one location by place, on two by time: at the same time they have no order."""
    return first[2] < second[2] if first[1] == second[1] else first[0] < second[0]


def check_one_task(check, key, task):
    bad = check.report.add
    if task.create is None and check.has_all_teams:
        bad("TASK-NOCREATE", f"task {key} runs and was never created")
    if task.complete is None and check.has_all_teams:
        bad("TASK-NOCOMPLETE", f"task {key} never completes")
    if task.complete is not None and not task.parts:
        bad("TASK-NOTCURRENT", f"task {key} completes and never ran")
    task.parts.sort(key=lambda part: (part.begin[0], part.end[0], part.begin[2]))
    for part in task.parts:
        if task.create is not None and not is_before(task.create, part.begin):
            bad("TASK-CAUSAL", f"task {key} runs at {part.begin[0]}, created at {task.create[0]}")
            break
    for part in task.parts:
        complete = task.complete
        is_after = complete is not None and (
            part.begin[2] > complete[2] if part.begin[1] == complete[1] else part.end[0] > complete[0])
        if is_after:
            bad("TASK-AFTER", f"task {key} runs until {part.end[0]}, after its completion at {complete[0]}")
            break
    for before, after in zip(task.parts, task.parts[1:]):
        if after.begin[0] < before.end[0] and before.begin[1] != after.begin[1]:
            bad("TASK-OVERLAP", f"task {key} runs on {before.begin[1]:#x} and {after.begin[1]:#x} at once")
        if before.begin[1] != after.begin[1] and before.n_open != 0:
            bad("TASK-MIGRATE-OPEN", f"task {key} leaves {before.begin[1]:#x} with {before.n_open} regions open")


def check_tasks(check):
    for key, task in check.tasks.items():
        if key[2] != 0:
            check_one_task(check, key, task)


def check_teams(check):
    begins = {ref: [fork[0] for fork in forks] for ref, forks in check.forks.items()}
    n_instances = collections.Counter((comm, ref) for comm, ref, _, _ in check.teams)
    for comm, ref, begin, end in check.teams:
        if not check.has_all_teams:
            break
        if comm in check.defs.unit_comms:
            continue
        primary = check.defs.tables["Comm"][comm][0][0]
        forks = check.forks.get(primary, [])
        i = bisect.bisect_right(begins.get(primary, []), begin) - 1
        while i is not None and i >= 0 and not (forks[i][1] is not None and forks[i][1] >= end):
            i = forks[i][2] if forks[i][2] is not None else -1
        if i is None or i < 0:
            check.report.add("TEAM-FORK", f"team {comm} on {ref:#x} from {begin} to {end} is inside no fork of {primary:#x}")
    for comm, (members, _) in check.defs.tables["Comm"].items():
        numbers = {n_instances[comm, member] for member in members if (comm, member) not in check.guests - check.residents}
        if comm not in check.defs.unit_comms and len(numbers) > 1 and check.has_all_teams:
            check.report.add("TEAM-INSTANCES", f"the members of team {comm} began it different numbers of times")


def check_threads(check):
    """Threads that the program creates are created, begin, end, and may be waited for, in that order."""
    for (comm, number), thread in check.threads.items():
        order = [what for what in ("create", "begin", "end", "wait") if what in thread]
        what = f"thread {number} of team {comm}"
        if check.has_all_teams and "begin" in thread and "create" not in thread:
            check.report.add("THREAD", f"{what} begins and was never created")
        if "end" in thread and "begin" not in thread or "wait" in thread and "end" not in thread and check.has_all_teams:
            check.report.add("THREAD", f"{what} has {', '.join(order)} only")
        if "end" in thread and "begin" in thread and thread["begin"][1] != thread["end"][1]:
            check.report.add("THREAD", f"{what} begins on {thread['begin'][1]:#x} and ends on {thread['end'][1]:#x}")
        for before, after in zip(order, order[1:]):
            if thread[after][0] < thread[before][0]:
                check.report.add("THREAD", f"{what}: {after} at {thread[after][0]}, {before} at {thread[before][0]}")


def check_acquisition(check, lock, order, moments):
    """Checks an acquisition, its releases and nested acquisitions. The moment of its last release, None if there is none."""
    bad = check.report.add
    depth, holder, released = 0, moments[0][3], None
    for _, moment, is_acquire, who in moments:
        if who != holder:
            bad("LOCK-HOLDER", f"lock {lock}, taken as {order} by {holder}, is {'taken' if is_acquire else 'given back'} by {who}")
        if depth == 0 and (released is not None or not is_acquire):
            bad("LOCK", f"lock {lock} is {'taken again' if is_acquire else 'given back'} as {order}, which is not held")
        depth = max(0, depth + (1 if is_acquire else -1))
        released = moment if depth == 0 else None
    return released


def check_locks(check):
    bad = check.report.add
    for lock, moments in check.locks.items():
        acquisitions = collections.defaultdict(list)
        for moment in moments:
            acquisitions[moment[0]].append(moment)
        before = last_release = None
        held = {}  # who -> (order, when given back)
        for order in sorted(acquisitions):
            own = sorted(acquisitions[order], key=lambda m: (m[1][0], m[1][2]))
            first, who = own[0][1], own[0][3]
            if before is not None and first[0] < before[0]:
                bad("LOCK-ORDER", f"lock {lock} is taken as {order} before the acquisition that precedes it")
            if check.has_all_locks and last_release is not None and first[0] < last_release[0]:  # else a record of the two may be damaged
                bad("LOCK-OVERLAP", f"lock {lock} is taken as {order} at {first[0]}, and released by the one before at {last_release[0]}")
            released = check_acquisition(check, lock, order, own)
            last_release = released
            if who in held and (held[who][1] is None or not is_before(held[who][1], first)):
                bad("LOCK", f"{who} takes lock {lock} as {order} while it has it as {held[who][0]}")
            elif released is None and order != max(acquisitions):
                bad("LOCK", f"lock {lock}, taken as {order} by {who}, is taken again and never given back")
            held[who] = (order, released)
            before = first
        if check.has_all_locks and sorted(acquisitions) != list(range(1, len(acquisitions) + 1)):
            bad("LOCK-ORDER", f"the acquisitions of lock {lock} are not numbered from 1 without gaps")


def check_clock(check):
    used = [l for l in check.locations.values() if l.n_events]
    if not used or check.defs.clock is None:
        return
    resolution, offset, length, realtime = check.defs.clock
    first = min(l.first for l in used)
    last = max(max(l.last for l in used), check.latest or 0)
    if resolution == 0 or not 10 ** 18 < realtime < 10 ** 19:  # ns since 1970: from 2001 on, and not "undefined"
        check.report.add("CLOCK", f"resolution {resolution}, real time {realtime}")
    if offset != first:
        check.report.add("CLOCK", f"offset {offset}, the first event is at {first}")
    if offset + length != last:
        check.report.add("CLOCK", f"the end is {offset + length}, the last event at {last}")


def check_programs(check):
    groups = collections.defaultdict(list)
    for ref, (_, _, group) in check.defs.locations.items():
        groups[group].append(check.locations[ref])
    for group in check.defs.tables["LocationGroup"]:
        locations = groups[group]
        if not locations:
            check.report.add("LG-EMPTY", f"location group {group} has no location")
            continue
        if check.defs.is_device_group(group):
            continue
        with_program = [l for l in locations if l.program]
        if len(with_program) != 1 or [p[2] for p in with_program[0].program] != [True, False]:
            check.report.add("PROGRAM", f"location group {group} has not one ProgramBegin and one ProgramEnd on one location")
            continue
        (begin, begin_time, _), (end, end_time, _) = with_program[0].program
        used = [l for l in locations if l.n_events]
        if begin != 1 or begin_time != min(l.first for l in used):
            check.report.add("PROGRAM", f"ProgramBegin is not the first event of location group {group}")
        if end != with_program[0].n_events or end_time != max(l.last for l in used):
            check.report.add("PROGRAM", f"ProgramEnd is not the last event of location group {group}")


def check_properties(check):
    for name, value in check.properties.items():
        if name.endswith("_COMPLETE") and value == "true" and check.is_truncated:
            check.report.add("PROP", f"{name} is true in a truncated archive")


def check_use(check):
    """
    What the writer always defines (strings, attributes, parameters) may be unused; what stands for something in the program may not. The
    communicator around an initial task has no events of its own, so it counts as used.
    """
    defs = check.defs
    defs.used["Comm"].update(ref for ref, (members, parent) in defs.tables["Comm"].items() if len(members) == 1 and parent == UNDEFINED)
    kinds = ["Region", "SystemTreeNode", "MetricMember", "MetricClass"] + (["Group", "Comm"] if check.has_all_teams else [])
    for kind in kinds:
        for ref in defs.tables[kind]:
            if ref not in defs.used[kind]:
                check.report.add("DEF-UNUSED", f"{kind} {ref} is never used")


def check_all(check):
    for rule in (check_tasks, check_teams, check_threads, check_locks, check_clock, check_programs, check_properties, check_use):
        rule(check)
    defs = check.defs
    check.counts.update(locations=len(defs.locations), processes=sum(not defs.is_device_group(g) for g in defs.tables["LocationGroup"]),
                        devices=sum(defs.is_device_group(g) for g in defs.tables["LocationGroup"]),
                        regions=len(defs.tables["Region"]), comms=len(defs.tables["Comm"]), locks=len(check.locks),
                        truncated=int(check.is_truncated))
