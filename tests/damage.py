#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Damages real dumps in every way that a disk, a crash or a stranger can, and builds them.

    tests/damage.py [--all] [NAME...]

Without --all a sample of the bit flips is taken, always the same. Of every case this must hold: otter-build ends by itself within its
memory and time, with status 0, 1 or 3; where it wrote something the archive keeps the rules of otf2_check.py, the graph is one, every
table parses, and nothing lies outside of the output directory; where it says nothing the result is that of the undamaged dump, or it
differs only in a value that no record contradicts. Cases with a name of their own also say what must be on stderr, or what must come out.

SOURCES: a directory of dumps that an earlier run has left (sources/), to try the same once more; COUNT: how many flips and as many
disorders a dump.
BUILDERS, separated by colons: the builders to run instead of build/bin/otter-build, each for every case (the one of SAN=address).
"""
import concurrent.futures
import contextlib
import csv
import io
import multiprocessing
import random
import resource
import signal
import tempfile

from common import *

sys.path[:0] = [str(ROOT / "tests/damage"), str(ROOT / "tests/otf2")]
from dump import CONTROL, CONTROL_FIELDS, HEADER, HEADER_FIELDS, RECORD, Dump, File

HERE = ROOT / "tests/damage"
PLACE = WORK / "damage"
BUILDERS = os.environ.get("BUILDERS", str(BUILDER)).split(":")
MEMORY = 1 << 30     # bytes of address space for a dump of less than 1 MiB; not under a sanitizer
SECONDS = 60
CASES = []           # every process of the pool has the same
NASTY = b"we\"ird <b>&amp;'\\N {x|y} \t\x01\x1b[31m\x80\xff\xc3(\xe2\x82\xac ,;\n$(id) %s"


class Case:
    def __init__(self, name, source, change, statuses=(0, 3), texts=(), check=None, is_same=False, path=None):
        """`change` damages the copy, a Dump; `texts` must be on stderr; `check` looks at the Outcome; `path` is built instead."""
        self.name, self.source, self.change, self.statuses = name, source, change, statuses
        self.texts, self.check, self.is_same, self.path = texts, check, is_same, path


def case(name, source, *args, **more):
    """Makes a case of the function below it."""
    def add(function):
        CASES.append(Case(name, source, function, *args, **more))
        return function
    return add


# ---- The dumps ----

SOURCES = {
    "whole": {"OTTER_RING": "32K", "OTTER_DRAIN": "self"},
    "killed": {"OTTER_RING": "32K"},
    "newest": {"OTTER_RING": "32K", "OTTER_DRAIN": "self", "OTTER_KEEP": "newest", "OTTER_LIMIT": "64K"},
}


def record(name):
    directory = empty(PLACE / "sources" / name)
    if "SOURCES" in os.environ:
        shutil.copytree(pathlib.Path(os.environ["SOURCES"]) / name / "mix.otter", directory / "mix.otter")
        return Dump(directory / "mix.otter")
    env = {"OMP_NUM_THREADS": "3", "OMP_TOOL_LIBRARIES": str(RECORDER), "OTTER_EVENTS": "all,-error", "OTTER_DIR": str(directory), **SOURCES[name]}
    result = run([PLACE / "mix", *(["die"] if name == "killed" else [])], env)
    dumps = dumps_in(directory)
    if len(dumps) != 1 or result.status != (-signal.SIGKILL if name == "killed" else 0):
        sys.exit(f"not ok damage/record-{name}: {result.status} {result.err} {dumps}")
    dumps[0].rename(directory / "mix.otter")
    return Dump(directory / "mix.otter")


# ---- Building, and looking at what came out ----

class Outcome:
    def __init__(self, status, out, err, directory, peak_bytes):
        self.status, self.out, self.err, self.directory, self.peak_bytes = status, out, err, directory, peak_bytes

    def summary(self):
        return json.loads((self.directory / "summary.json").read_text())

    def shape(self):
        """What an undamaged dump and a harmlessly damaged one have in common."""
        s = self.summary()
        return s["graph"], s["tasks"], s["quirks"], s["complete"]


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if "-address" not in os.path.realpath(limits.builder):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def build_limited(builder, place, dump, *options):
    limits.builder = builder
    out = place / "out"
    shutil.rmtree(out, ignore_errors=True)
    try:
        p = subprocess.run([builder, "-o", out, *options, dump], env={**CLEAN, "ASAN_OPTIONS": "detect_leaks=1"}, preexec_fn=limits,
                           capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL, cwd=place)
    except subprocess.TimeoutExpired:
        return Outcome("hang", "", "", out, 0)
    return Outcome(p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace"), out, 0)


def archive_flaw(anchor):
    """The rules of otf2_check.py, in this process: starting one takes longer than all the rest."""
    from events import Check
    from whole import check_all
    check = Check()
    try:
        check.read(str(anchor))
    except Exception as e:  # the binding raises what it likes
        return f"unreadable: {e}"
    check_all(check)
    report = check.report
    return "; ".join(f"{name}: {report.examples[name][0]}" for name in sorted(report.classes)) or None


def tables_flaw(out):
    for name in ("nodes.csv", "edges.csv", "exclusive.csv"):
        with open(out / name, newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f, strict=True))
        if any(len(row) != len(rows[0]) for row in rows):
            return f"{name}: rows of different lengths"
    return Graph(out).flaw(complete=False)


def flaw(outcome, place, before):
    """What must hold of every build, however damaged the dump."""
    if outcome.status not in (0, 1, 3, 4):
        return f"status {outcome.status}: {outcome.err[-400:]}"
    if "Sanitizer" in outcome.err or "runtime error" in outcome.err:
        return outcome.err[:600]
    if any(not line.startswith("otter-build: ") for line in outcome.err.splitlines()):
        return f"stderr has more than messages: {outcome.err[:300]!r}"
    names = {p.name for p in place.iterdir()} - before
    if outcome.status in (1, 4):
        if names:
            return f"status {outcome.status}, and yet there is {sorted(names)}"
        return None if outcome.err else "it failed without a word"
    if names != {"out"}:
        return f"beside the output there is {sorted(names - {'out'})}"
    reason = tables_flaw(outcome.directory) or archive_flaw(outcome.directory / "trace.otf2")
    summary = outcome.summary()
    is_diagnosed = summary["repairs"] or summary["damage"] or summary["snapshot"] or not summary["complete"]
    if reason is None and bool(is_diagnosed) != (outcome.status == 3):
        reason = f"status {outcome.status}, repairs {summary['repairs']}, damage {summary['damage']}, complete {summary['complete']}"
    return reason


def copy(source, place):
    shutil.copytree(PLACE / "sources" / source / "mix.otter", place / "mix.otter", symlinks=True)
    return Dump(place / "mix.otter")


def try_case(index):
    """(name, reason or None, what it was)."""
    c = CASES[index]
    for builder in BUILDERS:
        with tempfile.TemporaryDirectory(dir=PLACE, prefix="case-") as top:
            place = pathlib.Path(top)
            dump = copy(c.source, place)
            c.change(dump)
            before = {p.name for p in place.iterdir()}
            outcome = build_limited(builder, place, place / (c.path or "mix.otter"))
            reason = flaw(outcome, place, before)
            if reason is None and outcome.status not in c.statuses:
                reason = f"status {outcome.status}, expected {c.statuses}: {outcome.err[-300:]}"
            for text in c.texts:
                if reason is None and not re.search(text, outcome.err):
                    reason = f"nothing on stderr is like {text!r}: {outcome.err[-500:]}"
            if reason is None and c.is_same and outcome.shape() != SHAPES[c.source]:
                reason = f"not the result of the undamaged dump: {outcome.shape()}"
            if reason is None and c.check is not None:
                reason = c.check(outcome)
            kind = "refused" if outcome.status == 1 else "named" if outcome.status == 3 else "same" if reason is None and \
                outcome.shape() == SHAPES[c.source] else "other"
            if reason is not None:
                if "KEEP" in os.environ:
                    shutil.copytree(dump.path, empty(PLACE / "kept") / "mix.otter", symlinks=True, dirs_exist_ok=True)
                return c.name, f"{pathlib.Path(builder).parent.parent.name}: {reason}", kind
    return c.name, None, kind


SHAPES = {}


# ---- Files ----

def add_file_cases(sources):
    for source, dump in sources.items():
        for name in dump.names():
            add_file(source, dump, name)
        case(f"{source}/meta-missing", source, (3,), [r"meta: ends before its first line does.*\[meta_empty\]"])(lambda d: (d.path / "meta").unlink())
        case(f"{source}/meta-empty", source, (3,), [r"meta: ends before its first line does.*\[meta_empty\]"])(
            lambda d: (d.path / "meta").write_bytes(b""))
        for at in range(1, len(dump.meta), max(1, len(dump.meta) // 12)):
            case(f"{source}/meta-cut-{at}", source, (0, 3) if at > len(dump.meta) - 80 else (3,))(
                lambda d, at=at: (d.path / "meta").write_bytes(d.meta[:at]))


def add_file(source, dump, name):
    f = dump.file(name)
    stream, is_ring = name.split(".")[0].lstrip("0") or "0", name.endswith(".ring")
    segments, size = f.segments(dump.segment_bytes), len(f.data)
    is_only = not is_ring and name[0].isdigit() and source == "whole"
    gone = [rf"nothing of stream {stream} is there, expected \d+ segments \[stream_missing\]"] if is_only else []
    case(f"{source}/{name}-missing", source, (3,), gone)(lambda d: (d.path / name).unlink())
    case(f"{source}/{name}-empty", source, (3,), gone)(lambda d: (d.path / name).write_bytes(b""))

    def cut(at, what, texts):
        case(f"{source}/{name}-cut-{what}", source, (0, 3) if source == "newest" else (3,), texts)(
            lambda d: (d.path / name).write_bytes(f.data[:at]))
    if is_ring:
        for at in (1, 7, 40, 64, 100, CONTROL - 1, CONTROL, CONTROL + 60, size - dump.segment_bytes, size - 1):
            cut(at, f"at-{at}", [rf"{name}: {at} bytes, expected .*\[ring_cut\]"])
        return
    for k, at in enumerate(segments):
        end = segments[k + 1] if k + 1 < len(segments) else size
        if at > 0:
            texts = [rf"stream {stream} ends with segment {k}, expected \d+ \[segments_missing\]",
                     rf"stream {stream} was not sealed, and its ring .*{name[:5]}\.ring is not there.*\[ring_missing\]"]
            cut(at, f"before-segment-{k}", texts if is_only else [])
        for inside in (1, 20, 24, 127):
            cut(at + inside, f"in-header-{k}-at-{inside}",
                [rf"{name} at byte {at}: the file ends {inside} bytes behind, expected a segment header of {HEADER} \[file_cut\]"])
        if source == "whole":
            for n in (0, 1, 5):
                inside = at + HEADER + n * RECORD + (n > 0)
                if inside < end - RECORD:
                    cut(inside, f"in-segment-{k}-record-{n}", [rf"segment {k + 1} of stream {stream}, in the stream's file at byte {at}: "
                                                               rf"{max(0, n - 0) if n == 0 else n} records, expected \d+ \[segment_cut\]"])


# ---- Bits ----

HEADER_TEXT = {"magic": r"at byte {at}: magic [0-9a-f]{{16}} where a segment with magic [0-9a-f]{{16}} was expected \[not_a_segment\]",
               "closed": r"at byte {at}: `closed` is [0-9a-f]{{16}}, not a length and its complement \[header_damaged\]"}
OTHER_FIELD = r"at byte {at}: segment header with checksum [0-9a-f]{{8}}, expected [0-9a-f]{{8}} \[header_damaged\]"


def add_header_flips(sources, pick):
    for source, dump in sources.items():
        for name in dump.names(".seg", ".dseg"):
            for at in dump.file(name).segments(dump.segment_bytes):
                for offset, n_bytes, field in HEADER_FIELDS:
                    for bit in pick(8 * n_bytes, 2):
                        add_flip(source, name, at, offset, bit, field)
        for name in dump.names(".ring"):
            if not dump.file(name).data[:8].strip(b"\0"):
                continue
            for offset, n_bytes, field in CONTROL_FIELDS:
                for bit in pick(8 * n_bytes, 2):
                    texts = [] if field in ("position", "lost", "stalled_ticks", "n_tasks", "n_regions") else \
                        [rf"{name}: control page with .*only closed segments are taken \[ring_damaged\]"]
                    case(f"{source}/{name}-{field}-bit-{bit}", source, (3,), texts)(
                        lambda d, name=name, offset=offset, bit=bit: flip(d, name, offset + bit // 8, bit % 8))


def flip(dump, name, at, bit):
    f = dump.file(name)
    f.flip(at, bit)
    f.store()


def add_flip(source, name, at, offset, bit, field):
    text = HEADER_TEXT.get(field, OTHER_FIELD).format(at=at)
    if field == "closed" and source != "whole":
        text = ""
    case(f"{source}/{name}-{at}-{field}-bit-{bit}", source, (3,), [re.escape(name) + " " + text] if text else [])(
        lambda d: flip(d, name, at + offset + bit // 8, bit % 8))


def add_payload_flips(sources, n, seed):
    """n flips a source; every record is met if n is large enough."""
    for source, dump in sources.items():
        places = dump.all_records()
        rng = random.Random(seed)
        for i in range(n):
            name, at = places[i % len(places)] if n >= len(places) else rng.choice(places)
            bit = rng.randrange(8 * RECORD)
            case(f"{source}/payload-{name}-{at}-bit-{bit}", source)(lambda d, name=name, at=at, bit=bit: flip(d, name, at + bit // 8, bit % 8))


def add_payload_noise(sources, n, seed):
    """Several records at once: other bits, other records' words, zeros, records exchanged."""
    for source, dump in sources.items():
        places = dump.all_records()
        for i in range(n):
            case(f"{source}/noise-{seed + i}", source)(lambda d, i=i, places=places: noise(d, places, random.Random(seed + i)))


def noise(dump, places, rng):
    files = {}
    for _ in range(rng.choice((1, 2, 5, 30))):
        (name, at), (other_name, other) = rng.choice(places), rng.choice(places)
        f = files.setdefault(name, dump.file(name))
        g = files.setdefault(other_name, dump.file(other_name))
        word = 8 * rng.randrange(4)
        how = rng.randrange(6)
        if how == 0:
            f.flip(at + rng.randrange(RECORD), rng.randrange(8))
        elif how == 1:
            f.put(at + word, g.word(other + word))
        elif how == 2:
            f.put(at + word, rng.choice((0, 1, 2**20, 2**32 - 1, 2**44, 2**63, 2**64 - 1)))
        elif how == 3:
            f.data[at:at + RECORD], g.data[other:other + RECORD] = g.data[other:other + RECORD], f.data[at:at + RECORD]
        elif how == 4:
            f.data[at:at + RECORD] = g.data[other:other + RECORD]
        else:
            f.data[at + 8] = rng.choice((0, 3, 4, 5, 6, 7, 8, 9, 11, 12, 17, 18, 23, 24, 64, 65, 67, 68, 69, 96, 200))
    for f in files.values():
        f.store()


# ---- Segments ----

def segment_file(dump, n=2):
    """A stream's file with at least n segments, its offsets, and the bytes of a segment."""
    for name in dump.names(".seg"):
        f = dump.file(name)
        at = f.segments(dump.segment_bytes)
        if name[0].isdigit() and len(at) >= n:
            return f, at, dump.segment_bytes
    raise ValueError("no stream has so many segments")


@case("segments/swapped", "whole", (0,), is_same=True)
def _(dump):
    f, at, size = segment_file(dump, 3)
    f.data[at[0]:at[0] + size], f.data[at[1]:at[1] + size] = f.data[at[1]:at[1] + size], f.data[at[0]:at[0] + size]
    f.store()


@case("segments/copied", "whole", (0,), is_same=True)
def _(dump):
    f, at, size = segment_file(dump)
    f.data += bytes(-len(f.data) % size) + f.data[at[0]:at[0] + size]
    f.store()


@case("segments/in-another-streams-file", "whole", (3,), [r"at byte 0: a segment of stream \d+, expected stream \d+ \[foreign_segment\]"])
def _(dump):
    a, b = [dump.file(n) for n in dump.names(".seg") if n[0].isdigit()][:2]
    a.data, b.data = b.data, a.data
    a.store()
    b.store()


@case("segments/same-number-twice", "whole", (3,),
      [r"two different segments 2 of stream \d+, opened at ticks \d+ and \d+ \[segment_conflict\]", r"\[segments_missing\]"])
def _(dump):
    f, at, size = segment_file(dump, 3)
    f.put(at[2] + 8, 2)
    f.seal(at[2])
    f.store()


def in_header(field, value):
    offset, n_bytes, _ = next(row for row in HEADER_FIELDS if row[2] == field)

    def change(dump):
        f, at, _ = segment_file(dump, 2)
        f.put(at[-1] + offset, value, n_bytes)
        f.seal(at[-1])
        f.store()
    return change


for value in (2**44, 2**60, 2**64 - 1):
    case(f"header/n_tasks-{value}", "whole", (3,), [r"ids too high for where they are, expected about \d+ tasks and \d+ regions \[counter_absurd\]"])(
        in_header("n_tasks", value))
    case(f"header/n_regions-{value}", "whole", (3,), [r"\[counter_absurd\]"])(in_header("n_regions", value))
    case(f"header/n_records-{value}", "whole")(in_header("n_records", value))
    case(f"header/n_lost-{value}", "whole", (3,))(in_header("n_lost", value))
    case(f"header/ticks-{value}", "whole", (3,))(in_header("ticks", value))
    case(f"header/sequence-{value}", "whole", (3,), [r"follows \d+, expected \d+ \[segments_missing\]"])(in_header("sequence", value))
case("header/ticks-0", "whole")(in_header("ticks", 0))
case("header/stream", "whole", (3,), [r"a segment of stream 77, expected stream \d+ \[foreign_segment\]"])(in_header("stream", 77))


@case("header/magic-foreign", "whole", (3,), [r"magic 0a1a0a0d474e5089 where a segment .*\[not_a_segment\]"])
def _(dump):
    f, at, _ = segment_file(dump)
    f.data[at[1]:at[1] + 8] = b"\x89PNG\r\n\x1a\n"
    f.store()


@case("header/magic-big-endian", "whole", (3,), [r"a segment in big-endian byte order, expected little-endian \[byte_order\]"])
def _(dump):
    f, at, _ = segment_file(dump)
    f.data[at[1]:at[1] + 8] = b"OTTERSEG"[::-1]
    f.store()


def in_control(offset, value, n_bytes):
    def change(dump):
        for name in dump.names(".ring"):
            f = dump.file(name)
            f.put(offset, value, n_bytes)
            f.seal_control()
            f.store()
    return change


case("ring/n_segments-overflow", "killed", (3,), [r"\.ring: \d+ bytes, expected \d+ \[ring_cut\]"])(in_control(20, 2**32 - 1, 4))
case("ring/segment_bytes-0", "killed", (3,), [r"\[ring_damaged\]"])(in_control(24, 0, 4))
case("ring/segment_bytes-huge", "killed", (3,), [r"\[ring_damaged\]"])(in_control(24, 2**31, 4))
case("ring/of-another-process", "killed", (3,), [r"the ring of stream \d+ of process 1, expected stream \d+ of process \d+ \[foreign_ring\]"])(
    in_control(32, 1, 8))
case("ring/of-another-stream", "killed", (3,), [r"the ring of stream 999 of process \d+, expected stream \d+ .*\[foreign_ring\]"])(
    in_control(16, 999, 4))
for value in (7, 2**20 + 5, 2**63 + 64, 2**64 - 1):
    case(f"ring/position-{value}", "killed", (3,), [r"at byte 64: position at offset \d+ of segment \d+, which is not in the ring.*\[position_damaged\]"])(
        in_control(64, value, 8))


# ---- meta ----

def meta(name, old, new, statuses=(3,), texts=(), n=1, **more):
    case(f"meta/{name}", "whole", statuses, texts, **more)(lambda d: d.edit_meta(old, new, n))


meta("newer-minor", rb"^otter-dump 1 \d+$", b"otter-dump 1 999", (0,),
     [r"the dump has format 1\.999, this otter-build knows 1\.\d+: what is new in it is skipped"], is_same=True)
meta("newer-major", rb"^otter-dump 1 \d+$", b"otter-dump 2 0", (1,), [r"the dump has format 2\.0, this otter-build reads 1\.x"])
meta("major-overflow", rb"^otter-dump 1 \d+$", b"otter-dump 4294967297 0", (1,), [r'its first line must be "otter-dump MAJOR MINOR"'])
meta("foreign", rb"^otter-dump 1 \d+$", b"<html>", (1,), [r"not the meta of an Otter dump: its first line must be"])
meta("big-endian", rb"^byte_order little$", b"byte_order big", (1,), [r'byte_order is "big", this otter-build reads "little"'])
meta("record-bytes", rb"^record_bytes 32$", b"record_bytes 48", (1,), [r'record_bytes is "48", this otter-build reads "32"'])
meta("segment-bytes-odd", rb"^segment_bytes \d+$", b"segment_bytes 4097", (3,), [r"skipped: the first at byte \d+ \(segment_bytes\) \[meta_damaged\]"])
meta("segment-bytes-overflow", rb"^segment_bytes \d+$", b"segment_bytes 18446744073709551617", (3,), [r"\(segment_bytes\) \[meta_damaged\]"])
meta("start-zero", rb"^start .*$", b"start 0 0 0", (0, 3))
meta("start-future", rb"^start .*$", b"start 18446744073709551615 1 1", (3,), [r"\[meta_damaged\]"])
meta("start-negative", rb"^start ", b"start -", (3,), [r"\(start\) \[meta_damaged\]"])
meta("end-before-start", rb"^end .*$", b"end 5 5 5", (3,), [r"the end at ticks 5, expected after the start at \d+ \[meta_damaged\]"], n=9)
meta("end-future", rb"^end .*$", b"end 18446744073709551615 18446744073709551615 18446744073709551615", (3,), [r"\[meta_damaged\]"], n=9)
meta("clock-stands", rb"^(end \d+) .*$", b"\\1 1 1", (0, 3), n=9)
meta("zero-byte", rb"^host ", b"host \0", (3,), [r"skipped: the first at byte \d+ \(host\) \[meta_damaged\]"])
meta("no-key", rb"^host ", b"\xffost ", (3,), [r"\[meta_damaged\]"])
meta("unknown-key", rb"^host ", b"later something new\nhost ", (0,), is_same=True)
meta("no-newline", rb"\Z", b"note a string without end", (0,), is_same=True)
meta("long-line", rb"\Z", b"note " + 3_000_000 * b"x" + b"\n", (0,), is_same=True)
meta("many-lines", rb"\Z", 100_000 * b"arg x\n", (0,), is_same=True)
meta("streams-absurd", rb"\Z", b"stream 1048576 sealed 1 1 0 0\n", (3,), [r"\(stream\) \[meta_damaged\]"])
meta("streams-huge-counts", rb"\Z", b"stream 0 sealed 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615\n", (3,),
     [r"stream 0 ends with segment \d+, expected 18446744073709551615 \[segments_missing\]"])
meta("map-backwards", rb"^map .*$", b"map 5 1 0 - /bin/sh", (3,), [r"\(map\) \[meta_damaged\]"])
meta("map-of-a-device", rb"^map (\S+ \S+ \S+) \S+ .*$", b"map \\1 - /dev/zero", (0,), n=99)
meta("kind-unlisted", rb"^kind 7 .*\n", b"", (3,), [r"kind 7, expected one of the \d+ that meta lists \[kind_unknown\]"])
meta("ring-dir-is-a-fifo", rb"^(pid .*)$", b"\\1\nring_dir /dev/fd", (0, 3))
meta("lost-overflow", rb"\Z", b"lost full 18446744073709551615\nlost_no_stream 18446744073709551615\n", (3,))


@case("meta/binary", "whole", (1,), [r"not the meta of an Otter dump"])
def _(dump):
    (dump.path / "meta").write_bytes(random.Random(1).randbytes(5000))


# ---- Times ----

def at_record(n, change_words, source="whole"):
    """Changes words of the n-th record (negative: from the end) of a stream's file."""
    def change(dump):
        f, at, size = segment_file(dump)
        places = [r for a in at for r in f.records(a, size) if f.kind(r) < 96]
        for word, value in change_words(f, places[n]).items():
            f.put(places[n] + 8 * word, value)
        f.store()
    return change


OUT_OF_ORDER = r"stream \d+: segment \d+, record \d+ \(\w+\): a time stamp that does not lie between its neighbours', expected about \d+ \[time_out_of_order\]"
for n in (0, 1, 40, 150, -2, -1):
    for what, time in {"zero": lambda t: 0, "backwards": lambda t: t - 10**12, "future": lambda t: t + 2**62, "largest": lambda t: 2**64 - 1}.items():
        is_free = n == 0 and what == "never"
        case(f"time/{what}-{n}", "whole", (3,), [OUT_OF_ORDER])(at_record(n, lambda f, at, time=time: {0: time(f.word(at))}))


@case("time/a-stream-in-reverse", "whole", (3,), [OUT_OF_ORDER])
def _(dump):
    f, at, size = segment_file(dump)
    places = [r for a in at for r in f.records(a, size) if f.kind(r) < 96]
    times = [f.word(r) for r in places]
    for r, time in zip(places, reversed(times)):
        f.put(r, time)
    f.store()


# ---- Records that contradict each other ----

def own_id(f, at, stream):
    return (f.word(at + 8) >> 20) << 20 | stream


def creations(dump):
    """(File, offset, id of the task) of task_create, in a file with many."""
    best = max((dump.file(name) for name in dump.names(".seg")),
               key=lambda f: sum(1 for a in f.segments(dump.segment_bytes) for r in f.records(a, dump.segment_bytes) if f.kind(r) == 7))
    rows = []
    for a in best.segments(dump.segment_bytes):
        stream = int.from_bytes(best.data[a + 16:a + 20], "little")
        rows += [(r, own_id(best, r, stream)) for r in best.records(a, dump.segment_bytes)
                 if best.kind(r) == 7 and not best.word(r + 8) >> 8 & 0x10]
    return best, rows


def schedules(f, dump, status=None):
    return [r for a in f.segments(dump.segment_bytes) for r in f.records(a, dump.segment_bytes)
            if f.kind(r) == 8 and status in (None, f.word(r + 8) >> 8 & 0xfff)]


@case("task/created-twice", "whole", (3,), [r"\(task_create\): task \d+:\d+, expected a new one \[task_created_twice\]"])
def _(dump):
    f, rows = creations(dump)
    f.data[rows[5][0] + 8:rows[5][0] + 16] = f.data[rows[3][0] + 8:rows[3][0] + 16]
    f.store()


@case("task/completed-twice", "whole", (3,), [r"\(task_schedule\): task \d+:\d+, expected one that has not completed \[task_completed_twice\]"])
def _(dump):
    f, _ = creations(dump)
    done = schedules(f, dump, 1)
    f.put(done[3] + 16, f.word(done[1] + 16))
    f.store()


@case("task/runs-before-it-is-created", "whole", (3,), [r"\(task_create\): task \d+:\d+, expected one that has not run \[task_before_creation\]"])
def _(dump):
    f, rows = creations(dump)
    # A creation changes places with the record in which its task is first scheduled, and so do their times.
    for r, task in rows:
        for s in schedules(f, dump):
            if f.word(s + 24) == task and s > r:
                f.data[r + 8:r + RECORD], f.data[s + 8:s + RECORD] = f.data[s + 8:s + RECORD], f.data[r + 8:r + RECORD]
                f.store()
                return
    raise ValueError("no task runs where it was created")


@case("task/parents-in-a-circle", "whole", (3,), [r"task \d+:\d+ was created by a task that was created later: its parent is unknown \[parent_later\]"])
def _(dump):
    f, rows = creations(dump)
    f.put(rows[2][0] + 16, rows[9][1])
    f.put(rows[9][0] + 16, rows[2][1])
    f.store()


@case("task/its-own-parent", "whole", (3,), [r"\[parent_later\]"])
def _(dump):
    f, rows = creations(dump)
    f.put(rows[4][0] + 16, rows[4][1])
    f.store()


@case("task/id-out-of-range", "whole", (3,), [r"it creates task \d+ of its stream, expected at most \d+ \[id_out_of_range\]|\[counter_absurd\]"])
def _(dump):
    f, rows = creations(dump)
    f.put(rows[4][0] + 8, f.word(rows[4][0] + 8) & 0xfffff | (2**44 - 1) << 20)
    f.store()


@case("task/unknown-status", "whole", (3,), [r"task_status 77, expected 1 to 8 \[status_unknown\]"])
def _(dump):
    f, _ = creations(dump)
    at = schedules(f, dump, 1)[2]
    f.put(at + 8, f.word(at + 8) & ~(0xfff << 8) | 77 << 8)
    f.store()


@case("task/switch-from-another", "whole", (3,), check=lambda o: None if "switch_from_another_task" in o.summary()["repairs"] else str(o.summary()["repairs"]))
def _(dump):
    f, rows = creations(dump)
    f.put(schedules(f, dump, 1)[4] + 16, rows[0][1])
    f.store()


@case("region/member-elsewhere", "whole", (3,), [r"region \d+ of stream \d+ .*\[team_contradictory\]"])
def _(dump):
    name, at = [(n, r) for n, r in dump.all_records("implicit_task_begin") if dump.file(n).word(r + 8) >> 8 & 2][-1]
    f = dump.file(name)
    f.put(at + 16, f.word(at + 16) + (1 << 20))
    f.store()


@case("list/count-overflows", "whole", (3,), check=lambda o: None if "cut_dependence_list" in o.summary()["repairs"] else str(o.summary()["repairs"]))
def _(dump):
    name, at = dump.all_records("dependences")[3]
    f = dump.file(name)
    f.put(at + 8, f.word(at + 8) & 0xfffff | (2**44 - 1) << 20)
    f.store()


@case("list/stray-continuation", "whole", (3,), [r"a continuation, expected a record of its own \[stray_continuation\]"])
def _(dump):
    name, at = dump.all_records("task_schedule")[3]
    flip(dump, name, at + 8, 5)
    f = dump.file(name)
    f.data[at + 8] = 96
    f.store()


@case("record/unknown-kind", "whole", (3,), [r"kind 200, expected one of the \d+ that meta lists \[kind_unknown\]"])
def _(dump):
    name, at = dump.all_records("task_create")[3]
    f = dump.file(name)
    f.data[at + 8] = 200
    f.store()


# ---- What is no file ----

def replaced(name, make):
    def change(dump):
        (dump.path / name).unlink()
        make(dump.path / name)
    return change


NOT_REGULAR = r"not a regular file \[file_unreadable\]"
for what, make in {"fifo": os.mkfifo, "directory": os.mkdir, "device": lambda p: p.symlink_to("/dev/zero")}.items():
    case(f"odd/segments-are-a-{what}", "whole", (3,), [NOT_REGULAR])(replaced("00000.seg", make))
    case(f"odd/meta-is-a-{what}", "whole", (1,), [r"meta: not a file of text lines, as meta must be"])(replaced("meta", make))
    case(f"odd/ring-is-a-{what}", "killed", (3,), [NOT_REGULAR])(
        lambda d, make=make: replaced(d.names(".ring")[0], make)(d))


@case("odd/dangling-link", "whole", (3,), [r"\[stream_missing\]"])
def _(dump):
    replaced("00000.seg", lambda p: p.symlink_to("nowhere"))(dump)


@case("odd/link-to-itself", "whole", (3,), [r"00000\.seg: Too many levels of symbolic links \[file_unreadable\]"])
def _(dump):
    replaced("00000.seg", lambda p: p.symlink_to(p.name))(dump)


@case("odd/dump-is-a-link", "whole", (0,), is_same=True, path="link.otter")
def _(dump):
    (dump.path.parent / "link.otter").symlink_to("mix.otter")


@case("odd/dump-is-a-fifo", "whole", (1,), [r"fifo\.otter/meta: Not a directory"], path="fifo.otter")
def _(dump):
    os.mkfifo(dump.path.parent / "fifo.otter")


@case("odd/dump-is-a-file", "whole", (1,), [r"file\.otter/meta: Not a directory"], path="file.otter")
def _(dump):
    (dump.path.parent / "file.otter").write_bytes(b"no dump")


@case("odd/dump-is-a-device", "whole", (1,), [r"Not a directory"], path="zero.otter")
def _(dump):
    (dump.path.parent / "zero.otter").symlink_to("/dev/zero")


@case("odd/dump-is-not-there", "whole", (1,), [r"none\.otter/meta: No such file or directory: a dump is a directory with a file `meta`"], path="none.otter")
def _(dump):
    pass


@case("odd/directory-without-dumps", "whole", (1,), [r"not a dump \(it has no file 'meta'\), and no directory of dumps either"], path="empty")
def _(dump):
    (dump.path.parent / "empty").mkdir()


@case("odd/other-files", "whole", (0,), is_same=True)
def _(dump):
    for name in ("00000.seg.bak", "1.seg", "99999999999.seg", "-0001.seg", "00000.ringx", "core"):
        (dump.path / name).write_bytes(b"OTTERSEG" * 64)


@case("odd/stream-numbers-too-large", "whole", (0,), is_same=True)
def _(dump):
    (dump.path / "1048576.seg").write_bytes(dump.file("00000.seg").data)


# ---- Main ----

def sample(n_bits, n):
    """The same n bits of so many always, spread over them."""
    return sorted({i * n_bits // n + 3 * i % max(1, n_bits // n) for i in range(min(n, n_bits))})


def main():
    arguments = sys.argv[1:]
    is_all = "--all" in arguments
    wanted = [a for a in arguments if a != "--all"]
    need(RECORDER, *map(pathlib.Path, BUILDERS))
    with alone(PLACE):
        result = compile_c(HERE / "mix.c", PLACE / "mix")
        if result.status != 0:
            print(f"not ok damage/compile: {result.err}")
            return 1
        sources = {name: record(name) for name in SOURCES}
        for name in sources:
            outcome = build_limited(BUILDERS[0], PLACE, sources[name].path)
            if outcome.status not in (0, 3) or name == "whole" and outcome.status != 0:
                print(f"not ok damage/{name}: status {outcome.status} {outcome.err}")
                return 1
            SHAPES[name] = outcome.shape()
        add_file_cases(sources)
        add_header_flips(sources, (lambda bits, n: range(bits)) if is_all else sample)
        count = int(os.environ.get("COUNT", 3000 if is_all else 0))
        add_payload_flips(sources, count or 100, 1)
        add_payload_noise(sources, count or 40, 1000)
        chosen = [i for i, c in enumerate(CASES) if not wanted or any(w in c.name for w in wanted)]
        if not is_all and not wanted:
            chosen = thin(chosen)
        return run_cases(chosen)


def thin(indices):
    """Without --all: of the flips in headers and of the cuts every so many."""
    many = re.compile(r"-bit-|-cut-")
    kept, n = [], 0
    for i in indices:
        if many.search(CASES[i].name) and "payload" not in CASES[i].name:
            n += 1
            if n % 12 != 1:
                continue
        kept.append(i)
    return kept


def run_cases(indices):
    n_failed, kinds = 0, {}
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(number_of_jobs(), mp_context=context) as pool:
        for name, reason, kind in pool.map(try_case, indices, chunksize=4):
            group = name.split("/")[1].split("-")[0] if "payload" in name or "noise" in name else "other cases"
            row = kinds.setdefault(group, {})
            row[kind] = row.get(kind, 0) + 1
            if reason is None and group == "other cases":
                print(f"ok damage/{name}")
            elif reason is not None:
                n_failed += 1
                print(f"not ok damage/{name}: {reason}", flush=True)
    for group, row in kinds.items():
        print(f"ok damage/{group}: {row}" if n_failed == 0 else f"{group}: {row}")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
