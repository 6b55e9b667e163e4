/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds what struct task_times says: a visitor of the replay that comes after states_ops, and a listener to the thread
 * states. Streams may be replayed at the same time.
 */
#ifndef OTTER_BUILDER_STATES_TASK_TIMES_H
#define OTTER_BUILDER_STATES_TASK_TIMES_H

#include "builder/model/task_times.h"
#include "builder/states/states.h"

struct times_finder {
	struct task_times times;
	struct ready_delays delays;
	const struct states *states;
	struct times_stream *streams; /* by row of dump.streams */
	size_t n_streams;
};

/* Visits a replay; `self` is the struct times_finder. */
extern const struct replay_ops times_ops;
/* As struct state_listener has it. */
int times_pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);

void times_begin(struct times_finder *finder, const struct model *model, const struct states *states);
/* When the replay is over. */
void times_finish(struct times_finder *finder);
void times_free(struct times_finder *finder);

#endif
