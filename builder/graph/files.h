/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the graph's files. Writers only read the graph, so that several threads may do parts of one. Numbers run
 * through all processes: those of a process follow on those of the process before.
 */
#ifndef OTTER_BUILDER_GRAPH_FILES_H
#define OTTER_BUILDER_GRAPH_FILES_H

#include "builder/tables/row.h"
#include "builder/graph/view.h"
#include "builder/model/tables.h"
#include "builder/replay/sink.h"

#include <stdio.h>

struct graphs {
	const struct trace *traces;
	const struct graph *graphs; /* one a trace */
	size_t n;
};

/* graph.before for the next process. */
struct graph_numbers graph_numbers_after(const struct graph *graph);

/*
 * DIR/nodes.csv and so on: the whole graph, whatever its size; appended to what is there of earlier processes. 0, or -1
 * with the error printed.
 */
int graph_nodes_csv(const struct graphs *graphs, const struct table_place *place);
int graph_edges_csv(const struct graphs *graphs, const struct table_place *place);
/* Estimates the number of bytes of these files: formats some rows, and writes none. */
uint64_t graph_nodes_csv_bytes(const struct graphs *graphs);
uint64_t graph_edges_csv_bytes(const struct graphs *graphs);
int graph_exclusive_csv(const struct graphs *graphs, const struct table_place *place);

/* DIR/mutexes.csv: a row for each mutex and each place where it is acquired. */
int graph_mutexes_csv(const struct graphs *graphs, const struct table_place *place);
/* Does any graph have mutexes? */
bool has_mutexes(const struct graphs *graphs);

/* DIR/samples.csv: a row for each sample. */
int samples_csv(const struct graphs *graphs, const struct table_place *place);

/*
 * Adds the lines of a process to the canonical edge list, which is NULL before the first; nothing points into the graph.
 * Prints the sorted list, one edge a line: 0, or -1 with the error printed.
 */
struct canonical_list;
void canonical_collect(struct canonical_list **list, const struct trace *trace, const struct graph *graph, bool has_many_processes);
int graph_canonical(const struct canonical_list *list, FILE *out);
void canonical_free_list(struct canonical_list *list);

#endif
