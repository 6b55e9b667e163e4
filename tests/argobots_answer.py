#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What limits programs on Argobots with one planted fault each (tests/argobots/faults.c): its kind, the unit's function, and
what mending it could give, which follow from the text; and whether the account of all execution streams adds up.

On the stand-in, or on a library (tests/units.py). Where other programs take the processors, what they took is the limit:
then the program is recorded again, and after some tries what is left is skipped.
"""
import json
import re
import sys

from units import *

sys.path.insert(0, str(ROOT / "tests/answers"))
from recorded import start_ns

TRIES, TAKEN = 6, 0.04
# Of each: kind, function of the construct ("" for the primary unit; of `serial` what comes after it), and between which figures the gain is.
FAULTS = {
    "balanced": ("none", "", 0, 1.1),
    "one_pool": ("runtime", "work", 1.8, 2.05),
    "serial": ("serial", "work", 1.4, 1.7),
    "wait": ("wait", "", 1.8, 2.05),
    "imbalance": ("imbalance", "work", 1.4, 1.55),
    "creation": ("creation", "work", 1.1, 1.5),
    "grain": ("grain", "nothing", 1.3, 20),
    "mutex": ("exclusion", "locked", 1.7, 2.05),
    "nested": (None, None, 0, 20),
}


def first(command):
    """With priority over other programs, where that is allowed."""
    allowed = run(["chrt", "-f", "10", "true"]).status == 0
    return ["chrt", "-f", "10", *command] if allowed else command


def wrong_words(screen):
    """Argobots has execution streams and units: no program of these has other threads. None, or a reason."""
    text = " ".join(screen.split()).replace("threads of which there are no records", "")  # these are not known to be streams
    found = re.search(r".{0,40}\b(threads?|tasks?|OMP_\w*|taskloop)\b", text)
    if found:
        return f"the screen has words of OpenMP: {found[0]}"
    return None if re.search(r" on \d+ execution streams?\b", text) else f"no execution streams on the screen: {screen[:200]}"


def answer_of(name):
    """(summary.json, what is wrong)"""
    place = PLACE / f"dumps-{name}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    library = f"{PREFIX['']}/lib" if PREFIX[""] else PLACE
    env = {"LD_LIBRARY_PATH": str(library), "OTTER_DIR": str(place)}
    result = run(first(["env", f"LD_PRELOAD={ABT}", PLACE / "faults", name]), env=env)
    dumps = sorted(place.glob("*.otter"))
    wrong = result.why([0]) or one(dumps)
    if wrong:
        return None, wrong
    out = PLACE / f"out-{name}"
    shutil.rmtree(out, ignore_errors=True)
    built = run([BUILDER, "-o", out, dumps[0]])
    if built.why([0]):
        return None, built.why([0])
    summary = json.loads((out / "summary.json").read_text())
    wrong = wrong_words(built.out)
    if wrong:
        return None, wrong
    summary["answer"]["start_ns"] = 1.5 * start_ns(dumps[0])  # the recorder's own beginning comes after that
    return summary, None


def gain(answer):
    """The possible speedup without the program's start, which takes as long as some of these programs on a busy machine."""
    wall, start = answer["wall_ns"], min(answer["start_ns"], 0.9 * answer["wall_ns"])
    saved = wall - wall / answer["possible_speedup"] - (start / answer["threads"] if answer["limit"] == "serial" else 0)
    return (wall - start) / max(wall - start - saved, 1)


def unbalanced(answer):
    """The account divides the time of all execution streams without remainder; None if it does."""
    account = answer["account_ns"]
    parts = sum(account.values())
    total = answer["wall_ns"] * answer["threads"]
    return None if abs(parts - total) <= 10 * answer["threads"] + total * 1e-6 else f"{parts} of {total} ns are accounted for: {account}"


def differs(name, answer):
    kind, function, low, high = FAULTS[name]
    if name == "grain":  # units are not folded, and simulated although they are many
        what_if = answer.get("what_if", {})
        if what_if.get("simulated_nodes", 0) <= 50000:
            return f"{what_if.get('simulated_nodes')} of {what_if.get('nodes')} nodes are simulated"
    if kind is None:
        return None
    found = (answer.get("construct") or {}).get("function") or ""
    if kind == "none" and answer["limit"] == "serial" and gain(answer) <= high:
        return None
    if answer["limit"] != kind or (kind != "none" and found != function):
        return f"{answer['limit']} of {answer.get('construct')}, not {kind} of {function or 'the primary unit'}; account {answer['account_ns']}"
    is_right = low <= gain(answer) <= high or low <= answer["possible_speedup"] <= high
    return None if is_right else f"a gain of {answer['possible_speedup']}, {gain(answer)} without its start, not {low} to {high}"


def try_fault(name):
    for left in reversed(range(TRIES)):
        summary, wrong = answer_of(name)
        if wrong or "answer" not in summary:
            check(name, wrong or "there is no answer")
            return
        answer = summary["answer"]
        wrong = unbalanced(answer)
        if wrong or not differs(name, answer):
            check(f"{name}/account", wrong)
            check(name, None)
            return
        taken = (answer["account_ns"]["preempted"] + answer["account_ns"]["blocked"]) / (answer["wall_ns"] * answer["threads"])
        if left == 0 and taken < TAKEN:
            check(name, differs(name, answer))
        elif left == 0:
            report.skip(f"{NAME}/{name}", f"others had the processors: {differs(name, answer)}")


def faults():
    for name in FAULTS:
        try_fault(name)


if __name__ == "__main__":
    sys.exit(main(faults))
