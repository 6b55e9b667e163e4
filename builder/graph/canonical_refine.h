/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Refines classes of the nodes of any graph: nodes stay in one class only if equally many edges of each label lead from
 * and to every other class. Two graphs that differ in the numbers of their nodes alone get the same classes. It knows
 * nothing of tasks; canonical_number.c calls it, one thread.
 */
#ifndef OTTER_BUILDER_GRAPH_CANONICAL_REFINE_H
#define OTTER_BUILDER_GRAPH_CANONICAL_REFINE_H

#include <stddef.h>
#include <stdint.h>

struct refine_edge {
	uint32_t source, target; /* numbers of nodes */
	uint32_t label;
};

/*
 * Puts the n nodes into the coarsest classes that no edge tells apart, beginning with nodes of equal colour.
 * classes[node] is set to a number from 1. Numbers of classes have gaps. They depend on colours and edges alone, not on
 * the numbers of nodes or on the order of edges. Time is in proportion to (n + n_edges) log n.
 */
void canonical_refine(uint32_t n, const uint64_t *colours, const struct refine_edge *edges, size_t n_edges, uint32_t *classes);

#endif
