/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses what is said to limit the run: see verdict.h. It errs in one direction only: "no bottleneck" where the threads worked
 * nearly all the time, and the largest loss elsewhere, also where no gain can be computed.
 */
#include "builder/answer/verdict.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define SCALES           0.9  /* a run with this efficiency has no limit worth reporting */
#define CROWDED          0.1  /* of the threads' time without a processor: then they are in each other's way */
#define WORTH            1.05 /* a limit with a smaller speedup is compared with the sums of its kind */
#define WORTH_OF_RUNTIME 1.1  /* the same for limits of the runtime, which its user cannot change */
#define MANY_SMALL       1.1  /* below this speedup, if the run does not scale, losses of one kind are added up */

/* Adds up all candidates of the kind with the largest sum. */
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

/* The cause with the largest blame, whether or not anything is known of what its absence saves. */
static struct candidate largest_loss(const struct answer *answer)
{
	const struct cause *largest = NULL;
	for (uint32_t i = 1; i < answer->causes.n; i++)
		if (largest == NULL || answer->causes.rows[i].ticks > largest->ticks)
			largest = &answer->causes.rows[i];
	if (largest == NULL)
		return (struct candidate){0};
	return (struct candidate){.limit = largest->limit,
				  .sort = largest->sort,
				  .construct = largest->construct,
				  .other = largest->other,
				  .blamed_ticks = (uint64_t)largest->ticks,
				  .is_gain_unknown = true};
}

/* One thread did everything, and the process could have had more. */
static bool is_alone(const struct answer *answer)
{
	return answer->account.n_threads == 1 && answer->net.graph->model->dump->meta.n_processors > 1;
}

/*
 * What was executed by one thread could be shared out among the processors where it is in regions: the gain is known of the
 * construct of the regions that took longest. A run without a region could have some.
 */
static struct candidate alone(const struct answer *answer)
{
	const struct model *m = answer->net.graph->model;
	uint64_t *ticks = memory_zeroed(m->n_constructs, sizeof *ticks, "what limits the run"), wall = answer->account.wall_ticks;
	uint32_t longest = 0;
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const struct region *r = &m->regions[row];
		uint64_t end = region_end_ticks(r);
		if (!region_is_programs(r))
			continue;
		uint32_t construct = net_region_construct(&answer->net, row);
		ticks[construct] += (end != UINT64_MAX ? end : m->last_ticks) - r->begin_ticks;
		longest = ticks[construct] > ticks[longest] ? construct : longest;
	}
	uint64_t in_regions = longest == 0 ? 0 : ticks[longest] < wall ? ticks[longest] : wall;
	uint64_t n = m->dump->meta.n_processors, saved = in_regions - in_regions / n;
	free(ticks);
	/* Regions that took next to nothing are not what limits the run. */
	uint64_t other = answer->n_candidates != 0 ? answer->candidates[0].saved_ticks : 0;
	if ((double)(wall - saved) * WORTH > (double)wall || saved < other)
		saved = longest = 0;
	return (struct candidate){.limit = LIMIT_SERIAL,
				  .sort = CAUSE_ALONE,
				  .construct = longest,
				  .n = n,
				  .saved_ticks = saved,
				  .is_gain_unknown = longest == 0};
}

static struct candidate hanging(const struct answer *answer)
{
	const struct account *account = &answer->account;
	return (struct candidate){.limit = LIMIT_HANG,
				  .sort = answer->hang.is_circle ? CAUSE_DEADLOCK : CAUSE_PLAIN,
				  .construct = answer->hang.construct,
				  .blamed_ticks =
					  (answer->net.graph->model->last_ticks - answer->hang.since_ticks) * account->n_threads,
				  .is_gain_unknown = true};
}

/*
 * The share of the time in which the threads worked, of those that the processors allow to work at the same time. Where threads
 * wait for processors, all of them count: there are too many, or too few processors.
 */
static double usable_efficiency(const struct answer *answer)
{
	double total = (double)answer->account.wall_ticks * answer->account.n_threads;
	if ((double)answer->account.ticks[SPENT_PREEMPTED] > CROWDED * total)
		return answer_efficiency(answer);
	uint64_t n_threads = answer->account.n_threads, n_running = answer_n_running(answer);
	return answer_efficiency(answer) * (double)n_threads / (double)n_running;
}

void verdict_choose(struct answer *answer)
{
	double efficiency = usable_efficiency(answer);
	if (answer->hang.is_there) {
		answer->limit = hanging(answer);
		return;
	}
	if (efficiency >= SCALES) {
		if (answer->n_candidates != 0)
			answer->limit.saved_ticks = answer->candidates[0].saved_ticks;
		if (is_alone(answer))
			answer->limit = alone(answer);
		return;
	}
	if (answer->n_candidates != 0)
		answer->limit = answer->candidates[0];
	if (answer_speedup(answer, &answer->limit) < MANY_SMALL && answer->n_candidates != 0)
		answer->limit = add_up(answer);
	double worth = answer->limit.limit == LIMIT_RUNTIME ? WORTH_OF_RUNTIME : WORTH;
	struct candidate loss = largest_loss(answer);
	if (answer_speedup(answer, &answer->limit) < worth && loss.blamed_ticks > answer->limit.blamed_ticks)
		answer->limit = loss;
}
