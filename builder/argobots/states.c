/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The states of threads that run units of Argobots. In a scheduler the thread is idle: it looks for a unit, and no
 * event says how long it took to find one. In a unit the thread is in the state of OpenMP's current task, if there is
 * one, else in serial work, as it is in no parallel region.
 *
 * A unit that suspends itself has left the thread. One that polls has not: it stops for others, runs again, and checks
 * whether it still has to wait. The check counts as waiting, which is known only when the unit stops for the same thing
 * again, or joins what it waited for; if it does anything else, its wait is over.
 *
 * Execution time: outside of OpenMP's regions it is the unit's, as OpenMP's initial task would otherwise have the work of all
 * units that its thread runs; inside of a region it is the OpenMP task's. So all work is in one account, once (docs/states.md,
 * "One account"). What a unit runs while it polls is no work: it is subtracted when that is known. One thread.
 */
#include "builder/argobots/argobots.h"
#include "builder/states/thread.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

/* ---- The account of execution time ---- */

/* Is the time of this unit its own? Inside of a region, or of an explicit task, OpenMP's task executes. */
static bool is_own(const struct states *states, const struct thread_state *t, uint32_t unit)
{
	const struct model *m = states->model;
	const struct task *task = &m->tasks[t->task];
	bool is_of_root = task->flags & task_flags_initial && m->regions[task->region].state & REGION_INITIAL;
	return unit != 0 && m->units[unit].kind != UNIT_SCHEDULER && (t->task == 0 || is_of_root);
}

/* The state of a thread outside of Argobots and OpenMP is unknown; the unit that stands for it gets the time nevertheless. */
static bool is_outside(const struct states *states, const struct thread_state *t, uint32_t unit, enum state now)
{
	return states->model->units[unit].kind == UNIT_EXTERNAL && now == STATE_UNDEFINED && t->is_attached && t->is_recording &&
	       !t->is_in_gap;
}

static void account(struct states *states, uint32_t stream, uint32_t unit, enum state now, uint64_t ticks)
{
	ticks = window_clip(&states->model->window, ticks);
	const struct thread_state *t = &states->threads[stream];
	bool is_of_unit = is_own(states, t, unit), is_out = is_of_unit && is_outside(states, t, unit, now);
	bool is_scheduler = unit != 0 && states->model->units[unit].kind == UNIT_SCHEDULER && now == STATE_IDLE;
	bool is_busy = state_is_executing(now) || (is_out && t->off_why == 0);
	bool is_blocked = now == STATE_BLOCKED || (is_out && thread_is_blocked(t));
	busy_change(&states->busy, stream, is_busy && !is_of_unit ? t->task : 0, ticks);
	busy_change(&states->units.busy, stream, (is_busy && is_of_unit) || is_scheduler ? unit : 0, ticks);
	if (states->blocked.ticks == NULL)
		return;
	busy_change(&states->blocked, stream, is_blocked && !is_of_unit ? t->task : 0, ticks);
	busy_change(&states->units.blocked, stream, is_blocked && is_of_unit ? unit : 0, ticks);
}

/* Closes the account until now; if the unit only looked since the last event, subtracts what was added since then. */
static void close_account(struct busy *busy, uint32_t stream, uint32_t unit, uint64_t ticks, uint64_t *given_ticks, bool was_look)
{
	if (busy->ticks == NULL)
		return;
	struct busy_stream open = busy->streams[stream];
	busy_change(busy, stream, 0, ticks);
	if (was_look)
		busy->ticks[unit] = *given_ticks;
	*given_ticks = busy->ticks[unit];
	busy_change(busy, stream, open.task, ticks);
}

/* At an event of units at which this unit is current. was_look: since the last one it only checked whether it has to wait. */
static void close_look(struct states *states, const struct point *at, uint32_t unit, bool was_look)
{
	struct thread_state *t = &states->threads[at->stream];
	if (unit == 0)
		return;
	close_account(&states->units.busy, at->stream, unit, at->ticks, &t->given_busy_ticks, was_look);
	close_account(&states->units.blocked, at->stream, unit, at->ticks, &t->given_blocked_ticks, was_look);
}

/* ---- States ---- */

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

static int decide(struct states *states, uint32_t stream, bool has_waited)
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

static int change_undecided(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	enum state now = state_now(t);
	array_push(t->undecided_changes, t->n_undecided_changes, t->undecided_capacity, (struct undecided_change){at->ticks, now});
	account(states, at->stream, at->unit, now, at->ticks);
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
	 * Below a unit that stops there is a scheduler, known or not; after a main scheduler has ended the thread waits until
	 * the library gives it another one.
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

static int unit_switch(void *self, const struct point *at, const struct unit_switch *change)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	struct unit_wait *wait = &states->unit_waits[change->prior];
	bool is_poll = change->reason == UNIT_YIELD && state_of_sync(change->wait.sync) != STATE_NONE;
	if (change->reason == UNIT_CANCEL && change->prior != at->unit)
		return 0;
	if (t->undecided != 0 &&
	    decide(states, at->stream, is_poll && t->undecided == change->prior && is_same(wait, &change->wait)) != 0)
		return -1;
	if (change->reason > UNIT_RUN)
		*wait = is_poll ? change->wait : (struct unit_wait){0, 0};
	close_look(states, at, at->unit, change->was_look);
	be_in(states, t, at, change);
	const struct point next = {at->stream, at->task, at->ticks, change->next};
	account(states, at->stream, next.unit, state_now(t), at->ticks);
	close_look(states, at, next.unit, false);
	return t->undecided != 0 ? 0 : pass(states, &next);
}

static int unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	(void)count;
	if (unit == at->unit)
		close_look(states, at, unit, was_look);
	if (t->undecided != unit || !is_same(&states->unit_waits[unit], wait))
		return pass(states, at);
	if (decide(states, at->stream, true) != 0)
		return -1;
	be_undecided(t, unit, at->ticks);
	return 0;
}

static int unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look)
{
	struct states *states = self;
	struct thread_state *t = &states->threads[at->stream];
	(void)is_first;
	if (joiner == at->unit)
		close_look(states, at, joiner, was_look);
	if (t->undecided == 0)
		return 0;
	const struct unit_wait *wait = &states->unit_waits[t->undecided];
	bool is_join = wait->sync == unit_sync_unit_join || wait->sync == unit_sync_xstream_join;
	bool has_waited = t->undecided == joiner && is_join && wait->object == states->model->units[unit].handle;
	return decide(states, at->stream, has_waited) != 0 ? -1 : pass(states, at);
}

static int unit_acts(void *self, const struct point *at, uint32_t unit, uint32_t by)
{
	(void)unit;
	if (by == at->unit)
		close_look(self, at, by, false);
	return decide(self, at->stream, false);
}

static int unit_resumes(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait)
{
	(void)wait;
	return unit_acts(self, at, unit, waker);
}

const struct unit_ops argobots_states_ops = {
	.unit_create = unit_acts,
	.unit_revive = unit_acts,
	.unit_switch = unit_switch,
	.unit_poll = unit_poll,
	.unit_resume = unit_resumes,
	.unit_join = unit_join,
	.unit_free = unit_acts,
};

static void begin(struct states *states)
{
	const struct model *m = states->model;
	size_t n_streams = states->n_streams;
	states->unit_waits = memory_zeroed(m->n_units, sizeof *states->unit_waits, "the thread states");
	states->units.busy.ticks = memory_zeroed(m->n_units, sizeof *states->units.busy.ticks, "the thread states");
	states->units.busy.streams = memory_zeroed(n_streams, sizeof *states->units.busy.streams, "the thread states");
	if (!m->switches.are_recorded)
		return;
	states->units.blocked.ticks = memory_zeroed(m->n_units, sizeof *states->units.blocked.ticks, "the thread states");
	states->units.blocked.streams = memory_zeroed(n_streams, sizeof *states->units.blocked.streams, "the thread states");
}

const struct states_unit_hooks argobots_states = {
	.begin = begin,
	.decide = decide,
	.change_undecided = change_undecided,
	.account = account,
};
