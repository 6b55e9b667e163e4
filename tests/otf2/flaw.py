# SPDX-License-Identifier: BSD-3-Clause
"""Checks an archive as ../otf2_check.py does, without a process of its own, whose start takes longer than the check."""
from events import Check
from whole import check_all


def archive_flaw(anchor):
    """None, or the broken rules, each with an example."""
    check = Check()
    try:
        check.read(str(anchor))
    except Exception as e:  # the binding raises exceptions of many kinds
        return f"unreadable: {e}"
    check_all(check)
    report = check.report
    return "; ".join(f"{name}: {report.examples[name][0]}" for name in sorted(report.classes)) or None
