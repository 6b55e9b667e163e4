/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread states: at any time of its life a thread is in exactly one of OMPT's states. They are derived from the
 * replay's events alone; docs/states.md says which event begins and ends which state, and where a runtime itself
 * reports another one. Used by run.c, which attaches states_ops to the replay, and by outputs. Streams may be replayed at
 * the same time: what is by stream is used by its thread alone, what is by task by the thread on which the task is
 * current.
 *
 * A thread's life is the time in which an OS thread has the stream: from its attach record, or the stream's first one,
 * to its detach record, or, where it was alive then, the process's last one. A stream that several OS threads had one
 * after the other has several such lives, whose times are added.
 */
#ifndef OTTER_BUILDER_STATES_STATES_H
#define OTTER_BUILDER_STATES_STATES_H

#include "builder/model/busy.h"
#include "builder/replay/replay.h"
#include "builder/states/exclusion.h"
#include "builder/states/ready.h"

/*
 * How long a stream's threads were in each state, and how often they came into it. The ticks add up to the thread's
 * life.
 */
struct state_times {
	uint64_t ticks[STATES + 1]; /* that of STATE_NONE does not count */
	uint64_t count[STATES + 1];
	uint64_t unknown_ticks; /* of its work: it is not known whether it had a processor then */
	char apart[64];         /* so that no two streams share a cache line */
};

/* The ticks of all states. */
uint64_t state_times_total(const struct state_times *times);

/* The same in ns, so that they, too, add up: to the life's length, rounded once. */
void state_times_ns(const struct dump *dump, const struct state_times *times, uint64_t ns[STATES]);

/*
 * Called when the thread of a stream passes into another state, before any other visitor of the replay has seen the
 * event that is the cause; in the order of time for each stream, and for several streams at the same time. since_ticks: when it came into the state that ends. 0,
 * or -1 with the error printed.
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
	struct unit_busy units;       /* the same of Argobots' units */
	struct unit_wait *unit_waits; /* by row of model.units: what it polls for since its latest stop */
	struct exclusions exclusions; /* complete after states_finish(), if exclusion_ops visited the replay, too */
	bool has_losses;              /* records are missing in the midst of streams */
	struct ready ready;
	uint64_t *awaited;    /* by row of model.tasks: when the last thing ends that its wait waits for (wait.c) */
	uint64_t *group_ends; /* by row of model.tasks: when it and all of its descendants have ended; NULL: no taskgroups */
	struct kept *moved;   /* by row of model.tasks: what a task that moves was in when it was suspended; NULL: none moves */
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

/* The task that is in the state that the stream's thread is in, 0 none: for listeners, about the state that begins. */
uint32_t states_current(const struct states *states, uint32_t stream);

#endif
