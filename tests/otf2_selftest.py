#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does otf2_check.py refuse what it must? Writes one small good archive, and one with each fault, and asks it about all of them.

The archives are written through OTF2's Python bindings alone. A line "ok" or "not ok" for each.
"""
import copy
import os
import subprocess
import sys
import tempfile

try:
    import _otf2
except ImportError:
    print("skip: OTF2's Python bindings (python3-otf2) are not installed")
    sys.exit(77)

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "otf2_check.py")
MASTER, WORKER = 0, 1 << 32
OPENMP = _otf2.PARADIGM_OPENMP
NONE = 0xFFFFFFFF
INITIAL, PARALLEL, TASK, CREATE, LOCK = range(5)  # regions
SERIAL, TEAM = range(2)  # comms


def good():
    """Two threads: one task runs where it was made, one elsewhere, one moves with its region closed and opened again."""
    strings = ["", "OpenMP", "machine", "node", "process", "Master thread", "OMP thread 1", "initial task", "parallel", "task",
               "create task", "omp_set_lock", "program", "iterations", "argument", "status"]
    return {
        "properties": {"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE": True, "OTF2::THREAD_LOCK_EVENT_COMPLETE": True,
                       "OTTER::TRUNCATED": False},
        "clock": [1000, 10, 190, 5],
        "strings": [[i, text] for i, text in enumerate(strings)],
        "attributes": [[0, 15, 0, _otf2.TYPE_STRING]],
        "locations": [[MASTER, 5, 0], [WORKER, 6, 0]],
        "counts": {},
        "regions": [[INITIAL, 7], [PARALLEL, 8], [TASK, 9], [CREATE, 10], [LOCK, 11]],
        "groups": [[0, _otf2.GROUP_TYPE_COMM_LOCATIONS, [MASTER, WORKER]], [1, _otf2.GROUP_TYPE_COMM_GROUP, [0]],
                   [2, _otf2.GROUP_TYPE_COMM_GROUP, [0, 1]]],
        "comms": [[SERIAL, 1, NONE], [TEAM, 2, SERIAL]],
        "parameters": [[0, 13, _otf2.PARAMETER_TYPE_UINT64]],
        "events": {
            MASTER: [
                ["ProgramBegin", 10, 12, [14]],
                ["Enter", 11, INITIAL],
                ["ThreadFork", 20, OPENMP, 2],
                ["ThreadTeamBegin", 21, TEAM], ["Enter", 21, PARALLEL],
                ["Enter", 30, CREATE], ["ThreadTaskCreate", 30, TEAM, 0, 1], ["Leave", 30, CREATE],
                ["Enter", 31, CREATE], ["ThreadTaskCreate", 31, TEAM, 0, 2], ["Leave", 31, CREATE],
                ["Enter", 32, CREATE], ["ThreadTaskCreate", 32, TEAM, 0, 3], ["Leave", 32, CREATE],
                ["ThreadTaskSwitch", 40, TEAM, 0, 3], ["Enter", 40, TASK],
                ["Leave", 45, TASK], ["ThreadTaskSwitch", 45, TEAM, 0, 1], ["Enter", 45, TASK],
                ["Enter", 50, LOCK], ["ThreadAcquireLock", 51, OPENMP, 0, 1], ["Leave", 51, LOCK],
                ["Enter", 55, LOCK], ["ThreadReleaseLock", 55, OPENMP, 0, 1], ["Leave", 55, LOCK],
                ["ParameterUnsignedInt", 56, 0, 7],
                ["Leave", 60, TASK], ["ThreadTaskComplete", 60, TEAM, 0, 1], ["ThreadTaskSwitch", 60, TEAM, 0, 0],
                ["BufferFlush", 70, 75],
                ["Leave", 100, PARALLEL], ["ThreadTeamEnd", 100, TEAM],
                ["ThreadJoin", 101, OPENMP],
                ["MeasurementOnOff", 110, _otf2.MEASUREMENT_OFF], ["MeasurementOnOff", 120, _otf2.MEASUREMENT_ON],
                ["Leave", 190, INITIAL],
                ["ProgramEnd", 200, 0],
            ],
            WORKER: [
                ["ThreadTeamBegin", 22, TEAM], ["Enter", 22, PARALLEL],
                ["ThreadTaskSwitch", 35, TEAM, 0, 2], ["Enter", 35, TASK],
                ["Leave", 40, TASK], ["ThreadTaskComplete", 40, TEAM, 0, 2], ["ThreadTaskSwitch", 40, TEAM, 1, 0],
                ["ThreadTaskSwitch", 60, TEAM, 0, 3], ["Enter", 60, TASK],
                ["Leave", 70, TASK], ["ThreadTaskComplete", 70, TEAM, 0, 3, "status"], ["ThreadTaskSwitch", 70, TEAM, 1, 0],
                ["Enter", 80, LOCK], ["ThreadAcquireLock", 81, OPENMP, 0, 2], ["Leave", 81, LOCK],
                ["Enter", 85, LOCK], ["ThreadReleaseLock", 85, OPENMP, 0, 2], ["Leave", 85, LOCK],
                ["Leave", 100, PARALLEL], ["ThreadTeamEnd", 100, TEAM],
            ],
        },
    }


def find(archive, location, *event):
    """The place of the first event that begins like this."""
    events = archive["events"][location]
    return next(i for i, e in enumerate(events) if e[:len(event)] == list(event))


def drop(archive, location, *event):
    del archive["events"][location][find(archive, location, *event)]


def change(archive, location, event, new):
    archive["events"][location][find(archive, location, *event)] = new


def insert(archive, location, before, new):
    archive["events"][location].insert(find(archive, location, *before), new)


def swap_completion(archive):
    """The task completes before its region is left."""
    events = archive["events"][WORKER]
    i = find(archive, WORKER, "Leave", 40, TASK)
    events[i], events[i + 1] = events[i + 1], events[i]


def stay_open(archive):
    """Moves to the other thread with its region open."""
    drop(archive, MASTER, "Leave", 45, TASK)
    insert(archive, MASTER, ("Leave", 100, PARALLEL), ["Leave", 100, TASK])
    drop(archive, WORKER, "Enter", 60, TASK)
    drop(archive, WORKER, "Leave", 70, TASK)


# What it is called when ..., and how to make that of the good archive.
FAULTS = [
    ("BALANCE-LOC", "a region is never left", lambda a: drop(a, WORKER, "Leave", 100, PARALLEL)),
    ("BALANCE-LOC", "another region is left", lambda a: change(a, MASTER, ("Leave", 190), ["Leave", 190, PARALLEL])),
    ("BALANCE-TASK", "a task completes with a region open", swap_completion),
    ("CLOCK", "the clock begins before the first event", lambda a: a["clock"].__setitem__(1, 9)),
    ("CLOCK", "the clock's length is too short", lambda a: a["clock"].__setitem__(2, 100)),
    ("DEF-DENSE", "region numbers have a gap", lambda a: a["regions"].append([9, 8])),
    ("DEF-DUP", "a string is defined twice", lambda a: a["strings"].append([3, "again"])),
    ("DEF-REF", "a region's name is not defined", lambda a: a["regions"].append([5, 99])),
    ("DEF-REF", "a comm's parent comes after it", lambda a: a["comms"][0].__setitem__(2, TEAM)),
    ("EVT-COUNT", "a location's definition counts one event less", lambda a: a["counts"].__setitem__(WORKER, -1)),
    ("EVT-REF", "a region that is not defined is entered", lambda a: change(a, MASTER, ("Enter", 11), ["Enter", 11, 77])),
    ("EVT-REF", "a comm that is not defined begins", lambda a: change(a, WORKER, ("ThreadTeamBegin",), ["ThreadTeamBegin", 22, 9])),
    ("FLUSH", "a flush ends before it begins", lambda a: change(a, MASTER, ("BufferFlush",), ["BufferFlush", 70, 65])),
    ("FORK", "a fork has no join", lambda a: drop(a, MASTER, "ThreadJoin")),
    ("GROUP", "a team has a member that is no location", lambda a: a["groups"][2].__setitem__(2, [0, 7])),
    ("GROUP", "a team has a member twice", lambda a: a["groups"][2].__setitem__(2, [0, 1, 1])),
    ("LOCK", "a lock is given back as another acquisition",
     lambda a: change(a, MASTER, ("ThreadReleaseLock",), ["ThreadReleaseLock", 55, OPENMP, 0, 9])),
    ("LOCK-ORDER", "two acquisitions of a lock have one number",
     lambda a: [change(a, WORKER, (e,), [e, t, OPENMP, 0, 1]) for e, t in (("ThreadAcquireLock", 81), ("ThreadReleaseLock", 85))]),
    ("LOCK-ORDER", "acquisitions are numbered against time",
     lambda a: [change(a, l, (e,), [e, t, OPENMP, 0, n])
                for l, e, t, n in ((MASTER, "ThreadAcquireLock", 51, 2), (MASTER, "ThreadReleaseLock", 55, 2),
                                   (WORKER, "ThreadAcquireLock", 81, 1), (WORKER, "ThreadReleaseLock", 85, 1))]),
    ("MEASURE", "measurement is switched off twice",
     lambda a: insert(a, MASTER, ("MeasurementOnOff", 120), ["MeasurementOnOff", 115, _otf2.MEASUREMENT_OFF])),
    ("MEASURE", "something happens while measurement is off",
     lambda a: insert(a, MASTER, ("MeasurementOnOff", 120), ["BufferFlush", 115, 116])),
    ("PARAM", "a parameter is of another type",
     lambda a: change(a, MASTER, ("ParameterUnsignedInt",), ["ParameterInt", 56, 0, 7])),
    ("PARAM", "a parameter is outside of all regions", lambda a: insert(a, MASTER, ("Enter", 11), ["ParameterUnsignedInt", 11, 0, 7])),
    ("PROGRAM", "the program never ends", lambda a: drop(a, MASTER, "ProgramEnd")),
    ("PROGRAM", "something happens after the program's end", lambda a: a["events"][WORKER].append(["BufferFlush", 201, 201])),
    ("PROP", "a truncated archive calls itself complete", lambda a: a["properties"].__setitem__("OTTER::TRUNCATED", True)),
    ("STRING-NULL", "string 0 is not empty", lambda a: a["strings"].__setitem__(0, [0, "null"])),
    ("TASK-AFTER", "a task runs after its completion",
     lambda a: [insert(a, WORKER, ("Leave", 100), ["ThreadTaskSwitch", 90, TEAM, 0, 2]),
                insert(a, WORKER, ("Leave", 100), ["ThreadTaskSwitch", 95, TEAM, 1, 0])]),
    ("TASK-CAUSAL", "a task runs before it is created",
     lambda a: [change(a, WORKER, ("ThreadTaskSwitch", 35), ["ThreadTaskSwitch", 30, TEAM, 0, 2]),
                change(a, WORKER, ("Enter", 35), ["Enter", 30, TASK])]),
    ("TASK-CREATOR", "a task is created by another thread than it says",
     lambda a: change(a, MASTER, ("ThreadTaskCreate", 31), ["ThreadTaskCreate", 31, TEAM, 1, 2])),
    ("TASK-DUP", "two tasks have one number",
     lambda a: change(a, MASTER, ("ThreadTaskCreate", 31), ["ThreadTaskCreate", 31, TEAM, 0, 1])),
    ("TASK-GEN", "an explicit task has the implicit task's number",
     lambda a: insert(a, MASTER, ("ThreadTaskSwitch", 40), ["ThreadTaskCreate", 33, TEAM, 0, 0])),
    ("TASK-IMPLICIT", "a thread goes back to another's implicit task",
     lambda a: change(a, WORKER, ("ThreadTaskSwitch", 40), ["ThreadTaskSwitch", 40, TEAM, 0, 0])),
    ("TASK-MIGRATE-OPEN", "a task moves with its region open", stay_open),
    ("TASK-NOCOMPLETE", "a task never completes", lambda a: drop(a, WORKER, "ThreadTaskComplete", 70)),
    ("TASK-NOCREATE", "a task runs that nobody created", lambda a: drop(a, MASTER, "ThreadTaskCreate", 31)),
    ("TASK-NOCURRENT", "a region is entered between two tasks",
     lambda a: [insert(a, MASTER, ("ThreadTaskSwitch", 60), ["Enter", 60, LOCK]),
                insert(a, MASTER, ("ThreadTaskSwitch", 60), ["Leave", 60, LOCK])]),
    ("TASK-NOTCURRENT", "a task completes that does not run",
     lambda a: change(a, WORKER, ("ThreadTaskComplete", 40), ["ThreadTaskComplete", 40, TEAM, 0, 3])),
    ("TASK-OVERLAP", "a task runs on two threads at once",
     lambda a: [change(a, WORKER, ("ThreadTaskSwitch", 60), ["ThreadTaskSwitch", 42, TEAM, 0, 3]),
                change(a, WORKER, ("Enter", 60), ["Enter", 42, TASK])]),
    ("TASK-TEAM", "a team ends within a task", 
     lambda a: insert(a, WORKER, ("ThreadTeamEnd",), ["ThreadTaskSwitch", 100, TEAM, 0, 2])),
    ("TASK-THREAD", "a task's creator is beyond the team",
     lambda a: change(a, WORKER, ("ThreadTaskSwitch", 60), ["ThreadTaskSwitch", 60, TEAM, 5, 3])),
    ("TEAM", "a team does not end", lambda a: drop(a, WORKER, "ThreadTeamEnd")),
    ("TEAM-FORK", "a thread is in the team after the join",
     lambda a: [change(a, WORKER, ("Leave", 100), ["Leave", 105, PARALLEL]),
                change(a, WORKER, ("ThreadTeamEnd",), ["ThreadTeamEnd", 105, TEAM])]),
    ("TEAM-INSTANCES", "one member begins the team once more",
     lambda a: [a["events"][WORKER].extend([["ThreadTeamBegin", 100, TEAM], ["ThreadTeamEnd", 100, TEAM]])]),
    ("TEAM-MEMBER", "a thread begins a team that it is not in",
     lambda a: change(a, WORKER, ("ThreadTeamBegin",), ["ThreadTeamBegin", 22, SERIAL])),
]


def pre_flush(data, file_type, location, caller, final):
    return _otf2.FLUSH


def write_definitions(handle, archive):
    w = _otf2.Archive_GetGlobalDefWriter(handle)
    _otf2.GlobalDefWriter_WriteClockProperties(w, *archive["clock"])
    for string in archive["strings"]:
        _otf2.GlobalDefWriter_WriteString(w, *string)
    _otf2.GlobalDefWriter_WriteParadigm(w, OPENMP, 1, _otf2.PARADIGM_CLASS_THREAD_FORK_JOIN)
    for attribute in archive["attributes"]:
        _otf2.GlobalDefWriter_WriteAttribute(w, *attribute)
    _otf2.GlobalDefWriter_WriteSystemTreeNode(w, 0, 2, 3, NONE)
    _otf2.GlobalDefWriter_WriteLocationGroup(w, 0, 4, _otf2.LOCATION_GROUP_TYPE_PROCESS, 0, NONE)
    for ref, name, group in archive["locations"]:
        n_events = len(archive["events"][ref]) + archive["counts"].get(ref, 0)
        _otf2.GlobalDefWriter_WriteLocation(w, ref, name, _otf2.LOCATION_TYPE_CPU_THREAD, n_events, group)
    for ref, name in archive["regions"]:
        _otf2.GlobalDefWriter_WriteRegion(w, ref, name, name, 0, _otf2.REGION_ROLE_CODE, OPENMP, _otf2.REGION_FLAG_NONE, 0, 0, 0)
    for ref, kind, members in archive["groups"]:
        _otf2.GlobalDefWriter_WriteGroup(w, ref, 0, kind, OPENMP, _otf2.GROUP_FLAG_NONE, members)
    for ref, group, parent in archive["comms"]:
        _otf2.GlobalDefWriter_WriteComm(w, ref, 0, group, parent, _otf2.COMM_FLAG_NONE)
    for parameter in archive["parameters"]:
        _otf2.GlobalDefWriter_WriteParameter(w, *parameter)
    _otf2.Archive_CloseGlobalDefWriter(handle, w)


def write(archive, directory):
    handle = _otf2.Archive_Open(directory, "trace", _otf2.FILEMODE_WRITE, 262144, 262144, _otf2.SUBSTRATE_POSIX,
                                _otf2.COMPRESSION_NONE)
    callbacks = _otf2.FlushCallbacks(pre_flush=pre_flush, post_flush=None)
    _otf2.Archive_SetFlushCallbacks(handle, callbacks, None)
    _otf2.Archive_SetSerialCollectiveCallbacks(handle)
    for name, value in archive["properties"].items():
        _otf2.Archive_SetBoolProperty(handle, name, value, True)
    _otf2.Archive_OpenDefFiles(handle)
    _otf2.Archive_OpenEvtFiles(handle)
    for ref, events in archive["events"].items():
        w = _otf2.Archive_GetEvtWriter(handle, ref)
        for name, *arguments in sorted(events, key=lambda event: event[1]):  # OTF2 takes none that goes back in time
            attributes = None
            if isinstance(arguments[-1], str):
                attributes = _otf2.AttributeList_New()
                _otf2.AttributeList_AddStringRef(attributes, 0, arguments.pop() and 15)
            getattr(_otf2, f"EvtWriter_{name}")(w, attributes, *arguments)
        _otf2.Archive_CloseEvtWriter(handle, w)
        _otf2.Archive_CloseDefWriter(handle, _otf2.Archive_GetDefWriter(handle, ref))
    _otf2.Archive_CloseEvtFiles(handle)
    _otf2.Archive_CloseDefFiles(handle)
    write_definitions(handle, archive)
    _otf2.Archive_Close(handle)


def ask(directory, *options):
    answer = subprocess.run([sys.executable, CHECK, "-q", *options, directory], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False)
    lines = answer.stdout.splitlines()
    return answer.returncode, lines[-1] if lines else ""


def say(is_right, what, got):
    print(f"ok {what}" if is_right else f"not ok {what}: {got}")
    return is_right


def main():
    n_wrong = 0
    with tempfile.TemporaryDirectory() as top:
        place = os.path.join(top, "good")
        write(good(), place)
        for options, wanted in (((), (0, "VALID")), (("--expect", "tasks=3", "--expect", "completed=3+"), (0, "VALID")),
                                (("--expect", "tasks=4"), (1, "INVALID EXPECT"))):
            got = ask(place, *options)
            n_wrong += not say(got == wanted, f"a good archive {' '.join(options)}", got)
        for i, (name, what, spoil) in enumerate(FAULTS):
            archive = copy.deepcopy(good())
            spoil(archive)
            place = os.path.join(top, str(i))
            write(archive, place)
            status, last = ask(place)
            n_wrong += not say(status == 1 and name in last.split(), f"{name}: {what}", (status, last))
        for suffix in (".evt", ".def"):
            place = os.path.join(top, "missing" + suffix)
            write(good(), place)
            os.remove(os.path.join(place, "trace", f"{WORKER}{suffix}"))
            status, last = ask(place)
            n_wrong += not say(status == 1 and "FILE" in last.split(), f"FILE: a location's {suffix} is missing", (status, last))
        place = os.path.join(top, "cut")
        write(good(), place)
        path = os.path.join(place, "trace", f"{MASTER}.evt")
        os.truncate(path, os.path.getsize(path) - 30)
        status, last = ask(place)
        n_wrong += not say(status == 1 and "EVT-COUNT" in last.split(), "EVT-COUNT: a file of events is cut", (status, last))
        with open(os.path.join(place, "trace.otf2"), "w", encoding="ascii") as anchor:
            anchor.write("nothing")
        status, last = ask(place)
        n_wrong += not say(status == 2, "unreadable: the anchor is garbage", (status, last))
        status, last = ask(place, "--nonsense")
        n_wrong += not say(status == 3, "usage", (status, last))
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
