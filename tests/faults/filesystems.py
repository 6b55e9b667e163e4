# SPDX-License-Identifier: BSD-3-Clause
"""The dump is on a file system that copies on write and becomes full, is compressed, or lies below an overlay; or on one that
stands still for a while."""
import shutil
import threading
import time

from trial import *

# The segments so far are on the disk, so that their pages need new blocks; then there are none.
FULL = 'sync -f "$DUMPS"; dd if=/dev/urandom of="$DUMPS/filler" bs=1M 2>/dev/null; dd if=/dev/urandom of="$DUMPS/more" bs=4k 2>/dev/null; sync -f "$DUMPS"'


def full(name, make, options="loop", prepare=None, is_overlay=False):
    def trial():
        label = f"full-{name}"
        with image(label, 320 << 20, make, options) as mount:
            if not mount:
                return skipped(label, f"cannot make and mount {name}")
            if prepare:
                run([*prepare, mount])
            if not is_overlay:
                return fill_halfway(label, mount, mount)
            lower, upper, work, merged = (empty(mount / d) for d in ("lower", "upper", "work", "merged"))
            if run(["mount", "-t", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", "otter-test", merged]).status != 0:
                return skipped(label, "cannot mount an overlay")
            try:
                return fill_halfway(label, merged, mount)
            finally:
                run(["umount", merged])
    return trial


def fill_halfway(label, directory, disk):
    """The program goes on when no block is left: every page that it writes then was written back before."""
    t = Trial(label, {"OTTER_RING": "256K"}, directory=directory, program="midway", args=["command", FULL])
    t.env["DUMPS"], t.env["WORK"] = str(directory), str(t.work)
    t.run(result="15000 tasks")
    free = os.statvfs(disk)
    t.check("full", f"{free.f_bavail} blocks are free" if free.f_bavail * free.f_frsize > 4 << 20 else None)
    for name in ("filler", "more"):
        (directory / name).unlink(missing_ok=True)
    t.check("loss", lossy(t.build([3])))
    return t.end()


class Freezer(threading.Thread):
    """Freezes the file system for a second and a half, once the recorder watches. `inner_s` has passed between the end of the one
    command and the beginning of the other, `outer_s` with both of them."""

    def __init__(self, mount):
        super().__init__()
        self.mount, self.inner_s, self.outer_s, self.flaw = mount, 0, 0, None

    def run(self):
        if not wait_for_watch("locks"):
            self.flaw = "no thread of the program's process watches"
            return
        before = time.monotonic()
        if run(["fsfreeze", "-f", self.mount]).status != 0:
            self.flaw = "it cannot be frozen"
            return
        begin = time.monotonic()
        time.sleep(1.5)
        end = time.monotonic()
        run(["fsfreeze", "-u", self.mount])
        self.inner_s, self.outer_s = end - begin, time.monotonic() - before


def wait_for_watch(program):
    """Waits until a process of that name has a thread otter-watch, and has recorded for some time. Is there one?"""
    deadline = time.monotonic() + HANG_S
    while time.monotonic() < deadline:
        for comm in pathlib.Path("/proc").glob("[0-9]*/task/*/comm"):
            with contextlib.suppress(OSError):
                if comm.read_text() == "otter-watch\n" and (comm.parents[2] / "comm").read_text() == f"{program}\n":
                    time.sleep(0.5)
                    return True
        time.sleep(0.05)
    return False


def frozen(label, make, trial):
    """A trial on a file system that is frozen for a while."""
    def run_trial():
        if not shutil.which("fsfreeze"):
            return skipped(label, "there is no fsfreeze")
        with image(label, 320 << 20, make) as mount:
            return trial(label, mount) if mount else skipped(label, f"cannot make and mount {label}")
    return run_trial


def waits(label, mount):
    """The program's next store waits until the file system goes on: a stall, as long as the program itself has measured.
    It also sleeps by itself, which is none. The drain thread may wait for the same file system."""
    t = Trial(label, {"OMP_NUM_THREADS": "1", "OTTER_RING": "8M"}, program="locks", args=[6], directory=mount, counted=False)
    freezer = Freezer(mount)
    freezer.start()
    longest_ns = int(t.run(result=None).stdout or 0)
    freezer.join()
    summary = t.build([0], whole=False)
    if summary is None or not summary["processors"] or any("switches" in note for note in t.notes()):
        return t.skip("context switches are not recorded here")
    n, stores_ns, all_ns = summary["processors"]["store_stalls"], summary["processors"]["store_stalled_ns"], summary["stalled_ns"]
    said = f"stalled {all_ns / 1e9:.3f} s, {n} stores {stores_ns / 1e9:.3f} s, longest {longest_ns / 1e9:.3f} s, " \
           f"frozen for {freezer.inner_s:.3f} to {freezer.outer_s:.3f} s"
    t.check("frozen", freezer.flaw)
    # What is written back before the file system is frozen, and after it, may be waited for as well.
    t.check("stalled", None if max(freezer.inner_s, longest_ns / 1e9) / 2 < all_ns / 1e9 < freezer.outer_s + 1 else said)
    # If freezing takes so long that the ring is full meanwhile, the thread waits as it writes a segment itself.
    t.check("stores", None if n >= 1 or all_ns - stores_ns > longest_ns / 2 else said)
    return t.end()


def does_not_wait(label, mount):
    """The same under the launcher, where rings are in memory: no store waits."""
    t = Trial(label, {"OMP_NUM_THREADS": "1", "OTTER_RING": "8M"}, program="locks", args=[6], directory=mount, counted=False)
    freezer = Freezer(mount)
    freezer.start()
    t.run([LAUNCHER, "-q", f"--dir={t.dir}", "--", t.program, *t.args], result=None)
    freezer.join()
    summary = t.build([0, 3], whole=False)
    if summary is None or not summary["processors"] or any("/dev/shm" in note or "switches" in note for note in t.notes()):
        return t.skip("context switches are not recorded here, or rings are not in memory")
    n = summary["processors"]["store_stalls"]
    t.check("frozen", freezer.flaw)
    t.check("stores", f"{n} stores have waited" if n else None)
    # What could not be written meanwhile is there, or is counted.
    t.check("counted", None if summary["complete"] or summary["lost"]["total"] else summary["lost"])
    return t.end()


def unfrozen():
    """A tmpfs is never written back: what the program waits for is its own."""
    with tmpfs("unfrozen", "160m") as mount:
        if not mount:
            return skipped("unfrozen", "cannot mount a tmpfs")
        t = Trial("unfrozen", {"OMP_NUM_THREADS": "1", "OTTER_RING": "256K"}, program="locks", args=[2], directory=mount, counted=False)
        t.run(result=None)
        summary = t.build([0], whole=False)
        if summary is None or not summary["processors"]:
            return t.skip("context switches are not recorded here")
        found = summary["processors"]
        t.check("stalls", None if found["store_stalls"] == found["store_stalled_ns"] == 0 < found["blocked_ns"] else found)
        return t.end()


BTRFS = ["mkfs.btrfs", "-q"]
TRIALS = {"full-btrfs": full("btrfs", BTRFS),
          "full-btrfs-compressed": full("btrfs-compressed", BTRFS, "loop,compress-force=zstd", ["chattr", "+c"]),
          "full-btrfs-mixed": full("btrfs-mixed", [*BTRFS, "--mixed"]),
          "full-btrfs-overlay": full("btrfs-overlay", BTRFS, is_overlay=True),
          "full-xfs": full("xfs", ["mkfs.xfs", "-q", "-f", "-d", "agcount=2"]),
          "frozen-ext4": frozen("frozen-ext4", ["mkfs.ext4", "-q"], waits),
          "frozen-btrfs": frozen("frozen-btrfs", BTRFS, waits),
          "frozen-xfs": frozen("frozen-xfs", ["mkfs.xfs", "-q", "-f"], waits),
          "memory-frozen-ext4": frozen("memory-frozen-ext4", ["mkfs.ext4", "-q"], does_not_wait),
          "memory-frozen-xfs": frozen("memory-frozen-xfs", ["mkfs.xfs", "-q", "-f"], does_not_wait),
          "unfrozen": unfrozen}
