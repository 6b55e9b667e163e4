/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns causes into candidates: see candidates.h. What a simulation says is saved is never more than what is blamed,
 * divided among the threads: where a change would also make the scheduler luckier, that is not the cause's doing.
 */
#include "builder/answer/candidates.h"
#include "builder/answer/chunks.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <string.h>

#define WHAT         "what limits the run"
#define COUNTS       200   /* a cause with less than a 200th of the threads' time is left out */
#define SIMULATED    8     /* so many causes are simulated, those with the most blame */
#define SMALL_REGION 50000 /* ns: regions that last less on average may be too small */
#define USUAL_STARTS 3     /* so many times the usual time to start a task is not the scheduler's fault */

struct search {
	struct answer *answer;
	const struct scene *scene;
	uint64_t base_ticks; /* the run as it was, simulated */
	size_t capacity;
	bool *is_tiny; /* by construct of regions: their grain is a candidate */
};

/* Threads that can run at once. */
static uint64_t n_running(const struct answer *answer)
{
	uint64_t n_threads = answer->account.n_threads, n_processors = answer->net.graph->model->dump->meta.n_processors;
	return n_processors != 0 && n_processors < n_threads ? n_processors : n_threads;
}

/* What is saved at most: what is blamed, less what could not have run meanwhile, divided among those that can. */
static double bound_of(const struct answer *answer, double ticks, double crowded_ticks)
{
	return ticks > crowded_ticks ? (ticks - crowded_ticks) / (double)n_running(answer) : 0;
}

/* The processors that there are have to do the work in any case. */
static double most_saved(const struct answer *answer)
{
	bool is_crowded = n_running(answer) < answer->account.n_threads;
	double least_wall = is_crowded ? (double)answer->account.ticks[SPENT_WORK] / (double)n_running(answer) : 0;
	double wall = (double)answer->account.wall_ticks;
	return wall > least_wall ? wall - least_wall : 0;
}

static struct candidate *put(struct search *s, struct candidate candidate)
{
	struct answer *answer = s->answer;
	if ((double)candidate.saved_ticks > most_saved(answer))
		candidate.saved_ticks = (uint64_t)most_saved(answer);
	array_reserve((void **)&answer->candidates, answer->n_candidates + 1, &s->capacity, sizeof *answer->candidates);
	answer->candidates[answer->n_candidates] = candidate;
	return &answer->candidates[answer->n_candidates++];
}

/* How much time the variant saves. */
static uint64_t saves(const struct search *s, const struct variant *variant)
{
	uint64_t ticks = scene_play(s->scene, variant);
	return ticks < s->base_ticks ? s->base_ticks - ticks : 0;
}

/* The same, where nodes of the plan execute for so long, which is freed. */
static uint64_t saves_work(const struct search *s, uint64_t *work_ticks)
{
	uint64_t ticks = saves(s, &(struct variant){.work_ticks = work_ticks});
	free(work_ticks);
	return ticks;
}

/* The same, without edges. */
static uint64_t saves_edges(const struct search *s, enum drop drop, uint32_t construct, uint32_t other)
{
	struct dropped dropped = variant_without_edges(s->scene, drop, construct, other);
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

/* ---- Grain ---- */

/* By construct: what is blamed on it as such. */
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
static void find_small_regions(struct search *s)
{
	const struct answer *answer = s->answer;
	const struct model *m = answer->net.graph->model;
	struct kind_of_region {
		uint64_t n, ticks;
	} *kinds = memory_zeroed(m->n_constructs, sizeof *kinds, WHAT);
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const struct region *r = &m->regions[row];
		uint64_t end = region_end_ticks(r);
		if (!(r->state & REGION_ANNOUNCED) || r->state & (REGION_INITIAL | REGION_HELPER | REGION_HIDDEN) ||
		    end == UINT64_MAX)
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
		put(s, (struct candidate){.limit = LIMIT_GRAIN,
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

static void find_small_tasks(struct search *s)
{
	const struct answer *answer = s->answer;
	double *scheduling = blame_of(answer, LIMIT_RUNTIME, CAUSE_SCHEDULING),
	       *creation = blame_of(answer, LIMIT_CREATION, CAUSE_PLAIN);
	for (uint32_t c = 0; c < answer->prices.n; c++) {
		const struct price *price = &answer->prices.rows[c];
		if (!price->is_small)
			continue;
		uint64_t recorded = price->recorded_ticks + price->around_ticks; /* goes with the tasks */
		uint64_t blamed = recorded + price->made_ticks + (uint64_t)(scheduling[c] + creation[c]);
		put(s, (struct candidate){.limit = LIMIT_GRAIN,
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

static void find_small_chunks(struct search *s)
{
	const struct answer *answer = s->answer;
	for (uint32_t c = 1; c < answer->net.graph->model->n_constructs; c++) {
		struct chunks chunks = chunks_of(answer, c);
		if (chunks.n != 0)
			put(s, (struct candidate){.limit = LIMIT_GRAIN,
						  .sort = CAUSE_CHUNKS,
						  .construct = c,
						  .blamed_ticks = chunks.n * chunks.cost_ticks,
						  .saved_ticks = chunks.n * chunks.cost_ticks / answer->account.n_threads,
						  .n = chunks.n,
						  .own_ticks = chunks.own_ticks,
						  .price_ticks = chunks.cost_ticks});
	}
}

/* ---- What can be simulated ---- */

/* All that is blamed on dependences, divided among the threads. */
static uint64_t chained_ticks(const struct answer *answer)
{
	double ticks = 0, crowded_ticks = 0;
	for (uint32_t i = 1; i < answer->causes.n; i++) {
		const struct cause *cause = &answer->causes.rows[i];
		ticks += cause->limit == LIMIT_CHAIN ? cause->ticks : 0;
		crowded_ticks += cause->limit == LIMIT_CHAIN ? cause->crowded_ticks : 0;
	}
	return (uint64_t)bound_of(answer, ticks, crowded_ticks);
}

/* Has a cause of this kind something that can be simulated? */
static bool can_be_simulated(const struct search *s, const struct candidate *c)
{
	switch (c->limit) {
	case LIMIT_EXCLUSION: return s->answer->net.graph->units == NULL; /* they tell of a mutex only where it ends a wait */
	case LIMIT_CREATION:
	case LIMIT_CHAIN:
	case LIMIT_WAIT:
	case LIMIT_IMBALANCE: return true;
	default: return false;
	}
}

/* Fills in what the candidate saves by a simulation. Called for several at the same time. */
static void simulate_candidate(const struct search *s, struct candidate *c)
{
	uint64_t saved = 0;
	c->is_simulated = true;
	switch (c->limit) {
	case LIMIT_EXCLUSION: saved = saves(s, &(struct variant){.free_mutex = c->construct, .has_free_mutex = true}); break;
	case LIMIT_CREATION: saved = saves_work(s, variant_without_creation(s->scene, c->construct)); break;
	case LIMIT_CHAIN:
		c->all_ticks = saves_edges(s, DROP_ALL_CHAINS, 0, 0);
		saved = saves_edges(s, DROP_CHAIN, c->construct, c->other);
		/* Where several pairs are links of one chain, what is blamed on all of them goes with any of them. */
		c->saved_ticks = most(least(saved, chained_ticks(s->answer)), least(c->all_ticks, c->saved_ticks));
		return;
	case LIMIT_WAIT: saved = saves_edges(s, c->sort == CAUSE_UNDEFERRED ? DROP_UNDEFERRED : DROP_WAIT, c->construct, 0); break;
	case LIMIT_IMBALANCE: {
		uint64_t *work = variant_balanced(s->scene, c->construct);
		saved = work != NULL ? saves_work(s, work) : c->saved_ticks;
		c->all_ticks = saves_edges(s, DROP_BARRIER, c->construct, 0);
		if (c->all_ticks > 0 && (double)c->all_ticks >= 0.9 * (double)saved)
			c->limit = LIMIT_WAIT; /* not the work is at fault: nobody needs to wait there */
		saved = most(saved, c->all_ticks);
		break;
	}
	default: break;
	}
	c->saved_ticks = least(saved, c->saved_ticks);
}

/*
 * A wait whose removal gives less than half of its blame: what it waits for is long, and to blame for the rest. Called before
 * the wait itself is put.
 */
static void divide_wait(struct search *s, struct candidate *wait, uint64_t bound)
{
	struct figure *figures = s->answer->figures;
	if (wait->limit != LIMIT_WAIT || !wait->is_simulated || wait->saved_ticks >= bound / 2)
		return;
	struct candidate rest = *wait;
	rest.limit = LIMIT_IMBALANCE;
	rest.construct = figures[wait->construct].culprit;
	rest.saved_ticks = bound - wait->saved_ticks;
	rest.blamed_ticks = (uint64_t)((double)wait->blamed_ticks * (double)rest.saved_ticks / (double)bound);
	rest.is_simulated = false;
	wait->blamed_ticks -= rest.blamed_ticks;
	if (rest.construct != 0) { /* it is known */
		figures[wait->construct].blamed_ticks -= (double)rest.blamed_ticks;
		figures[rest.construct].blamed_ticks += (double)rest.blamed_ticks;
	}
	put(s, rest);
}

/* Serial time outside of regions is one candidate altogether, and so is preemption, which no construct is at fault for. */
static bool is_summed(const struct cause *cause)
{
	return (cause->limit == LIMIT_SERIAL && cause->sort != CAUSE_SINGLE) || cause->limit == LIMIT_PREEMPTION;
}

static int by_blame(const void *left, const void *right)
{
	const struct cause *l = *(const struct cause *const *)left, *r = *(const struct cause *const *)right;
	return l->ticks != r->ticks ? (l->ticks > r->ticks ? -1 : 1) : l < r ? -1 : l > r;
}

/*
 * Threads go on late after a barrier, which is what barriers cost, and execute little between two of them: then what they
 * execute is too small.
 */
static bool is_small_loop(const struct search *s, const struct cause *cause, struct candidate *c)
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

static uint64_t bound_of_cause(const struct answer *answer, const struct cause *cause)
{
	return (uint64_t)bound_of(answer, cause->ticks, cause->crowded_ticks);
}

/* The candidate of a cause. False: it is no candidate. */
static bool make_candidate(const struct search *s, const struct cause *cause, struct candidate *c)
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
	return true;
}

/* Candidates of causes, those with the most blame first. The first ones that can be are simulated, beside each other. */
static void add_causes(struct search *s)
{
	const struct causes *causes = &s->answer->causes;
	const struct cause **sorted = memory_get(causes->n + (size_t)1, sizeof *sorted, WHAT);
	double total = (double)s->answer->account.wall_ticks * s->answer->account.n_threads;
	uint32_t n = 0, n_made = 0, simulated[SIMULATED], n_simulated = 0;
	for (uint32_t i = 1; i < causes->n; i++)
		if (causes->rows[i].ticks * COUNTS >= total && !is_summed(&causes->rows[i]))
			sorted[n++] = &causes->rows[i];
	qsort(sorted, n, sizeof *sorted, by_blame);
	struct candidate *made = memory_get(n + (size_t)1, sizeof *made, WHAT);
	for (uint32_t i = 0; i < n; i++) {
		struct candidate *c = &made[n_made];
		if (!make_candidate(s, sorted[i], c))
			continue;
		if (!is_small_loop(s, sorted[i], c) && s->scene != NULL && n_simulated < SIMULATED && can_be_simulated(s, c))
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
		put(s, made[i]);
	}
	free(made);
	free(sorted);
}

/* All causes of the kind, named by the largest. */
static void add_sum(struct search *s, enum limit limit)
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
	/* Work can be shared out; a thread that is blocked has none. The others wait meanwhile, all but one. */
	double n = limit == LIMIT_PREEMPTION ? n_threads : (double)n_running(answer), usable = total - crowded;
	double all_blocked = blocked * (n - 1) < usable ? blocked * (n - 1) : usable;
	bool is_crowded = limit == LIMIT_PREEMPTION && n_running(answer) < answer->account.n_threads;
	bool is_blocked = largest->blocked_ticks * (n_threads - 1) > largest->ticks / 2;
	double saved = (usable - all_blocked) / n + (is_blocked ? blocked : all_blocked / n);
	put(s, (struct candidate){.limit = limit,
				  .sort = is_crowded   ? CAUSE_CROWDED
					  : is_blocked ? CAUSE_BLOCKED
						       : largest->sort,
				  .n = is_crowded ? n_running(answer) : 0,
				  .construct = largest->construct,
				  .blamed_ticks = (uint64_t)total,
				  .saved_ticks = saved > 0 ? (uint64_t)saved : 0});
}

static int by_saved(const void *left, const void *right)
{
	const struct candidate *l = left, *r = right;
	if (l->saved_ticks != r->saved_ticks)
		return l->saved_ticks > r->saved_ticks ? -1 : 1;
	if (l->limit != r->limit)
		return l->limit < r->limit ? -1 : 1;
	return l->construct != r->construct ? (l->construct < r->construct ? -1 : 1)
	       : l->other < r->other        ? -1
					    : l->other > r->other;
}

void candidates_find(struct answer *answer, const struct scene *scene)
{
	struct search s = {.answer = answer, .scene = scene};
	s.is_tiny = memory_zeroed(answer->net.graph->model->n_constructs, sizeof *s.is_tiny, WHAT);
	if (scene != NULL)
		s.base_ticks = answer->simulated_ticks = scene_play(scene, &(struct variant){0});
	find_small_regions(&s);
	find_small_tasks(&s);
	find_small_chunks(&s);
	add_causes(&s);
	add_sum(&s, LIMIT_SERIAL);
	add_sum(&s, LIMIT_PREEMPTION);
	if (answer->n_candidates > 0)
		qsort(answer->candidates, answer->n_candidates, sizeof *answer->candidates, by_saved);
	free(s.is_tiny);
}
