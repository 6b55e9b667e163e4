# SPDX-License-Identifier: BSD-3-Clause
"""Programs of any size, each of which has much of one thing: SHAPES. A shape is a function of how much, which gives a player
(../answers/player.py) that has played the program. What the player cannot play is recorded by hand, on its threads."""
from player import (COMPLETE, CRITICAL, EVENT, EXPLICIT, HAS_DEPENDENCES, IMPLICIT, INOUT, STATIC, SWITCH, TASKGROUP, TASKWAIT, TEAM, Player, Task)

SHAPES, USUAL = [], []
LOCK, YIELD, UNTIED, MUTEXINOUTSET, TASKLOOP, REDUCTION = 1, 2, 64, 4, 7, 7
EVENT.update(reduction_begin=15, reduction_end=16)
NS = 1000


def shape(size, is_usual=False):
    """Decorator: the shape is built at this size, and at four times as much; always, or where it is asked for."""
    def add(function):
        SHAPES.append((function.__name__, function, size))
        if is_usual:
            USUAL.append(function.__name__)
        return function
    return add


def region(n_threads, team):
    def program(t):
        yield from t.parallel(5, n_threads, team)
    return Player(n_threads, program)


def single(n_threads, body):
    return region(n_threads, lambda t: t.single(10, body))


def work(t):
    yield from t.work(NS)


def nothing():
    """What every dump takes."""
    return single(2, work)


# ---- Tasks ----


@shape(500)
def flat(n):
    def body(t):
        for _ in range(n):
            yield from t.create(20, work)
    return single(4, body)


@shape(512, is_usual=True)
def tree(n):
    """Each task but a leaf has two, for which it waits."""
    def split(n):
        def body(t):
            if n > 1:
                yield from t.create(20, split(n // 2))
                yield from t.create(21, split(n - n // 2))
                yield from t.taskwait(22)
            yield from t.work(NS)
        return body
    return single(4, split(n))


@shape(400, is_usual=True)
def waits(n):
    def body(t):
        for _ in range(n):
            yield from t.create(20, work)
            yield from t.taskwait(21)
    return single(2, body)


@shape(250)
def groups(n):
    def body(t):
        for _ in range(n):
            yield from t.taskgroup(20, lambda t: t.create(21, work))
    return single(2, body)


@shape(250)
def taskloops(n):
    def body(t):
        def split(t):
            address = t.player.address(20)
            t.record("work_begin", TASKLOOP, 0, 4, address)
            yield from t.create(20, work)
            yield from t.create(20, work)
            t.record("work_end", TASKLOOP, 0, 4, address)
        for _ in range(n):
            yield from t.taskgroup(20, split)
    return single(2, body)


@shape(200, is_usual=True)
def nested_groups(n):
    """Taskgroups in each other, each with a task."""
    def body(t):
        address = t.player.address(30)
        for _ in range(n):
            t.record("sync_begin", TASKGROUP, 0, t.task.id, address)
            yield from create_and_execute(t, 31)
        for _ in range(n):
            t.record("wait_begin", TASKGROUP, 0, t.task.id, address)
            yield from t.work(NS)
            t.record("wait_end", TASKGROUP, 0, t.task.id, address)
            t.record("sync_end", TASKGROUP, 0, t.task.id, address)
    return single(2, body)


@shape(200, is_usual=True)
def nested_tasks(n):
    """Each task has one, for which it waits, and which the same thread executes."""
    def body(t):
        address, outer = t.player.address(31), []
        for _ in range(n):
            task = create(t, 30)
            t.record("sync_begin", TASKWAIT, 0, t.task.id, address)
            yield from t.work(NS)
            switch(t, SWITCH, task)
            outer.append(task.parent)
        while outer:
            yield from t.work(NS)
            switch(t, COMPLETE, outer.pop())
            t.record("sync_end", TASKWAIT, 0, t.task.id, address)
    return single(2, body)


# ---- What is recorded by hand ----


def create(t, place, flags=EXPLICIT, inout=None, kind=INOUT):
    task = Task(t.new_id(), t.task, place)
    t.record("task_create", flags | (HAS_DEPENDENCES if inout else 0), task.id >> 20, t.task.id, t.player.address(place))
    if inout:
        t.record("dependences", kind, 1, task.id, inout)
    return task


def switch(t, status, task):
    t.record("task_schedule", status, 0, t.task.id, task.id)
    t.task = task


def execute(t, task):
    outer = t.task
    switch(t, SWITCH, task)
    yield from t.work(NS)
    switch(t, COMPLETE, outer)


def create_and_execute(t, place, **how):
    yield from t.work(NS)
    yield from execute(t, create(t, place, **how))


# ---- Dependences ----


@shape(250)
def chain(n):
    def body(t):
        for _ in range(n):
            yield from t.create(20, work, inout=(0x1000,))
    return single(2, body)


@shape(300, is_usual=True)
def variables(n):
    """Each of n variables has a task that depends on one before, of another construct."""
    def body(t):
        for place in (20, 21):
            for i in range(n):
                yield from t.create(place, work, inout=(0x1000 + 8 * i,))
    return single(4, body)


@shape(250)
def exclusive(n):
    """Tasks of one set that exclude each other."""
    def body(t):
        for _ in range(n):
            yield from create_and_execute(t, 20, inout=0x1000, kind=MUTEXINOUTSET)
    return single(2, body)


@shape(150, is_usual=True)
def exclusive_sets(n):
    """Such sets, after each of which comes a task that depends on it."""
    def body(t):
        for _ in range(n):
            for _ in range(3):
                yield from create_and_execute(t, 20, inout=0x1000, kind=MUTEXINOUTSET)
            yield from create_and_execute(t, 21, inout=0x1000)
    return single(2, body)


# ---- Worksharing, barriers, regions ----


@shape(60)
def loops(n):
    def team(t):
        for _ in range(n):
            yield from t.loop(20, NS * (1 + t.stream))
    return region(4, team)


@shape(60)
def barriers(n):
    def team(t):
        for _ in range(n):
            yield from t.work(NS * (1 + t.stream))
            yield from t.barrier(20)
    return region(4, team)


@shape(150, is_usual=True)
def singles(n):
    def team(t):
        for _ in range(n):
            yield from t.single(20, work)
    return region(4, team)


@shape(60)
def reductions(n):
    def team(t):
        for _ in range(n):
            yield from t.loop(20, NS, nowait=True)
            t.record("reduction_begin", REDUCTION, 0, t.task.id)
            yield from t.work(NS)
            t.record("reduction_end", REDUCTION, 0, t.task.id)
            yield from t.barrier(21)
    return region(4, team)


@shape(120, is_usual=True)
def regions(n):
    def program(t):
        for _ in range(n):
            yield from t.parallel(5, 4, work)
    return Player(4, program)


def nest(t, depth):
    """Regions of one thread in each other."""
    player, address, outer = t.player, t.player.address(40), []
    for _ in range(depth):
        player.n_regions += 1
        id_ = player.n_regions << 20 | t.stream
        t.record("parallel_begin", TEAM, player.n_regions, 1, address)
        outer.append((t.task, id_))
        t.task = Task(t.new_id(), None, 40)
        t.record("implicit_begin", IMPLICIT, t.n_tasks, id_, 1)
        yield from t.work(NS)
    while outer:
        t.record("implicit_end", IMPLICIT, 0, t.task.id, 1)
        t.task, id_ = outer.pop()
        t.record("parallel_end", TEAM, id_ >> 20, t.task.id, address)
        yield from t.work(NS)


@shape(200)
def nested_regions(n):
    """Regions of one thread, one after the other, in a region of two."""
    def team(t):
        for _ in range(n if t.stream == 0 else 0):
            yield from nest(t, 1)
    return region(2, team)


@shape(12)
def deep_regions(n):
    """The same in each other."""
    def team(t):
        for _ in range(10 if t.stream == 0 else 0):
            yield from nest(t, n)
    return region(2, team)


# ---- Mutexes ----


@shape(200, is_usual=True)
def one_lock(n):
    """Threads wait for it."""
    def team(t):
        for _ in range(n):
            yield from t.critical(20, 0x500, NS)
            yield from t.work(NS)
    return region(4, team)


@shape(100)
def many_locks(n):
    def team(t):
        for i in range(n):
            yield from t.critical(20, 0x500 + 8 * i, NS)
    return region(4, team)


@shape(200)
def held_locks(n):
    """A thread holds them all at once."""
    def body(t):
        address = t.player.address(30)
        for events, order in ((("mutex_acquire", "mutex_acquired"), range(n)), (("mutex_released",), reversed(range(n)))):
            for i in order:
                yield from t.work(NS)
                for event in events:
                    t.record(event, LOCK, 0, 0x500 + 8 * i, address)
    return single(2, body)


@shape(300, is_usual=True)
def moved(n):
    """Untied tasks, each of which takes a lock on one thread and releases it on the other."""
    def body(t):
        yield from t.work(10 * NS)  # the other one has come to the barrier
        address, other = t.player.address(31), t.player.threads[1]
        implicit, others = t.task, other.task
        for i in range(n):
            task = create(t, 30, EXPLICIT | UNTIED)
            yield from t.work(NS)
            switch(t, SWITCH, task)
            for event in ("mutex_acquire", "mutex_acquired"):
                t.record(event, LOCK, 0, 0x500, address)
            yield from t.work(NS)
            switch(t, YIELD, implicit)
            yield from t.work(NS)
            switch(other, SWITCH, task)
            yield from t.work(NS)
            other.record("mutex_released", LOCK, 0, 0x500, address)
            switch(other, COMPLETE, others)
    return single(2, body)


# ---- Many at once ----


@shape(40, is_usual=True)
def threads(n):
    """Each has as many records, so many that the page has as many windows of time at both sizes as there may be."""
    def team(t):
        for _ in range(6):
            yield from t.work(NS * (1 + t.stream % 7))
            yield from t.barrier(20)
            yield from t.loop(21, NS * (1 + t.stream % 5))
    return region(n, team)


@shape(40)
def threads_with_tasks(n):
    def team(t):
        yield from t.create(20, work)
        yield from t.create(21, work)
        yield from t.taskwait(22)
        yield from t.work(NS * (1 + t.stream % 7))
    return region(n, team)


@shape(40)
def threads_at_a_lock(n):
    """They all wait for it."""
    def team(t):
        yield from t.critical(20, 0x500, NS)
    return region(n, team)


@shape(200)
def constructs(n):
    """Each task has one of its own."""
    def body(t):
        for i in range(n):
            yield from t.create(0x100 + i, work)
    return single(4, body)


@shape(150, is_usual=True)
def waiting_constructs(n):
    """Each taskwait, task and critical has one of its own."""
    def body(t):
        for i in range(n):
            yield from t.create(0x1000 + i, work)
            yield from t.critical(0x2000 + i, 0x500, NS)
            yield from t.taskwait(0x3000 + i)
    return single(2, body)


@shape(100)
def paired_constructs(n):
    """Constructs of regions and of loops."""
    def program(t):
        for i in range(n):
            def team(t, i=i):
                yield from t.loop(0x2000 + i, NS * (1 + t.stream))
            yield from t.parallel(0x1000 + i, 2, team)
    return Player(2, program)


@shape(100)
def chained_constructs(n):
    def body(t):
        for i in range(n):
            yield from t.create(0x1000 + i, work, inout=(0x1000,))
    return single(2, body)


@shape(100)
def paths(n):
    """Tasks of their own constructs that create each other: n of them, each with a taskwait."""
    def body(t):
        outer = []
        for i in range(n):
            task = create(t, 0x100 + i)
            t.record("sync_begin", TASKWAIT, 0, t.task.id, t.player.address(0x2000 + i))
            yield from t.work(NS)
            switch(t, SWITCH, task)
            outer.append((task.parent, i))
        while outer:
            yield from t.work(NS)
            task, i = outer.pop()
            switch(t, COMPLETE, task)
            t.record("sync_end", TASKWAIT, 0, t.task.id, t.player.address(0x2000 + i))
    return single(2, body)


@shape(40)
def threads_apart(n):
    """Each is at constructs of its own."""
    def team(t):
        yield from t.loop(0x1000 + t.stream, NS * (1 + t.stream % 7), nowait=True)
        yield from t.create(0x2000 + t.stream, work)
        yield from t.taskwait(0x3000 + t.stream)
        yield from t.loop(0x4000 + t.stream, NS * (1 + t.stream % 5), nowait=True)
    return region(n, team)
