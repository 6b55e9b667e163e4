/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Has the variables named that dependences and mutexes are about, so that tables can tell them. Called by process.c when
 * the graph is complete; one thread.
 */
#include "builder/graph/shared.h"

void graph_name_variables(struct graph *graph, struct symbols *symbols)
{
	variables_begin(&graph->variables, graph->model);
	for (size_t i = 0; i < graph->n_edges; i++)
		if (graph->edges[i].kind == EDGE_DEPEND && edge_variable(&graph->edges[i]) != 0)
			variables_note(&graph->variables, symbols, edge_variable(&graph->edges[i]));
	for (size_t i = 0; i < graph_n_exclusive(graph); i++)
		variables_note(&graph->variables, symbols, graph_exclusive_variable(graph, i));
	for (uint32_t i = 0; i < graph->mutexes.n_rows; i++)
		if (graph->mutexes.rows[i].wait_id != 0)
			variables_note(&graph->variables, symbols, graph->mutexes.rows[i].wait_id);
}
