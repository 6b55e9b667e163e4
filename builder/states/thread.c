/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Passes a thread from one state into the next: adds up its times, and calls the listeners. One thread.
 */
#include "builder/states/thread.h"

/* How long the thread has worked until then. */
static uint64_t work_until(const struct thread_state *t, const struct window *window, uint64_t ticks)
{
	uint64_t work = state_is_work(t->shown) && ticks > t->since_ticks ? window_ticks(window, t->since_ticks, ticks) : 0;
	for (enum state state = 0; state_is_work(state); state++)
		work += t->times->ticks[state];
	return work;
}

void states_know(struct states *states, uint32_t stream, bool is_known, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	uint64_t work_ticks = work_until(t, &states->model->window, ticks);
	if (t->is_unknown)
		t->times->unknown_ticks += work_ticks - t->known_work_ticks;
	t->is_unknown = !is_known;
	t->known_work_ticks = work_ticks;
}

/* As thread_show(), where only what lies in the part counts. */
static void show_part(struct thread_state *t, const struct window *window, enum state to, uint64_t ticks)
{
	struct state_times *times = t->times;
	times->ticks[t->shown] += window_ticks(window, t->since_ticks, ticks);
	times->count[t->shown] += window_meets(window, t->since_ticks, ticks) && !state_is_nothing(t->shown, t->since_ticks, ticks);
	t->shown = to;
	t->since_ticks = ticks;
}

int states_emit(struct states *states, uint32_t stream, enum state from, uint64_t since_ticks, uint64_t ticks)
{
	const struct state_listener *listener = states->listeners, *end = listener + states->n_listeners;
	enum state to = states->threads[stream].shown;
	int rc = 0;
	for (; listener < end && rc == 0; listener++)
		rc = listener->pass(listener->self, stream, from, since_ticks, to, ticks);
	return rc;
}

int states_pass_any(struct states *states, uint32_t stream, enum state to, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	enum state from = t->shown;
	uint64_t since_ticks = t->since_ticks;
	if (ticks < since_ticks)
		ticks = since_ticks; /* the late end of a worker (Q3), which lost its processor meanwhile */
	if (ticks >= states->last_ticks && to != STATE_NONE)
		return 0; /* every state ends with the process */
	if (t->is_part)
		show_part(t, &states->model->window, to, ticks);
	else
		thread_show(t, to, ticks);
	return states->n_listeners != 0 ? states_emit(states, stream, from, since_ticks, ticks) : 0;
}

uint32_t states_current(const struct states *states, uint32_t stream)
{
	const struct thread_state *t = &states->threads[stream];
	return t->gap.is_open ? t->gap.task : t->task; /* a wait that is shown when the next task has begun */
}
