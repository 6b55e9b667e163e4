/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What tasks cost: see prices.h. The records do not show how long the creation of a task takes: it is in the fragment that
 * ends with the task's creation, together with what the program itself does to prepare it. So the price is the 10th percentile
 * of these fragments' times, and no more than CREATE_MOST_NS.
 */
#include "builder/analysis/prices.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT           "what tasks cost"
#define CREATE_MOST_NS 1500 /* in ticks it is below UINT32_MAX */
#define START_MOST_NS  5000
#define SMALL          4 /* a task that takes less than this many times its price is small, */
#define SMALL_ON_MEAN  2 /* and so is one that takes less than this many times what tasks cost on average */

/* A node that executed for own_ticks ended by creating a task of this construct. */
static void add_creation(struct prices *prices, uint32_t construct, uint64_t own_ticks)
{
	struct made_tasks *made = &prices->made;
	histogram_add(&prices->rows[construct].create, own_ticks);
	array_push(made->rows, made->n, made->capacity,
		   (struct made_task){construct, own_ticks < UINT32_MAX ? (uint32_t)own_ticks : UINT32_MAX});
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
	histogram_add(&price->own, own_ticks);
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

/* Adds up which part of the fragments that created tasks was the price of creating them. */
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

/*
 * Do tasks of this construct execute for less than a few times what they cost? Their price is that of a task in the best of
 * cases. Where another thread takes a part of them, these begin late by far more, which the average has.
 */
static bool tasks_are_small(const struct price *price, uint64_t start_most)
{
	if (price->n_tasks == 0)
		return false;
	uint64_t own = (price->own_ticks - price->recorded_ticks) / price->n_tasks;
	uint64_t mean_start = histogram_mean_up_to(&price->start, start_most);
	return own < SMALL * (price->create_ticks + price->start_ticks) || own < SMALL_ON_MEAN * (price->create_ticks + mean_start);
}

void prices_find(struct prices *prices, const struct net *net)
{
	uint64_t create_most = net_ticks_of(net, CREATE_MOST_NS), start_most = net_ticks_of(net, START_MOST_NS);
	for (uint32_t i = 0; i < prices->n; i++) {
		struct price *price = &prices->rows[i];
		uint64_t create = histogram_percentile(&price->create, 0.1), start = histogram_percentile(&price->start, 0.5);
		price->create_ticks = create < create_most ? create : create_most;
		price->start_ticks = start < start_most ? start : start_most;
		if (price->recorded_ticks > price->own_ticks) /* of a part of the time */
			price->recorded_ticks = price->own_ticks;
		price->is_small = tasks_are_small(price, start_most);
	}
	add_made(prices, create_most);
	for (uint32_t i = 0; i < prices->n; i++)
		prices->made_ticks += prices->rows[i].made_ticks;
}

void prices_free(struct prices *prices)
{
	for (uint32_t i = 0; i < prices->n; i++) {
		histogram_free(&prices->rows[i].own);
		histogram_free(&prices->rows[i].create);
		histogram_free(&prices->rows[i].start);
	}
	free(prices->made.rows);
	free(prices->rows);
	*prices = (struct prices){0};
}

/* ---- Cutoff ---- */

/*
 * The length from which on a task pays off: tasks that execute for less, together with all of their descendants, are better
 * executed by their creator, or several as one. Called by answer.c, on one thread. docs/analyses.md has the rule.
 */

#define WHAT    "what tasks cost"
#define TIMES   10  /* a task should execute for at least this many times its cost */
#define EACH    8   /* at least this many tasks of the cut-off's length are left for each thread */
#define PERCENT 100 /* a cut-off that saves less than a 100th of the threads' time is dropped */

/* By task: for how long it and its descendants execute; to be freed. */
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

/* ---- Late ---- */

/*
 * How late each node of a net began: see prices.h.
 */

/* A pass over a stream, in the order in which its nodes began. */
struct late_cursor {
	struct net *net;
	struct prices *prices;
	uint64_t over_ticks; /* when all earlier nodes were over */
};

static inline void pass(struct late_cursor *along, uint32_t id, uint64_t begin_ticks)
{
	struct net *net = along->net;
	uint64_t ready = net->ready_ticks[id] > along->over_ticks ? net->ready_ticks[id] : along->over_ticks;
	uint64_t late = begin_ticks > ready && ready != 0 ? begin_ticks - ready : 0, end = net_end(net, id);
	net->late_ticks[id] = late < UINT32_MAX ? (uint32_t)late : UINT32_MAX;
	along->over_ticks = end > along->over_ticks ? end : along->over_ticks;
	if (net_is_task(net, id) && (id >= net->n_tasks || !(net->tasks[id].flags & task_flags_undeferred)))
		prices_see_start(along->prices, net, id, late);
}

void late_measure(struct net *net, const struct track *track, struct prices *prices)
{
	uint32_t n_tasks = net->n_tasks;
	net->late_ticks = net_take_cleared(net, NET_LATE);
	for (size_t i = 0; i < track->n_streams; i++) {
		const struct track_stream *s = &track->streams[i];
		uint32_t fragment = n_tasks + net->graph->streams[i].first_node, end = n_tasks + net->graph->streams[i].end_node;
		struct late_cursor along = {net, prices, 0}, of_units = {net, prices, 0};
		for (size_t j = 0; j <= s->n_started; j++) {
			uint64_t until = j < s->n_started ? net_begin(net, s->started[j]) : UINT64_MAX;
			for (; fragment < end; fragment++) {
				if (!net_is_fragment(net, fragment))
					continue;
				uint64_t begin = net_begin(net, fragment);
				if (j < s->n_started && net_comes_first(net, s->started[j], until, fragment, begin))
					break;
				pass(&along, fragment, begin);
			}
			if (j < s->n_started && net_executes(net, s->started[j]))
				pass(&along, s->started[j], until);
		}
		for (size_t j = net->unit_nodes != NULL ? net->first_unit_node[i] : 0;
		     net->unit_nodes != NULL && j < net->first_unit_node[i + 1]; j++)
			pass(&of_units, net->unit_nodes[j], net_begin(net, net->unit_nodes[j]));
	}
}
