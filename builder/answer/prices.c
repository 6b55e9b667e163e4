/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What tasks cost: see prices.h. The creation of a task has no end in the records: it is in the fragment that ends with the
 * task's creation, together with what the program itself does to prepare it. So the price is what the cheapest tenth of
 * these fragments took, and no more than CREATE_MOST_NS.
 */
#include "builder/answer/prices.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT           "what tasks cost"
#define CREATE_MOST_NS 1500 /* in ticks it is below UINT32_MAX */
#define START_MOST_NS  5000
#define SMALL          4 /* a task of less than so many times its price is small */

/* A node that executed for so long has ended by creating a task of this construct. */
static void add_creation(struct prices *prices, uint32_t construct, uint64_t own_ticks)
{
	struct made_tasks *made = &prices->made;
	spread_add(&prices->rows[construct].create, own_ticks);
	array_reserve((void **)&made->rows, made->n + 1, &made->capacity, sizeof *made->rows);
	made->rows[made->n++] = (struct made_task){construct, own_ticks < UINT32_MAX ? (uint32_t)own_ticks : UINT32_MAX};
}

static void add_creations(struct prices *prices, const struct net *net)
{
	uint64_t all_work = 0;
	for (uint32_t id = 1; id < net->n; id++) {
		if (!net_executes(net, id))
			continue;
		bool is_explicit = net_is_explicit(net, id);
		uint64_t work = net_work(net, id), recorded = net_recorded(net, work);
		size_t end = net->first[id + 1];
		all_work += work;
		if (is_explicit)
			prices->rows[net_task_construct(net, id)].recorded_ticks += recorded;
		for (size_t link = net->first[id]; link < end; link++) {
			uint32_t task = net->targets[link];
			if (net->kinds[link] != EDGE_CREATE || !net_is_task(net, task))
				continue;
			add_creation(prices, net_construct(net, task), work - recorded);
			prices->rows[net_construct(net, task)].around_ticks += is_explicit ? 0 : recorded;
		}
	}
	prices->work_ticks = all_work;
}

static void add_own(struct price *price, uint64_t own_ticks)
{
	price->n_tasks++;
	price->own_ticks += own_ticks;
	spread_add(&price->own, own_ticks);
}

static void add_tasks(struct prices *prices, const struct net *net)
{
	const struct graph *graph = net->graph;
	const uint64_t *ticks = graph->busy != NULL ? graph->busy->ticks : NULL;
	for (uint32_t row = 1; row < graph->model->n_units; row++) {
		uint32_t id = graph_unit_node(graph, row);
		if (id != 0 && net_is_task(net, id))
			add_own(&prices->rows[net_construct(net, id)],
				graph->unit_busy != NULL ? graph->unit_busy->busy.ticks[row] : 0);
	}
	for (uint32_t id = 1; id < net->n_tasks; id++)
		if (net_is_task(net, id))
			add_own(&prices->rows[net_construct(net, id)], ticks != NULL ? ticks[id] : 0);
}

/* How much of the fragments that created tasks was the price of that. */
static void add_made(struct prices *prices, uint64_t most_ticks)
{
	struct made_tasks *made = &prices->made;
	for (size_t i = 0; i < made->n; i++) {
		struct price *price = &prices->rows[made->rows[i].construct];
		uint64_t most = price->is_small ? most_ticks : price->create_ticks, own = made->rows[i].own_ticks;
		price->made_ticks += own < most ? own : most;
	}
	free(made->rows);
	*made = (struct made_tasks){0};
}

void prices_begin(struct prices *prices, const struct net *net)
{
	*prices = (struct prices){.n = net->graph->model->n_constructs};
	prices->rows = memory_zeroed(prices->n, sizeof *prices->rows, WHAT);
	prices->made.capacity = net->n_tasks; /* those of OpenMP are created once, if nothing is damaged */
	prices->made.rows = memory_get(net->n_tasks, sizeof *prices->made.rows, WHAT);
	add_creations(prices, net);
	add_tasks(prices, net);
}

void prices_find(struct prices *prices, const struct net *net)
{
	uint64_t create_most = net_ticks_of(net, CREATE_MOST_NS), start_most = net_ticks_of(net, START_MOST_NS);
	for (uint32_t i = 0; i < prices->n; i++) {
		struct price *price = &prices->rows[i];
		uint64_t create = spread_percentile(&price->create, 0.1), start = spread_percentile(&price->start, 0.5);
		price->create_ticks = create < create_most ? create : create_most;
		price->start_ticks = start < start_most ? start : start_most;
		if (price->recorded_ticks > price->own_ticks) /* of a part of the time */
			price->recorded_ticks = price->own_ticks;
		price->is_small = price->n_tasks > 0 && (price->own_ticks - price->recorded_ticks) / price->n_tasks <
								SMALL * (price->create_ticks + price->start_ticks);
	}
	add_made(prices, create_most);
	for (uint32_t i = 0; i < prices->n; i++)
		prices->made_ticks += prices->rows[i].made_ticks;
}

void prices_free(struct prices *prices)
{
	for (uint32_t i = 0; i < prices->n; i++) {
		spread_free(&prices->rows[i].own);
		spread_free(&prices->rows[i].create);
		spread_free(&prices->rows[i].start);
	}
	free(prices->made.rows);
	free(prices->rows);
	*prices = (struct prices){0};
}
