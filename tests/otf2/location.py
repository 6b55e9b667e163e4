# SPDX-License-Identifier: BSD-3-Clause
"""Follows what is open on one location from event to event. What concerns several locations is checked in whole.py."""
import collections


class Task:
    """A task of the archive. A moment is (time, location, number of the event there)."""
    __slots__ = ("create", "complete", "parts")

    def __init__(self):
        self.create = None
        self.complete = None
        self.parts = []


class Part:
    """A stretch of a task on one location, between two switches."""
    __slots__ = ("begin", "end", "n_open")

    def __init__(self, begin):
        self.begin = begin
        self.end = None
        self.n_open = 0  # regions open at the end


class Location:
    def __init__(self, check, ref):
        self.check, self.ref = check, ref
        self.n_events = 0
        self.first = self.last = None
        self.stack = []  # (region, task)
        self.teams = []  # [comm, time, task around it, latest event that created a task, the event of its begin]
        self.task = None
        self.is_task_over = False  # completed, and nothing switched to since
        self.forks = []  # open: [index into check.forks[ref], has this location begun a team since?, open regions]
        self.flushes_until = None
        self.is_on = True
        self.thread_ids = []  # of the OS threads that have come into the units' team
        self.program = []  # (position, time, is_begin)
        self.open_of_task = collections.Counter()
        self.transfers = {}  # (window, id) -> begin, of those that are not complete
        self.held = {}  # (metric class, place in it) -> value

    def bad(self, name, text):
        self.check.report.add(name, f"location {self.ref:#x} event {self.n_events}: {text}")

    def event(self, time, attributes, is_free=False, is_switch=False):
        """Called first for every event. is_free: the event is allowed while measurement is off."""
        self.n_events += 1
        if self.first is None:
            self.first = time
        elif time < self.last:
            self.bad("TIME", f"{time} after {self.last}")
        if self.flushes_until is not None and time < self.flushes_until:
            self.bad("FLUSH-ALONE", f"an event at {time}, inside of a flush until {self.flushes_until}")
        self.last = time
        if not self.is_on and not is_free:
            self.bad("MEASURE", "an event while measurement is off")
        if self.is_task_over and not is_switch:
            self.bad("TASK-NOCURRENT", "an event after a task's end, before a switch")
        if attributes is not None:
            self.check.attributes(self, attributes)

    def now(self, time):
        return (time, self.ref, self.n_events)

    def runner(self):
        """The current task, or whatever the location began with."""
        return self.task if self.task is not None else ("initial", self.ref)

    def run(self, task, time):
        """Makes another task current, or none."""
        self.stop(time)
        self.task = task
        self.is_task_over = False
        if task is not None and task[2] != 0:
            self.check.tasks[task].parts.append(Part(self.now(time)))

    def stop(self, time):
        if self.task is not None and self.task[2] != 0:
            part = self.check.tasks[self.task].parts[-1]
            if part.begin[1] == self.ref and part.end is None:
                part.end = self.now(time)
                part.n_open = self.open_of_task[self.task]

    def enter(self, region):
        self.check.defs.used["Region"].add(region)
        self.stack.append((region, self.task))
        self.open_of_task[self.task] += 1

    def leave(self, region):
        if not self.stack:
            self.bad("BALANCE-LOC", f"Leave of region {region}, none is open")
            return
        top, task = self.stack.pop()
        self.open_of_task[task] -= 1
        if top != region:
            self.bad("BALANCE-LOC", f"Leave of region {region}, the innermost is {top}")
        elif task != self.task:
            self.bad("BALANCE-TASK", f"task {self.task} leaves region {region}, which task {task} entered")

    def hold(self, member, value):
        """A value of a metric whose values hold until the next one."""
        n_others = self.n_events - 1 - len(self.program) - len(self.held)
        if member not in self.held and n_others > 0:
            self.bad("METRIC-HOLD", f"metric class {member[0]} has its first value after {n_others} events")
        if self.held.get(member) == value:
            self.bad("METRIC-HOLD", f"metric class {member[0]} is {value} and becomes {value}")
        self.held[member] = value

    def finish(self):
        if self.stack:
            self.bad("BALANCE-LOC", f"{len(self.stack)} regions are open at the end")
        if self.teams:
            self.bad("TEAM", "a team is open at the end")
        if self.forks:
            self.bad("FORK", "a fork without a join")
        if self.transfers:
            self.bad("RMA-OP", f"{len(self.transfers)} transfers never complete")
        for metric, location in self.check.defs.recorders:
            for i, member in enumerate(self.check.defs.tables["MetricClass"].get(metric, ())):
                is_used = location == self.ref and self.n_events > len(self.program)
                if is_used and member is not None and member[1] and (metric, i) not in self.held:
                    self.bad("METRIC-HOLD", f"metric class {metric} has no value")
        self.stop(self.last)
