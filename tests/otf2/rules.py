# SPDX-License-Identifier: BSD-3-Clause
"""The rules that an archive keeps, by the names that otf2_check.py reports.

otf2_selftest.py has at least one broken archive for each.
"""
import collections

RULES = {
    "ALLOC": "Enter of a region that allocates has the size, its Leave the address; Enter of a region that frees has the address",
    "ATTR-TYPE": "an attribute's value is of the type that its definition says",
    "BALANCE-LOC": "Enter and Leave of a location pair up, innermost first",
    "BALANCE-TASK": "Enter and Leave of a task pair up in the same way, and all regions are left before the task completes",
    "CLOCK": "resolution and real time are possible, offset is the first event's time, offset + length the last one's",
    "COMM": "a communicator has a group of the kind COMM_GROUP, with members, all of one process or its devices",
    "DEF-DENSE": "definitions of a kind are numbered from 0 in the order in which they come",
    "DEF-DUP": "no number is defined twice, nor is a string, a communicator, an attribute, a parameter",
    "DEF-REF": "what a definition refers to is defined before it",
    "DEF-UNKNOWN": "definitions are of known kinds",
    "DEF-UNUSED": "every region, communicator, group, metric and node of the system tree is used",
    "DEVICE-EVENT": "a device's location has regions, parameters and transfers, and no other events",
    "EVT-COUNT": "a location has as many events as its definition says",
    "EVT-READ": "a location's events can be read",
    "EVT-REF": "what an event refers to is defined",
    "EVT-UNKNOWN": "events are of known kinds",
    "EXPECT": "the numbers are those that the caller expects (--expect)",
    "FILE": "every location has its two files",
    "FLUSH": "a flush ends after it began",
    "FLUSH-ALONE": "a location has no event inside of its flushes",
    "FORK": "forks and joins of a location pair up",
    "FORK-DEPTH": "as many regions are open at a join as at its fork",
    "FORK-TEAM": "a location that forks begins a team before it joins",
    "GROUP": "groups are of the two kinds, have no member twice, and their members are locations",
    "LG-CREATOR": "the creator of an accelerator is a process, and a process has none",
    "LG-EMPTY": "every location group has a location",
    "LOC-GROUP": "a device's locations are streams, a process's are not",
    "LOCK": "acquire and release of each acquisition alternate; a task does not acquire a lock that it has; only the last acquisition may last",
    "LOCK-HOLDER": "the task that releases a lock is the one that acquired it",
    "LOCK-OVERLAP": "a lock is released before it is acquired again, or at the same time, if the archive has all acquisitions",
    "LOCK-ORDER": "acquisitions of a lock are numbered 1, 2, 3, ... in the order of time",
    "MEASURE": "measurement goes off and on in turns, and there are no events while it is off",
    "METRIC": "a metric has the values of its class, of its members' types, and is on a location that records it",
    "METRIC-HOLD": "a metric that holds until its next value has one before all other events but ProgramBegin, and no value twice in a row",
    "METRIC-NAME": "a metric whose description names its values has no others",
    "PARAM": "a parameter is of its defined type and inside a region",
    "PROGRAM": "a process begins with one ProgramBegin and ends with one ProgramEnd",
    "PROP": "a truncated archive does not call itself complete",
    "REGION": "every region has a name",
    "RMA-OP": "a transfer begins once and completes once, on one location",
    "RMA-WIN": "a location that transfers is a member of the window, and so is the one that it reaches",
    "STRING-NULL": "string 0 is the empty one",
    "TASK-AFTER": "a task does not run after its completion",
    "TASK-CAUSAL": "a task is created before it runs",
    "TASK-CREATE-TEAM": "a location creates tasks of the teams that it is in at that time",
    "TASK-CREATOR": "the creating thread in a task's name is the one that creates it",
    "TASK-DUP": "a task (team, thread, generation) is created once and completes once",
    "TASK-GEN": "explicit tasks have other numbers than implicit ones",
    "TASK-IMPLICIT": "a thread runs its own implicit task only",
    "TASK-LOCATION": "a task runs on a location that is in the task's team at that time",
    "TASK-MIGRATE-OPEN": "a task that moves to another location leaves all of its regions before",
    "TASK-NOCOMPLETE": "every task completes",
    "TASK-NOCREATE": "every task is created",
    "TASK-NOCURRENT": "there is no event between a task's end and the next switch",
    "TASK-NOTCURRENT": "a task that completes is the current one",
    "TASK-OVERLAP": "a task runs on one location at a time",
    "TASK-TEAM": "an implicit task runs within its team, and is current when the team ends",
    "TASK-THREAD": "a task's creating thread is a member of its team",
    "TEAM": "ThreadTeamBegin and ThreadTeamEnd of a location pair up, innermost first",
    "TEAM-FORK": "a member is in its team only between fork and join on the team's first member",
    "TEAM-INSTANCES": "all members begin a team equally often; one that comes into it only to create tasks need not",
    "TEAM-MEMBER": "a location that begins a team is a member of it",
    "TEAM-PARENT": "the first member begins a team in a task of the team around it",
    "THREAD": "a thread that the program creates is created, begins, ends, is waited for, once each and in that order, and belongs to such a team",
    "TEAM-THREAD": "an OS thread comes into the team of Argobots' units once, and is the one that leaves it (attribute ThreadId)",
    "TIME": "a location's time stamps never go back",
}


class Report:
    """The rules that an archive breaks, with examples."""

    def __init__(self):
        self.classes = collections.Counter()
        self.examples = {}

    def add(self, name, text):
        if name not in RULES:
            raise KeyError(name)
        self.classes[name] += 1
        if self.classes[name] <= 3:
            self.examples.setdefault(name, []).append(text)
