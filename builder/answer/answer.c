/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the answer from the tables of a process: see answer.h.
 */
#include "builder/answer/answer.h"
#include "builder/answer/candidates.h"
#include "builder/answer/verdict.h"
#include "builder/analysis/figures.h"
#include "builder/analysis/prices.h"
#include "builder/support/memory.h"

#include <stdlib.h>

static void free_scenario(struct answer *answer)
{
	if (answer->scenario != NULL)
		scenario_free(answer->scenario);
	free(answer->scenario);
	answer->scenario = NULL;
}

void answer_begin(struct answer *answer, const struct graph *graph, const struct states *states, const struct callpath_tree *tree)
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

/*
 * In a doacross loop a thread is in its iteration, and so works, while it waits at a sink: the runtime reports no such state.
 * What the graph knows of these waits is moved from its work.
 */
static void account_sinks(struct answer *answer, const struct blockers *blockers)
{
	struct account *account = &answer->account;
	const struct window *window = &answer->net.window;
	size_t n;
	const struct sink_wait *waits = graph_sink_waits(answer->net.graph, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t begin = window_clip(window, waits[i].begin_ticks), end = window_clip(window, waits[i].end_ticks);
		uint32_t row = account_find_thread(account, waits[i].stream);
		if (row == UINT32_MAX || end <= begin)
			continue;
		uint64_t *spent = account->threads[row].ticks;
		uint64_t length = end - begin < spent[SPENT_WORK] ? end - begin : spent[SPENT_WORK];
		uint32_t place = blockers_of(blockers, waits[i].target)->place;
		spent[SPENT_WORK] -= length;
		spent[SPENT_WAITING] += length;
		account->ticks[SPENT_WORK] -= length;
		account->ticks[SPENT_WAITING] += length;
		causes_blame(&answer->causes, causes_row(&answer->causes, LIMIT_DOACROSS, CAUSE_PLAIN, place, 0), (double)length);
	}
}

/* How long the process waited for the recorder to begin. */
static uint64_t recorder_ticks(const struct answer *answer)
{
	const struct model *m = answer->net.graph->model;
	uint64_t ticks = net_ticks_of(&answer->net, m->dump->meta.recorder_ns);
	return !m->window.is_part && ticks < answer->account.wall_ticks ? ticks : 0;
}

/* Moves up to that many ticks from one row of the thread's account to the recorder's. Returns how many. */
static uint64_t give_recorder(struct account *account, uint32_t thread, enum spent from, uint64_t ticks)
{
	uint64_t *spent = account->threads[thread].ticks;
	uint64_t moved = ticks < spent[from] ? ticks : spent[from];
	spent[from] -= moved;
	spent[SPENT_RECORDER] += moved;
	account->ticks[from] -= moved;
	account->ticks[SPENT_RECORDER] += moved;
	return moved;
}

/*
 * While the recorder makes its dump, the first thread is in its initial task, if that begins with the process, and the others
 * wait. This is serial time that the program does not have without the recorder. The first row of that kind is about the region
 * that begins first.
 */
static void account_recorder(struct answer *answer)
{
	struct account *account = &answer->account;
	uint64_t ticks = recorder_ticks(answer), blamed = 0;
	for (uint32_t i = 0; i < account->n_threads && ticks != 0; i++) {
		uint64_t moved = give_recorder(account, i, SPENT_SERIAL, ticks);
		blamed += moved;
		if (i == 0) { /* it has begun no task yet, or works already; in the rest it was blocked, or had no processor */
			ticks = moved + give_recorder(account, i, SPENT_WORK, ticks - moved);
			answer->recorder_ticks = ticks;
		}
	}
	for (uint32_t i = 1; i < answer->causes.n; i++) {
		struct cause *cause = &answer->causes.rows[i];
		if (cause->limit != LIMIT_SERIAL || cause->sort != CAUSE_PLAIN)
			continue;
		cause->ticks -= (double)blamed < cause->ticks ? (double)blamed : cause->ticks;
		cause->crowded_ticks = cause->crowded_ticks < cause->ticks ? cause->crowded_ticks : cause->ticks;
		return;
	}
}

int answer_account(struct answer *answer)
{
	struct blockers blockers;
	blockers_find(&blockers, &answer->causes, &answer->net, &answer->track);
	int rc = account_make(&answer->account, &answer->causes, &answer->waits, &answer->net, &answer->track, &blockers);
	account_sinks(answer, &blockers);
	account_recorder(answer);
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

/* fold_nodes 0: nets that cannot be folded to the default are simulated with more nodes. */
void answer_set_scenario(struct answer *answer, uint32_t fold_nodes)
{
	uint32_t most = fold_nodes != 0 ? fold_nodes : SIMULATE_NODES;
	late_measure(&answer->net, &answer->track, &answer->prices);
	prices_find(&answer->prices, &answer->net);
#pragma omp task
	find_cutoffs(answer);
	answer->scenario = memory_zeroed(1, sizeof *answer->scenario, "what limits the run");
	bool is_made = scenario_make(answer->scenario, &answer->net, &answer->prices, &answer->track, most,
				     net_take_spare(&answer->net)) ||
		       (fold_nodes == 0 &&
			scenario_make(answer->scenario, &answer->net, &answer->prices, &answer->track, UNFOLDED_NODES, NULL));
	/* The account knows for how long threads were blocked. */
#pragma omp taskwait
	if (is_made)
		scenario_add_blocked(answer->scenario, answer->account.blocked, answer->account.n_blocked);
	else
		free_scenario(answer);
}

void answer_finish(struct answer *answer)
{
	if (answer->account.n_threads == 0)
		return;
	track_part_free(&answer->track, &answer->account.no_waits, &answer->account.mutex_parts);
	const struct paradigm *tasking = answer->net.graph->model->tasking;
	if (tasking != NULL)
		tasking->find_waits(&answer->waits, &answer->track, &answer->net);
	net_forget_times(&answer->net);
	answer->figures =
		figures_find(&answer->net, &answer->track, &answer->prices, answer->tree, &answer->causes, &answer->waits);
	uint64_t *work = &answer->account.ticks[SPENT_WORK];
	answer->creating_ticks = answer->prices.made_ticks < *work ? answer->prices.made_ticks : *work;
	*work -= answer->creating_ticks;
	uint64_t handing = chunks_blame(answer);
	answer->handing_ticks = handing < *work ? handing : *work;
	*work -= answer->handing_ticks;
	answer_find_bounds(answer);
	candidates_find(answer, answer->scenario);
	hang_find(answer);
	verdict_choose(answer);
	answer->is_made = true;
}

void answer_free(struct answer *answer)
{
	free_scenario(answer);
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
