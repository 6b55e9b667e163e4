/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread states: at any time of its life a thread is in exactly one of OMPT's states. They are derived from the replay's
 * events alone; docs/states.md says which event begins and ends which state, and where a runtime itself reports another
 * one. Streams may be replayed at the same time: data by stream is used only by the stream's thread, data by task only by
 * the thread on which the task is current.
 *
 * A thread's life is the time in which an OS thread has the stream: from its attach record, or the stream's first one,
 * to its detach record, or, where it was alive then, the process's last one. A stream that several OS threads had one
 * after the other has several such lives, whose times are added.
 */
#ifndef OTTER_BUILDER_STATES_STATES_H
#define OTTER_BUILDER_STATES_STATES_H

#include "builder/model/busy.h"
#include "builder/replay/replay.h"
#include "builder/states/ready.h"

/* ---- Exclusion ---- */

/*
 * What mutual exclusion alone costs: for each mutex the time that tasks executed or were blocked while they held it. No
 * two of them can hold it at once, so no schedule takes less than the largest of these sums (docs/graph.md, "The critical
 * path").
 */

/* A mutex: a lock, the critical constructs of one name, an ordered loop, an atomic that the runtime reports. */
struct exclusion {
	uint64_t wait_id;
	uint32_t construct;     /* row: that of the first acquisition with a label, in the order of streams */
	unsigned kind;          /* mutex_kind of the first acquisition */
	uint64_t n, ticks;      /* how often it was held, and how long its holders executed or were blocked meanwhile */
	uint64_t initial_ticks; /* the part of ticks of initial tasks */
};

struct exclusion_rows {
	struct exclusion *rows;
	size_t n_rows, rows_capacity;
	struct map row_of; /* wait id -> row + 1 */
	size_t latest;     /* the row that was looked up last */
};

struct exclusions {
	struct exclusion_rows all; /* of all streams, once the replay is over */
	struct exclusion_stream {  /* of one stream; by row of dump.streams */
		struct exclusion_rows mutexes;
		struct exclusion_hold {
			uint32_t task;      /* the task that holds the mutex, 0 none */
			uint64_t own_ticks; /* how long it had executed and been blocked when it got it */
		} * holds;                  /* by row of `mutexes` */
		size_t holds_capacity;
		struct exclusion_change {
			uint64_t wait_id, ticks, own_ticks;
			uint32_t task, n;
			bool is_release;
		} * changes; /* of tasks that move: only the changes of all streams together show how long each held what */
		size_t n_changes, changes_capacity;
		char apart[64]; /* so that no two streams share a cache line */
	} * streams;            /* freed when the replay is over */
};

/* Visits a replay after states_ops; `self` is the same struct states. Streams may be replayed at the same time. */
extern const struct replay_ops exclusion_ops;

/* Adds up what the streams found, in their order: when the replay is over. */
void exclusions_finish(struct exclusions *exclusions, size_t n_streams, const struct model *model);

void exclusions_free(struct exclusions *exclusions, size_t n_streams);

/* The mutex with the longest time, or NULL: none was held twice, and one that was held once excludes no other task. */
const struct exclusion *exclusions_longest(const struct exclusions *exclusions);

/*
 * What comes beside the time of this mutex, NULL none, in any schedule: what the one initial task executes outside of regions
 * without holding it. 0 where there are several initial tasks.
 */
uint64_t exclusion_serial_ticks(const struct exclusion *exclusion, const struct model *model, const struct busy *busy);

/*
 * How long a stream's threads were in each state, and how often they entered it. The ticks add up to the thread's life.
 */
struct state_times {
	uint64_t ticks[STATES + 1]; /* that of STATE_NONE does not count */
	uint64_t count[STATES + 1];
	uint64_t unknown_ticks; /* part of its work in which it is not known whether it had a processor */
	char apart[64];         /* so that no two streams share a cache line */
};

/* The ticks of all states. */
uint64_t state_times_total(const struct state_times *times);

/* The same in ns, so that they, too, add up: to the life's length, rounded once. */
void state_times_ns(const struct dump *dump, const struct state_times *times, uint64_t ns[STATES]);

/*
 * Called when the thread of a stream passes into another state, before any other visitor of the replay has seen the
 * event that is the cause; in the order of time for each stream, and for several streams at the same time. since_ticks: when it
 * entered the state that ends. 0, or -1 with the error printed.
 */
struct state_listener {
	int (*pass)(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);
	void *self;
};

struct states {
	const struct model *model;
	struct state_times *times; /* by row of dump.streams; complete when the replay is over */
	struct thread_state *threads;
	size_t n_streams;
	uint64_t last_ticks;          /* of the model */
	struct busy busy;             /* how long each task executed; complete when the replay is over */
	struct busy blocked;          /* how long it was blocked; `ticks` is NULL where switches were not recorded */
	struct unit_busy units;       /* the same for Argobots' units */
	struct unit_wait *unit_waits; /* by row of model.units: what it polls for since its latest stop */
	struct exclusions exclusions; /* complete after states_finish(), if exclusion_ops visited the replay, too */
	bool has_losses;              /* records are missing inside streams */
	struct ready ready;
	uint64_t *awaited;    /* by row of model.tasks: when the last thing ends that its wait waits for (wait.c) */
	uint64_t *group_ends; /* by row of model.tasks: when it and all of its descendants have ended; NULL: no taskgroups */
	struct suspended_state
		*moved; /* by row of model.tasks: the state of a task that moves when it was suspended; NULL: none moves */
	const struct state_listener *listeners;
	size_t n_listeners;
};

/* Visits a replay. */
extern const struct replay_ops states_ops;

/* The listeners live as long as the replay. */
void states_begin(struct states *states, const struct model *model, const struct state_listener *listeners, size_t n_listeners);
/* When the replay is over. */
void states_finish(struct states *states);
void states_free(struct states *states);

/* The task to which the current state of the stream's thread belongs, 0 none: for listeners, about the state that begins. */
uint32_t states_current(const struct states *states, uint32_t stream);

/*
 * Processor time of the process's threads that made no records, such as those of another library, at least; 0: less than a
 * hundredth of the process's or 10 ms, or it is not known: the process was killed, or context switches or a part of it were not recorded.
 * After the replay.
 */
uint64_t states_unseen_ns(const struct states *states);

#endif
