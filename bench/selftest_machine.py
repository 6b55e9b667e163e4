# SPDX-License-Identifier: BSD-3-Clause
"""Tests of bench/machine.py on a /proc that was made up, and on the one that is there. Used by bench/selftest."""
import os
import subprocess

import machine
from checks import PLACE, ok

MOUNTS = """22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /dev/shm rw - tmpfs tmpfs rw
31 22 0:27 / /data\\040of\\040mine rw - xfs /dev/vdb rw
32 22 0:28 / /over rw - ext2 /dev/vdc rw
33 22 0:29 / /over rw master:2 - btrfs /dev/vdd rw
"""


def file_systems():
    path = os.path.join(PLACE, "mountinfo")
    with open(path, "w") as f:
        f.write(MOUNTS)
    found = {place: machine.file_system(place, path) for place in ("/x/y", "/dev/shm", "/dev/shm/x", "/dev/shmem", "/data of mine/x", "/over/x")}
    ok(found == {"/x/y": "ext4", "/dev/shm": "tmpfs", "/dev/shm/x": "tmpfs", "/dev/shmem": "ext4", "/data of mine/x": "xfs", "/over/x": "btrfs"},
       "file systems by their own names, of the mount that hides others: %s" % found)
    ok(machine.file_system("/proc/self") == "proc", "and of a path that is there")


def made_up_proc(name, threads, busy, steal):
    """A /proc with these threads, (pid, name, flags, start, ns or None where the kernel has no schedstat, ticks)."""
    proc = os.path.join(PLACE, name)
    os.makedirs(os.path.join(proc, "self"))
    for pid, comm, flags, start, ns, ticks in threads:
        os.makedirs(os.path.join(proc, str(pid)))
        with open(os.path.join(proc, str(pid), "stat"), "w") as f:
            f.write("%d (%s) S 2 0 0 0 -1 %d 0 0 0 0 %d 1 0 0 20 0 1 0 %d 0 0\n" % (pid, comm, flags, ticks - 1, start))
        if ns is not None:
            with open(os.path.join(proc, str(pid), "schedstat"), "w") as f:
                f.write("%d 5 6\n" % ns)
    with open(os.path.join(proc, "stat"), "w") as f:
        f.write("cpu  %d 1 1 1000 50 1 1 %d 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n" % (busy - 4, steal))
    return proc


def kernel_threads():
    thread, process = machine.PF_KTHREAD | 0x40, 0x400000
    before = machine.sample(made_up_proc("before", [(7, "kworker/0:1-a) b (c", thread, 10, 1000, 9), (8, "kswapd0", thread, 10, None, 3),
                                                    (9, "program", process, 10, 77, 7), (10, "gone", thread, 10, 10**9, 9),
                                                    (11, "old", thread, 10, 10**6, 9)], 100, 5))
    after = machine.sample(made_up_proc("after", [(7, "kworker/0:1-d", thread, 10, 6000, 9), (8, "kswapd0", thread, 10, None, 4),
                                                  (9, "program", process, 10, 10**9, 7), (11, "new", thread, 99, 300, 9),
                                                  (12, "made since", thread, 50, 40, 9)], 250, 7))
    # 5000 of one, a tick of another, 300 and 40 of two that were not there; the one that ended is missing.
    ok(machine.kernel_ns(before, after) == 5000 + machine.TICK_NS + 340, "CPU time of the kernel's threads, by what they ran or by the tick")
    ok((after.busy - before.busy, after.steal - before.steal) == (150 * machine.TICK_NS, 2 * machine.TICK_NS), "what all processors did")
    container = machine.sample(made_up_proc("container", [(1, "sh", process, 1, 5, 1)], 100, 5))
    ok(machine.kernel_ns(container, container) == "", "where no thread of the kernel is seen, nothing is said of them")


def beside_a_program():
    watch = machine.Watch()
    busy = subprocess.run(["sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; times"], capture_output=True, text=True)
    minutes, seconds = busy.stdout.split()[0].rstrip("s").split("m")
    own_ns = int((60 * int(minutes) + float(seconds)) * 1e9)
    columns = watch.columns(0)
    ok(columns["others_ns"] > own_ns / 2 > 0, "what others ran, of which this was one: %s of %d ns" % (columns, own_ns))
    kept = os.path.join(PLACE, "kept")
    os.makedirs(os.path.join(kept, "below"))
    os.symlink("/nowhere", os.path.join(kept, "link"))
    with open(os.path.join(kept, "below", "file"), "wb") as f:
        f.write(bytes(16 << 20))
    columns = machine.Watch().columns(0, kept)
    ok(columns["kernel_ns"] == "" or columns["kernel_ns"] > 0, "what is kept is written to the disk, and that is the kernel's: %s" % columns)


TESTS = file_systems, kernel_threads, beside_a_program
