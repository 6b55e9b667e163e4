/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From which length on tasks pay: those that execute for less, with all of their descendants, are better executed by their
 * creator, or several as one. Called by answer.c, on one thread. docs/analyses.md has the rule.
 */
#include "builder/answer/prices.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT    "what tasks cost"
#define TIMES   10  /* a task should execute for so many times what it costs, ... */
#define EACH    8   /* ... but so many tasks for each thread are left */
#define PERCENT 100 /* what saves less than a 100th of the threads' time does not pay */

/* By task: what it and its descendants execute; to be freed. */
static uint64_t *weigh(const struct net *net)
{
	const uint64_t *ticks = net->graph->busy != NULL ? net->graph->busy->ticks : NULL;
	uint64_t *weights = memory_zeroed(net->n_tasks, sizeof *weights, WHAT);
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t task = net->order[i], soon = net_soon_backwards(net, i);
		if (soon < net->n_tasks) {
			__builtin_prefetch(&net->tasks[soon].parent);
			__builtin_prefetch(&weights[soon]);
		}
		if (task >= net->n_tasks)
			continue;
		uint64_t weight = weights[task] + (ticks != NULL ? ticks[task] : 0);
		weights[task] = weight;
		weights[net->tasks[task].parent] += weight;
	}
	return weights;
}

void prices_find_cutoffs(struct prices *prices, const struct net *net, uint32_t n_threads, uint64_t all_ticks)
{
	struct below {
		uint64_t n, ticks;
	} *below = memory_zeroed(prices->n, sizeof *below, WHAT);
	uint64_t *weights = weigh(net);
	for (uint32_t c = 0; c < prices->n; c++) {
		struct price *price = &prices->rows[c];
		uint64_t wanted = TIMES * (price->create_ticks + price->start_ticks), most = price->own_ticks / EACH / n_threads;
		price->cutoff_ticks = wanted < most ? wanted : most;
	}
	for (uint32_t task = 1; task < net->n_tasks; task++) {
		if (!net_is_task(net, task) || weights[task] >= prices->rows[net_construct(net, task)].cutoff_ticks)
			continue;
		below[net_construct(net, task)].n++;
		below[net_construct(net, task)].ticks += net->graph->busy != NULL ? net->graph->busy->ticks[task] : 0;
	}
	for (uint32_t c = 0; c < prices->n; c++) {
		struct price *price = &prices->rows[c];
		uint64_t left = price->cutoff_ticks != 0 ? below[c].ticks / price->cutoff_ticks + 1 : below[c].n;
		uint64_t n_fewer = below[c].n > left ? below[c].n - left : 0;
		price->saved_ticks = n_fewer * (price->create_ticks + price->start_ticks);
		if (price->saved_ticks * PERCENT < all_ticks)
			price->cutoff_ticks = price->saved_ticks = 0;
	}
	free(weights);
	free(below);
}
