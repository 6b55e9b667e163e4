/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds up, for each mutex, what tasks executed while they held it and how long they were blocked, by the accounts of both
 * (model/busy.h): without their waits in the runtime, without the time in which another program had the processor,
 * and without other tasks that ran in between. A nestable lock that its owner takes again is held once, from the first
 * acquisition to the last release. Each stream has a table of its own; a task that moves may release a mutex on another
 * stream than the one on which it got it, so its changes are merged at the end. Runs on the thread of each stream, and the
 * end, called by states_finish(), on one thread.
 */
#include "builder/states/states.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>

static struct exclusion *row_of(struct exclusion_rows *r, const struct exclusion *first)
{
	if (r->latest < r->n_rows && r->rows[r->latest].wait_id == first->wait_id)
		return &r->rows[r->latest];
	uint32_t *row = map_put(&r->row_of, first->wait_id);
	array_push_new(r->rows, r->n_rows, r->rows_capacity, row, *first);
	r->latest = *row - 1;
	return &r->rows[r->latest];
}

/* How long the task has executed or was blocked until now: no schedule can make either shorter. */
static uint64_t own_ticks(const struct states *states, const struct point *at)
{
	uint64_t ticks = window_clip(&states->model->window, at->ticks);
	uint64_t executed = busy_until(&states->busy, at->stream, at->task, ticks);
	return states->blocked.ticks == NULL ? executed : executed + busy_until(&states->blocked, at->stream, at->task, ticks);
}

static void acquired(struct exclusion *mutex, struct exclusion_hold *hold, uint32_t task, uint64_t own, uint32_t construct,
		     const struct model *model)
{
	if (hold->task == task) /* again */
		return;
	*hold = (struct exclusion_hold){task, own};
	if (model->constructs[mutex->construct].codeptr == 0)
		mutex->construct = construct;
}

static void released(struct exclusion *mutex, struct exclusion_hold *hold, uint32_t task, uint64_t own, const struct model *model)
{
	if (hold->task != task)
		return;
	mutex->n += !model->window.is_part || own > hold->own_ticks;
	uint64_t grown = busy_grown(&hold->own_ticks, own);
	mutex->ticks += grown;
	if (model->tasks[task].flags & task_flags_initial)
		mutex->initial_ticks += grown;
	hold->task = 0;
}

static int mutex(void *self, const struct point *at, const struct mutex *m)
{
	struct states *states = self;
	if (at->task == 0 || (m->event != MUTEX_ACQUIRED && m->event != MUTEX_RELEASED))
		return 0;
	struct exclusion_stream *e = &states->exclusions.streams[at->stream];
	size_t n_before = e->mutexes.n_rows;
	struct exclusion *mutex =
		row_of(&e->mutexes, &(struct exclusion){.wait_id = m->wait_id, .construct = m->construct, .kind = m->kind});
	size_t row = (size_t)(mutex - e->mutexes.rows);
	uint64_t own = own_ticks(states, at);
	if (e->mutexes.n_rows > n_before) {
		array_reserve(e->holds, e->mutexes.n_rows, e->holds_capacity);
		e->holds[row].task = 0;
	}
	if (states->model->tasks[at->task].state & TASK_MIGRATED) {
		array_push(e->changes, e->n_changes, e->changes_capacity,
			   (struct exclusion_change){m->wait_id, at->ticks, own, at->task, (uint32_t)e->n_changes,
						     m->event == MUTEX_RELEASED});
	} else if (m->event == MUTEX_ACQUIRED)
		acquired(mutex, &e->holds[row], at->task, own, m->construct, states->model);
	else
		released(mutex, &e->holds[row], at->task, own, states->model);
	return 0;
}

const struct replay_ops exclusion_ops = {.mutex = mutex, .is_by_stream = true};

/* ---- When the replay is over ---- */

/* Orders by mutex and task, then as in the program: the time that a task has executed never decreases. */
static int by_task(const void *left, const void *right)
{
	const struct exclusion_change *l = left, *r = right;
	return cmp(l->wait_id, r->wait_id) ?: cmp(l->task, r->task) ?: cmp(l->ticks, r->ticks) ?: cmp(l->n, r->n);
}

static void add_changes(struct exclusions *e, size_t n_streams, const struct model *model)
{
	size_t n = 0, have = 0;
	for (size_t i = 0; i < n_streams; i++)
		n += e->streams[i].n_changes;
	struct exclusion_change *changes = memory_get(n, sizeof *changes, "the mutexes");
	for (size_t i = 0; i < n_streams; i++)
		for (size_t j = 0; j < e->streams[i].n_changes; j++)
			changes[have++] = e->streams[i].changes[j];
	sort_array(changes, n, by_task);
	struct exclusion_hold hold = {0, 0};
	for (size_t i = 0; i < n; i++) {
		const struct exclusion_change *c = &changes[i];
		struct exclusion *mutex = row_of(&e->all, &(struct exclusion){.wait_id = c->wait_id});
		if (i > 0 && (c->wait_id != c[-1].wait_id || c->task != c[-1].task))
			hold.task = 0;
		if (c->is_release)
			released(mutex, &hold, c->task, c->own_ticks, model);
		else
			acquired(mutex, &hold, c->task, c->own_ticks, mutex->construct, model);
	}
	free(changes);
}

static void free_rows(struct exclusion_rows *r)
{
	free(r->rows);
	map_free(&r->row_of);
}

static void free_streams(struct exclusions *e, size_t n_streams)
{
	for (size_t i = 0; e->streams != NULL && i < n_streams; i++) {
		free_rows(&e->streams[i].mutexes);
		free(e->streams[i].holds);
		free(e->streams[i].changes);
	}
	free(e->streams);
	e->streams = NULL;
}

void exclusions_finish(struct exclusions *e, size_t n_streams, const struct model *model)
{
	for (size_t i = 0; i < n_streams; i++)
		for (size_t j = 0; j < e->streams[i].mutexes.n_rows; j++) {
			const struct exclusion *part = &e->streams[i].mutexes.rows[j];
			struct exclusion *mutex = row_of(
				&e->all,
				&(struct exclusion){.wait_id = part->wait_id, .construct = part->construct, .kind = part->kind});
			if (model->constructs[mutex->construct].codeptr == 0)
				mutex->construct = part->construct;
			mutex->n += part->n;
			mutex->ticks += part->ticks;
			mutex->initial_ticks += part->initial_ticks;
		}
	add_changes(e, n_streams, model);
	free_streams(e, n_streams);
	map_free(&e->all.row_of);
}

void exclusions_free(struct exclusions *e, size_t n_streams)
{
	free_rows(&e->all);
	free_streams(e, n_streams);
	*e = (struct exclusions){0};
}

const struct exclusion *exclusions_longest(const struct exclusions *e)
{
	const struct exclusion *longest = NULL;
	for (size_t i = 0; i < e->all.n_rows; i++)
		if (e->all.rows[i].n > 1 && (longest == NULL || e->all.rows[i].ticks > longest->ticks))
			longest = &e->all.rows[i];
	return longest;
}

uint64_t exclusion_serial_ticks(const struct exclusion *exclusion, const struct model *model, const struct busy *busy)
{
	uint64_t ticks = 0, held = exclusion != NULL ? exclusion->initial_ticks : 0;
	size_t n = 0;
	for (size_t i = 0; i < model->n_implicit; i++)
		if (model->tasks[model->implicit[i]].flags & task_flags_initial) {
			ticks = busy->ticks[model->implicit[i]];
			n++;
		}
	return n == 1 && ticks > held ? ticks - held : 0;
}
