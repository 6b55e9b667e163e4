/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mutexes that cost more to hand over than they are held for: see candidates.h.
 */
#include "builder/answer/candidates.h"

#define HOT_NS    1000 /* what handing a mutex over to another processor takes at most */
#define HOT_TIMES 1000 /* a mutex that is acquired less often costs nothing worth a word */
/* What suspending a unit and resuming it by way of a pool takes at most, and the part of all time from which on that counts. */
#define HOT_UNIT_NS 4000
#define HOT_PART    10

/*
 * Units show a mutex only where they wait for it, and not how long it is held. The library's part of handing it over is in what the
 * units execute: where they wait so often that this may be a relevant part of the run, what is saved is more than their waits.
 */
static void mark_of_units(const struct answer *answer, const struct cause *cause, struct candidate *c)
{
	const struct wait_place *waits = places_find(&answer->track.places, cause->construct, STATE_WAIT_MUTEX);
	double all_ns =
		(double)dump_duration_ns(answer->net.graph->model->dump, answer->account.wall_ticks) * answer->account.n_threads;
	if (cause->limit != LIMIT_EXCLUSION || waits == NULL || waits->count < HOT_TIMES ||
	    (double)waits->count * HOT_UNIT_NS * HOT_PART < all_ns)
		return;
	c->sort = CAUSE_HOT;
	c->n = waits->count;
	c->price_ticks = waits->ticks / waits->count;
}

/*
 * A mutex that threads hold for less than handing it over takes. The simulator knows how long it is held, and not what passing it
 * from one processor's cache to another costs, so it is not simulated. Without it neither the waits nor what it is held for
 * remain, as most of that is the same cost, nor the time to acquire it where it is free.
 */
void hot_mark(const struct answer *answer, const struct cause *cause, struct candidate *c)
{
	if (construct_is_of_units(answer->net.graph->model->constructs[cause->construct].kind)) {
		mark_of_units(answer, cause, c);
		return;
	}
	const struct mutexes *mutexes = &answer->net.graph->mutexes;
	uint64_t n = 0, held = 0;
	for (uint32_t row = 0; cause->limit == LIMIT_EXCLUSION && row < mutexes->n_rows; row++)
		if (answer->net.same[mutexes->rows[row].construct] == cause->construct) {
			n += mutexes->rows[row].n_acquired;
			held += mutexes->rows[row].own_ticks;
		}
	if (n < HOT_TIMES || dump_duration_ns(answer->net.graph->model->dump, held / n) >= HOT_NS)
		return;
	double acquiring = 0;
	for (uint32_t i = 1; i < answer->causes.n; i++)
		if (answer->causes.rows[i].sort == CAUSE_ACQUIRING && answer->causes.rows[i].construct == cause->construct)
			acquiring += answer->causes.rows[i].ticks;
	c->sort = CAUSE_HOT;
	c->n = n;
	c->own_ticks = held / n;
	c->price_ticks = (uint64_t)cause->ticks / n;
	c->saved_ticks = (uint64_t)answer_bound(answer, cause->ticks + acquiring + (double)held, cause->crowded_ticks);
}
