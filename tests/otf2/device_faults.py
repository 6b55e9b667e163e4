# SPDX-License-Identifier: BSD-3-Clause
"""Adds a device to the good archive, with a kernel and transfers; and breaks rules there, as faults.py does."""
import _otf2

from archive import MASTER, NONE, WORKER
from faults import append, change, drop, insert

QUEUE = 2 << 32
DEVICES = _otf2.PARADIGM_OPENACC
KERNEL, WINDOW = 5, 0  # a region, a window
MEMORY = 1  # an attribute
PROCESS_GROUP, DEVICE_GROUP = 0, 1


def add_device(archive):
    n = len(archive["strings"])
    archive["strings"] += [[n, "device"], [n + 1, "queue"], [n + 2, "kernel"], [n + 3, "OTF2::MEMORY_SPACE_SOURCE"]]
    archive["paradigms"] = [[DEVICES, n, _otf2.PARADIGM_CLASS_ACCELERATOR]]
    archive["attributes"].append([MEMORY, n + 3, 0, _otf2.TYPE_LOCATION_GROUP])
    archive["location_groups"].append([DEVICE_GROUP, n, _otf2.LOCATION_GROUP_TYPE_ACCELERATOR, 0, PROCESS_GROUP])
    archive["locations"].append([QUEUE, n + 1, DEVICE_GROUP])
    archive["regions"].append([KERNEL, n + 2])
    archive["groups"] += [[3, _otf2.GROUP_TYPE_COMM_LOCATIONS, [MASTER, WORKER, QUEUE], DEVICES],
                          [4, _otf2.GROUP_TYPE_COMM_GROUP, [0, 1, 2], DEVICES]]
    archive["comms"].append([2, 4, NONE])
    archive["windows"] = [[WINDOW, n, 2]]
    archive["events"][QUEUE] = [
        ["RmaGet", 50, WINDOW, 0, 64, 7, ("memory", MEMORY, PROCESS_GROUP)], ["RmaOpCompleteBlocking", 60, WINDOW, 7],
        ["Enter", 60, KERNEL], ["ParameterUnsignedInt", 60, 0, 8], ["Leave", 80, KERNEL],
        ["RmaPut", 80, WINDOW, 1, 32, 9, ("memory", MEMORY, DEVICE_GROUP)], ["RmaOpCompleteNonBlocking", 90, WINDOW, 9],
    ]
    append(archive, WORKER, ["RmaPut", 100, WINDOW, 2, 16, 1], ["RmaOpCompleteBlocking", 100, WINDOW, 1])


DEVICE_FAULTS = [
    ("ATTR-TYPE", "a memory space is defined as a number", lambda a: a["attributes"][MEMORY].__setitem__(3, _otf2.TYPE_UINT64)),
    ("DEF-REF", "a window's comm is not defined", lambda a: a["windows"].append([1, 2, 9])),
    ("DEF-UNUSED", "a comm without a window", lambda a: a["comms"].append([3, 4, 2])),
    ("DEVICE-EVENT", "a device flushes a buffer", lambda a: append(a, QUEUE, ["BufferFlush", 95, 95])),
    ("DEVICE-EVENT FORK-TEAM", "a device forks", lambda a: append(a, QUEUE, ["ThreadFork", 95, DEVICES, 2], ["ThreadJoin", 96, DEVICES])),
    ("EVT-REF", "a transfer into a window that is not defined",
     lambda a: append(a, QUEUE, ["RmaGet", 95, 3, 0, 1, 1], ["RmaOpCompleteBlocking", 95, 3, 1])),
    ("EVT-REF", "a memory space that is not defined",
     lambda a: append(a, QUEUE, ["RmaGet", 95, WINDOW, 0, 1, 1, ("memory", MEMORY, 6)], ["RmaOpCompleteBlocking", 95, WINDOW, 1])),
    ("GROUP", "a device is among the threads", lambda a: a["groups"][0][2].append(QUEUE)),
    ("GROUP", "two groups of all devices", lambda a: a["groups"].append([5, _otf2.GROUP_TYPE_COMM_LOCATIONS, [QUEUE], DEVICES])),
    ("COMM LG-CREATOR", "a device is nobody's", lambda a: a["location_groups"][DEVICE_GROUP].__setitem__(4, NONE)),
    ("LG-CREATOR", "a process is made by another",
     lambda a: [a["location_groups"].append([2, 4, _otf2.LOCATION_GROUP_TYPE_PROCESS, 0, PROCESS_GROUP]),
                a["locations"].append([3 << 32, 6, 2]), a["groups"][0][2].append(3 << 32),
                a["events"].__setitem__(3 << 32, [["ProgramBegin", 60, 12, []], ["ProgramEnd", 60, 0]])]),
    ("LOC-GROUP", "a device's location is a thread", lambda a: a.__setitem__("kinds", {QUEUE: _otf2.LOCATION_TYPE_CPU_THREAD})),
    ("LOC-GROUP", "a process has a stream", lambda a: a.__setitem__("kinds", {WORKER: _otf2.LOCATION_TYPE_ACCELERATOR_STREAM})),
    ("RMA-OP", "a transfer never completes", lambda a: drop(a, QUEUE, "RmaOpCompleteNonBlocking")),
    ("RMA-OP", "a transfer completes twice", lambda a: append(a, QUEUE, ["RmaOpCompleteBlocking", 95, WINDOW, 9])),
    ("RMA-OP", "a transfer completes on another location",
     lambda a: [drop(a, QUEUE, "RmaOpCompleteBlocking"), append(a, WORKER, ["RmaOpCompleteBlocking", 100, WINDOW, 7])]),
    ("RMA-OP", "two transfers at once have one number",
     lambda a: insert(a, QUEUE, ("RmaOpCompleteBlocking",), ["RmaPut", 55, WINDOW, 0, 1, 7])),
    ("RMA-WIN", "a transfer reaches nobody", lambda a: change(a, QUEUE, ("RmaGet",), ["RmaGet", 50, WINDOW, 3, 64, 7])),
    ("RMA-WIN", "a transfer by one who is not of the window", lambda a: [
        a["groups"][4].__setitem__(2, [0, 2]),
        change(a, QUEUE, ("RmaPut",), ["RmaPut", 80, WINDOW, 0, 32, 9]),
        change(a, WORKER, ("RmaPut",), ["RmaPut", 100, WINDOW, 1, 16, 1])]),
    ("BALANCE-LOC", "a kernel has no end", lambda a: drop(a, QUEUE, "Leave", 80)),
    ("PARAM", "a parameter outside of a kernel", lambda a: append(a, QUEUE, ["ParameterUnsignedInt", 95, 0, 8])),
]
