# SPDX-License-Identifier: BSD-3-Clause
"""Limits of the process: files, descriptors, memory, stacks, threads; at its start, and halfway."""
from trial import *

SMALL = {"OTTER_RING": "32K"}
MIDWAY, MIDWAY_TASKS = "15000 tasks", 15000


def file_size(limit, is_lossy):
    """RLIMIT_FSIZE: a write beyond it would kill the program by SIGXFSZ. The recorder makes smaller rings where its
    usual ones do not fit."""
    def trial():
        t = Trial(f"file-size-{limit}", limits={resource.RLIMIT_FSIZE: limit})
        t.run()
        summary = t.build([3] if is_lossy else [0])
        t.check("loss", lossy(summary) if is_lossy else whole(summary))
        if RING > limit >= 40000 and summary:
            t.check("recorded", None if summary["records"] > 500 else f"{summary['records']} records")
            t.check("noted", None if any("smaller ones are used" in n for n in t.notes()) else "no note on smaller rings")
        return t.end()
    return trial


def small_files():
    """The limit is set halfway, below the size that files have already."""
    t = Trial("file-size-halfway", {"OTTER_RING": "256K"}, program="midway", args=["small-files"])
    t.run(result=MIDWAY)
    t.check("loss", lossy(t.build([3])))
    return t.end()


def descriptors(drain):
    """For a while no descriptor is left to the program. The recorder opens files in tables of its own: nothing is lost."""
    def trial():
        t = Trial(f"descriptors-{drain}", {**SMALL, "OTTER_DRAIN": drain}, program="midway", args=["no-descriptors"])
        t.run(result=MIDWAY)
        t.check("whole", whole(t.build([0]), MIDWAY_TASKS))
        return t.end()
    return trial


def zero_descriptors(pack):
    """RLIMIT_NOFILE 0: no table has room for a descriptor. What is lost is counted, and recording goes on afterwards."""
    def trial():
        t = Trial(f"zero-descriptors-pack-{pack}", {**SMALL, "OTTER_DRAIN": "self", "OTTER_PACK": pack}, program="midway", args=["zero-descriptors"])
        t.run(result=MIDWAY)
        summary = t.build([3])
        t.check("loss", lossy(summary))
        if summary:
            t.check("resumed", None if summary["events"].get("records_lost", 0) > 0 and summary["tasks"]["explicit"] >= 10000 else
                    f"{summary['events'].get('records_lost')} records_lost, {summary['tasks']['explicit']} tasks")
        return t.end()
    return trial


def memory():
    """RLIMIT_AS, set halfway to what the process has: not a page more."""
    t = Trial("memory-halfway", SMALL, program="midway", args=["no-memory"])
    t.run(result=MIDWAY)
    t.build([0, 3])
    return t.end()


def address_space(megabytes):
    """RLIMIT_AS from the start: room for the runtime and its threads, whose arenas take 64 MiB each, or little more."""
    def trial():
        t = Trial(f"address-space-{megabytes}", {"OMP_STACKSIZE": "1M"}, limits={resource.RLIMIT_AS: megabytes << 20})
        untraced = run(["prlimit", f"--as={megabytes << 20}", t.program, FIB], {"OMP_NUM_THREADS": "2", "OMP_STACKSIZE": "1M"})
        if untraced.status != 0:
            return t.skip(f"the program does not run in {megabytes} MiB without the recorder either")
        t.run()
        if dumps_in(t.dir):
            t.build([0, 3])
        return t.end()
    return trial


def stack(kilobytes):
    """RLIMIT_STACK, which is also the size of the threads' stacks."""
    def trial():
        t = Trial(f"stack-{kilobytes}", {**SMALL, "OMP_STACKSIZE": f"{kilobytes}K"}, limits={resource.RLIMIT_STACK: kilobytes << 10})
        t.run()
        t.check("whole", whole(t.build([0])))
        return t.end()
    return trial


def threads():
    """RLIMIT_NPROC: the drain thread cannot be created, so threads write themselves. The limit does not hold root, who
    runs the program as another user."""
    user = 65534 if is_root() else None
    t = Trial("no-threads", {"OTTER_RING": "256K"}, program="midway", args=["no-threads"], user=user, is_public=True)
    t.run(result=MIDWAY)
    t.check("whole", whole(t.build([0]), MIDWAY_TASKS))
    return t.end()


TRIALS = {f"file-size-{limit}": file_size(limit, True) for limit in (8192, 20000, 40000, 200000, 1 << 20)}
TRIALS["file-size-enough"] = file_size(1 << 30, False)
TRIALS |= {f"descriptors-{drain}": descriptors(drain) for drain in ("auto", "self")}
TRIALS |= {f"address-space-{m}": address_space(m) for m in (48, 64, 128, 512)}
TRIALS |= {f"stack-{k}": stack(k) for k in (64, 256)}
TRIALS |= {"file-size-halfway": small_files, "memory-halfway": memory, "no-threads": threads}
TRIALS |= {f"zero-descriptors-pack-{pack}": zero_descriptors(pack) for pack in ("off", "on")}
