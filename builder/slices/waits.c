/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where threads wait, and what for: see slices.h. During the replay, on the thread of each stream, a wait gets its construct as
 * its state ends. What it was for is found as the states are read, on any thread: of a taskwait or taskgroup the task that ended
 * last, as in the flow to its next slice; of a barrier what the thread executed that came last.
 */
#include "builder/slices/slices.h"
#include "builder/support/lower_bound.h"

/* ---- During the replay ---- */

void slices_enter_scope(struct slices *slices, const struct point *at, const struct scope *scope)
{
	struct slice_stream *s = &slices->streams[at->stream];
	if (scope->type == SCOPE_TARGET)
		s->target = scope->construct;
	if (scope->type == SCOPE_WORK && work_is_sharing(scope->kind) && slices->m->tasks[at->task].flags & task_flags_implicit)
		s->shared = scope->construct;
	if (slices->sync_of != NULL && slices_is_wait(scope) && at->task != 0)
		slices->sync_of[at->task] = scope->construct;
}

void slices_leave_scope(struct slices *slices, const struct point *at, const struct scope *scope)
{
	if (slices->sync_of != NULL && at->task != 0)
		slices->sync_of[at->task] = 0;
	if (scope->type == SCOPE_SYNC && sync_is_barrier(scope->kind))
		slices->streams[at->stream].shared = 0;
}

int slices_mutex(void *self, const struct point *at, const struct mutex *mutex)
{
	struct slices *slices = self;
	if (mutex->event == MUTEX_ACQUIRE)
		slices->streams[at->stream].acquiring = mutex->construct;
	return 0;
}

uint32_t slices_wait_construct(const struct slices *slices, uint32_t stream, enum state state)
{
	const struct slice_stream *s = &slices->streams[stream];
	if (state_is_sync(state))
		return slices->sync_of[s->waiter];
	return state_is_mutex(state) ? s->acquiring : state_is_target(state) ? s->target : 0;
}

uint32_t slices_barrier_construct(const struct slices *slices, const struct slice_stream *s)
{
	bool is_implicit = s->last.item < slices->m->n_tasks && slices->m->tasks[s->last.item].flags & task_flags_implicit;
	return is_implicit && s->shared != 0 ? s->shared : slices_construct(slices, s->last.item);
}

/* ---- When the flows are known ---- */

/*
 * A thread that waits may execute tasks that wait, too: so waits of a thread are nested, and a state is of the innermost one that
 * began before it, around the first one that ended after it.
 */
void slices_nest_waits(struct slices *slices)
{
	for (size_t stream = 0; stream < slices->trace->dump.n_streams; stream++) {
		struct slice_stream *s = &slices->streams[stream];
		for (size_t i = s->n_waits; i-- > 0;) {
			size_t around = i + 1;
			while (around < s->n_waits && s->waits[around].begin_ticks > s->waits[i].begin_ticks)
				around = s->waits[around].around != 0 ? s->waits[around].around - 1 : s->n_waits;
			s->waits[i].around = around < s->n_waits ? (uint32_t)around + 1 : 0;
		}
		struct slice_arrival *all = slices->arrivals;
		uint32_t first = slices->first_arrival[stream], end = slices->first_arrival[stream + 1];
		for (uint32_t i = end; i-- > first;) {
			uint32_t around = i + 1;
			while (around < end && all[around].enter_ticks > all[i].enter_ticks)
				around = all[around].around != 0 ? all[around].around - 1 : end;
			all[i].around = around < end ? around + 1 : 0;
		}
	}
}

static uint32_t awaited_task(const struct slices *slices, const struct state_slice *slice, uint32_t task)
{
	const struct slice_stream *s = &slices->streams[slice->stream];
	size_t row = lower_bound(i, 0, s->n_waits, s->waits[i].end_ticks < slice->end_ticks) + 1;
	if (row > s->n_waits)
		return 0;
	while (row != 0 && s->waits[row - 1].begin_ticks > slice->begin_ticks)
		row = s->waits[row - 1].around;
	return row != 0 && s->waits[row - 1].task == task ? slices_construct(slices, s->waits[row - 1].waker) : 0;
}

static uint32_t awaited_arrival(const struct slices *slices, const struct state_slice *slice)
{
	const struct slice_arrival *all = slices->arrivals;
	uint32_t first = slices->first_arrival[slice->stream], end = slices->first_arrival[slice->stream + 1];
	uint32_t row = (uint32_t)lower_bound(i, first, end, all[i].leave_ticks < slice->end_ticks) + 1;
	if (row > end)
		return 0;
	while (row != 0 && all[row - 1].enter_ticks > slice->begin_ticks)
		row = all[row - 1].around;
	return row != 0 && all[row - 1].latest != 0 ? all[all[row - 1].latest - 1].construct : 0;
}

void slices_explain_state(const struct slices *slices, struct state_slice *slice, uint32_t task)
{
	slice->off = NULL;
	slice->taken_by = NO_STREAM;
	slice->awaited = 0;
	if (slice->state == STATE_PREEMPTED || slice->state == STATE_BLOCKED)
		slices_find_off(slices, slice);
	if (slice->construct == 0 || !state_is_sync(slice->state) || slices->graph == NULL)
		return;
	bool is_of_tasks = slice->state == STATE_WAIT_TASKWAIT || slice->state == STATE_WAIT_TASKGROUP;
	slice->awaited = is_of_tasks ? awaited_task(slices, slice, task) : awaited_arrival(slices, slice);
}
