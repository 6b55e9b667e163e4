# SPDX-License-Identifier: BSD-3-Clause
"""What bench/table, bench/plot and bench/compare share: reading rows, medians and how certain they are, tables.

Differences and ratios are formed within a round, between runs that were neighbours, and then the median over the rounds is taken: a
machine that changes its pace between rounds does not get into them.

A median's interval is that of 95 % by bootstrap: rounds are drawn anew, with repetitions, as many as there are, 10,000 times; of the medians of
these the middle 95 % are the interval. Up to five rounds it is everything from the least to the greatest, which holds the true median in 94
of 100 cases with five rounds, and in 75 with three. A value that is smaller than its interval is wide is noise: no ratio is formed of it."""
import csv
import functools
import random
import statistics
from collections import Counter, namedtuple

N_RESAMPLES, CERTAIN = 10000, 0.95

# low, high: the interval of the median. n: the number of values.
Spread = namedtuple("Spread", "low median high n")


@functools.lru_cache(maxsize=None)
def resampled(n):
    """{(rank, rank): how often} the median of a resample of n sorted values is the mean of the values of these ranks. Always the same."""
    dice, pairs = random.Random(n), Counter()
    for _ in range(N_RESAMPLES):
        ranks = sorted(dice.choices(range(n), k=n))
        pairs[ranks[(n - 1) // 2], ranks[n // 2]] += 1
    return pairs


def spread(values):
    values = sorted(values)
    medians = sorted(((values[low] + values[high]) / 2, times) for (low, high), times in resampled(len(values)).items())
    ends, n_below = [], 0
    for share in ((1 - CERTAIN) / 2, (1 + CERTAIN) / 2):
        n_below = 0
        for median, times in medians:
            n_below += times
            if n_below > share * N_RESAMPLES:
                ends.append(median)
                break
    return Spread(ends[0], statistics.median(values), ends[1], len(values))


def half(s):
    """What stands after the +-: half the width of the interval."""
    return (s.high - s.low) / 2


def is_noise(s):
    """Is the interval wider than the value? That is not known of a single value."""
    return s.high - s.low > abs(s.median)


class Cell:
    """The runs of one workload in one placement: by (subject, setting), and by round."""
    def __init__(self):
        self.runs = {}

    def add(self, row):
        self.runs.setdefault((row["subject"], row["setting"]), {}).setdefault(int(row["round"]), []).append(row)

    def subjects(self):
        return list(self.runs)

    def column(self, subject, value):
        """value(row) by round; several runs of a round count as their median. Rows without the value (None) are left out."""
        rounds = {r: [v for v in map(value, rows) if v is not None] for r, rows in self.runs.get(key(subject), {}).items()}
        return {r: statistics.median(values) for r, values in rounds.items() if values}

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

    def cost_ratio(self, subject, other, base, value):
        """How often what `other` has more than `base` is what `subject` has more than it. None where one of both is noise, or where none is."""
        costs = [self.over(who, base, value) for who in (other, subject)]
        if any(s is None or is_noise(s) or s.median <= 0 for s in costs):
            return None
        theirs, ours, bases = (self.column(who, value) for who in (other, subject, base))
        ratios = [(theirs[r] - bases[r]) / (ours[r] - bases[r]) for r in ours if r in theirs and r in bases and ours[r] > bases[r]]
        return spread(ratios) if ratios else None

    def extra_records(self, subject, base):
        """Records, samples among them, that `subject` has more than `base`, by round."""
        value = lambda row: float(row["records_per_op"]) * int(row["all_ops"]) + int(row.get("samples") or 0)
        ours, theirs = self.column(subject, value), self.column(base, value)
        return {r: ours[r] - theirs[r] for r in ours if r in theirs}

    def over_records(self, subject, base, value, other=None):
        """What `subject` has more than `base` (or `other`), by the records that it has more than `base`. None where there are too few to know."""
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
    """value(row): a column, divided by `scale`. None where it is empty."""
    return lambda row: int(row[column]) / scale if row.get(column) else None


def wall(row):
    return int(row["wall_ns"]) / int(row["ops"])


def cpu(row):
    return int(row["cpu_ns"]) / int(row["ops"])


def kernel(row):
    """Of the kernel's threads, from the program's start to its end, so that the warm-up counts. None where they were not seen."""
    return int(row["kernel_ns"]) / int(row["all_ops"]) if row.get("kernel_ns") else None


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
    """{(placement, workload): Cell} of one part, in the order of the file; in each the subjects by their ranks."""
    found = {}
    for row in well(rows):
        if row["part"] == part:
            found.setdefault((row["placement"], row["workload"]), Cell()).add(row)
    for cell in found.values():
        cell.runs = dict(sorted(cell.runs.items(), key=lambda item: min(int(row.get("rank") or 0) for rows in item[1].values() for row in rows)))
    return found


def others(rows):
    """How many processors others kept busy while programs ran, and how many the hypervisor took. None where no row says so."""
    known = [row for row in well(rows) if row.get("others_ns") and row["process_wall_ns"]]
    wall_ns = sum(int(row["process_wall_ns"]) for row in known)
    return [sum(int(row[column]) for row in known) / wall_ns for column in ("others_ns", "steal_ns")] if wall_ns else None


def about(rows):
    """One line: what the figures are of."""
    first, found = rows[0], others(rows)
    beside = "load %s at the begin" % first["load"]
    if found:
        beside += "; others kept %.2f processors busy meanwhile, the hypervisor %.2f" % tuple(found)
    return "%s (%s cores, %s), Linux %s, %s, %s, files on %s, commit %s, %s, %s, seed %s" % (
        first["cpu"], first["cores"], first["machine"], first["kernel"], first["compiler"], first["runtime"], first["files"], first["commit"],
        first["date"], beside, first.get("seed") or "unknown")


def markdown_text(head, rows):
    """A table in Markdown that is a table on a terminal as well. The first column is text."""
    rows = [[str(c) for c in row] for row in rows]
    widths = [max(len(r[i]) for r in [head] + rows) for i in range(len(head))]
    lines = [head, ["-" * widths[0]] + ["-" * (w - 1) + ":" for w in widths[1:]]] + rows
    return "".join("| " + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))) + " |\n" for line in lines)


def markdown(head, rows):
    print(markdown_text(head, rows))


def shown(s, digits=1, signed=False):
    """A median and its interval as text; noise is its interval alone."""
    if s is None:
        return "-"
    if is_noise(s):
        return "noise %.*f..%.*f" % (digits, s.low, digits, s.high)
    text = "%+.*f" if signed else "%.*f"
    return text % (digits, s.median) + (" ±%.*f" % (digits, half(s)) if s.n > 1 else "")


def plain(s, digits=1):
    """A median alone: of what is no difference and no ratio."""
    return "-" if s is None else "%.*f" % (digits, s.median)


def ratio(s, digits=2):
    """A ratio without its interval."""
    return "noise" if s is not None and is_noise(s) else plain(s, digits)
