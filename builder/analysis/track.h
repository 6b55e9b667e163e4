/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the answer (answer.h) keeps of a replay, by stream: the thread's states over time, the tasks that began on it, the
 * mutexes that it held, and where it waited. A visitor of the replay, and a listener to the thread states; streams may
 * be replayed at the same time. When the replay is over, the other files of this folder read it.
 */
#ifndef OTTER_BUILDER_ANALYSIS_TRACK_H
#define OTTER_BUILDER_ANALYSIS_TRACK_H

#include "builder/analysis/causes.h"
#include "builder/states/states.h"
#include "builder/support/lockset.h"
#include "builder/support/series.h"
#include "builder/support/varint_log.h"
#include "builder/support/map.h"

/* ---- Log of mutexes ---- */

/*
 * When a thread requested, acquired and released mutexes, in the order of time, in a few bytes each, most of them in a spill
 * file. Written by track.c on the stream's thread; read once, from the first one on, by the sweep of the account
 * (mutex_turns.c).
 */

enum turn_event {
	TURN_REQUESTS,
	TURN_TAKES,
	TURN_KEEPS, /* requested a nestable lock that it holds already */
	TURN_RELEASES,
	TURN_IS_OFF, /* from now on the requesting thread has no processor */
	TURN_IS_ON,  /* it has a processor again */
	TURN_EVENTS
};

struct mutex_log {
	struct log log;
	struct map number_of; /* wait id -> number + 1 */
	uint64_t *wait_ids;   /* by number */
	uint32_t n_mutexes, latest;
	size_t capacity;
};

/* Adds an event about a mutex at a construct, not earlier than the one before. 0, or -1 with the error printed. */
int mutex_log_put(struct mutex_log *log, struct spill *spill, enum turn_event event, uint64_t wait_id, uint32_t construct,
		  uint64_t ticks);
void mutex_log_free(struct mutex_log *log);

struct mutex_reader {
	const struct mutex_log *log;
	const struct spill *spill;
	struct buffer room;
	size_t chunk; /* the next chunk to read */
	const unsigned char *at, *end;
	uint64_t value;      /* of the next event: number of the mutex * TURN_EVENTS + event */
	uint64_t next_ticks; /* its time, UINT64_MAX: there is no next event */
	uint32_t construct;  /* its construct */
};

/* open() reads the first event, next() the following one. 0, or -1 with the error printed. */
int mutex_reader_open(struct mutex_reader *reader, const struct mutex_log *log, const struct spill *spill);
int mutex_reader_next(struct mutex_reader *reader);
void mutex_reader_close(struct mutex_reader *reader);

#define TRACK_HOLDS 1000000 /* the most acquisitions that are kept one by one; with more, they are only added up */

/* One acquisition of a mutex. */
struct track_hold {
	uint64_t acquire_ticks, acquired_ticks, released_ticks; /* released: 0 where that is not recorded */
	uint64_t wait_id;
	uint32_t construct;
	uint32_t task; /* that acquired it */
};

/* How often tasks reached a synchronisation; for a loop also how many iterations it had. */
struct track_sync {
	uint32_t construct;
	uint64_t count;
	uint64_t most_iterations; /* in one execution */
};

struct track_syncs {
	struct track_sync *rows;
	size_t n, capacity;
	struct map row_of; /* construct -> row + 1 */
	size_t latest;     /* the row of the latest look-up */
};

struct track_stream {
	struct series states; /* of the thread; the value is the state's number less that of STATE_NONE */
	uint32_t *started;    /* tasks, in the order in which they began here */
	size_t n_started, started_capacity;
	struct track_hold *holds; /* acquisitions, in the order of the requests; see track.has_holds */
	size_t n_holds, holds_capacity;
	struct lockset held;         /* wait id -> index in `holds` + 1, for mutexes that are not released yet */
	struct track_hold acquiring; /* construct 0 and wait id 0: none */
	bool is_asking;              /* the thread requests the mutex in `acquiring` */
	struct mutex_log mutexes;    /* all events of mutexes */
	struct wait_places places;
	struct track_run {
		uint32_t construct, n; /* n waits, or times in a target construct, at this construct, one after the other */
	} * runs;                      /* in the order of the thread's states */
	size_t n_runs, runs_capacity;
	struct track_syncs syncs;
	struct map loops;   /* construct of a barrier -> that of the worksharing that it ended */
	struct map ends;    /* construct of a region -> that of the barrier at its end */
	uint32_t target;    /* the target construct, or the operation on data outside of one, that began last */
	uint32_t n_targets; /* target constructs that are open */
	uint32_t task;      /* the task that was current when the present state began, if threads wait in that state */
	uint32_t loop;      /* the worksharing construct that ended last, 0 none since the last wait */
	uint32_t within;    /* the worksharing construct that it is in; after the replay: at the end of the time. 0 none */
	char apart[64];     /* so that no two streams share a cache line */
};

/* Is a place in this state about waits? The others are about the runtime, and threads without a processor. */
static inline bool track_is_wait(enum state state)
{
	return state != STATE_OVERHEAD && state != STATE_PREEMPTED;
}

/* Are the constructs of a thread's waits in this state in its `runs`? */
static inline bool track_has_run(enum state state)
{
	return state_is_sync(state) || state_is_mutex(state) || state_is_target(state);
}

struct track {
	const struct model *model;
	const struct states *states;
	struct track_stream *streams; /* by row of dump.streams */
	size_t n_streams;
	uint32_t *same;            /* after track_finish(): model_same_constructs(), already applied to all constructs here */
	uint32_t *sync_of;         /* by task: the construct in which it waits, 0 none */
	uint32_t *loop_of;         /* after track_finish(), by construct of a barrier: the worksharing that it ends, 0 none */
	uint32_t *end_of;          /* after track_finish(), by construct of a region: the barrier at its end, 0 unknown */
	struct wait_places places; /* after track_finish(): of all streams */
	struct track_syncs syncs;  /* after track_finish(): of all streams */
	bool has_holds;            /* after track_finish(): the acquisitions are kept one by one */
	struct spill spill;
};

/* After track_finish(): adds a wait at this construct. */
void track_add_wait(struct track *track, uint32_t construct, enum state state, uint64_t ticks);

/*
 * After track_finish(): removes the times in `no_waits` from the waits for mutexes, as no other thread held the mutex. `parts`:
 * what the times of all requests in the account were; those of other states are added to the places.
 */
void track_part_free(struct track *track, const struct wait_places *no_waits, const struct wait_places *parts);

struct net;

/* net.h: does the stream execute something? */
bool track_executes(const struct track *track, const struct net *net, size_t stream);

/* After track_finish(): the largest number of iterations that the loop had. */
uint64_t track_iterations(const struct track *track, uint32_t construct);

extern const struct replay_ops track_ops;

/* `dir`: the folder for temporary files without a name. 0, or -1 with the error printed; track_free() in any case. */
int track_begin(struct track *track, const struct model *model, const struct states *states, const char *dir);
/* A function of struct state_listener. */
int track_pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);
/* Called when the replay is over, and the source lines of constructs are known. */
void track_finish(struct track *track);
void track_free(struct track *track);

#endif
