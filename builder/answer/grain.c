/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions, tasks, chunks and loops that are too small for what they cost: see candidates.h.
 */
#include "builder/answer/candidates.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT         "what limits the run"
#define SMALL_REGION 50000 /* ns: regions that last less on average may be too small */

/* By construct: the time that is blamed on it by causes of this kind. */
static double *blame_of(const struct answer *answer, enum limit limit, enum cause_sort sort)
{
	double *ticks = memory_zeroed(answer->net.graph->model->n_constructs, sizeof *ticks, WHAT);
	for (uint32_t i = 1; i < answer->causes.n; i++) {
		const struct cause *cause = &answer->causes.rows[i];
		if (cause->limit == limit && cause->sort == sort)
			ticks[cause->construct] += cause->ticks;
	}
	return ticks;
}

/* Regions that lose more than a quarter of their time by beginning and ending. */
static void find_small_regions(struct candidate_search *s)
{
	const struct answer *answer = s->answer;
	const struct model *m = answer->net.graph->model;
	struct kind_of_region {
		uint64_t n, ticks;
	} *kinds = memory_zeroed(m->n_constructs, sizeof *kinds, WHAT);
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const struct region *r = &m->regions[row];
		uint64_t end = region_end_ticks(r);
		if (!region_is_programs(r) || end == UINT64_MAX)
			continue;
		kinds[net_region_construct(&answer->net, row)].n++;
		kinds[net_region_construct(&answer->net, row)].ticks += end - r->begin_ticks;
	}
	double *fork = blame_of(answer, LIMIT_RUNTIME, CAUSE_FORK), *resuming = blame_of(answer, LIMIT_RUNTIME, CAUSE_RESUMING);
	double *imbalance = blame_of(answer, LIMIT_IMBALANCE, CAUSE_PLAIN);
	for (uint32_t c = 1; c < m->n_constructs; c++) {
		if (kinds[c].n < 2 || dump_duration_ns(m->dump, kinds[c].ticks / kinds[c].n) >= SMALL_REGION)
			continue;
		uint32_t loop = answer->track.loop_of[c];
		double blame = fork[c] + resuming[c] + imbalance[c];
		if (loop != 0)
			blame += imbalance[loop];
		if (blame * 4 <= (double)kinds[c].ticks * answer->account.n_threads)
			continue;
		s->is_tiny[c] = true;
		if (loop != 0)
			s->is_tiny[loop] = true;
		uint64_t blamed = (uint64_t)blame;
		candidates_put(s, (struct candidate){.limit = LIMIT_GRAIN,
						     .sort = CAUSE_REGIONS,
						     .construct = c,
						     .blamed_ticks = blamed,
						     .saved_ticks = blamed / answer->account.n_threads,
						     .n = kinds[c].n,
						     .own_ticks = kinds[c].ticks / kinds[c].n,
						     .price_ticks = blamed / answer->account.n_threads / kinds[c].n});
	}
	free(fork);
	free(resuming);
	free(imbalance);
	free(kinds);
}

static void find_small_tasks(struct candidate_search *s)
{
	const struct answer *answer = s->answer;
	double *scheduling = blame_of(answer, LIMIT_RUNTIME, CAUSE_SCHEDULING),
	       *creation = blame_of(answer, LIMIT_CREATION, CAUSE_PLAIN);
	for (uint32_t c = 0; c < answer->prices.n; c++) {
		const struct price *price = &answer->prices.rows[c];
		if (!price->is_small)
			continue;
		uint64_t recorded = price->recorded_ticks + price->around_ticks; /* saved with the tasks */
		uint64_t blamed = recorded + price->made_ticks + (uint64_t)(scheduling[c] + creation[c]);
		candidates_put(s, (struct candidate){.limit = LIMIT_GRAIN,
						     .construct = c,
						     .blamed_ticks = blamed,
						     .saved_ticks = blamed / answer->account.n_threads,
						     .n = price->n_tasks,
						     .own_ticks = (price->own_ticks - price->recorded_ticks) / price->n_tasks,
						     .all_own_ticks = price->own_ticks,
						     .price_ticks = price->create_ticks + price->start_ticks});
	}
	free(scheduling);
	free(creation);
}

static void find_small_chunks(struct candidate_search *s)
{
	const struct answer *answer = s->answer;
	for (uint32_t c = 1; c < answer->net.graph->model->n_constructs; c++) {
		struct chunks chunks = chunks_of(answer, c);
		if (chunks.n != 0)
			candidates_put(s,
				       (struct candidate){.limit = LIMIT_GRAIN,
							  .sort = CAUSE_CHUNKS,
							  .construct = c,
							  .blamed_ticks = chunks.n * chunks.cost_ticks,
							  .saved_ticks = chunks.n * chunks.cost_ticks / answer->account.n_threads,
							  .n = chunks.n,
							  .own_ticks = chunks.own_ticks,
							  .price_ticks = chunks.cost_ticks});
	}
}

void grain_find(struct candidate_search *s)
{
	find_small_regions(s);
	find_small_tasks(s);
	find_small_chunks(s);
}

/*
 * If threads resume late after barriers, which is the cost of a barrier, and execute little between two of them, the loop between
 * them is too small.
 */
bool grain_is_small_loop(const struct candidate_search *s, const struct cause *cause, struct candidate *c)
{
	const struct answer *answer = s->answer;
	uint32_t loop = answer->track.loop_of[cause->construct];
	const struct figure *barrier = &answer->figures[cause->construct], *body = &answer->figures[loop];
	if (cause->limit != LIMIT_RUNTIME || cause->sort != CAUSE_RESUMING || loop == 0 || barrier->count < 2 || body->count == 0)
		return false;
	uint64_t delay = (uint64_t)cause->ticks / barrier->count, own = body->own_ticks / body->count;
	if (dump_duration_ns(answer->net.graph->model->dump, delay) > SMALL_REGION || own > 4 * delay)
		return false;
	c->limit = LIMIT_GRAIN;
	c->sort = CAUSE_PLAIN;
	c->construct = loop;
	c->n = body->count;
	c->own_ticks = own;
	c->price_ticks = delay;
	return true;
}
