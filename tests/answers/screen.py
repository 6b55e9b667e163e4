# SPDX-License-Identifier: BSD-3-Clause
"""Does the answer's screen agree with itself, and with summary.json and the tables beside it? Used by checks.py for each answer that a test builds, and by the
tests that build dumps of other kinds.

Nothing of the program is known here: these are figures that must be equal, add up, or bound each other, whatever was recorded. A figure on the screen is
rounded, so sums have that slack, and nothing else.
"""
import csv
import fcntl
import os
import re
import struct
import subprocess
import termios

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
TITLES = ("efficiency", "time", "bounds", "estimate", "not seen", "records", "repairs", "stopped")
FIGURES = r" +(?P<count>\d+) +(?P<own>[\d.]+ [num]?s) +(?P<mean>[\d.]+ [num]?s) +(?:(?P<path>\d+)%|-) +(?P<blame>\d+)%$"
ROW = re.compile(r"^(?P<name>[^( ].*?)" + FIGURES)  # with the function, where there is room for it
REST = re.compile(r"^\((?P<name>[^)]*)\) +(?:(?P<path>\d+)%|-) +(?P<blame>\d+)%$")
WAIT = re.compile(r"^(?P<name>[^ ].*?) +(?P<count>\d+) +(?P<total>[\d.]+ [num]?s) +(?P<longest>[\d.]+ [num]?s)(?:  (?P<for>.*) \((?P<share>\d+)%\))?$")
PROBLEM = re.compile(r"^(\d)  (.*)$")
# What a limit leaves of the longest chain: with another graph, or without blocked time, that has another length.
KEEPS_CHAIN = ("runtime", "preemption", "binding")


WIDTHS = (60, 80, 120, 200)


def on_terminal(command, columns, **environment):
    """What the command shows on a terminal that is so wide."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 1 << 16):
            parts.append(part)
    except OSError:  # EIO: the command has ended
        pass
    os.close(ours)
    child.wait()
    return b"".join(parts).decode().replace("\r\n", "\n")


def wrong_on_terminal(command, columns, summary):
    """Is the answer on a terminal as wide as that, in colours unless NO_COLOR is set, and the same? None, or what is wrong."""
    coloured, plain = on_terminal(command, columns, NO_COLOR=""), on_terminal(command, columns, NO_COLOR="1")
    if "\033" in plain:
        return "colours, though NO_COLOR is set"
    if re.sub("\033\\[[0-9]*m", "", coloured) != plain or "\033[1m" not in coloured:
        return f"other text in colours, or none: {coloured[:200]!r}"
    lines = plain.splitlines()
    wide = [line for line in lines if len(line) > columns and not line.startswith(("output ", "graph.", "left out "))]
    if wide:
        return f"a line of {len(wide[0])} columns on a terminal of {columns}: {wide[0]}"
    if len(lines) > 40:
        return f"{len(lines)} lines on a terminal of {columns} columns"
    return flaw(plain, summary, None)


def shown_time(ns):
    """As builder/support/format.c writes it."""
    for unit in UNITS:
        if ns < 999.5 or unit == "s":
            return f"{ns:.{0 if unit == 'ns' or ns >= 99.95 else 1 if ns >= 9.995 else 2}f} {unit}"
        ns /= 1000


def fit(text, width):
    return text if len(text.encode()) <= width else text[:width // 3] + ".." + text[len(text) - (width - width // 3 - 2):]


class Screen:
    """Of an answer: the head, the problems, and the lines with a title on the left; lines that continue one are joined to it."""

    def __init__(self, text):
        self.head, self.problems, self.none, self.lines, self.rows, self.rest, self.waits = "", [], "", {}, [], [], []
        lines = text.splitlines()
        self.is_full = len(lines) == 40
        begin = next((i for i, line in enumerate(lines) if re.search(r"efficiency \d+% \[[#-]{20}\]$", line)), None)
        self.is_there = begin is not None
        if not self.is_there:
            return
        first = begin if re.search(r" on \d+ ", lines[begin]) else begin - 1
        while first > 0 and lines[first].startswith("   "):
            first -= 1
        self.head = " ".join(line.strip() for line in lines[first:begin + 1])
        at, above = None, True  # where lines that continue go; before the first blank line
        for line in lines[begin + 1:]:
            above &= line != ""
            problem, title = above and PROBLEM.match(line), next((t for t in TITLES if line.startswith(t.ljust(12))), None)
            if problem:
                self.problems.append(problem[2])
                at = "problem"
            elif line.startswith("   ") and at == "problem":
                self.problems[-1] += " " + line.strip()
            elif line.startswith("   no bottleneck found: "):
                self.none = line.strip()
            elif title:
                self.lines[title] = f"{self.lines[title]} {line[12:]}" if title in self.lines else line[12:]
                at = title
            elif line.startswith(" " * 12) and at:
                self.lines[at] += " " + line.strip()
            else:
                at = None
            for pattern, to in ((ROW, self.rows), (REST, self.rest), (WAIT, self.waits)):
                found = not title and not problem and pattern.match(line)
                if found:
                    to.append(found.groupdict())
                    break

    def percents(self, line):
        return [float(n) for n in re.findall(r"([\d.]+)%", self.lines.get(line, ""))]


def near(what, shown, true, slack):
    return None if abs(shown - true) <= slack else f"{what} is {shown:g} on the screen, and {true:g} in summary.json"


# ---- Single lines ----


def wrong_works(screen, answer):
    shown, factors = screen.percents("efficiency"), answer["efficiency"]
    if len(shown) < 5:
        return f"the line efficiency has {shown}"
    product = 100.0
    for factor in shown[1:]:
        product *= factor / 100
    slack = 0.51 + sum(0.5 * product / max(factor, 0.5) for factor in shown[1:])
    if abs(product - shown[0]) > slack:
        return f"efficiency {shown[0]} % is no product of {shown[1:]}"
    account, total = answer["account_ns"], answer["threads"] * answer["wall_ns"]
    idle = sum(account[what] for what in ("serial", "blocked", "data", "unknown"))
    runtime = sum(account[what] for what in ("runtime", "recorder", "creating", "handing_out"))
    names = {"waits": account["waiting"] + account["exclusion"], "idling": idle, "runtime": runtime, "on_processor": account["preempted"]}
    if account["work"] > 0:
        for name, ns in names.items():
            if ns == 0 and factors[name] < 1 - 1e-6 - answer["threads"] * 10 / max(total, 1):
                return f"the factor {name} is {factors[name]}, and the account has nothing of it: {account}"
    head = re.search(r"efficiency (\d+)% \[([#-]*)\]$", screen.head)
    if abs(head[2].count("#") - 20 * factors["total"]) > 0.51:
        return f"a bar of {head[2].count('#')} of 20 for an efficiency of {factors['total']}"
    return near("efficiency", shown[0], 100 * factors["total"], 0.51) or near("efficiency", float(head[1]), 100 * factors["total"], 0.51)


def wrong_time(screen, answer):
    line, total = screen.lines.get("time", ""), answer["threads"] * answer["wall_ns"]
    parts = {name: float(share) for share, name in re.findall(r"([\d.]+)% ([A-Za-z ]+)(?:,|$)", line)}
    names = {"creating": f"creating {answer.get('nouns', {}).get('tasks', 'tasks')}", "handing_out": "handing out chunks", "exclusion": "lock waiting", "data": "devices",
             "runtime": "Argobots runtime" if answer.get("nouns") else "OpenMP runtime"}
    if total and abs(sum(parts.values()) - 100) > 0.051 * len(answer["account_ns"]):
        return f"the line time adds up to {sum(parts.values())}: {line}"
    for name, ns in answer["account_ns"].items():
        wrong = total and near(names.get(name, name), parts.get(names.get(name, name), 0), 100 * ns / total, 0.0501)
        if wrong:
            return wrong
    if "work" in parts and screen.percents("efficiency"):
        return None if abs(parts["work"] - screen.percents("efficiency")[0]) <= 0.56 else f"efficiency {screen.lines['efficiency']}, and {line}"
    return None


def wrong_order(screen, answer):
    rows = [row["possible_speedup"] for row in ([answer] if answer["limit"] != "none" and answer["why"].get("gain_known", True) else []) + answer["others"]]
    if any(after > before + 1e-9 for before, after in zip(rows, rows[1:])):
        return f"limits in another order than that of what they can give: {rows}"
    if (answer["limit"] == "none") != bool(screen.none):
        return f"the limit is {answer['limit']}, and the screen has {screen.none or screen.problems}"
    wanted = ([] if screen.none else [answer]) + answer["others"]
    if len(screen.problems) != len(wanted):
        return f"the screen has {screen.problems}, summary.json {[row['sentence'] for row in wanted]}"
    return next(filter(None, map(wrong_problem, screen.problems, wanted)), None)


def wrong_problem(shown, row):
    """A problem on the screen, and in summary.json."""
    if not shown.startswith(row["sentence"]):
        return f"{shown} on the screen, {row['sentence']} in summary.json"
    share = re.search(r" (\d+)% of the lost time", shown)
    if share and abs(float(share[1]) - 100 * row["loss_share"]) > 0.51:
        return f"{share[1]} % of the loss on the screen, {row['loss_share']} in summary.json"
    found = re.search(r"fixing it: at (most|least) ([\d.]+)x faster", shown)
    if not found:
        return None if "gain not known" in shown else f"no gain: {shown}"
    if (found[1] == "least") != row["lower_bound"]:
        return f"lower_bound is {row['lower_bound']}, and the screen has {found[0]}"
    return near("what it gives", float(found[2]), row["possible_speedup"], 0.0051)


# ---- Bounds ----


def wrong_bounds(screen, answer, path):
    """No figure on the screen is above what another one allows."""
    wall, span, work = answer["wall_ns"], answer["span_ns"], answer["work_ns"] + answer["blocked_ns"]
    excluded = answer["exclusion_ns"] and answer["exclusion_ns"] + answer["serial_ns"]
    line = screen.lines.get("bounds", "")
    if not span:
        return f"no path is known, and the bounds are {line}" if line else None
    if path and (path["span_ns"] != span and answer["is_alone"]):
        return f"the longest chain is {span} ns in the answer, {path['span_ns']} in the path"
    has_loops = "with loops divided as here" in line
    if "cannot help" in line:
        if work / span >= 1.05:
            return f"{line}, and {work} ns are done in {span}"
    else:
        shown = float(re.search(r"at most ([\d.]+) (?:threads|execution streams) can be busy", line)[1])
        if abs(shown - work / span) > 0.051 + 1e-6 * shown:
            return f"{line}, and {work} ns are done in {span}"
    mutex = re.search(r"; at most ([\d.]+) by ", line)
    if (mutex is not None) != (excluded > span):
        return f"{line}, and {excluded} ns exclude each other, beside a chain of {span}"
    if mutex and abs(float(mutex[1]) - work / excluded) > 0.051:
        return f"{line}, and {work} ns, of which {excluded} exclude each other"
    if span > wall * 1.001 + 1000 and answer["is_alone"]:
        return f"the longest chain takes {span} ns, the run {wall}"
    least = excluded if has_loops else max(span, excluded)
    start = answer.get("recorder_start_ns", 0)  # a part of both, which gains leave out
    for row in (answer, *answer["others"]):
        if least > start and row["limit"] in KEEPS_CHAIN and row["possible_speedup"] > 1.01 * (wall - start) / (least - start) + 0.005:
            return f"{row['limit']} gives {row['possible_speedup']}, and no run takes less than {least} of {wall} ns"
    what_if = answer["what_if"]
    for point in (what_if or {"curve": []})["curve"]:
        if point["wall_ns"] < min(least, what_if["simulated_ns"]) - 2:
            return f"on {point['threads']} threads it takes {point['wall_ns']} ns, at least {least}"
    return wrong_what_if(screen, answer)


def wrong_what_if(screen, answer):
    line, what_if = screen.lines.get("estimate", ""), answer["what_if"]
    twice = what_if and [p for p in what_if["curve"] if p["threads"] == 2 * what_if["threads"] and p["policy"] == "run"]
    is_wanted = bool(twice) and abs(what_if["error"]) <= 0.2
    if is_wanted != bool(line):
        return f"estimate: {line!r}, with an error of {what_if and what_if['error']}"
    found = re.search(r": (no|[\d.]+x) faster", line)
    if is_wanted and not found:
        return f"an estimate without a figure: {line}"
    if found and found[1] == "no":
        return f"no faster, and {twice[0]['speedup']} in summary.json" if twice[0]["speedup"] >= 1.00501 else None
    return found and near("the estimate", float(found[1][:-1]), twice[0]["speedup"], 0.0051)


# ---- Tables ----


def wrong_constructs(screen, answer):
    if not answer["constructs"]:
        return "no constructs in summary.json" if screen.rows else None
    rest = answer["rest"]
    for what in ("path_share", "blame_share"):
        total = sum(c[what] for c in answer["constructs"]) + sum(r[what] for r in rest.values())
        has = answer["span_ns"] > 0 if what == "path_share" else answer["threads"] * answer["wall_ns"] - answer["account_ns"]["work"] > 100 * answer["threads"]
        if has and abs(total - 1) > 0.002:
            return f"{what} adds up to {total}"
    for column in ("path", "blame"):
        shown = [int(row[column]) for row in (*screen.rows, *screen.rest) if row[column] is not None]
        has = answer["span_ns"] > 0 if column == "path" else answer["threads"] * answer["wall_ns"] - answer["account_ns"]["work"] > 100 * answer["threads"]
        if has and shown and abs(sum(shown) - 100) > 0.5 * (len(shown) + len(rest)) + 0.2:
            return f"the column {column} adds up to {sum(shown)}"
    for row, c in zip(screen.rows, answer["constructs"]):
        mean = (c["own_ns"] + c["count"] // 2) // c["count"] if c["count"] else 0
        wanted = str(c["count"]), shown_time(c["own_ns"]), shown_time(mean)
        if (row["count"], row["own"], row["mean"]) != wanted:
            return f"{row} on the screen, {wanted} in summary.json"
        wrong = near("blame", int(row["blame"]), 100 * c["blame_share"], 0.51) or (row["path"] and near("path", int(row["path"]), 100 * c["path_share"], 0.51))
        if wrong:
            return f"{row['name'].strip()}: {wrong}"
    return None


def wrong_waits(screen, answer):
    total = answer["threads"] * answer["wall_ns"]
    wanted = [w for w in answer["waits"] if w["total_ns"] * 1000 >= total]
    if len(screen.waits) > len(wanted) or len(screen.waits) < len(wanted) and not screen.is_full:
        return f"{len(screen.waits)} waits on the screen, {len(wanted)} in summary.json"
    for row, w in zip(screen.waits, wanted):
        if (row["count"], row["total"], row["longest"]) != (str(w["count"]), shown_time(w["total_ns"]), shown_time(w["longest_ns"])):
            return f"{row} on the screen, {w} in summary.json"
    waited = answer["account_ns"]["waiting"] + answer["account_ns"]["exclusion"]
    threads = [w for w in answer["waits"] if not is_of_units(w) and not w["construct"]["kind"].startswith(("target", "data", "transfer"))]
    said = sum(w["total_ns"] for w in threads)
    if not answer["has_units"] and said > waited + answer["account_ns"]["unknown"] + total * 1e-3 + 1000 and answer["is_alone"]:
        others = sum(answer["account_ns"][what] for what in ("runtime", "serial", "preempted", "blocked", "recorder"))
        if said > waited + others + 1000:
            return f"threads waited {said} ns at constructs, and {waited} in all"
    return None


def is_of_units(wait):
    return wait["construct"]["kind"] in ("unit", "tasklet", "primary_unit", "external")


# ---- Beside other outputs ----


def wrong_tables(answer, out, process):
    """constructs.csv and waits.csv of a run with one process."""
    file = out / "constructs.csv"
    if file.exists():
        rows = [row for row in csv.DictReader(file.open(newline="", encoding="utf-8")) if row["own_ns"]]
        path = sum(int(row[column]) for row in rows for column in ("path_ns", "path_blocked_ns", "path_device_ns"))
        rest = answer["rest"]["no_construct"]["path_share"] * answer["span_ns"]
        if answer["span_ns"] and abs(path + rest - answer["span_ns"]) > 4 * len(rows) + 0.002 * answer["span_ns"]:
            return f"the path of {answer['span_ns']} ns has {path} ns in constructs.csv, and {rest} of no construct"
        for c in answer["constructs"]:
            place = c["construct"]
            same = [r for r in rows if (r["kind"], r["label"]) == (place["kind"], place["label"]) and (int(r["count"]), int(r["own_ns"])) == (c["count"], c["own_ns"])]
            if not same:
                return f"constructs.csv has no {c}"
            loss = answer["threads"] * answer["wall_ns"] - answer["account_ns"]["work"]
            if loss > 0 and min(abs(int(r["blamed_ns"]) - c["blame_share"] * loss) for r in same) > 2 + len(answer["account_ns"]) + 1e-6 * loss:
                return f"{place['label']} is blamed for {c['blame_share'] * loss} ns, in constructs.csv for {same[0]['blamed_ns']}"
            if answer["span_ns"] and min(abs(int(r["path_ns"]) - c["path_share"] * answer["span_ns"]) for r in same) > 2:
                return f"{place['label']} has {c['path_share'] * answer['span_ns']} ns of the path, in constructs.csv {same[0]['path_ns']}"
    file = out / "waits.csv"
    if file.exists():
        rows = list(csv.DictReader(file.open(newline="", encoding="utf-8")))
        for w in answer["waits"]:
            wanted = w["construct"]["kind"], w["construct"]["label"] or "unknown", w["total_ns"], w["count"]
            same = [r for r in rows if (r["kind"], r["label"], int(r["total_ns"]), int(r["count"])) == wanted]
            if not same:
                return f"waits.csv has no {w}"
    return None


def wrong_head(screen, answer):
    found = re.search(r"([\d.]+ [num]?s) on (\d+) (?:thread|execution stream)", screen.head)
    wanted = shown_time(answer["wall_ns"]), str(answer["threads"])
    return None if found and (found[1], found[2]) == wanted else f"{screen.head}, not {wanted}"


def flaw(text, summary, out):
    """None, or what contradicts what. `out`: the directory of the tables, or None."""
    answer, screen = summary.get("answer"), Screen(text)
    if not answer or not screen.is_there:
        return None if bool(answer) == screen.is_there else "an answer is on the screen alone, or in summary.json alone"
    has_units = any(is_of_units(c) for c in answer["constructs"])
    answer = {**answer, "is_alone": summary["processes"] == 1, "has_units": has_units}
    return (wrong_head(screen, answer) or wrong_works(screen, answer) or wrong_time(screen, answer) or wrong_order(screen, answer) or
            wrong_bounds(screen, answer, summary.get("path")) or wrong_constructs(screen, answer) or wrong_waits(screen, answer) or
            (out and summary["processes"] == 1 and wrong_tables(answer, out, summary)) or None)
