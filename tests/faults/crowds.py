# SPDX-License-Identifier: BSD-3-Clause
"""Many threads, many processes."""
from trial import *

TOGETHER = 1000
IN_TURN = int(os.environ.get("THREADS", 20000))
FORKS = 60


def together():
    """1000 threads live at once, each with a ring of its own."""
    t = Trial("threads-together", {"OTTER_RING": "32K"}, program="threads", args=("together", TOGETHER))
    t.run(result=f"{TOGETHER} tasks")
    t.check("whole", whole(t.build([0], archive=False), TOGETHER))
    return t.end()


def in_turn():
    """Threads live one after the other: each takes the stream that an earlier one gave back, so that there are few
    files."""
    t = Trial("threads-in-turn", {"OTTER_RING": "256K"}, program="threads", args=("in-turn", IN_TURN))
    t.run(result=f"{IN_TURN} tasks")
    t.check("whole", whole(t.build([0], archive=False), IN_TURN))
    return t.end()


def forks():
    """Half of the children end at once and have no dump. The others have one each, and none writes into its
    parent's."""
    t = Trial("forks", {"OTTER_RING": "32K"}, program="forks", args=(FORKS,))
    t.run(result=f"{2 * FORKS * 50} tasks, {2 * FORKS} children")
    dumps = dumps_in(t.dir)
    pids = {f.suffix[1:] for f in t.work.glob("counts.*")}
    parents = [d for d in dumps if str(pid_of(d)) in pids]
    if not t.report.check(f"{t.name}/dumps", None if len(dumps) == FORKS + 1 and len(parents) == 1 else f"{len(dumps)} dumps, {len(parents)} of the parent"):
        return t.end()
    t.check("whole", whole(t.build([0], dump=parents[0]), 2 * FORKS * 50))
    wrong = []
    for dump in dumps:
        if dump != parents[0]:
            result, summary = build(dump, t.work / "child")
            if result.status not in (0, 3) or summary["tasks"]["explicit"] != 100 or summary["lost"]["total"]:
                wrong.append(f"{dump.name}: {result.status} {summary and summary['tasks']} {summary and summary['lost']}")
    t.check("children", "; ".join(wrong[:3]))
    return t.end()


TRIALS = {"threads-together": together, "threads-in-turn": in_turn, "forks": forks}
