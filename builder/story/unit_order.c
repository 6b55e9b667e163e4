/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What must have happened to a unit before something else can. Every event is reported before what it tells of is published, so that it comes before
 * whatever follows from it on another thread, unless the clocks of the two processors differ: then the records of one of them wait (merge.h).
 *
 * What was decided while the table was filled is decided again in the replay: only what units know now counts, and never what rows will be.
 */
#include "builder/story/unit_state.h"

/* It stops on another stream, or is resumed, revived, created there. */
static bool run_is_early(const struct units *u, uint32_t row, const struct unit_now *now, uint32_t stream)
{
	if (now != NULL && now->state == NOW_RUNNING)
		return now->stream != stream && !units_polls_elsewhere(u, row);
	return now == NULL || now->state != NOW_READY;
}

/* The library's own units below schedulers (1.1) are freed without having run. */
static bool free_is_early(const struct units *u, uint32_t row, const struct unit_now *now)
{
	return now == NULL || (now->state != NOW_ENDED && (now->has_run || u->model->units[row].pool != 0));
}

bool units_is_early(void *self, uint32_t stream, const struct record *r)
{
	const struct units *u = self;
	unsigned kind = record_kind(r);
	if (kind < EVENT_unit_end || kind > EVENT_unit_resume || u->is_blind)
		return false;
	/* Programs may forget to free a unit; then nothing comes of waiting. */
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
