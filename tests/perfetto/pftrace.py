# SPDX-License-Identifier: BSD-3-Clause
"""Reads a trace.pftrace by protoc, with the fields that trace.proto names. Used by tests/perfetto.py."""
import collections
import pathlib
import re
import subprocess

PROTO = pathlib.Path(__file__).resolve().parent
NAMES = {"names": "event_names", "annotations": "debug_annotation_names", "texts": "debug_annotation_string_values", "categories": "event_categories"}
PLACE = {"file": "file_name", "line": "line_number", "function": "function_name"}
WORDS = re.compile(r'"((?:[^"\\]|\\.)*)"')


def parse(text):
    """The messages of protoc's text, as {field: [values]}; None and a reason where a field is not named."""
    stack = [collections.defaultdict(list)]
    for line in text.splitlines():
        line = line.strip()
        if line[:1].isdigit():
            raise ValueError(f"a field that trace.proto does not name: {line}")
        if line.endswith("{"):
            message = collections.defaultdict(list)
            stack[-1][line[:-1].strip()].append(message)
            stack.append(message)
        elif line == "}":
            stack.pop()
        else:
            name, value = line.split(": ", 1)
            word = WORDS.fullmatch(value)
            stack[-1][name].append(word.group(1) if word else True if value == "true" else float(value) if "." in value or "e" in value else int(value))
    return stack[0]


class Trace:
    """One file: tracks, and what is on them in ns of the real time."""

    def __init__(self, path):
        with open(path, "rb") as file:
            decoded = subprocess.run(["protoc", "--decode=Trace", "-I", PROTO, "trace.proto"], stdin=file, capture_output=True, text=True)
        if decoded.returncode != 0:
            raise ValueError(f"protoc: {decoded.stderr.strip()}")
        self.tracks, self.slices, self.counters, self.flows, self.ends, self.instants = {}, [], collections.defaultdict(list), {}, {}, 0
        packets = parse(decoded.stdout)["packet"]
        head = packets[0]["clock_snapshot"][0]
        if head["primary_trace_clock"] != [1] or [c["clock_id"] for c in head["clocks"]] != [[1], [3]]:
            raise ValueError("the first packet does not say what the time is")
        self.sequences, opened = {}, {}
        for packet in packets[1:]:
            self.take(packet, opened)
        if opened:
            raise ValueError(f"{len(opened)} slices do not end")

    def take(self, packet, opened):
        for track in packet["track_descriptor"]:
            if track["uuid"][0] in self.tracks:
                raise ValueError("a track comes twice")
            self.tracks[track["uuid"][0]] = track
        if not packet["trusted_packet_sequence_id"]:
            return
        number = packet["trusted_packet_sequence_id"][0]
        for snapshot in packet["clock_snapshot"]:
            clocks = {c["clock_id"][0]: c["timestamp"][0] for c in snapshot["clocks"]}
            if clocks[1] != clocks[64] or number in self.sequences:
                raise ValueError("the clock of a sequence is not the others'")
            self.sequences[number] = {"time": clocks[64]}
        sequence = self.sequences[number]
        if packet["sequence_flags"] == [1]:
            sequence["track"] = packet["trace_packet_defaults"][0]["track_event_defaults"][0]["track_uuid"][0]
            data = packet["interned_data"][0]
            for key, field in NAMES.items():
                sequence[key] = {n["iid"][0]: n["name"][0] for n in data[field]}
            sequence["places"] = {p["iid"][0]: {key: p[field][0] for key, field in PLACE.items() if p[field]} for p in data["source_locations"]}
        for event in packet["track_event"]:
            sequence["time"] += packet["timestamp"][0]
            self.event(event, sequence["time"], sequence, opened)

    def event(self, event, time, sequence, opened):
        track = event["track_uuid"][0] if event["track_uuid"] else sequence["track"]
        if track not in self.tracks:
            raise ValueError("an event on no track")
        kind = event["type"][0]
        if kind == 1:
            name = event["name"][0] if event["name"] else sequence["names"][event["name_iid"][0]]
            notes = {sequence["annotations"][a["name_iid"][0]]: (a["uint_value"] + a["bool_value"] + [sequence["texts"][i] for i in a["string_value_iid"]])[0]
                     for a in event["debug_annotations"]}
            notes.update(sequence["places"][event["source_location_iid"][0]] if event["source_location_iid"] else {})
            notes.update({"kind": sequence["categories"][i] for i in event["category_iids"]})
            if track in opened:
                raise ValueError("a slice begins in another one")
            opened[track] = {"track": track, "name": name, "begin": time, **notes}
        elif kind == 2:
            slice_ = opened.pop(track)
            slice_["end"] = time
            self.slices.append(slice_)
        elif kind == 3:
            self.instants += 1
        elif kind == 4:
            self.counters[track].append((time, event["double_counter_value"][0]))
        for side, ids in ((self.flows, event["flow_ids"]), (self.ends, event["terminating_flow_ids"])):
            for flow in ids:
                flow = int(flow)
                if flow in side:
                    raise ValueError(f"flow {flow:#x} begins or ends twice")
                side[flow] = (time, opened[track])

    def check_flows(self):
        if self.flows.keys() != self.ends.keys():
            return f"{len(self.flows.keys() ^ self.ends.keys())} flows have one end"
        bad = [f for f in self.flows if self.flows[f][0] > self.ends[f][0]]
        return f"{len(bad)} flows end before they begin" if bad else None

    def path(self, track):
        """The process, and the names of the track and of those around it."""
        names, at = [], track
        while at is not None:
            t = self.tracks[at]
            names.append((t["name"] or [None])[0] or (t["thread"] and t["thread"][0]["thread_name"][0]) or t["process"][0]["process_name"][0])
            process = at >> 32
            at = t["parent_uuid"][0] if t["parent_uuid"] else None
        return process - 1, tuple(names[:-1])
