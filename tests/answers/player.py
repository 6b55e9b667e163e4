# SPDX-License-Identifier: BSD-3-Clause
"""Plays an OpenMP program on threads that do not exist, at times that are known to the nanosecond, and writes the dump that
a recorder would have left of it.

A program is a function of the primary thread, a generator: it yields what Thread's methods yield. Each thread is always in one
task, in the runtime, waiting, or without a region; the player keeps the account of that by the rules of docs/states.md and
docs/analyses.md, in its own words and not with the builder's code: Player.spent. What the runtime takes is a constant of
the player for each thing that it does (Costs), so all that a run takes can be added up by hand.

The runtime that is played: one list of ready tasks, first in, first out; tasks are tied; a thread that waits in a taskwait or
at a taskgroup's end runs descendants of its task alone, in a barrier any task of its team; mutexes are given in the order
in which they are asked for.
"""
import dataclasses
import heapq

EVENT = {"thread_begin": 1, "thread_end": 2, "parallel_begin": 3, "parallel_end": 4, "implicit_begin": 5, "implicit_end": 6, "task_create": 7,
         "task_schedule": 8, "dependences": 9, "task_dependence": 10, "sync_begin": 11, "sync_end": 12, "wait_begin": 13, "wait_end": 14,
         "work_begin": 17, "work_end": 18, "mutex_acquire": 22, "mutex_acquired": 23, "mutex_released": 24, "target_begin": 33,
         "target_end": 34, "attach": 64, "detach": 65, "target_more": 99, "off": 117, "switches": 144}
INITIAL, IMPLICIT, EXPLICIT, UNDEFERRED, HAS_DEPENDENCES = 1, 2, 4, 32, 1024  # task_flags
TEAM = 8                                                                     # parallel_flags
COMPLETE, SWITCH = 1, 7                                                      # task_status
TASKWAIT, TASKGROUP, BARRIER, WORKSHARE, CLOSING = 5, 6, 3, 8, 9             # sync_kind
SINGLE, SINGLE_OTHER, STATIC, DYNAMIC = 3, 4, 10, 11                         # work_kind
CRITICAL = 5                                                                 # mutex_kind
ENTER_DATA = 2                                                               # target_kind
INOUT = 3                                                                    # dependence_type
PREEMPTED = 1                                                                # off_why
SWITCHES = 511                                                               # the writer's stream of switches
START = 1000                                                                 # ticks of the first record
WAIT = object()                                                              # until something changes


@dataclasses.dataclass
class Costs:
    """ns."""
    create: int = 100  # a task, before its record
    begin: int = 200   # from when a thread takes a task up until it runs
    resume: int = 300  # from when nothing is waited for any more until the thread goes on
    fork: int = 500    # from a region's begin until its implicit tasks begin
    acquire: int = 0   # a mutex that nobody else has, nor asks for


class Task:
    def __init__(self, id_, parent, place, body=None):
        self.id, self.parent, self.place, self.body = id_, parent, place, body
        self.group = parent.group if parent else None
        self.n_children = 0  # unfinished ones
        self.last = {}       # variable -> the child that depends on it last
        self.n_before, self.after, self.is_over, self.begun = 0, [], False, False

    def descends_from(self, other):
        task = self
        while task is not None and task is not other:
            task = task.parent
        return task is other


class Group:
    def __init__(self, outer):
        self.outer, self.n = outer, 0


class Team:
    def __init__(self, id_, threads, place):
        self.id, self.threads, self.place = id_, threads, place
        self.n_tasks, self.n_arrived, self.n_barriers = 0, 0, 0  # unfinished explicit tasks; threads that have come to the present barrier
        self.join = None


class Thread:
    def __init__(self, player, stream):
        self.player, self.stream = player, stream
        self.n_tasks = self.n_chunks = 0
        self.task = self.team = None
        self.wakes = 0  # tokens: an entry of the heap that is older than the latest one is void
        self.generator = None
        self.switches, self.since = [], 0
        self.last = 0

    # ---- Records ----

    def record(self, name, flags=0, value=0, a=0, b=0):
        if name == "target_more":
            self.player.records.append((self.stream, 0, EVENT[name], flags, value, a, b))
            return
        self.last = self.player.now
        self.player.records.append((self.stream, self.player.now, EVENT[name], flags, value, a, b))

    def new_id(self):
        self.n_tasks += 1
        return self.n_tasks << 20 | self.stream

    def attach(self, kind):
        self.record("attach", 0, 0, 1000 + self.stream, 0)
        self.record("thread_begin", kind)
        self.since = self.player.now

    def detach(self):
        self.record("thread_end")
        self.record("detach", 0, 0, 1000 + self.stream)
        if self.player.with_switches:
            switches, now = self.player.switches, self.player.now
            switches.append((SWITCHES, now, EVENT["switches"], 1, len(self.switches) << 32 | self.stream, self.since, now))
            switches += [(SWITCHES, begin, EVENT["off"], PREEMPTED, 0, end, 0) for begin, end in self.switches]

    # ---- Time ----

    def spend(self, what, ns):
        self.player.spent[what] += ns
        if ns:
            yield ns

    def work(self, ns):
        yield from self.spend("work", ns)

    def preempted(self, ns):
        """Others have the processor."""
        begin = self.player.now
        yield from self.spend("preempted", ns)
        self.switches.append((begin, self.player.now))

    def until(self, is_over, may_run, waits_for="waiting"):
        """The thread waits; meanwhile it runs tasks, of those that it may."""
        player, is_free = self.player, None
        while not is_over():
            task = next((t for t in player.ready if may_run(t)), None)
            if task is not None:
                player.ready.remove(task)
                yield from self.run(task)
                continue
            began = player.now
            # A task that another thread has taken up, and that does not run yet, is ready all the same.
            is_free = any(may_run(t) for t in player.taken)
            yield WAIT
            player.spent["runtime" if is_free and waits_for == "waiting" else waits_for] += player.now - began

    # ---- Tasks ----

    def run(self, task):
        player, outer = self.player, self.task
        player.taken.append(task)
        player.poke()
        yield from self.spend("runtime", player.begin_ns(task))
        player.taken.remove(task)
        player.poke()
        yield from self.execute(task, outer)

    def execute(self, task, outer):
        player = self.player
        self.record("task_schedule", SWITCH, 0, outer.id, task.id)
        self.task = task
        yield from task.body(self)
        self.record("task_schedule", COMPLETE, 0, task.id, outer.id)
        self.task = outer
        task.is_over = True
        task.parent.n_children -= 1
        self.team.n_tasks -= 1
        group = task.group
        while group is not None:
            group.n -= 1
            group = group.outer
        for after in task.after:
            after.n_before -= 1
            if after.n_before == 0:
                player.ready.append(after)
        player.poke()

    def create(self, place, body, inout=(), if0=False):
        """A task with dependences of type inout on these variables."""
        player = self.player
        yield from self.work(player.costs.create)
        player.n_created += 1
        parent = self.task
        task = Task(self.new_id(), parent, place, body)
        flags = EXPLICIT | (HAS_DEPENDENCES if inout else 0) | (UNDEFERRED if if0 else 0)
        self.record("task_create", flags, task.id >> 20, parent.id, player.address(place))
        parent.n_children += 1
        self.team.n_tasks += 1
        group = task.group
        while group is not None:
            group.n += 1
            group = group.outer
        assert len(inout) <= 1
        for variable in inout:
            self.record("dependences", INOUT, 1, task.id, variable)
            before = parent.last.get(variable)
            if before is not None and not before.is_over:
                self.record("task_dependence", 0, 0, before.id, task.id)
                before.after.append(task)
                task.n_before += 1
            parent.last[variable] = task
        if if0:
            assert not inout
            yield from self.execute(task, parent)
        elif task.n_before == 0:
            player.ready.append(task)
            player.poke()

    # ---- Synchronisation ----

    def resume(self):
        yield from self.spend("runtime", self.player.costs.resume)

    def taskwait(self, place):
        task, address = self.task, self.player.address(place)
        self.record("sync_begin", TASKWAIT, 0, task.id, address)
        yield from self.until(lambda: task.n_children == 0, lambda t: t.descends_from(task))
        yield from self.resume()
        self.record("sync_end", TASKWAIT, 0, task.id, address)

    def taskgroup(self, place, body):
        task, address = self.task, self.player.address(place)
        self.record("sync_begin", TASKGROUP, 0, task.id, address)
        group = task.group = Group(task.group)
        yield from body(self)
        task.group = group.outer
        self.record("wait_begin", TASKGROUP, 0, task.id, address)
        yield from self.until(lambda: group.n == 0, lambda t: t.descends_from(task))
        yield from self.resume()
        self.record("wait_end", TASKGROUP, 0, task.id, address)
        self.record("sync_end", TASKGROUP, 0, task.id, address)

    def arrive(self):
        """All threads have come, and all tasks are over."""
        team = self.team
        mine = team.n_barriers
        team.n_arrived += 1
        self.player.poke()

        def is_over():
            if team.n_barriers == mine and team.n_arrived == len(team.threads) and team.n_tasks == 0:
                team.n_arrived, team.n_barriers = 0, team.n_barriers + 1
                self.player.poke()
            return team.n_barriers != mine
        yield from self.until(is_over, lambda t: True)

    def barrier(self, place, kind=BARRIER):
        task, address = self.task, self.player.address(place)
        self.record("sync_begin", kind, 0, task.id, address)
        yield from self.arrive()
        yield from self.resume()
        self.record("sync_end", kind, 0, task.id, address)

    def loop(self, place, ns, nowait=False, n_chunks=0):
        """This thread's share of a loop takes so long. n_chunks: the runtime handed it out in so many chunks; 0: its schedule is static."""
        address, kind = self.player.address(place), DYNAMIC if n_chunks else STATIC
        self.record("work_begin", kind, self.n_chunks, 1000, address)
        yield from (self.work(ns) if isinstance(ns, int) else ns(self))
        self.n_chunks += n_chunks
        self.record("work_end", kind, self.n_chunks, 0, address)
        if not nowait:
            yield from self.barrier(place, WORKSHARE)

    def single(self, place, body, nowait=False):
        """The primary thread executes it."""
        address, is_mine = self.player.address(place), self is self.team.threads[0]
        self.record("work_begin", SINGLE if is_mine else SINGLE_OTHER, 0, 1, address)
        if is_mine:
            yield from body(self)
        self.record("work_end", SINGLE if is_mine else SINGLE_OTHER, 0, 1, address)
        if not nowait:
            yield from self.barrier(place, WORKSHARE)

    def critical(self, place, mutex, ns, preempted_ns=0, lost_ns=0):
        """preempted_ns: others have the processor in the midst of it; lost_ns: while the thread asks for it, and nobody has it."""
        player, address = self.player, self.player.address(place)
        self.record("mutex_acquire", CRITICAL, 2, mutex, address)
        queue = player.mutexes.setdefault(mutex, [])
        queue.append(self)
        is_free = queue == [self]
        yield from self.spend("runtime", player.costs.acquire if is_free else 0)
        yield from (self.preempted(lost_ns) if is_free and lost_ns else ())
        yield from self.until(lambda: queue[0] is self, lambda t: False, "exclusion")
        self.record("mutex_acquired", CRITICAL, 0, mutex, address)
        yield from self.work(ns // 2)
        yield from (self.preempted(preempted_ns) if preempted_ns else ())
        yield from self.work(ns - ns // 2)
        self.record("mutex_released", CRITICAL, 0, mutex, address)
        queue.pop(0)
        player.poke()

    def enter_data(self, place, ns):
        """target enter data, which takes so long."""
        player, address = self.player, self.player.address(place)
        player.n_targets += 1
        id_ = player.n_targets << 20 | self.stream
        self.record("target_begin", ENTER_DATA, 0, id_, address)
        self.record("target_more", 0, 0, self.task.id, 0)
        yield from self.spend("data", ns)
        self.record("target_end", ENTER_DATA, 0, id_, address)

    # ---- Regions ----

    def member(self, team, body):
        """A worker's part of a region."""
        player, self.team = self.player, team
        if self.last == 0:
            self.attach(2)
        began = player.now
        yield from self.implicit(team, body)
        while team.join is None:
            yield WAIT
        player.in_team_ns += team.join - began
        self.record("sync_end", CLOSING, 0, self.task.id, 0)
        self.record("implicit_end", IMPLICIT, 0, self.task.id, team.threads.index(self) << 32)
        self.task = self.team = None

    def implicit(self, team, body):
        player, index = self.player, team.threads.index(self)
        yield from self.spend("runtime", player.fork_ns(index))
        self.task = Task(self.new_id(), None, team.place)
        self.record("implicit_begin", IMPLICIT, self.n_tasks, team.id, index << 32 | len(team.threads))
        yield from body(self)
        self.record("sync_begin", CLOSING, 0, self.task.id, 0 if index else player.address(team.place))
        yield from self.arrive()
        yield from self.resume()

    def parallel(self, place, n, body):
        player, outer, address = self.player, self.task, self.player.address(place)
        player.n_regions += 1
        team = Team(player.n_regions << 20, player.threads[:n], place)
        self.record("parallel_begin", TEAM, player.n_regions, n, address)
        self.team = team
        for worker in team.threads[1:]:
            worker.start(worker.member(team, body))
        yield from self.implicit(team, body)
        self.record("sync_end", CLOSING, 0, self.task.id, address)
        self.record("implicit_end", IMPLICIT, 0, self.task.id, n)
        self.record("parallel_end", TEAM, team.id >> 20, outer.id, address)
        self.task, self.team, team.join = outer, None, player.now
        player.poke()
        yield 0  # the others come first

    def start(self, generator):
        self.generator = generator
        self.player.wake(self, self.player.now)

    def root(self, body):
        self.attach(1)
        self.task = Task(self.new_id(), None, None)
        self.record("implicit_begin", INITIAL, 1, 1 << 20, 1 << 32 | 1)
        yield from body(self)
        self.record("implicit_end", INITIAL, 0, self.task.id, 1 << 32)
        self.player.end = self.player.now


class Player:
    """Plays the program when it is made. After that: records, spent (ns by what for), wall, n_threads."""

    def __init__(self, n_threads, program, costs=Costs(), with_switches=True, begin=None, fork=None):
        """begin: {place: ns}, fork: {thread: ns}, in place of what costs say."""
        self.costs, self.with_switches = costs, with_switches
        self.begins, self.forks = begin or {}, fork or {}
        self.now, self.records, self.switches = START, [], []
        self.ready, self.taken, self.mutexes = [], [], {}
        self.n_regions, self.n_created, self.n_targets = 1, 0, 0
        self.spent = dict.fromkeys(("work", "serial", "waiting", "exclusion", "runtime", "recorder", "preempted", "blocked", "data", "unknown"), 0)
        self.in_team_ns, self.end = 0, None  # of all workers
        self.heap, self.waiting, self.n = [], [], 0
        self.threads = [Thread(self, i) for i in range(n_threads)]
        self.threads[0].start(self.threads[0].root(program))
        self.play()
        assert not self.waiting and self.end is not None, "the program waits for ever"
        for thread in self.threads:
            thread.detach()
        self.n_threads, self.wall = n_threads, self.now - START
        self.spent["serial"] = (n_threads - 1) * self.wall - self.in_team_ns  # the primary thread works there
        assert sum(self.spent.values()) == n_threads * self.wall, f"{self.spent} on {n_threads} threads in {self.wall} ns"

    def address(self, place):
        return 0x400000 + place

    def begin_ns(self, task):
        return self.begins.get(task.place, self.costs.begin)

    def fork_ns(self, index):
        return self.forks.get(index, self.costs.fork)

    def wake(self, thread, ticks):
        self.n += 1
        heapq.heappush(self.heap, (ticks, self.n, thread))

    def poke(self):
        """Something has changed: those that wait look."""
        for thread in self.waiting:
            self.wake(thread, self.now)
        self.waiting = []

    def play(self):
        while self.heap:
            self.now, _, thread = heapq.heappop(self.heap)
            try:
                step = next(thread.generator)
            except StopIteration:
                continue
            if step is WAIT:
                self.waiting.append(thread)
            else:
                self.wake(thread, self.now + step)

    def text(self):
        """For tools/write_dump: by stream, in order of time."""
        return "".join(" ".join(map(str, record)) + "\n" for record in self.records + self.switches)
