# SPDX-License-Identifier: BSD-3-Clause
"""A dump's files as bytes, to be read and to be damaged. Follows docs/format.md, and not the code of recorder or builder."""
import re
import struct

HEADER, RECORD, CONTROL = 128, 32, 4096
SEGMENT_MAGIC, RING_MAGIC = b"OTTERSEG", b"OTTERRNG"
# Offset, bytes and name of every field of a segment's header, and of a ring's control page.
HEADER_FIELDS = [(0, 8, "magic"), (8, 8, "sequence"), (16, 4, "stream"), (20, 4, "checksum"), (24, 8, "closed"), (32, 8, "ticks"),
                 (40, 8, "monotonic_ns"), (48, 8, "realtime_ns"), (56, 8, "tid"), (64, 8, "task"), (72, 8, "region"), (80, 8, "n_tasks"),
                 (88, 8, "n_regions"), (96, 8, "n_lost"), (104, 8, "n_records"), (112, 8, "n_units"), (120, 8, "reserved")]
CONTROL_FIELDS = [(0, 8, "magic"), (8, 4, "major"), (12, 4, "minor"), (16, 4, "stream"), (20, 4, "n_segments"), (24, 4, "segment_bytes"),
                  (28, 4, "checksum"), (32, 8, "pid"), (64, 8, "position"), (128, 64, "lost"), (192, 8, "stalled_ticks")]
KINDS = {"parallel_begin": 3, "parallel_end": 4, "implicit_task_begin": 5, "task_create": 7, "task_schedule": 8, "dependences": 9, "task_dependence": 10, "flush": 29, "thread_attach": 64,
         "dependences_more": 96}


def checksum(*parts):
    """FNV-1a, 32 bits."""
    state = 2166136261
    for part in parts:
        for byte in part:
            state = (state ^ byte) * 16777619 & 0xffffffff
    return state


class File:
    """One file of a dump; `data` may be changed and stored again."""

    def __init__(self, path):
        self.path, self.data = path, bytearray(path.read_bytes())

    def store(self):
        self.path.write_bytes(self.data)

    def word(self, at):
        return struct.unpack_from("<Q", self.data, at)[0]

    def put(self, at, value, n_bytes=8):
        self.data[at:at + n_bytes] = value.to_bytes(n_bytes, "little")

    def flip(self, at, bit):
        self.data[at] ^= 1 << bit

    def seal(self, at):
        """Gives the header at `at` the right checksum for its bytes, so that only its values are wrong."""
        h = self.data[at:at + HEADER]
        self.put(at + 20, checksum(h[:20], h[32:]), 4)

    def seal_control(self):
        self.put(28, checksum(self.data[:28], self.data[32:40]), 4)

    def segments(self, segment_bytes):
        """Offsets of the valid headers."""
        first = CONTROL if self.path.suffix == ".ring" else 0
        return [at for at in range(first, len(self.data) - HEADER + 1, segment_bytes)
                if self.data[at:at + 8] == SEGMENT_MAGIC and self.word(at + 8) != 0]

    def records(self, at, segment_bytes):
        """Offsets of the records of the segment at `at`: as many as `closed` says, else up to the first that was never written."""
        closed = self.word(at + 24)
        used = closed & 0x7fffffff if closed != 0 else segment_bytes
        end = min(at + used, len(self.data))
        for place in range(at + HEADER, end - RECORD + 1, RECORD):
            if self.data[place + 8] == 0:
                break
            yield place

    def kind(self, at):
        return self.data[at + 8]


def give_files(path):
    """Gives each stream of a recorded dump a file of its own, as if other threads had always been writing to the one that all share."""
    shared, meta = path / "drain.seg", (path / "meta").read_bytes()
    size = int(re.search(rb"^segment_bytes (\d+)$", meta, re.M)[1])
    data = shared.read_bytes() if shared.exists() else b""
    places = {}
    for at in range(0, len(data), size):
        place = data[at:at + size]
        if place[:8] == SEGMENT_MAGIC:
            used = int.from_bytes(place[24:28], "little") & 0x7fffffff
            places.setdefault(int.from_bytes(place[16:20], "little"), []).append(place[:used] if used else place)
    for stream, segments in places.items():
        with (path / f"{stream:05}.seg").open("ab") as f:
            for segment in segments:
                f.truncate(-(-f.tell() // size) * size)
                f.seek(0, 2)
                f.write(segment)
    shared.unlink(missing_ok=True)
    return path


class Dump:
    def __init__(self, path):
        self.path = path
        self.meta = (path / "meta").read_bytes()
        self.segment_bytes = int(re.search(rb"^segment_bytes (\d+)$", self.meta, re.M)[1])

    def names(self, *suffixes):
        return sorted(p.name for p in self.path.iterdir() if p.suffix in (suffixes or (".seg", ".dseg", ".ring")))

    def file(self, name):
        return File(self.path / name)

    def all_records(self, kind=None):
        """(name of the file, offset) of every record, or of every record of a kind."""
        found = []
        for name in self.names():
            f = self.file(name)
            for at in f.segments(self.segment_bytes):
                found += [(name, r) for r in f.records(at, self.segment_bytes) if kind is None or f.kind(r) == KINDS[kind]]
        return found

    def edit_meta(self, old, new, n=1):
        """Replaces the first n matches of a regular expression (^ and $ match at lines)."""
        data, count = re.subn(old, lambda m: m.expand(new) if b"\\1" in new else new, self.meta, count=n, flags=re.M)
        if count == 0:
            raise ValueError(f"meta has no {old}")
        (self.path / "meta").write_bytes(data)
