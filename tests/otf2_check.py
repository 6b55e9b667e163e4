#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that an OTF2 archive keeps Otter's rules: by OTF2's own Python bindings, without any code of the builder.

Usage: otf2_check.py [-q] [--expect KEY=VALUE]... ARCHIVE     (ARCHIVE: traces.otf2, or the directory with it)

VALUE is a number, or N+ for at least N. KEY is one of the words that a run prints. Exit status: 0 valid, 1 invalid (the
names of the broken rules are on the last line; otf2/rules.py says what each means), 2 unreadable, 3 usage. An archive that
does not call itself complete (OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE, OTF2::THREAD_LOCK_EVENT_COMPLETE) may lack what a cut
trace lacks: creations, completions, forks, members of a team, acquisitions with their releases, and releases in time;
and a thread whose end is not known may come again. All other rules hold for it as well.
"""
import os
import sys

try:
    import _otf2
except ImportError:
    print("OTF2's Python bindings (python3-otf2) are not installed", file=sys.stderr)
    sys.exit(2)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "otf2"))
from events import Check
from flaw import expect
from whole import check_all

KEYS = ("events", "tasks", "completed", "switches", "forks", "teams", "acquisitions", "flushes", "locations", "processes", "devices", "regions",
        "comms", "locks", "transfers", "transferred", "truncated")


def usage():
    print(__doc__, file=sys.stderr)
    return 3


def main(arguments):
    expectations, anchor, is_quiet = [], None, False
    arguments = iter(arguments)
    for argument in arguments:
        if argument == "--expect":
            expectations.append(next(arguments, ""))
        elif argument == "-q":
            is_quiet = True
        elif argument.startswith("-") or anchor is not None:
            return usage()
        else:
            anchor = argument
    for text in expectations:
        key, _, value = text.partition("=")
        if key not in KEYS or not value.rstrip("+").isdigit():
            return usage()
    if anchor is None:
        return usage()
    if os.path.isdir(anchor):
        anchor = os.path.join(anchor, "traces.otf2")
    check = Check()
    try:
        check.read(anchor)
    except (_otf2.Error, OSError) as reason:
        print(f"{anchor}: unreadable: {reason}", file=sys.stderr)
        return 2
    check_all(check)
    for text in expectations:
        expect(check, *text.split("=", 1))
    if not is_quiet:
        for key in KEYS:
            print(f"{key} {check.counts[key]}")
    report = check.report
    for name in sorted(report.examples):
        for text in report.examples[name]:
            print(f"{name}: {text}")
    if report.classes:
        print("INVALID " + " ".join(sorted(report.classes)))
        return 1
    print("VALID")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
