#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `otter-build --graphml` writes, read by networkx and igraph, against nodes.csv and edges.csv of the same dump: the same
nodes and edges with the same columns, numbers as numbers; names full of markup and control characters; and, with more than a
million nodes, the folded graph.

Usage: graphml.py
"""
import warnings

from common import *

NAME, PLACE, report = "graphml", WORK / "graphml", Report()

PROGRAM = FIB + r"""
#include <stdlib.h>
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
#pragma omp parallel
#pragma omp single
	fib(n);
}
"""


def record(name, argument):
    source = PLACE / f"{name}.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(PROGRAM)
    if compile_c(source, PLACE / "program").status != 0:
        return None
    run([LAUNCHER, "-q", "--", PLACE / "program", argument], {"OTTER_DIR": empty(PLACE / "dumps"), "OMP_NUM_THREADS": "2"})
    return dumps_in(PLACE / "dumps")


def table(name):
    with open(PLACE / "out" / name, newline="") as file:
        return list(csv.DictReader(file))


def same(mine, row):
    """Do the attributes have the fields of the row, and numbers as numbers?"""
    return all(("" if mine.get(k) is None else str(mine.get(k))) == v and (v == "" or isinstance(mine[k], int) or k in WORDS_ONLY or not v.isdigit())
               for k, v in row.items())


# May be digits, and are no numbers: a device may be the host.
WORDS_ONLY = {"name", "src_device", "dest_device", "device"}


def check(dumps, *options):
    shutil.rmtree(PLACE / "out", ignore_errors=True)
    why = run([BUILDER, "-q", "-o", PLACE / "out", "--graphml", "--csv", *options, *dumps]).why([0, 3])
    if why:
        return why
    graph = networkx.read_graphml(PLACE / "out" / "graph.graphml", force_multigraph=True)
    nodes, edges, constructs = table("nodes.csv"), table("edges.csv"), {c["number"]: c for c in table("constructs.csv")}
    if graph.number_of_nodes() != len(nodes) or graph.number_of_edges() != len(edges):
        return f"{graph.number_of_nodes()} nodes and {graph.number_of_edges()} edges, not {len(nodes)} and {len(edges)}"
    for row in nodes:
        mine = graph.nodes["n" + row["id"]]
        if not same(mine, row):
            return f"node {row['id']}: {mine} is not {row}"
        if row["construct"] and mine.get("label", "") != constructs[row["construct"]]["label"]:
            return f"node {row['id']} has the label {mine.get('label')!r}"
    theirs = sorted(tuple(sorted((k, v) for k, v in r.items() if v)) for r in edges)
    mine = sorted(tuple(sorted((k, str(v)) for k, v in d.items() if k != "id" or "id" in edges[0])) for _, _, d in graph.edges(data=True))
    if mine != theirs:
        return f"other edges: {mine[:1]}, {theirs[:1]}"
    other = igraph.Graph.Read_GraphML(str(PLACE / "out" / "graph.graphml"))
    if (other.vcount(), other.ecount()) != (len(nodes), len(edges)):
        return f"igraph: {other.vcount()} nodes, {other.ecount()} edges"
    busy = sum(int(r["busy_ns"]) for r in nodes)
    return None if int(sum(other.vs["busy_ns"])) == busy else "igraph: other times"


def check_folded(dumps):
    shutil.rmtree(PLACE / "out", ignore_errors=True)
    result = run([BUILDER, "-o", PLACE / "out", "--graphml", "--summary", *dumps])
    if result.status != 0 or "folded" not in result.err:
        return f"status {result.status}: {result.err}"
    graph = networkx.read_graphml(PLACE / "out" / "graph.graphml")
    counts = json.loads((PLACE / "out" / "summary.json").read_text())["graph"]
    nodes, edges = sum(counts["nodes"].values()), sum(counts["edges"].values())
    mine = sum(d["count"] for _, d in graph.nodes(data=True)), sum(d["count"] for _, _, d in graph.edges(data=True))
    return None if mine == (nodes, edges) and graph.number_of_nodes() < 30 else f"{mine}, not {nodes} and {edges}"


def main():
    global networkx, igraph
    try:
        import networkx
        import igraph
    except ImportError as e:
        report.skip(NAME, f"{e.name} is not installed")
        report.print()
        return 0
    warnings.simplefilter("ignore")  # igraph has an attribute `id` of its own
    dumps = record("plain", 10)
    for level in ("task", "scope", "fragment"):
        report.check(f"{NAME}/{level}", check(dumps, f"--graph={level}") if dumps else "not recorded")
    dumps = record('a "<&]]>\x01\x1f\tb', 5)
    report.check(f"{NAME}/names", check(dumps) if dumps else "not recorded")
    dumps = record("plain", 28)
    report.check(f"{NAME}/folded", check_folded(dumps) if dumps else "not recorded")
    report.print()
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
