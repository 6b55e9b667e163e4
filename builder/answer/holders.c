/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who held the mutexes that others waited for: where acquisitions are known one by one, who waits for a mutex waits for the
 * one that had it before. Called by answer.c, on one thread.
 */
#include "builder/answer/figures.h"
#include "builder/support/memory.h"

#include <stdlib.h>

static int by_mutex(const void *left, const void *right)
{
	const struct track_hold *l = *(const struct track_hold *const *)left, *r = *(const struct track_hold *const *)right;
	if (l->wait_id != r->wait_id)
		return l->wait_id < r->wait_id ? -1 : 1;
	return l->acquired_ticks < r->acquired_ticks ? -1 : l->acquired_ticks > r->acquired_ticks;
}

/* Threads may hold a mutex one after the other while this one waits: each is blamed for its part. */
static void blame_holders(struct causes *waits, const struct track_hold *const *holds, size_t i)
{
	const struct track_hold *waiting = holds[i];
	uint64_t until = waiting->acquired_ticks;
	while (i > 0 && holds[i - 1]->wait_id == waiting->wait_id && until > waiting->acquire_ticks) {
		const struct track_hold *holder = holds[--i];
		uint64_t since = holder->acquired_ticks > waiting->acquire_ticks ? holder->acquired_ticks : waiting->acquire_ticks;
		if (holder->released_ticks <= waiting->acquire_ticks || since >= until)
			return;
		uint32_t row = causes_row(waits, LIMIT_EXCLUSION, CAUSE_PLAIN, waiting->construct, holder->construct);
		causes_blame(waits, row, (double)(until - since));
		until = since;
	}
}

void holders_find(struct causes *waits, const struct track *track)
{
	size_t n = 0;
	for (size_t i = 0; i < track->n_streams; i++)
		n += track->streams[i].n_holds;
	if (!track->has_holds || n == 0)
		return;
	const struct track_hold **holds = memory_get(n, sizeof *holds, "who held mutexes");
	n = 0;
	for (size_t i = 0; i < track->n_streams; i++)
		for (size_t j = 0; j < track->streams[i].n_holds; j++)
			holds[n++] = &track->streams[i].holds[j];
	qsort(holds, n, sizeof *holds, by_mutex);
	for (size_t i = 0; i < n; i++)
		blame_holders(waits, holds, i);
	free(holds);
}
