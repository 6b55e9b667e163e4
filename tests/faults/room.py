# SPDX-License-Identifier: BSD-3-Clause
"""What a run takes of a file system by default: it leaves some of it free, and takes half of what was free at its start, all of
its processes together."""
import threading
import time

from trial import *

MIB = 1 << 20
SLACK = 6 * MIB  # rings, and what is looked at once for several writes
MUCH = 26        # fib of this makes 50 MB of records


def free(directory):
    fs = os.statvfs(directory)
    return fs.f_bavail * fs.f_frsize


class Watch(threading.Thread):
    """Notes the least that was ever free, until it is stopped."""

    def __init__(self, directory):
        super().__init__(daemon=True)
        self.directory, self.least, self.is_over = directory, free(directory), threading.Event()

    def run(self):
        while not self.is_over.wait(0.002):
            self.least = min(self.least, free(self.directory))

    def stop(self):
        self.is_over.set()
        self.join()
        return min(self.least, free(self.directory))


def watched(t, mount, run):
    """The least that was free while `run` ran. How long that took is left in `t`."""
    watch = Watch(mount)
    watch.start()
    begin_ns = time.monotonic_ns()
    run(t)
    t.ran_ns = time.monotonic_ns() - begin_ns
    return watch.stop()


def summarize(t, statuses=(3,)):
    """The summary alone: there is much to build."""
    out = t.work / "out"
    result = run([BUILDER, "-q", "--summary", "--force", "-o", out, t.dir])
    t.check("build", result.why(statuses))
    return result.out, json.loads((out / "summary.json").read_text()) if result.status in statuses else {}


def noticed(dump):
    """When the first thread noticed that recording was stopped, by the dump's records, in ns since the process's first time
    stamp. Where all streams are full to their ends, no thread has room for a record of that: then the last record's time."""
    off, last = [], 0
    for line in run([BUILDER, "--list", dump]).out.splitlines():
        number, place, ns, kind, *fields = line.split(" ")
        if ns == "+":
            continue
        last = max(last, int(ns))
        if kind == "recording_off" and "reason=stopped" in fields:
            off.append(int(ns))
    return min(off, default=last)


def stopped(t, cause, note):
    """The dump says when and why recording stopped: in meta at that time, and in the summary, as it is and where meta has lost it.
    A record's time is taken before it is made: by how much records and the stop differ, the machine's other programs decide."""
    printed, summary = summarize(t)
    when = summary.get("stopped", {})
    dump = dumps_in(t.dir)[0]
    noticed_ns = noticed(dump)
    t.check("loss", lossy(summary))
    t.check("stopped", None if when.get("cause") == cause and 0 < when["ns"] < t.ran_ns else f"{when}, noticed at {noticed_ns} ns, over after {t.ran_ns} ns")
    t.check("note", None if any(note in n for n in t.notes()) else t.notes())
    t.check("printed", None if re.search(rf"^stopped +at [0-9.]+ s \({cause}\)", printed, re.M) else printed[-500:])
    # As if the disk had had no room for that line either.
    meta = dump / "meta"
    meta.write_bytes(b"".join(line for line in meta.read_bytes().splitlines(True) if not line.startswith(b"stopped ")))
    again = summarize(t)[1].get("stopped", {})
    told = [line for line in run([BUILDER, "--list", dump]).out.splitlines() if " recording_off " in line]
    t.check("noticed", None if again.get("cause") == cause and again["ns"] == noticed_ns else
            f"{again}, before {when}, noticed at {noticed_ns} ns; records {told}; meta {meta.read_text()[-500:]!r}")


def half():
    """Half of a tmpfs, not more: the rings are in it, too."""
    with tmpfs("room-half", "48m") as mount:
        if not mount:
            return skipped("room-half", "cannot mount a tmpfs")
        t = Trial("room-half", directory=mount, args=[MUCH], counted=False)
        least = watched(t, mount, lambda t: t.run(result=None))
        t.check("left", None if least > 24 * MIB - SLACK else f"{least} bytes were left")
        t.check("taken", None if free(mount) < 24 * MIB + SLACK else f"only {48 * MIB - free(mount)} bytes are taken")
        stopped(t, "limit", "half of the space that was free")
        return t.end()


def half_of_an_overlay():
    """An overlay shows the free space of what it lies on."""
    with tmpfs("room-overlay", "48m") as mount:
        lower, upper, work, merged = (empty(mount / d) for d in ("lower", "upper", "work", "merged")) if mount else (None,) * 4
        overlay = ["mount", "-t", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", "otter-test", merged]
        if not mount or run(overlay).status != 0:
            return skipped("room-overlay", "cannot mount an overlay on a tmpfs")
        try:
            t = Trial("room-overlay", directory=merged, args=[MUCH], counted=False)
            least = watched(t, mount, lambda t: t.run(result=None))
            t.check("left", None if least > 24 * MIB - SLACK else f"{least} bytes were left")
            stopped(t, "limit", "half of the space that was free")
            return t.end()
        finally:
            run(["umount", merged])


def rings():
    """Rings on a small file system of their own leave 16 MiB of it free: threads without a ring are not recorded."""
    with tmpfs("room-rings", "20m") as mount:
        if not mount:
            return skipped("room-rings", "cannot mount a tmpfs")
        t = Trial("room-rings", {"OTTER_RING_DIR": str(mount), "OMP_NUM_THREADS": "4"})
        least = watched(t, mount, lambda t: t.run())
        t.check("left", None if least >= 16 * MIB else f"{least} bytes were left")
        t.check("loss", lossy(summarize(t)[1]))
        t.check("note", None if any("no room for another ring" in n for n in t.notes()) else t.notes())
        return t.end()


def small():
    """A tmpfs of 32 MiB has room for 100,000 records."""
    with tmpfs("room-small", "32m") as mount:
        if not mount:
            return skipped("room-small", "cannot mount a tmpfs")
        t = Trial("room-small", directory=mount)
        t.run()
        summary = t.build([0])
        t.check("whole", whole(summary))
        t.check("records", None if summary and summary["records"] > 100000 else summary and summary["records"])
        return t.end()


def given():
    """OTTER_LIMIT takes the place of the default: what is left is 16 MiB."""
    with tmpfs("room-given", "48m") as mount:
        if not mount:
            return skipped("room-given", "cannot mount a tmpfs")
        t = Trial("room-given", {"OTTER_LIMIT": "10G"}, directory=mount, args=[MUCH], counted=False)
        least = watched(t, mount, lambda t: t.run(result=None))
        t.check("left", None if 16 * MIB - SLACK < least < 20 * MIB else f"{least} bytes were left")
        stopped(t, "no_space", "the file system of the dump is full")
        return t.end()


def twentieth():
    """A twentieth of a file system that others have almost filled, with what is reserved for files that grow."""
    with image("room-twentieth", 1000 * MIB, ["mkfs.ext4", "-q", "-m", "0"]) as mount:
        if not mount:
            return skipped("room-twentieth", "cannot make and mount ext4")
        fs = os.statvfs(mount)
        left = fs.f_blocks * fs.f_frsize // 20
        with open(mount / "filler", "wb") as f:
            os.posix_fallocate(f.fileno(), 0, free(mount) - left - 12 * MIB)
        t = Trial("room-twentieth", {"OTTER_DRAIN": "self"}, directory=mount, args=[MUCH], counted=False)
        least = watched(t, mount, lambda t: t.run(result=None))
        t.check("left", None if left - SLACK < least < left + SLACK else f"{least} bytes were left of {left}")
        stopped(t, "no_space", "the file system of the dump is full")
        return t.end()


def many(how):
    """Processes of a run, one after the other or at once, take half of what was free at the run's start together."""
    name = "room-" + ("in-turn" if how == ";" else "together")

    def trial():
        with tmpfs(name, "80m") as mount:
            if not mount:
                return skipped(name, "cannot mount a tmpfs")
            t = Trial(name, {"OTTER_RING": "128K"}, directory=mount, counted=False)
            one = f'"{t.program}" {MUCH} {how} '
            command = [LAUNCHER, "-q", f"--dir={mount}", "--", "sh", "-c", one * 4 + "wait"]
            least = watched(t, mount, lambda t: t.check("run", run(command, t.env).why([0])))
            t.check("left", None if least > 40 * MIB - SLACK else f"{least} bytes were left")
            t.check("dumps", None if len(dumps_in(mount)) == 4 else f"{len(dumps_in(mount))} dumps")
            when = summarize(t)[1].get("stopped", {})
            t.check("stopped", None if when.get("processes", 0) >= 1 and when.get("cause") == "limit" else when)
            return t.end()
    return trial


def newest():
    """A flight recorder takes half of a small file system, and goes on to its end."""
    with tmpfs("room-newest", "48m") as mount:
        if not mount:
            return skipped("room-newest", "cannot mount a tmpfs")
        t = Trial("room-newest", {"OTTER_KEEP": "newest"}, directory=mount, args=[MUCH], counted=False)
        least = watched(t, mount, lambda t: t.run(result=None))
        t.check("left", None if least > 24 * MIB - SLACK else f"{least} bytes were left")
        summary = summarize(t)[1]
        t.check("end", None if "stopped" not in summary and summary["events"]["parallel_end"] == 1 else summary.get("stopped"))
        return t.end()


def quota():
    """A quota that the file system does not show (btrfs): recording stops where it is reached, and the program does not."""
    with image("room-quota", 400 * MIB, ["mkfs.btrfs", "-q"]) as mount:
        if not mount or not shutil.which("btrfs"):
            return skipped("room-quota", "cannot make and mount btrfs")
        run(["btrfs", "quota", "enable", mount])
        run(["btrfs", "subvolume", "create", mount / "own"])
        run(["sync", "-f", mount])
        run(["btrfs", "quota", "rescan", "-w", mount])  # until then a limit may not hold
        if run(["btrfs", "qgroup", "limit", "40M", mount / "own"]).status != 0:
            return skipped("room-quota", "no quota groups")
        run(["btrfs", "quota", "rescan", "-w", mount])
        t = Trial("room-quota", {"OTTER_RING": "256K", "OTTER_PACK": "off"}, directory=mount / "own", args=[MUCH], counted=False)
        t.run(result=None)
        when = summarize(t)[1].get("stopped", {})
        t.check("stopped", None if when.get("cause") == "no_space" else f"{when} {t.notes()}")
        # The rest of the rings had no room in the dump, and stays in memory, where the next builder would find it.
        for memory in re.findall(r"^ring_dir (/dev/shm/.*)$", (dumps_in(t.dir)[0] / "meta").read_text(errors="replace"), re.MULTILINE):
            shutil.rmtree(memory, ignore_errors=True)
        return t.end()


TRIALS = {"room-half": half, "room-overlay": half_of_an_overlay, "room-rings": rings, "room-small": small, "room-given": given, "room-twentieth": twentieth, "room-in-turn": many(";"),
          "room-together": many("&"), "room-newest": newest, "room-quota": quota}
