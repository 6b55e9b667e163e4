# SPDX-License-Identifier: BSD-3-Clause
"""Adds units of Argobots, which two threads run, to the good archive; and breaks rules there, as faults.py does."""
import _otf2

from archive import MASTER, NONE, WORKER
from faults import append, change, drop, insert

STREAM = 3 << 32  # an execution stream's thread
USER = _otf2.PARADIGM_USER
UNIT, UNITS = 5, 2  # a region, a team
RESUMED_BY, THREAD_ID = 1, 2  # attributes


def add_units(archive):
    """The primary unit creates a thread and a unit. The unit begins on the master and goes on on that thread."""
    n = len(archive["strings"])
    archive["strings"] += [[n, "Argobots"], [n + 1, "stream"], [n + 2, "unit"], [n + 3, "resumed by"], [n + 4, "ThreadId"]]
    archive["paradigms"] = [[USER, n, _otf2.PARADIGM_CLASS_THREAD_CREATE_WAIT]]
    archive["attributes"] += [[RESUMED_BY, n + 3, 0, _otf2.TYPE_LOCATION], [THREAD_ID, n + 4, 0, _otf2.TYPE_UINT64]]
    archive["locations"].append([STREAM, n + 1, 0])
    archive["recorders"].append([0, STREAM])
    archive["regions"].append([UNIT, n + 2])
    archive["groups"][0][2].append(STREAM)
    archive["groups"] += [[3, _otf2.GROUP_TYPE_COMM_LOCATIONS, [MASTER, WORKER, STREAM], USER], [4, _otf2.GROUP_TYPE_COMM_GROUP, [0, 1, 2], USER]]
    archive["comms"].append([UNITS, 4, NONE])
    insert(archive, MASTER, ("Leave", 190),
           ["ThreadTeamBegin", 130, UNITS, ((THREAD_ID, 77),)], ["ThreadCreate", 131, UNITS, 9], ["ThreadTaskCreate", 131, UNITS, 0, 1], ["ThreadTaskCreate", 132, UNITS, 0, 2],
           ["ThreadTaskSwitch", 140, UNITS, 0, 2], ["Enter", 140, UNIT], ["Leave", 145, UNIT], ["ThreadTaskSwitch", 145, UNITS, 0, 0],
           ["ThreadWait", 180, UNITS, 9], ["ThreadTeamEnd", 185, UNITS, ((THREAD_ID, 77),)])
    archive["events"][STREAM] = [
        ["Metric", 150, 0, 1],
        ["ThreadBegin", 150, UNITS, 9], ["ThreadTeamBegin", 150, UNITS, ((THREAD_ID, 78),)], ["ThreadTaskSwitch", 150, UNITS, 0, 1], ["Enter", 150, UNIT],
        ["ThreadTaskSwitch", 155, UNITS, 0, 2], ["Enter", 155, UNIT, ("location", RESUMED_BY, MASTER)], ["Leave", 160, UNIT],
        ["ThreadTaskComplete", 160, UNITS, 0, 2], ["ThreadTaskSwitch", 160, UNITS, 0, 1], ["Leave", 170, UNIT],
        ["ThreadTaskComplete", 170, UNITS, 0, 1], ["ThreadTaskSwitch", 170, UNITS, 2, 0], ["ThreadTeamEnd", 170, UNITS, ((THREAD_ID, 78),)], ["ThreadEnd", 170, UNITS, 9],
    ]


def end_on_another(archive):
    drop(archive, STREAM, "ThreadEnd", 170)
    append(archive, WORKER, ["ThreadEnd", 175, UNITS, 9])


UNIT_FAULTS = [
    ("EVT-REF", "a unit is resumed by an unknown thread",
     lambda a: change(a, STREAM, ("Enter", 155), ["Enter", 155, UNIT, ("location", RESUMED_BY, 7 << 32)])),
    ("TASK-CAUSAL", "a unit runs before it is created",
     lambda a: change(a, MASTER, ("ThreadTaskCreate", 132), ["ThreadTaskCreate", 141, UNITS, 0, 2])),
    ("TASK-NOCURRENT", "nobody is current after a unit's end", lambda a: drop(a, STREAM, "ThreadTaskSwitch", 170)),
    ("BALANCE-TASK TEAM", "a thread is never done with the units' team", lambda a: drop(a, MASTER, "ThreadTeamEnd", 185)),
    ("TEAM-THREAD", "another OS thread took the location, and ends what the one before began",
     lambda a: change(a, MASTER, ("ThreadTeamEnd", 185), ["ThreadTeamEnd", 185, UNITS, ((THREAD_ID, 79),)])),
    ("TEAM-THREAD", "an OS thread comes into the units' team once more, as if its stream had another one when it is revived",
     lambda a: append(a, STREAM, ["ThreadTeamBegin", 175, UNITS, ((THREAD_ID, 78),)], ["ThreadTeamEnd", 176, UNITS, ((THREAD_ID, 78),)])),
    ("TEAM-THREAD", "the OS thread that comes into the team is not named",
     lambda a: change(a, STREAM, ("ThreadTeamBegin",), ["ThreadTeamBegin", 150, UNITS])),
    ("THREAD", "a thread begins that nobody created", lambda a: drop(a, MASTER, "ThreadCreate", 131)),
    ("THREAD", "a thread is created twice", lambda a: insert(a, MASTER, ("ThreadTaskCreate", 131), ["ThreadCreate", 131, UNITS, 9])),
    ("THREAD", "a thread is created after it began", lambda a: change(a, MASTER, ("ThreadCreate", 131), ["ThreadCreate", 151, UNITS, 9])),
    ("THREAD", "a thread ends that never began", lambda a: drop(a, STREAM, "ThreadBegin", 150)),
    ("THREAD", "a thread is waited for and never ends", lambda a: drop(a, STREAM, "ThreadEnd", 170)),
    ("THREAD", "a thread is waited for before it ends", lambda a: change(a, MASTER, ("ThreadWait", 180), ["ThreadWait", 165, UNITS, 9])),
    ("THREAD", "a thread ends on another location", end_on_another),
    ("THREAD", "a thread begins within its team",
     lambda a: (drop(a, STREAM, "ThreadBegin", 150), insert(a, STREAM, ("Enter", 150), ["ThreadBegin", 150, UNITS, 9]))),
    ("THREAD", "a thread of an OpenMP team is created", lambda a: insert(a, MASTER, ("ThreadTaskCreate", 131), ["ThreadCreate", 131, 1, 8])),
]
