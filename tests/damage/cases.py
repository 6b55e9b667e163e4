# SPDX-License-Identifier: BSD-3-Clause
"""What a case of damage is, and the list of all cases. The other modules of this folder fill the list; ../damage.py tries the cases."""

CASES = []  # the same in every process of the pool


class Case:
    def __init__(self, name, source, change, statuses=(0, 3), texts=(), check=None, is_same=False, path=None):
        """A copy of the dump `source`, damaged by `change(dump)`, is built.

        The exit status must be one of `statuses`. Each regular expression of `texts` must match stderr. `check(outcome)` returns what is
        wrong with the outcome, or None. is_same: the result must be that of the undamaged dump. path: what is built, if not the copy.
        """
        self.name, self.source, self.change, self.statuses = name, source, change, statuses
        self.texts, self.check, self.is_same, self.path = texts, check, is_same, path


def case(name, source, *args, **more):
    """Decorator: adds a case whose `change` is the function below it."""
    def add(function):
        CASES.append(Case(name, source, function, *args, **more))
        return function
    return add
