/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds up the figures of each construct: see figures.h.
 */
#include "builder/answer/figures.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "the figures of constructs"

/* Explicit tasks, and regions by what their implicit tasks executed outside of worksharing constructs. */
static void add_executed(struct figure *figures, const struct net *net, const struct track *track, const struct prices *prices)
{
	const struct model *m = net->graph->model;
	const struct busy *busy = net->graph->busy;
	for (uint32_t c = 0; c < prices->n; c++) {
		figures[c].count += prices->rows[c].n_tasks;
		figures[c].own_ticks += prices->rows[c].own_ticks;
	}
	for (uint32_t row = 1; row < m->n_regions; row++)
		figures[net_region_construct(net, row)].count += (m->regions[row].state & REGION_ANNOUNCED) != 0;
	for (uint32_t task = 1; task < m->n_tasks; task++)
		if (graph_task_is_node(net->graph, task) && !task_is_explicit(&m->tasks[task])) {
			bool is_initial = m->tasks[task].flags & task_flags_initial;
			uint32_t construct =
				is_initial ? net_construct(net, task) : net_region_construct(net, m->tasks[task].region);
			figures[construct].own_ticks += busy->ticks[task];
			figures[construct].count += is_initial;
		}
	for (size_t i = 0; i < track->shares.n; i++) {
		const struct track_loop *loop = &track->shares.rows[i];
		uint64_t *around = &figures[loop->region].own_ticks;
		figures[loop->construct].count += loop->count;
		figures[loop->construct].own_ticks += loop->ticks;
		*around = *around > loop->ticks ? *around - loop->ticks : 0;
	}
}

static void add_waits(struct figure *figures, const struct net *net, const struct track *track)
{
	const struct mutexes *mutexes = &net->graph->mutexes;
	for (size_t i = 0; i < track->places.n; i++) {
		const struct track_place *place = &track->places.rows[i];
		figures[place->construct].wait_ticks += place->state != STATE_OVERHEAD ? place->ticks : 0;
	}
	for (uint32_t row = 0; row < mutexes->n_rows; row++) {
		figures[net->same[mutexes->rows[row].construct]].count += mutexes->rows[row].n_acquired;
		figures[net->same[mutexes->rows[row].construct]].own_ticks += mutexes->rows[row].held_ticks;
	}
}

static void add_culprits(struct figure *figures, const struct causes *waits, uint32_t n)
{
	double *sums = memory_zeroed(n, sizeof *sums, WHAT), *largest = memory_zeroed(n, sizeof *largest, WHAT);
	for (uint32_t i = 1; i < waits->n; i++) {
		const struct cause *wait = &waits->rows[i];
		sums[wait->construct] += wait->ticks;
		if (wait->ticks > largest[wait->construct]) {
			largest[wait->construct] = wait->ticks;
			figures[wait->construct].culprit = wait->other;
		}
	}
	for (uint32_t c = 0; c < n; c++)
		figures[c].culprit_share = sums[c] > 0 ? largest[c] / sums[c] : 0;
	free(sums);
	free(largest);
}

struct figure *figures_find(const struct net *net, const struct track *track, const struct prices *prices,
			    const struct causes *causes, const struct causes *waits)
{
	uint32_t n = net->graph->model->n_constructs;
	struct figure *figures = memory_zeroed(n, sizeof *figures, WHAT);
	add_executed(figures, net, track, prices);
	add_waits(figures, net, track);
	if (path_shares_add(figures, net, track) != 0) {
		free(figures);
		return NULL;
	}
	add_culprits(figures, waits, n);
	for (uint32_t i = 1; i < causes->n; i++)
		figures[causes->rows[i].construct].blamed_ticks += causes->rows[i].ticks;
	for (uint32_t c = 0; c < n; c++)
		figures[c].blamed_ticks += (double)prices->rows[c].made_ticks;
	return figures;
}
