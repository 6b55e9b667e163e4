#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records programs under faults: full disks, failing system calls, limits, many threads and processes, programs that
do unusual things to their own process, other tools beside the recorder. Whatever happens, the program must have its
own result and exit status, the recorder must touch nothing of the program's, the dump must build, and every record
must be in it or counted as lost.

    tests/faults.py [NAME...]      all trials, or those with one of these words in their names; --list prints the names

tests/faults/ has the trials, a file for each family, and their programs; trial.py has what they share. THREADS=100000
makes the trial threads-in-turn start more threads than the usual 20000. Trials that need root are skipped for others.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "faults"))

import calls
import company
import crowds
import disk
import filesystems
import habits
import limits
import operations
import preloads
import rings
import room
import served
import settings
import standard
from trial import *


def main():
    # The families whose trials take longest are started first.
    trials = {}
    for family in (crowds, company, habits, standard, limits, filesystems, served, operations, room, rings, disk, settings, preloads, calls):
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
