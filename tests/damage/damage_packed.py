# SPDX-License-Identifier: BSD-3-Clause
"""Cases of damage of packed dumps: files that are missing, cut or overwritten, and bits flipped in headers and in packed records."""
from cases import case
from dump import HEADER, HEADER_FIELDS, SEGMENT_MAGIC, File

# Offset, bytes and name of every field of a packed segment's second header.
PACK_FIELDS = [(128, 8, "pack-magic"), (136, 4, "n_bytes"), (140, 4, "n_records"), (144, 4, "method"), (148, 4, "pack-reserved"), (152, 8, "pack-checksum")]
HEADERS, ALIGN = 160, 64
NAMED = r"\[(packed_damaged|not_a_segment|foreign_segment|header_damaged|segments_missing|stream_missing|ring_missing|byte_order)\]"


def segments(data):
    """(offset, bytes of packed records) of each packed segment."""
    at = 0
    while at + HEADERS <= len(data):
        if data[at:at + 8] == SEGMENT_MAGIC:
            n_bytes = int.from_bytes(data[at + 136:at + 140], "little")
            yield at, n_bytes
            at += -(-(HEADERS + n_bytes) // ALIGN) * ALIGN
        else:
            at += ALIGN


def change(name, edit):
    """A change of the bytes of one file: edit(data) changes them in place, or returns others."""
    def on(dump):
        f = File(dump.path / name)
        changed = edit(f.data)
        f.data = f.data if changed is None else changed
        f.store()
    return on


def flip(at, bit):
    def edit(data):
        data[at + bit // 8] ^= 1 << bit % 8
    return edit


def put(at, what):
    def edit(data):
        data[at:at + len(what)] = what[:len(data) - at]
    return edit


def add_packed_cases(sources, pick):
    """sources: packed dumps by name; pick(n_bits, n) chooses which bits are flipped."""
    for source, dump in sources.items():
        statuses, texts = ((3,), [NAMED]) if source.endswith("whole") else ((0, 3), [])
        for name in dump.names(".pseg"):
            file = dump.file(name)
            case(f"{source}/{name}-missing", source, statuses, texts)(lambda d, name=name: (d.path / name).unlink())
            case(f"{source}/{name}-empty", source, statuses, texts)(change(name, lambda data: b""))
            case(f"{source}/{name}-again", source, (0, 3), is_same=True)(change(name, lambda data: data + data))
            case(f"{source}/{name}-amid-zeros", source, (0, 3), is_same=True)(change(name, lambda data: bytes(5 * ALIGN) + data + bytes(4096)))
            case(f"{source}/{name}-shifted", source, statuses, texts)(change(name, lambda data: bytes(8) + data))
            for at, n_bytes in segments(file.data):
                where = f"{source}/{name}-{at}"
                for inside in (8, 24, 64, HEADER, HEADER + 8, HEADERS, HEADERS + n_bytes // 2, HEADERS + n_bytes - 1):
                    case(f"{where}-cut-{inside}", source, statuses, texts)(change(name, lambda data, end=at + inside: data[:end]))
                for n, what in ((ALIGN, b"\0"), (ALIGN, b"\xff"), (HEADERS + n_bytes, b"\0"), (HEADERS + n_bytes, b"OTTERSEG")):
                    case(f"{where}-{n}-bytes-of-{what[:1].hex()}", source, statuses, texts)(change(name, put(at, (what * n)[:n])))
                for offset, n_field, field in HEADER_FIELDS + PACK_FIELDS:
                    for bit in pick(8 * n_field, 2):
                        case(f"{where}-{field}-bit-{bit}", source, statuses, texts)(change(name, flip(at + offset, bit)))
                for bit in pick(8 * n_bytes, 8):
                    case(f"{where}-records-bit-{bit}", source, statuses, texts)(change(name, flip(at + HEADERS, bit)))
                end = at + HEADERS + n_bytes
                for bit in pick(8 * (-end % ALIGN), 1):
                    case(f"{where}-zeros-bit-{bit}", source, (0, 3), is_same=True)(change(name, flip(end, bit)))
