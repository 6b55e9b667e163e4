/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How fast the run could be at most, on any number of threads, and how much a candidate saves at most: see answer.h and
 * candidates.h.
 */
#include "builder/answer/candidates.h"
#include "builder/support/array.h"

#define LOOPS 10 /* where a tenth of the work is in loops, the longest chain depends on how these were divided */

struct longest_set {
	const struct answer *answer;
	uint64_t ticks;
	uint32_t construct;
};

static int see_set(void *self, const uint32_t *nodes, uint32_t n)
{
	struct longest_set *longest = self;
	const struct net *net = &longest->answer->net;
	const struct graph *graph = net->graph;
	uint64_t ticks = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t task = net_task(net, nodes[i]);
		ticks += graph->busy->ticks[task] + (graph->blocked != NULL ? graph->blocked->ticks[task] : 0);
	}
	if (ticks > longest->ticks) {
		longest->ticks = ticks;
		longest->construct = net_construct(net, nodes[0]);
	}
	return 0;
}

static bool has_loops(const struct answer *answer)
{
	const struct model *m = answer->net.graph->model;
	uint64_t loops = 0;
	for (uint32_t c = 1; c < m->n_constructs; c++)
		if (m->constructs[c].kind == CONSTRUCT_LOOP)
			loops += answer->figures[c].own_ticks;
	return loops * LOOPS > answer->prices.work_ticks;
}

void answer_find_bounds(struct answer *answer)
{
	const struct graph *graph = answer->net.graph;
	const struct exclusion *mutex = exclusions_longest(&answer->states->exclusions);
	struct answer_bounds bounds = {.has_loops = has_loops(answer)};
	struct longest_set longest = {answer, 0, 0};
	if (mutex != NULL) {
		longest.ticks = mutex->ticks;
		longest.construct = answer->track.same[mutex->construct];
	}
	graph_each_exclusive(graph, see_set, &longest);
	bool is_mutex = mutex != NULL && longest.ticks == mutex->ticks;
	bounds.exclusion_ticks = longest.ticks;
	bounds.exclusion = longest.construct;
	bounds.serial_ticks = exclusion_serial_ticks(is_mutex ? mutex : NULL, graph->model, graph->busy);
	for (uint32_t i = 0; i < graph->n_blocked; i++)
		bounds.blocked_ticks += graph->blocked_ticks[i];
	if (graph->path != NULL && graph->path->bound != PATH_UNKNOWN)
		bounds.span_ns = graph->path->span_ns;
	answer->bounds = bounds;
}

uint64_t answer_least_ticks(const struct answer *answer)
{
	const struct answer_bounds *bounds = &answer->bounds;
	uint64_t excluded = bounds->exclusion_ticks != 0 ? bounds->exclusion_ticks + bounds->serial_ticks : 0;
	uint64_t span = bounds->has_loops ? 0 : net_ticks_of(&answer->net, bounds->span_ns);
	return excluded > span ? excluded : span;
}

bool bounds_hold_without(enum limit limit)
{
	return limit == LIMIT_RUNTIME || limit == LIMIT_PREEMPTION || limit == LIMIT_BINDING;
}

/* ---- Of one saving ---- */

/* Upper bound on any saving: the processors have to do the work in any case, those of the machine where has_all, else the process's. */
static double most_saved(const struct answer *answer, bool has_all)
{
	uint64_t n_running = has_all ? answer->net.graph->model->dump->meta.n_online : answer_n_running(answer);
	bool is_crowded = n_running < answer->account.n_threads;
	double least_wall = is_crowded ? (double)answer->account.ticks[SPENT_WORK] / (double)n_running : 0;
	double wall = (double)answer->account.wall_ticks;
	return wall > least_wall ? wall - least_wall : 0;
}

void candidates_put(struct candidate_search *s, struct candidate candidate)
{
	struct answer *answer = s->answer;
	double bound = most_saved(answer, candidate.sort == CAUSE_PROCESS);
	if ((double)candidate.saved_ticks > bound)
		candidate.saved_ticks = (uint64_t)bound;
	if (bounds_hold_without(candidate.limit) && candidate.saved_ticks > s->most_beside_bounds)
		candidate.saved_ticks = s->most_beside_bounds;
	array_push(answer->candidates, answer->n_candidates, s->capacity, candidate);
}
