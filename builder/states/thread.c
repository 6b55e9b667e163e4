/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Passes a thread from one state into the next: adds up its times, and tells the listeners. Called by states.c and
 * units.c during the replay; one thread.
 */
#include "builder/states/thread.h"

int states_pass(struct states *states, uint32_t stream, enum state to, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	struct state_times *times = &states->times[stream];
	enum state from = t->shown;
	uint64_t since_ticks = t->since_ticks;
	if (ticks >= states->model->last_ticks && to != STATE_NONE)
		return 0; /* every state ends with the process */
	if (from != STATE_NONE)
		times->ticks[from] += ticks - since_ticks;
	if (state_is_nothing(from, since_ticks, ticks))
		times->count[from]--;
	if (to != STATE_NONE)
		times->count[to]++;
	t->shown = to;
	t->since_ticks = ticks;
	int rc = 0;
	for (size_t i = 0; i < states->n_listeners && rc == 0; i++)
		rc = states->listeners[i].pass(states->listeners[i].self, stream, from, since_ticks, to, ticks);
	return rc;
}
