#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a process whose devices trace themselves, builds, and compares the results with what the devices really did.

    tests/device.py [SCENARIO...]      all, or these

device/driver.c plays the runtime and the devices, and writes a witness: which kernels and transfers there were, how
many bytes, and when by the host's counter. The builder knows the device's own clock, its translation, and readings of
both clocks: its times may be wrong by as much as a reading took, which the dump has.
"""
import collections
import os
import re
import sys

import path
from common import *

DRIVER = BUILD / "tests" / "device" / "driver"
OPTYPES = {1: "alloc", 2: "transfer_to_device", 3: "transfer_from_device", 4: "delete", 18: "transfer_to_device"}

# scenario -> (exit status of the builder, repairs, quirks: names and how often; None: any number)
SCENARIOS = {
    "whole": (0, {}, {}),
    "late": (0, {}, {}),
    "returns": (0, {}, {}),
    "lingers": (0, {}, {}),
    "hungry": (3, {"device_without_buffer": 1}, {}),
    "wrong": (3, {"device_end_before_begin": 1, "device_record_without_time": 1, "device_record_invalid": 2}, {}),
    "still": (0, {}, {}),
    "threads": (0, {}, {}),
    "nothing": (0, {}, {}),
    "refuses": (0, {}, {}),
    "no_emi": (0, {}, {}),
    "one_number": (0, {}, {"device_of_buffer": 5}),
    "no_clock": (3, {"device_clock_unknown": 10}, {}),
    "no_translation": (0, {}, {}),
    "no_cursor": (0, {}, {}),
    "no_records": (0, {}, {}),
    "native_only": (0, {}, {}),
    "few": (0, {}, {}),
    "crowd": (0, {}, {}),
    "astray": (3, {"kernel_without_submit": 3, "data_without_operation": 2}, {}),
    "goes_back": (0, {}, {"translation_goes_back": 2}),
    "ended": (3, {"implicit_task_without_end": 1}, {}),  # the program's own doing, but nothing says how its initial task ended
}

# Records that only a device's tracing makes.
RECORDS = ("device_trace", "device_clock", "device_buffer", "device_kernel", "device_data_op", "device_target", "device_native", "device_other")

Kernel = collections.namedtuple("Kernel", "device id begin end granted")
Data = collections.namedtuple("Data", "device id begin end optype bytes src dest")
Native = collections.namedtuple("Native", "device id begin end hwid type")


class Witness:
    def __init__(self, path):
        self.kernels, self.data, self.native, self.calls, self.untimed = [], [], [], {}, set()
        for line in path.read_text().splitlines():
            word, *rest = line.split(" ")
            if word == "kernel":
                device, ident, begin, end, _, granted = map(int, rest)
                self.kernels.append(Kernel(device, ident, begin, end, granted))
            elif word == "data":
                device, ident, begin, end, optype, n_bytes, src, dest = map(int, rest)
                self.data.append(Data(device, ident, begin, end, optype, n_bytes, src, dest))
            elif word == "native":
                self.native.append(Native(*map(int, rest[:5]), " ".join(rest[5:])))
            elif word == "untimed":
                self.untimed.add(int(rest[1]))
            elif word == "calls":
                self.calls = dict(zip(rest[::2], map(int, rest[1::2])))


def listed(dump):
    """The lines of the listing by kind: kind -> [{field: text}]."""
    rows = collections.defaultdict(list)
    for line in run([BUILDER, "--list", dump]).out.splitlines():
        words = line.split()
        rows[words[3]].append(dict(re.findall(r"(\w+)=(\S+)", line)))
    return rows


class Archive:
    """What an archive has on the devices' locations, read by OTF2's Python bindings."""

    def __init__(self, anchor):
        import otf2
        self.kernels, self.natives, self.data, self.order = [], [], [], []
        self.streams, self.spaces = collections.Counter(), collections.Counter()
        with otf2.reader.open(str(anchor)) as trace:
            self.ticks_per_second = trace.timer_resolution
            host = {l.group for l in trace.definitions.locations if l.type == otf2.LocationType.CPU_THREAD}
            self.groups = [g.name for g in trace.definitions.location_groups if g not in host]
            opened, transfers = {}, {}
            for location, event in trace.events:
                if location.type != otf2.LocationType.ACCELERATOR_STREAM:
                    continue
                device = int(location.group.name.split()[1])
                kind = type(event).__name__
                self.streams[location.name] += 1
                if kind == "Enter":
                    opened[location] = {"begin": event.time, "region": event.region.name}
                elif kind == "ParameterUnsignedInt":
                    opened[location][event.parameter.name] = event.value
                elif kind == "Leave":
                    o = opened.pop(location)
                    row = (device, o["host_op_id"], o["begin"], event.time)
                    name = o["region"].split("@")[0]
                    if name == "kernel":
                        self.kernels.append(Kernel(*row, o["granted_num_teams"]))
                    elif name in ("device alloc", "device delete"):
                        self.data.append((*row, name[7:], 0))
                    else:
                        self.natives.append((*row, o["region"]))
                elif kind in ("RmaGet", "RmaPut"):
                    transfers[location, event.matching_id] = (device, kind, event)
                    self.spaces.update(a.name for a in (event.attributes or {}))
                elif kind.startswith("RmaOpComplete"):
                    device, op, begun = transfers.pop((location, event.matching_id))
                    spaces = {a.name: v.name for a, v in (begun.attributes or {}).items()}
                    ends = [spaces.get(f"OTF2::MEMORY_SPACE_{end}", "?") for end in ("SOURCE", "DESTINATION")]
                    src, dest = (int(e.split()[1]) if e.startswith("Device") else -1 for e in ends)
                    self.data.append((device, event.matching_id, begun.time, event.time, op, begun.bytes, src, dest, kind))


def apart(name, wanted, got, tolerance):
    """Compares two lists of rows (device, id, begin, end, ...). Times may differ by the tolerance. Returns a reason or
    None."""
    wanted, got = sorted(wanted, key=lambda r: (r[:2], r[4:])), sorted(got, key=lambda r: (r[:2], r[4:]))
    if [(r[:2], r[4:]) for r in wanted] != [(r[:2], r[4:]) for r in got]:
        return f"{name}: {len(got)} rows, not {len(wanted)}, or others: {got[:2]} {wanted[:2]}"
    for w, g in zip(wanted, got):
        off = max(abs(w[2] - g[2]), abs(w[3] - g[3]))
        if off > tolerance:
            return f"{name}: {g} is off by {off} ticks, {tolerance} at most: {w}"
    return None


def data_rows(witness):
    """The witness's data operations as rows of the archive."""
    rows = []
    for d in witness.data:
        kind = OPTYPES[d.optype]
        if kind in ("alloc", "delete"):
            rows.append((d.device, d.id, d.begin, d.end, kind, 0))
        else:
            op = "RmaGet" if d.dest == d.device else "RmaPut"
            complete = "RmaOpCompleteNonBlocking" if d.optype > 16 else "RmaOpCompleteBlocking"
            rows.append((d.device, d.id, d.begin, d.end, op, d.bytes, d.src, d.dest, complete))
    return rows


def wrong_archive(scenario, witness, out, rows):
    with one_archive_at_a_time:
        archive = Archive(out / "traces.otf2")
    reads = [(int(r["after"]) - int(r["before"])) for r in rows["device_clock_more"]]
    tolerance = ((max(reads) if reads else 0) + 1000) * archive.ticks_per_second // 10 ** 9
    if scenario in ("no_clock", "nothing", "refuses", "no_cursor", "no_records"):
        if archive.streams:
            return f"times of a device out of nothing: {archive.streams}"
        return None
    natives = witness.native
    doubles = {k.id for k in witness.kernels}
    natives = [(n.device, n.id, n.begin, n.end, n.type) for n in natives if n.id not in doubles]
    if scenario == "still":  # one record of each buffer: of three the first is a target region's begin, a kernel, a region's begin
        n = (len(archive.kernels), len(archive.data), [r["records"] for r in rows["device_buffer"]])
        return None if n == (1, 0, ["1", "1", "1"]) else f"kernels, data and records: {n}"
    reasons = [apart("kernels", witness.kernels, archive.kernels, tolerance),
               apart("data", data_rows(witness), archive.data, tolerance),
               apart("native", natives, archive.natives, tolerance)]
    if scenario == "whole" and len([s for s in archive.streams if s.startswith("Device 0 ")]) < 3:
        reasons.append(f"not three queues on device 0: {archive.streams}")  # two kernels at once, and hwid 7 and 9
    if scenario == "crowd" and any(len([s for s in archive.streams if s.startswith(f"Device {n} ")]) < 5 for n in (0, 1)):
        reasons.append(f"not a queue for each of four places, and one for transfers: {archive.streams}")
    return "; ".join(filter(None, reasons))


def wrong_calls(scenario, calls, rows):
    """Compares the recorder's calls of the device interface with what each scenario needs."""
    reasons = []

    def must(name, n):
        if calls[name] != n:
            reasons.append(f"{name} was called {calls[name]} times, not {n}")

    can_start = scenario not in ("nothing", "refuses", "no_cursor", "no_records")
    must("lookups", 2 * 14 + 2 * 2)
    must("start", 2 if can_start else 0)
    must("stop", 0 if not can_start or scenario == "few" else 1 if scenario == "hungry" else 2)  # the hungry one has stopped itself
    must("after", 0)
    must("set_ompt", 6 if (can_start or scenario == "refuses") and scenario != "native_only" else 0)
    if scenario == "returns":
        must("requests", 201)
        must("refusals", 0)
    if scenario == "whole":
        must("flush", 2)
        must("pause", 2)
        must("resume", 2)
    if scenario == "hungry":
        must("requests", 65)
        must("refusals", 1)
    n_steps = len([r for r in rows["device_trace"] if r["step"] == "start"])
    if n_steps != (0 if scenario == "nothing" else 2):
        reasons.append(f"{n_steps} records of a start")
    if scenario == "nothing" and any(rows.get(kind) for kind in RECORDS):
        reasons.append(f"records of devices that offer nothing: {sorted(rows)}")
    return "; ".join(reasons)


def wrong_graph(scenario, witness, out, summary):
    """Checks that kernels are nodes after their submits, that transfers have bytes, and that both have the device's
    times where these are known."""
    graph = Graph(out)
    nodes = {n["id"]: n for n in graph.nodes}
    has_times = scenario not in ("no_clock", "nothing", "refuses", "no_cursor", "no_records", "still")
    reasons = [graph.flaw()]
    if not has_times:
        if scenario not in ("no_clock", "still") and any(n["kind"] == "kernel" for n in graph.nodes):
            reasons.append("kernels that no device reported")
        if scenario != "still" and any(n["device_begin_ns"] for n in graph.nodes):
            reasons.append("times of a device out of nothing")
        return "; ".join(filter(None, reasons))

    def after(node, *kinds):
        return {t for s, t, kind in graph.edges if s == node and (kind in kinds or not kinds and kind not in ("submit", "create"))}

    asked = {kind: {int(n["host_op_id"], 16) for n in graph.nodes if n["kind"] == kind} for kind in ("submit", "data_op")}
    astray = scenario == "astray"  # these have ids that do not exist, and those of other operations
    kernels = {int(n["host_op_id"], 16): n for n in graph.nodes if n["kind"] == "kernel"}
    if set(kernels) != {k.id for k in witness.kernels if not astray or k.id in asked["submit"]} | witness.untimed:
        reasons.append(f"{len(kernels)} kernels, not {len(witness.kernels)}")
    submits = {t: nodes[s] for s, t, kind in graph.edges if kind == "submit"}
    for ident, n in kernels.items():
        if submits.get(n["id"], {}).get("host_op_id") != hex(ident) or submits[n["id"]]["kind"] != "submit":
            reasons.append(f"kernel {ident} does not follow on its submit")
        waits, goes_on = after(n["id"], "complete"), after(submits[n["id"]]["id"])
        if waits != goes_on:
            reasons.append(f"for kernel {ident} waits {waits}, and behind its submit comes {goes_on}")
        has_time = n["device_begin_ns"] != "" and n["device_end_ns"] != ""
        if has_time == (ident in witness.untimed) or n["begin_ns"] or n["end_ns"]:
            reasons.append(f"kernel {ident} has the times {n}")
    moved = {int(n["host_op_id"], 16): n for n in graph.nodes if n["kind"] == "data_op"}
    if astray and any(n["device_begin_ns"] for n in moved.values()):
        reasons.append("times of something else")
    for d in witness.data:
        if astray and d.id not in asked["data_op"]:
            continue
        n = moved.get(d.id)
        if n is None or not n["device_begin_ns"] or (d.optype != 4 and n["bytes"] != str(d.bytes)):
            reasons.append(f"data operation {d.id} is {n}")
    drawing = (out / "graph.dot").read_text()
    drawn = re.findall(r'label="[^"]*kernel[^"]*\\ndevice (\d+)(, [\d.]+ [num]?s)?"', drawing)
    n_timed = sum(n["device_begin_ns"] != "" for n in kernels.values())
    n_folded = sum(int(n) for n in re.findall(r'label="[^"]*kernel.*,count=(\d+)', drawing))
    is_folded = "nodes drawn by source construct" in drawing
    if n_folded != len(kernels) if is_folded else (len(drawn) != len(kernels) or sum(us != "" for _, us in drawn) != n_timed):
        reasons.append(f"{n_folded or len(drawn)} kernels are drawn: {drawn[:3]}")
    told = {int(d["device"]): d for d in summary["devices"]}
    for device in {k.device for k in witness.kernels}:
        n = sum(k.device == device for k in witness.kernels) + len(witness.untimed)
        n_bytes = sum(d.bytes for d in witness.data if d.device == device and d.optype in (2, 3, 18))
        if told[device]["kernels"] != n or told[device]["transferred_bytes"] != n_bytes:
            reasons.append(f"the summary says {told[device]} of {n} kernels and {n_bytes} bytes")
    return "; ".join(filter(None, reasons[:5]))


def test_scenario(scenario):
    with alone(WORK / "device" / scenario) as work:
        report, name = Report(), f"device/{scenario}"
        status, repairs, quirks = SCENARIOS[scenario]
        result = run([DRIVER, RECORDER, scenario, work / "witness"], {"OTTER_DIR": str(work)})
        dumps = dumps_in(work)
        if scenario == "lingers" and any(any(d.glob("*.ring")) for d in dumps):
            result.status = "a ring is left"
        reason = result.why([0]) or (None if len(dumps) == 1 and not result.out and not result.err else f"{dumps} {result.out}{result.err}")
        if not report.check(f"{name}/record", reason):
            return report
        witness = Witness(work / "witness")
        out = work / "out"
        result, summary = build(dumps[0], out)
        reason = result.why([status])
        if not reason and (summary["repairs"] != repairs or summary["quirks"] != quirks or summary["lost"]["total"] != 0):
            reason = f"repairs {summary['repairs']}, quirks {summary['quirks']}, lost {summary['lost']}"
        if not report.check(f"{name}/build", reason):
            return report
        rows = listed(dumps[0])
        report.check(f"{name}/calls", wrong_calls(scenario, witness.calls, rows))
        report.check(f"{name}/archive", check_archive(out) or wrong_archive(scenario, witness, out, rows))
        report.check(f"{name}/graph", wrong_graph(scenario, witness, out, summary))
        result, fragments = build(dumps[0], work / "fragments", "--csv", "--summary", "--graph=fragment")
        report.check(f"{name}/path", result.why([status]) or path.flaw(Graph(work / "fragments"), fragments))
        if report.failed == 0 and "KEEP" not in os.environ:
            shutil.rmtree(work)
        return report


def main():
    need(RECORDER, BUILDER, DRIVER)
    return 0 if run_all(sys.argv[1:] or list(SCENARIOS), test_scenario) else 1


if __name__ == "__main__":
    sys.exit(main())
