# SPDX-License-Identifier: BSD-3-Clause
"""The rules of ../otf2_check.py on an archive, in the caller's own process: starting one takes longer than reading a small archive."""
from events import Check
from whole import check_all


def archive_flaw(anchor):
    """None, or each broken rule with an example."""
    check = Check()
    try:
        check.read(str(anchor))
    except Exception as e:  # the binding raises what it likes
        return f"unreadable: {e}"
    check_all(check)
    report = check.report
    return "; ".join(f"{name}: {report.examples[name][0]}" for name in sorted(report.classes)) or None
