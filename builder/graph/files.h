/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the graph's files. Writers only read the graph, so that several threads may do parts of one. Numbers run
 * through all processes: those of a process follow on those of the process before.
 */
#ifndef OTTER_BUILDER_GRAPH_FILES_H
#define OTTER_BUILDER_GRAPH_FILES_H

#include "builder/support/csv.h"
#include "builder/graph/graph.h"
#include "builder/model/trace.h"
#include "builder/replay/sink.h"

#include <stdio.h>

struct graphs {
	const struct trace *traces;
	const struct graph *graphs; /* one a trace */
	size_t n;
};

/* What graph.before of the next process is. */
struct graph_numbers graph_numbers_after(const struct graph *graph);

/*
 * DIR/nodes.csv and so on: the whole graph, whatever its size; appended to what is there of earlier processes. 0, or -1
 * with the error printed.
 */
int graph_nodes_csv(const struct graphs *graphs, const struct csv_place *place);
int graph_edges_csv(const struct graphs *graphs, const struct csv_place *place);
/* About how many bytes that would be: some rows are put together, and none is written. */
uint64_t graph_nodes_csv_bytes(const struct graphs *graphs);
uint64_t graph_edges_csv_bytes(const struct graphs *graphs);
int graph_exclusive_csv(const struct graphs *graphs, const struct csv_place *place);

/* DIR/mutexes.csv: a row for each mutex and each place where it is acquired. */
int graph_mutexes_csv(const struct graphs *graphs, const struct csv_place *place);
/* Are there any? */
bool has_mutexes(const struct graphs *graphs);

/* DIR/samples.csv: a row for each sample. */
int samples_csv(const struct graphs *graphs, const struct csv_place *place);

/* DIR/units.csv: a row for each run of a unit of Argobots, and for each unit that acts without having been created. */
int units_csv(const struct graphs *graphs, const struct csv_place *place);
/* Are there any units? */
bool has_units(const struct graphs *graphs);

/*
 * Adds the lines of a process to the canonical edge list, which is NULL before the first; nothing points into the graph.
 * Prints the sorted list, one edge a line: 0, or -1 with the error printed.
 */
struct canonical_list;
void canonical_collect(struct canonical_list **list, const struct trace *trace, const struct graph *graph, bool has_many_processes);
int graph_canonical(const struct canonical_list *list, FILE *out);
void canonical_free_list(struct canonical_list *list);

#endif
