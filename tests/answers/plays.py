# SPDX-License-Identifier: BSD-3-Clause
"""Programs for the player (player.py), each with one fault, and what is left of it when that is mended.

A play is a function of the number of threads that gives its faulty and its mended program. What must be said of the first
is in its decorator: the limit, and the place (a line that exists nowhere) of the construct to mend. What mending gives is
no guess: the player plays the mended program, too.
"""
import dataclasses

from player import Costs, Player

PLAYS = []
MANY = (2, 4, 8, 64)
US = 1000


@dataclasses.dataclass
class Play:
    name: str
    limit: str           # kind
    place: object        # of the construct, or several that are as right; 0: it has none
    make: object         # threads -> (faulty, mended): Players
    threads: tuple       # numbers of them
    within: float        # by how much of it what is promised may differ from what mending gives
    then: str            # the limit of the mended program, * where it may be another one on each number of threads
    kind: str            # of the construct

    def labels(self):
        places = self.place if isinstance(self.place, tuple) else (self.place,)
        return [f"{self.kind}@{0x400000 + place:#x}" if place else "" for place in places]


def play(limit, place=0, kind="", threads=MANY, within=0.02, then="none", **settings):
    """Decorator of a function of the number of threads, which gives the two programs. settings: the player's."""
    def add(function):
        def make(n):
            return [p if isinstance(p, Player) else Player(n, p, **settings) for p in function(n)]
        PLAYS.append(Play(function.__name__, limit, place, make, threads, within, then, kind))
        return function
    return add


# ---- What programs are made of ----


def region(team, place=5, n=None):
    """A program that is one region."""
    def program(t):
        yield from t.parallel(place, n or len(t.player.threads), team)
    return program


def single(body, place=10):
    """A program that is a single in a region."""
    return region(lambda t: t.single(place, body))


def task(place, ns, **how):
    """A step of a body: creates a task that executes for so long."""
    return lambda t: t.create(place, lambda t: t.work(ns), **how)


def steps(*parts):
    """A body that does these one after the other."""
    def body(t):
        for part in parts:
            yield from part(t)
    return body


def times(n, *parts):
    return steps(*parts * n)


def work(ns):
    return lambda t: t.work(ns)


def each(ns_of):
    """Thread I executes for ns_of(I)."""
    return lambda t: t.work(ns_of(t.stream))


# ---- Creation ----


@play("creation", 20, "task")
def creation_by_one(n):
    """The creator prepares each task for longer than the others need for it."""
    return (single(times(50 * n, work(300 * US), task(20, 100 * US))),
            single(times(50 * n, task(20, 400 * US))))


@play("creation", 21, "task")
def creation_of_one_of_two(n):
    """Of two constructs one is prepared for long."""
    return (single(times(20 * n, task(20, 200 * US), work(400 * US), task(21, 100 * US))),
            single(times(20 * n, task(20, 200 * US), task(21, 500 * US))))


@play("creation", 31, "task", within=0.05)
def creation_by_a_task(n):
    """A task, and not the single, makes all others."""
    def faulty(t):
        yield from t.create(30, times(50 * n, work(200 * US), task(31, 50 * US)))

    def mended(t):
        yield from t.create(30, times(50 * n, task(31, 250 * US)))
    return single(faulty), single(mended)


# ---- Grain ----


@play("grain", 20, "task", threads=(2, 4), within=0.15, costs=Costs(create=500, begin=500))
def grain_of_tasks(n):
    """Tasks of 400 ns; or a hundred of them as one."""
    return (single(times(4000, task(20, 400))),
            single(times(40, task(20, 40000))))


@play("grain", 5, "parallel", threads=(2, 4, 8), within=0.15, costs=Costs(fork=4000, resume=4000))
def grain_of_regions(n):
    """Regions of some us each; or one with all that they do."""
    def faulty(t):
        for _ in range(200):
            yield from t.parallel(5, n, work(6 * US))
    return faulty, region(work(1200 * US))


# ---- Chains ----


@play("chain", 20, "task", within=0.06)
def chain_of_one(n):
    """Each task depends on the one before, and no other task needs that. There is other work, which is not in the way."""
    return (single(times(20 * n, task(20, 500 * US, inout=(1,)), task(21, 100 * US))),
            single(times(20 * n, task(20, 500 * US), task(21, 100 * US))))


@play("chain", 20, "task", within=0.06)
def chain_of_one_of_two(n):
    """Two constructs with dependences: of 20 all name one variable, of 21 each its own."""
    def body(is_mended):
        def one(t):
            for i in range(10 * n):
                yield from task(20, 400 * US, inout=(100 + i,) if is_mended else (1,))(t)
                yield from task(21, 400 * US, inout=(1000 + i,))(t)
        return single(one)
    return body(False), body(True)


@play("chain", (20, 21), "task", within=0.08)
def chain_of_stages(n):
    """Each step has two stages; the second depends on the first, and the next step on the second."""
    def body(is_mended):
        def one(t):
            for i in range(10 * n):
                variable = 100 + i if is_mended else 1
                yield from task(20, 300 * US, inout=(variable,))(t)
                yield from task(21, 300 * US, inout=(variable,))(t)
        return single(one)
    return body(False), body(True)


# ---- Waits ----


@play("wait", 32, "taskwait", threads=(2, 4, 8), within=0.05)
def wait_in_a_loop(n):
    """A taskwait in a loop waits for one long task each time, while there would be others."""
    pair = [task(30, 1000 * US), task(31, 4000 * US)]

    def wait(t):
        yield from t.taskwait(32)
    return single(times(10 * n, *pair, wait)), single(steps(*pair * 10 * n, wait))


@play("wait", 40, "taskgroup", threads=(2, 4, 8), within=0.05)
def wait_for_a_group(n):
    """The same with a taskgroup."""
    pair = steps(task(30, 1000 * US), task(31, 4000 * US))
    return (single(times(10 * n, lambda t: t.taskgroup(40, pair))),
            single(lambda t: t.taskgroup(40, times(10 * n, pair))))


@play("wait", 33, "taskwait", threads=(2, 4, 8), within=0.1, then="*")
def wait_of_one_of_two(n):
    """Two taskwaits, of which one waits for tasks that are as long as each other, and the other one for a long one. Without
    that, the first one waits for the long task in the next step."""
    def wait(place):
        return lambda t: t.taskwait(place)
    even, uneven = [task(30, 500 * US)] * 4 * n, [task(31, 500 * US), task(31, 4000 * US)]
    return (single(times(5 * n, *even, wait(32), *uneven, wait(33))),
            single(times(5 * n, *even, wait(32), *uneven)))


@play("wait", 32, "taskwait", threads=(4, 8), within=0.1, then="*")
def wait_in_tasks(n):
    """Tasks that each make a pair of tasks and wait for it, one pair after the other."""
    def outer(is_mended):
        def body(t):
            for _ in range(10):
                yield from t.create(31, work(200 * US))
                yield from t.create(31, work(2000 * US))
                if not is_mended:
                    yield from t.taskwait(32)
            yield from t.taskwait(33)
        return body
    return (single(lambda t: t.create(30, outer(False))), single(lambda t: t.create(30, outer(True))))


@play("wait", 20, "task", within=0.05)
def wait_undeferred(n):
    """if(0): the creator executes each task itself."""
    return (single(times(20 * n, task(20, 300 * US, if0=True))),
            single(times(20 * n, task(20, 300 * US))))


@play("wait", 60, "barrier", within=0.05)
def wait_at_a_barrier(n):
    """In each step another thread has much to do, and nobody needs what it does."""
    def faulty(t):
        for step in range(2 * n):
            yield from t.work(1000 * US if step % n == t.stream else 100 * US)
            yield from t.barrier(60)

    def mended(t):
        for step in range(2 * n):
            yield from t.work(1000 * US if step % n == t.stream else 100 * US)
    return region(faulty), region(mended)


# ---- Imbalance ----


@play("imbalance", 50, "loop")
def imbalance_of_a_loop(n):
    """A triangular loop, its iterations shared out as they come."""
    return (region(lambda t: times(4, lambda t: t.loop(50, (2 * t.stream + 1) * 100 * US))(t)),
            region(lambda t: times(4, lambda t: t.loop(50, n * 100 * US))(t)))


@play("imbalance", 51, "loop")
def imbalance_of_one_of_two(n):
    """Two loops of which one is shared out badly."""
    def body(last):
        def team(t):
            for _ in range(4):
                yield from t.loop(50, 500 * US)
                yield from t.loop(51, last(t.stream))
        return region(team)
    return body(lambda i: 2000 * US if i == n - 1 else 500 * US), body(lambda i: (500 * (n - 1) + 2000) * US // n)


@play("imbalance", 5, "parallel")
def imbalance_of_a_region(n):
    """No construct shares the work out but the region itself."""
    return region(each(lambda i: (2 * i + 1) * 200 * US)), region(each(lambda i: n * 200 * US))


@play("imbalance", 21, "task", threads=(2, 4, 8), within=0.05)
def imbalance_of_a_task(n):
    """The longest task is made last; the same work as short tasks."""
    return (single(steps(*[task(20, 100 * US)] * 20 * n, task(21, 5000 * US))),
            single(steps(*[task(20, 100 * US)] * 20 * n, *[task(21, 50 * US)] * 100)))


@play("imbalance", 50, "loop", then="*")
def imbalance_in_a_few_steps(n):
    """A loop that is shared out badly in every third step alone, and another one that is shared out well."""
    def team(is_mended):
        def body(t):
            for step in range(9):
                long = 1900 * US if t.stream == 0 else 100 * US
                mean = (1900 + 100 * (n - 1)) * US // n
                yield from t.loop(50, (mean if is_mended else long) if step % 3 == 0 else 300 * US)
                yield from t.loop(51, 300 * US)
        return region(body)
    return team(False), team(True)


# ---- Exclusion ----


@play("exclusion", 20, "critical")
def exclusion_by_a_critical(n):
    """Most of the work is in a critical section."""
    return (region(lambda t: times(20, lambda t: t.critical(20, 1, 500 * US), work(100 * US))(t)),
            region(lambda t: times(20, lambda t: t.critical(20, 1 + t.stream, 500 * US), work(100 * US))(t)))


@play("exclusion", 21, "critical", threads=MANY[1:], within=0.05)
def exclusion_by_one_of_two(n):
    """Two critical sections of which one is short."""
    def team(is_mended):
        def body(t):
            for _ in range(20):
                yield from t.critical(20, 1, 1 * US)
                yield from t.critical(21, 10 + t.stream if is_mended else 2, 300 * US)
                yield from t.work(300 * US)
        return region(body)
    return team(False), team(True)


@play("runtime", 20, "critical", threads=(1, 2, 8, 64), costs=Costs(acquire=30 * US))
def acquiring_free_mutexes(n):
    """Each thread has a mutex of its own, and nobody waits."""
    return (region(times(100, lambda t: t.critical(20, 1 + t.stream, 50 * US), work(30 * US))),
            region(times(100, work(80 * US))))


@play("exclusion", 20, "critical", threads=(2, 4, 8), costs=Costs(acquire=10 * US), within=0.1)
def exclusion_beside_free_mutexes(n):
    """One mutex is everybody's; a second one, which is acquired as often, is each thread's own."""
    def team(is_mended):
        return region(times(40, lambda t: t.critical(20, 1 + t.stream * is_mended, 500 * US), lambda t: t.critical(21, 100 + t.stream, 100 * US)))
    return team(False), team(True)


# ---- Serial ----


@play("serial", 5, "parallel")
def serial_before_a_region(n):
    """The primary thread works alone between regions."""
    def program(alone, together):
        def body(t):
            for _ in range(10):
                yield from t.work(alone)
                yield from t.parallel(5, n, work(together))
        return body
    return program(1000 * US, 1000 * US), program(0, 1000 * US + 1000 * US // n)


@play("serial", 10, "single")
def serial_single(n):
    """One thread executes a single, for which the others wait."""
    def team(alone, together):
        def body(t):
            for _ in range(10):
                yield from t.single(10, work(alone))
                yield from t.loop(50, together)
        return region(body)
    return team(1000 * US, 1000 * US), team(0, 1000 * US + 1000 * US // n)


@play("serial", 6, "parallel")
def serial_few_threads(n):
    """A region asks for half of the threads."""
    def program(few, ns):
        def body(t):
            yield from t.parallel(5, n, work(1000 * US))
            yield from t.parallel(6, few, work(ns))
        return body
    return program(n // 2, 4000 * US), program(n, 2000 * US)


# ---- The runtime ----


@play("runtime", 20, "task", within=0.15)
def runtime_takes_tasks_late(n):
    """Tasks of 100 us begin 60 us after a thread could run them."""
    program = single(times(20 * n, task(20, 100 * US)))
    return Player(n, program, begin={20: 60 * US}), Player(n, program)


@play("runtime", 5, "parallel", threads=(2, 4, 8), within=0.05)
def runtime_forks_late(n):
    """All threads but the first come into each region when half of its time is over."""
    def program(ns):
        def body(t):
            for _ in range(10):
                yield from t.parallel(5, n, ns)
        return body
    late = {i: 500 * US for i in range(1, n)}
    return Player(n, program(work(1000 * US)), fork=late), Player(n, program(work(1000 * US)))


# ---- Other programs on the machine ----


@play("preemption", 50, "loop", with_switches=True)
def preemption_of_one(n):
    """In a loop that is shared out evenly one thread has no processor for a while."""
    def team(lost):
        def share(t):
            yield from t.work(500 * US)
            yield from t.preempted(lost if t.stream == 1 else 0)
            yield from t.work(500 * US)
        return region(times(4, lambda t: t.loop(50, share)))
    return team(1000 * US), team(0)


@play("preemption", 5, "parallel", threads=(2, 4, 8), with_switches=True, costs=Costs(acquire=1 * US))
def preempted_at_free_mutexes(n):
    """Threads lose their processors while they ask for mutexes that nobody else has."""
    def team(lost):
        return region(times(20, lambda t: t.critical(20, 1 + t.stream, 100 * US, lost_ns=lost), work(100 * US)))
    return team(150 * US), team(0)


@play("preemption", 20, "task", threads=(2, 4, 8), with_switches=True)
def preemption_of_all(n):
    """All threads lose a third of their time."""
    def body(lost):
        def one(t):
            yield from t.work(100 * US)
            yield from t.preempted(lost)
            yield from t.work(100 * US)
        return single(times(20 * n, lambda t: t.create(20, one)))
    return body(100 * US), body(0)


# ---- Devices ----


@play("data", 70, "target_enter_data")
def data_of_all(n):
    """Each thread brings data to a device before it works."""
    def team(ns):
        return region(times(10, lambda t: t.enter_data(70, ns), work(500 * US)))
    return team(500 * US), team(0)


@play("data", 71, "target_enter_data")
def data_of_one_of_two(n):
    """Two places at which data goes to a device."""
    def team(ns):
        return region(times(10, lambda t: t.enter_data(70, 10 * US), work(300 * US), lambda t: t.enter_data(71, ns), work(300 * US)))
    return team(500 * US), team(10 * US)


# ---- Two faults ----


@play("chain", 20, "task", then="serial", threads=(2, 4, 8), within=0.06)
def two_chain_and_serial(n):
    """A chain, and serial time, which is less."""
    def program(is_chain):
        def one(t):
            for i in range(10 * n):
                yield from task(20, 500 * US, inout=(1 if is_chain else 100 + i,))(t)

        def body(t):
            yield from t.work(2000 * US)
            yield from t.parallel(5, n, lambda t: t.single(10, one))
        return body
    return program(True), program(False)


@play("exclusion", 20, "critical", then="imbalance", threads=(4, 8))
def two_exclusion_and_imbalance(n):
    """A critical section, and after it a loop that is shared out badly."""
    def team(is_mended):
        def body(t):
            for _ in range(10):
                yield from t.critical(20, 1 + t.stream * is_mended, 900 * US)
            yield from t.loop(50, (2 * t.stream + 1) * 500 * US)
        return region(body)
    return team(False), team(True)


# ---- No fault ----


@play("none")
def none_loop(n):
    """A loop that is shared out evenly."""
    program = region(times(10, lambda t: t.loop(50, 1000 * US)))
    return program, program


@play("none")
def none_tasks(n):
    """Independent tasks that are long enough."""
    program = single(times(40 * n, task(20, 200 * US)))
    return program, program


@play("none")
def none_nested_tasks(n):
    """Tasks that make tasks and wait for them."""
    def outer(t):
        yield from times(10, task(31, 200 * US))(t)
        yield from t.taskwait(32)
    program = single(times(8 * n, lambda t: t.create(30, outer)))
    return program, program


# ---- One thread at a time ----


def alone(n):
    """Of n threads one works at a time, for a reason each: (limit, program), of which mending lets as many work as have a processor."""
    def before(t):
        yield from t.work(8000 * US)
        yield from t.parallel(5, n, work(10 * US))
    return (("serial", before),
            ("serial", single(work(8000 * US))),
            ("exclusion", region(lambda t: t.critical(21, 2, 1000 * US))),
            ("chain", single(times(64, task(20, 200 * US, inout=(1,))))),
            ("wait", single(times(64, task(20, 200 * US), lambda t: t.taskwait(30)))),
            ("imbalance", region(each(lambda i: 8000 * US if i == 0 else 10 * US))))


def long_task(n):
    """A taskwait that only moves the wait: one task of all is long, and the barrier would wait for it as well."""
    return single(steps(task(20, 8000 * US), *[task(21, 100 * US)] * n, lambda t: t.taskwait(30), lambda t: t.work(10 * US)))
