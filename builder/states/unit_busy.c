/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who executes on a thread that runs Argobots' units: the unit, or OpenMP's current task. Outside of OpenMP's regions it
 * is the unit, as OpenMP's initial task would otherwise have the work of all units that its thread runs; inside of a
 * region it is OpenMP's task. So all work is in one account, once (docs/states.md, "One account"). What a unit runs
 * while it polls is no work: it is taken back when it is known. Called by thread.h and units.c during the replay; one
 * thread.
 */
#include "builder/states/thread.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* Is the time of this unit its own? Inside of a region, or of an explicit task, OpenMP's task executes. */
static bool is_own(const struct states *states, const struct thread_state *t, uint32_t unit)
{
	const struct model *m = states->model;
	const struct task *task = &m->tasks[t->task];
	bool is_of_root = task->flags & task_flags_initial && m->regions[task->region].state & REGION_INITIAL;
	return unit != 0 && m->units[unit].kind != UNIT_SCHEDULER && (t->task == 0 || is_of_root);
}

/* A thread outside of Argobots and OpenMP is in no state that is known; the unit that stands for it has its time all the same. */
static bool is_outside(const struct states *states, const struct thread_state *t, uint32_t unit, enum state now)
{
	return states->model->units[unit].kind == UNIT_EXTERNAL && now == STATE_UNDEFINED && t->is_attached && t->is_recording &&
	       !t->is_in_gap;
}

void states_account(struct states *states, uint32_t stream, uint32_t unit, enum state now, uint64_t ticks)
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

/* Closes the account until now, and takes back what came to it since the last event if that was a look. */
static void close(struct busy *busy, uint32_t stream, uint32_t unit, uint64_t ticks, uint64_t *given_ticks, bool was_look)
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

void states_close_look(struct states *states, const struct point *at, uint32_t unit, bool was_look)
{
	struct thread_state *t = &states->threads[at->stream];
	if (unit == 0)
		return;
	close(&states->units.busy, at->stream, unit, at->ticks, &t->given_busy_ticks, was_look);
	close(&states->units.blocked, at->stream, unit, at->ticks, &t->given_blocked_ticks, was_look);
}

void states_unit_busy_begin(struct states *states)
{
	const struct model *m = states->model;
	size_t n_streams = states->n_streams;
	states->units.busy.ticks = memory_zeroed(m->n_units, sizeof *states->units.busy.ticks, "the thread states");
	states->units.busy.streams = memory_zeroed(n_streams, sizeof *states->units.busy.streams, "the thread states");
	if (!m->switches.are_recorded)
		return;
	states->units.blocked.ticks = memory_zeroed(m->n_units, sizeof *states->units.blocked.ticks, "the thread states");
	states->units.blocked.streams = memory_zeroed(n_streams, sizeof *states->units.blocked.streams, "the thread states");
}

void states_unit_busy_free(struct states *states)
{
	free(states->units.busy.ticks);
	free(states->units.busy.streams);
	free(states->units.blocked.ticks);
	free(states->units.blocked.streams);
}
