/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "k times faster": see speedups.h. A construct of tasks executes the nodes of its tasks; a loop or another worksharing
 * construct, those of implicit tasks before the barrier that ends it; a region, the rest of its implicit tasks.
 */
#include "builder/whatif/speedups.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <omp.h>
#include <stdlib.h>

#define WHAT  "what would be if"
#define TRIED 8 /* how many constructs are simulated: those that execute most and have most of the critical path */

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

struct speedup_search {
	const struct scenario *scenario;
	const struct costs *costs;
	const uint32_t *places; /* by node of the net: see speedups_find_places() */
	uint64_t *own;          /* one array by node of the workload for each tried construct: what it executes in the node */
	uint8_t *row_of;        /* by construct: number of its array in `own`, from 1; 0 none */
	uint64_t *work_ticks;   /* by construct: what it executes */
	uint64_t *path_ticks;   /* by construct: what it executes on the present critical path */
};

static uint64_t faster(uint64_t ticks, double factor)
{
	return factor == 0 ? 0 : (uint64_t)((double)ticks / factor);
}

static inline uint32_t place_of(const struct speedup_search *s, uint32_t id)
{
	return has_own_place(s->scenario->net, id) ? net_task_construct(s->scenario->net, id) : s->places[id];
}

/* Adds up what nodes execute, by construct. */
static void add_work(const struct speedup_search *s, uint32_t id, uint32_t end, uint64_t *work_ticks)
{
	const struct net *net = s->scenario->net;
	for (; id < end; id++)
		if (net_executes(net, id))
			work_ticks[place_of(s, id)] += net_work(net, id);
}

/* The same by node of the workload, for those constructs that have a row. */
static void add_own(const struct speedup_search *s, uint32_t id, uint32_t end, uint64_t *own)
{
	const struct net *net = s->scenario->net;
	size_t n_units = s->scenario->workload.n;
	for (; id < end; id++) {
		size_t row = net_executes(net, id) ? s->row_of[place_of(s, id)] : 0;
		if (row != 0)
			own[(row - 1) * n_units + scenario_unit(s->scenario, id)] += net_work(net, id);
	}
}

/*
 * Calls `add` for one half of the nodes each on two threads, if the team has several. `sums` has n numbers, all 0. The second
 * thread has sums of its own, which are added at the end: not worth it if there are as many sums as nodes.
 */
static void add_all(const struct speedup_search *s,
		    void (*add)(const struct speedup_search *s, uint32_t id, uint32_t end, uint64_t *sums), uint64_t *sums,
		    size_t n)
{
	uint32_t end = s->scenario->net->n, middle = omp_get_num_threads() > 1 && n < end ? end / 2 : end;
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

/* Finds what each of up to TRIED constructs executes. */
static void find_own(struct speedup_search *s, const struct speedup *rows, unsigned n)
{
	size_t n_own = (size_t)s->scenario->workload.n * n;
	free(s->own);
	free(s->row_of);
	s->own = memory_zeroed(n_own, sizeof *s->own, WHAT);
	s->row_of = memory_zeroed(s->scenario->net->graph->model->n_constructs, sizeof *s->row_of, WHAT);
	for (unsigned i = 0; i < n; i++)
		s->row_of[rows[i].construct] = (uint8_t)(i + 1);
	add_all(s, add_own, s->own, n_own);
}

/* By node of the workload: how long it executes if a construct of find_own() is `factor` times faster; to be freed. */
static uint64_t *work_without(const struct speedup_search *s, uint32_t construct, double factor)
{
	const struct simulated_workload *workload = &s->scenario->workload;
	const uint64_t *own = s->own + (size_t)(s->row_of[construct] - 1) * workload->n;
	uint64_t *work = memory_get(workload->n, sizeof *work, WHAT);
	for (uint32_t unit = 0; unit < workload->n; unit++)
		work[unit] = workload->nodes[unit].work_ticks - (unit != 0 ? own[unit] - faster(own[unit], factor) : 0);
	return work;
}

/* Fills in path_ticks. Returns the length of the critical path. */
static uint64_t follow_path(struct speedup_search *s, const uint64_t *work_ticks)
{
	const struct simulated_workload *workload = &s->scenario->workload;
	struct simulation_setup setup = {.work_ticks = work_ticks};
	uint64_t longest, *ways = workload_longest_paths(workload, &setup, &longest);
	uint32_t id = 0;
	for (uint32_t c = 0; c < s->scenario->net->graph->model->n_constructs; c++)
		s->path_ticks[c] = 0;
	for (uint32_t unit = 1; unit < workload->n && id == 0; unit++)
		id = ways[unit] == longest ? unit : 0;
	while (id != 0) {
		uint32_t next = 0;
		s->path_ticks[place_of(s, scenario_first(s->scenario, id))] += workload_work(workload, &setup, id);
		for (size_t link = workload->links.first[id]; link < workload->links.first[id + 1]; link++)
			if (next == 0 || ways[workload->links.targets[link]] > ways[next])
				next = workload->links.targets[link];
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

static void find_next(struct what_if *what_if, struct speedup_search *s)
{
	uint32_t n = s->scenario->net->graph->model->n_constructs;
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
	return cmp(l_ticks, r_ticks) ?: cmp(l->construct, r->construct);
}

/* The constructs with the most work and critical path. Returns how many. */
static unsigned choose(struct speedup_search *s, struct speedup *chosen)
{
	uint32_t n_constructs = s->scenario->net->graph->model->n_constructs;
	unsigned n = 0;
	while (n < TRIED) {
		uint32_t best = 0;
		for (uint32_t c = 1; c < n_constructs; c++) {
			bool is_taken = s->work_ticks[c] == 0;
			for (unsigned i = 0; i < n; i++)
				is_taken = is_taken || chosen[i].construct == c;
			/* On one thread all work is on the path: both are times of one thread. */
			uint64_t weight = s->work_ticks[c] / s->scenario->workload.n_threads + s->path_ticks[c];
			if (!is_taken &&
			    (best == 0 || weight > s->work_ticks[best] / s->scenario->workload.n_threads + s->path_ticks[best]))
				best = c;
		}
		if (best == 0)
			break;
		chosen[n++] =
			(struct speedup){.construct = best, .work_ticks = s->work_ticks[best], .path_ticks = s->path_ticks[best]};
	}
	return n;
}

/* Simulates each of the constructs with the factors from `from` to before `end`. */
static void simulation(const struct speedup_search *s, struct speedup *rows, unsigned n, unsigned from, unsigned end)
{
	struct simulation_setup setups[TRIED * WHAT_IF_FACTORS] = {{0}};
	uint64_t ticks[TRIED * WHAT_IF_FACTORS] = {0};
	size_t n_hows = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = from; k < end; k++)
			setups[n_hows++] =
				(struct simulation_setup){.work_ticks = work_without(s, rows[i].construct, what_if_factor(k)),
							  .start_ticks = s->costs->start_ticks};
	simulate_all(&s->scenario->workload, setups, ticks, n_hows);
	for (size_t i = 0; i < n_hows; i++) {
		rows[i / (end - from)].ticks[from + i % (end - from)] = ticks[i];
		free((void *)(uintptr_t)setups[i].work_ticks);
	}
}

void speedups_find(struct what_if *what_if, const struct scenario *scenario, const struct costs *costs, const uint32_t *places)
{
	uint32_t n_constructs = scenario->net->graph->model->n_constructs;
	struct speedup_search s = {.scenario = scenario, .costs = costs, .places = places};
	struct speedup tried[TRIED] = {{0}};
	s.work_ticks = memory_zeroed(n_constructs, sizeof *s.work_ticks, WHAT);
	s.path_ticks = memory_zeroed(n_constructs, sizeof *s.path_ticks, WHAT);
	add_all(&s, add_work, s.work_ticks, n_constructs);
	what_if->path_ticks = follow_path(&s, NULL);
	unsigned n = choose(&s, tried);
	find_own(&s, tried, n);
	simulation(&s, tried, n, WHAT_IF_FACTORS - 1, WHAT_IF_FACTORS);
	sort_array(tried, n, by_gain);
	what_if->n_speedups = n < WHAT_IF_CONSTRUCTS ? n : WHAT_IF_CONSTRUCTS;
	simulation(&s, tried, what_if->n_speedups, 0, WHAT_IF_FACTORS - 1);
	for (unsigned i = 0; i < what_if->n_speedups; i++)
		what_if->speedups[i] = tried[i];
	find_next(what_if, &s);
	free(s.own);
	free(s.row_of);
	free(s.work_ticks);
	free(s.path_ticks);
}
