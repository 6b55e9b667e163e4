/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks that several streams have a part in, one after the other: those that moved, those whose completion another thread
 * reports (Q33), and detached ones, which another thread may fulfil. Streams are replayed each for itself, but such a
 * task is handed over: the records at which a stream begins, or goes on with, its part in the task are its stops. A
 * stream waits at a stop until the task's earlier stops, in the order of time, are over. A stop is over as soon as the
 * task is not current in the stream any more.
 *
 * In a program a stop only ever waits for what came before it in time, so streams cannot wait for each other in a circle.
 * Where records or clocks contradict that, schedule.c cuts the circle.
 *
 * hand.c finds the stops in a pass of its own over the records, which dumps without such tasks do not need. During the
 * replay a task's struct hand belongs to the stream that is at one of its stops; n_over and `waiting` belong to who has
 * the lock of schedule.c.
 */
#ifndef OTTER_BUILDER_REPLAY_HAND_H
#define OTTER_BUILDER_REPLAY_HAND_H

#include "builder/replay/frames.h"
#include "builder/support/held.h"

struct stream_state;

/* A record at which a stream waits for the task. */
struct stop {
	uint64_t place; /* of the record: segment << 32 | index */
	uint64_t ticks;
	uint32_t task, hand; /* hand: index in hands.all */
	uint32_t stream;
	uint32_t nth;     /* among the task's stops, from 0 */
	bool is_first;    /* known to be the task's first one in its stream */
	bool is_report;   /* the record reports that the task completed, and the task is not current in its stream */
	bool is_reported; /* the task's next stop is such a report, in another stream */
};

struct hand {
	uint32_t task;
	uint32_t first, n_stops;      /* in hands.order */
	uint32_t n_over;              /* atomic: stops that are over */
	bool is_ended;                /* its last part has ended without a record (Q33) */
	struct frame *frame;          /* its scopes, if it moves; NULL: none yet */
	struct held *held;            /* the mutexes that it holds, if it moves; NULL: it never held any */
	struct stream_state *waiting; /* atomic */
};

struct hands {
	struct hand *all; /* by the row of the task */
	size_t n;
	uint32_t *rows;     /* by row of model.tasks: index in `all` + 1; NULL where `all` is empty */
	struct stop *stops; /* by stream, then by place; the last one has the place UINT64_MAX */
	uint32_t *order;    /* of each task in turn: its stops in the order of time */
	size_t *of_stream;  /* by row of dump.streams: its first stop */
};

/* Finds the tasks. finds_stops: and where they are handed over, which takes a pass over the records. */
void hands_begin(struct hands *hands, const struct model *m, bool finds_stops);
void hands_free(struct hands *hands);

/* The task's row in hands.all; NULL: only one stream has a part in it. */
static inline struct hand *hands_find(const struct hands *hands, uint32_t task)
{
	uint32_t row = hands->n != 0 ? hands->rows[task] : 0;
	return row != 0 ? &hands->all[row - 1] : NULL;
}

#endif
