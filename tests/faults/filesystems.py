# SPDX-License-Identifier: BSD-3-Clause
"""The dump is on a file system that copies on write and becomes full, is compressed, or lies below an overlay."""
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
    t.check("full", f"{free.f_bavail} blocks are free" if free.f_bavail * free.f_frsize > 1 << 20 else None)
    for name in ("filler", "more"):
        (directory / name).unlink(missing_ok=True)
    t.check("loss", lossy(t.build([3])))
    return t.end()


BTRFS = ["mkfs.btrfs", "-q"]
TRIALS = {"full-btrfs": full("btrfs", BTRFS),
          "full-btrfs-compressed": full("btrfs-compressed", BTRFS, "loop,compress-force=zstd", ["chattr", "+c"]),
          "full-btrfs-overlay": full("btrfs-overlay", BTRFS, is_overlay=True),
          "full-xfs": full("xfs", ["mkfs.xfs", "-q", "-f", "-d", "agcount=2"])}
