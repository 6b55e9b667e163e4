# SPDX-License-Identifier: BSD-3-Clause
"""faults/shim.c makes the recorder's system calls fail, one kind in each trial, and leaves the program's alone.

The last word of a row tells what must hold of the dump. `whole`: nothing is lost. `lossy`: something is lost, and
counted. `resumed`: something is lost, and recording went on afterwards. `noted`: each record is there or counted.
`some`: if there is a dump, it builds. `none`: there is no dump.
"""
from trial import *

N = 18
RESULT, N_TASKS = "fib 18 = 2584", 8360
SMALL = {"OTTER_RING": "32K"}
SELF = {"OTTER_RING": "32K", "OTTER_DRAIN": "self"}
# Where raw segments are not written: on a busy machine they would be packed, and nothing would be lost.
RAW, RAW_SELF = {**SMALL, "OTTER_PACK": "off"}, {**SELF, "OTTER_PACK": "off"}
# The same where a later write fails: a packed dump of this program may have fewer.
DIRECT = {"OTTER_RING": "128K", "OTTER_PACK": "off"}
PACKED = {"OTTER_RING": "32K", "OTTER_PACK": "on"}
PACKED_SELF = {**SELF, "OTTER_PACK": "on"}
STATUSES = {"whole": [0], "lossy": [3], "resumed": [3], "noted": [0, 3], "some": [0, 3]}


def shim(calls, error, **more):
    return {"FAULT_CALLS": calls, "FAULT_ERROR": error, **{f"FAULT_{k.upper()}": v for k, v in more.items()}}



def fault(name, env, what, dump):
    def trial():
        # What must resume fails until the last third of a program, which pauses before that for longer than a thread rests after a failure.
        resumes, passed = dump == "resumed", WORK / "faults" / f"call-{name}" / "passed"
        t = Trial(f"call-{name}", env, program="midway" if resumes else "fib", args=("command", "true", f"touch '{passed}'; sleep 0.05") if resumes else (N,),
                  shim={**what, "FAULT_UNTIL": passed} if resumes else what)
        t.run(result="15000 tasks" if resumes else RESULT)
        t.check("failed", None if t.failed() > 0 else "no call has failed")
        if dump == "none" or dump == "some" and not dumps_in(t.dir):
            t.check("none", f"{list(t.dir.iterdir())}" if list(t.dir.iterdir()) else None)
            return t.end()
        summary = t.build(STATUSES[dump], whole=dump != "some", archive=False)
        if dump == "whole":
            t.check("whole", whole(summary, N_TASKS))
        elif dump in ("lossy", "resumed"):
            t.check("loss", lossy(summary))
        if dump == "resumed" and summary:
            t.check("resumed", None if summary["events"].get("parallel_end", 0) >= 1 and summary["events"].get("records_lost", 0) > 0 else
                    f"{summary['events'].get('parallel_end')} parallel_end, {summary['events'].get('records_lost')} records_lost")
        return t.end()
    return trial


ROWS = []
# The disk fails for good at the first, the second or a later write: recording stops.
for error in ("EIO", "ENOSPC", "EDQUOT"):
    for first in (1, 2, 30):
        ROWS.append((f"pwrite-{error}-{first}", RAW, shim("pwrite", error, **{"from": first}), "lossy"))
ROWS += [
    ("pwrite-EIO-self", SELF, shim("pwrite", "EIO", **{"from": 3}), "lossy"),
    ("pwrite-EIO-once", RAW, shim("pwrite", "EIO", **{"from": 3, "times": 1}), "lossy"),
    ("open-segments-EACCES", RAW, shim("open", "EACCES", file=".seg"), "lossy"),
    ("open-segments-EROFS", RAW_SELF, shim("open", "EROFS", file=".seg", **{"from": 5}), "lossy"),
    ("open-segments-ENOENT", RAW, shim("open", "ENOENT", file=".seg", **{"from": 2}), "lossy"),
    # Something is missing for a while: recording goes on.
    ("open-segments-EMFILE", RAW_SELF, shim("open", "EMFILE", file=".seg", **{"from": 4}), "resumed"),
    ("open-segments-ENFILE", RAW_SELF, shim("open", "ENFILE", file=".seg", **{"from": 1}), "resumed"),
    ("open-segments-few", RAW, shim("open", "EMFILE", file=".seg", every=3), "noted"),
    ("pwrite-ENOMEM", SELF, shim("pwrite", "ENOMEM", **{"from": 4}), "resumed"),
    ("pwrite-EAGAIN-drain", SMALL, shim("pwrite", "EAGAIN", **{"from": 1, "times": 2}), "noted"),
    ("open-rings-EMFILE", SMALL, shim("open", "EMFILE", file=".ring", times=2), "noted"),
    ("open-rings-ENOMEM", SMALL, shim("open", "ENOMEM", file=".ring"), "some"),
    ("open-rings-second", SMALL, shim("open", "EMFILE", file="00001.ring"), "noted"),
    # Short writes, interruptions.
    ("short", SMALL, shim("pwrite,write,pwritev,read", "short"), "whole"),
    # The drain thread writes past the page cache, where it has a processor.
    ("direct-short", DIRECT, shim("pwritev", "short", **{"from": 6}), "whole"),
    ("direct-EINTR-half", DIRECT, shim("pwritev", "EINTR", every=2), "whole"),
    ("direct-EINVAL", DIRECT, shim("pwritev", "EINVAL", **{"from": 6}), "noted"),
    ("direct-EIO", DIRECT, shim("pwritev", "EIO", **{"from": 6}), "noted"),
    ("short-self", SELF, shim("pwrite,write,pwritev,read", "short"), "whole"),
    ("EINTR-half", SMALL, shim("open,pwrite,write,pwritev,ftruncate,posix_fallocate,close", "EINTR", every=2), "whole"),
    ("EINTR-half-self", SELF, shim("open,pwrite,write,pwritev,ftruncate,posix_fallocate,close", "EINTR", every=2), "whole"),
    ("EINTR-for-ever", SELF, shim("pwrite", "EINTR", **{"from": 3}), "lossy"),
    # Rings.
    ("posix_fallocate-ENOSPC", SMALL, shim("posix_fallocate,ftruncate", "ENOSPC"), "some"),
    ("posix_fallocate-ENOSPC-second", SMALL, shim("posix_fallocate,ftruncate", "ENOSPC", **{"from": 2}), "noted"),
    ("pwritev-EIO", SMALL, shim("pwritev", "EIO", **{"from": 4}), "noted"),
    ("pwritev-ENOSPC", SMALL, shim("pwritev", "ENOSPC", **{"from": 3}), "noted"),
    ("mprotect-ENOMEM", SMALL, shim("mprotect", "ENOMEM", times=3), "noted"),
    ("unlink-EIO", SMALL, shim("unlink", "EIO"), "whole"),
    # Calls that recording can do without.
    ("madvise-EINVAL", SMALL, shim("madvise", "EINVAL"), "whole"),
    ("fallocate-ENOSPC", {"OTTER_RING": "256K", "OTTER_PACK": "off"}, shim("fallocate", "ENOSPC"), "whole"),
    ("fstat-EIO", SMALL, shim("fstat,fstatfs,statfs", "EIO"), "whole"),
    ("close-EIO", SMALL, shim("close", "EIO"), "whole"),
    ("readlink-EACCES", SMALL, shim("readlink", "EACCES"), "whole"),
    ("pread-EIO", SMALL, shim("pread", "EIO"), "whole"),
    ("pthread_create-EAGAIN", SMALL, shim("pthread_create", "EAGAIN"), "whole"),
    ("close_range-ENOSYS", SMALL, shim("close_range", "ENOSYS"), "whole"),
    # meta.
    ("write-EIO", SMALL, shim("write", "EIO", **{"from": 2}), "noted"),
    ("meta-EMFILE", SMALL, shim("open", "EMFILE", file="/meta", **{"from": 3}), "noted"),
    # No dump can be made.
    ("mkdir-EACCES", {}, shim("mkdir", "EACCES"), "none"),
    ("mkdir-ENOSPC", {}, shim("mkdir", "ENOSPC"), "none"),
    ("open-EMFILE", {}, shim("open", "EMFILE"), "none"),
    ("write-ENOSPC-first", {}, shim("write", "ENOSPC", times=1), "none"),
    ("meta-EMFILE-first", {}, shim("open", "EMFILE", file="/meta"), "none"),
]
# Packing: its files, its buffers, and their memory. Without a buffer segments are written as they are.
ROWS += [
    ("packed-pwrite-ENOSPC", PACKED_SELF, shim("pwrite", "ENOSPC", **{"from": 3}), "lossy"),
    ("packed-pwrite-ENOMEM", PACKED_SELF, shim("pwrite", "ENOMEM", **{"from": 3}), "resumed"),
    ("packed-pwrite-EAGAIN", PACKED, shim("pwrite", "EAGAIN", **{"from": 1, "times": 2}), "noted"),
    ("packed-open-EACCES", PACKED, shim("open", "EACCES", file=".pseg"), "noted"),
    ("packed-open-EMFILE", PACKED_SELF, shim("open", "EMFILE", file=".pseg", **{"from": 2}), "resumed"),
    ("packed-open-few", PACKED, shim("open", "EMFILE", file=".pseg", every=3), "noted"),
    ("packed-buffer-EACCES", PACKED, shim("open", "EACCES", file=".pbuf"), "whole"),
    ("packed-buffer-EACCES-self", PACKED_SELF, shim("open", "EACCES", file=".pbuf"), "whole"),
    ("packed-buffer-EMFILE", PACKED_SELF, shim("open", "EMFILE", file=".pbuf", times=3), "whole"),
    ("packed-short", PACKED, shim("pwrite,write,pwritev,read", "short"), "whole"),
    ("packed-short-self", PACKED_SELF, shim("pwrite,write,pwritev,read", "short"), "whole"),
    ("packed-EINTR-half", PACKED, shim("open,pwrite,write,pwritev,ftruncate,posix_fallocate,close", "EINTR", every=2), "whole"),
    ("packed-direct-EIO", {**DIRECT, "OTTER_PACK": "on"}, shim("pwritev", "EIO", **{"from": 8}), "noted"),
]
ROWS += [(f"packed-mmap-ENOMEM-{n}", PACKED_SELF, shim("mmap", "ENOMEM", **{"from": n, "times": 1}), "noted") for n in range(6, 12)]
ROWS += [(f"packed-all-{error}{how}", env, shim("all", error, **{"from": 12, "every": 7}), "some") for error in ("EIO", "EINTR", "ENOMEM")
         for how, env in (("", PACKED), ("-self", PACKED_SELF))]
# Memory: each of the first mappings in turn. Without the first there is no session.
ROWS += [(f"mmap-ENOMEM-{n}", SMALL, shim("mmap", "ENOMEM", **{"from": n, "times": 1}), "none" if n == 1 else "noted") for n in range(1, 9)]
ROWS.append(("mmap-ENOMEM-all", SMALL, shim("mmap", "ENOMEM", **{"from": 5}), "some"))
# Whatever it is, and however often: any call, each kind's first, each kind's every fifth.
ROWS += [(f"all-{error}-{how}", SMALL, shim("all", error, **more), "some") for error in ("EIO", "EINTR", "ENOMEM", "EMFILE")
         for how, more in (("fifth", {"from": 3, "every": 5}), ("late", {"from": 12}))]


def rested():
    """A descriptor that is missing for ever is not tried for again at each record that has no room."""
    t = Trial("call-rested", RAW_SELF, args=(N,), shim=shim("open", "EMFILE", file=".seg"))
    t.run(result=RESULT)
    summary = t.build([3])
    t.check("loss", lossy(summary))
    if summary:
        t.check("rested", None if 0 < t.failed() <= summary["lost"]["total"] / 10 else f"{t.failed()} tries for {summary['lost']['total']} lost records")
    return t.end()


TRIALS = {f"call-{name}": fault(name, env, what, dump) for name, env, what, dump in ROWS}
TRIALS["call-rested"] = rested
