# SPDX-License-Identifier: BSD-3-Clause
"""Descriptors 0, 1 and 2 are closed: whatever the recorder opens must never have one of their numbers in the program's table.
RUNS=1000 makes each trial run its program that often, instead of 3 times."""
from trial import *

RESULT = 50
WAYS = {"": {}, "-self": {"OTTER_DRAIN": "self"}, "-newest": {"OTTER_KEEP": "newest"}, "-newest-self": {"OTTER_KEEP": "newest", "OTTER_DRAIN": "self"},
        "-packed": {"OTTER_PACK": "on"}, "-packed-self": {"OTTER_PACK": "on", "OTTER_DRAIN": "self"}, "-dropped": {"OTTER_FULL": "drop"}}
# Without close_range (before Linux 5.9) the table is a copy of the program's.
OLD_KERNEL = {"FAULT_CALLS": "close_range", "FAULT_ERROR": "ENOSYS"}
REGIONS = 9


EXPECTED = 600 * sum([2] + [2 + i % 3 for i in range(REGIONS)])


def run_closed(t, when, user=None):
    """Runs the program with a pipe as its descriptor RESULT and with 0 to 2 open or closed. Returns status, result, and what it wrote into the open
    ones."""
    ends = os.pipe()

    def before():
        os.dup2(ends[1], RESULT)
        if when == "early":
            for fd in range(3):
                os.close(fd)
    who = {"user": user, "group": user, "extra_groups": []} if user is not None else {}
    p = subprocess.Popen([t.program, *t.args], env=t.env, **who, preexec_fn=before, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    os.close(ends[1])
    with os.fdopen(ends[0]) as f:
        text = f.read()
    return p.wait(timeout=HANG_S), text


def closed(name, when, env, shim=None):
    def trial():
        # Threads that spin would take the processors from the one that looks.
        t = Trial(name, {"OTTER_RING": "32K", "OMP_NUM_THREADS": "2", **PASSIVE, **env}, program="sniffs", args=(when, REGIONS), counted=False, shim=shim)
        for _ in range(int(os.environ.get("RUNS", "3"))):
            shutil.rmtree(t.dir)
            t.dir.mkdir()
            status, text = run_closed(t, when)
            wanted = f"{EXPECTED} tasks, 0 seen\n"
            if not t.report.check(f"{t.name}/program", None if (status, text) == (0, wanted) else f"status {status}, {text!r}"):
                return t.end()
            dump = dumps_in(t.dir)
            if len(dump) != 1:
                t.check("dump", f"{len(dump)} dumps")
                return t.end()
            foreign = [f.name for f in dump[0].iterdir() if b" of the program\n" in f.read_bytes()]
            t.check("foreign", f"the program's bytes are in {foreign}" if foreign else None)
        is_lossy = "newest" in name or "dropped" in name
        summary = t.build([0, 3] if is_lossy else [0], whole=False, archive=False)
        if not is_lossy:
            t.check("whole", whole(summary, EXPECTED))
        return t.end()
    return trial


TRIALS = {f"closed-{when}{way}": closed(f"closed-{when}{way}", when, env) for when in ("early", "late") for way, env in WAYS.items()}
TRIALS |= {f"closed-late-old-kernel{way}": closed(f"closed-late-old-kernel{way}", "late", WAYS[way], OLD_KERNEL) for way in ("", "-self", "-packed-self")}


def alone():
    """No thread can be made, not even for a moment: then nothing is opened, and what is lost is counted."""
    t = Trial("closed-alone", {"OTTER_RING": "32K", "OMP_NUM_THREADS": "2", "OTTER_DRAIN": "self"}, program="sniffs", args=("alone", REGIONS),
              counted=False, user=65534 if is_root() else None, is_public=True)
    status, text = run_closed(t, "alone", t.user)
    wanted = f"{600 * 2 * (REGIONS + 1)} tasks, 0 seen\n"
    t.check("program", None if (status, text) == (0, wanted) else f"status {status}, {text!r}")
    t.check("loss", lossy(t.build([3], whole=False)))
    return t.end()


TRIALS["closed-alone"] = alone
