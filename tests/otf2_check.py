#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is an OTF2 archive what Otter promises? Reads it with OTF2's own Python bindings and shares no code with the builder.

Usage: otf2_check.py [-q] [--expect KEY=VALUE]... ARCHIVE     (ARCHIVE: trace.otf2, or the directory with it)

VALUE is a number, or N+ for at least N. Keys: see the lines that it prints. Exit status: 0 valid, 1 invalid (the classes of
what is wrong on the last line), 2 unreadable, 3 usage. An archive that does not call itself complete
(OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE, OTF2::THREAD_LOCK_EVENT_COMPLETE) may lack what a cut trace lacks: creations,
completions, forks, members of a team, acquisitions; everything else holds for it, too.
"""
import bisect
import collections
import os
import sys

try:
    import _otf2
except ImportError:
    print("OTF2's Python bindings (python3-otf2) are not installed", file=sys.stderr)
    sys.exit(2)

UNDEFINED = 0xFFFFFFFF


class Report:
    def __init__(self):
        self.classes = collections.Counter()
        self.examples = {}

    def add(self, name, text):
        self.classes[name] += 1
        if self.classes[name] <= 3:
            self.examples.setdefault(name, []).append(text)


class Definitions:
    """All global definitions, checked for order, density and references while they come."""

    KINDS = ("String", "Attribute", "SystemTreeNode", "LocationGroup", "Region", "Group", "Comm", "Parameter")

    def __init__(self, report):
        self.report = report
        self.clock = None
        self.tables = {kind: {} for kind in self.KINDS}
        self.locations = {}
        self.paradigms = {}
        self.comm_locations = None

    def refer(self, kind, ref, what, may_be_undefined=False):
        if may_be_undefined and ref == UNDEFINED:
            return
        if ref not in self.tables[kind]:
            self.report.add("DEF-REF", f"{what} refers to {kind} {ref}, which is not defined before it")

    def define(self, kind, ref, value):
        table = self.tables[kind]
        if ref in table:
            self.report.add("DEF-DUP", f"{kind} {ref} is defined twice")
        elif ref != len(table):
            self.report.add("DEF-DENSE", f"{kind} {ref} comes where {len(table)} should")
        table[ref] = value

    def read(self, reader):
        callbacks = _otf2.GlobalDefReaderCallbacks_New()
        tables = self.tables

        def clock(_, resolution, offset, length, realtime):
            if self.clock is not None:
                self.report.add("DEF-DUP", "two ClockProperties")
            self.clock = (resolution, offset, length, realtime)

        def string(_, ref, text):
            self.define("String", ref, text)

        def paradigm(_, ref, name, kind):
            self.refer("String", name, "a paradigm")
            self.paradigms[ref] = kind

        def attribute(_, ref, name, description, kind):
            self.refer("String", name, f"attribute {ref}")
            self.refer("String", description, f"attribute {ref}")
            self.define("Attribute", ref, kind)

        def node(_, ref, name, kind, parent):
            self.refer("String", name, f"node {ref}")
            self.refer("String", kind, f"node {ref}")
            self.refer("SystemTreeNode", parent, f"node {ref}", True)
            self.define("SystemTreeNode", ref, name)

        def node_property(_, ref, name, kind, value):
            self.refer("SystemTreeNode", ref, "a node's property")
            self.refer("String", name, "a node's property")

        def node_domain(_, ref, domain):
            self.refer("SystemTreeNode", ref, "a node's domain")

        def location_group(_, ref, name, kind, parent, creator):
            self.refer("String", name, f"location group {ref}")
            self.refer("SystemTreeNode", parent, f"location group {ref}")
            self.refer("LocationGroup", creator, f"location group {ref}", True)
            self.define("LocationGroup", ref, name)

        def location_group_property(_, ref, name, kind, value):
            self.refer("LocationGroup", ref, "a location group's property")
            self.refer("String", name, "a location group's property")

        def location(_, ref, name, kind, n_events, group):
            self.refer("String", name, f"location {ref:#x}")
            self.refer("LocationGroup", group, f"location {ref:#x}")
            if ref in self.locations:
                self.report.add("DEF-DUP", f"location {ref:#x} is defined twice")
            self.locations[ref] = (name, n_events, group)

        def location_property(_, ref, name, kind, value):
            if ref not in self.locations:
                self.report.add("DEF-REF", f"a property of location {ref:#x}, which is not defined before it")
            self.refer("String", name, "a location's property")

        def region(_, ref, name, canonical, description, role, paradigm_ref, flags, source, begin, end):
            for text in (name, canonical, description, source):
                self.refer("String", text, f"region {ref}")
            if paradigm_ref not in self.paradigms:
                self.report.add("DEF-REF", f"region {ref} refers to a paradigm that is not defined before it")
            if not tables["String"].get(name):
                self.report.add("REGION", f"region {ref} has no name")
            self.define("Region", ref, (name, role))

        def group(_, ref, name, kind, paradigm_ref, flags, members):
            self.refer("String", name, f"group {ref}")
            if len(set(members)) != len(members):
                self.report.add("GROUP", f"group {ref} has a member twice")
            if kind == _otf2.GROUP_TYPE_COMM_LOCATIONS:
                if self.comm_locations is not None:
                    self.report.add("GROUP", "two groups of all locations")
                self.comm_locations = list(members)
                for member in members:
                    if member not in self.locations:
                        self.report.add("DEF-REF", f"group {ref} has location {member:#x}, which is not defined before it")
                self.define("Group", ref, (kind, None))
                return
            if kind != _otf2.GROUP_TYPE_COMM_GROUP:
                self.report.add("GROUP", f"group {ref} is of a kind that no team has")
            everybody = self.comm_locations or []
            for member in members:
                if member >= len(everybody):
                    self.report.add("GROUP", f"group {ref} has member {member} of {len(everybody)} locations")
            self.define("Group", ref, (kind, [everybody[m] if m < len(everybody) else None for m in members]))

        def comm(_, ref, name, group_ref, parent, flags):
            self.refer("String", name, f"comm {ref}")
            self.refer("Group", group_ref, f"comm {ref}")
            self.refer("Comm", parent, f"comm {ref}", True)
            members = tables["Group"].get(group_ref, (None, None))[1]
            if members is None:
                self.report.add("GROUP", f"comm {ref} is not of a team's group")
            self.define("Comm", ref, (members or [], parent))

        def parameter(_, ref, name, kind):
            self.refer("String", name, f"parameter {ref}")
            self.define("Parameter", ref, kind)

        def unknown(_):
            self.report.add("DEF-UNKNOWN", "a definition of an unknown kind")

        for name, function in (("ClockProperties", clock), ("String", string), ("Paradigm", paradigm), ("Attribute", attribute),
                               ("SystemTreeNode", node), ("SystemTreeNodeProperty", node_property),
                               ("SystemTreeNodeDomain", node_domain), ("LocationGroup", location_group),
                               ("LocationGroupProperty", location_group_property), ("Location", location),
                               ("LocationProperty", location_property), ("Region", region), ("Group", group), ("Comm", comm),
                               ("Parameter", parameter), ("Unknown", unknown)):
            getattr(_otf2, f"GlobalDefReaderCallbacks_Set{name}Callback")(callbacks, function)
        handle = _otf2.Reader_GetGlobalDefReader(reader)
        _otf2.Reader_RegisterGlobalDefCallbacks(reader, handle, callbacks, None)
        _otf2.Reader_ReadAllGlobalDefinitions(reader, handle)
        _otf2.GlobalDefReaderCallbacks_Delete(callbacks)
        _otf2.Reader_CloseGlobalDefReader(reader, handle)
        if self.clock is None:
            self.report.add("CLOCK", "no ClockProperties")
        if self.tables["String"].get(0) not in ("", b""):
            self.report.add("STRING-NULL", "string 0 is not the empty one")


class Task:
    __slots__ = ("create", "complete", "parts")

    def __init__(self):
        self.create = None  # (time, location)
        self.complete = None
        self.parts = []  # [location, begin, end, regions open at its end]


class Location:
    """What is open on one location while its events come, in order."""

    def __init__(self, check, ref):
        self.check, self.ref = check, ref
        self.n_events = 0
        self.first = self.last = None
        self.stack = []  # (region, task)
        self.teams = []  # (comm, time, task around it)
        self.task = None
        self.is_task_over = False  # completed, and nothing switched to since
        self.forks = []  # open: index into check.forks[ref]
        self.held = {}  # lock -> [order, depth]
        self.is_on = True
        self.program = []  # (position, time, is_begin)
        self.open_of_task = collections.Counter()

    def bad(self, name, text):
        self.check.report.add(name, f"location {self.ref:#x} event {self.n_events}: {text}")

    def event(self, time, attributes, is_free=False):
        """Every event begins here. is_free: allowed while measurement is off."""
        self.n_events += 1
        if self.first is None:
            self.first = time
        elif time < self.last:
            self.bad("TIME", f"{time} after {self.last}")
        self.last = time
        if not self.is_on and not is_free:
            self.bad("MEASURE", "an event while measurement is off")
        if attributes is not None:
            self.check.attributes(self, attributes)

    def run(self, task, time):
        """Another task, or none, is current from here on."""
        self.stop(time)
        self.task = task
        self.is_task_over = False
        if task is not None and task[2] != 0:
            self.check.tasks[task].parts.append([self.ref, time, None, 0])

    def stop(self, time):
        if self.task is not None and self.task[2] != 0:
            part = self.check.tasks[self.task].parts[-1]
            if part[0] == self.ref and part[2] is None:
                part[2] = time
                part[3] = self.open_of_task[self.task]

    def enter(self, time, region):
        if self.is_task_over:
            self.bad("TASK-NOCURRENT", "a region after a task's end, before a switch")
        self.stack.append((region, self.task))
        self.open_of_task[self.task] += 1

    def leave(self, time, region):
        if self.is_task_over:
            self.bad("TASK-NOCURRENT", "a region's end after a task's end, before a switch")
        if not self.stack:
            self.bad("BALANCE-LOC", f"Leave of region {region}, none is open")
            return
        top, task = self.stack.pop()
        self.open_of_task[task] -= 1
        if top != region:
            self.bad("BALANCE-LOC", f"Leave of region {region}, the innermost is {top}")
        elif task != self.task:
            self.bad("BALANCE-TASK", f"task {self.task} leaves region {region}, which task {task} entered")

    def finish(self):
        if self.stack:
            self.bad("BALANCE-LOC", f"{len(self.stack)} regions are open at the end")
        if self.teams:
            self.bad("TEAM", "a team is open at the end")
        if self.forks:
            self.bad("FORK", "a fork without a join")
        self.stop(self.last)


class Check:
    def __init__(self):
        self.report = Report()
        self.defs = Definitions(self.report)
        self.tasks = collections.defaultdict(Task)
        self.locations = {}
        self.forks = collections.defaultdict(list)  # location -> [begin, end, enclosing]
        self.teams = []  # (comm, location, begin, end)
        self.locks = collections.defaultdict(list)  # lock -> (order, time, location)
        self.counts = collections.Counter()
        self.latest = None
        self.is_truncated = self.has_all_teams = self.has_all_locks = False

    # ---- What an event refers to ----

    def defined(self, location, kind, ref):
        if ref in self.defs.tables[kind]:
            return True
        location.bad("EVT-REF", f"{kind} {ref} is not defined")
        return False

    def attributes(self, location, attributes):
        for i in range(_otf2.AttributeList_GetNumberOfElements(attributes)):
            ref, kind, value = _otf2.AttributeList_GetAttributeByIndex(attributes, i)
            if not self.defined(location, "Attribute", ref):
                continue
            if self.defs.tables["Attribute"][ref] != kind:
                location.bad("ATTR-TYPE", f"attribute {ref} is not of its defined type")
            elif kind == _otf2.TYPE_STRING:
                self.defined(location, "String", value.stringRef)

    def team(self, location, comm):
        """The members of a comm, or None."""
        return self.defs.tables["Comm"][comm][0] if self.defined(location, "Comm", comm) else None

    # ---- Events ----

    def begin_team(self, l, time, comm):
        members = self.team(l, comm)
        if members is None:
            return
        if l.ref not in members:
            l.bad("TEAM-MEMBER", f"begins team {comm} and is no member")
            return
        l.stop(time)
        l.teams.append((comm, time, l.task))
        l.run((comm, members.index(l.ref), 0), time)

    def end_team(self, l, time, comm):
        if not l.teams or l.teams[-1][0] != comm:
            l.bad("TEAM", f"ends team {comm}, which is not the innermost")
            return
        if l.task is not None and (l.task[0] != comm or l.task[2] != 0):
            l.bad("TASK-TEAM", f"team {comm} ends within task {l.task}")
        comm, begin, around = l.teams.pop()
        self.teams.append((comm, l.ref, begin, time))
        l.stop(time)
        l.task = None
        l.run(around, time)

    def create_task(self, l, time, comm, thread, generation):
        members = self.team(l, comm)
        task = self.tasks[(comm, thread, generation)]
        self.counts["tasks"] += 1
        if generation == 0:
            l.bad("TASK-GEN", "an explicit task with generation 0")
        if members is not None and (thread >= len(members) or members[thread] != l.ref):
            l.bad("TASK-CREATOR", f"creates task {(comm, thread, generation)} that thread {thread} of comm {comm} creates")
        if task.create is not None:
            l.bad("TASK-DUP", f"task {(comm, thread, generation)} is created twice")
        task.create = (time, l.ref)

    def switch_task(self, l, time, comm, thread, generation):
        members = self.team(l, comm)
        if members is None:
            return
        if thread >= len(members):
            l.bad("TASK-THREAD", f"thread {thread} of a team of {len(members)}")
        elif generation == 0 and members[thread] != l.ref:
            l.bad("TASK-IMPLICIT", f"runs the implicit task {thread} of comm {comm}, which is another's")
        elif generation == 0 and l.teams and l.teams[-1][0] != comm:
            l.bad("TASK-TEAM", f"runs its implicit task of comm {comm} inside that of {l.teams[-1][0]}")
        # The initial task needs no team: whoever goes back to it goes back to where the location began.
        is_initial = generation == 0 and not l.teams
        if is_initial and (len(members) != 1 or self.defs.tables["Comm"][comm][1] != UNDEFINED):
            l.bad("TASK-TEAM", f"runs an implicit task of comm {comm} outside of it")
        l.run(None if is_initial else (comm, thread, generation), time)

    def complete_task(self, l, time, comm, thread, generation):
        key = (comm, thread, generation)
        task = self.tasks[key]
        self.counts["completed"] += 1
        if l.task != key:
            l.bad("TASK-NOTCURRENT", f"task {key} completes while {l.task} is current")
        if task.complete is not None:
            l.bad("TASK-DUP", f"task {key} completes twice")
        if l.open_of_task[key]:
            l.bad("BALANCE-TASK", f"task {key} completes with {l.open_of_task[key]} regions open")
        task.complete = (time, l.ref)
        l.stop(time)
        l.task = None
        l.is_task_over = True

    def fork(self, l, time):
        self.counts["forks"] += 1
        l.forks.append(len(self.forks[l.ref]))
        self.forks[l.ref].append([time, None, l.forks[-2] if len(l.forks) > 1 else None])

    def join(self, l, time):
        if l.forks:
            self.forks[l.ref][l.forks.pop()][1] = time
        else:
            l.bad("FORK", "a join without a fork")

    def acquire(self, l, time, lock, order):
        self.counts["acquisitions"] += 1
        held = l.held.get(lock)
        if held is not None and held[0] == order:
            held[1] += 1
            return
        if held is not None and self.has_all_locks:
            l.bad("LOCK", f"takes lock {lock} as {order} while it has it as {held[0]}")
        l.held[lock] = [order, 1]
        self.locks[lock].append((order, time, l.ref))

    def release(self, l, time, lock, order):
        held = l.held.get(lock)
        if held is None or held[0] != order:
            if not self.has_all_locks:
                return
            l.bad("LOCK", f"gives lock {lock} back as {order}, has it as {held and held[0]}")
            return
        held[1] -= 1
        if held[1] == 0:
            del l.held[lock]

    def parameter(self, l, ref, kind, string=None):
        if self.defined(l, "Parameter", ref) and self.defs.tables["Parameter"][ref] != kind:
            l.bad("PARAM", f"parameter {ref} is of another type")
        if not l.stack:
            l.bad("PARAM", "a parameter outside of all regions")
        if string is not None:
            self.defined(l, "String", string)

    def callbacks(self, l):
        """One location's callbacks. Each must be a function of its own: the binding keeps its C side in it."""

        def enter(_, time, position, data, attributes, region):
            l.event(time, attributes)
            self.defined(l, "Region", region)
            l.enter(time, region)

        def leave(_, time, position, data, attributes, region):
            l.event(time, attributes)
            l.leave(time, region)

        def fork(_, time, position, data, attributes, model, requested):
            l.event(time, attributes)
            self.fork(l, time)

        def join(_, time, position, data, attributes, model):
            l.event(time, attributes)
            self.join(l, time)

        def team_begin(_, time, position, data, attributes, comm):
            l.event(time, attributes)
            self.counts["teams"] += 1
            self.begin_team(l, time, comm)

        def team_end(_, time, position, data, attributes, comm):
            l.event(time, attributes)
            self.end_team(l, time, comm)

        def task_create(_, time, position, data, attributes, comm, thread, generation):
            l.event(time, attributes)
            self.create_task(l, time, comm, thread, generation)

        def task_switch(_, time, position, data, attributes, comm, thread, generation):
            l.event(time, attributes)
            self.counts["switches"] += 1
            self.switch_task(l, time, comm, thread, generation)

        def task_complete(_, time, position, data, attributes, comm, thread, generation):
            l.event(time, attributes)
            self.complete_task(l, time, comm, thread, generation)

        def acquire(_, time, position, data, attributes, model, lock, order):
            l.event(time, attributes)
            self.acquire(l, time, lock, order)

        def release(_, time, position, data, attributes, model, lock, order):
            l.event(time, attributes)
            self.release(l, time, lock, order)

        def parameter_string(_, time, position, data, attributes, parameter, string):
            l.event(time, attributes)
            self.parameter(l, parameter, _otf2.PARAMETER_TYPE_STRING, string)

        def parameter_int(_, time, position, data, attributes, parameter, value):
            l.event(time, attributes)
            self.parameter(l, parameter, _otf2.PARAMETER_TYPE_INT64)

        def parameter_unsigned(_, time, position, data, attributes, parameter, value):
            l.event(time, attributes)
            self.parameter(l, parameter, _otf2.PARAMETER_TYPE_UINT64)

        def flush(_, time, position, data, attributes, stop):
            l.event(time, attributes)
            self.counts["flushes"] += 1
            self.latest = max(self.latest or stop, stop)
            if stop < time:
                l.bad("FLUSH", f"a flush from {time} to {stop}")

        def measurement(_, time, position, data, attributes, mode):
            l.event(time, attributes, True)
            if l.is_on == (mode == _otf2.MEASUREMENT_ON):
                l.bad("MEASURE", "measurement is switched to what it was")
            l.is_on = mode == _otf2.MEASUREMENT_ON

        def program_begin(_, time, position, data, attributes, name, arguments):
            l.event(time, attributes, True)
            for string in [name] + arguments:
                self.defined(l, "String", string)
            l.program.append((l.n_events, time, True))

        def program_end(_, time, position, data, attributes, status):
            l.event(time, attributes, True)
            l.program.append((l.n_events, time, False))

        def unknown(_, time, position, data, attributes):
            l.event(time, attributes)
            l.bad("EVT-UNKNOWN", "an event of an unknown kind")

        return (("Enter", enter), ("Leave", leave), ("ThreadFork", fork), ("ThreadJoin", join), ("ThreadTeamBegin", team_begin),
                ("ThreadTeamEnd", team_end), ("ThreadTaskCreate", task_create), ("ThreadTaskSwitch", task_switch),
                ("ThreadTaskComplete", task_complete), ("ThreadAcquireLock", acquire), ("ThreadReleaseLock", release),
                ("ParameterString", parameter_string), ("ParameterInt", parameter_int),
                ("ParameterUnsignedInt", parameter_unsigned), ("BufferFlush", flush), ("MeasurementOnOff", measurement),
                ("ProgramBegin", program_begin), ("ProgramEnd", program_end), ("Unknown", unknown))

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

    # ---- What all locations together must be ----

    def check_tasks(self):
        bad = self.report.add
        for key, task in self.tasks.items():
            if key[2] == 0:
                continue
            if task.create is None and self.has_all_teams:
                bad("TASK-NOCREATE", f"task {key} runs and was never created")
            if task.complete is None and self.has_all_teams:
                bad("TASK-NOCOMPLETE", f"task {key} never completes")
            if task.complete is not None and not task.parts:
                bad("TASK-NOTCURRENT", f"task {key} completes and never ran")
            task.parts.sort(key=lambda part: (part[1], part[2]))
            if task.create is not None and task.parts:
                first = task.parts[0]
                if first[1] < task.create[0] or first[1] == task.create[0] and first[0] != task.create[1]:
                    bad("TASK-CAUSAL", f"task {key} runs at {first[1]}, created at {task.create[0]}")
            if task.complete is not None and task.parts and task.parts[-1][2] > task.complete[0]:
                bad("TASK-AFTER", f"task {key} runs after its completion")
            for before, after in zip(task.parts, task.parts[1:]):
                if after[1] < before[2] and before[0] != after[0]:
                    bad("TASK-OVERLAP", f"task {key} runs on {before[0]:#x} and {after[0]:#x} at once")
                if before[0] != after[0] and before[3] != 0:
                    bad("TASK-MIGRATE-OPEN", f"task {key} leaves {before[0]:#x} with {before[3]} regions open")

    def check_teams(self):
        begins = {ref: [fork[0] for fork in forks] for ref, forks in self.forks.items()}
        n_instances = collections.Counter((comm, ref) for comm, ref, _, _ in self.teams)
        for comm, ref, begin, end in self.teams:
            if not self.has_all_teams:
                break
            primary = self.defs.tables["Comm"][comm][0][0]
            forks = self.forks.get(primary, [])
            i = bisect.bisect_right(begins.get(primary, []), begin) - 1
            while i is not None and i >= 0 and not (forks[i][1] is not None and forks[i][1] >= end):
                i = forks[i][2] if forks[i][2] is not None else -1
            if i is None or i < 0:
                self.report.add("TEAM-FORK", f"team {comm} on {ref:#x} from {begin} to {end} is inside no fork of {primary:#x}")
        for comm, (members, _) in self.defs.tables["Comm"].items():
            if len({n_instances[comm, member] for member in members}) > 1 and self.has_all_teams:
                self.report.add("TEAM-INSTANCES", f"the members of team {comm} began it different numbers of times")

    def check_locks(self):
        for lock, taken in self.locks.items():
            taken.sort()
            for (order, time, ref), (next_order, next_time, next_ref) in zip(taken, taken[1:]):
                if order == next_order:
                    self.report.add("LOCK-ORDER", f"lock {lock} is taken twice as {order}")
                if next_time < time:
                    self.report.add("LOCK-ORDER", f"lock {lock} is taken as {next_order} before {order}")
            if self.has_all_locks and [t[0] for t in taken] != list(range(1, len(taken) + 1)):
                self.report.add("LOCK-ORDER", f"the acquisitions of lock {lock} are not numbered from 1 without gaps")

    def check_clock(self):
        used = [l for l in self.locations.values() if l.n_events]
        if not used or self.defs.clock is None:
            return
        resolution, offset, length, realtime = self.defs.clock
        first = min(l.first for l in used)
        last = max(max(l.last for l in used), self.latest or 0)
        if resolution == 0 or realtime == 0:
            self.report.add("CLOCK", f"resolution {resolution}, real time {realtime}")
        if offset != first:
            self.report.add("CLOCK", f"offset {offset}, the first event is at {first}")
        if offset + length != last:
            self.report.add("CLOCK", f"the end is {offset + length}, the last event at {last}")

    def check_programs(self):
        groups = collections.defaultdict(list)
        for ref, (_, _, group) in self.defs.locations.items():
            groups[group].append(self.locations[ref])
        for group in self.defs.tables["LocationGroup"]:
            locations = groups[group]
            if not locations:
                self.report.add("LG-EMPTY", f"location group {group} has no location")
                continue
            with_program = [l for l in locations if l.program]
            if len(with_program) != 1 or [p[2] for p in with_program[0].program] != [True, False]:
                self.report.add("PROGRAM", f"location group {group} has not one ProgramBegin and one ProgramEnd on one location")
                continue
            (begin, begin_time, _), (end, end_time, _) = with_program[0].program
            used = [l for l in locations if l.n_events]
            if begin != 1 or begin_time != min(l.first for l in used):
                self.report.add("PROGRAM", f"ProgramBegin is not the first event of location group {group}")
            if end != with_program[0].n_events or end_time != max(l.last for l in used):
                self.report.add("PROGRAM", f"ProgramEnd is not the last event of location group {group}")

    def check_properties(self):
        for name, value in self.properties.items():
            if name.endswith("_COMPLETE") and value == "true" and self.is_truncated:
                self.report.add("PROP", f"{name} is true in a truncated archive")

    def check_all(self):
        for check in (self.check_tasks, self.check_teams, self.check_locks, self.check_clock, self.check_programs,
                      self.check_properties):
            check()
        self.counts.update(locations=len(self.defs.locations), processes=len(self.defs.tables["LocationGroup"]),
                           regions=len(self.defs.tables["Region"]), comms=len(self.defs.tables["Comm"]), locks=len(self.locks),
                           truncated=int(self.is_truncated))

    def expect(self, text):
        key, value = text.split("=", 1)
        has, wanted = self.counts[key], int(value.rstrip("+"))
        if has != wanted and not (value.endswith("+") and has > wanted):
            self.report.add("EXPECT", f"{key} is {has}, expected {value}")


def usage():
    print(__doc__, file=sys.stderr)
    return 3


def main(arguments):
    expectations, anchor, is_quiet = [], None, False
    arguments = iter(arguments)
    for argument in arguments:
        if argument == "--expect":
            expectations.append(next(arguments, ""))
        elif argument == "-q":
            is_quiet = True
        elif argument.startswith("-") or anchor is not None:
            return usage()
        else:
            anchor = argument
    keys = ("events", "tasks", "completed", "switches", "forks", "teams", "acquisitions", "flushes", "locations", "processes",
            "regions", "comms", "locks", "truncated")
    for text in expectations:
        key, _, value = text.partition("=")
        if key not in keys or not value.rstrip("+").isdigit():
            return usage()
    if anchor is None:
        return usage()
    if os.path.isdir(anchor):
        anchor = os.path.join(anchor, "trace.otf2")
    check = Check()
    try:
        check.read(anchor)
    except (_otf2.Error, OSError) as reason:
        print(f"{anchor}: unreadable: {reason}", file=sys.stderr)
        return 2
    check.check_all()
    for text in expectations:
        check.expect(text)
    if not is_quiet:
        for key in keys:
            print(f"{key} {check.counts[key]}")
    for name in sorted(check.report.examples):
        for text in check.report.examples[name]:
            print(f"{name}: {text}")
    if check.report.classes:
        print("INVALID " + " ".join(sorted(check.report.classes)))
        return 1
    print("VALID")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
