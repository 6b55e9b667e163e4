# SPDX-License-Identifier: BSD-3-Clause
"""Makes a program that fails smaller. programs.py calls smaller()."""
from statements import Critical, Fulfil, Group, Loop, Share, Source, Task, TeamGroup

LISTS = ("body", "parts", "depends", "clauses")


def places(statements):
    """Every list in a program, with what contains it: (holder, name of the attribute)."""
    for statement in statements:
        for name in LISTS:
            if getattr(statement, name, None):
                yield statement, name
        for inner in getattr(statement, "parts", ()):
            yield from places(inner)
        yield from places(getattr(statement, "body", ()))


class Holder:
    """What contains a program's own statements, or those of a part."""

    def __init__(self, body):
        self.body = body


def holders(program):
    """Each (object, attribute) whose list may lose members; the innermost ones last."""
    yield program, "body"
    for statement, name in places(program.body):
        yield statement, name
        if name == "parts":
            for part in statement.parts:
                yield part, None


def smaller(statements, fails, tries=400):
    """The statements of a program without those, and without the clauses, that it needs not to fail. `fails(statements)`
    is called `tries` times at most. The statements given are changed."""
    program = Holder(statements)
    changed = True
    while changed and tries > 0:
        changed = False
        for holder, name in list(holders(program)):
            i = 0
            while i < len(holder if name is None else getattr(holder, name)) and tries > 0:
                whole = list(holder if name is None else getattr(holder, name))
                rest = [*whole[:i], *whole[i + 1:]]
                replace(holder, name, rest)
                tries -= 1
                if valid(program.body) and fails(program.body):
                    changed = True
                    continue
                inner = inner_of(whole[i]) if name in ("body", None) else None
                if inner:  # its body in its place
                    replace(holder, name, [*whole[:i], *inner, *whole[i + 1:]])
                    tries -= 1
                    if valid(program.body) and fails(program.body):
                        changed = True
                        continue
                replace(holder, name, whole)
                i += 1
    return program.body


def inner_of(statement):
    return statement.body if isinstance(statement, (Task, Loop, Group, TeamGroup, Critical)) and not getattr(statement, "detach", None) else None


def replace(holder, name, members):
    if name is None:
        holder[:] = members
    else:
        setattr(holder, name, type(getattr(holder, name))(members))


def valid(statements):
    """Is each event that a task waits for still fulfilled, and the other way round? Has each part of a doacross loop one source?"""
    made, fulfilled, whole = set(), set(), [True]

    def visit(statements):
        for statement in statements:
            if getattr(statement, "detach", None):
                made.add(statement.detach)
            if isinstance(statement, Fulfil):
                fulfilled.add(statement.event)
            if isinstance(statement, Share) and statement.kind == "doacross":
                whole.append(all(sum(isinstance(x, Source) for x in part) == 1 for part in statement.parts))
            visit(getattr(statement, "body", ()))
            for part in getattr(statement, "parts", ()):
                visit(part)
    visit(statements)
    return made == fulfilled and all(whole)
