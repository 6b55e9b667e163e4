# SPDX-License-Identifier: BSD-3-Clause
"""Cases of damage in any place: single bits flipped, and several records changed at once."""
import random
import re

from cases import case
from dump import CONTROL_FIELDS, HEADER_FIELDS, RECORD


# By field of the header, what the builder says when a bit of it is flipped.
HEADER_TEXT = {"magic": r"at byte {at}: found magic [0-9a-f]{{16}}, expected a segment with magic [0-9a-f]{{16}} \[not_a_segment\]",
               "closed": r"at byte {at}: found [0-9a-f]{{16}} as `closed`, expected a length and its complement \[header_damaged\]"}
OTHER_FIELD = r"at byte {at}: found a segment header with checksum [0-9a-f]{{8}}, expected [0-9a-f]{{8}} \[header_damaged\]"


def add_header_flips(sources, pick):
    """Flips bits of every field of every header and control page; pick(n_bits, 2) chooses which bits of a field."""
    for source, dump in sources.items():
        for name in dump.names(".seg", ".dseg"):
            f = dump.file(name)
            for at in f.segments(dump.segment_bytes):
                for offset, n_bytes, field in HEADER_FIELDS:
                    for bit in pick(8 * n_bytes, 2):
                        add_flip(source, name, at, offset, bit, field, f.word(at + 8))
        for name in dump.names(".ring"):
            if not dump.file(name).data[:8].strip(b"\0"):
                continue
            for offset, n_bytes, field in CONTROL_FIELDS:
                for bit in pick(8 * n_bytes, 2):
                    texts = [] if field in ("position", "lost", "stalled_ticks", "n_tasks", "n_regions") else \
                        [rf"{name}: found a control page with .*only closed segments are taken \[ring_damaged\]"]
                    case(f"{source}/{name}-{field}-bit-{bit}", source, (3,), texts)(
                        lambda d, name=name, offset=offset, bit=bit: flip(d, name, offset + bit // 8, bit % 8))


def flip(dump, name, at, bit):
    f = dump.file(name)
    f.flip(at, bit)
    f.store()


def add_flip(source, name, at, offset, bit, field, sequence):
    text = HEADER_TEXT.get(field, OTHER_FIELD).format(at=at)
    if field == "sequence" and sequence == 1 << bit:  # the flip makes it 0: as if the segment had never been used
        text = ""
    if field == "closed" and source != "whole":
        text = ""
    case(f"{source}/{name}-{at}-{field}-bit-{bit}", source, (3,), [re.escape(name) + " " + text] if text else [])(
        lambda d: flip(d, name, at + offset + bit // 8, bit % 8))


def add_payload_flips(sources, n, seed):
    """Flips n bits of records in each source; if n is at least the number of records, each record is met."""
    for source, dump in sources.items():
        places = dump.all_records()
        rng = random.Random(seed)
        for i in range(n):
            name, at = places[i % len(places)] if n >= len(places) else rng.choice(places)
            bit = rng.randrange(8 * RECORD)
            case(f"{source}/payload-{name}-{at}-bit-{bit}", source)(lambda d, name=name, at=at, bit=bit: flip(d, name, at + bit // 8, bit % 8))


def add_payload_noise(sources, n, seed):
    """n cases for each source that change several records: flipped bits, words of other records, extreme values, records exchanged."""
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
