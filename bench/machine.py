# SPDX-License-Identifier: BSD-3-Clause
"""What figures are of: the machine, its file system, and what else ran on it while a program was measured. Used by rounds.py, for the columns
of each row.

What a process makes the kernel do is not all in its own CPU time: threads of the kernel write its pages back, and get memory free again.
Watch counts those. It cannot know for whom a thread of the kernel works: on a shared machine it may be for somebody else,
which is why tables subtract what the empty tool's runs had, and why there is a column for other programs. Interrupts are part of whatever
they interrupt, a hypervisor's work for its guest is nowhere but in `steal`, and where processes have a namespace of their own (containers)
no thread of the kernel is seen, so that the column is empty."""
import datetime
import os
import platform
import re
import subprocess
import time
from collections import namedtuple

PF_KTHREAD = 0x00200000  # include/linux/sched.h
TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
FLAGS, UTIME, STIME, START = 6, 11, 12, 19  # fields of /proc/PID/stat after the name, which may have blanks

# kernel: {(pid, start): ns} of the kernel's threads; busy, steal: ns of all processors since boot.
Sample = namedtuple("Sample", "kernel busy steal")


# ---- The kernel's threads, and others ----

def kernel_thread(proc, pid):
    """((pid, start), ns on a processor) of one thread of the kernel; None where it is a process, or has ended."""
    try:
        with open(os.path.join(proc, pid, "stat"), encoding="utf-8", errors="replace") as f:
            fields = f.read().rpartition(")")[2].split()
        if not int(fields[FLAGS]) & PF_KTHREAD:
            return None
        try:
            with open(os.path.join(proc, pid, "schedstat"), encoding="utf-8") as f:
                ns = int(f.read().split()[0])
        except OSError:  # a kernel without it: by the tick
            ns = (int(fields[UTIME]) + int(fields[STIME])) * TICK_NS
        return (pid, fields[START]), ns
    except (OSError, IndexError, ValueError):
        return None


def sample(proc="/proc"):
    kernel = dict(filter(None, (kernel_thread(proc, pid) for pid in os.listdir(proc) if pid.isdigit())))
    with open(os.path.join(proc, "stat"), encoding="utf-8") as f:
        user, nice, system, _, _, irq, softirq, steal = map(int, f.readline().split()[1:9])
    return Sample(kernel, (user + nice + system + irq + softirq) * TICK_NS, steal * TICK_NS)


def kernel_ns(before, after):
    """What threads of the kernel ran between two samples; one that ended in between is missing. "" where none is seen at all."""
    return sum(ns - before.kernel.get(thread, 0) for thread, ns in after.kernel.items()) if after.kernel else ""


def write_back(path):
    """Writes the files below a directory to the disk, as the kernel would do later. The CPU time that it took here, ns."""
    begin = time.thread_time_ns()
    for top, _, files in os.walk(path):
        for name in files:
            if os.path.islink(os.path.join(top, name)):
                continue
            f = os.open(os.path.join(top, name), os.O_RDONLY)
            os.fsync(f)
            os.close(f)
    return time.thread_time_ns() - begin


class Watch:
    """What runs beside a program, from the making of this on."""
    def __init__(self):
        self.before, self.own_ns = sample(), time.process_time_ns()

    def columns(self, program_ns, kept=None):
        """
        The columns of a row, after a program that took so much CPU time. Where its outputs are kept in a directory, they are written to the
        disk first, and what that takes is the kernel's: else it would be part of somebody else's row.
        """
        after = sample()
        # By the tick, so at least 0.
        others = max(0, after.busy - self.before.busy - program_ns - (time.process_time_ns() - self.own_ns) - (kernel_ns(self.before, after) or 0))
        written_ns, written = (write_back(kept), sample()) if kept else (0, after)
        kernel = kernel_ns(self.before, written)
        return {"kernel_ns": kernel if kernel == "" else kernel + written_ns, "others_ns": others, "steal_ns": after.steal - self.before.steal}


# ---- What it is ----

def file_system(path, mounts="/proc/self/mountinfo"):
    """The name of the file system that a path is on. (`stat -f` has one name for ext2, ext3 and ext4.)"""
    path, best, name = os.path.realpath(path), "", "unknown"
    with open(mounts, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            fields, _, more = line.partition(" - ")
            point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m.group(1), 8)), fields.split()[4])
            # Of two on the same point the later one hides the earlier one.
            if (path + "/").startswith(point.rstrip("/") + "/") and len(point) >= len(best):
                best, name = point, more.split()[0]
    return name


def first_line(*argv, cwd=None):
    try:
        lines = subprocess.run(argv, cwd=cwd, capture_output=True, text=True).stdout.splitlines()
    except OSError:
        lines = []
    return lines[0].strip() if lines else "unknown"


def describe(root, compiler, workload, dumps):
    """What the figures of the tree `root` are of: {column: text}."""
    cpu = re.search(r"model name\s*:\s*(.*)", open("/proc/cpuinfo").read())
    linked = subprocess.run(["ldd", workload], capture_output=True, text=True).stdout
    runtime = re.search(r"=> (\S*libomp\S*)", linked)
    changed = subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=root, capture_output=True, text=True).stdout
    return {"date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"), "machine": platform.machine(),
            "cpu": cpu.group(1) if cpu else "unknown", "cores": str(len(os.sched_getaffinity(0))), "kernel": platform.release(),
            "compiler": first_line(compiler, "--version"), "runtime": os.path.realpath(runtime.group(1)) if runtime else "unknown",
            "commit": first_line("git", "rev-parse", "--short", "HEAD", cwd=root) + ("+" if changed else ""),
            "files": file_system(dumps), "load": "%.1f" % os.getloadavg()[0]}
