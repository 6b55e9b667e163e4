/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Passes a thread from one state into the next: adds up its times, and tells the listeners. Called by states.c and
 * units.c during the replay; one thread.
 */
#include "builder/states/thread.h"

/* Adds up how much work there was since it is not known whether the thread has a processor. */
static void add_unknown(struct thread_state *t, struct state_times *times, const struct window *window, uint64_t ticks)
{
	if (t->unknown_ticks == 0 || ticks <= t->unknown_ticks)
		return;
	uint64_t since_ticks = t->since_ticks > t->unknown_ticks ? t->since_ticks : t->unknown_ticks;
	if (state_is_work(t->shown) && ticks > since_ticks)
		times->unknown_ticks += window_ticks(window, since_ticks, ticks);
	t->unknown_ticks = ticks;
}

void states_know(struct states *states, uint32_t stream, bool is_known, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	add_unknown(t, &states->times[stream], &states->model->window, ticks);
	t->unknown_ticks = is_known ? 0 : ticks != 0 ? ticks : 1;
}

/* Adds up the state that is shown; then the other one is. */
static inline void show(struct thread_state *t, struct state_times *times, enum state to, uint64_t ticks)
{
	times->ticks[t->shown] += ticks - t->since_ticks;
	times->count[t->shown] -= state_is_nothing(t->shown, t->since_ticks, ticks);
	times->count[to]++;
	t->shown = to;
	t->since_ticks = ticks;
}

/* As show(), where only what lies in the part counts. */
static void show_part(struct thread_state *t, struct state_times *times, const struct window *window, enum state to, uint64_t ticks)
{
	times->ticks[t->shown] += window_ticks(window, t->since_ticks, ticks);
	times->count[t->shown] += window_meets(window, t->since_ticks, ticks) && !state_is_nothing(t->shown, t->since_ticks, ticks);
	t->shown = to;
	t->since_ticks = ticks;
}

/* As states_pass(), for any thread. Not in it, so that the common case saves no registers. */
__attribute__((noinline)) static int pass_any_state(struct states *states, uint32_t stream, enum state to, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	struct state_times *times = &states->times[stream];
	enum state from = t->shown;
	uint64_t since_ticks = t->since_ticks;
	if (ticks < since_ticks)
		ticks = since_ticks; /* the late end of a worker (Q3), which lost its processor meanwhile */
	if (ticks >= states->last_ticks && to != STATE_NONE)
		return 0; /* every state ends with the process */
	if (t->unknown_ticks != 0)
		add_unknown(t, times, &states->model->window, ticks);
	if (t->is_part)
		show_part(t, times, &states->model->window, to, ticks);
	else
		show(t, times, to, ticks);
	int rc = 0;
	for (size_t i = 0; i < states->n_listeners && rc == 0; i++)
		rc = states->listeners[i].pass(states->listeners[i].self, stream, from, since_ticks, to, ticks);
	return rc;
}

int states_pass(struct states *states, uint32_t stream, enum state to, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	bool is_usual = ticks >= t->since_ticks && ticks < states->last_ticks && t->unknown_ticks == 0 && !t->is_part;
	if (!is_usual || states->n_listeners != 0)
		return pass_any_state(states, stream, to, ticks);
	show(t, &states->times[stream], to, ticks);
	return 0;
}

uint32_t states_current(const struct states *states, uint32_t stream)
{
	const struct thread_state *t = &states->threads[stream];
	return t->gap.is_open ? t->gap.task : t->task; /* a wait that is shown when the next task has begun */
}
