# SPDX-License-Identifier: BSD-3-Clause
"""Do the three levels of a program's graph tell the same? Used by run.py, on every program.

The scope level shows constructs that nest as pairs of nodes in their task's sequence, the fragment level each stretch between two scheduling
points as one. Either kind of node stands after exactly one other, in sequence: taken into that one, node by node, the task graph must be
left, with the same nodes (kind, construct, place, task, region, times) and the same edges. What is ordered by an undeferred task, or by the task that fulfils
an event, has other edges at each level, and a task that ends with it has a node for its end: there the same nodes must be reached. At each level a
summary alone, for which the graph is only counted, says the same as one that is written beside the tables.
"""
import json
import shutil

from common import BUILDER, Graph, run

EXTRA = {"task": ("task_end",), "scope": ("scope_begin", "scope_end", "task_end"), "fragment": ("fragment", "task_end")}
ORDERS = ("undeferred", "fulfill")
FRAGMENTS = ("doacross",)  # edges between fragments of tasks, which the other levels do not divide
SAME = ("kind", "label", "file", "line", "function", "process", "task", "parent", "region", "flags", "state", "create_ns", "begin_ns")


def collapse(graph, extra):
    """The graph without its `extra` nodes and the edges that differ: (nodes left, set of edges with their dependence, by extra node the one that it
    is taken into), or a reason why that cannot be."""
    into = {}
    behind = {}
    for s, t, kind in graph.edges:
        behind.setdefault(t, []).append((s, kind))
    for node in graph.nodes:
        if node["kind"] not in extra:
            continue
        before = [s for s, kind in behind.get(node["id"], []) if kind == "sequence"]
        others = [kind for _, kind in behind.get(node["id"], []) if kind not in ("sequence", *ORDERS, *FRAGMENTS)]
        if len(before) != 1 or others:
            return f"{node['kind']} node {node['id']} is reached by {len(before)} in sequence, and {others}"
        into[node["id"]] = before[0]

    def rest(n):
        while n in into:
            n = into[n]
        return n

    edges = {(rest(s), t, kind, graph.dependence.get((s, t, kind), "")) for s, t, kind in graph.edges if t not in into and kind not in ORDERS}
    return [n for n in graph.nodes if n["id"] not in into], edges, rest


def orders_differ(task_graph, other, name, rest, other_rest):
    """What comes after an undeferred task, or after who fulfils an event, does so at both levels. `name`: of each node that is left of the other graph
    the task graph's. None or a reason."""
    known = {b: a for a, b in name.items()}
    sources = sorted({rest(s) for s, _, kind in task_graph.edges if kind in ORDERS} | {name[other_rest(s)] for s, _, kind in other.edges if kind in ORDERS})
    if not sources:
        return None
    reached, others = task_graph.reach(sources), other.reach([known[s] for s in sources])
    for a, b in name.items():
        if reached[b] != others[a]:
            first = sources[((reached[b] ^ others[a]) & -(reached[b] ^ others[a])).bit_length() - 1]
            where = "the task graph alone" if reached[b] & ~others[a] else "this graph alone"
            return f"node {b} of the task graph comes after its node {first} in {where}"
    return None


def differs(level, task_graph, other):
    """None if the other level's graph collapses to the task graph, else a reason."""
    collapsed, wanted = collapse(other, EXTRA[level]), collapse(task_graph, EXTRA["task"])
    if isinstance(collapsed, str) or isinstance(wanted, str):
        return collapsed if isinstance(collapsed, str) else f"the task graph's {wanted}"
    nodes, edges, other_rest = collapsed
    wanted_nodes, wanted, rest = wanted
    if len(nodes) != len(wanted_nodes):
        return f"{len(nodes)} nodes, not {len(wanted_nodes)}"
    # Nodes are in the order in which the replay comes to them, whatever the level: the n-th one left is the task graph's n-th.
    name = {}
    for a, b in zip(nodes, wanted_nodes):
        name[a["id"]] = b["id"]
        wrong = [key for key in SAME if a[key] != b[key] and key not in ("task", "parent")]
        if wrong:
            return f"node {a['id']} has {wrong[0]} {a[wrong[0]]}, not {b[wrong[0]]} as node {b['id']} of the task graph"
    for a, b in zip(nodes, wanted_nodes):
        for key in ("task", "parent"):
            if name.get(a[key], "") != b[key]:
                return f"node {a['id']} has {key} {a[key]}, node {b['id']} of the task graph {b[key]}"
    renamed = {(name.get(s), name.get(t), *more) for s, t, *more in edges}
    for edge in sorted(wanted - renamed, key=str):
        return "the edge " + " ".join(edge) + f" of the task graph is missing, one of {len(wanted - renamed)}"
    for edge in sorted(renamed - wanted, key=str):
        return "the edge " + " ".join(map(str, edge)) + f" is not in the task graph, one of {len(renamed - wanted)}"
    return orders_differ(task_graph, other, name, rest, other_rest)


def wrong_counts(dump, level, out):
    """A summary alone counts nodes and edges without keeping them, and needs no names of constructs: None if it says what
    the one in `out` says, which was written with the tables."""
    directory = out.with_name(f"{out.name}-counted")
    shutil.rmtree(directory, ignore_errors=True)
    result = run([BUILDER, "-q", "--summary", f"--graph={level}", "-o", directory, dump])
    if result.why([0, 3]):
        return result.why([0, 3])
    alone, beside = (json.loads((d / "summary.json").read_text()) for d in (directory, out))
    wrong = [key for key in beside if key != "binaries" and alone.get(key) != beside[key]]
    return f"a summary alone has {wrong[0]} {alone.get(wrong[0])}, beside the tables {beside[wrong[0]]}" if wrong else None


def wrong_levels(dumps, graphs, outs):
    """For each dump, its task graph and the directory of that: the other graphs by level, with their summaries, and a list of reasons."""
    others, wrong = {level: [] for level in EXTRA if level != "task"}, []
    for dump, graph, out in zip(dumps, graphs, outs):
        reason = wrong_counts(dump, "task", out)
        if reason:
            wrong.append(f"task: {reason}")
        for level in others:
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
