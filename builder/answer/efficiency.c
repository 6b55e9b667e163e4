/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The efficiency of a run and its factors, and what a candidate would give: see answer.h.
 */
#include "builder/answer/answer.h"

uint64_t answer_n_running(const struct answer *answer)
{
	uint64_t n_threads = answer->account.n_threads, n_processors = answer->net.graph->model->dump->meta.n_processors;
	return n_processors != 0 && n_processors < n_threads ? n_processors : n_threads;
}

double answer_efficiency(const struct answer *answer)
{
	double total = (double)answer->account.wall_ticks * answer->account.n_threads;
	return total > 0 ? (double)answer->account.ticks[SPENT_WORK] / total : 1;
}

/* a / b, of shares of times; of nothing it is all. */
static double share(uint64_t a, uint64_t b)
{
	return b != 0 ? (double)a / (double)b : 1;
}

/* How long a thread had work for a processor, whether it had one or not. */
static uint64_t wanted_ticks(const struct account_thread *thread)
{
	return thread->ticks[SPENT_WORK] + thread->ticks[SPENT_PREEMPTED];
}

/* How long a thread had nothing to do, and waited for no other thread of this process. */
static uint64_t idle_ticks(const struct account_thread *thread)
{
	return thread->ticks[SPENT_SERIAL] + thread->ticks[SPENT_BLOCKED] + thread->ticks[SPENT_DATA] +
	       thread->ticks[SPENT_UNKNOWN];
}

/* Time in which a thread has no processor counts neither as imbalance nor as waiting. */
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
	if (busiest == NULL || account->wall_ticks == 0)
		return (struct efficiency){1, 1, 1, 1, 1, 1};
	/* Creating tasks and handing out chunks is time of the runtime: takes it out of work, the same share for each thread. */
	double kept = share(account->ticks[SPENT_WORK], work);
	uint64_t most = wanted_ticks(busiest), idle = idle_ticks(busiest);
	uint64_t used = account->wall_ticks - busiest->ticks[SPENT_RUNTIME] - busiest->ticks[SPENT_RECORDER];
	return (struct efficiency){.total = answer_efficiency(answer),
				   .load_balance = most != 0 ? (double)wanted / account->n_threads / (double)most : 1,
				   .waits = share(most + idle, used),
				   .idling = share(most, most + idle),
				   .runtime = share(used, account->wall_ticks) * kept,
				   .on_processor = share(work, wanted)};
}

double answer_speedup(const struct answer *answer, const struct candidate *candidate)
{
	double wall = (double)(answer->account.wall_ticks - answer->recorder_ticks), left = wall - (double)candidate->saved_ticks;
	return left > 0 ? wall / left : answer->account.n_threads;
}

double answer_loss_share(const struct answer *answer, const struct candidate *candidate)
{
	double total = (double)answer->account.wall_ticks * answer->account.n_threads;
	double loss = total - (double)answer->account.ticks[SPENT_WORK];
	double share = loss > 0 ? (double)candidate->blamed_ticks / loss : 0;
	return share > 1 ? 1 : share;
}

double answer_bound(const struct answer *answer, double ticks, double crowded_ticks)
{
	return ticks > crowded_ticks ? (ticks - crowded_ticks) / (double)answer_n_running(answer) : 0;
}
