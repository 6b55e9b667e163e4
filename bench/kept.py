# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that stay until all is measured, so that each run finds memory which no other run's files have just left: what is removed after
each run leaves its pages to the next one, warm and at hand, as no user has them. Used by rounds.py."""
import os
import re
import shutil

import harness

FIRST = 1 << 30  # what a round may need, before one has been seen
RESERVE = 4 << 30  # of the disk


def free_memory():
    """Of the machine, in use for nothing, not even for a file's pages."""
    with open("/proc/meminfo", encoding="ascii") as f:
        return int(re.search(r"MemFree:\s*(\d+) kB", f.read()).group(1)) * 1024


class Kept:
    """Beside a scratch directory, whose contents it takes after each run."""
    def __init__(self, scratch):
        self.path = scratch + "-kept"
        self.n_bytes = self.n_taken = 0

    def take(self, scratch):
        os.makedirs(self.path, exist_ok=True)
        self.n_bytes += harness.bytes_below(scratch)
        os.rename(scratch, os.path.join(self.path, str(self.n_taken)))
        os.mkdir(scratch)
        self.n_taken += 1

    def lacks(self, n_rounds):
        """Why no further round fits, after so many: memory that is free for the files of one, and room on the disk. None: it fits."""
        need = self.n_bytes // n_rounds if n_rounds else FIRST
        if free_memory() < need:
            return "memory: %d MiB are free, the rest holds files (as root, `echo 1 > /proc/sys/vm/drop_caches` frees it)" % (free_memory() >> 20)
        disk = os.statvfs(os.path.dirname(self.path))
        if disk.f_bavail * disk.f_frsize < need + RESERVE:
            return "room on the disk: %d MiB" % (disk.f_bavail * disk.f_frsize >> 20)
        return None

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)
        self.n_bytes = self.n_taken = 0
