/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells what must have happened to a unit before something else can happen to it. The library reports every event
 * before it takes effect, so its record is earlier than the records of what follows from it on another thread; unless
 * the clocks of the two processors differ, and then the stream that is early waits (merge.h). Called by the merge in
 * both passes; one thread.
 *
 * Both passes must decide alike. So only the current state of the units (struct unit_now) counts, and not what the
 * first pass has written into the rows later.
 */
#include "builder/story/unit_state.h"

/* A unit can only run after it has stopped on another stream, or was resumed, revived or created there. */
static bool run_is_early(const struct units *u, uint32_t row, const struct unit_now *now, uint32_t stream)
{
	if (now != NULL && now->state == NOW_RUNNING)
		return now->stream != stream && !units_polls_elsewhere(u, row);
	return now == NULL || now->state != NOW_READY;
}

/*
 * A unit can only be freed after it has ended; but 1.1 frees its own units below schedulers, which never run
 * (root_unit).
 */
static bool free_is_early(const struct units *u, uint32_t row, const struct unit_now *now)
{
	return now == NULL || (now->state != NOW_ENDED && (now->has_run || u->model->units[row].pool != 0));
}

bool units_is_early(void *self, uint32_t stream, const struct record *r)
{
	const struct units *u = self;
	unsigned kind = record_kind(r);
	if (kind == EVENT_unit_spawn)
		kind = EVENT_unit_create;
	if (kind < EVENT_unit_end || kind > EVENT_unit_resume || u->is_blind)
		return false;
	/* If the program never frees a unit, the wait for this ends by itself (merge.h). */
	if (kind == EVENT_unit_end)
		return u->is_in_life && u->n_unfreed > 0;
	if (!u->is_in_life)
		return u->model->n_events[EVENT_unit_begin] > u->life;
	const uint32_t *found = map_get(&u->alive, r->a);
	uint32_t row = found != NULL ? *found : 0;
	const struct unit_now *now = row != 0 && !units_is_gone(u, row) ? &u->now[row] : NULL;
	switch (kind) {
	case EVENT_unit_create: return now != NULL;
	case EVENT_unit_revive:
	case EVENT_unit_join: return now == NULL || now->state != NOW_ENDED;
	case EVENT_unit_free: return free_is_early(u, row, now);
	case EVENT_unit_run: return run_is_early(u, row, now, stream);
	case EVENT_unit_resume: return now == NULL || now->state != NOW_SUSPENDED;
	case EVENT_unit_cancel: return now == NULL || (now->state == NOW_RUNNING && now->stream != stream);
	default: return false;
	}
}
