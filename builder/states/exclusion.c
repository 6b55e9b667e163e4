/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds up, for each mutex, what tasks executed while they held it and how long they were blocked, by the accounts of both
 * (model/busy.h): without what they waited for in the runtime, without the time in which another program had the
 * processor, and without other tasks that ran in between. A nestable lock that its owner takes again is held once, from
 * the first acquisition to the last release. Called by the replay; one thread.
 */
#include "builder/states/exclusion.h"
#include "builder/states/states.h"
#include "builder/support/array.h"

#include <stdlib.h>

static uint32_t row_of(struct exclusions *e, const struct mutex *m)
{
	uint32_t *row = map_put(&e->row_of, m->wait_id);
	if (*row == 0) {
		array_reserve((void **)&e->rows, e->n_rows + 1, &e->rows_capacity, sizeof *e->rows);
		e->rows[e->n_rows++] = (struct exclusion){.construct = m->construct, .kind = m->kind};
		*row = (uint32_t)e->n_rows;
	}
	return *row - 1;
}

/* What the task has executed until now, and how long it was blocked: no schedule can make either shorter. */
static uint64_t own_ticks(const struct states *states, const struct point *at)
{
	uint64_t executed = busy_until(&states->busy, at->stream, at->task, at->ticks);
	return states->blocked.ticks == NULL ? executed : executed + busy_until(&states->blocked, at->stream, at->task, at->ticks);
}

static int mutex(void *self, const struct point *at, const struct mutex *m)
{
	struct states *states = self;
	struct exclusions *e = &states->exclusions;
	if (at->task == 0 || (m->event != MUTEX_ACQUIRED && m->event != MUTEX_RELEASED))
		return 0;
	uint32_t row = row_of(e, m);
	uint64_t key = (uint64_t)row << 32 | at->task, own = own_ticks(states, at);
	uint32_t *hold = map_get(&e->hold_of, key);
	if (m->event == MUTEX_ACQUIRED && hold == NULL) {
		array_reserve((void **)&e->holds, e->n_holds + 1, &e->holds_capacity, sizeof *e->holds);
		*map_put(&e->hold_of, key) = (uint32_t)e->n_holds;
		e->holds[e->n_holds++] = own;
		if (states->model->constructs[e->rows[row].construct].codeptr == 0)
			e->rows[row].construct = m->construct;
	} else if (m->event == MUTEX_RELEASED && hold != NULL) {
		e->rows[row].n++;
		e->rows[row].ticks += own - e->holds[*hold];
		map_remove(&e->hold_of, key);
		if (e->hold_of.n_used == 0)
			e->n_holds = 0;
	}
	return 0;
}

const struct replay_ops exclusion_ops = {.mutex = mutex};

void exclusions_free(struct exclusions *e)
{
	free(e->rows);
	free(e->holds);
	map_free(&e->row_of);
	map_free(&e->hold_of);
	*e = (struct exclusions){0};
}

const struct exclusion *exclusions_longest(const struct exclusions *e)
{
	const struct exclusion *longest = NULL;
	for (size_t i = 0; i < e->n_rows; i++)
		if (e->rows[i].n > 1 && (longest == NULL || e->rows[i].ticks > longest->ticks))
			longest = &e->rows[i];
	return longest;
}
