# SPDX-License-Identifier: BSD-3-Clause
"""What bench/table, bench/plot and bench/compare share: reading rows, medians and quartiles, tables.

Differences and ratios are formed within a round, between runs that were neighbours, and then the median over the rounds is taken: a
machine that changes its pace between rounds does not get into them."""
import csv
import statistics
from collections import namedtuple

Spread = namedtuple("Spread", "low median high")  # the quartiles


def spread(values):
    values = sorted(values)
    if len(values) < 2:
        return Spread(values[0], values[0], values[0])
    return Spread(*statistics.quantiles(values, n=4, method="inclusive"))


def half(s):
    """What stands behind the +-: half the distance between the quartiles."""
    return (s.high - s.low) / 2


class Cell:
    """The runs of one workload in one placement: by (subject, setting), and by round."""
    def __init__(self):
        self.runs = {}

    def add(self, row):
        self.runs.setdefault((row["subject"], row["setting"]), {}).setdefault(int(row["round"]), []).append(row)

    def subjects(self):
        return list(self.runs)

    def column(self, subject, value):
        """value(row) by round; several runs of a round count as their median."""
        rounds = self.runs.get(key(subject), {})
        return {r: statistics.median(value(row) for row in rows) for r, rows in rounds.items()}

    def rows(self, subject):
        return [row for rows in self.runs.get(key(subject), {}).values() for row in rows]

    def of(self, subject, value):
        """Spread of a value over the rounds; None where there is none."""
        values = self.column(subject, value).values()
        return spread(values) if values else None

    def against(self, subject, base, value, combine):
        """Spread of combine(subject, base) over the rounds that have both; None where none has."""
        ours, theirs = self.column(subject, value), self.column(base, value)
        both = [combine(ours[r], theirs[r]) for r in ours if r in theirs]
        return spread(both) if both else None

    def ratio(self, subject, base, value):
        return self.against(subject, base, value, lambda a, b: a / b)

    def over(self, subject, base, value, n=1.0):
        """What `subject` has more than `base`, divided by n."""
        return self.against(subject, base, value, lambda a, b: (a - b) / n)

    def extra_records(self, subject, base):
        """Records that `subject` has more than `base`, by round."""
        value = lambda row: float(row["records_per_op"]) * int(row["all_ops"])
        ours, theirs = self.column(subject, value), self.column(base, value)
        return {r: ours[r] - theirs[r] for r in ours if r in theirs}

    def over_records(self, subject, base, value, other=None):
        """What `subject` has more than `base` (or `other`), by the records that it has more than `base`. None where there are too few to tell."""
        ours, theirs, extra = self.column(subject, value), self.column(other or base, value), self.extra_records(subject, base)
        each = [(ours[r] - theirs[r]) / n for r, n in extra.items() if n >= 100 and r in theirs]
        return spread(each) if each else None

    def events(self, subject):
        """Records an op, where there is a dump; else callbacks, as the counting tool saw them."""
        return statistics.median(float(row["records_per_op"] or row["callbacks_per_op"]) for row in self.rows(subject))

    def callbacks(self, subject):
        return statistics.median(float(row["callbacks_per_op"]) for row in self.rows(subject))


def key(subject):
    return subject if isinstance(subject, tuple) else (subject, "")


def number(column, scale=1.0):
    """value(row): a column, divided by `scale`."""
    return lambda row: int(row[column]) / scale


def wall(row):
    return int(row["wall_ns"]) / int(row["ops"])


def cpu(row):
    return int(row["cpu_ns"]) / int(row["ops"])


def read(*paths):
    """The rows of CSV files, those that failed left out."""
    rows = []
    for path in paths:
        with open(path, newline="") as f:
            rows += list(csv.DictReader(f))
    return rows


def well(rows):
    return [row for row in rows if row["status"] == "0"]


def cells(rows, part):
    """{(placement, workload): Cell} of one part, in the order of the file."""
    found = {}
    for row in well(rows):
        if row["part"] == part:
            found.setdefault((row["placement"], row["workload"]), Cell()).add(row)
    return found


def about(rows):
    """One line: what the figures are of."""
    first = rows[0]
    runtime = first["runtime"]
    return "%s (%s cores, %s), Linux %s, %s, %s, files on %s, commit %s, %s, load %s at the begin" % (
        first["cpu"], first["cores"], first["machine"], first["kernel"], first["compiler"], runtime, first["files"], first["commit"],
        first["date"], first["load"])


def markdown(head, rows):
    """A table in Markdown that is a table on a terminal as well. The first column is text."""
    rows = [[str(c) for c in row] for row in rows]
    widths = [max(len(r[i]) for r in [head] + rows) for i in range(len(head))]
    for line in [head, ["-" * widths[0]] + ["-" * (w - 1) + ":" for w in widths[1:]]] + rows:
        print("| " + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))) + " |")
    print()


def shown(s, digits=1, signed=False):
    """Median and spread as text."""
    if s is None:
        return "-"
    return "%*.*f ±%.*f" % (0, digits, s.median, digits, half(s)) if not signed else "%+.*f ±%.*f" % (digits, s.median, digits, half(s))


def plain(s, digits=1):
    return "-" if s is None else "%.*f" % (digits, s.median)
