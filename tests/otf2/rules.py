# SPDX-License-Identifier: BSD-3-Clause
"""The rules that an archive keeps, by the names under which otf2_check.py reports what breaks them.

otf2_selftest.py has at least one broken archive for each.
"""
import collections

RULES = {
    "ALLOC": "who enters a region that allocates says how much, and who leaves it where; who enters one that frees, what",
    "ATTR-TYPE": "an attribute's value is of the type that its definition says",
    "BALANCE-LOC": "Enter and Leave of a location pair up, innermost first",
    "BALANCE-TASK": "so they do for each task: it leaves what it entered, and all of it before it completes",
    "CLOCK": "resolution and real time are sane, offset is the first event's time, length reaches the last one's",
    "COMM": "a team is of a team's group and has members, all of one process or its devices",
    "DEF-DENSE": "definitions of a kind are numbered from 0 in the order in which they come",
    "DEF-DUP": "nothing is defined twice: neither a number nor a string, a team, an attribute, a parameter",
    "DEF-REF": "what a definition refers to is defined before it",
    "DEF-UNKNOWN": "definitions are of known kinds",
    "DEF-UNUSED": "every region, team, group, metric and node of the system tree is used",
    "DEVICE-EVENT": "on a device's location there are regions, parameters and transfers alone",
    "EVT-COUNT": "a location has as many events as its definition says",
    "EVT-READ": "a location's events can be read",
    "EVT-REF": "what an event refers to is defined",
    "EVT-UNKNOWN": "events are of known kinds",
    "EXPECT": "the numbers are those that the caller expects",
    "FILE": "every location has its two files",
    "FLUSH": "a flush ends after it began",
    "FORK": "forks and joins of a location pair up",
    "GROUP": "groups are of the two kinds, have no member twice, and their members are locations",
    "LG-CREATOR": "an accelerator is made by a process, a process by nobody",
    "LG-EMPTY": "every location group has a location",
    "LOC-GROUP": "a device's locations are streams, a process's are not",
    "LOCK": "acquire and release of each acquisition alternate; nobody takes a lock again before giving it back",
    "LOCK-HOLDER": "who gives a lock back is the task that took it",
    "LOCK-ORDER": "acquisitions of a lock are numbered 1, 2, 3, ... in the order of time",
    "MEASURE": "measurement goes off and on in turns, and nothing happens while it is off",
    "METRIC": "a metric's values are those of its class, of the types that its members say, and come from a location that records it",
    "METRIC-HOLD": "a value that holds until the next one is there before all other events but the program's begin, and each differs from the last",
    "METRIC-NAME": "where a metric's description names its values, it has no others",
    "PARAM": "a parameter is of its defined type and inside a region",
    "PROGRAM": "a process begins with one ProgramBegin and ends with one ProgramEnd",
    "PROP": "a truncated archive does not call itself complete",
    "REGION": "every region has a name",
    "RMA-OP": "a transfer begins once and completes once, on one location",
    "RMA-WIN": "who transfers is of the window, and whom it reaches as well",
    "STRING-NULL": "string 0 is the empty one",
    "TASK-AFTER": "a task does not run after its completion",
    "TASK-CAUSAL": "a task is created before it runs",
    "TASK-CREATOR": "the creating thread that a task's name holds is the one that creates it",
    "TASK-DUP": "a task (team, thread, generation) is created once and completes once",
    "TASK-GEN": "explicit tasks have other numbers than implicit ones",
    "TASK-IMPLICIT": "a thread runs its own implicit task only",
    "TASK-MIGRATE-OPEN": "a task that moves to another location leaves no region open behind",
    "TASK-NOCOMPLETE": "every task completes",
    "TASK-NOCREATE": "every task is created",
    "TASK-NOCURRENT": "between a task's end and the next switch nothing happens",
    "TASK-NOTCURRENT": "a task that completes is the one that runs",
    "TASK-OVERLAP": "a task runs on one location at a time",
    "TASK-TEAM": "an implicit task runs inside its team, and a team ends in it",
    "TASK-THREAD": "a task's thread is one of its team",
    "TEAM": "ThreadTeamBegin and ThreadTeamEnd of a location pair up, innermost first",
    "TEAM-FORK": "a team's member is in it between fork and join of its first member only",
    "TEAM-INSTANCES": "all members begin a team equally often",
    "TEAM-MEMBER": "who begins a team is a member of it",
    "TEAM-PARENT": "the first member begins a team in a task of the team around it",
    "THREAD": "a thread that the program creates is created, begins, ends, is waited for, once each and in that order, and belongs to such a team",
    "TIME": "a location's time stamps never go back",
}


class Report:
    """What was found, by rule."""

    def __init__(self):
        self.classes = collections.Counter()
        self.examples = {}

    def add(self, name, text):
        if name not in RULES:
            raise KeyError(name)
        self.classes[name] += 1
        if self.classes[name] <= 3:
            self.examples.setdefault(name, []).append(text)
