/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the answer (answer.h) keeps of a replay, by stream: the thread's states over time, the tasks that began on it, the
 * mutexes that were held, and where it waited. A visitor of the replay, and a listener to the thread states; streams may
 * be replayed at the same time. When the replay is over, the other files of this folder read it.
 */
#ifndef OTTER_BUILDER_ANSWER_TRACK_H
#define OTTER_BUILDER_ANSWER_TRACK_H

#include "builder/answer/mutex_log.h"
#include "builder/answer/places.h"
#include "builder/states/states.h"
#include "builder/support/held.h"
#include "builder/support/series.h"

#define TRACK_HOLDS 1000000 /* acquisitions that are kept one by one; with more, none is: they are only added up */

/* One acquisition of a mutex. */
struct track_hold {
	uint64_t acquire_ticks, acquired_ticks, released_ticks; /* released: 0 where that is not recorded */
	uint64_t wait_id;
	uint32_t construct;
	uint32_t task; /* that acquired it */
};

/* How often tasks came to a synchronisation; of a loop how many iterations it had. */
struct track_sync {
	uint32_t construct;
	uint64_t count;
	uint64_t most_iterations; /* at one time */
};

struct track_syncs {
	struct track_sync *rows;
	size_t n, capacity;
	struct map row_of; /* construct -> row + 1 */
	size_t latest;     /* the row that was asked for last */
};

struct track_stream {
	struct series states; /* of the thread; its value is the state's number less that of STATE_NONE */
	uint32_t *started;    /* tasks, in the order in which they began here */
	size_t n_started, started_capacity;
	struct track_hold *holds; /* in the order in which they were asked for; see track.has_holds */
	size_t n_holds, holds_capacity;
	struct held held;            /* wait id -> place in `holds` + 1, of those that are not released yet */
	struct track_hold acquiring; /* construct 0 and wait id 0: none */
	bool is_asking;              /* for the mutex in `acquiring` */
	struct mutex_log mutexes;    /* all that happened to them */
	struct wait_places places;
	struct track_run {
		uint32_t construct, n; /* so many waits, or times in a target construct, there, one after the other */
	} * runs;                      /* in the order of the thread's states */
	size_t n_runs, runs_capacity;
	struct track_syncs syncs;
	struct map loops;   /* construct of a barrier -> that of the worksharing that it ended */
	struct map ends;    /* construct of a region -> that of the barrier at its end */
	uint32_t target;    /* the target construct, or the operation on data outside of one, that began last */
	uint32_t n_targets; /* target constructs that are open */
	uint32_t task;      /* whose state the present one is, if threads wait in that one */
	uint32_t loop;      /* the worksharing construct that ended last, 0 none since the last wait */
	char apart[64];     /* so that no two streams share a cache line */
};

static inline bool track_is_mutex(enum state state)
{
	return state >= STATE_WAIT_MUTEX && state <= STATE_WAIT_ORDERED;
}

static inline bool track_is_target(enum state state)
{
	return state >= STATE_WAIT_TARGET && state <= STATE_WAIT_TARGET_UPDATE;
}

/* Does a thread in this state wait in a synchronisation? */
static inline bool track_is_sync(enum state state)
{
	return state >= STATE_WAIT_BARRIER && state <= STATE_WAIT_TASKGROUP;
}

/* Does a place in this state tell of waits? The others tell of the runtime, and of threads without a processor. */
static inline bool track_is_wait(enum state state)
{
	return state != STATE_OVERHEAD && state != STATE_PREEMPTED;
}

/* Are the constructs of a thread's waits in this state in its `runs`? */
static inline bool track_has_run(enum state state)
{
	return track_is_sync(state) || track_is_mutex(state) || track_is_target(state);
}

struct track {
	const struct model *model;
	const struct states *states;
	struct track_stream *streams; /* by row of dump.streams */
	size_t n_streams;
	uint32_t *same;            /* after track_finish(): model_same_constructs(). From then on all constructs here are such */
	uint32_t *sync_of;         /* by task: the construct in which it waits, 0 none */
	uint32_t *loop_of;         /* after track_finish(), by construct of a barrier: the worksharing that it ends, 0 none */
	uint32_t *end_of;          /* after track_finish(), by construct of a region: the barrier at its end, 0 unknown */
	struct wait_places places; /* after track_finish(): of all streams */
	struct track_syncs syncs;  /* the same */
	bool has_holds;            /* after track_finish(): the acquisitions are there one by one */
	struct aside aside;
};

/* After track_finish(): something waited there once more. */
void track_add_wait(struct track *track, uint32_t construct, enum state state, uint64_t ticks);

/*
 * After track_finish(): of the times in which threads asked for mutexes, those in `no_waits` were none, as nobody else had the
 * mutex. `parts`: what those were that are in the account, waits and others.
 */
void track_part_free(struct track *track, const struct wait_places *no_waits, const struct wait_places *parts);

struct net;

/* net.h: does the stream execute something? */
bool track_executes(const struct track *track, const struct net *net, size_t stream);

/* After track_finish(): how many iterations the loop had at most. */
uint64_t track_iterations(const struct track *track, uint32_t construct);

extern const struct replay_ops track_ops;

/* `dir`: where there is room for files without a name. 0, or -1 with the error printed; track_free() in any case. */
int track_begin(struct track *track, const struct model *model, const struct states *states, const char *dir);
/* As struct state_listener has it. */
int track_pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);
/* When the replay is over, and constructs have their lines. */
void track_finish(struct track *track);
void track_free(struct track *track);

#endif
