/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The states of threads that run units of Argobots. In a scheduler the thread is idle: it looks for a unit, and no
 * event says how long it took to find one. In a unit the thread is in the state of OpenMP's current task, if there is
 * one, else in serial work, as it is in no parallel region.
 *
 * A unit that suspends itself has left the thread. One that polls has not: it stops for others, runs again, and looks
 * whether it still has to wait. Looking is waiting, which is known only when the unit stops for the same thing again,
 * or joins what it waited for; if it does anything else, it has found what it waited for. Called by the replay through
 * states_ops; one thread.
 */
#include "builder/states/thread.h"
#include "builder/support/array.h"

enum state states_of_units(const struct thread_state *t)
{
	if (t->in_units == IN_SCHEDULER)
		return STATE_IDLE;
	/* A thread of an OpenMP team may run units as well; one that begins its initial task is in the runtime. */
	return t->task != 0 || t->state == STATE_OVERHEAD ? t->state : STATE_WORK_SERIAL;
}

/* The state of a unit that waits for something of this kind (unit_sync); STATE_NONE: it does not wait. */
static enum state state_of_sync(unsigned sync)
{
	switch (sync) {
	case unit_sync_unknown:
	case unit_sync_user:
	case unit_sync_other: return STATE_NONE;
	case unit_sync_mutex:
	case unit_sync_rwlock: return STATE_WAIT_MUTEX;
	case unit_sync_barrier: return STATE_WAIT_BARRIER_EXPLICIT;
	default: return STATE_WAIT_TASKWAIT; /* for another unit's end, or for a signal from another one */
	}
}

int states_decide(struct states *states, uint32_t stream, bool has_waited)
{
	struct thread_state *t = &states->threads[stream];
	uint32_t unit = t->undecided;
	if (unit == 0)
		return 0;
	t->undecided = 0;
	enum state then = has_waited ? state_of_sync(states->unit_waits[unit].sync) : t->undecided_state;
	if (then != t->shown && states_pass(states, stream, then, t->undecided_ticks) != 0)
		return -1;
	for (size_t i = 0; i < t->n_undecided_changes && !has_waited; i++)
		if (states_pass(states, stream, t->undecided_changes[i].state, t->undecided_changes[i].ticks) != 0)
			return -1;
	return 0;
}

int states_undecided_change(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	enum state now = state_now(t);
	array_reserve((void **)&t->undecided_changes, t->n_undecided_changes + 1, &t->undecided_capacity,
		      sizeof *t->undecided_changes);
	t->undecided_changes[t->n_undecided_changes++] = (struct undecided_change){at->ticks, now};
	states_account(states, at->stream, at->unit, now, at->ticks);
	return 0;
}

static void be_undecided(struct thread_state *t, uint32_t unit, uint64_t ticks)
{
	t->undecided = unit;
	t->is_plain = false;
	t->undecided_ticks = ticks;
	t->n_undecided_changes = 0;
	t->undecided_state = state_now(t);
}

/* After a stop, or at a run: notes which unit is current now. */
static void be_in(const struct states *states, struct thread_state *t, const struct point *at, const struct unit_switch *change)
{
	uint32_t next = change->next;
	unsigned kind = states->model->units[next].kind;
	/*
	 * Below a unit that stops there is a scheduler, whether it is known or not; after a main scheduler has ended
	 * the thread waits until the library gives it another one.
	 */
	bool is_below = next == 0 && change->reason >= UNIT_YIELD && change->reason <= UNIT_CANCEL;
	bool is_outside = (next == 0 && !is_below) || kind == UNIT_EXTERNAL || change->reason == UNIT_END;
	t->is_plain = false;
	t->in_units = is_outside ? NOT_IN_UNITS : is_below || kind == UNIT_SCHEDULER ? IN_SCHEDULER : IN_UNIT;
	bool is_looking = change->reason <= UNIT_RUN && state_of_sync(states->unit_waits[next].sync) != STATE_NONE;
	if (is_looking && t->in_units == IN_UNIT)
		be_undecided(t, next, at->ticks);
}

static bool is_same(const struct unit_wait *left, const struct unit_wait *right)
{
	return left->sync == right->sync && left->object == right->object;
}

int states_unit_switch(void *self, const struct point *at, const struct unit_switch *change)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	struct unit_wait *wait = &states->unit_waits[change->prior];
	bool is_poll = change->reason == UNIT_YIELD && state_of_sync(change->wait.sync) != STATE_NONE;
	if (change->reason == UNIT_CANCEL && change->prior != at->unit)
		return 0;
	if (t->undecided != 0 &&
	    states_decide(states, at->stream, is_poll && t->undecided == change->prior && is_same(wait, &change->wait)) != 0)
		return -1;
	if (change->reason > UNIT_RUN)
		*wait = is_poll ? change->wait : (struct unit_wait){0, 0};
	states_close_look(states, at, at->unit, change->was_look);
	be_in(states, t, at, change);
	const struct point next = {at->stream, at->task, at->ticks, change->next};
	states_account(states, at->stream, next.unit, state_now(t), at->ticks);
	states_close_look(states, at, next.unit, false);
	return t->undecided != 0 ? 0 : pass(states, &next);
}

int states_unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	(void)count;
	if (unit == at->unit)
		states_close_look(states, at, unit, was_look);
	if (t->undecided != unit || !is_same(&states->unit_waits[unit], wait))
		return pass(states, at);
	if (states_decide(states, at->stream, true) != 0)
		return -1;
	be_undecided(t, unit, at->ticks);
	return 0;
}

int states_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	(void)is_first;
	if (joiner == at->unit)
		states_close_look(states, at, joiner, was_look);
	if (t->undecided == 0)
		return 0;
	const struct unit_wait *wait = &states->unit_waits[t->undecided];
	bool is_join = wait->sync == unit_sync_unit_join || wait->sync == unit_sync_xstream_join;
	bool has_waited = t->undecided == joiner && is_join && wait->object == states->model->units[unit].handle;
	return states_decide(states, at->stream, has_waited) != 0 ? -1 : pass(states, at);
}

int states_unit_acts(void *self, const struct point *at, uint32_t unit, uint32_t by)
{
	(void)unit;
	if (by == at->unit)
		states_close_look(self, at, by, false);
	return states_decide(self, at->stream, false);
}

int states_unit_resumes(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait)
{
	(void)wait;
	return states_unit_acts(self, at, unit, waker);
}
