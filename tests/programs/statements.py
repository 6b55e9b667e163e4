# SPDX-License-Identifier: BSD-3-Clause
"""The abstract text of a program, and its text in C.

programs.py and its neighbours use it. A program is a list of statements. Some may stand in any task (Task, Loop, Wait,
Group, Taskloop, Critical, Yield, Fulfil, Region), others only directly in a parallel region, where the members of its
team meet them (Single, Masked, Share, Barrier, TeamGroup, Each), and Sink and Source directly in a part of a doacross loop. Each construct has a line of its own, so that the nodes of a
graph can be found again in the text.

Compilers differ in what they know; `for_gcc` says what gcc's text has in place of it.
"""
from dataclasses import dataclass, field

ADDRESSES = 5  # how many addresses the dependences of a program name


@dataclass(eq=False)
class Statement:
    line: int = field(default=0, init=False)  # of its pragma, set by Text


@dataclass(eq=False)
class Work(Statement):
    rounds: int


@dataclass(frozen=True)
class Depend:
    """depend(type: d[at]), or with `step` d[at + step * i], where i counts the innermost loop's rounds, or with
    `count` > 1 the addresses from d[at] on, by an iterator. `at` None: omp_all_memory."""
    type: str
    at: int | None
    step: int = 0
    count: int = 1
    by_object: bool = False  # through a depend object

    def addresses(self, i):
        if self.at is None:
            return [None]
        return [(self.at + self.step * i + k) % ADDRESSES for k in range(self.count)]


@dataclass(eq=False)
class Task(Statement):
    body: list
    depends: list = field(default_factory=list)
    clauses: tuple = ()        # "if(0)", "final(1)", and those that order nothing
    detach: str | None = None  # name of the event that completes it


@dataclass(eq=False)
class Fulfil(Statement):
    event: str


@dataclass(eq=False)
class Loop(Statement):
    rounds: int
    body: list


@dataclass(eq=False)
class Wait(Statement):
    depends: list = field(default_factory=list)


@dataclass(eq=False)
class Group(Statement):
    body: list
    clause: str = ""  # a task reduction, in which tasks of the body take part


@dataclass(eq=False)
class Taskloop(Statement):
    clause: str        # "num_tasks(N)", "grainsize(N)" or ""
    iterations: int
    tasks: int | None  # how many the specification says that there are; None: it does not say
    body: list
    nogroup: bool = False
    clauses: tuple = ()  # as of tasks; "collapse(2)" adds a loop of one round


@dataclass(eq=False)
class Critical(Statement):
    body: list


@dataclass(eq=False)
class Yield(Statement):
    pass


@dataclass(eq=False)
class Region(Statement):
    threads: int | None  # num_threads; None: OMP_NUM_THREADS
    body: list
    clauses: tuple = ()  # "if(0)": a team of one; and those that order nothing


@dataclass(eq=False)
class Single(Statement):
    body: list
    nowait: bool = False


@dataclass(eq=False)
class Masked(Statement):
    body: list
    word: str = "master"
    filter: int = 0  # the number of the thread that executes it, if the team has one


@dataclass(eq=False)
class Share(Statement):
    """A worksharing loop, or sections, each of whose parts has a text of its own. `kind`: "static" (part I is thread I's,
    in turns), "doacross" (the same, and each has one Source), "dynamic", "guided" or "sections" (whose is not known)."""
    kind: str
    parts: list
    nowait: bool = False
    clauses: tuple = ()


@dataclass(eq=False)
class Sink(Statement):
    """Waits for the Source of the part `distance` before this one."""
    distance: int


@dataclass(eq=False)
class Source(Statement):
    pass


@dataclass(eq=False)
class TeamGroup(Statement):
    """A taskgroup of each member of the team, around what they meet."""
    body: list


@dataclass(eq=False)
class Barrier(Statement):
    pass


@dataclass(eq=False)
class Each(Statement):
    """What every member of the team executes."""
    body: list


def for_gcc(kind):
    """gcc 12 has no inoutset."""
    return "mutexinoutset" if kind == "inoutset" else kind


def taskloop_for(loop, compiler):
    """Clause, number of tasks and nogroup of a taskloop. gcc's has a known number of tasks, and nogroup only where they
    are few: its tasks are found by the order of their creation, which LLVM's runtime does not keep where they are many."""
    if compiler != "gcc":
        return loop.clause, loop.tasks, loop.nogroup
    tasks = loop.tasks or loop.iterations
    return loop.clause or f"num_tasks({tasks})", tasks, loop.nogroup and tasks <= 10


def reduces_tasks(statement):
    """Has the region or worksharing construct a reduction in which tasks take part?"""
    return any(clause.startswith("reduction(task") for clause in statement.clauses)


def clauses_for(share, compiler):
    """gcc's code of a worksharing construct with a task reduction has barriers of its own."""
    return tuple(c.replace("reduction(task, ", "reduction(") if compiler == "gcc" else c for c in share.clauses)


# A compiler must not make one call of two that are alike: their constructs would have one address.
# gcc's programs run on LLVM's runtime, whose omp_control_tool gcc's header does not declare.
HEAD = """\
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#define HERE __asm__ volatile("" : : "i"(__LINE__))
#define RUNS __atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED)

int omp_control_tool(int command, int modifier, void *arg) __attribute__((weak));

static char d[{programs}][{addresses}];
static _Thread_local volatile int done;
static int team_sum, share_sum, loop_sum, group_sum, runs;

static void work(int rounds)
{{
	for (int i = 0; i < rounds; i++)
		done = i;
}}

static void note(int command, int what)
{{
	if (omp_control_tool)
		omp_control_tool(command, what, 0);
}}
"""

# Commands of omp_control_tool, of which 64 and more are a tool's own.
BEGINS, ENDS = 64, 65


def code_of(statement, part=0):
    """What names a body that one member executes, in the calls of omp_control_tool."""
    return statement.line * 8 + part


LOST = 3  # exit status


class Text:
    """Writes programs, each a list of statements, as one C file: each is a function, main calls them in turn. The file's
    program has as argument how often bodies of tasks must be executed (Order.runs), and exits with LOST if they were not."""

    def __init__(self, programs, compiler):
        self.compiler, self.lines, self.depth, self.number = compiler, [], 0, 0
        self.n_objects = 0
        self.lines += HEAD.format(programs=len(programs), addresses=ADDRESSES).splitlines()
        for self.number, program in enumerate(programs):
            self.put("")
            self.put(f"static void program{self.number}(int i)")
            self.block(program)
        self.put("")
        self.put("int main(int argc, char **argv)")
        self.put("{")
        for number in range(len(programs)):
            self.put(f"\tprogram{number}(0);")
        self.put(f"\treturn argc > 1 && atoi(argv[1]) != runs ? {LOST} : 0;")
        self.put("}")

    def __str__(self):
        return "\n".join(self.lines) + "\n"

    def put(self, text):
        self.lines.append("\t" * self.depth + text if text else "")

    def pragma(self, statement, text):
        self.put("#pragma omp " + text)
        statement.line = len(self.lines)

    def block(self, statements, code=None, of_task=False):
        """`code`: of a body whose executor is noted, where lines alone do not tell it."""
        self.put("{")
        self.depth += 1
        if of_task:
            self.put("RUNS;")
        if code and self.compiler == "gcc":
            self.put(f"note({BEGINS}, {code});")
        self.statements(statements)
        if code and self.compiler == "gcc":
            self.put(f"note({ENDS}, {code});")
        self.depth -= 1
        self.put("}")

    def depend(self, depend):
        kind = for_gcc(depend.type) if self.compiler == "gcc" else depend.type
        if depend.at is None:
            return "" if self.compiler == "gcc" else f" depend({kind}: omp_all_memory)"
        if depend.count == 4:
            return f" depend(iterator(k = 0 : 2, m = 0 : 2), {kind}: d[{self.number}][({depend.at} + k + 2 * m) % {ADDRESSES}])"
        if depend.count > 1:
            return f" depend(iterator(k = 0 : {depend.count}), {kind}: d[{self.number}][({depend.at} + k) % {ADDRESSES}])"
        at = f"({depend.at} + {depend.step} * i) % {ADDRESSES}" if depend.step else str(depend.at)
        return f" depend({kind}: d[{self.number}][{at}])"

    def put_Work(self, work):
        self.put(f"work({work.rounds});")

    def put_Task(self, task):
        detach = task.detach and self.compiler != "gcc"  # gcc's detach crashes LLVM's runtime
        if detach:
            self.put(f"omp_event_handle_t {task.detach};")
        clauses = [f" detach({task.detach})"] if detach else []
        objects = {depend: self.put_object(depend) for depend in task.depends if depend.by_object}
        depends = [f" depend(depobj: {objects[x]})" if x in objects else self.depend(x) for x in task.depends]
        self.pragma(task, "task" + "".join(clauses + [" " + c for c in task.clauses] + depends))
        self.block(task.body, of_task=True)
        for name in objects.values():
            self.put(f"#pragma omp depobj({name}) destroy")

    def put_object(self, depend):
        self.n_objects += 1
        self.put(f"omp_depend_t object{self.n_objects};")
        self.put(f"#pragma omp depobj(object{self.n_objects}){self.depend(depend)}")
        return f"object{self.n_objects}"

    def put_Fulfil(self, fulfil):
        if self.compiler != "gcc":
            self.put(f"omp_fulfill_event({fulfil.event});")

    def put_Loop(self, loop):
        self.put(f"for (int i = 0; i < {loop.rounds}; i++)")
        self.block(loop.body)

    def put_Wait(self, wait):
        self.pragma(wait, "taskwait" + "".join(map(self.depend, wait.depends)))

    def put_Group(self, group):
        self.pragma(group, " ".join(filter(None, ["taskgroup", group.clause])))
        self.block(group.body)

    def put_TeamGroup(self, group):
        self.pragma(group, "taskgroup")
        self.block(group.body)

    def put_Sink(self, sink):
        self.put_ordered(sink, f"ordered depend(sink: part - {sink.distance})")

    def put_Source(self, source):
        self.put_ordered(source, "ordered depend(source)")

    def put_ordered(self, statement, text):
        """In a team of one, gcc's code crashes in LLVM's runtime."""
        if self.compiler != "gcc":
            self.pragma(statement, text)
            return
        self.put("if (omp_get_num_threads() > 1) {")
        self.pragma(statement, text)
        self.put("}")

    def put_Taskloop(self, loop):
        clause, _, nogroup = taskloop_for(loop, self.compiler)
        self.pragma(loop, " ".join(filter(None, ["taskloop", clause, "nogroup" * nogroup, *loop.clauses])))
        self.put(f"for (int j = 0; j < {loop.iterations}; j++)")
        if "collapse(2)" in loop.clauses:
            self.put("for (int k = 0; k < 1; k++)")
        self.block(loop.body, of_task=True)

    def put_Critical(self, critical):
        self.pragma(critical, "critical")
        self.block(critical.body)

    def put_Yield(self, statement):
        self.pragma(statement, "taskyield")

    def put_Region(self, region):
        threads = [f"num_threads({region.threads})"] if region.threads else []
        self.pragma(region, " ".join(["parallel", *threads, *region.clauses]))
        self.block(region.body)

    def put_Single(self, single):
        self.pragma(single, "single" + (" nowait" if single.nowait else ""))
        self.block(single.body, code_of(single))

    def put_Masked(self, masked):
        self.pragma(masked, masked.word + (f" filter({masked.filter})" if masked.filter else ""))
        self.block(masked.body, code_of(masked))

    def put_Share(self, share):
        nowait = "".join(" " + clause for clause in clauses_for(share, self.compiler)) + " nowait" * share.nowait
        if share.kind == "sections":
            self.pragma(share, "sections" + nowait)
            self.put("{")
            for number, part in enumerate(share.parts):
                self.put("#pragma omp section")
                self.block(part, code_of(share, number))
            self.put("}")
            return
        kind = "ordered(1) schedule(static, 1)" if share.kind == "doacross" else f"schedule({share.kind}, 1)"
        self.pragma(share, "for " + kind + nowait)
        self.put(f"for (int part = 0; part < {len(share.parts)}; part++)")
        self.depth += 1
        self.put("switch (part) {")
        for number, part in enumerate(share.parts):
            self.put(f"case {number}:")
            self.block(part, code_of(share, number))
            self.put("\tbreak;")
        self.put("}")
        self.depth -= 1

    def put_Barrier(self, barrier):
        self.pragma(barrier, "barrier")

    def put_Each(self, each):
        self.statements(each.body)

    def statements(self, statements):
        for statement in statements:
            getattr(self, "put_" + type(statement).__name__)(statement)
            self.put("HERE;")
