# SPDX-License-Identifier: BSD-3-Clause
"""What must be ordered in a program, and what must not: from its abstract text and the OpenMP specification alone.

programs.py calls Order for each program, compiler and number of threads. The text is executed in thought. Each task has
a row of events, and edges lead from an event to those that come after it in every execution (sure edges), or in some
that the text and the specification allow (the others). A pair of events is

    ordered      if sure edges lead from one to the other,
    not ordered  if no edges do,
    undecided    otherwise.

REASONS names what the text does not decide. Sections of OpenMP 5.1 stand at the rules.
"""
from statements import code_of, for_gcc, reduces_tasks, taskloop_for

SERIAL_IF = "undeferred in a team of one"      # no tool can know there whether if(0) is the program's
EXECUTOR = "who executes a single or a part"   # so whether tasks of two are siblings, and what else their thread did before
REASONS = (SERIAL_IF, EXECUTOR)
DOACROSS = "iterations of a doacross loop"  # decided, but only fragments are as small as these


class Instance:
    """A task: explicit, implicit or initial. `end`: its structured block has ended; `done`: it is complete, which a
    detached task is when its event is fulfilled, too (2.12.1)."""

    def __init__(self, statement, begin):
        self.statement, self.begin, self.end, self.done = statement, begin, None, None
        self.flow, self.types = None, {}


class Flow:
    """One task's statements as they are executed in order, or those of a single or a part, of which is not known which
    of the team's implicit tasks executes them (`member` None, and `task` None)."""

    def __init__(self, team, now, task=None, member=None):
        self.team, self.now, self.task, self.member = team, now, task, member
        self.maybe = []     # events that come before the next one, if some choice was made so
        self.children = []  # tasks generated here
        self.waits = []     # waits with dependences, on which later ones depend as on tasks
        self.groups = []    # lists of tasks: of the taskgroups around it
        self.final = False
        self.events = {}    # names of events for omp_fulfill_event -> Instance.done
        self.entries = []   # (kind, line, what) in order: for matching
        self.code = None    # of a single or a part: code_of
        self.rounds = 0     # of the innermost loop


class Team:
    def __init__(self, region, size):
        self.region, self.size = region, size
        self.members, self.flows, self.tasks, self.barriers = [], [], [], []
        self.spare = []                 # barriers that are not the text's
        self.codes = {}                 # code_of a body -> the member that executes it, where the text says so
        self.common = self.join = None  # the last event that all members have passed
        self.loose = []                 # ends of singles and parts since then
        self.groups = []                # lists of tasks whose creator is not known: of the taskgroups of its members
        self.part, self.sources = 0, {} # of the doacross loop: the part, and the event of each part's source


class Order:
    def __init__(self, programs, compiler, threads):
        self.compiler, self.gcc, self.threads = compiler, compiler == "gcc", threads
        self.after, self.maybe_after, self.program_of = [], [], []
        self.exclusive = set()  # pairs of tasks that may be in one mutually exclusive set
        self.varies = False     # do dependences, exclusive sets or waits depend on who executes a single or a part?
        self.asks = False       # does the graph depend on the number of threads?
        self.program = self.runs = 0  # runs: how often the body of a task or taskloop is executed
        team = Team(None, 1)
        self.initial = Instance(None, self.event())
        flow = self.flow_of(self.initial, team, 0)
        team.members, team.flows = [self.initial], [flow]
        for self.program, program in enumerate(programs):
            self.execute(program, flow)
        self.initial.end = self.initial.done = self.step(flow)

    # Events and edges.

    def event(self):
        self.after.append([])
        self.maybe_after.append([])
        self.program_of.append(self.program)
        return len(self.after) - 1

    def edge(self, a, b, why=None):
        """`why`: one of REASONS, if it may be that there is none."""
        (self.maybe_after[a].append((b, why)) if why else self.after[a].append(b))

    def step(self, flow):
        """The next event of a flow."""
        event = self.event()
        self.edge(flow.now, event)
        for before in flow.maybe:
            self.edge(before, event, EXECUTOR)
        flow.now, flow.maybe = event, []
        return event

    def flow_of(self, instance, team, member=None):
        instance.flow = Flow(team, instance.begin, instance, member)
        return instance.flow

    # Statements.

    def execute(self, statements, flow):
        for statement in statements:
            getattr(self, "do_" + type(statement).__name__)(statement, flow)

    def do_Work(self, work, flow):
        pass

    do_Yield = do_Work

    def do_Loop(self, loop, flow):
        outer = flow.rounds
        for flow.rounds in range(loop.rounds):
            self.execute(loop.body, flow)
        flow.rounds = outer

    def do_Critical(self, critical, flow):
        self.execute(critical.body, flow)  # exclusion is not an order

    def do_Task(self, task, flow):
        self.runs += 1
        creation = self.step(flow)
        instance = self.begin_task(task, flow, creation)
        self.add_dependences(instance, task.depends, flow)
        flow.entries.append(("task", task.line, instance))
        self.run_task(instance, task, flow)
        included, undeferred = flow.final, "if(0)" in task.clauses
        if included or undeferred:  # 2.12.1: the encountering task is suspended until it has completed
            if instance.types and not included:
                flow.entries.append(("taskwait", task.line, None))  # a runtime may report the wait for its dependences
            self.edge(instance.done, self.step(flow), None if included or flow.team.size > 1 else SERIAL_IF)

    def begin_task(self, statement, flow, creation):
        instance = Instance(statement, self.event())
        self.edge(creation, instance.begin)
        inner = self.flow_of(instance, flow.team)
        inner.groups, inner.events, inner.rounds = list(flow.groups), dict(flow.events), flow.rounds
        flow.children.append(instance)
        flow.team.tasks.append(instance)
        for group in flow.groups:
            group.append(instance)
        return instance

    def run_task(self, instance, statement, flow):
        inner = instance.flow
        inner.final = flow.final or "final(1)" in getattr(statement, "clauses", ())
        self.execute(statement.body, inner)
        instance.end = instance.done = self.step(inner)
        if getattr(statement, "detach", None) and not self.gcc:
            instance.done = self.event()
            self.edge(instance.end, instance.done)
            flow.events[statement.detach] = instance.done

    def add_dependences(self, instance, depends, flow):
        """2.19.11: on each sibling generated before that names the same address, unless both are `in`, both
        `mutexinoutset` or both `inoutset`."""
        for depend in depends:
            kind = for_gcc(depend.type) if self.gcc else depend.type
            for address in depend.addresses(flow.rounds):
                if address is not None:
                    address = self.program, address  # each has addresses of its own
                elif self.gcc:
                    continue  # gcc 12 has no omp_all_memory
                instance.types.setdefault(address, set()).add("inout" if kind == "out" else kind)
        if instance.types:
            before = [(x, why) for other, why in self.same_task(flow) for x in other.children + other.waits if x is not instance]
            for one, why in before:
                if conflict(one.types, instance.types):
                    self.edge(one.done, instance.begin, why)
                    self.varies = self.varies or why is not None
                elif shares_mutex(one.types, instance.types):
                    self.varies = self.varies or why is not None
                    if not why:
                        self.exclusive.add((one, instance))

    def same_task(self, flow):
        """The flows of the task that a flow belongs to, each with the reason if it may be another task's."""
        if flow.task is not None and flow.member is None:
            return [(flow, None)]
        return [(other, None if other is flow else EXECUTOR) for other in flow.team.flows
                if other is flow or other.member is None or flow.member is None]

    def do_Fulfil(self, fulfil, flow):
        if not self.gcc:
            self.edge(self.step(flow), flow.events[fulfil.event])

    def do_Wait(self, wait, flow):
        event = self.step(flow)
        flow.entries.append(("taskwait", wait.line, event))
        if wait.depends:
            only = Instance(wait, event)  # 2.19.5: as an undeferred task without a body
            only.end = only.done = event
            self.add_dependences(only, wait.depends, flow)
            flow.waits.append(only)
            return
        for other, why in self.same_task(flow):
            for child in other.children:  # 2.19.5: the children generated so far
                self.edge(child.done, event, why)
                self.varies = self.varies or why is not None

    def do_Group(self, group, flow):
        place = self.begin_group(flow)
        self.execute(group.body, flow)
        self.end_group(group, flow, place)

    def do_TeamGroup(self, group, team):
        places = self.begin_team_group(team)
        self.execute(group.body, team)
        self.end_team_group(group, team, places)

    def begin_team_group(self, team):
        """A taskgroup of each member. Of what a single or a part creates in it is not known whose it is."""
        team.groups.append([])
        return [self.begin_group(implicit.flow) for implicit in team.members]

    def end_team_group(self, statement, team, places):
        loose = team.groups.pop()
        for implicit, place in zip(team.members, places):
            event = self.end_group(statement, implicit.flow, place)
            for task in loose:
                self.edge(task.done, event, EXECUTOR)

    def do_Sink(self, sink, flow):
        """2.19.9.2: after the source of that iteration."""
        source = flow.team.sources.get(flow.team.part - sink.distance)
        event = self.step(flow)
        if source is not None:
            self.edge(source, event, DOACROSS)

    def do_Source(self, source, flow):
        flow.team.sources[flow.team.part] = self.step(flow)

    def begin_group(self, flow):
        flow.groups.append([])
        flow.entries.append(None)
        return len(flow.entries) - 1

    def end_group(self, statement, flow, place):
        """`statement` None: the group is one of a reduction's, without a line."""
        event = self.step(flow)
        flow.entries[place] = "taskgroup", statement.line if statement else None, event
        for task in flow.groups.pop():  # 2.19.6: children and descendants generated in it
            self.edge(task.done, event)
        return event

    def do_Taskloop(self, loop, flow):
        self.runs += loop.iterations
        self.asks = self.asks or loop.tasks is None
        _, n_tasks, nogroup = taskloop_for(loop, self.compiler)
        if not nogroup:
            place = self.begin_group(flow)  # 2.12.2: an implicit taskgroup
        creation = self.step(flow)
        instances = []
        for _ in range(n_tasks or 1):
            instance = self.begin_task(loop, flow, creation)
            instances.append(instance)
            self.run_task(instance, loop, flow)
            if flow.final or "if(0)" in loop.clauses:
                creation = self.step(flow)
                self.edge(instance.done, creation, None if flow.final or flow.team.size > 1 else SERIAL_IF)
        flow.entries.append(("tasks" if n_tasks is None else "taskloop", loop.line, instances))
        if not nogroup:
            self.end_group(loop, flow, place)

    # Teams.

    def do_Region(self, region, flow):
        fork = self.step(flow)
        team = Team(region, 1 if "if(0)" in region.clauses else region.threads or self.threads)
        team.common, team.fork = fork, fork
        for member in range(team.size):
            implicit = Instance(region, self.event())
            self.edge(fork, implicit.begin)
            team.members.append(implicit)
            team.flows.append(self.flow_of(implicit, team, member))
            implicit.flow.events, implicit.flow.rounds = dict(flow.events), flow.rounds
        places = self.begin_team_group(team) if reduces_tasks(region) else None
        self.execute(region.body, team)
        if places:
            self.end_team_group(None, team, places)
        for implicit in team.members:
            implicit.end = implicit.done = self.step(implicit.flow)
        team.join = self.meet(team)  # the implicit barrier at its end (2.6)
        flow.now = team.join
        flow.entries.append(("region", region.line, team))

    def meet(self, team):
        """An event after all that the team's members and their tasks do until then (2.19.2, 2.19.3)."""
        event = self.event()
        for implicit in team.members:
            self.edge(self.step(implicit.flow), event)
        for before in team.loose + [task.done for task in team.tasks]:
            self.edge(before, event)
        team.tasks, team.loose, team.common = [], [], event
        for implicit in team.members:
            implicit.flow.now, implicit.flow.maybe = event, []
        return event

    def do_Barrier(self, barrier, team):
        team.barriers.append(self.meet(team))

    def do_Each(self, each, team):
        self.asks = True
        for implicit in team.members:
            self.execute(each.body, implicit.flow)

    def do_Masked(self, masked, team):
        self.asks = self.asks or masked.filter > 0
        if masked.filter < team.size:
            team.codes[code_of(masked)] = masked.filter
            self.execute(masked.body, team.members[masked.filter].flow)

    def do_Single(self, single, team):
        self.parts(team, single, [single.body])
        if not single.nowait:
            team.barriers.append(self.meet(team))

    def do_Share(self, share, team):
        is_static = share.kind in ("static", "doacross")
        self.asks = self.asks or is_static
        places = self.begin_team_group(team) if reduces_tasks(share) and not self.gcc else None
        if is_static:  # 2.11.4: chunks are given to the threads in turns, in order of their numbers
            team.sources = {}
            for number, part in enumerate(share.parts):
                team.part = number
                member = self.member_of(number, share, team.size)
                team.codes[code_of(share, number)] = member
                self.execute(part, team.members[member].flow)
        else:
            self.parts(team, share, share.parts)
        if places:
            self.end_team_group(None, team, places)
        if not share.nowait:
            team.barriers.append(self.meet(team))
            if share.clauses and not self.gcc:  # a reduction, after which clang lets the team meet once more
                team.spare.append(self.meet(team))
                team.barriers.append(team.spare[-1])

    def member_of(self, number, share, size):
        """gcc's doacross loops get no chunks by LLVM's runtime, but consecutive parts, the first threads one more."""
        if share.kind != "doacross" or not self.gcc:
            return number % size
        least, more = divmod(len(share.parts), size)
        return [member for member in range(size) for _ in range(least + (member < more))][number]

    def parts(self, team, statement, bodies):
        """Executes each body by some member of the team. Several are in no order with each other: such bodies must
        neither wait nor have siblings (drawing.py takes care of it)."""
        if team.size == 1:
            for body in bodies:
                self.execute(body, team.members[0].flow)
            return
        before = [event for implicit in team.members for event in [implicit.flow.now, *implicit.flow.maybe]]
        ends = []
        for number, body in enumerate(bodies):
            flow = Flow(team, self.event())
            flow.code, flow.groups = code_of(statement, number), list(team.groups)
            self.edge(team.common, flow.now)
            for event in before:
                self.edge(event, flow.now, EXECUTOR)
            flow.events, flow.rounds = dict(team.members[0].flow.events), team.members[0].flow.rounds
            team.flows.append(flow)
            self.execute(body, flow)
            ends.append(self.step(flow))
        team.loose += ends
        for implicit in team.members:
            implicit.flow.maybe += ends

    # Answers.

    def come_before(self, marks, reasons):
        """For each event the marks (bits) of the events that come before it, along sure edges and those of `reasons`."""
        n_in = [0] * len(self.after)
        after = [sure + [b for b, why in maybe if why in reasons] for sure, maybe in zip(self.after, self.maybe_after)]
        for targets in after:
            for target in targets:
                n_in[target] += 1
        ready = [event for event, n in enumerate(n_in) if n == 0]
        before, seen = [0] * len(after), 0
        while ready:
            event = ready.pop()
            seen += 1
            bits = before[event] | marks.get(event, 0)
            for target in after[event]:
                before[target] |= bits
                n_in[target] -= 1
                if n_in[target] == 0:
                    ready.append(target)
        if seen != len(after):
            raise ValueError("the program's order has a circle")
        return before

    def ordered(self, a, b):
        """Is there a path of sure edges from a to b?"""
        seen, left = {a}, [a]
        while left:
            for event in self.after[left.pop()]:
                if event not in seen:
                    seen.add(event)
                    left.append(event)
        return b in seen


def conflict(one, other):
    """Do two tasks with these types for addresses depend on each other? None is omp_all_memory."""
    if None in one or None in other:
        return bool(one and other)
    return any(a != b or a == "inout" for address in one.keys() & other.keys() for a in one[address] for b in other[address])


def shares_mutex(one, other):
    return any(one[address] == other[address] == {"mutexinoutset"} for address in one.keys() & other.keys())
