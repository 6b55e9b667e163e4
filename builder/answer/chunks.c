/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chunks of loops that are too small: see answer.h.
 */
#include "builder/answer/answer.h"

/* docs/analyses.md#grain has the measurements. */
#define SMALL_NS 2000 /* chunks that execute for less are small */
#define COST_NS  100  /* the least cost of one, where threads request the next one that often */

static bool are_small(const struct model *m, const struct figure *figure)
{
	/* One chunk for each thread is what a static schedule has. */
	return figure->n_chunks > 2 * figure->count && dump_duration_ns(m->dump, figure->own_ticks) / figure->n_chunks < SMALL_NS;
}

struct chunks chunks_of(const struct answer *answer, uint32_t construct)
{
	const struct model *m = answer->net.graph->model;
	const struct figure *figure = &answer->figures[construct];
	if (!are_small(m, figure))
		return (struct chunks){0};
	uint64_t own = figure->own_ticks / figure->n_chunks, cost = net_ticks_of(&answer->net, COST_NS);
	return (struct chunks){.n = figure->n_chunks, .own_ticks = own, .cost_ticks = cost < own / 2 ? cost : own / 2};
}

uint64_t chunks_blame(struct answer *answer)
{
	uint64_t ticks = 0;
	for (uint32_t c = 1; c < answer->net.graph->model->n_constructs; c++) {
		struct chunks chunks = chunks_of(answer, c);
		answer->figures[c].blamed_ticks += (double)(chunks.n * chunks.cost_ticks);
		ticks += chunks.n * chunks.cost_ticks;
	}
	return ticks;
}
