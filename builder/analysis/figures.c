/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds up the figures of each construct: see figures.h.
 */
#include "builder/analysis/figures.h"
#include "builder/graph/path.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "the figures of constructs"

/* Adds up the tree of paths by construct. */
static void add_executed(struct figure *figures, const struct callpath_tree *tree)
{
	for (uint32_t i = CALLPATH_ROOT + 1; i < tree->n_nodes; i++) {
		const struct callpath_node *node = &tree->nodes[i];
		if (node->construct >= tree->model->n_constructs) /* it stands for none */
			continue;
		figures[node->construct].count += node->count;
		figures[node->construct].own_ticks += node->own_ticks;
		figures[node->construct].path_ticks += node->path_ticks;
		figures[node->construct].n_chunks += node->n_chunks;
	}
}

static void add_waits(struct figure *figures, const struct net *net, const struct track *track)
{
	const struct mutexes *mutexes = &net->graph->mutexes;
	for (size_t i = 0; i < track->places.n; i++) {
		const struct wait_place *place = &track->places.rows[i];
		figures[place->construct].wait_ticks += track_is_wait(place->state) ? place->ticks : 0;
	}
	for (size_t i = 0; i < track->syncs.n; i++)
		figures[track->syncs.rows[i].construct].count += track->syncs.rows[i].count;
	for (uint32_t row = 0; row < mutexes->n_rows; row++) {
		figures[net->same[mutexes->rows[row].construct]].count += mutexes->rows[row].n_acquired;
		figures[net->same[mutexes->rows[row].construct]].own_ticks += mutexes->rows[row].own_ticks;
	}
}

/*
 * What the critical path consists of beside the time that tasks and units executed (path_ticks): with that it is all of the
 * path's length.
 */
static void add_path(struct figure *figures, const struct net *net)
{
	const struct graph *graph = net->graph;
	const struct path *path = graph->path;
	for (uint32_t i = 0; path != NULL && i < path->n_nodes; i++) {
		struct node_view node = graph_node(graph, path->nodes[i]);
		struct figure *figure = &figures[net->same[node.construct]];
		figure->path_blocked_ns += dump_duration_ns(graph->model->dump, node.blocked_ticks);
		node.blocked_ticks = 0;
		if (node.kind == NODE_DATA_OP || node.kind == NODE_KERNEL)
			figure->path_device_ns += path_node_ns(graph->model->dump, &node);
	}
}

/* After add_waits(). */
static void add_culprits(struct figure *figures, const struct causes *waits, uint32_t n)
{
	double *largest = memory_zeroed(n, sizeof *largest, WHAT);
	for (uint32_t i = 1; i < waits->n; i++) {
		const struct cause *wait = &waits->rows[i];
		if (wait->ticks > largest[wait->construct]) {
			largest[wait->construct] = wait->ticks;
			figures[wait->construct].culprit = wait->other;
		}
	}
	for (uint32_t c = 0; c < n; c++) {
		double share = figures[c].wait_ticks != 0 ? largest[c] / (double)figures[c].wait_ticks : 0;
		figures[c].culprit_share = share < 1 ? share : 1;
	}
	free(largest);
}

struct figure *figures_find(const struct net *net, const struct track *track, const struct prices *prices,
			    const struct callpath_tree *tree, const struct causes *causes, const struct causes *waits)
{
	uint32_t n = net->graph->model->n_constructs;
	struct figure *figures = memory_zeroed(n, sizeof *figures, WHAT);
	add_executed(figures, tree);
	add_waits(figures, net, track);
	add_path(figures, net);
	add_culprits(figures, waits, n);
	for (uint32_t i = 1; i < causes->n; i++)
		figures[causes->rows[i].construct].blamed_ticks += causes->rows[i].ticks;
	for (uint32_t c = 0; c < n; c++)
		figures[c].blamed_ticks += (double)prices->rows[c].made_ticks;
	return figures;
}

bool wait_is_at(const struct model *model, const struct wait_place *place, const struct cause *wait)
{
	enum construct_kind kind = model->constructs[place->construct].kind;
	if (wait->construct != place->construct || wait->ticks <= 0)
		return false;
	if (!construct_is_of_units(kind))
		return true;
	return place->state == STATE_WAIT_MUTEX              ? wait->limit == LIMIT_EXCLUSION
	       : place->state == STATE_WAIT_BARRIER_EXPLICIT ? wait->limit == LIMIT_IMBALANCE
							     : wait->limit == LIMIT_WAIT || wait->limit == LIMIT_CHAIN;
}
