# SPDX-License-Identifier: BSD-3-Clause
"""Do the three levels of a program's graph tell the same? Used by run.py, on every program.

The scope level shows constructs that nest as pairs of nodes in their task's sequence, the fragment level each stretch between two scheduling
points as one. Either kind of node stands behind exactly one other, in sequence: taken into that one, node by node, the task graph must be
left, with the same nodes (kind, construct, place, task, region, times) and the same edges. At each level a summary alone, for which the graph is only
counted, says the same as one that is written beside the tables.
"""
import json
import shutil

from common import BUILDER, Graph, run

EXTRA = {"scope": ("scope_begin", "scope_end"), "fragment": ("fragment",)}
SAME = ("kind", "label", "file", "line", "function", "process", "task", "parent", "region", "flags", "state", "create_ns", "begin_ns")


def collapse(graph, extra):
    """The graph without its `extra` nodes: (nodes left, set of edges with their dependence), or a reason why that cannot be."""
    into = {}
    behind = {}
    for s, t, kind in graph.edges:
        behind.setdefault(t, []).append((s, kind))
    for node in graph.nodes:
        if node["kind"] not in extra:
            continue
        before = behind.get(node["id"], [])
        if [kind for _, kind in before] != ["sequence"]:
            return f"{node['kind']} node {node['id']} is reached by {[kind for _, kind in before]}"
        into[node["id"]] = before[0][0]

    def rest(n):
        while n in into:
            n = into[n]
        return n

    edges = {(rest(s), t, kind, graph.dependence.get((s, t, kind), "")) for s, t, kind in graph.edges if t not in into}
    return [n for n in graph.nodes if n["id"] not in into], edges


def differs(level, task_graph, other):
    """None if the other level's graph collapses to the task graph, else a reason."""
    collapsed = collapse(other, EXTRA[level])
    if isinstance(collapsed, str):
        return collapsed
    nodes, edges = collapsed
    if len(nodes) != len(task_graph.nodes):
        return f"{len(nodes)} nodes, not {len(task_graph.nodes)}"
    # Nodes are in the order in which the replay comes to them, whatever the level: the n-th one left is the task graph's n-th.
    name = {}
    for a, b in zip(nodes, task_graph.nodes):
        name[a["id"]] = b["id"]
        wrong = [key for key in SAME if a[key] != b[key] and key not in ("task", "parent")]
        if wrong:
            return f"node {a['id']} has {wrong[0]} {a[wrong[0]]}, not {b[wrong[0]]} as node {b['id']} of the task graph"
    for a, b in zip(nodes, task_graph.nodes):
        for key in ("task", "parent"):
            if name.get(a[key], "") != b[key]:
                return f"node {a['id']} has {key} {a[key]}, node {b['id']} of the task graph {b[key]}"
    renamed = {(name.get(s), name.get(t), *rest) for s, t, *rest in edges}
    wanted = {(s, t, kind, task_graph.dependence.get((s, t, kind), "")) for s, t, kind in task_graph.edges}
    for edge in sorted(wanted - renamed, key=str):
        return "the edge " + " ".join(edge) + f" of the task graph is missing, one of {len(wanted - renamed)}"
    for edge in sorted(renamed - wanted, key=str):
        return "the edge " + " ".join(map(str, edge)) + f" is not in the task graph, one of {len(renamed - wanted)}"
    return None


def wrong_counts(dump, level, out):
    """A summary alone counts nodes and edges without keeping them: None if it says what the one in `out` says, which was written with the tables."""
    directory = out.with_name(f"{out.name}-counted")
    shutil.rmtree(directory, ignore_errors=True)
    result = run([BUILDER, "-q", "--summary", f"--graph={level}", "-o", directory, dump])
    if result.why([0, 3]):
        return result.why([0, 3])
    alone, beside = (json.loads((d / "summary.json").read_text()) for d in (directory, out))
    wrong = [key for key in beside if alone[key] != beside[key]]
    return f"a summary alone has {wrong[0]} {alone[wrong[0]]}, beside the tables {beside[wrong[0]]}" if wrong else None


def wrong_levels(dumps, graphs, outs):
    """For each dump, its task graph and the directory of that: the other graphs by level, with their summaries, and a list of reasons."""
    others, wrong = {level: [] for level in EXTRA}, []
    for dump, graph, out in zip(dumps, graphs, outs):
        reason = wrong_counts(dump, "task", out)
        if reason:
            wrong.append(f"task: {reason}")
        for level in EXTRA:
            directory = out.with_name(f"{out.name}-{level}")
            shutil.rmtree(directory, ignore_errors=True)
            result = run([BUILDER, "-q", "--csv", "--summary", f"--graph={level}", "-o", directory, dump])
            reason = result.why([0, 3])
            if not reason:
                other = Graph(directory)
                other.summary = json.loads((directory / "summary.json").read_text())
                others[level].append(other)
                reason = other.flaw(complete=False) or differs(level, graph, other) or wrong_counts(dump, level, directory)
            if reason:
                wrong.append(f"{level}: {reason} ({directory})")
    return others, wrong
