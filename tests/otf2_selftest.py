#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests otf2_check.py: it must accept a small good archive, and refuse a copy for each fault (otf2/*faults.py).

Every rule (otf2/rules.py) must have a fault that breaks it, and every fault must be reported by the names of its rules and by no other.
Prints a line "ok" or "not ok" for each.
"""
import os
import subprocess
import sys
import tempfile

try:
    import _otf2
except ImportError:
    print("skip: OTF2's Python bindings (python3-otf2) are not installed")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "otf2_check.py")
sys.path.insert(0, os.path.join(HERE, "otf2"))
from archive import MASTER, WORKER, allocate, good, write
from device_faults import DEVICE_FAULTS, add_device
from faults import FAULTS, add_guest, truncate
from rules import RULES
from unit_faults import UNIT_FAULTS, add_units


class Asker:
    def __init__(self, top):
        self.top, self.n_archives, self.n_wrong = top, 0, 0
        self.seen = set()

    def place(self):
        self.n_archives += 1
        return os.path.join(self.top, str(self.n_archives))

    def ask(self, directory, what, status, last=None, options=()):
        """status, last: the exit status and the last line that are expected; last None: any line."""
        answer = subprocess.run([sys.executable, CHECK, "-q", *options, directory], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, check=False)
        got = (answer.returncode, (answer.stdout.splitlines() or [""])[-1])
        is_right = got[0] == status and last in (None, got[1])
        self.n_wrong += not is_right
        print(f"ok {what}" if is_right else f"not ok {what}: {got}")

    def refuses(self, directory, names, what, options=()):
        self.seen.update(names.split())
        self.ask(directory, f"{names}: {what}", 1, f"INVALID {names}", options)


def ask_about_good(asker):
    place = asker.place()
    write(good(), place)
    asker.ask(place, "a good archive", 0, "VALID")
    asker.ask(place, "what it holds", 0, "VALID", ("--expect", "tasks=3", "--expect", "completed=3+", "--expect", "acquisitions=3"))
    asker.refuses(place, "EXPECT", "another number of tasks", ("--expect", "tasks=4"))
    asker.ask(place, "an unknown option", 3, None, ("--nonsense",))
    asker.ask(place, "an unknown number", 3, None, ("--expect", "cows=1"))
    place = asker.place()
    write(allocate(good()), place)
    asker.ask(place, "an archive with allocations", 0, "VALID")
    cut = good()
    truncate(cut)
    cut["events"][WORKER] = [e for e in cut["events"][WORKER] if e[0] not in ("ThreadTaskComplete", "ThreadAcquireLock", "ThreadReleaseLock")]
    cut["events"][MASTER] = [e for e in cut["events"][MASTER] if e[0] not in ("ThreadTaskCreate", "ThreadReleaseLock")]
    place = asker.place()
    write(cut, place)
    asker.ask(place, "an archive that says what it lacks", 0, "VALID")


def ask_about_guest(asker):
    archive, place = good(), asker.place()
    add_guest(archive)
    write(archive, place)
    asker.ask(place, "a good archive with a thread that only creates tasks in a team", 0, "VALID", ("--expect", "tasks=5", "--expect", "teams=4"))


def ask_about_device(asker):
    archive, place = good(), asker.place()
    add_device(archive)
    write(archive, place)
    asker.ask(place, "a good archive with a device", 0, "VALID")
    asker.ask(place, "what the device does", 0, "VALID", ("--expect", "devices=1", "--expect", "transfers=3", "--expect", "transferred=112",
                                                         "--expect", "processes=1"))


def ask_about_units(asker):
    archive, place = good(), asker.place()
    add_units(archive)
    write(archive, place)
    asker.ask(place, "a good archive with units", 0, "VALID", ("--expect", "tasks=5", "--expect", "completed=5", "--expect", "teams=4"))


def ask_about_faults(asker, faults, extend=lambda archive: None):
    for names, what, spoil in faults:
        archive, place = good(), asker.place()
        extend(archive)
        spoil(archive)
        write(archive, place)
        asker.refuses(place, names, what)


def ask_about_files(asker):
    for suffix in (".evt", ".def"):
        archive, place = good(), asker.place()
        archive["locations"].append([2 << 32, 6, 0])
        archive["groups"][0][2].append(2 << 32)
        archive["events"][2 << 32] = [["BufferFlush", 50, 50]]
        write(archive, place)
        os.remove(os.path.join(place, "traces", f"{2 << 32}{suffix}"))
        asker.refuses(place, "FILE", f"a location's {suffix} is missing")
    place = asker.place()
    write(good(), place)
    path = os.path.join(place, "traces", f"{MASTER}.evt")
    os.truncate(path, os.path.getsize(path) - 30)
    asker.refuses(place, "BALANCE-LOC CLOCK EVT-COUNT EVT-READ PROGRAM", "a file of events is cut")
    with open(os.path.join(place, "traces.otf2"), "w", encoding="ascii") as anchor:
        anchor.write("nothing")
    asker.ask(place, "unreadable: the anchor is garbage", 2)


def main():
    with tempfile.TemporaryDirectory() as top:
        asker = Asker(top)
        ask_about_good(asker)
        ask_about_guest(asker)
        ask_about_device(asker)
        ask_about_units(asker)
        ask_about_faults(asker, FAULTS)
        ask_about_faults(asker, DEVICE_FAULTS, add_device)
        ask_about_faults(asker, UNIT_FAULTS, add_units)
        ask_about_files(asker)
    for name in sorted(set(RULES) - asker.seen):
        asker.n_wrong += 1
        print(f"not ok {name}: no archive here breaks it")
    return 1 if asker.n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
