/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns causes into candidates: see candidates.h. The simulated saving is limited to the blamed time divided among the threads:
 * a better schedule that a change makes by chance is not attributed to the cause.
 */
#include "builder/answer/candidates.h"
#include "builder/answer/answer.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <string.h>

#define WHAT         "what limits the run"
#define COUNTS       200  /* a cause with less than a 200th of the threads' time is left out */
#define SIMULATED    8    /* how many causes are simulated: those with the most blame */
#define USUAL_STARTS 3    /* delays up to this many times the usual start of a task are not blamed on the scheduler */
#define EXACT        0.02 /* of the time that is left: what simulations that save less than all of the blame may be wrong by */

/* How much time the variant saves. */
static uint64_t saves(const struct candidate_search *s, const struct variant *variant)
{
	uint64_t ticks = scenario_simulate(s->scenario, variant);
	return ticks < s->base_ticks ? s->base_ticks - ticks : 0;
}

/* The same for a variant in which nodes of the workload execute for work_ticks, which is freed. */
static uint64_t saves_work(const struct candidate_search *s, uint64_t *work_ticks)
{
	uint64_t ticks = saves(s, &(struct variant){.work_ticks = work_ticks});
	free(work_ticks);
	return ticks;
}

/* The same for a variant without these edges. */
static uint64_t saves_edges(const struct candidate_search *s, enum drop drop, uint32_t construct, uint32_t other)
{
	struct dropped dropped = variant_without_edges(s->scenario, drop, construct, other);
	uint64_t ticks = saves(s, &dropped.variant);
	free(dropped.later);
	return ticks;
}

static uint64_t least(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

static uint64_t most(uint64_t left, uint64_t right)
{
	return left > right ? left : right;
}

/* The saving by a simulation, at most all that is blamed; all of that where the simulation is not exact enough to tell. */
static uint64_t at_most(const struct candidate_search *s, uint64_t saved, uint64_t blamed)
{
	double left = (double)(s->base_ticks - saved);
	return saved < blamed && (double)(blamed - saved) > EXACT * left ? saved : blamed;
}

/* ---- What can be simulated ---- */

/* All time that is blamed on causes of this kind, divided among the threads. */
static uint64_t ticks_of_kind(const struct answer *answer, enum limit limit)
{
	double ticks = 0, crowded_ticks = 0;
	for (uint32_t i = 1; i < answer->causes.n; i++) {
		const struct cause *cause = &answer->causes.rows[i];
		ticks += cause->limit == limit ? cause->ticks : 0;
		crowded_ticks += cause->limit == limit ? cause->crowded_ticks : 0;
	}
	return (uint64_t)answer_bound(answer, ticks, crowded_ticks);
}

/* Threads that these hold up come late to the barrier after them. */
static bool makes_late(enum limit limit)
{
	return limit == LIMIT_CHAIN || limit == LIMIT_CREATION || limit == LIMIT_EXCLUSION || limit == LIMIT_DOACROSS ||
	       limit == LIMIT_BLOCKED;
}

/* What the imbalance of the candidate's construct costs, where that may go with the candidate. */
static uint64_t late_ticks(const struct answer *answer, const struct candidate *c)
{
	for (uint32_t i = 1; i < answer->causes.n && makes_late(c->limit); i++) {
		const struct cause *cause = &answer->causes.rows[i];
		if (cause->limit == LIMIT_IMBALANCE && cause->construct == c->construct)
			return (uint64_t)answer_bound(answer, cause->ticks, cause->crowded_ticks);
	}
	return 0;
}

/* Can the run be simulated without a cause of this kind? */
static bool can_be_simulated(const struct candidate_search *s, const struct candidate *c)
{
	switch (c->limit) {
	case LIMIT_EXCLUSION:
		return c->sort != CAUSE_HOT &&
		       s->answer->net.graph->units == NULL; /* units show a mutex only where it ends a wait */
	case LIMIT_CREATION:
	case LIMIT_CHAIN:
	case LIMIT_WAIT:
	case LIMIT_IMBALANCE: return true;
	default: return false;
	}
}

/* A taskloop ends with a taskgroup of its own: smaller tasks, which a clause gives, would leave no thread without one. */
static bool waits_for_taskloop(const struct answer *answer, uint32_t construct)
{
	const struct construct *constructs = answer->net.graph->model->constructs, *group = &constructs[construct];
	const struct construct *task = &constructs[answer->figures[construct].culprit];
	return group->kind == CONSTRUCT_TASKGROUP && group->line != 0 && task->kind == CONSTRUCT_TASK &&
	       task->line == group->line && strcmp(task->file, group->file) == 0;
}

/* Simulates what the candidate saves. Called for several candidates at the same time. */
static void simulate_candidate(const struct candidate_search *s, struct candidate *c)
{
	uint64_t saved = 0;
	c->is_simulated = true;
	switch (c->limit) {
	case LIMIT_EXCLUSION: saved = saves(s, &(struct variant){.free_mutex = c->construct, .has_free_mutex = true}); break;
	case LIMIT_CREATION: saved = saves_work(s, variant_without_creation(s->scenario, c->construct)); break;
	case LIMIT_CHAIN:
		c->all_ticks = saves_edges(s, DROP_ALL_CHAINS, 0, 0);
		saved = saves_edges(s, DROP_CHAIN, c->construct, c->other);
		/* Where several pairs are links of one chain, what is blamed on all of them goes with any of them. */
		c->saved_ticks = most(at_most(s, saved, ticks_of_kind(s->answer, LIMIT_CHAIN) + late_ticks(s->answer, c)),
				      least(c->all_ticks, c->saved_ticks));
		return;
	case LIMIT_WAIT:
		saved = saves_edges(s, c->sort == CAUSE_UNDEFERRED ? DROP_UNDEFERRED : DROP_WAIT, c->construct, 0);
		/* A wait that holds a task up makes others wait for that task: what is blamed on those goes with it. */
		saved = at_most(s, saved, ticks_of_kind(s->answer, LIMIT_WAIT));
		c->saved_ticks = waits_for_taskloop(s->answer, c->construct) ? most(saved, c->saved_ticks) : saved;
		return;
	case LIMIT_IMBALANCE: {
		uint64_t *work = variant_balanced(s->scenario, c->construct);
		saved = work != NULL ? saves_work(s, work) : c->saved_ticks;
		c->all_ticks = saves_edges(s, DROP_BARRIER, c->construct, 0);
		if (c->all_ticks > 0 && (double)c->all_ticks >= 0.9 * (double)saved)
			c->limit = LIMIT_WAIT; /* the barrier is the problem, not the work: no thread needs to wait there */
		saved = most(saved, c->all_ticks);
		break;
	}
	default: break;
	}
	c->saved_ticks = at_most(s, saved, c->saved_ticks);
}

/*
 * If the removal of a wait saves less than half of its blame, what it waits for is long, and gets the rest of the blame. Called
 * before the wait itself is put.
 */
static void divide_wait(struct candidate_search *s, struct candidate *wait, uint64_t bound)
{
	struct figure *figures = s->answer->figures;
	if (wait->limit != LIMIT_WAIT || !wait->is_simulated || wait->saved_ticks >= bound / 2)
		return;
	struct candidate rest = *wait;
	rest.limit = LIMIT_IMBALANCE;
	uint32_t culprit = figures[wait->construct].culprit;
	rest.construct = culprit != 0 ? culprit : wait->construct;
	rest.saved_ticks = bound - wait->saved_ticks;
	rest.blamed_ticks = (uint64_t)((double)wait->blamed_ticks * (double)rest.saved_ticks / (double)bound);
	rest.is_simulated = false;
	wait->blamed_ticks -= rest.blamed_ticks;
	if (culprit != 0) { /* it is known */
		figures[wait->construct].blamed_ticks -= (double)rest.blamed_ticks;
		figures[rest.construct].blamed_ticks += (double)rest.blamed_ticks;
	}
	candidates_put(s, rest);
}

/* All serial time outside of regions is one candidate, and so is all preemption, which no construct causes. */
static bool is_summed(const struct cause *cause)
{
	return (cause->limit == LIMIT_SERIAL && cause->sort != CAUSE_SINGLE) || cause->limit == LIMIT_PREEMPTION;
}

static int by_blame(const void *left, const void *right)
{
	const struct cause *l = *(const struct cause *const *)left, *r = *(const struct cause *const *)right;
	return cmp(r->ticks, l->ticks) ?: cmp(l, r);
}

/* What blocked threads wait for may be work of the process's other threads, which the processors have to do in any case. */
static uint64_t most_of_blocked(const struct answer *answer)
{
	const struct dump *dump = answer->net.graph->model->dump;
	uint64_t wall_ns = dump_duration_ns(dump, answer->account.wall_ticks);
	uint64_t least_ns = (dump_duration_ns(dump, answer->account.ticks[SPENT_WORK]) + states_unseen_ns(answer->states)) /
			    answer_n_running(answer);
	return net_ticks_of(&answer->net, wall_ns > least_ns ? wall_ns - least_ns : 0);
}

static uint64_t bound_of_cause(const struct answer *answer, const struct cause *cause)
{
	return (uint64_t)answer_bound(answer, cause->ticks, cause->crowded_ticks);
}

/* The candidate of a cause. False: it is no candidate. */
static bool make_candidate(const struct candidate_search *s, const struct cause *cause, struct candidate *c)
{
	const struct answer *answer = s->answer;
	uint64_t blamed = (uint64_t)cause->ticks, n_threads = answer->account.n_threads;
	bool is_small = cause->construct < answer->prices.n && answer->prices.rows[cause->construct].is_small;
	if (s->is_tiny[cause->construct] && (cause->limit == LIMIT_IMBALANCE || cause->limit == LIMIT_RUNTIME))
		return false;
	if (is_small && (cause->limit == LIMIT_CREATION || (cause->limit == LIMIT_RUNTIME && cause->sort == CAUSE_SCHEDULING)))
		return false;
	*c = (struct candidate){.limit = cause->limit,
				.sort = cause->sort,
				.construct = cause->construct,
				.other = cause->other,
				.blamed_ticks = blamed,
				.saved_ticks = bound_of_cause(answer, cause)};
	c->saved_ticks += late_ticks(answer, c);
	if (cause->limit == LIMIT_BLOCKED)
		c->saved_ticks = least(c->saved_ticks, s->most_of_blocked);
	if (cause->limit == LIMIT_RUNTIME && cause->sort == CAUSE_SCHEDULING) {
		const struct price *price = &answer->prices.rows[cause->construct];
		uint64_t usual = price->n_tasks * price->start_ticks * USUAL_STARTS;
		c->blamed_ticks = blamed > usual ? blamed - usual : 0;
		c->saved_ticks = c->blamed_ticks / n_threads;
		c->n = price->n_tasks;
	}
	if (cause->sort == CAUSE_ACQUIRING) {
		const struct wait_place *place = places_find(&answer->track.places, cause->construct, STATE_OVERHEAD);
		c->n = place != NULL ? place->count : 0;
		c->price_ticks = c->n != 0 ? blamed / c->n : 0;
	}
	hot_mark(answer, cause, c);
	return true;
}

/* Adds the candidates of causes, those with the most blame first. The first ones are simulated if they can be, in parallel. */
static void add_causes(struct candidate_search *s)
{
	const struct causes *causes = &s->answer->causes;
	const struct cause **sorted = memory_get(causes->n + (size_t)1, sizeof *sorted, WHAT);
	double total = (double)s->answer->account.wall_ticks * s->answer->account.n_threads;
	uint32_t n = 0, n_made = 0, simulated[SIMULATED] = {0}, n_simulated = 0;
	for (uint32_t i = 1; i < causes->n; i++)
		if (causes->rows[i].ticks * COUNTS >= total && !is_summed(&causes->rows[i]))
			sorted[n++] = &causes->rows[i];
	sort_array(sorted, n, by_blame);
	struct candidate *made = memory_get(n + (size_t)1, sizeof *made, WHAT);
	for (uint32_t i = 0; i < n; i++) {
		struct candidate *c = &made[n_made];
		if (!make_candidate(s, sorted[i], c))
			continue;
		if (!grain_is_small_loop(s, sorted[i], c) && s->scenario != NULL && n_simulated < SIMULATED &&
		    can_be_simulated(s, c))
			simulated[n_simulated++] = n_made;
		sorted[n_made++] = sorted[i];
	}
#pragma omp taskgroup
	for (uint32_t i = 0; i < n_simulated; i++) {
		struct candidate *c = &made[simulated[i]];
#pragma omp task
		simulate_candidate(s, c);
	}
	for (uint32_t i = 0; i < n_made; i++) {
		divide_wait(s, &made[i], bound_of_cause(s->answer, sorted[i]));
		candidates_put(s, made[i]);
	}
	free(made);
	free(sorted);
}

/* Adds all causes of the kind as one candidate, with the construct of the largest. */
static void add_sum(struct candidate_search *s, enum limit limit)
{
	const struct answer *answer = s->answer;
	const struct cause *largest = NULL;
	double total = 0, crowded = 0, blocked = 0, n_threads = answer->account.n_threads;
	for (uint32_t i = 1; i < answer->causes.n; i++) {
		const struct cause *cause = &answer->causes.rows[i];
		if (cause->limit != limit || !is_summed(cause))
			continue;
		total += cause->ticks;
		crowded += cause->crowded_ticks;
		blocked += cause->blocked_ticks;
		if (largest == NULL || cause->ticks > largest->ticks)
			largest = cause;
	}
	if (largest == NULL)
		return;
	/* Work can be shared out; a blocked thread has none. All other threads wait meanwhile. */
	double n = limit == LIMIT_PREEMPTION ? n_threads : (double)answer_n_running(answer), usable = total - crowded;
	double all_blocked = blocked * (n - 1) < usable ? blocked * (n - 1) : usable;
	bool is_crowded = limit == LIMIT_PREEMPTION && answer_n_running(answer) < answer->account.n_threads;
	bool is_blocked = largest->blocked_ticks * (n_threads - 1) > largest->ticks / 2;
	double saved = (usable - all_blocked) / n + (is_blocked ? blocked : all_blocked / n);
	struct binding shared = limit == LIMIT_PREEMPTION ? binding_find(answer) : (struct binding){0};
	if (shared.is_of_process) /* as many processors as threads would take it away, if the machine has them */
		saved = total / n_threads;
	candidates_put(s, (struct candidate){.limit = shared.n_threads != 0 ? LIMIT_BINDING : limit,
					     .sort = shared.is_of_process ? CAUSE_PROCESS
						     : is_crowded         ? CAUSE_CROWDED
						     : is_blocked         ? CAUSE_BLOCKED
									  : largest->sort,
					     .n = shared.n_threads != 0 ? shared.n_threads
						  : is_crowded          ? answer_n_running(answer)
									: 0,
					     .n_processors = shared.n_processors,
					     .construct = largest->construct,
					     .blamed_ticks = (uint64_t)total,
					     .saved_ticks = saved > 0 ? (uint64_t)saved : 0});
}

static int by_saved(const void *left, const void *right)
{
	const struct candidate *l = left, *r = right;
	int order = cmp(r->saved_ticks, l->saved_ticks) ?: cmp(l->limit, r->limit);
	return order ?: cmp(l->construct, r->construct) ?: cmp(l->other, r->other);
}

void candidates_find(struct answer *answer, const struct scenario *scenario)
{
	struct candidate_search s = {.answer = answer, .scenario = scenario};
	s.is_tiny = memory_zeroed(answer->net.graph->model->n_constructs, sizeof *s.is_tiny, WHAT);
	if (scenario != NULL)
		s.base_ticks = answer->simulated_ticks = scenario_simulate(scenario, &(struct variant){0});
	uint64_t least = answer_least_ticks(answer), wall = answer->account.wall_ticks;
	s.most_beside_bounds = wall > least ? wall - least : 0;
	s.most_of_blocked = most_of_blocked(answer);
	grain_find(&s);
	add_causes(&s);
	add_sum(&s, LIMIT_SERIAL);
	add_sum(&s, LIMIT_PREEMPTION);
	sort_array(answer->candidates, answer->n_candidates, by_saved);
	free(s.is_tiny);
}
