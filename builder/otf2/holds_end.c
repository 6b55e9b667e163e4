/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Releases mutexes that tasks hold at their end: see location.h. Called as locks.c is.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/current.h"
#include "builder/otf2/location.h"

/* Writes the releases of one hold, by its task. */
static int release_hold(struct archive *a, struct location *l, uint64_t time, struct lock_hold hold)
{
	/* Any task may release a mutex that was taken between a task that has ended and the next one. */
	if (current_require(a, l, time, hold.task != UNSET ? hold.task : 0) != 0)
		return -1;
	for (uint32_t i = 0; i < hold.depth; i++)
		if (holds_write_release(a, l, time, &hold) != 0)
			return -1;
	return 0;
}

int holds_release(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	if (l->n_holds == 0 || (task != UNSET && a->is_complete && !model_has_repairs(a->now.model, l->stream)))
		return 0;
	int rc = 0;
	for (uint32_t i = l->n_holds; i > 0 && rc == 0; i--) {
		struct lock_hold hold = l->holds[i - 1];
		if (task != UNSET && hold.task != task)
			continue;
		l->has_holes = true;
		holds_remove(l, &l->holds[i - 1]);
		rc = release_hold(a, l, time, hold);
	}
	return rc;
}
