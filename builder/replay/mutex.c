/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of mutual exclusion: critical, ordered and atomic are scopes, locks are not. Keeps which task or thread holds
 * which mutex, and by which acquisition. replay.c calls replay_mutex_record() for each record about mutexes, on the thread
 * that replays the stream.
 */
#include "builder/model/construct.h"
#include "builder/replay/state.h"

static bool is_lock(unsigned mutex)
{
	return construct_of_mutex(mutex) == CONSTRUCT_LOCK;
}

/* The mutexes that the current task holds, if it moves; otherwise those that its thread holds. */
static struct lockset *held_here(struct stream_state *s)
{
	struct replay *r = s->replay;
	bool moves = r->handovers.n != 0 && task_moves(&r->model->tasks[s->thread.task]);
	struct task_handover *handover = moves ? handovers_find(&r->handovers, s->thread.task) : NULL;
	if (handover == NULL)
		return &s->held;
	if (handover->held == NULL)
		handover->held = memory_zeroed(1, sizeof *handover->held, "the tasks that move");
	return handover->held;
}

static uint32_t held_order(struct stream_state *s, uint64_t wait_id)
{
	const uint32_t *order = lockset_find(held_here(s), wait_id);
	return order != NULL ? *order : 0;
}

static uint32_t construct_of(struct stream_state *s, const struct record *record, unsigned kind)
{
	return replay_construct(s, construct_of_mutex(kind), thread_codeptr(&s->thread, record));
}

static int visit_mutex(struct replay *r, struct stream_state *s, const struct record *record, enum mutex_event event, unsigned kind,
		       uint32_t order)
{
	struct mutex mutex = {event, kind, record->a, construct_of(s, record, kind), order};
	const struct point *at = replay_point(s, record->time);
	return VISIT(r, mutex, at, &mutex);
}

static int mutex_acquire(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_flags(record);
	if (!is_lock(kind)) {
		struct scope scope = {
			.type = SCOPE_MUTEX, .kind = kind, .construct = construct_of(s, record, kind), .wait_id = record->a};
		if (replay_enter_scope(r, s, &scope, record->time) != 0)
			return -1;
	}
	return visit_mutex(r, s, record, MUTEX_ACQUIRE, kind, 0);
}

static int mutex_acquired(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_flags(record);
	/* 1: orders were not gathered, but the mutex is known to be held. */
	uint32_t order = r->model->lock_orders != NULL ? r->model->lock_orders[s->row][s->n_acquired++] : 1;
	bool is_nest = kind == mutex_kind_nest_lock || kind == mutex_kind_test_nest_lock;
	if (!is_nest && r->model->dump->is_complete && held_order(s, record->a) != 0)
		replay_repair(s, "lock_taken_twice");
	struct frame *frame = !is_lock(kind) ? replay_frame(s, false) : NULL;
	if (frame != NULL && frame->n_scopes > 0 && frame_innermost(&s->frames, frame)->type == SCOPE_MUTEX)
		frame_innermost(&s->frames, frame)->is_acquired = true;
	lockset_put(held_here(s), record->a, order);
	return visit_mutex(r, s, record, MUTEX_ACQUIRED, kind, order);
}

/*
 * The number of the acquisition that a release ends. A task that moves takes the mutexes that it holds with it. If
 * neither the task nor its thread holds the mutex, the release is counted as a repair.
 */
static uint32_t released_order(struct replay *r, struct stream_state *s, uint64_t wait_id)
{
	const struct model *m = r->model;
	struct lockset *held = held_here(s);
	uint32_t order = lockset_take(held, wait_id);
	if (order == 0 && held != &s->held)
		order = lockset_take(&s->held, wait_id);
	if (order == 0 && m->dump->is_complete && !model_was_paused(m))
		replay_repair(s, "lock_not_held");
	return order;
}

static int mutex_released(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_flags(record);
	if (visit_mutex(r, s, record, MUTEX_RELEASED, kind, released_order(r, s, record->a)) != 0)
		return -1;
	return is_lock(kind) ? 0 : replay_leave_scope(r, s, SCOPE_MUTEX, kind, record->time);
}

int replay_mutex_record(struct replay *r, struct stream_state *s, const struct record *record)
{
	switch (record_kind(record)) {
	case EVENT_mutex_acquire: return mutex_acquire(r, s, record);
	case EVENT_mutex_acquired: return mutex_acquired(r, s, record);
	case EVENT_mutex_released: return mutex_released(r, s, record);
	case EVENT_lock_init: return visit_mutex(r, s, record, MUTEX_INIT, record_flags(record), 0);
	case EVENT_lock_destroy: return visit_mutex(r, s, record, MUTEX_DESTROY, record_flags(record), 0);
	case EVENT_nest_lock_begin:
		return visit_mutex(r, s, record, MUTEX_NEST_BEGIN, mutex_kind_nest_lock, held_order(s, record->a));
	case EVENT_nest_lock_end: return visit_mutex(r, s, record, MUTEX_NEST_END, mutex_kind_nest_lock, held_order(s, record->a));
	default: return 0;
	}
}
