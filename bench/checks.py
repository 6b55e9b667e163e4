# SPDX-License-Identifier: BSD-3-Clause
"""What the files of bench/selftest share: telling what holds, rows of results that were never measured, scripts as modules."""
import importlib.machinery
import importlib.util
import os

import harness
import rounds

PLACE = os.path.join(harness.OUT, "selftest")
n_bad = 0


def ok(holds, what):
    global n_bad
    print("%s %s" % ("ok" if holds else "not ok", what), flush=True)
    n_bad += not holds


def script(name):
    """A script of this folder as a module."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(harness.ROOT, "bench", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def rows_of(subject, walls, part="micro", workload="w", **more):
    """A row for each of these wall times of ten ops; CPU time is twice as much."""
    constant = dict.fromkeys(rounds.FIELDS, "") | dict(part=part, workload=workload, placement="p", threads="1", subject=subject, status="0",
                                                       ops="10", all_ops="10", callbacks_per_op="2.0", finish_ns="1000000", cpu="c", date="d") | more
    return [constant | {"round": str(i), "wall_ns": str(w), "cpu_ns": str(2 * w)} for i, w in enumerate(walls)]
