/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "k times faster": see speedups.h. What a construct executes are the nodes of its tasks; of a loop or another worksharing
 * construct those of implicit tasks before the barrier that ends it; of a region what its implicit tasks execute beside that.
 */
#include "builder/whatif/speedups.h"
#include "builder/support/memory.h"

#include <omp.h>
#include <stdlib.h>

#define WHAT  "what would be if"
#define TRIED 8 /* so many constructs are simulated, those that execute most and have most of the critical path */

double what_if_factor(unsigned i)
{
	static const double factors[WHAT_IF_FACTORS] = {1.25, 1.5, 2, 4, 0};
	return factors[i];
}

/* Does what the node executes belong to the construct of its task or unit, whatever comes after it? */
static inline bool has_own_place(const struct net *net, uint32_t id)
{
	return net_is_explicit(net, id) || net_unit(net, id) != 0;
}

uint32_t *speedups_find_places(const struct net *net, const struct track *track)
{
	const struct model *m = net->graph->model;
	uint32_t *places = memory_zeroed(net->n, sizeof *places, WHAT);
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t id = net->order[i];
		if (has_own_place(net, id))
			continue;
		uint32_t task = net_task(net, id), loop = 0;
		if (!net_executes(net, id) && task == 0)
			continue;
		places[id] = m->tasks[task].flags & task_flags_initial ? net_task_construct(net, id)
								       : net_region_construct(net, m->tasks[task].region);
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint32_t target = net->targets[link];
			if (net->kinds[link] == EDGE_BARRIER || net->kinds[link] == EDGE_JOIN)
				loop = track->loop_of[net_construct(net, target)];
			else if (net->kinds[link] == EDGE_SEQUENCE && net_task(net, target) == task)
				loop = places[target];
		}
		places[id] = loop != 0 ? loop : places[id];
	}
	return places;
}

struct search {
	const struct scene *scene;
	const struct costs *costs;
	const uint32_t *places; /* by node of the net: see speedups_find_places() */
	uint64_t *own;          /* by node of the plan, of one construct after the other: what it executes */
	uint8_t *row_of;        /* by construct: which of these it is, from 1; 0 none */
	uint64_t *work_ticks;   /* by construct */
	uint64_t *path_ticks;   /* by construct: of the present path */
};

static uint64_t faster(uint64_t ticks, double factor)
{
	return factor == 0 ? 0 : (uint64_t)((double)ticks / factor);
}

static inline uint32_t place_of(const struct search *s, uint32_t id)
{
	return has_own_place(s->scene->net, id) ? net_task_construct(s->scene->net, id) : s->places[id];
}

/* Adds up what nodes execute: by construct. */
static void add_work(const struct search *s, uint32_t id, uint32_t end, uint64_t *work_ticks)
{
	const struct net *net = s->scene->net;
	for (; id < end; id++)
		if (net_executes(net, id))
			work_ticks[place_of(s, id)] += net_work(net, id);
}

/* The same by node of the plan, for those constructs that have a row. */
static void add_own(const struct search *s, uint32_t id, uint32_t end, uint64_t *own)
{
	const struct net *net = s->scene->net;
	size_t n_units = s->scene->plan.n;
	for (; id < end; id++) {
		size_t row = net_executes(net, id) ? s->row_of[place_of(s, id)] : 0;
		if (row != 0)
			own[(row - 1) * n_units + scene_unit(s->scene, id)] += net_work(net, id);
	}
}

/*
 * Has two threads, where there are some, call `add` for half of the nodes each. `sums` has n numbers, all 0. The second thread adds to
 * numbers of its own, which are added at the end: not worth it if there are as many as nodes.
 */
static void add_all(const struct search *s, void (*add)(const struct search *s, uint32_t id, uint32_t end, uint64_t *sums),
		    uint64_t *sums, size_t n)
{
	uint32_t end = s->scene->net->n, middle = omp_get_num_threads() > 1 && n < end ? end / 2 : end;
	uint64_t *others = middle < end ? memory_zeroed(n, sizeof *others, WHAT) : NULL;
#pragma omp taskgroup
	{
#pragma omp task if (others != NULL)
		add(s, middle, end, others);
		add(s, 1, middle, sums);
	}
	for (size_t i = 0; others != NULL && i < n; i++)
		sums[i] += others[i];
	free(others);
}

/* What each of up to TRIED constructs executes. */
static void find_own(struct search *s, const struct speedup *rows, unsigned n)
{
	size_t n_own = (size_t)s->scene->plan.n * n;
	free(s->own);
	free(s->row_of);
	s->own = memory_zeroed(n_own, sizeof *s->own, WHAT);
	s->row_of = memory_zeroed(s->scene->net->graph->model->n_constructs, sizeof *s->row_of, WHAT);
	for (unsigned i = 0; i < n; i++)
		s->row_of[rows[i].construct] = (uint8_t)(i + 1);
	add_all(s, add_own, s->own, n_own);
}

/* By node of the plan: how long it executes when one of the constructs of find_own() is so many times faster; to be freed. */
static uint64_t *work_without(const struct search *s, uint32_t construct, double factor)
{
	const struct plan *plan = &s->scene->plan;
	const uint64_t *own = s->own + (size_t)(s->row_of[construct] - 1) * plan->n;
	uint64_t *work = memory_get(plan->n, sizeof *work, WHAT);
	for (uint32_t unit = 0; unit < plan->n; unit++)
		work[unit] = plan->nodes[unit].work_ticks - (unit != 0 ? own[unit] - faster(own[unit], factor) : 0);
	return work;
}

/* Fills in path_ticks. Returns how long the critical path is. */
static uint64_t follow_path(struct search *s, const uint64_t *work_ticks)
{
	const struct plan *plan = &s->scene->plan;
	struct how how = {.work_ticks = work_ticks};
	uint64_t longest, *ways = plan_ways(plan, &how, &longest);
	uint32_t id = 0;
	for (uint32_t c = 0; c < s->scene->net->graph->model->n_constructs; c++)
		s->path_ticks[c] = 0;
	for (uint32_t unit = 1; unit < plan->n && id == 0; unit++)
		id = ways[unit] == longest ? unit : 0;
	while (id != 0) {
		uint32_t next = 0;
		s->path_ticks[place_of(s, scene_first(s->scene, id))] += plan_work(plan, &how, id);
		for (size_t link = plan->links.first[id]; link < plan->links.first[id + 1]; link++)
			if (next == 0 || ways[plan->links.targets[link]] > ways[next])
				next = plan->links.targets[link];
		id = next;
	}
	free(ways);
	return longest;
}

static uint32_t largest(const uint64_t *ticks, uint32_t n)
{
	uint32_t best = 0;
	for (uint32_t c = 1; c < n; c++)
		best = ticks[c] > ticks[best] ? c : best;
	return ticks[best] != 0 ? best : 0;
}

static void find_next(struct what_if *what_if, struct search *s)
{
	uint32_t n = s->scene->net->graph->model->n_constructs;
	what_if->first = largest(s->path_ticks, n);
	what_if->first_ticks = s->path_ticks[what_if->first];
	if (what_if->first == 0)
		return;
	if (s->row_of[what_if->first] == 0)
		find_own(s, &(struct speedup){.construct = what_if->first}, 1);
	uint64_t *work = work_without(s, what_if->first, 2);
	what_if->next_path_ticks = follow_path(s, work);
	what_if->next = largest(s->path_ticks, n);
	what_if->next_ticks = s->path_ticks[what_if->next];
	free(work);
}

static int by_gain(const void *left, const void *right)
{
	const struct speedup *l = left, *r = right;
	uint64_t l_ticks = l->ticks[WHAT_IF_FACTORS - 1], r_ticks = r->ticks[WHAT_IF_FACTORS - 1];
	if (l_ticks != r_ticks)
		return l_ticks < r_ticks ? -1 : 1;
	return l->construct < r->construct ? -1 : l->construct > r->construct;
}

/* The constructs with the most work and critical path. Returns how many. */
static unsigned choose(struct search *s, struct speedup *chosen)
{
	uint32_t n_constructs = s->scene->net->graph->model->n_constructs;
	unsigned n = 0;
	while (n < TRIED) {
		uint32_t best = 0;
		for (uint32_t c = 1; c < n_constructs; c++) {
			bool is_taken = s->work_ticks[c] == 0;
			for (unsigned i = 0; i < n; i++)
				is_taken = is_taken || chosen[i].construct == c;
			/* On one thread all work is on the path: both are times of one thread. */
			uint64_t weight = s->work_ticks[c] / s->scene->plan.n_threads + s->path_ticks[c];
			if (!is_taken &&
			    (best == 0 || weight > s->work_ticks[best] / s->scene->plan.n_threads + s->path_ticks[best]))
				best = c;
		}
		if (best == 0)
			break;
		chosen[n++] =
			(struct speedup){.construct = best, .work_ticks = s->work_ticks[best], .path_ticks = s->path_ticks[best]};
	}
	return n;
}

/* Simulates each of them with these factors. */
static void play(const struct search *s, struct speedup *rows, unsigned n, unsigned from, unsigned end)
{
	struct how hows[TRIED * WHAT_IF_FACTORS] = {{0}};
	uint64_t ticks[TRIED * WHAT_IF_FACTORS] = {0};
	size_t n_hows = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = from; k < end; k++)
			hows[n_hows++] = (struct how){.work_ticks = work_without(s, rows[i].construct, what_if_factor(k)),
						      .start_ticks = s->costs->start_ticks};
	play_all(&s->scene->plan, hows, ticks, n_hows);
	for (size_t i = 0; i < n_hows; i++) {
		rows[i / (end - from)].ticks[from + i % (end - from)] = ticks[i];
		free((void *)(uintptr_t)hows[i].work_ticks);
	}
}

void speedups_find(struct what_if *what_if, const struct scene *scene, const struct costs *costs, const uint32_t *places)
{
	uint32_t n_constructs = scene->net->graph->model->n_constructs;
	struct search s = {.scene = scene, .costs = costs, .places = places};
	struct speedup tried[TRIED];
	s.work_ticks = memory_zeroed(n_constructs, sizeof *s.work_ticks, WHAT);
	s.path_ticks = memory_zeroed(n_constructs, sizeof *s.path_ticks, WHAT);
	add_all(&s, add_work, s.work_ticks, n_constructs);
	what_if->path_ticks = follow_path(&s, NULL);
	unsigned n = choose(&s, tried);
	find_own(&s, tried, n);
	play(&s, tried, n, WHAT_IF_FACTORS - 1, WHAT_IF_FACTORS);
	qsort(tried, n, sizeof *tried, by_gain);
	what_if->n_speedups = n < WHAT_IF_CONSTRUCTS ? n : WHAT_IF_CONSTRUCTS;
	play(&s, tried, what_if->n_speedups, 0, WHAT_IF_FACTORS - 1);
	for (unsigned i = 0; i < what_if->n_speedups; i++)
		what_if->speedups[i] = tried[i];
	find_next(what_if, &s);
	free(s.own);
	free(s.row_of);
	free(s.work_ticks);
	free(s.path_ticks);
}
