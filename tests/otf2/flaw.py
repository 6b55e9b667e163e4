# SPDX-License-Identifier: BSD-3-Clause
"""Checks an archive as ../otf2_check.py does, without a process of its own, whose start takes longer than the check."""
from events import Check
from whole import check_all


def expect(check, key, value):
    """Adds to the report if what was read has not that number of `key` ("3+": at least)."""
    has, wanted = check.counts[key], int(str(value).rstrip("+"))
    if has != wanted and not (str(value).endswith("+") and has > wanted):
        check.report.add("EXPECT", f"{key} is {has}, expected {value}")


def archive_flaw(anchor, numbers=None):
    """None, or the broken rules, each with an example. `numbers`: see expect()."""
    check = Check()
    try:
        check.read(str(anchor))
    except Exception as e:  # the binding raises exceptions of many kinds
        return f"unreadable: {e}"
    check_all(check)
    for number in (numbers or {}).items():
        expect(check, *number)
    report = check.report
    return "; ".join(f"{name}: {report.examples[name][0]}" for name in sorted(report.classes)) or None
