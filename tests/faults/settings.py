# SPDX-License-Identifier: BSD-3-Clause
"""Extreme and unusable settings, and clocks that cannot be trusted."""
from trial import *


def drop():
    t = Trial("drop", {"OTTER_FULL": "drop", "OTTER_RING": "32K"})
    t.run()
    t.build([0, 3])
    return t.end()


def small_ring(drain):
    def trial():
        t = Trial(f"small-ring-{drain}", {"OTTER_RING": "32K", "OTTER_DRAIN": drain, "OTTER_EVENTS": "all"})
        t.run()
        t.check("whole", whole(t.build([0])))
        return t.end()
    return trial


def unusable():
    """Values that mean nothing: the default is used, and meta says so."""
    values = {"OTTER_RING": "much", "OTTER_DRAIN": "maybe", "OTTER_FULL": "", "OTTER_KEEP": "some", "OTTER_LIMIT": "-3", "OTTER_EVENTS": "+nothing"}
    t = Trial("unusable-values", values)
    t.run()
    t.check("whole", whole(t.build([0, 3], whole=False)))
    missing = [name for name, value in values.items() if value and not any(name in line for line in t.notes())]
    t.check("noted", f"no note on {', '.join(missing)}" if missing else None)
    return t.end()


def long_arguments():
    """Arguments that are longer than a block of meta: they are cut, and nothing else is missing."""
    t = Trial("long-arguments", args=(FIB, *["\x01" * 100000] * 4))
    t.run()
    t.check("whole", whole(t.build([0])))
    t.check("noted", None if any("too long" in line for line in t.notes()) else "no note")
    return t.end()


def nobody_listens():
    """Stderr is a pipe that nobody reads, and OTTER_VERBOSE is set: the program gets no SIGPIPE."""
    t = Trial("nobody-listens", {"OTTER_VERBOSE": "1"})
    reader, writer = os.pipe()
    os.close(reader)
    p = subprocess.run([t.program, *t.args], env=t.env, stdout=subprocess.PIPE, stderr=writer, text=True, timeout=HANG_S)
    os.close(writer)
    t.judge(p.returncode, p.stdout, "", FIB_RESULT)
    t.check("whole", whole(t.build([0])))
    return t.end()


def ranks():
    t = Trial("ranks-not-selected", {"OTTER_RANKS": "1-3,8", "PMIX_RANK": "0"})
    t.run()
    t.check("none", f"{dumps_in(t.dir)}" if dumps_in(t.dir) else None)
    first = t.end()
    t = Trial("ranks-selected", {"OTTER_RANKS": "1-3,8", "PMIX_RANK": "8"})
    t.run()
    t.check("whole", whole(t.build([0], whole=False)))
    t.check("name", None if any("-r8-" in d.name for d in dumps_in(t.dir)) else "the rank is not in the dump's name")
    first.lines += t.end().lines
    first.failed += t.report.failed
    return first


def clock(name, **shim):
    """The kernel does not trust the processor's counter, or a clock goes back by a millisecond now and then."""
    def trial():
        t = Trial(f"clock-{name}", {"OTTER_RING": "32K"}, args=(18,), shim=shim)
        t.run(result="fib 18 = 2584")
        t.check("seam", None if t.failed() > 0 else "the recorder did not ask")
        # Where time runs backwards the order of what moves between threads does not follow from it.
        statuses = [0, 3] if "FAULT_BACK_NS" in shim else [0]
        summary = t.build(statuses)
        t.check("whole", None if summary and summary["lost"]["total"] == 0 and summary["tasks"]["explicit"] == 8360 else f"{summary and summary['tasks']}")
        names = {line for d in dumps_in(t.dir) for line in (d / "meta").read_text().splitlines() if line.startswith("clock ")}
        wanted = "clock monotonic" if "FAULT_CLOCKSOURCE" in shim else names and next(iter(names))
        t.check("clock", None if names == {wanted} else f"{names}")
        return t.end()
    return trial


TRIALS = {f"small-ring-{drain}": small_ring(drain) for drain in ("auto", "self")}
TRIALS |= {"drop": drop, "unusable": unusable, "ranks": ranks, "long-arguments": long_arguments, "nobody-listens": nobody_listens}
TRIALS |= {f"clock-{source}": clock(source, FAULT_CLOCKSOURCE=source) for source in ("hpet", "acpi_pm")}
TRIALS["clock-back"] = clock("back", FAULT_BACK_NS=1000000, FAULT_EVERY=50)
TRIALS["clock-back-monotonic"] = clock("back-monotonic", FAULT_CLOCKSOURCE="hpet", FAULT_BACK_NS=1000000, FAULT_EVERY=50)
