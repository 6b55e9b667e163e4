# SPDX-License-Identifier: BSD-3-Clause
"""Cases of damage of whole files: missing, empty, cut, or something that is not a regular file."""
import os

from cases import case
from dump import CONTROL, HEADER, RECORD


NO_LINE = r"meta: found no whole line, expected .*\[meta_empty\]"


def add_file_cases(sources):
    for source, dump in sources.items():
        for name in dump.names():
            add_file(source, dump, name)
        case(f"{source}/meta-missing", source, (3,), [NO_LINE])(lambda d: (d.path / "meta").unlink())
        case(f"{source}/meta-empty", source, (3,), [NO_LINE])(lambda d: (d.path / "meta").write_bytes(b""))
        for at in range(1, len(dump.meta), max(1, len(dump.meta) // 12)):
            case(f"{source}/meta-cut-{at}", source, (0, 3) if at > len(dump.meta) - 80 else (3,))(
                lambda d, at=at: (d.path / "meta").write_bytes(d.meta[:at]))


def numbers(dump, names):
    """(stream, sequence number) of all segments in these files."""
    found = set()
    for f in map(dump.file, names):
        found |= {(int.from_bytes(f.data[at + 16:at + 20], "little"), f.word(at + 8)) for at in f.segments(dump.segment_bytes)}
    return found


def said_without(dump, name):
    """What the builder must say of a dump without this file; it depends on what the other files have."""
    own, others = numbers(dump, [name]), numbers(dump, [n for n in dump.names() if n != name])
    streams = {stream for stream, _ in others}
    if name.endswith(".ring"):
        stream = int(name.split(".")[0])
        return [rf"stream {stream} was not sealed: expected its ring .*{name}, found none.*\[ring_missing\]"] if stream in streams else []
    texts = [rf"found nothing of stream {s}, expected \d+ segments \[stream_missing\]" for s in {s for s, _ in own} - streams if
             b"\nstream %d " % s in dump.meta]
    begin = sorted(str(s) for s, n in own - others if n == 1 and s in streams)  # only the first of each name is printed
    return texts + ([rf"stream ({'|'.join(begin)}): found segment \d+ after 0, expected 1 \[segments_missing\]"] if begin else [])


def add_file(source, dump, name):
    f = dump.file(name)
    stream, is_ring = name.split(".")[0].lstrip("0") or "0", name.endswith(".ring")
    segments, size = f.segments(dump.segment_bytes), len(f.data)
    is_only = not is_ring and name[0].isdigit() and source == "whole"
    gone = said_without(dump, name)
    case(f"{source}/{name}-missing", source, (3,), gone)(lambda d: (d.path / name).unlink())
    case(f"{source}/{name}-empty", source, (3,), gone)(lambda d: (d.path / name).write_bytes(b""))

    def cut(at, what, texts):
        case(f"{source}/{name}-cut-{what}", source, (0, 3) if source == "newest" else (3,), texts)(
            lambda d: (d.path / name).write_bytes(f.data[:at]))
    if is_ring:
        for at in (1, 7, 40, 64, 100, CONTROL - 1, CONTROL, CONTROL + 60, size - dump.segment_bytes, size - 1):
            cut(at, f"at-{at}", [rf"{name}: found {at} bytes, expected .*\[ring_cut\]"])
        return
    for k, at in enumerate(segments):
        end = segments[k + 1] if k + 1 < len(segments) else size
        if at > 0:
            texts = [rf"stream {stream}: found segment {k} as the last one, expected \d+ \[segments_missing\]",
                     rf"stream {stream} was not sealed: expected its ring .*{name[:5]}\.ring, found none.*\[ring_missing\]"]
            cut(at, f"before-segment-{k}", texts if is_only else [])
        for inside in (1, 20, 24, 127):
            cut(at + inside, f"in-header-{k}-at-{inside}",
                [rf"{name} at byte {at}: found the file's last {inside} bytes, expected a segment header of {HEADER} bytes \[file_cut\]"])
        if source == "whole":
            for n in (0, 1, 5):
                inside = at + HEADER + n * RECORD + (n > 0)
                if inside < end - RECORD:
                    cut(inside, f"in-segment-{k}-record-{n}", [rf"segment {k + 1} of stream {stream}, in the stream's file at byte {at}: "
                                                               rf"found {n} records, expected \d+ \[segment_cut\]"])


# ---- Files that are not regular ----

def replaced(name, make):
    """Puts something else in the place of a file."""
    def change(dump):
        (dump.path / name).unlink()
        make(dump.path / name)
    return change


NOT_REGULAR = r"found a directory or special file, expected a regular file \[file_unreadable\]"
for what, make in {"fifo": os.mkfifo, "directory": os.mkdir, "device": lambda p: p.symlink_to("/dev/zero")}.items():
    case(f"odd/segments-are-a-{what}", "whole", (3,), [NOT_REGULAR])(replaced("00000.seg", make))
    case(f"odd/meta-is-a-{what}", "whole", (1,), [r"meta: not a file of text lines, as meta must be"])(replaced("meta", make))
    case(f"odd/ring-is-a-{what}", "killed", (3,), [NOT_REGULAR])(
        lambda d, make=make: replaced(d.names(".ring")[0], make)(d))


@case("odd/dangling-link", "whole", (3,), [r"\[stream_missing\]"])
def _(dump):
    replaced("00000.seg", lambda p: p.symlink_to("nowhere"))(dump)


@case("odd/link-to-itself", "whole", (3,), [r"00000\.seg: cannot be opened \(Too many levels of symbolic links\).*\[file_unreadable\]"])
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
