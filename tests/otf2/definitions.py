# SPDX-License-Identifier: BSD-3-Clause
"""Reads the archive's global definitions, and checks their order, numbers, references and uniqueness meanwhile."""
import re

import _otf2

UNDEFINED = 0xFFFFFFFF
# Role of a region -> the attributes that its Enter and its Leave must have.
MEMORY = {_otf2.REGION_ROLE_ALLOCATE: ("ALLOCATION_SIZE", "RESULT_ADDRESS"), _otf2.REGION_ROLE_DEALLOCATE: ("ARGUMENT_ADDRESS", None)}


class Definitions:
    KINDS = ("String", "Attribute", "SystemTreeNode", "LocationGroup", "Region", "Group", "Comm", "RmaWin", "Parameter", "Paradigm",
             "MetricMember", "MetricClass")

    def __init__(self, report):
        self.report = report
        self.clock = None
        self.tables = {kind: {} for kind in self.KINDS}
        self.contents = {kind: set() for kind in self.KINDS}
        self.used = {kind: set() for kind in self.KINDS}
        self.locations = {}  # ref -> (name, number of events, location group)
        self.attribute_names = {}
        self.memory = {}  # region -> the attributes that its Enter and its Leave must have
        self.comm_locations = {}  # paradigm -> locations
        self.group_paradigms = {}
        self.unit_comms = set()  # communicators of a paradigm whose threads are created and waited for
        self.processes = {}  # location group -> its process's: itself, or the creator of an accelerator
        self.recorders = set()  # (metric class, location)

    def refer(self, kind, ref, what, may_be_undefined=False):
        if may_be_undefined and ref == UNDEFINED:
            return
        self.used[kind].add(ref)
        if ref not in self.tables[kind]:
            self.report.add("DEF-REF", f"{what} refers to {kind} {ref}, which is not defined before it")

    def refer_location(self, ref, what):
        if ref not in self.locations:
            self.report.add("DEF-REF", f"{what} refers to location {ref:#x}, which is not defined before it")

    def refer_value(self, kind, value, what):
        if kind == _otf2.TYPE_STRING:
            self.refer("String", value.stringRef, what)

    def define(self, kind, ref, value, content=None):
        """
        content: what no other definition of this kind may have. None for regions and groups, which may be alike: those of two
        addresses, those of two teams.
        """
        table = self.tables[kind]
        if ref in table:
            self.report.add("DEF-DUP", f"{kind} {ref} is defined twice")
        elif kind != "Paradigm" and ref != len(table):
            self.report.add("DEF-DENSE", f"{kind} {ref} comes where {len(table)} should")
        elif content is not None and content in self.contents[kind]:
            self.report.add("DEF-DUP", f"{kind} {ref} is the same as an earlier one")
        if content is not None:
            self.contents[kind].add(content)
        table[ref] = value

    # ---- A function for each kind of definition ----

    def on_clock_properties(self, resolution, offset, length, realtime):
        if self.clock is not None:
            self.report.add("DEF-DUP", "two ClockProperties")
        self.clock = (resolution, offset, length, realtime)

    def on_string(self, ref, text):
        self.define("String", ref, text, text)

    def on_paradigm(self, ref, name, kind):
        self.refer("String", name, "a paradigm")
        self.define("Paradigm", ref, kind)

    def on_paradigm_property(self, ref, name, kind, value):
        self.refer("Paradigm", ref, "a paradigm's property")
        self.refer_value(kind, value, "a paradigm's property")

    def on_attribute(self, ref, name, description, kind):
        self.refer("String", name, f"attribute {ref}")
        self.refer("String", description, f"attribute {ref}")
        self.define("Attribute", ref, kind, name)
        self.attribute_names[ref] = self.tables["String"].get(name)

    def on_system_tree_node(self, ref, name, kind, parent):
        self.refer("String", name, f"node {ref}")
        self.refer("String", kind, f"node {ref}")
        self.refer("SystemTreeNode", parent, f"node {ref}", True)
        self.define("SystemTreeNode", ref, name)

    def on_system_tree_node_property(self, ref, name, kind, value):
        if ref not in self.tables["SystemTreeNode"]:
            self.report.add("DEF-REF", f"a property of node {ref}, which is not defined before it")
        self.refer("String", name, "a node's property")
        self.refer_value(kind, value, "a node's property")

    def on_system_tree_node_domain(self, ref, domain):
        if ref not in self.tables["SystemTreeNode"]:
            self.report.add("DEF-REF", f"a domain of node {ref}, which is not defined before it")

    def on_location_group(self, ref, name, kind, parent, creator):
        self.refer("String", name, f"location group {ref}")
        self.refer("SystemTreeNode", parent, f"location group {ref}")
        self.refer("LocationGroup", creator, f"location group {ref}", True)
        is_device = kind == _otf2.LOCATION_GROUP_TYPE_ACCELERATOR
        if is_device != (self.processes.get(creator) == creator):
            self.report.add("LG-CREATOR", f"location group {ref} is made by {creator:#x}")
        self.processes[ref] = creator if is_device else ref
        self.define("LocationGroup", ref, name)

    def on_location_group_property(self, ref, name, kind, value):
        self.refer("LocationGroup", ref, "a location group's property")
        self.refer("String", name, "a location group's property")
        self.refer_value(kind, value, "a location group's property")

    def on_location(self, ref, name, kind, n_events, group):
        self.refer("String", name, f"location {ref:#x}")
        self.refer("LocationGroup", group, f"location {ref:#x}")
        if ref in self.locations:
            self.report.add("DEF-DUP", f"location {ref:#x} is defined twice")
        if (kind == _otf2.LOCATION_TYPE_ACCELERATOR_STREAM) != self.is_device_group(group):
            self.report.add("LOC-GROUP", f"location {ref:#x} is not of its location group's kind")
        self.locations[ref] = (name, n_events, group)

    def is_device_group(self, group):
        return self.processes.get(group, group) != group

    def is_device(self, location):
        return location in self.locations and self.is_device_group(self.locations[location][2])

    def on_location_property(self, ref, name, kind, value):
        self.refer_location(ref, "a location's property")
        self.refer("String", name, "a location's property")
        self.refer_value(kind, value, "a location's property")

    def on_region(self, ref, name, canonical, description, role, paradigm, flags, source, begin, end):
        for text in (name, canonical, description, source):
            self.refer("String", text, f"region {ref}")
        self.refer("Paradigm", paradigm, f"region {ref}")
        if self.tables["String"].get(name) in ("", b""):
            self.report.add("REGION", f"region {ref} has no name")
        self.define("Region", ref, (name, role))
        if role in MEMORY:
            self.memory[ref] = MEMORY[role]

    def on_group(self, ref, name, kind, paradigm, flags, members):
        self.refer("String", name, f"group {ref}")
        self.refer("Paradigm", paradigm, f"group {ref}")
        if len(set(members)) != len(members):
            self.report.add("GROUP", f"group {ref} has a member twice")
        if kind == _otf2.GROUP_TYPE_COMM_LOCATIONS:
            if paradigm in self.comm_locations:
                self.report.add("GROUP", "two groups of all locations")
            self.comm_locations[paradigm] = list(members)
            for member in members:
                self.refer_location(member, f"group {ref}")
            self.used["Group"].add(ref)
            self.define("Group", ref, (kind, None))
            return
        self.group_paradigms[ref] = paradigm
        if kind != _otf2.GROUP_TYPE_COMM_GROUP:
            self.report.add("GROUP", f"group {ref} is of a kind that no team has")
        everybody = self.comm_locations.get(paradigm, [])
        for member in members:
            if member >= len(everybody):
                self.report.add("GROUP", f"group {ref} has member {member} of {len(everybody)} locations")
        self.define("Group", ref, (kind, [everybody[m] for m in members if m < len(everybody)]))

    def on_comm(self, ref, name, group, parent, flags):
        self.refer("String", name, f"comm {ref}")
        self.refer("Group", group, f"comm {ref}")
        self.refer("Comm", parent, f"comm {ref}", True)
        members = self.tables["Group"].get(group, (None, None))[1]
        if members is None:
            self.report.add("COMM", f"comm {ref} is not of a team's group")
        elif not members:
            self.report.add("COMM", f"comm {ref} has no member")
        elif len({self.processes.get(self.locations[m][2]) for m in members if m in self.locations}) > 1:
            self.report.add("COMM", f"comm {ref} has members of several processes")
        if self.is_of_units(group):
            self.unit_comms.add(ref)
        self.define("Comm", ref, (members or [], parent), (name, tuple(members or ()), parent))

    def is_of_units(self, group):
        """Is it a communicator of a paradigm whose threads are created and waited for?"""
        paradigm = self.group_paradigms.get(group)
        return paradigm in self.tables["Paradigm"] and self.tables["Paradigm"][paradigm] == _otf2.PARADIGM_CLASS_THREAD_CREATE_WAIT

    def on_rma_win(self, ref, name, comm, flags):
        self.refer("String", name, f"window {ref}")
        self.refer("Comm", comm, f"window {ref}")
        self.define("RmaWin", ref, self.tables["Comm"].get(comm, ([], None))[0])

    def on_parameter(self, ref, name, kind):
        self.refer("String", name, f"parameter {ref}")
        self.define("Parameter", ref, kind, name)

    def on_metric_member(self, ref, name, description, kind, mode, value_type, base, exponent, unit):
        """A description of the form "NUMBER=NAME ..." lists all values that a metric may have."""
        for text in (name, description, unit):
            self.refer("String", text, f"metric member {ref}")
        text = self.tables["String"].get(description, "")
        text = text.decode() if isinstance(text, bytes) else text
        names = {int(n) for n in re.findall(r"(\d+)=", text)} if re.fullmatch(r"\d+=\w+( \d+=\w+)*", text) else None
        self.define("MetricMember", ref, (value_type, mode == _otf2.METRIC_ABSOLUTE_NEXT, names), name)

    def on_metric_class(self, ref, members, occurrence, recorder):
        for member in members:
            self.refer("MetricMember", member, f"metric class {ref}")
        self.define("MetricClass", ref, [self.tables["MetricMember"].get(member) for member in members])

    def on_metric_class_recorder(self, ref, location):
        self.refer("MetricClass", ref, "a metric's recorder")
        self.refer_location(location, "a metric's recorder")
        if (ref, location) in self.recorders:
            self.report.add("DEF-DUP", f"location {location:#x} records metric class {ref} twice")
        self.recorders.add((ref, location))

    def on_unknown(self):
        self.report.add("DEF-UNKNOWN", "a definition of an unknown kind")

    def callbacks(self):
        """
        OTF2's name of a kind of definition -> its function. Each is a function of its own, because the binding stores its C
        callback in it.
        """
        return (("ClockProperties", lambda _, *values: self.on_clock_properties(*values)),
                ("String", lambda _, *values: self.on_string(*values)),
                ("Paradigm", lambda _, *values: self.on_paradigm(*values)),
                ("ParadigmProperty", lambda _, *values: self.on_paradigm_property(*values)),
                ("Attribute", lambda _, *values: self.on_attribute(*values)),
                ("SystemTreeNode", lambda _, *values: self.on_system_tree_node(*values)),
                ("SystemTreeNodeProperty", lambda _, *values: self.on_system_tree_node_property(*values)),
                ("SystemTreeNodeDomain", lambda _, *values: self.on_system_tree_node_domain(*values)),
                ("LocationGroup", lambda _, *values: self.on_location_group(*values)),
                ("LocationGroupProperty", lambda _, *values: self.on_location_group_property(*values)),
                ("Location", lambda _, *values: self.on_location(*values)),
                ("LocationProperty", lambda _, *values: self.on_location_property(*values)),
                ("Region", lambda _, *values: self.on_region(*values)),
                ("Group", lambda _, *values: self.on_group(*values)),
                ("Comm", lambda _, *values: self.on_comm(*values)),
                ("RmaWin", lambda _, *values: self.on_rma_win(*values)),
                ("Parameter", lambda _, *values: self.on_parameter(*values)),
                ("MetricMember", lambda _, *values: self.on_metric_member(*values)),
                ("MetricClass", lambda _, *values: self.on_metric_class(*values)),
                ("MetricClassRecorder", lambda _, *values: self.on_metric_class_recorder(*values)),
                ("Unknown", lambda _, *values: self.on_unknown(*values)))

    def read(self, reader):
        callbacks = _otf2.GlobalDefReaderCallbacks_New()
        functions = self.callbacks()
        for name, function in functions:
            getattr(_otf2, f"GlobalDefReaderCallbacks_Set{name}Callback")(callbacks, function)
        handle = _otf2.Reader_GetGlobalDefReader(reader)
        _otf2.Reader_RegisterGlobalDefCallbacks(reader, handle, callbacks, None)
        _otf2.Reader_ReadAllGlobalDefinitions(reader, handle)
        _otf2.GlobalDefReaderCallbacks_Delete(callbacks)
        _otf2.Reader_CloseGlobalDefReader(reader, handle)
        if self.clock is None:
            self.report.add("CLOCK", "no ClockProperties")
        if self.tables["String"].get(0) not in ("", b""):
            self.report.add("STRING-NULL", "string 0 is not the empty one")
        threads = {ref for ref in self.locations if not self.is_device(ref)}
        if set(self.comm_locations.get(_otf2.PARADIGM_OPENMP, threads)) != threads:
            self.report.add("GROUP", "the group of all threads does not hold all of them, and them alone")
