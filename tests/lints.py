#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does otter-build --lint find what the programs of lints/ have, and nothing in them when it is mended?

Each program is compiled twice, with and without -DMENDED. Lines of a comment say what must be found in the first, and no finding of these
kinds may be in the second:

    lint: KIND @MARK [@OTHER] COUNT OF    the finding, the lines of its constructs (comments with these marks), how often, of how many;
                                          + after COUNT: at least so often
    on: VARIABLE                          the finding names the address of this variable, which the program prints

Everything follows from the programs' texts; no clock is looked at.

Usage: lints.py [NAME...]
"""
import csv
import sys

from common import *

NAME, PLACE = "lints", WORK / "lints"
SOURCES = ROOT / "tests/lints"
SETTINGS = {"OMP_NUM_THREADS": "2", "OMP_DYNAMIC": "false", **PASSIVE}
KINDS = ("implied", "chained", "last", "waits_for_none", "sync", "undeferred", "inline", "one_creator", "oversubscribed", "chunks")


class Wanted:
    def __init__(self, words, lines):
        self.kind, self.count, self.of = words[0], words[-2], int(words[-1])
        self.lines = [next(n for n, line in enumerate(lines, 1) if re.search(rf"/\* {mark} \*/", line)) for mark in words[1:-2]]

    def wrong(self, rows):
        for row in rows:
            if row["finding"] != self.kind or row["construct"]["line"] != self.lines[0]:
                continue
            if len(self.lines) > 1 and (row["other"] or {}).get("line") != self.lines[1]:
                continue
            least = int(self.count.rstrip("+"))
            is_right = row["count"] >= least if self.count.endswith("+") else row["count"] == least
            return None if is_right and row["of"] == self.of else f"{row['count']} of {row['of']}, not {self.count} of {self.of}"
        return f"not found: {[(row['finding'], row['construct']['label']) for row in rows]}"


def lint_of(source, place, is_mended):
    """The findings, what was not searched, what is printed, and what the program printed."""
    program, dumps = place / "program", empty(place / "dumps")
    compiled = compile_c(source, program, "clang", ("-DMENDED",) if is_mended else ())
    ran = run([LAUNCHER, "-q", f"--dir={dumps}", "--", program], SETTINGS)
    result = run([BUILDER, "--lint", "--force", "-o", place / "out", *dumps_in(dumps)])
    wrong = compiled.why((0,)) or ran.why((0,)) or result.why((0,))
    if wrong:
        raise RuntimeError(wrong)
    lint = json.loads((place / "out/summary.json").read_text())["answer"]["lint"]
    return lint, result.out, ran.out


def wrong_table(place, lint):
    """lint.csv has all that summary.json has, in the same order within a kind."""
    table = [(r["finding"], r["label"], int(r["count"]), int(r["of"])) for r in csv.DictReader((place / "out/lint.csv").open())]
    rows = [(r["finding"], r["construct"]["label"], r["count"], r["of"]) for r in lint["findings"]]
    missing = [row for row in rows if row not in table]
    more = sum(lint["left_out"].values())
    return f"not in lint.csv: {missing}" if missing or len(table) != len(rows) + more else None


def test_program(source):
    report, name = Report(), f"{NAME}/{source.stem}"
    lines = source.read_text().splitlines()
    wanted = [Wanted(line.split()[1:], lines) for line in lines if re.match(r"lint: ", line)]
    variables = [line.split()[1] for line in lines if re.match(r"on: ", line)]
    with alone(PLACE / source.stem) as place:
        lint, text, printed = lint_of(source, place, False)
        for one in wanted:
            report.check(f"{name}/{one.kind}", one.wrong(lint["findings"]))
            report.check(f"{name}/{one.kind}-said", None if re.search(rf"^{one.kind}: ", text, re.MULTILINE) else text)
        for variable in variables:
            address = re.search(rf"{variable} (0x[0-9a-f]+)", printed)[1]
            found = [row["variable"] for row in lint["findings"] if row["finding"] == wanted[0].kind]
            report.check(f"{name}/variable", None if found == [address] else f"{found}, not {address}")
        wide = [line for line in text.splitlines() if len(line) > 80]
        report.check(f"{name}/table", wrong_table(place, lint) or (f"a line of {len(wide[0])} columns" if wide else None))
        lint, text, _printed = lint_of(source, place, True)
        left = [row for row in lint["findings"] if row["finding"] in {one.kind for one in wanted}]
        report.check(f"{name}/mended", None if not left else f"still {left}")
    return report


def test_bound(_name):
    """A task on which more depend than are looked at is counted as not searched, and nothing is said of it."""
    report, source = Report(), SOURCES / "bounded/many.c"
    with alone(PLACE / "bound") as place:
        lint, text, _printed = lint_of(source, place, False)
        report.check(f"{NAME}/bound", None if lint["not_searched"].get("implied", 0) >= 1 else f"all was searched: {lint['not_searched']}")
        report.check(f"{NAME}/bound-said", None if "implied: not searched" in text else text)
    return report


def main():
    need(BUILDER, LAUNCHER)
    names = sys.argv[1:]
    sources = [source for source in sorted(SOURCES.glob("*.c")) if not names or source.stem in names]
    missing = set(KINDS) - {line.split()[1] for source in SOURCES.glob("*.c") for line in source.read_text().splitlines() if line.startswith("lint: ")}
    if missing:
        print(f"not ok {NAME}/kinds: no program has {', '.join(sorted(missing))}")
        return 1
    is_right = run_all(sources, test_program)
    is_right &= run_all(["bound"] if not names or "bound" in names else [], test_bound)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
