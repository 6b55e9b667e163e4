/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long the run would take on other numbers of threads, and how far such a figure is from the truth: see whatif.h.
 */
#include "builder/whatif/whatif.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/whatif/speedups.h"

#include <stdlib.h>

#define WHAT       "what would be if"
#define MANY_NODES 200000 /* a simulation of more takes so much memory that only a few are done at once, ... */
#define FEW        4      /* ... no more than these */

void play_all(const struct plan *plan, const struct how *hows, uint64_t *ticks, size_t n)
{
	size_t n_tasks = plan->n > MANY_NODES && n > FEW ? FEW : n;
#pragma omp taskgroup
	for (size_t task = 0; task < n_tasks; task++) {
#pragma omp task
		for (size_t i = task * n / n_tasks; i < (task + 1) * n / n_tasks; i++)
			ticks[i] = simulate(plan, &hows[i]);
	}
}

static void add_row(struct what_if *what_if, size_t *capacity, uint32_t n_threads, enum policy policy)
{
	array_reserve((void **)&what_if->rows, what_if->n_rows + 1, capacity, sizeof *what_if->rows);
	what_if->rows[what_if->n_rows++] = (struct what_if_row){.n_threads = n_threads, .policy = policy};
}

/* The observed number of threads and twice that; or every power of two beside these, with each policy. */
static void list_rows(struct what_if *what_if, bool is_all)
{
	size_t capacity = 0;
	uint32_t n = what_if->n_threads;
	for (uint32_t n_threads = 1; n_threads <= WHAT_IF_THREADS || n_threads <= 2 * n; n_threads++) {
		bool is_power = is_all && (n_threads & (n_threads - 1)) == 0;
		if (n_threads != n && n_threads != 2 * n && !is_power)
			continue;
		for (enum policy policy = POLICY_RUN; policy < POLICIES; policy++)
			if (policy == POLICY_RUN || is_all)
				add_row(what_if, &capacity, n_threads, policy);
	}
}

static void play_rows(struct what_if *what_if, const struct plan *plan, const struct costs *costs)
{
	size_t n = what_if->n_rows;
	struct how *hows = memory_get(n + 1, sizeof *hows, WHAT);
	uint64_t *ticks = memory_get(n + 1, sizeof *ticks, WHAT);
	for (size_t i = 0; i < n; i++)
		hows[i] = (struct how){.n_threads = what_if->rows[i].n_threads,
				       .policy = what_if->rows[i].policy,
				       .start_ticks = costs->start_ticks};
	hows[n] = (struct how){.work_ticks = costs->other_work_ticks, .start_ticks = costs->other_start_ticks};
	play_all(plan, hows, ticks, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct what_if_row *row = &what_if->rows[i];
		row->ticks = ticks[i];
		if (row->n_threads == what_if->n_threads && row->policy == POLICY_RUN)
			what_if->base_ticks = ticks[i];
		if (i > 0 && row->n_threads == row[-1].n_threads)
			row->span_ticks = row[-1].span_ticks;
		else
			free(plan_ways(plan, &hows[i], &row->span_ticks));
	}
	what_if->error_ticks = ticks[n];
	free(hows);
	free(ticks);
}

/* How much longer the run took because threads had no processor, themselves or those that they waited for. */
static uint64_t preempted_ticks(const struct answer *answer)
{
	double ticks = 0;
	for (uint32_t i = 1; i < answer->causes.n; i++)
		ticks += answer->causes.rows[i].limit == LIMIT_PREEMPTION ? answer->causes.rows[i].ticks : 0;
	ticks /= answer->account.n_threads;
	return ticks < (double)answer->account.wall_ticks ? (uint64_t)ticks : answer->account.wall_ticks;
}

static uint32_t count_nodes(const struct net *net)
{
	uint32_t n = 0;
	for (uint32_t id = 1; id < net->n; id++)
		n += net_kind(net, id) != NODE_NONE;
	return n;
}

void what_if_begin(struct what_if *what_if, const struct answer *answer)
{
	*what_if = (struct what_if){0};
#pragma omp task depend(out : what_if->places)
	what_if->places = speedups_find_places(&answer->net, &answer->track);
}

void what_if_make(struct what_if *what_if, const struct answer *answer, bool is_all, uint32_t fold_nodes)
{
	struct scene own = {0};
	const struct scene *scene = answer->scene;
	if (scene == NULL || scene->plan.n_threads == 0)
		return;
	/* That of the answer is taken, unless it is smaller than it could be. */
	if (is_all && fold_nodes == 0 && scene->is_coarse &&
	    scene_make(&own, &answer->net, &answer->prices, &answer->track, WHAT_IF_NODES, NULL))
		scene = &own;
	struct costs costs;
	costs_find(&costs, scene);
	what_if->n_threads = scene->plan.n_threads;
	what_if->work_ticks = answer->prices.work_ticks;
	what_if->own_share = costs.own_share;
	what_if->n_acquisitions = scene->n_acquisitions;
	what_if->n_held = scene->n_held;
	what_if->n_nodes = count_nodes(&answer->net);
	for (uint32_t unit = 1; unit < scene->plan.n; unit++)
		what_if->n_units += scene->plan.nodes[unit].role != PLAN_NOTHING;
	list_rows(what_if, is_all);
	play_rows(what_if, &scene->plan, &costs);
#pragma omp taskwait depend(in : what_if->places)
	speedups_find(what_if, scene, &costs, what_if->places);
	free(what_if->places);
	what_if->places = NULL;
	costs_free(&costs);
	scene_free(&own);
}

void what_if_finish(struct what_if *what_if, const struct answer *answer)
{
	if (!answer->is_made || what_if->n_threads == 0) {
		what_if_free(what_if);
		return;
	}
	what_if->is_made = true;
	what_if->wall_ticks = answer->account.wall_ticks;
	what_if->preempted_ticks = preempted_ticks(answer);
}

void what_if_free(struct what_if *what_if)
{
	free(what_if->rows);
	free(what_if->places);
	*what_if = (struct what_if){0};
}
