# SPDX-License-Identifier: BSD-3-Clause
"""What a case of damage is, and the list of all. The modules beside this one fill it; ../damage.py tries them."""

CASES = []  # every process of a pool has the same


class Case:
    def __init__(self, name, source, change, statuses=(0, 3), texts=(), check=None, is_same=False, path=None):
        """`change` damages the copy, a Dump; `texts` must be on stderr; `check` looks at the Outcome; `path` is built instead."""
        self.name, self.source, self.change, self.statuses = name, source, change, statuses
        self.texts, self.check, self.is_same, self.path = texts, check, is_same, path


def case(name, source, *args, **more):
    """Makes a case of the function below it."""
    def add(function):
        CASES.append(Case(name, source, function, *args, **more))
        return function
    return add
