# SPDX-License-Identifier: BSD-3-Clause
"""Cases of damage of segments, headers and meta: segments in wrong places, wrong values under a right checksum."""
import random

from cases import case
from dump import HEADER_FIELDS


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


@case("segments/in-another-streams-file", "whole", (3,), [r"at byte 0: found a segment of stream \d+, expected stream \d+ \[foreign_segment\]"])
def _(dump):
    a, b = [dump.file(n) for n in dump.names(".seg") if n[0].isdigit()][:2]
    a.data, b.data = b.data, a.data
    a.store()
    b.store()


@case("segments/same-number-twice", "whole", (3,),
      [r"found two different segments 2 of stream \d+, opened at ticks \d+ and \d+, .*\[segment_conflict\]", r"\[segments_missing\]"])
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
    case(f"header/n_tasks-{value}", "whole", (3,), [r"ids that are too large for where they are, expected about \d+ tasks and \d+ regions \[counter_absurd\]"])(
        in_header("n_tasks", value))
    case(f"header/n_regions-{value}", "whole", (3,), [r"\[counter_absurd\]"])(in_header("n_regions", value))
    case(f"header/n_records-{value}", "whole")(in_header("n_records", value))
    case(f"header/n_lost-{value}", "whole", (3,))(in_header("n_lost", value))
    case(f"header/ticks-{value}", "whole", (3,))(in_header("ticks", value))
    case(f"header/sequence-{value}", "whole", (3,), [r"found segment \d+ after \d+, expected \d+ \[segments_missing\]"])(in_header("sequence", value))
case("header/ticks-0", "whole")(in_header("ticks", 0))
case("header/stream", "whole", (3,), [r"found a segment of stream 77, expected stream \d+ \[foreign_segment\]"])(in_header("stream", 77))


@case("header/magic-foreign", "whole", (3,), [r"found magic 0a1a0a0d474e5089, expected a segment .*\[not_a_segment\]"])
def _(dump):
    f, at, _ = segment_file(dump)
    f.data[at[1]:at[1] + 8] = b"\x89PNG\r\n\x1a\n"
    f.store()


@case("header/magic-big-endian", "whole", (3,), [r"found a segment in big-endian byte order, expected little-endian \[byte_order\]"])
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


case("ring/n_segments-overflow", "killed", (3,), [r"\.ring: found \d+ bytes, expected \d+ \[ring_cut\]"])(in_control(20, 2**32 - 1, 4))
case("ring/segment_bytes-0", "killed", (3,), [r"\[ring_damaged\]"])(in_control(24, 0, 4))
case("ring/segment_bytes-huge", "killed", (3,), [r"\[ring_damaged\]"])(in_control(24, 2**31, 4))
case("ring/of-another-process", "killed", (3,), [r"found the ring of stream \d+ of process 1, expected stream \d+ of process \d+ \[foreign_ring\]"])(
    in_control(32, 1, 8))
case("ring/of-another-stream", "killed", (3,), [r"found the ring of stream 999 of process \d+, expected stream \d+ .*\[foreign_ring\]"])(
    in_control(16, 999, 4))
for value in (7, 2**20 + 5, 2**63 + 64, 2**64 - 1):
    case(f"ring/position-{value}", "killed", (3,), [r"at byte 64: found a position at offset \d+ of segment \d+, expected one in the ring.*\[position_damaged\]"])(
        in_control(64, value, 8))


# ---- meta ----

def meta(name, old, new, statuses=(3,), texts=(), n=1, **more):
    case(f"meta/{name}", "whole", statuses, texts, **more)(lambda d: d.edit_meta(old, new, n))


meta("newer-minor", rb"^otter-dump 1 \d+$", b"otter-dump 1 999", (0,),
     [r"the dump has format 1\.999, this otter-build knows 1\.\d+: what is new in it is skipped"], is_same=True)
meta("newer-major", rb"^otter-dump 1 \d+$", b"otter-dump 3 0", (1,), [r"the dump has format 3\.0, this otter-build reads 1\.x and 2\.x"])
meta("major-overflow", rb"^otter-dump 1 \d+$", b"otter-dump 4294967297 0", (1,), [r'its first line must be "otter-dump MAJOR MINOR"'])
meta("foreign", rb"^otter-dump 1 \d+$", b"<html>", (1,), [r"not the meta of an Otter dump: its first line must be"])
meta("big-endian", rb"^byte_order little$", b"byte_order big", (1,), [r'byte_order is "big", this otter-build reads "little"'])
meta("record-bytes", rb"^record_bytes 32$", b"record_bytes 48", (1,), [r'record_bytes is "48", this otter-build reads "32"'])
meta("segment-bytes-odd", rb"^segment_bytes \d+$", b"segment_bytes 4097", (3,), [r"meta at byte \d+ \(segment_bytes\): .*\[meta_damaged\]"])
meta("segment-bytes-overflow", rb"^segment_bytes \d+$", b"segment_bytes 18446744073709551617", (3,), [r"\(segment_bytes\): .*\[meta_damaged\]"])
meta("start-zero", rb"^start .*$", b"start 0 0 0", (0, 3))
meta("start-future", rb"^start .*$", b"start 18446744073709551615 1 1", (3,), [r"\[meta_damaged\]"])
meta("start-negative", rb"^start ", b"start -", (3,), [r"\(start\): .*\[meta_damaged\]"])
meta("end-before-start", rb"^end .*$", b"end 5 5 5", (3,), [r"found the end at ticks 5, expected a time after the start at \d+ \[meta_damaged\]"], n=9)
meta("end-future", rb"^end .*$", b"end 18446744073709551615 18446744073709551615 18446744073709551615", (3,), [r"\[meta_damaged\]"], n=9)
meta("clock-stands", rb"^(end \d+) .*$", b"\\1 1 1", (0, 3), n=9)
meta("zero-byte", rb"^host ", b"host \0", (3,), [r"meta at byte \d+ \(host\): .*\[meta_damaged\]"])
meta("no-key", rb"^host ", b"\xffost ", (3,), [r"\[meta_damaged\]"])
meta("unknown-key", rb"^host ", b"later something new\nhost ", (0,), is_same=True)
meta("no-newline", rb"\Z", b"note a string without end", (0,), is_same=True)
meta("long-line", rb"\Z", b"note " + 3_000_000 * b"x" + b"\n", (0,), is_same=True)
meta("many-lines", rb"\Z", 100_000 * b"arg x\n", (0,), is_same=True)
meta("streams-absurd", rb"\Z", b"stream 1048576 sealed 1 1 0 0\n", (3,), [r"\(stream\): .*\[meta_damaged\]"])
meta("streams-huge-counts", rb"\Z", b"stream 0 sealed 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615\n", (3,),
     [r"stream 0: found segment \d+ as the last one, expected 18446744073709551615 \[segments_missing\]"])
meta("map-backwards", rb"^map .*$", b"map 5 1 0 - /bin/sh", (3,), [r"\(map\): .*\[meta_damaged\]"])
meta("map-of-a-device", rb"^map (\S+ \S+ \S+) \S+ .*$", b"map \\1 - /dev/zero", (0,), n=99)
meta("kind-unlisted", rb"^kind 7 .*\n", b"", (3,), [r"kind 7, expected one of the \d+ that meta lists \[kind_unknown\]"])
meta("ring-dir-is-a-fifo", rb"^(pid .*)$", b"\\1\nring_dir /dev/fd", (0, 3))
meta("lost-overflow", rb"\Z", b"lost full 18446744073709551615\nlost_no_stream 18446744073709551615\n", (3,))


@case("meta/binary", "whole", (1,), [r"not the meta of an Otter dump"])
def _(dump):
    (dump.path / "meta").write_bytes(random.Random(1).randbytes(5000))
