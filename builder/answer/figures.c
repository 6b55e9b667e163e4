/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds up the figures of each construct: see figures.h.
 */
#include "builder/answer/figures.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "the figures of constructs"

/* What the tree of paths has, whatever the path. */
static void add_executed(struct figure *figures, const struct spawn_tree *tree)
{
	for (uint32_t i = SPAWN_ROOT + 1; i < tree->n_nodes; i++) {
		const struct spawn_node *node = &tree->nodes[i];
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
			    const struct spawn_tree *tree, const struct causes *causes, const struct causes *waits)
{
	uint32_t n = net->graph->model->n_constructs;
	struct figure *figures = memory_zeroed(n, sizeof *figures, WHAT);
	add_executed(figures, tree);
	add_waits(figures, net, track);
	add_culprits(figures, waits, n);
	for (uint32_t i = 1; i < causes->n; i++)
		figures[causes->rows[i].construct].blamed_ticks += causes->rows[i].ticks;
	for (uint32_t c = 0; c < n; c++)
		figures[c].blamed_ticks += (double)prices->rows[c].made_ticks;
	return figures;
}
