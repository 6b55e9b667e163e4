# SPDX-License-Identifier: BSD-3-Clause
"""Tables of what recording costs by construct and by shape, and of the ladder. Used by bench/table."""
import statistics

import stats
from stats import cpu, kernel, markdown, number, plain, ratio, shown, wall

OURS = ("otter", "otter-self")
SEGMENT_RECORDS = 8188  # of 256 KiB, less the header
LADDER = (("loop", "the loop"), ("bare", "an append without a time stamp"), ("stamp", "a time stamp"), ("store", "+ a store of 32 bytes"),
          ("commit", "+ commit"), ("record", "+ TLS, is recording on?"), ("callback", "+ entry, arguments, ids"))


def names(cells):
    """Subjects in the order of the file."""
    return list(dict.fromkeys(s[0] for cell in cells.values() for s in cell.subjects() if s[1] == ""))


def by_placement(cells):
    for placement in dict.fromkeys(p for p, _ in cells):
        print("#### %s\n" % placement)
        yield {w: c for (p, w), c in cells.items() if p == placement}


def ladder(cells):
    """The rungs within a segment, then what the change of a segment and the way out of the process add, by record."""
    print("### The ladder: one record, ns\n")
    for here in by_placement(cells):
        own, drain = (("otter", "OTTER_DRAIN=" + name) for name in ("self", "auto"))
        rows, before = [], None
        for rung, text in LADDER:
            s = here[rung].of(own, number("chunk_ps", 1000))
            rows.append([text, shown(s, 2), "%+.2f" % (s.median - before) if before is not None else ""])
            before = s.median if rung not in ("loop", "bare") else None
        for subject, rung, text in ((own, "change", "+ change of the segment"), (own, "write", "+ and the thread writes it into a file"),
                                (drain, "write", "or hands it to the drain thread")):
            s = here[rung].of(subject, number("change_ns", SEGMENT_RECORDS))
            change = s.median if rung == "change" else change
            rows.append([text, "%.2f ±%.2f" % (before + s.median, stats.half(s)), "%+.2f" % (s.median - (rung == "write" and change))])
        for subject, text in ((own, "CPU of all threads, the thread writes"), (drain, "CPU of all threads, the drain thread writes")):
            rows.append([text, shown(here["write"].of(subject, cpu), 2), ""])
        markdown(["", "ns a record", "step"], rows)


def per_record(cell, subject):
    if not cell.rows(subject) or not cell.rows("empty"):
        return "-"
    n = cell.events(subject)
    return "%s / %s" % (shown(cell.over(subject, "empty", wall, n)), shown(cell.over(subject, "empty", cpu, n)))


def over_empty(here):
    rows = []
    for name, cell in here.items():
        counted = [cell.events(v) for v in OURS + ("floor",) if cell.rows(v)]
        rows.append([name, "%.1f" % counted[0] if counted else "-"] + [per_record(cell, v) for v in ("floor",) + OURS])
    print("Over the empty tool, ns a record: wall / CPU of all threads\n")
    markdown(["workload", "records/op", "floor"] + list(OURS), rows)


def whole(here):
    """Wall time an op, and times the untraced run, of all subjects."""
    subjects = [n for n in names(here) if n != "untraced"]
    rows = []
    for name, cell in here.items():
        base = cell.of("untraced", wall)
        rows.append([name, "-" if base is None else "%.0f" % base.median if base.median >= 1000 else "%.1f" % base.median]
                    + [shown(cell.ratio(v, "untraced", wall), 2) for v in subjects]
                    + [ratio(cell.ratio(v, "floor", wall)) for v in OURS])
    print("Wall time: ns an op untraced, then times untraced; at the end times the floor tool\n")
    markdown(["workload", "untraced"] + subjects + [v + "/floor" for v in OURS], rows)


def per_callback(here):
    """
    The same base and the same divisor for all subjects: what the callbacks of the default groups cost, whatever a tool makes of them. And what the
    kernel's own threads did meanwhile, over the empty tool's run, as others on the machine have them work as well.
    """
    subjects = [n for n in names(here) if n not in ("untraced", "attached")]
    tracers = [n for n in subjects if any(row["bytes"] for cell in here.values() for row in cell.rows(n))]
    rows = []
    for name, cell in here.items():
        row = [name] + [shown(cell.over(v, "untraced", cpu, cell.callbacks(v))) if cell.rows(v) else "-" for v in subjects]
        rows.append(row + [shown(cell.over(v, "empty", kernel, cell.callbacks(v))) if cell.rows(v) else "-" for v in tracers])
    print("CPU of all threads over untraced, ns a callback; at the end that of the kernel's threads over the empty tool\n")
    markdown(["workload"] + subjects + [v + ", kernel" for v in tracers], rows)


def limits(here):
    """What has a limit whatever the workload: how long the process takes to end after the program's last step, memory, stalls, records."""
    rows, finish = [], number("finish_ns", 1e6)
    for subject in names(here):
        runs = [row for cell in here.values() for row in cell.rows(subject)]
        longest = max(runs, key=finish)
        row = [subject, "%.1f" % statistics.median(map(finish, runs)), "%.1f" % finish(longest), longest["workload"]]
        if subject in OURS:
            mib = [cell.over(subject, "empty", number("rss_kib", 1024)).median / statistics.median(int(r["streams"]) for r in cell.rows(subject))
                   for cell in here.values() if cell.rows(subject) and cell.rows("empty")]
            longest = max(runs, key=lambda r: int(r["longest_stall_ns"]))
            row += ["%.1f" % statistics.median(mib) if mib else "-", "%.2f" % (int(longest["longest_stall_ns"]) / 1e6), longest["workload"],
                    sum(int(r["lost"]) for r in runs)]
        rows.append(row + [""] * (8 - len(row)))
    markdown(["", "finish, ms", "longest", "in", "MiB a stream over the empty tool", "longest stall of a thread, ms", "in", "records lost"], rows)


def micro(cells, title="### One construct many times\n"):
    print(title)
    for here in by_placement(cells):
        over_empty(here)
        whole(here)
        per_callback(here)
        limits(here)


def shapes(cells):
    micro(cells, "### Real shapes\n")
