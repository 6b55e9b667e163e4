# SPDX-License-Identifier: BSD-3-Clause
"""Draws a random program from a seed, as statements (statements.py).

programs.py calls program(). What LLVM's compiler and runtime cannot do is left out (docs/runtimes.md): untied with
if(0), if(0) with mutexinoutset or inoutset, a detached task whose event is a variable of an untied task. What could
deadlock is not drawn either: nothing waits in a critical section, and an event is fulfilled by a task that waits for
nothing, and that is generated directly after the one that it completes.
"""
import random

from statements import *

# Kinds of dependences, the common ones more often.
KINDS = ("in", "in", "in", "out", "inout", "inout", "mutexinoutset", "inoutset")
OBJECT_KINDS = ("in", "out", "inout")  # of depend objects, in the code of all compilers


FEATURES = ("depend", "if0", "final", "untied", "detach", "group", "taskloop", "big", "critical", "loop", "share", "each", "iterator",
            "all", "clauses", "nogroup")
# Drawn with numbers of their own, so that a seed without them gives the program that it always gave.
LATER = ("team_group", "task_reduction", "doacross", "object", "iterators", "priority", "filter")


def reduces(statements):
    """Is there a worksharing construct with a reduction in them?"""
    return any(isinstance(statement, Share) and statement.clauses or reduces(getattr(statement, "body", ()))
               or any(map(reduces, getattr(statement, "parts", ()))) for statement in statements)


class Drawing:
    SIZE = 26  # constructs of a program, about

    def __init__(self, seed, without=()):
        self.random = random.Random(seed)
        self.left = self.random.randint(self.SIZE // 2, self.SIZE)
        self.without = set(without)
        self.n_events = self.n_regions = self.n_loops = self.n_untied = 0
        # Each program has some of the features only, so that many are drawn in great number somewhere.
        self.features = {f for f in FEATURES if self.random.random() < 0.6} - self.without
        self.later = random.Random(f"later {seed}")
        self.features |= {f for f in LATER if self.later.random() < 0.5} - self.without
        self.may_nogroup = self.has("nogroup")  # for one taskloop: LLVM's runtime gives its tasks no line

    def chance(self, p):
        return self.random.random() < p

    def later_chance(self, feature, p):
        return self.has(feature) and self.later.random() < p

    def choose(self, **weights):
        return self.random.choices(list(weights), list(weights.values()))[0]

    def has(self, feature):
        return feature in self.features

    def program(self):
        statements = []
        if self.chance(0.1):
            statements += self.tasks(2)
        while True:
            statements.append(self.region(0))
            if self.left <= 0 or self.chance(0.6):
                break
        if self.chance(0.1):
            statements += self.tasks(2)
        return statements

    def work(self):
        return Work(self.random.choice((0, 1, 10, 100, 1000)))

    # In a team.

    def region(self, depth):
        self.left -= 1
        self.n_regions += 1
        threads = None if depth == 0 and self.chance(0.8) else self.random.randint(1, 3)
        body = []
        for _ in range(self.random.randint(1, 4 if depth == 0 else 2)):
            body.append(self.team_statement(depth))
            if self.left <= 0:
                break
        clauses = ("if(0)",) * (self.has("clauses") and self.chance(0.1))
        reduction = self.reduction("team_sum")
        # Inside of another region the variable may be private already, in a task of a region that reduces it.
        if depth == 0 and self.later_chance("task_reduction", 0.3):
            reduction = ("reduction(task, + : team_sum)",)
        return Region(threads, body, clauses + (reduction if depth == 0 else ()))

    def team_statement(self, depth, group_depth=0):
        if group_depth < 2 and self.later_chance("team_group", 0.25):
            self.left -= 1
            return TeamGroup([self.team_statement(depth, group_depth + 1) for _ in range(self.later.randint(1, 3))])
        if self.later_chance("doacross", 0.2):
            self.left -= 1
            return self.doacross(depth + 1)
        kind = self.choose(single=8, barrier=2, masked=1, share=2 * self.has("share"), each=2 * self.has("each"))
        self.left -= 1
        if kind == "single":
            return Single(self.tasks(depth + 1), self.chance(0.35))
        if kind == "masked":
            if self.later_chance("filter", 0.5):
                return Masked(self.tasks(depth + 1), "masked", self.later.randint(0, 3))
            return Masked(self.tasks(depth + 1))
        if kind == "barrier":
            return Barrier()
        if kind == "each":
            return Each(self.each(depth + 1))
        kind = self.choose(static=2, dynamic=1, guided=1, sections=1)
        parts = [self.tasks(depth + 1) if kind == "static" else [self.part(depth + 1) for _ in range(self.random.randint(0, 2))]
                 for _ in range(self.random.randint(2, 3))]
        nowait, reduction = self.chance(0.4), self.reduction("share_sum")
        if not nowait and self.later_chance("task_reduction", 0.3):
            reduction = ("reduction(task, + : share_sum)",)
        # A task of a loop or section that reduces a variable must not use it (2.21.5.4).
        return Share(kind, parts, nowait, () if any(map(reduces, parts)) else reduction)

    def doacross(self, depth):
        """Each part has its source somewhere, before which it may wait for those of earlier parts."""
        parts = []
        for _ in range(self.later.randint(2, 6)):
            parts.append([*self.few(depth), *[Sink(self.later.choice((1, 1, 2, 3))) for _ in range(self.later.choice((0, 1, 1, 2)))],
                          *self.few(depth), Source(), *self.few(depth)])
        return Share("doacross", parts, self.later.random() < 0.4)

    def few(self, depth):
        """Nothing, or a task that is waited for, or one that is not."""
        kind = self.later.choice(("nothing", "task", "wait", "group"))
        if kind == "nothing":
            return []
        self.left -= 1
        task = Task([self.work()])
        return [Group([task])] if kind == "group" else [task, Wait()] if kind == "wait" else [task]

    def reduction(self, name):
        return (f"reduction(+ : {name})",) * (self.has("clauses") and self.chance(0.2))

    def each(self, depth):
        kind = self.choose(task=3, wait=2, region=1, several=1)
        if kind == "task":
            return [self.task(depth)]
        if kind == "wait":
            return [Wait()]
        if kind == "region" and self.n_regions < 4 and depth < 3:
            return [self.region(depth)]
        return self.tasks(depth, 2)

    def part(self, depth):
        """A task of a part whose thread is not known: without dependences, and without a wait in the part itself."""
        self.left -= 1
        return Task(self.tasks(depth + 1, 3) if self.chance(0.5) else [self.work()])

    # In a task.

    def tasks(self, depth, most=5, leaf=False):
        statements = []
        for _ in range(self.random.randint(1, most)):
            if self.left <= 0:
                break
            statements += self.statement(depth)
        return statements or [self.work()]

    def statement(self, depth):
        self.left -= 1
        deep = depth >= 5
        kind = self.choose(task=10, wait=2, depend_wait=1.5 * self.has("depend"), group=1.5 * self.has("group") * (not deep),
                           taskloop=2 * self.has("taskloop"), loop=1.5 * self.has("loop") * (not deep), critical=self.has("critical"),
                           switch=0.5, detach=2 * (self.has("detach") and self.n_untied == 0), region=0.6 * (self.n_regions < 4 and depth < 4), work=1)
        if kind == "task":
            return [self.task(depth)]
        if kind == "wait":
            return [Wait()]
        if kind == "depend_wait":
            return [Wait([d for d in self.depends(("in", "in", "out", "inout")) if d.at is not None] or [Depend("in", 0)])]
        if kind == "group":
            return [self.group(self.tasks(depth + 1, 4))]
        if kind == "taskloop":
            return [self.taskloop(depth)]
        if kind == "loop":
            self.n_loops += 1
            loop = Loop(self.random.randint(2, 4), self.tasks(depth + 1, 2))
            self.n_loops -= 1
            return [loop]
        if kind == "critical":
            return [Critical([Task([self.work()]) if self.chance(0.5) else self.work()])]
        if kind == "switch":
            return [Yield()]
        if kind == "detach":
            return self.detached(depth)
        if kind == "region":
            return [self.region(depth)]
        return [self.work()]

    def group(self, body):
        """In a task reduction some of the group's own tasks take part."""
        if not self.later_chance("task_reduction", 0.5):
            return Group(body)
        for statement in body:
            if isinstance(statement, Task) and not statement.detach and self.later.random() < 0.6:
                statement.clauses += ("in_reduction(+ : group_sum)",)
        return Group(body, "task_reduction(+ : group_sum)")

    def task(self, depth):
        clauses = []
        if self.has("if0") and self.chance(0.2):
            clauses.append("if(0)")
        elif self.has("untied") and self.chance(0.2):
            clauses.append("untied")
        if self.has("final") and self.chance(0.12):
            clauses.append("final(1)")
        if self.has("clauses"):
            clauses += [clause for clause in ("mergeable", "priority(2)") if self.chance(0.1)]
        if "priority(2)" not in clauses and self.later_chance("priority", 0.5):
            clauses.append(f"priority({self.later.randint(0, 4)})")
        kinds = ("in", "out", "inout") if "if(0)" in clauses else KINDS
        depends = self.depends(kinds) if self.has("depend") and self.chance(0.6) else []
        if "final(1)" in clauses:
            body = self.leaves()
        elif depth < 6 and self.chance(0.45):
            self.n_untied += "untied" in clauses
            body = self.tasks(depth + 1, 3)
            self.n_untied -= "untied" in clauses
        else:
            body = [self.work()]
        return Task(body, depends, tuple(clauses))

    def leaves(self):
        """What stands in a final task: tasks without anything in them."""
        self.left -= 1
        return [Task([self.work()], self.depends(("in", "inout")) if self.has("depend") and self.chance(0.3) else [])
                for _ in range(self.random.randint(0, 3))] or [self.work()]

    def depends(self, kinds):
        found = {}
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            at = self.random.randrange(ADDRESSES)
            step = self.random.choice((0, 0, 1, 2))
            count = self.random.randint(2, 3) if self.has("iterator") and self.chance(0.2) else 1
            # The same type for all, as a list may name an address once only by name.
            if self.later_chance("iterators", 0.15):
                step, count = 0, 4
            kind = self.random.choice(kinds)
            by_object = kind in OBJECT_KINDS and count == 1 and self.later_chance("object", 0.3)
            found[at] = Depend(kind, at, step if count == 1 else 0, count, by_object)
        if self.has("all") and self.chance(0.15):
            return [Depend(self.random.choice(("out", "inout")), None)]
        return list(found.values())

    def detached(self, depth):
        self.n_events += 1
        name = f"event{self.n_events}"
        depends = self.depends(KINDS) if self.has("depend") and self.chance(0.4) else []
        fulfil = Task([self.work(), Fulfil(name), self.work()])
        for _ in range(self.random.choice((0, 0, 1, 2))):
            fulfil = Task([self.work(), fulfil, self.work()])
        return [Task([self.work()], depends, detach=name), fulfil]

    def taskloop(self, depth):
        self.n_untied += 1  # it may become untied
        body = self.tasks(depth + 1, 2) if depth < 4 and self.chance(0.4) else [self.work()]
        self.n_untied -= 1
        nogroup = self.may_nogroup and self.n_loops == 0 and self.chance(0.4)
        self.may_nogroup = self.may_nogroup and not nogroup
        clauses = () if nogroup else self.reduction("loop_sum")
        if self.has("clauses"):
            clauses += tuple(clause for clause in ("mergeable", "collapse(2)") if self.chance(0.1))
        if self.has("untied") and self.chance(0.2):
            clauses += ("untied",)
        # Tasks without a line are told by their number.
        kind = self.choose(tasks=3, grain=1, strange=1, default=0.5 * (self.n_loops == 0 and not nogroup), big=1.5 * self.has("big"))
        if kind not in ("default", "big") and "untied" not in clauses and self.has("if0") and self.chance(0.15):
            clauses += ("if(0)",)
        elif self.has("final") and self.chance(0.1):
            clauses += ("final(1)",)
            body = self.leaves()
        if kind == "big":
            many = self.random.choice((12, 25, 45))
            return Taskloop(f"num_tasks({many})", many, many, [self.work()], nogroup, clauses)
        n = self.random.randint(1, 6)
        if kind == "tasks":
            return Taskloop(f"num_tasks({n})", n, n, body, nogroup, clauses)
        if kind == "grain":
            return Taskloop("grainsize(1)", n, n, body, nogroup, clauses)
        if kind == "strange":  # as many tasks as asked for, several iterations each
            return Taskloop(f"num_tasks({n})", n + self.random.randint(1, 9), n, [self.work()], nogroup, clauses)
        return Taskloop("", n + 3, None, [self.work()], nogroup, clauses)


def program(seed, without=()):
    return Drawing(seed, without).program()
