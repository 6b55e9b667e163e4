#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no rule of the builder depends on records being neighbours.

    tests/insertions.py [NAME...]        all dumps, or those that begin with NAME

The recorder makes records of its own (callback "-" in common/events.def), which may come between any two others. Here
each kind of them is put between any two records of a dump, in all places at once. The canonical list, the quirks and
the repairs must stay as they are. The dumps are those of tests/golden, and programs of tests/omp that show the quirks
which follow from several records.
"""
import json
import re
import shutil
import sys
import tarfile

from common import *

sys.path.insert(0, str(ROOT / "tests/damage"))
from dump import CONTROL, HEADER, RECORD, Dump, checksum

PROGRAMS = ("depend_or_wait", "depend_undeferred", "depend_waits", "serialized_nested", "reductions", "taskloop_split", "target_nowait",
            "untied_serial", "detach", "single")
# Kinds that do change what is known, each with the reason. tests/unit has what the builder makes of them.
CHANGES = {
    "records_lost": "records are missing before it: what is open is closed",
    "recording_off": "records are missing from there on",
    "recording_on": "ends that",
    "unit_polls": "stands for records of a library's events",
    "unit_xstream": "tells which execution stream a thread is",
    "sample": "is in a stream of its own",
    "switches": "is in the stream of switches",
    "processor_time": "is in the stream of switches",
    "switches_read": "is in the stream of switches",
    "thread_mask": "is in the stream of switches",
}
# Records of devices come here without the records that continue them, and for devices that are not there.
OF_DEVICES = re.compile(r"cut_group$|device_|kernel_without_submit$|data_without_operation$")
CONTINUATIONS = range(96, 128)
SAMPLES = 1 << 19  # streams from this number on hold samples


def own_kinds():
    """name -> number of the recorder's own kinds, without continuations."""
    text = (ROOT / "common/events.def").read_text()
    found = {name: int(number) for number, name in re.findall(r"^EVENT\((\d+), (\w+), [^,]+, -,", text, re.MULTILINE)}
    return {name: number for name, number in found.items() if number not in CONTINUATIONS and name not in CHANGES}


def made_record(name, number, time, tid):
    """A record of that kind as the recorder makes it, at that time; kinds of devices are about none."""
    value, a = {"buffer_flush": (4096, time), "thread_attach": (0, tid), "thread_detach": (0, tid)}.get(name, (0, 0))
    return b"".join(word.to_bytes(8, "little") for word in (time, number | value << 20, a, 0))


def widen(f, old, name, number):
    """The file's segments, each with twice the room, and the record after each record that it may come after."""
    out = bytearray()
    for at in f.segments(old):
        header, body, time = bytearray(f.data[at:at + HEADER]), bytearray(), 0
        stream, tid = (int.from_bytes(header[i:j], "little") for i, j in ((16, 20), (56, 64)))
        places = list(f.records(at, old))
        for i, place in enumerate(places):
            kind = f.kind(place)
            body += f.data[place:place + RECORD]
            time = time if kind in CONTINUATIONS else f.word(place)
            is_last = i + 1 == len(places)
            if stream < SAMPLES and not is_last and f.kind(places[i + 1]) not in CONTINUATIONS:
                body += made_record(name, number, time, tid)
        closed = int.from_bytes(header[24:32], "little")
        header[24:32] = (closed & ~0x7fffffff | HEADER + len(body)).to_bytes(8, "little")
        header[20:24] = checksum(header[:20], header[32:]).to_bytes(4, "little")
        out += (header + body).ljust(2 * old, b"\0")
    return out


def insert_everywhere(source, target, name, number):
    shutil.copytree(source, target)
    dump = Dump(target)
    for file_name in dump.names():
        f = dump.file(file_name)
        f.data = widen(f, dump.segment_bytes, name, number)
        f.store()
    dump.edit_meta(rb"^segment_bytes \d+$", b"segment_bytes %d" % (2 * dump.segment_bytes))


def outcome(dump, out, kind=""):
    """(canonical list, quirks, repairs), or a reason why there is none. kind: what was inserted."""
    listed = run([BUILDER, "-q", "--canonical", dump])
    result = run([BUILDER, "-q", "--summary", "-o", out, dump])
    if listed.why([0, 3]) or result.why([0, 3]):
        return listed.why([0, 3]) or result.why([0, 3])
    summary = json.loads((out / "summary.json").read_text())
    repairs = {k: n for k, n in summary["repairs"].items() if not (kind.startswith("device_") and OF_DEVICES.match(k))}
    return listed.out, summary["quirks"], repairs


def record_program(name, work):
    """The dump of a program of tests/omp."""
    compiler = "gcc" if name == "serialized_nested" else "clang"
    result = compile_once(ROOT / f"tests/omp/{name}.c", work / name, compiler)
    if result.status != 0:
        return None
    env = {**preload_for(compiler), "OMP_NUM_THREADS": "2", "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_DIR": str(work)}
    run([work / name], env)
    return next(iter(dumps_in(work)), None)


def dump_of(name, work):
    archive = ROOT / f"tests/golden/{name}.tar.xz"
    if not archive.exists():
        return record_program(name, work)
    with tarfile.open(archive) as tar:
        tar.extractall(work / "golden")
    return next((p for p in (work / "golden").rglob("meta")), archive).parent


def test_dump(name):
    report = Report()
    with alone(WORK / "insertions" / name) as work:
        source = dump_of(name, work)
        if source is None:
            report.skip(f"insertions/{name}", "it could not be recorded")
            return report
        if any(p.suffix == ".ring" for p in source.iterdir()):
            report.skip(f"insertions/{name}", "a ring has no room for more records")
            return report
        expected = outcome(source, work / "expected")
        for kind, number in own_kinds().items():
            changed = work / f"{kind}.otter"
            insert_everywhere(source, changed, kind, number)
            seen = outcome(changed, work / kind, kind)
            reason = next((x for x in (expected, seen) if isinstance(x, str)), None)
            if not reason and seen != expected:
                reason = "; ".join(f"{what} were {a}, are {b}" if what != "list" else "the canonical list is another one"
                                   for what, a, b in zip(("list", "quirks", "repairs"), expected, seen) if a != b)
            report.check(f"insertions/{name}/{kind}", reason)
    return report


def main():
    need(RECORDER, BUILDER)
    names = [p.name.partition(".")[0] for p in sorted((ROOT / "tests/golden").glob("*.tar.xz"))] + list(PROGRAMS)
    return 0 if run_all([n for n in names if not sys.argv[1:] or n.startswith(tuple(sys.argv[1:]))], test_dump) else 1


if __name__ == "__main__":
    sys.exit(main())
