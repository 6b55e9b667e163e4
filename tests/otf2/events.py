# SPDX-License-Identifier: BSD-3-Clause
"""Reads the events of all locations, and checks the rules that concern one location."""
import collections
import ctypes
import os

import _otf2
from _otf2.Config import conf

from definitions import UNDEFINED, Definitions
from location import Location, Task
from rules import Report

# The binding's function of this name prepares each call anew, which takes a fifth of the time of reading an archive.
n_attributes = conf.lib.OTF2_AttributeList_GetNumberOfElements
n_attributes.restype = ctypes.c_uint32


class Check:
    def __init__(self):
        self.report = Report()
        self.defs = Definitions(self.report)
        self.tasks = collections.defaultdict(Task)  # (comm, thread, generation) ->
        self.locations = {}
        self.forks = collections.defaultdict(list)  # location -> [begin, end, enclosing]
        self.teams = []  # (comm, location, begin, end)
        self.guests = set()  # (comm, location): it has come into the team to create tasks there
        self.residents = set()  # (comm, location): it has run something there
        self.threads = collections.defaultdict(dict)  # (comm, number) -> {event: moment}, of threads that the program creates
        self.locks = collections.defaultdict(list)  # lock -> (order, moment, is_acquire, who)
        self.counts = collections.Counter()
        self.latest = None
        self.properties = {}
        self.is_truncated = self.has_all_teams = self.has_all_locks = False

    # ---- What an event refers to ----

    def defined(self, l, kind, ref):
        if ref in self.defs.tables[kind]:
            self.defs.used[kind].add(ref)
            return True
        l.bad("EVT-REF", f"{kind} {ref} is not defined")
        return False

    def attributes(self, l, attributes):
        for i in range(n_attributes(attributes)):
            ref, kind, value = _otf2.AttributeList_GetAttributeByIndex(attributes, i)
            if not self.defined(l, "Attribute", ref):
                continue
            if self.defs.tables["Attribute"][ref] != kind:
                l.bad("ATTR-TYPE", f"attribute {ref} is not of its defined type")
            elif kind == _otf2.TYPE_STRING:
                self.defined(l, "String", value.stringRef)
            elif kind == _otf2.TYPE_LOCATION:
                if value.locationRef not in self.defs.locations:
                    l.bad("EVT-REF", f"Location {value.locationRef:#x} is not defined")
            elif kind == _otf2.TYPE_LOCATION_GROUP:
                self.defined(l, "LocationGroup", value.locationGroupRef)

    def memory(self, l, attributes, wanted):
        """Checks that an event of a region that allocates or frees has its attribute."""
        refs = [_otf2.AttributeList_GetAttributeByIndex(attributes, i)[0] for i in range(n_attributes(attributes))] \
            if attributes is not None else []
        if wanted is not None and wanted not in [self.defs.attribute_names.get(ref) for ref in refs]:
            l.bad("ALLOC", f"no {wanted}")

    def members(self, l, comm):
        """The members of a communicator; None where it is not defined."""
        return self.defs.tables["Comm"][comm][0] if self.defined(l, "Comm", comm) else None

    def check_thread(self, l, attributes, comm, is_begin):
        """The OS thread that begins the team of Argobots' units ends it: the attribute ThreadId has its number."""
        if comm not in self.defs.unit_comms:
            return
        n = n_attributes(attributes) if attributes is not None else 0
        values = [_otf2.AttributeList_GetAttributeByIndex(attributes, i) for i in range(n)]
        threads = [value.uint64 for ref, _, value in values if self.defs.attribute_names.get(ref) == "ThreadId"]
        if len(threads) != 1:
            l.bad("TEAM-THREAD", f"team {comm}: which OS thread it is does not stand there")
        elif is_begin:
            if threads[0] in l.thread_ids and not self.is_truncated:  # of a killed process it is not known whether it had ended
                l.bad("TEAM-THREAD", f"OS thread {threads[0]} comes into team {comm} once more")
            l.thread_ids.append(threads[0])
        elif threads[0] not in l.thread_ids[-1:]:
            l.bad("TEAM-THREAD", f"OS thread {threads[0]} ends its time in team {comm}, which {l.thread_ids[-1:]} began")

    # ---- A function for each kind of event ----

    def on_fork(self, l, time, model, requested):
        self.counts["forks"] += 1
        l.forks.append([len(self.forks[l.ref]), False, len(l.stack)])
        self.forks[l.ref].append([time, None, l.forks[-2][0] if len(l.forks) > 1 else None])

    def on_join(self, l, time, model):
        if not l.forks:
            l.bad("FORK", "a join without a fork")
            return
        fork, has_team, n_open = l.forks.pop()
        if n_open != len(l.stack):
            l.bad("FORK-DEPTH", f"a join in {len(l.stack)} regions, its fork was in {n_open}")
        self.forks[l.ref][fork][1] = time
        if not has_team:
            l.bad("FORK-TEAM", "a join after a fork, and no team in between")

    def on_team_begin(self, l, time, comm):
        self.counts["teams"] += 1
        members = self.members(l, comm)
        if members is None:
            return
        if l.ref not in members:
            l.bad("TEAM-MEMBER", f"begins team {comm} and is no member")
            return
        if members[0] == l.ref and self.has_all_teams and comm not in self.defs.unit_comms and not self.is_around(l, self.defs.tables["Comm"][comm][1]):
            l.bad("TEAM-PARENT", f"begins team {comm} in task {l.task}")
        if l.forks and comm not in self.defs.unit_comms:
            l.forks[-1][1] = True
        l.stop(time)
        l.teams.append([comm, time, l.task, None, l.n_events])
        l.run((comm, members.index(l.ref), 0), time)

    def is_alone(self, l, comm):
        """Is it the team of the location's initial task? That is never begun."""
        return self.defs.tables["Comm"].get(comm) == ([l.ref], UNDEFINED)

    def is_around(self, l, comm):
        """Is the current task one of that team? The initial task is one of a team without a parent."""
        if l.task is not None and l.task[0] not in self.defs.unit_comms:
            return comm == l.task[0]
        members, parent = self.defs.tables["Comm"].get(comm, ([], None))
        return members == [l.ref] and parent == UNDEFINED

    def on_team_end(self, l, time, comm):
        if not l.teams or l.teams[-1][0] != comm:
            l.bad("TEAM", f"ends team {comm}, which is not the innermost")
            return
        if l.task is not None and (l.task[0] != comm or l.task[2] != 0):
            l.bad("TASK-TEAM", f"team {comm} ends within task {l.task}")
        comm, begin, around, last_created, began = l.teams.pop()
        self.teams.append((comm, l.ref, begin, time))
        is_guest = last_created is not None and l.n_events - began == 2  # this event, and the creation
        (self.guests if is_guest else self.residents).add((comm, l.ref))
        l.stop(time)
        l.task = None
        l.run(around, time)

    def on_task_create(self, l, time, comm, thread, generation):
        members = self.members(l, comm)
        task = self.tasks[(comm, thread, generation)]
        self.counts["tasks"] += 1
        if generation == 0:
            l.bad("TASK-GEN", "an explicit task with generation 0")
        if members is not None and (thread >= len(members) or members[thread] != l.ref):
            l.bad("TASK-CREATOR", f"creates task {(comm, thread, generation)} that thread {thread} of comm {comm} creates")
        if task.create is not None:
            l.bad("TASK-DUP", f"task {(comm, thread, generation)} is created twice")
        task.create = l.now(time)
        if self.has_all_teams and not self.is_alone(l, comm) and all(team[0] != comm for team in l.teams):
            l.bad("TASK-CREATE-TEAM", f"creates task {(comm, thread, generation)} and is not in its team")
        if l.teams:
            l.teams[-1][3] = l.n_events

    def on_task_switch(self, l, time, comm, thread, generation):
        self.counts["switches"] += 1
        members = self.members(l, comm)
        if members is None:
            return
        if thread >= len(members):
            l.bad("TASK-THREAD", f"thread {thread} of a team of {len(members)}")
        elif generation == 0 and members[thread] != l.ref:
            l.bad("TASK-IMPLICIT", f"runs the implicit task {thread} of comm {comm}, which is another's")
        elif generation == 0 and l.teams and l.teams[-1][0] != comm:
            l.bad("TASK-TEAM", f"runs its implicit task of comm {comm} inside that of {l.teams[-1][0]}")
        # The initial task needs no team: a switch to it goes back to what the location began with.
        is_initial = generation == 0 and not l.teams
        if is_initial and (len(members) != 1 or self.defs.tables["Comm"][comm][1] != UNDEFINED):
            l.bad("TASK-TEAM", f"runs an implicit task of comm {comm} outside of it")
        if generation != 0 and self.has_all_teams and not self.is_alone(l, comm) and all(team[0] != comm for team in l.teams):
            l.bad("TASK-LOCATION", f"runs task {(comm, thread, generation)} and is not in its team")
        l.run(None if is_initial else (comm, thread, generation), time)

    def on_task_complete(self, l, time, comm, thread, generation):
        key = (comm, thread, generation)
        self.members(l, comm)
        task = self.tasks[key]
        self.counts["completed"] += 1
        if l.task != key:
            l.bad("TASK-NOTCURRENT", f"task {key} completes while {l.task} is current")
        if task.complete is not None:
            l.bad("TASK-DUP", f"task {key} completes twice")
        if l.open_of_task[key]:
            l.bad("BALANCE-TASK", f"task {key} completes with {l.open_of_task[key]} regions open")
        l.stop(time)
        task.complete = l.now(time)
        l.task = None
        l.is_task_over = True

    def on_thread(self, l, time, what, comm, number):
        """A thread of a team that is not OpenMP's is created, begins, ends, or is waited for."""
        self.members(l, comm)
        if comm not in self.defs.unit_comms:
            l.bad("THREAD", f"thread {number} of team {comm}, whose threads are not created")
        if what in ("begin", "end") and l.teams:
            l.bad("THREAD", f"thread {number} {what}s within team {l.teams[-1][0]}")
        thread = self.threads[comm, number]
        if what in thread:
            l.bad("THREAD", f"thread {number} of team {comm}: a second {what}")
        thread[what] = l.now(time)

    def on_acquire(self, l, time, model, lock, order):
        self.counts["acquisitions"] += 1
        self.locks[lock].append((order, l.now(time), True, l.runner()))

    def on_release(self, l, time, model, lock, order):
        self.locks[lock].append((order, l.now(time), False, l.runner()))

    def on_parameter(self, l, ref, kind, string=None):
        if self.defined(l, "Parameter", ref) and self.defs.tables["Parameter"][ref] != kind:
            l.bad("PARAM", f"parameter {ref} is of another type")
        if not l.stack:
            l.bad("PARAM", "a parameter outside of all regions")
        if string is not None:
            self.defined(l, "String", string)

    def on_transfer(self, l, time, window, remote, n_bytes, matching):
        self.counts["transfers"] += 1
        self.counts["transferred"] += n_bytes
        if self.defined(l, "RmaWin", window):
            members = self.defs.tables["RmaWin"][window]
            if l.ref not in members or remote >= len(members):
                l.bad("RMA-WIN", f"a transfer to {remote} in window {window} of {len(members)}")
        if (window, matching) in l.transfers:
            l.bad("RMA-OP", f"transfer {matching} begins twice")
        l.transfers[window, matching] = time

    def on_transfer_complete(self, l, time, window, matching):
        if l.transfers.pop((window, matching), None) is None:
            l.bad("RMA-OP", f"transfer {matching} completes and has not begun")

    def on_flush(self, l, time, stop):
        self.counts["flushes"] += 1
        self.latest = max(self.latest or stop, stop)
        l.flushes_until = stop
        if stop < time:
            l.bad("FLUSH", f"a flush from {time} to {stop}")

    def on_measurement(self, l, time, mode):
        if l.is_on == (mode == _otf2.MEASUREMENT_ON):
            l.bad("MEASURE", "measurement is switched to what it was")
        l.is_on = mode == _otf2.MEASUREMENT_ON

    def on_program_begin(self, l, time, name, arguments):
        for string in [name] + arguments:
            self.defined(l, "String", string)
        l.program.append((l.n_events, time, True))

    def on_program_end(self, l, time, status):
        l.program.append((l.n_events, time, False))

    def on_metric(self, l, time, ref, types, values):
        if not self.defined(l, "MetricClass", ref):
            return
        members = self.defs.tables["MetricClass"][ref]
        if (ref, l.ref) not in self.defs.recorders:
            l.bad("METRIC", f"metric class {ref}, which it does not record")
        if len(members) != len(values) or any(m is None or m[0] != t for m, t in zip(members, types)):
            l.bad("METRIC", f"metric class {ref} with other numbers or types than its members'")
            return
        for i, ((_, holds, names), value) in enumerate(zip(members, values)):
            value = value.unsigned_int
            if names is not None and value not in names:
                l.bad("METRIC-NAME", f"metric class {ref} has the value {value}, which has no name")
            if holds:
                l.hold((ref, i), value)

    def on_unknown(self, l, time):
        l.bad("EVT-UNKNOWN", "an event of an unknown kind")

    def callbacks(self, l):
        """
        OTF2's name of a kind of event -> its function. Each is a function of its own, because the binding stores its C callback
        in it.
        """
        is_device = self.defs.is_device(l.ref)

        def plain(function, is_free=False, is_switch=False, is_for_all=False):
            def callback(_, time, position, data, attributes, *values):
                l.event(time, attributes, is_free, is_switch)
                if is_device and not is_for_all:
                    l.bad("DEVICE-EVENT", "an event that only threads have")
                function(l, time, *values)
            return callback

        def plain_region(function, is_leave):  # nearly all events are Enter and Leave
            regions, memory = self.defs.tables["Region"], self.defs.memory

            def callback(_, time, position, data, attributes, region):
                l.event(time, attributes)
                if region not in regions:
                    l.bad("EVT-REF", f"Region {region} is not defined")
                elif region in memory and not (is_leave and not self.has_all_teams):  # one that had to be closed says nothing
                    self.memory(l, attributes, memory[region][is_leave])
                function(region)
            return callback

        def plain_team(function, is_begin):
            def callback(_, time, position, data, attributes, comm):
                l.event(time, attributes)
                if is_device:
                    l.bad("DEVICE-EVENT", "an event that only threads have")
                self.check_thread(l, attributes, comm, is_begin)
                function(l, time, comm)
            return callback

        def parameter(kind):
            def callback(_, time, position, data, attributes, ref, value):
                l.event(time, attributes)
                self.on_parameter(l, ref, kind, value if kind == _otf2.PARAMETER_TYPE_STRING else None)
            return callback

        def thread(what):
            return plain(lambda *values: self.on_thread(*values[:2], what, *values[2:]))

        return (("Enter", plain_region(l.enter, False)), ("Leave", plain_region(l.leave, True)), ("ThreadFork", plain(self.on_fork)),
                ("ThreadJoin", plain(self.on_join)), ("ThreadTeamBegin", plain_team(self.on_team_begin, True)),
                ("ThreadTeamEnd", plain_team(self.on_team_end, False)), ("ThreadTaskCreate", plain(self.on_task_create)),
                ("ThreadTaskSwitch", plain(self.on_task_switch, is_switch=True)), ("ThreadTaskComplete", plain(self.on_task_complete)),
                ("ThreadCreate", thread("create")), ("ThreadBegin", thread("begin")), ("ThreadEnd", thread("end")), ("ThreadWait", thread("wait")),
                ("ThreadAcquireLock", plain(self.on_acquire)), ("ThreadReleaseLock", plain(self.on_release)),
                ("ParameterString", parameter(_otf2.PARAMETER_TYPE_STRING)), ("ParameterInt", parameter(_otf2.PARAMETER_TYPE_INT64)),
                ("ParameterUnsignedInt", parameter(_otf2.PARAMETER_TYPE_UINT64)), ("BufferFlush", plain(self.on_flush)),
                ("RmaGet", plain(self.on_transfer, is_for_all=True)),
                ("RmaPut", plain(lambda *values: self.on_transfer(*values), is_for_all=True)),
                ("RmaOpCompleteBlocking", plain(self.on_transfer_complete, is_for_all=True)),
                ("RmaOpCompleteNonBlocking", plain(lambda *values: self.on_transfer_complete(*values), is_for_all=True)),
                ("MeasurementOnOff", plain(self.on_measurement, True)), ("ProgramBegin", plain(self.on_program_begin, True)),
                ("ProgramEnd", plain(self.on_program_end, True)), ("Metric", plain(self.on_metric)),
                ("Unknown", plain(self.on_unknown)))

    # ---- Reading ----

    def read(self, anchor):
        reader = _otf2.Reader_Open(anchor)
        _otf2.Reader_SetSerialCollectiveCallbacks(reader)
        self.properties = {name: _otf2.Reader_GetProperty(reader, name) for name in _otf2.Reader_GetPropertyNames(reader)}
        self.is_truncated = self.properties.get("OTTER::TRUNCATED") == "true"
        self.has_all_teams = self.properties.get("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE") == "true"
        self.has_all_locks = self.properties.get("OTF2::THREAD_LOCK_EVENT_COMPLETE") == "true"
        self.defs.read(reader)
        for ref in self.defs.locations:
            _otf2.Reader_SelectLocation(reader, ref)
        files = anchor[:-len(".otf2")]
        for ref in self.defs.locations:
            for suffix in ("evt", "def"):
                if not os.path.exists(f"{files}/{ref}.{suffix}"):
                    self.report.add("FILE", f"{files}/{ref}.{suffix} is missing")
        _otf2.Reader_OpenDefFiles(reader)
        _otf2.Reader_OpenEvtFiles(reader)
        for ref, (_, n_events, _) in self.defs.locations.items():
            if os.path.exists(f"{files}/{ref}.def"):
                local = _otf2.Reader_GetDefReader(reader, ref)
                _otf2.Reader_ReadAllLocalDefinitions(reader, local)
                _otf2.Reader_CloseDefReader(reader, local)
            self.locations[ref] = Location(self, ref)
            if os.path.exists(f"{files}/{ref}.evt"):
                self.read_location(reader, self.locations[ref], n_events)
        _otf2.Reader_CloseDefFiles(reader)
        _otf2.Reader_CloseEvtFiles(reader)
        _otf2.Reader_Close(reader)

    def read_location(self, reader, location, n_events):
        ref = location.ref
        handle = _otf2.Reader_GetEvtReader(reader, ref)
        callbacks = _otf2.EvtReaderCallbacks_New()
        functions = self.callbacks(location)
        for name, function in functions:
            getattr(_otf2, f"EvtReaderCallbacks_Set{name}Callback")(callbacks, function)
        _otf2.Reader_RegisterEvtCallbacks(reader, handle, callbacks, None)
        _otf2.EvtReaderCallbacks_Delete(callbacks)
        try:
            _otf2.Reader_ReadAllLocalEvents(reader, handle)
        except _otf2.Error as reason:
            location.bad("EVT-READ", str(reason))
        _otf2.Reader_CloseEvtReader(reader, handle)
        location.finish()
        if location.n_events != n_events:
            self.report.add("EVT-COUNT", f"location {ref:#x} has {location.n_events} events, its definition says {n_events}")
        self.counts["events"] += location.n_events
