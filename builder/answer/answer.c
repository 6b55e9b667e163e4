/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way from the tables of a process to the answer: see answer.h.
 */
#include "builder/answer/answer.h"
#include "builder/answer/candidates.h"
#include "builder/answer/chunks.h"
#include "builder/answer/figures.h"
#include "builder/answer/late.h"

#include "builder/support/memory.h"

#include <stdlib.h>

#define SCALES           0.9  /* a run that is as efficient as this has no limit worth naming */
#define WORTH            1.05 /* what makes the run faster by less is not worth naming either, ... */
#define WORTH_OF_RUNTIME 1.1  /* ... and of the runtime, which its user cannot change, by less than this */
#define MANY_SMALL       1.1  /* below, with a run that does not scale, losses of one kind are taken together */

double answer_efficiency(const struct answer *answer)
{
	double total = (double)answer->account.wall_ticks * answer->account.n_threads;
	return total > 0 ? (double)answer->account.ticks[SPENT_WORK] / total : 1;
}

/* a / b, of shares of times. */
static double share(uint64_t a, uint64_t b)
{
	return b != 0 ? (double)a / (double)b : 1;
}

/* How long a thread had something to do that needs a processor, whether it had one or not. */
static uint64_t wanted_ticks(const struct account_thread *thread)
{
	return thread->ticks[SPENT_WORK] + thread->ticks[SPENT_PREEMPTED];
}

/* A thread that others keep from its processor is no imbalance, and does not wait. */
struct efficiency answer_efficiencies(const struct answer *answer)
{
	const struct account *account = &answer->account;
	const struct account_thread *busiest = NULL;
	uint64_t work = 0, wanted = 0;
	for (uint32_t i = 0; i < account->n_threads; i++) {
		const struct account_thread *thread = &account->threads[i];
		work += thread->ticks[SPENT_WORK];
		wanted += wanted_ticks(thread);
		if (busiest == NULL || wanted_ticks(thread) > wanted_ticks(busiest))
			busiest = thread;
	}
	if (work == 0)
		return (struct efficiency){1, 1, 1, 1, 1};
	/* Creating tasks and handing out chunks are the runtime's: in work until here, the same share of each thread's. */
	double kept = (double)account->ticks[SPENT_WORK] / (double)work;
	uint64_t most = wanted_ticks(busiest);
	uint64_t used = account->wall_ticks - busiest->ticks[SPENT_RUNTIME] - busiest->ticks[SPENT_RECORDER];
	return (struct efficiency){.total = answer_efficiency(answer),
				   .load_balance = (double)wanted / account->n_threads / (double)most,
				   .serialisation = share(most, used),
				   .runtime = share(used, account->wall_ticks) * kept,
				   .on_processor = share(work, wanted)};
}

double answer_speedup(const struct answer *answer, const struct candidate *candidate)
{
	double wall = (double)answer->account.wall_ticks, left = wall - (double)candidate->saved_ticks;
	return left > 0 ? wall / left : answer->account.n_threads;
}

double answer_loss_share(const struct answer *answer, const struct candidate *candidate)
{
	double total = (double)answer->account.wall_ticks * answer->account.n_threads;
	double loss = total - (double)answer->account.ticks[SPENT_WORK];
	double share = loss > 0 ? (double)candidate->blamed_ticks / loss : 0;
	return share > 1 ? 1 : share;
}

/* All candidates of the kind that has most, as one. */
static struct candidate add_up(const struct answer *answer)
{
	uint64_t saved[LIMITS] = {0}, blamed[LIMITS] = {0};
	enum limit largest = LIMIT_NONE;
	struct candidate sum = {0};
	for (size_t i = 0; i < answer->n_candidates; i++) {
		enum limit limit = answer->candidates[i].limit;
		saved[limit] += answer->candidates[i].saved_ticks;
		blamed[limit] += answer->candidates[i].blamed_ticks;
		largest = saved[limit] > saved[largest] ? limit : largest;
	}
	for (size_t i = answer->n_candidates; i-- > 0;)
		if (answer->candidates[i].limit == largest)
			sum = answer->candidates[i];
	uint64_t loss = (uint64_t)((double)answer->account.wall_ticks * (1 - answer_efficiency(answer)));
	sum.saved_ticks = saved[largest] < loss ? saved[largest] : loss;
	sum.blamed_ticks = blamed[largest];
	return sum;
}

static void choose(struct answer *answer)
{
	double efficiency = answer_efficiency(answer);
	if (answer->n_candidates == 0)
		return;
	answer->limit = answer->candidates[0];
	if (answer_speedup(answer, &answer->limit) < MANY_SMALL && efficiency < SCALES)
		answer->limit = add_up(answer);
	double worth = answer->limit.limit == LIMIT_RUNTIME ? WORTH_OF_RUNTIME : WORTH;
	if (efficiency >= SCALES || answer_speedup(answer, &answer->limit) < worth)
		answer->limit = (struct candidate){.saved_ticks = answer->limit.saved_ticks};
}

static void free_scene(struct answer *answer)
{
	if (answer->scene != NULL)
		scene_free(answer->scene);
	free(answer->scene);
	answer->scene = NULL;
}

void answer_begin(struct answer *answer, const struct graph *graph, const struct states *states, const struct spawn_tree *tree)
{
	answer->states = states;
	answer->tree = tree;
	track_finish(&answer->track);
	net_make(&answer->net, graph, answer->track.same);
}

void answer_order(struct answer *answer)
{
#pragma omp taskgroup
	{
#pragma omp task
		{
			prices_begin(&answer->prices, &answer->net);
			net_clear_ahead(&answer->net);
		}
		net_make_order(&answer->net);
	}
	causes_begin(&answer->causes);
	causes_begin(&answer->waits);
}

int answer_account(struct answer *answer)
{
	struct blockers blockers;
	blockers_find(&blockers, &answer->causes, &answer->net, &answer->track);
	int rc = account_make(&answer->account, &answer->causes, &answer->waits, &answer->net, &answer->track, &blockers);
	blockers_free(&blockers);
	return rc;
}

static void find_cutoffs(struct answer *answer)
{
	uint32_t n_threads = account_n_threads(&answer->net, &answer->track);
	uint64_t all_ticks = account_wall_ticks(&answer->net) * n_threads;
	if (n_threads != 0)
		prices_find_cutoffs(&answer->prices, &answer->net, n_threads, all_ticks);
}

/* Without a number of nodes, those that cannot be folded so far are simulated with more. */
void answer_set_scene(struct answer *answer, uint32_t fold_nodes)
{
	uint32_t most = fold_nodes != 0 ? fold_nodes : SIMULATE_NODES;
	late_measure(&answer->net, &answer->track, &answer->prices);
	prices_find(&answer->prices, &answer->net);
#pragma omp task
	find_cutoffs(answer);
	answer->scene = memory_zeroed(1, sizeof *answer->scene, "what limits the run");
	bool is_made =
		scene_make(answer->scene, &answer->net, &answer->prices, &answer->track, most, net_take_spare(&answer->net)) ||
		(fold_nodes == 0 && scene_make(answer->scene, &answer->net, &answer->prices, &answer->track, UNFOLDED_NODES, NULL));
	if (!is_made)
		free_scene(answer);
}

void answer_finish(struct answer *answer)
{
	if (answer->account.n_threads == 0)
		return;
	track_part_free(&answer->track, &answer->account.no_waits, &answer->account.mutex_parts);
	unit_waits_find(&answer->waits, &answer->track, &answer->net);
	net_forget_times(&answer->net);
	answer->figures =
		figures_find(&answer->net, &answer->track, &answer->prices, answer->tree, &answer->causes, &answer->waits);
	uint64_t *work = &answer->account.ticks[SPENT_WORK];
	answer->creating_ticks = answer->prices.made_ticks < *work ? answer->prices.made_ticks : *work;
	*work -= answer->creating_ticks;
	uint64_t handing = chunks_ticks(answer);
	answer->handing_ticks = handing < *work ? handing : *work;
	*work -= answer->handing_ticks;
	candidates_find(answer, answer->scene);
	choose(answer);
	answer->is_made = true;
}

void answer_free(struct answer *answer)
{
	free_scene(answer);
	track_free(&answer->track);
	net_free(&answer->net);
	causes_free(&answer->causes);
	causes_free(&answer->waits);
	account_free(&answer->account);
	prices_free(&answer->prices);
	free(answer->candidates);
	free(answer->figures);
	*answer = (struct answer){0};
}
