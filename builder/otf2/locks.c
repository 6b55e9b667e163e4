/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the events of mutexes. A critical or ordered region is a scope (events.c) with an inner region while it is
 * held; each call of a lock routine is a region of its own. A lock is numbered by its address, its acquisitions by
 * their order in time over all threads. Called through the table in events.c. On one thread at a time for each
 * location.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/current.h"
#include "builder/otf2/location.h"
#include "builder/otf2/events.h"
#include "builder/otf2/intern.h"

/* The lock's number in the archive. */
static uint32_t lock_id(const struct process *p, struct location *l, uint64_t wait_id)
{
	if (l->recent_lock == 0 || l->recent_wait_id != wait_id) {
		const uint32_t *row = map_get(&p->model->lock_rows, wait_id);
		l->recent_wait_id = wait_id;
		l->recent_lock = row != NULL ? *row : 1; /* gather has seen every acquisition */
	}
	return p->first_lock + l->recent_lock - 1;
}

/*
 * Contradictory records: an acquisition that breaks the order in time, or of what the task holds already, and a release
 * of what another task took are left out.
 */
static int leave_out(struct location *l)
{
	l->has_holes = true;
	return 0;
}

/* The order is 0 where the acquisition is not in the records. */
static int acquire(struct archive *a, struct location *l, const struct point *at, uint64_t time, const struct mutex *m)
{
	if (m->order == 0)
		return 0;
	uint32_t lock = lock_id(&a->now, l, m->wait_id);
	struct lock_hold *hold = holds_find(l, lock, m->order);
	bool is_moved = time != clock_stamp(&a->now, at->ticks) && model_has_repairs(a->now.model, at->stream);
	bool is_over = hold != NULL && (hold->depth == 0 || hold->task != l->running);
	if (is_moved || is_over || holds_otherwise(l, lock, m->order))
		return leave_out(l);
	if (hold == NULL)
		hold = holds_add(&a->now, l, lock, m->order);
	hold->depth++;
	return archive_check(a, WRITE_EVENT(l, ThreadAcquireLock, NULL, time, OTF2_PARADIGM_OPENMP, lock, m->order),
			     "writing ThreadAcquireLock");
}

static int release(struct archive *a, struct location *l, uint64_t time, const struct mutex *m)
{
	if (m->order == 0)
		return 0;
	uint32_t lock = lock_id(&a->now, l, m->wait_id);
	struct lock_hold *hold = holds_find(l, lock, m->order);
	if (hold == NULL || hold->task != l->running)
		return leave_out(l);
	if (hold->depth == 0) { /* its release was late, and is written */
		holds_remove(l, hold);
		return 0;
	}
	if (--hold->depth == 0)
		holds_remove(l, hold);
	return archive_check(a, WRITE_EVENT(l, ThreadReleaseLock, NULL, time, OTF2_PARADIGM_OPENMP, lock, m->order),
			     "writing ThreadReleaseLock");
}

/* ---- critical, ordered, atomic ---- */

static enum region_kind sblock(unsigned kind)
{
	return kind == mutex_kind_ordered ? REGION_ORDERED_SBLOCK : REGION_CRITICAL_SBLOCK;
}

static int construct_event(struct archive *a, struct location *l, const struct point *at, uint64_t time, const struct mutex *m)
{
	if (m->event != MUTEX_ACQUIRED && m->event != MUTEX_RELEASED)
		return 0;
	if (m->event == MUTEX_ACQUIRED) {
		if (acquire(a, l, at, time, m) != 0)
			return -1;
		return m->kind == mutex_kind_atomic
			       ? 0
			       : location_enter(a, l, time, m->construct, sblock(m->kind), at->task, OPEN_SCOPE);
	}
	/* The record of a release may lack the code address (quirk Q9): the inner region is found by its kind. */
	if (l->n_open > 0 && l->open[l->n_open - 1].kind == sblock(m->kind) && location_leave(a, l, time) != 0)
		return -1;
	return release(a, l, time, m);
}

/* ---- The lock routines ---- */

static bool is_nest(unsigned kind)
{
	return kind == mutex_kind_nest_lock || kind == mutex_kind_test_nest_lock;
}

/* The thread has the lock, for the first time or once more. Outside of omp_set_lock, a test has succeeded. */
static int lock_acquired(struct archive *a, struct location *l, const struct point *at, const struct mutex *m)
{
	uint64_t time = location_stamp(a, l, at->ticks);
	bool nest = is_nest(m->kind) || m->event == MUTEX_NEST_BEGIN;
	enum region_kind set = nest ? REGION_SET_NEST_LOCK : REGION_SET_LOCK;
	if (l->n_open == 0 || l->open[l->n_open - 1].kind != set) {
		enum region_kind test = nest ? REGION_TEST_NEST_LOCK : REGION_TEST_LOCK;
		if (location_enter(a, l, time, m->construct, test, at->task, OPEN_SCOPE) != 0)
			return -1;
	}
	if (acquire(a, l, at, time, m) != 0)
		return -1;
	return location_leave(a, l, time);
}

static int lock_released(struct archive *a, struct location *l, const struct point *at, const struct mutex *m)
{
	uint64_t time = location_stamp(a, l, at->ticks);
	enum region_kind kind = is_nest(m->kind) || m->event == MUTEX_NEST_END ? REGION_UNSET_NEST_LOCK : REGION_UNSET_LOCK;
	if (location_enter(a, l, time, m->construct, kind, at->task, OPEN_SCOPE) != 0 || release(a, l, time, m) != 0)
		return -1;
	return location_leave(a, l, time);
}

static int lock_event(struct archive *a, struct location *l, const struct point *at, const struct mutex *m)
{
	bool nest = is_nest(m->kind);
	switch (m->event) {
	case MUTEX_ACQUIRE:
		if (m->kind == mutex_kind_test_lock || m->kind == mutex_kind_test_nest_lock)
			return 0; /* it may fail, and then there is no event */
		return location_enter(a, l, location_stamp(a, l, at->ticks), m->construct,
				      nest ? REGION_SET_NEST_LOCK : REGION_SET_LOCK, at->task, OPEN_SCOPE);
	case MUTEX_ACQUIRED:
	case MUTEX_NEST_BEGIN: return lock_acquired(a, l, at, m);
	case MUTEX_RELEASED:
	case MUTEX_NEST_END: return lock_released(a, l, at, m);
	case MUTEX_INIT:
		return location_pass(a, l, location_stamp(a, l, at->ticks),
				     region_of(a, l, m->construct, nest ? REGION_INIT_NEST_LOCK : REGION_INIT_LOCK), at->task);
	case MUTEX_DESTROY:
		return location_pass(a, l, location_stamp(a, l, at->ticks),
				     region_of(a, l, m->construct, nest ? REGION_DESTROY_NEST_LOCK : REGION_DESTROY_LOCK),
				     at->task);
	}
	return 0;
}

int event_mutex(void *self, const struct point *at, const struct mutex *mutex)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[at->stream];
	if (task_is_left_out(&a->now, at->task))
		return 0;
	uint64_t time = location_stamp(a, l, at->ticks);
	if (task_follow(a, l, at, &time) != 0)
		return -1;
	bool is_construct =
		mutex->kind == mutex_kind_critical || mutex->kind == mutex_kind_ordered || mutex->kind == mutex_kind_atomic;
	return is_construct ? construct_event(a, l, at, time, mutex) : lock_event(a, l, at, mutex);
}
