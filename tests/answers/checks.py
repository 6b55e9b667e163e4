# SPDX-License-Identifier: BSD-3-Clause
"""What holds of the answer of every run, and how it is got. Used by ../answers.py and the tests that build dumps of other kinds."""
import json

import screen
from common import BUILDER, run

LIMITS = ("none", "creation", "grain", "chain", "wait", "imbalance", "exclusion", "serial", "runtime", "preemption", "data", "blocked", "binding", "doacross", "hang")
COLUMNS, LINES = 80, 40


def answer_of(dump, out, statuses=(0,), *options):
    """Builds the answer of a dump. Returns it (None: there is none) and what is wrong, None or a reason."""
    result = run([BUILDER, "--csv", "--answer", "--force", *options, "-o", out, dump])
    wrong = result.why(statuses)
    if wrong:
        return None, wrong
    summary = json.loads((out / "summary.json").read_text())
    answer = summary.get("answer")
    return answer, (flaw(answer) if answer else None) or wrong_screen(result.out) or screen.flaw(result.out, summary, out)


def wrong_screen(text):
    lines = text.splitlines()
    wide = [line for line in lines if len(line) > COLUMNS and not line.startswith(("output ", "graph."))]
    if wide:
        return f"a line of {len(wide[0])} columns: {wide[0]}"
    return f"{len(lines)} lines" if len(lines) > LINES else None


def wrong_row(row, answer):
    """Of a limit or one of the others."""
    if row["limit"] not in LIMITS:
        return f"limit {row['limit']}"
    if not 0 <= row["loss_share"] <= 1:
        return f"{row['limit']} has {row['loss_share']} of the loss"
    if (row["try"] == "") != (row["limit"] in ("none", "hang")):
        return f"{row['limit']}, and what to try is {row['try']!r}"
    start = answer.get("recorder_start_ns", 0)  # which gains leave out
    least = answer["efficiency"]["total"] * answer["wall_ns"] - start
    is_more = row["why"].get("sort") in ("hot", "alone")  # what it is held for goes as well; there could be more threads
    if not is_more and not 1 <= row["possible_speedup"] <= (1.0001 * (answer["wall_ns"] - start) / least if least > 0 else float("inf")) + 0.0001:
        return f"{row['limit']}: {row['possible_speedup']} times faster, at an efficiency of {answer['efficiency']['total']}"
    why = row["why"]
    if not 0 <= why["saved_ns"] <= answer["wall_ns"]:
        return f"{row['limit']} saves {why['saved_ns']} of {answer['wall_ns']} ns"
    if why["blamed_ns"] < 0:
        return f"{row['limit']} is blamed for {why['blamed_ns']} ns"
    return None


def wrong_grain(row, answer):
    """What is too small executes as much in the sentence as in the table of constructs. (Regions last longer than they execute, and
    chunks are no construct.)"""
    why = row["why"]
    if row["limit"] != "grain" or why.get("sort") in ("regions", "chunks"):
        return None
    for c in answer["constructs"]:
        mean_ns = c["own_ns"] // max(c["count"], 1)
        if (c["construct"], c["count"]) == (row["construct"], why["count"]) \
                and abs(mean_ns - why["own_ns"] - why.get("recorder_ns", 0)) > 1:
            return f"{c['construct']['label']} executes {mean_ns} ns, and is said to execute {why}"
    return None


def flaw(answer):
    """What can be seen to be wrong without knowing the program. None: nothing."""
    account, total = answer["account_ns"], answer["threads"] * answer["wall_ns"]
    if min(account.values()) < 0:
        return f"negative: {account}"
    if abs(sum(account.values()) - total) > len(account) + answer["threads"]:  # each row is rounded, and so is the wall
        return f"the account adds up to {sum(account.values())}, not {total}: {account}"
    efficiency = dict(answer["efficiency"])
    share, product, both = efficiency.pop("total"), 1, efficiency.pop("serialisation")
    if abs(both - efficiency["waits"] * efficiency["idling"]) > 1e-6:
        return f"efficiency {answer['efficiency']}, of which serialisation is no product of waits and idling"
    for factor in efficiency.values():
        product *= factor
    if not all(0 <= f <= 1 + 1e-9 for f in (share, *efficiency.values())):
        return f"efficiency {answer['efficiency']}"
    if abs(product - share) > 1e-6 or total > 0 and abs(share - account["work"] / total) > 1e-6 + len(account) / total:
        return f"efficiency {share}, of which the factors give {product} and the account {account['work'] / max(total, 1)}"
    work = account["work"] + account.get("creating", 0) + account.get("handing_out", 0)
    wanted = work + account["preempted"]
    if work > 1000 and abs(efficiency["on_processor"] - work / wanted) > 1e-6 + 10 / wanted:
        return f"of {wanted} ns for which threads wanted a processor they had one for {work}, and the factor is {efficiency['on_processor']}"
    rows = [answer, *answer["others"]]
    for row in rows:
        wrong = wrong_row(row, answer) or wrong_grain(row, answer)
        if wrong:
            return wrong
    for c in answer["constructs"]:
        if not 0 <= c["path_share"] <= 1.000001 or c["blame_share"] < 0 or c["blame_share"] > 1.000001:
            return f"a share of {c}"
    for w in answer["waits"]:
        if not 0 <= w["for_share"] <= 1.000001 or not 0 < w["longest_ns"] <= w["total_ns"]:
            return f"a wait {w}"
    return None
