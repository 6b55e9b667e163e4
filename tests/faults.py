#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gives the recorder a hard time: full disks, failing calls, limits, crowds, programs with habits of their own, other tools beside it. Whatever
happens, the program's result and exit status are its own, nothing of it is touched, the dump builds, and every record is either in it or
counted as lost.

    tests/faults.py [NAME...]      all, or those with one of these in their names; --list names them

The trials are in tests/faults/*.py, a file a family, with their programs; trial.py is what one is made of. THREADS=100000 makes the long queue of
threads longer than the usual 20000. What takes root is skipped without it.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "faults"))

import calls
import company
import crowds
import disk
import habits
import limits
import settings
from trial import *


def main():
    # Those that take longest first.
    trials = {}
    for family in (crowds, company, habits, limits, disk, settings, calls):
        trials |= family.TRIALS
    names = sys.argv[1:]
    if names == ["--list"]:
        print("\n".join(trials))
        return 0
    need(RECORDER, BUILDER, COUNT_TOOL)
    reason = compile_programs()
    if reason:
        print(f"not ok faults/compile: {reason}")
        return 1
    jobs = [t for name, t in trials.items() if not names or any(n in name for n in names)]
    return 0 if run_all(jobs, lambda trial: trial()) else 1


if __name__ == "__main__":
    sys.exit(main())
