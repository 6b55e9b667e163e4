# SPDX-License-Identifier: BSD-3-Clause
"""Ways to break the good archive: at least one for each rule of rules.py, which breaks that rule and no other."""
import _otf2

from archive import ALLOC, CREATE, FREE, LOCK, MASTER, NONE, OPENMP, PARALLEL, SERIAL, TASK, TEAM, WORKER, allocate


GUEST = 2 << 32  # a location


def find(archive, location, *event):
    """The index of the first event that begins with these values."""
    events = archive["events"][location]
    return next(i for i, e in enumerate(events) if e[:len(event)] == list(event))


def drop(archive, location, *event):
    del archive["events"][location][find(archive, location, *event)]


def change(archive, location, event, new):
    archive["events"][location][find(archive, location, *event)] = new


def insert(archive, location, before, *new):
    place = find(archive, location, *before)
    archive["events"][location][place:place] = [list(event) for event in new]


def append(archive, location, *new):
    archive["events"][location].extend(list(event) for event in new)


def truncate(archive):
    """Marks the archive as one of a trace that was cut."""
    archive["properties"].update({"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE": False, "OTF2::THREAD_LOCK_EVENT_COMPLETE": False,
                                  "OTTER::TRUNCATED": True})


def patch(archive, location, old, new):
    """
    Replaces bytes in the file of a location's events, or, if location is None, in the global definitions: for what the writer
    refuses to write.
    """
    archive["patches"].append((f"traces/{location}.evt" if location is not None else "traces.def", old, new))


def swap_completion(archive):
    events = archive["events"][WORKER]
    i = find(archive, WORKER, "Leave", 40, TASK)
    events[i], events[i + 1] = events[i + 1], events[i]


def stay_open(archive):
    """A task moves to the other thread with its region open, and comes back to leave it."""
    drop(archive, MASTER, "Leave", 45, TASK)
    for event in ("Enter", 60, TASK), ("Leave", 70, TASK), ("ThreadTaskComplete", 70):
        drop(archive, WORKER, *event)
    insert(archive, MASTER, ("Leave", 100, PARALLEL), ["ThreadTaskSwitch", 80, TEAM, 0, 3], ["Leave", 80, TASK],
           ["ThreadTaskComplete", 80, TEAM, 0, 3], ["ThreadTaskSwitch", 80, TEAM, 0, 0])


def end_within_task(archive):
    """The worker's team ends within a task, which completes on the master."""
    insert(archive, MASTER, ("ThreadTaskSwitch", 40), ["ThreadTaskCreate", 33, TEAM, 0, 4])
    insert(archive, WORKER, ("ThreadTeamEnd",), ["ThreadTaskSwitch", 100, TEAM, 0, 4])
    insert(archive, MASTER, ("Leave", 100, PARALLEL), ["ThreadTaskSwitch", 100, TEAM, 0, 4], ["ThreadTaskComplete", 100, TEAM, 0, 4],
           ["ThreadTaskSwitch", 100, TEAM, 0, 0])


def renumber(archive, *changes):
    """Numbers acquisitions anew. changes: (location, name of event, time, new number)."""
    for location, name, time, order in changes:
        change(archive, location, (name, time), [name, time, OPENMP, 0, order])


def run_early(archive):
    """The moving task runs on the worker while it runs on the master."""
    change(archive, WORKER, ("ThreadTaskSwitch", 60), ["ThreadTaskSwitch", 42, TEAM, 0, 3])
    change(archive, WORKER, ("Enter", 60), ["Enter", 42, TASK])


def complete_elsewhere(archive):
    """Another thread, on which the task is current as well, completes the task while it still runs."""
    insert(archive, WORKER, ("ThreadTaskSwitch", 60), ["ThreadTaskSwitch", 50, TEAM, 0, 1], ["ThreadTaskComplete", 50, TEAM, 0, 1],
           ["ThreadTaskSwitch", 50, TEAM, 1, 0])
    drop(archive, MASTER, "ThreadTaskComplete", 60)


def another_gives_back(archive):
    """The implicit task takes the lock, and an explicit one on the same thread releases it."""
    drop(archive, MASTER, "ThreadAcquireLock", 51)
    drop(archive, MASTER, "ThreadReleaseLock", 54)
    drop(archive, MASTER, "ThreadAcquireLock", 53)
    insert(archive, MASTER, ("ThreadTaskSwitch", 40), ["ThreadAcquireLock", 33, OPENMP, 0, 1])


def same_time(archive):
    """A task is created and runs at the same time on the same thread, but the event of its creation comes after."""
    events = archive["events"][MASTER]
    switch = events.pop(find(archive, MASTER, "ThreadTaskSwitch", 40, TEAM, 0, 3))
    enter = events.pop(find(archive, MASTER, "Enter", 40, TASK))
    insert(archive, MASTER, ("Enter", 32, CREATE), [switch[0], 32, *switch[2:]], [enter[0], 32, TASK], ["Leave", 32, TASK],
           ["ThreadTaskSwitch", 32, TEAM, 0, 0])
    insert(archive, MASTER, ("Leave", 45, TASK), ["ThreadTaskSwitch", 40, TEAM, 0, 3], ["Enter", 40, TASK])


def join_inside(archive):
    """The region around a team is entered between fork and team, and left behind the join."""
    insert(archive, MASTER, ("ThreadTeamBegin",), ["Enter", 20, LOCK])
    insert(archive, MASTER, ("MeasurementOnOff", 110), ["Leave", 105, LOCK])


def add_guest(archive):
    """A third thread is in the team twice, only to create a task there, which the worker executes."""
    archive["locations"].append([GUEST, 6, 0])
    archive["groups"][0][2].append(GUEST)
    archive["groups"][2][2].append(2)
    archive["events"][GUEST] = [event for number, time in ((1, 50), (2, 55)) for event in (
        ["ThreadTeamBegin", time, TEAM], ["ThreadTaskCreate", time, TEAM, 2, number], ["ThreadTeamEnd", time, TEAM])]
    insert(archive, WORKER, ("Enter", 80, LOCK), *(event for number, time in ((1, 72), (2, 74)) for event in (
        ["ThreadTaskSwitch", time, TEAM, 2, number], ["ThreadTaskComplete", time, TEAM, 2, number], ["ThreadTaskSwitch", time, TEAM, 1, 0])))


def second_process(archive):
    """Adds a location of another process, which is a member of the team."""
    archive["location_groups"].append([1, 4, _otf2.LOCATION_GROUP_TYPE_PROCESS, 0, NONE])
    archive["locations"][1][2] = 1
    append(archive, WORKER, ["ProgramEnd", 100, 0])
    insert(archive, WORKER, ("Metric", 22), ["ProgramBegin", 22, 12, [14]])


# (all rules that the checker reports, what is wrong, the function that makes it so in the good archive)
FAULTS = [
    ("ALLOC", "an allocation without its size", lambda a: change(allocate(a), MASTER, ("Enter", 150), ["Enter", 150, ALLOC])),
    ("ALLOC", "an allocation without its address", lambda a: change(allocate(a), MASTER, ("Leave", 151), ["Leave", 151, ALLOC, ((1, 64),)])),
    ("ALLOC", "a release of memory without its address", lambda a: change(allocate(a), MASTER, ("Enter", 160), ["Enter", 160, FREE])),
    ("ATTR-TYPE", "an attribute is a number that is defined as a string",
     lambda a: change(a, WORKER, ("ThreadTaskComplete", 70), ["ThreadTaskComplete", 70, TEAM, 0, 3, 0.0])),
    ("BALANCE-LOC", "a region is never left", lambda a: drop(a, WORKER, "Leave", 100, PARALLEL)),
    ("BALANCE-LOC", "another region is left", lambda a: change(a, MASTER, ("Leave", 190), ["Leave", 190, PARALLEL])),
    ("BALANCE-LOC", "a region is left that nobody entered", lambda a: insert(a, MASTER, ("ProgramEnd",), ["Leave", 195, PARALLEL])),
    ("BALANCE-TASK TASK-NOCURRENT", "a task completes with a region open", swap_completion),
    ("CLOCK", "the clock begins before the first event", lambda a: a["clock"].__setitem__(slice(1, 3), [9, 191])),
    ("CLOCK", "the clock's length is too short", lambda a: a["clock"].__setitem__(2, 100)),
    ("CLOCK FLUSH-ALONE", "a flush ends after the clock",
     lambda a: [drop(a, MASTER, "BufferFlush"), insert(a, MASTER, ("Leave", 190), ["BufferFlush", 180, 250])]),
    ("CLOCK", "the clock does not run", lambda a: a["clock"].__setitem__(0, 0)),
    ("CLOCK", "the real time is not known", lambda a: a["clock"].__setitem__(3, 0xFFFFFFFFFFFFFFFF)),
    ("COMM", "a team is of the group of all locations", lambda a: [a["comms"].append([2, 0, SERIAL]), truncate(a)]),
    ("COMM", "a team has no member", lambda a: [a["groups"].append([3, _otf2.GROUP_TYPE_COMM_GROUP, []]),
                                                a["comms"].append([2, 3, SERIAL]), truncate(a)]),
    ("COMM", "a team's members are of two processes", second_process),
    ("DEF-DENSE", "parameters' numbers have a gap", lambda a: a["parameters"].append([9, 7, _otf2.PARAMETER_TYPE_UINT64])),
    ("DEF-DUP", "a string is defined twice", lambda a: a["strings"].append([3, "again"])),
    ("DEF-DUP", "two strings are the same", lambda a: a["strings"].append([18, "status"])),
    ("DEF-DUP", "a location records a metric twice", lambda a: a["recorders"].append([0, WORKER])),
    ("DEF-REF", "a metric class has a member that is not defined", lambda a: [a["metric_classes"].append([1, [3]]), a["recorders"].append([1, WORKER]),
                                                                          truncate(a)]),
    ("DEF-DUP", "a team is defined twice", lambda a: [
        a["groups"].append([3, _otf2.GROUP_TYPE_COMM_GROUP, [0, 1]]), a["comms"].append([2, 3, SERIAL]), truncate(a)]),
    ("DEF-REF", "a region's name is not defined", lambda a: a["regions"][CREATE].__setitem__(1, 99)),
    ("DEF-REF TEAM-PARENT", "a comm's parent comes after it", lambda a: a["comms"][0].__setitem__(2, TEAM)),
    ("DEF-REF", "a process's creator is not defined", lambda a: a["location_groups"][0].__setitem__(4, 5)),
    ("DEF-UNKNOWN", "a definition of a kind that does not exist", lambda a: [
        a["parameters"].append([1, 7, _otf2.PARAMETER_TYPE_UINT64]),
        patch(a, None, b"\x17\x05\x01\x01\x01\x07", b"\xf0\x05\x01\x01\x01\x07")]),
    ("DEF-UNUSED", "a region that nobody enters", lambda a: a["regions"].append([5, 8])),
    ("DEF-UNUSED", "a team that never runs", lambda a: [
        a["groups"].append([3, _otf2.GROUP_TYPE_COMM_GROUP, [0]]), a["comms"].append([2, 3, SERIAL])]),
    ("DEF-UNUSED", "a metric without a value", lambda a: [a["strings"].append([18, "more"]),
        a["metric_members"].append([1, 18, 0, _otf2.METRIC_ABSOLUTE_POINT, _otf2.TYPE_UINT64]), a["metric_classes"].append([1, [1]])]),
    ("DEF-UNUSED", "a group without a team", lambda a: a["groups"].append([3, _otf2.GROUP_TYPE_COMM_GROUP, [1]])),
    ("DEF-UNUSED", "a node that nothing is on", lambda a: a["nodes"].append([1, 2, 3, 0])),
    ("EVT-COUNT", "a location's definition counts one event less", lambda a: a["counts"].__setitem__(WORKER, -1)),
    ("EVT-REF", "a region that is not defined is entered", lambda a: insert(
        a, MASTER, ("Leave", 190), ["Enter", 150, 77], ["Leave", 151, 77])),
    ("EVT-REF", "a metric class that is not defined", lambda a: insert(a, MASTER, ("Metric", 90), ["Metric", 85, 7, 17])),
    ("EVT-REF", "a string parameter that is not defined",
     lambda a: [a["parameters"].append([1, 7, _otf2.PARAMETER_TYPE_STRING]),
                insert(a, MASTER, ("Leave", 60), ["ParameterString", 57, 1, 88])]),
    ("EVT-REF", "a task of a team that is not defined runs", lambda a: insert(
        a, MASTER, ("Leave", 190), ["ThreadTaskSwitch", 150, 9, 0, 0])),
    ("EVT-UNKNOWN", "an event of a kind that does not exist",
     lambda a: patch(a, MASTER, b"\x38" + bytes(7) + b"\x22\x03", b"\x38" + bytes(7) + b"\xf0\x03")),
    ("FLUSH", "a flush ends before it begins", lambda a: change(a, MASTER, ("BufferFlush",), ["BufferFlush", 70, 65])),
    ("FLUSH-ALONE", "a metric has a value inside of a flush",
     lambda a: change(a, MASTER, ("BufferFlush",), ["BufferFlush", 70, 95])),
    ("FORK-DEPTH", "a region is entered within the fork, and left after the join", join_inside),
    ("FORK-TEAM", "a fork without a team", lambda a: insert(
        a, MASTER, ("MeasurementOnOff", 110), ["ThreadFork", 105, OPENMP, 2], ["ThreadJoin", 106, OPENMP])),
    ("FORK TEAM-FORK", "a fork has no join", lambda a: drop(a, MASTER, "ThreadJoin")),
    ("FORK TEAM-FORK", "a join has no fork", lambda a: drop(a, MASTER, "ThreadFork")),
    ("GROUP", "a team has a member that is no location", lambda a: a["groups"][2].__setitem__(2, [0, 1, 7])),
    ("GROUP", "a team has a member twice", lambda a: a["groups"][2].__setitem__(2, [0, 1, 1])),
    ("GROUP", "a group of another kind", lambda a: [a["groups"].append([3, _otf2.GROUP_TYPE_LOCATIONS, [0]]), truncate(a)]),
    ("GROUP", "a location is missing in the group of all", lambda a: [
        a["locations"].append([2 << 32, 6, 0]), a["events"].__setitem__(2 << 32, [["BufferFlush", 50, 50]])]),
    ("LG-EMPTY", "a process without a location",
     lambda a: a["location_groups"].append([1, 4, _otf2.LOCATION_GROUP_TYPE_PROCESS, 0, NONE])),
    ("LOCK", "a lock is given back twice", lambda a: insert(
        a, MASTER, ("ParameterUnsignedInt", 56), ["ThreadReleaseLock", 55, OPENMP, 0, 1])),
    ("LOCK", "a lock is given back that nobody took",
     lambda a: insert(a, WORKER, ("Leave", 100), ["ThreadReleaseLock", 95, OPENMP, 1, 1])),
    ("LOCK", "a task takes a lock again before it gave it back",
     lambda a: [insert(a, WORKER, ("Leave", 85), ["ThreadAcquireLock", 85, OPENMP, 0, 3]),
                drop(a, WORKER, "ThreadReleaseLock", 85)]),
    ("LOCK", "a cut trace has a lock that is taken again and never given back", lambda a: [
        truncate(a), drop(a, MASTER, "ThreadReleaseLock", 55)]),
    ("LOCK", "a cut trace has a lock that is given back and was never taken", lambda a: [
        truncate(a), drop(a, WORKER, "ThreadAcquireLock")]),
    ("LOCK-HOLDER", "another task than the holder gives a lock back", another_gives_back),
    ("LOCK-ORDER", "an acquisition is left out in the count",
     lambda a: renumber(a, (WORKER, "ThreadAcquireLock", 81, 3), (WORKER, "ThreadReleaseLock", 85, 3))),
    ("LOCK-ORDER LOCK-OVERLAP", "acquisitions are numbered against time",
     lambda a: renumber(a, (MASTER, "ThreadAcquireLock", 51, 2), (MASTER, "ThreadAcquireLock", 53, 2),
                        (MASTER, "ThreadReleaseLock", 54, 2), (MASTER, "ThreadReleaseLock", 55, 2),
                        (WORKER, "ThreadAcquireLock", 81, 1), (WORKER, "ThreadReleaseLock", 85, 1))),
    ("LOCK LOCK-HOLDER", "two acquisitions of a lock have one number",
     lambda a: renumber(a, (WORKER, "ThreadAcquireLock", 81, 1), (WORKER, "ThreadReleaseLock", 85, 1))),
    ("LOCK-OVERLAP", "a lock is taken before it is released",
     lambda a: change(a, WORKER, ("ThreadAcquireLock", 81), ["ThreadAcquireLock", 54, OPENMP, 0, 2])),
    ("MEASURE", "measurement is switched off twice",
     lambda a: insert(a, MASTER, ("MeasurementOnOff", 120), ["MeasurementOnOff", 115, _otf2.MEASUREMENT_OFF])),
    ("MEASURE", "something happens while measurement is off",
     lambda a: insert(a, MASTER, ("MeasurementOnOff", 120), ["BufferFlush", 115, 116])),
    ("METRIC", "a metric's value is of another type", lambda a: insert(a, MASTER, ("Metric", 90), ["Metric", 85, 0, 17 + 0j])),
    ("METRIC", "a metric has two values, and its class one", lambda a: insert(a, MASTER, ("Metric", 90), ["Metric", 85, 0, 17, 1])),
    ("METRIC", "a location has a metric that it does not record", lambda a: a["recorders"].pop()),
    ("METRIC-HOLD", "a value holds until the next one, and does not come first",
     lambda a: [drop(a, WORKER, "Metric", 22), insert(a, WORKER, ("ThreadTaskSwitch", 35), ["Metric", 30, 0, 1])]),
    ("METRIC-HOLD", "a value holds until the next one, and never comes",
     lambda a: [drop(a, WORKER, "Metric", 22), drop(a, WORKER, "Metric", 100)]),
    ("METRIC-HOLD", "a value changes to what it is", lambda a: change(a, MASTER, ("Metric", 90), ["Metric", 90, 0, 1])),
    ("METRIC-NAME", "a value has no name", lambda a: change(a, MASTER, ("Metric", 90), ["Metric", 90, 0, 18])),
    ("PARAM", "a parameter is of another type",
     lambda a: change(a, MASTER, ("ParameterUnsignedInt",), ["ParameterInt", 56, 0, 7])),
    ("PARAM", "a parameter is outside of all regions", lambda a: insert(a, MASTER, ("Enter", 11), ["ParameterUnsignedInt", 11, 0, 7])),
    ("PROGRAM", "the program never ends", lambda a: [drop(a, MASTER, "ProgramEnd"), a["clock"].__setitem__(2, 180)]),
    ("PROGRAM", "something happens after the program's end",
     lambda a: [append(a, WORKER, ["BufferFlush", 201, 201]), a["clock"].__setitem__(2, 191)]),
    ("PROGRAM", "something happens before the program's begin",
     lambda a: [change(a, WORKER, ("Metric", 22), ["Metric", 9, 0, 1]), a["clock"].__setitem__(slice(1, 3), [9, 191])]),
    ("PROP", "a truncated archive calls itself complete", lambda a: a["properties"].__setitem__("OTTER::TRUNCATED", True)),
    ("REGION", "a region has no name", lambda a: a["regions"][LOCK].__setitem__(1, 0)),
    ("STRING-NULL", "string 0 is not empty", lambda a: a["strings"].__setitem__(0, [0, "null"])),
    ("TASK-AFTER", "a task runs after its completion",
     lambda a: insert(a, WORKER, ("Leave", 100), ["ThreadTaskSwitch", 90, TEAM, 0, 2], ["ThreadTaskSwitch", 95, TEAM, 1, 0])),
    ("TASK-AFTER TASK-OVERLAP", "a task is completed on one thread and runs on another", complete_elsewhere),
    ("TASK-CAUSAL", "a task runs before it is created",
     lambda a: [change(a, WORKER, ("ThreadTaskSwitch", 35), ["ThreadTaskSwitch", 30, TEAM, 0, 2]),
                change(a, WORKER, ("Enter", 35), ["Enter", 30, TASK])]),
    ("TASK-CAUSAL", "a task runs at the time of its creation, on another thread",
     lambda a: [change(a, WORKER, ("ThreadTaskSwitch", 35), ["ThreadTaskSwitch", 31, TEAM, 0, 2]),
                change(a, WORKER, ("Enter", 35), ["Enter", 31, TASK])]),
    ("TASK-CAUSAL", "a task runs at the time of its creation, but before it on the same thread", same_time),
    ("TASK-CREATE-TEAM", "a task is created by a thread that is not in the task's team yet", lambda a: insert(
        a, MASTER, ("ThreadFork",), ["ThreadTaskCreate", 15, TEAM, 0, 4]) or insert(
        a, MASTER, ("Leave", 100, PARALLEL), ["ThreadTaskSwitch", 80, TEAM, 0, 4], ["ThreadTaskComplete", 80, TEAM, 0, 4],
        ["ThreadTaskSwitch", 80, TEAM, 0, 0])),
    ("TEAM-INSTANCES", "a thread that comes to create a task stays", lambda a: [add_guest(a), insert(
        a, GUEST, ("ThreadTeamEnd",), ["Enter", 50, CREATE], ["Leave", 50, CREATE])]),
    ("TASK-CREATOR", "a task is created by another thread than its name says",
     lambda a: [change(a, l, e[:2], [e[0], e[1], TEAM, 1, 2]) for l, e in (
         (MASTER, ("ThreadTaskCreate", 31)), (WORKER, ("ThreadTaskSwitch", 35)), (WORKER, ("ThreadTaskComplete", 40)))]),
    ("TASK-DUP", "a task is created twice", lambda a: insert(a, MASTER, ("Leave", 31), ["ThreadTaskCreate", 31, TEAM, 0, 2])),
    ("TASK-AFTER TASK-DUP", "two tasks have one number",
     lambda a: [change(a, l, e[:2], [e[0], e[1], TEAM, 0, 2]) for l, e in (
         (MASTER, ("ThreadTaskCreate", 30)), (MASTER, ("ThreadTaskSwitch", 45)), (MASTER, ("ThreadTaskComplete", 60)))]),
    ("TASK-GEN", "an explicit task has the implicit task's number",
     lambda a: insert(a, MASTER, ("ThreadTaskSwitch", 40), ["ThreadTaskCreate", 33, TEAM, 0, 0])),
    ("TASK-IMPLICIT", "a thread goes back to another's implicit task",
     lambda a: insert(a, WORKER, ("ThreadTaskSwitch", 60), ["ThreadTaskSwitch", 45, TEAM, 0, 0], ["ThreadTaskSwitch", 45, TEAM, 1, 0])),
    ("TASK-MIGRATE-OPEN", "a task moves with its region open", stay_open),
    ("TASK-NOCOMPLETE", "a task never completes", lambda a: drop(a, WORKER, "ThreadTaskComplete", 70)),
    ("TASK-NOCREATE", "a task runs that nobody created", lambda a: drop(a, MASTER, "ThreadTaskCreate", 31)),
    ("TASK-NOCURRENT", "a region is entered between two tasks",
     lambda a: insert(a, MASTER, ("ThreadTaskSwitch", 60), ["Enter", 60, LOCK], ["Leave", 60, LOCK])),
    ("TASK-NOCURRENT", "a flush between two tasks", lambda a: insert(a, MASTER, ("ThreadTaskSwitch", 60), ["BufferFlush", 60, 60])),
    ("TASK-NOTCURRENT", "a task completes that does not run",
     lambda a: [drop(a, WORKER, "ThreadTaskComplete", 40),
                insert(a, WORKER, ("ThreadTaskSwitch", 60), ["ThreadTaskComplete", 45, TEAM, 0, 2], ["ThreadTaskSwitch", 45, TEAM, 1, 0])]),
    ("TASK-OVERLAP", "a task runs on two threads at once", run_early),
    ("TASK-LOCATION", "a task runs on a thread that has left the task's team", lambda a: insert(
        a, MASTER, ("MeasurementOnOff", 110), ["ThreadTaskSwitch", 103, TEAM, 0, 4], ["ThreadTaskComplete", 104, TEAM, 0, 4],
        ["ThreadTaskSwitch", 104, SERIAL, 0, 0]) or insert(a, MASTER, ("ThreadTaskSwitch", 40), ["ThreadTaskCreate", 33, TEAM, 0, 4])),
    ("TASK-TEAM", "a team ends within a task", end_within_task),
    ("TASK-TEAM", "an implicit task runs outside of its team", lambda a: insert(
        a, WORKER, ("ThreadTeamBegin",), ["ThreadTaskSwitch", 22, TEAM, 1, 0])),
    ("TASK-THREAD", "a task's creator is beyond the team", lambda a: insert(
        a, WORKER, ("ThreadTaskSwitch", 60), ["ThreadTaskSwitch", 50, TEAM, 5, 0], ["ThreadTaskSwitch", 50, TEAM, 1, 0])),
    ("TEAM TEAM-INSTANCES", "a team does not end", lambda a: drop(a, WORKER, "ThreadTeamEnd")),
    ("TEAM", "another team ends than the innermost", lambda a: append(a, WORKER, ["ThreadTeamEnd", 100, SERIAL])),
    ("TEAM-FORK", "a thread is in the team after the join",
     lambda a: [change(a, WORKER, ("Leave", 100), ["Leave", 105, PARALLEL]),
                change(a, WORKER, ("ThreadTeamEnd",), ["ThreadTeamEnd", 105, TEAM])]),
    ("TEAM-INSTANCES", "one member begins the team once more",
     lambda a: append(a, WORKER, ["ThreadTeamBegin", 100, TEAM], ["ThreadTeamEnd", 100, TEAM])),
    ("TEAM-MEMBER", "a thread begins a team that it is not in",
     lambda a: insert(a, WORKER, ("ThreadTeamBegin",), ["ThreadTeamBegin", 22, SERIAL])),
    ("TEAM-PARENT", "a team begins in a task of another team than the one around it", lambda a: [
        a["comms"].append([2, 1, SERIAL]), insert(a, MASTER, ("Leave", 100), ["ThreadFork", 80, OPENMP, 1], ["ThreadTeamBegin", 81, 2],
                                                  ["ThreadTeamEnd", 82, 2], ["ThreadJoin", 83, OPENMP])]),
    ("TEAM-PARENT", "a team begins in an initial task that is none of the team around it", lambda a: [
        a["groups"].append([3, _otf2.GROUP_TYPE_COMM_GROUP, [1]]), a["comms"].insert(1, [1, 3, NONE]),
        a["comms"][2].__setitem__(slice(0, 3), [2, 2, 1]),
        [e.__setitem__(2, 2) for events in a["events"].values() for e in events if e[0][:10] in ("ThreadTeam", "ThreadTask")]]),
    ("TIME", "a location's time goes back", lambda a: patch(a, MASTER, b"\x05\x38" + bytes(7), b"\x05\x35" + bytes(7))),
]
