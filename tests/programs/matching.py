# SPDX-License-Identifier: BSD-3-Clause
"""Finds the events of a program's order (must.py) among the nodes of its graph.

compare.py calls Match. It goes down from the initial task. The children of a task that come from one line are in the
order of their creation, its synchronisations in the order in which they began. Of gcc's programs lines may be another
construct's: there the order of all of its children decides, and what the program noted of which thread executes a single or a
part. A node that the text does not have is a difference, and so is one that the graph lacks.
"""
from collections import Counter, defaultdict

from statements import BEGINS, ENDS

SYNCS = ("taskwait", "taskgroup", "region")
KINDS = ("task", *SYNCS)
LOOPS = ("tasks", "taskloop")  # their nodes may have no line: LLVM's runtime gives no address for nogroup


class Match:
    """nodes: the nodes of each event (several, where the text leaves the number of tasks open). wrong: differences."""

    def __init__(self, order, graph, file, fragments, notes=None):
        """`file`: name of the source. `fragments`: the graph has the level of fragments, where ends of tasks are nodes.
        `notes`: (stream, ns, command, code) of what the program noted, if lines do not decide."""
        self.graph, self.file, self.notes = graph, file, notes
        self.nodes, self.wrong, self.names = {}, [], {}
        self.row = {n["id"]: n for n in graph.nodes}
        self.left = {n["id"] for n in graph.nodes if n["kind"] in (*KINDS, "barrier", "implicit")}
        self.of_task = defaultdict(lambda: defaultdict(list))    # task -> kind -> its children, its synchronisations
        self.of_region = defaultdict(lambda: defaultdict(list))  # region -> kind -> implicit tasks, barriers, joins
        for n in sorted(graph.nodes, key=lambda n: (time_of(n), int(n["id"]))):
            if n["kind"] == "task":
                self.of_task[n["parent"]]["task"].append(n)
            elif n["kind"] in SYNCS:
                self.of_task[n["task"]][n["kind"]].append(n)
            elif n["kind"] in ("implicit", "barrier", "join"):
                self.of_region[n["region"]][n["kind"]].append(n)
        self.last = self.last_fragments() if fragments else {}
        self.complete = {n["task"]: n["id"] for n in graph.nodes if n["kind"] == "task_end"}
        first = next((n["id"] for n in graph.nodes if n["kind"] == "initial"), None)
        if first is None:
            self.wrong.append("there is no initial task")
            return
        self.task(order.initial, first)
        self.wrong += [f"{self.name(n)} is not in the text" for n in sorted(self.left, key=int)]

    def last_fragments(self):
        """task -> its last node: the one from which no sequence leads on in the task."""
        goes_on = {s for s, t, kind in self.graph.edges if kind == "sequence" and self.row[t]["kind"] != "task_end"}
        last = defaultdict(list)
        for n in self.graph.nodes:
            is_task = n["task"] and self.row[n["task"]]["kind"] == "task"
            if is_task and n["kind"] not in ("region", "task_end") and n["id"] not in goes_on:
                last[n["task"]].append(n["id"])
        self.wrong += [f"task {task} has {len(ids)} ends" for task, ids in last.items() if len(ids) > 1]
        return {task: ids[0] for task, ids in last.items()}

    def name(self, node):
        n = self.row[node]
        return self.names.get(node, n["label"]) + f" (node {node})"

    def put(self, event, node):
        self.nodes.setdefault(event, []).append(node)
        self.left.discard(node)

    def task(self, instance, node):
        self.put(instance.begin, node)
        if self.last.get(node, node) != node:
            self.put(instance.end, self.last[node])
            self.names[self.last[node]] = "end of " + self.row[node]["label"]
        if node in self.complete:
            self.put(instance.done, self.complete[node])
            self.names[self.complete[node]] = "completion of " + self.row[node]["label"]
        self.entries(instance.flow.entries, self.of_task[node])

    def entries(self, entries, found):
        """What a flow did: `found` has the nodes by kind."""
        lines = {kind: defaultdict(list) for kind in KINDS}
        for kind, line, what in entries:
            kind_of_node = kind if kind in SYNCS else "task"
            lines[kind_of_node][0 if self.notes is not None else line].append((kind, what))
        for kind, by_line in lines.items():
            for line, what in by_line.items():
                nodes = [n for n in found[kind] if n["id"] in self.left and (line == 0 or self.is_at(n, line))]
                if not nodes and what[0][0] in LOOPS:
                    n_tasks = sum(len(w) for _, w in what)  # the next ones may be another taskloop's
                    nodes = [n for n in found[kind] if n["id"] in self.left and not n["line"]][:n_tasks]
                self.same_line(kind, line, what, nodes)

    def is_at(self, node, line):
        if line is None:
            return not node["line"]
        return node["line"] == str(line) and node["file"].endswith(self.file)

    def same_line(self, kind, line, what, nodes):
        if kind in ("task", "region"):
            use = self.task if kind == "task" else self.region
            if what[0][0] == "tasks":  # as many as there are
                what = what * len(nodes)
            self.pair(kind, line, [x for k, w in what for x in (w if k in LOOPS else [w])], nodes, use)
            return
        events = [w for _, w in what]
        if len(events) != len(nodes):  # a runtime need not report those that are None
            events = [e for e in events if e is not None]
        self.pair(kind, line, events, nodes, self.sync)

    def sync(self, event, node):
        if event is None:
            self.left.discard(node)
        else:
            self.put(event, node)

    def pair(self, kind, line, what, nodes, use):
        if len(what) != len(nodes):
            self.wrong.append(f"line {line} has {len(nodes)} nodes {kind}, not {len(what)}")
        for w, n in zip(what, nodes):
            use(w, n["id"])

    # Teams.

    def region(self, team, node):
        self.put(team.fork, node)
        found = self.of_region[self.row[node]["region"]]
        implicits = [n["id"] for n in found["implicit"]]
        if len(implicits) != team.size or len(found["join"]) != 1:
            self.wrong.append(f"{self.name(node)} has {len(implicits)} members, not {team.size}, and {len(found['join'])} joins")
            self.left -= set(implicits)
            return
        self.put(team.join, found["join"][0]["id"])
        self.barriers(team, node, found["barrier"])
        virtual = [flow for flow in team.flows if flow.task is None]
        if self.notes is None:
            everything = {kind: [n for i in implicits for n in self.of_task[i][kind]] for kind in KINDS}
            for flow in virtual:
                self.entries(flow.entries, everything)
            known = {}
        else:
            known = self.noted(team, virtual, implicits)
        for member, implicit in zip(team.members, self.who_is_who(team, implicits, node, known)):
            self.task(member, implicit)

    def barriers(self, team, node, found):
        """gcc leaves out the barrier of a construct at the region's end, and a team of one needs none."""
        wanted = team.barriers
        if len(found) <= len(wanted) - len(team.spare):
            wanted = [event for event in wanted if event not in team.spare]
        missing = len(wanted) - len(found)
        if missing < 0 or missing > (self.notes is not None) and team.size > 1:
            self.wrong.append(f"{self.name(node)} has {len(found)} barriers, not {len(wanted)}")
        for event, n in zip(wanted, found):
            if missing == 0 or missing == 1 and team.size > 1:
                self.put(event, n["id"])
            self.left.discard(n["id"])

    def noted(self, team, virtual, implicits):
        """Finds what was created and waited for in each body that the program noted. Returns member -> implicit task."""
        flows, known = {flow.code: flow for flow in virtual}, {}
        for implicit in implicits:
            stream, began = int(self.row[implicit]["stream"]), {}
            begin, end = self.time_in_region(self.row[implicit])
            for at, ns, command, code in self.notes:
                if at != stream or not begin <= ns < end:
                    continue
                if command == BEGINS:
                    began[code] = ns
                    if code in team.codes:
                        known[team.codes[code]] = implicit
                elif command == ENDS and code in flows:
                    did = {kind: [n for n in self.of_task[implicit][kind] if began[code] <= time_of(n) <= ns] for kind in KINDS}
                    self.entries(flows.pop(code).entries, did)
        self.wrong += [f"nobody executed the body {code // 8}.{code % 8}" for code in flows]
        return known

    def time_in_region(self, implicit):
        """From its begin until its thread enters a region of the same text again. Two of them may overlap: a thread that
        leaves one early may be in another one's team while the first goes on. Where a loop is unrolled, regions of one
        text have several addresses: what the same task met next is after this one, whatever it is."""
        begin = time_of(implicit)
        later = [time_of(n) for n in self.graph.nodes if n["kind"] == "implicit" and time_of(n) > begin
                 and n["stream"] == implicit["stream"]
                 and (n["construct"] == implicit["construct"] or n["parent"] == implicit["parent"])]
        return begin, min(later, default=float("inf"))

    def who_is_who(self, team, implicits, region, known):
        """The implicit tasks in the order of the text's members: what each did alone tells, and member 0 is on the thread
        that met the region. Members that do the same things are alike."""
        tasks = [n for i in implicits for n in self.of_task[i]["task"]]
        bare = {line for member in team.members for kind, line, _ in member.flow.entries
                if kind in LOOPS and not any(self.is_at(n, line) for n in tasks)}
        does = [[(kind, "" if line in bare else str(line), what) for kind, line, what in member.flow.entries] for member in team.members]
        does = [[(kind, "" if line == "None" else line, what) for kind, line, what in entries] for entries in does]
        lines = {line for entries in does for _, line, _ in entries}
        did = {i: Counter((kind, n["line"]) for kind in KINDS for n in self.of_task[i][kind] if n["line"] in lines) for i in implicits}
        stream = self.row[region]["stream"]
        left = sorted((i for i in implicits if i not in known.values()), key=lambda i: self.row[i]["stream"] != stream)
        chosen = []
        for number, member in enumerate(team.members):
            fit = known.get(number)
            if fit is None:
                fit = next((i for i in left if self.notes is None and alike(does[number], did[i])), left[0])
                left.remove(fit)
            chosen.append(fit)
        return chosen


def time_of(node):
    return int(node["create_ns"] or node["begin_ns"] or 0)


def alike(entries, did):
    """Did an implicit task what the text says of a member, by kinds and lines?"""
    least, most = Counter(), Counter()
    for kind, line, what in entries:
        key = kind if kind in SYNCS else "task", line
        least[key] += len(what) if kind == "taskloop" else what is not None
        most[key] += len(what) if kind == "taskloop" else 10**6 if kind == "tasks" else 1
    return all(least[key] <= did[key] <= most[key] for key in least.keys() | did.keys())
