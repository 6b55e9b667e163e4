# SPDX-License-Identifier: BSD-3-Clause
"""Cases of damage of records that are well-formed and contradict others: times, tasks, regions, lists."""
from cases import case
from damage_bits import flip
from damage_segments import segment_file
from dump import KINDS, RECORD


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


@case("task/switch-to-nobody", "whole", (3,), [r"it switches to task \d+:\d+, which no stream made \[id_out_of_range\]"])
def _(dump):
    f, _ = creations(dump)
    f.put(schedules(f, dump, 1)[2] + 24, 174939 | 89770722 << 20)
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


def without_record(kind, n):
    """The n-th record of a kind becomes a flush. No gap tells that a record is missing; the graph must be sound all the same."""
    def change(dump):
        name, at = dump.all_records(kind)[n]
        f = dump.file(name)
        f.data[at + 8] = KINDS["flush"]
        f.store()
    return change


for n in range(6):
    case(f"region/without-end-{n}", "whole", (3,), check=lambda o: None if "region_end_missing" in o.summary()["repairs"] else str(o.summary()["repairs"]))(
        without_record("parallel_end", n))
