# SPDX-License-Identifier: BSD-3-Clause
"""Is the critical path of a fragment graph the longest one? Used by run.py, on every program.

Worked out anew from nodes.csv and edges.csv alone: each node counts as long as what it executed (a kernel, an operation on data: by the device's
clock where nodes.csv has that; else busy_ns, and on a way blocked_ns, which is no work), the longest way to each node from its predecessors, in topological order.
"""


def length_ns(node):
    return work_ns(node) + int(node["blocked_ns"] or 0)


def work_ns(node):
    if node["kind"] in ("kernel", "data_op") and node["device_begin_ns"] and node["device_end_ns"]:
        return int(node["device_end_ns"]) - int(node["device_begin_ns"])
    return 0 if node["kind"] in ("unit_wait", "unit_join") else int(node["busy_ns"])


def longest(graph):
    """By node: how long the longest way to its end is."""
    length = {n["id"]: length_ns(n) for n in graph.nodes}
    until = dict.fromkeys(length, 0)
    for n in graph.order():
        for t in graph.next.get(n, ()):
            until[t] = max(until[t], until[n] + length[n])
    return {n: until[n] + length[n] for n in length}


def flaw(graph, summary):
    """None, or what is wrong with the path of one process's graph, by its tables and its summary."""
    path = summary["path"]
    chain = {int(n["path"]): n for n in graph.nodes if n["path"]}
    if path is None:
        return "there is no path"
    sound = summary["complete"] and not summary["repairs"] and not summary["damage"]
    if path["bound"] == "exact" and (path["reasons"] or not sound):
        return f"it is called exact, in spite of {path['reasons'] or 'what the summary says of the dump'}"
    if path["bound"] != "exact" and not path["reasons"]:
        return f"its bound is {path['bound']} without a reason"
    n_roots = sum(n["kind"] == "initial" and not n["parent"] for n in graph.nodes)
    if (n_roots > 1) != ("root_threads" in path["reasons"]):
        return f"the reasons are {path['reasons']} with {n_roots} initial tasks"
    if path["bound"] == "unknown":
        return "it is unknown, but on nodes" if chain else None
    excludes = path["exclusion"] or {"ns": 0, "serial_ns": 0}
    least = max(path["span_ns"], excludes["ns"] and excludes["ns"] + excludes["serial_ns"])
    if (path["exclusion"] is None) == ("mutual_exclusion" in path["reasons"]):
        return f"the reasons are {path['reasons']} where what excludes is {path['exclusion']}"
    if least and abs(path["parallelism_at_most"] - path["work_ns"] / least) > 1e-9:
        return f"parallelism is at most {path['parallelism_at_most']}, though {path['work_ns']} ns take {least} at least"
    if sorted(chain) != list(range(1, path["nodes"] + 1)):
        return f"{len(chain)} nodes are on it, the summary says {path['nodes']}"
    span, work = sum(map(length_ns, chain.values())), sum(map(work_ns, graph.nodes))
    if (span, work) != (path["span_ns"], path["work_ns"]):
        return f"its nodes add up to {span} of {work} ns, the summary says {path['span_ns']} of {path['work_ns']}"
    length = longest(graph)
    if max(length.values()) != span:
        return f"a way of {max(length.values())} ns is longer than its {span}"
    place = {n["id"]: i for i, n in chain.items()}
    wanted = {(chain[i]["id"], chain[i + 1]["id"]): str(i) for i in range(1, len(chain))}
    marked = {(s, t): p for (s, t, _), p in graph.places.items()}
    if marked != wanted:
        return f"edges.csv marks {sorted(set(marked.items()) ^ set(wanted.items()))[:3]} otherwise than nodes.csv"
    if any(s not in place for s, _ in wanted):
        return "it has an edge from nowhere"
    rows = {}
    for n in chain.values():
        count, ns = rows.get(n["label"], (0, 0))
        rows[n["label"]] = count + 1, ns + length_ns(n)
    told = {r["label"]: (r["count"], r["ns"]) for r in path["constructs"]}
    if rows != told:
        return f"by construct it is {rows}, the summary says {told}"
    operations = [n["id"] for _, n in sorted(chain.items()) if n["kind"] in ("kernel", "submit") or n["operation"].startswith("transfer")]
    if [str(o["node"]) for o in path["operations"]] != operations[:1000] or path["n_operations"] != len(operations):
        return f"the operations on it are {operations}, the summary says {path['operations']}"
    return None
