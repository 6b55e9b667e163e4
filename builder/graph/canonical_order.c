/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers the nodes inside of a task in the order of the program: waits, taskgroups, regions. Called by
 * canonical_number.c, one thread.
 */
#include "builder/graph/canonical.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

/* A node of a task that ran on several streams: the graph numbers these by stream. */
struct of_mover {
	uint64_t begin_ticks;
	uint32_t node;
};

static int by_begin(const void *left, const void *right)
{
	const struct of_mover *l = left, *r = right;
	if (l->begin_ticks != r->begin_ticks)
		return l->begin_ticks < r->begin_ticks ? -1 : 1;
	return l->node < r->node ? -1 : l->node > r->node;
}

/* How many nodes have a number so far. */
struct counts {
	uint32_t *of_task;    /* by task that is not merged */
	struct map of_merged; /* by place in a merged one */
};

static void number_node(struct canon *c, struct counts *counts, uint32_t i)
{
	const struct node *node = &c->graph->nodes[i];
	if (!canonical_is_merged(c, node->task)) {
		c->node_ordinal[i] = ++counts->of_task[node->task];
		return;
	}
	uint64_t key = canonical_mix(canonical_hash(7, node->task), node->phase);
	key = canonical_mix(canonical_mix(key, canonical_label_hash(c, node->construct, node->task)), node->kind);
	c->node_ordinal[i] = ++*map_put(&counts->of_merged, key);
}

/*
 * Inner nodes of a task in its order; of a merged task within (barriers before, construct, kind), thread by thread, as
 * what every thread of the team comes to is one node.
 */
void canonical_number_in_order(struct canon *c)
{
	struct counts counts = {.of_task = memory_zeroed(c->m->n_tasks, sizeof *counts.of_task, "the canonical graph")};
	struct of_mover *moved = NULL;
	size_t n_moved = 0, capacity = 0;
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (!canonical_is_inner(node) || (node->is_in_work && canonical_is_merged(c, node->task)))
			continue;
		if (!(c->m->tasks[node->task].state & TASK_MIGRATED)) {
			number_node(c, &counts, i);
			continue;
		}
		array_reserve((void **)&moved, n_moved + 1, &capacity, sizeof *moved);
		moved[n_moved++] = (struct of_mover){node->begin_ticks, i};
	}
	if (n_moved > 1)
		qsort(moved, n_moved, sizeof *moved, by_begin);
	for (size_t i = 0; i < n_moved; i++)
		number_node(c, &counts, moved[i].node);
	free(moved);
	free(counts.of_task);
	map_free(&counts.of_merged);
}
