/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay: turns a dump's records into clean, nested events, and calls visitors with them. It keeps one scope stack
 * for each task, applies the rules for what a runtime does differently (quirks), and closes what is open if records are
 * missing (repairs). So a visitor sees
 *
 *   - for every stream: times that never decrease; events of regions, implicit tasks and scopes that nest within each
 *     task;
 *   - for every scope that is entered, exactly one leave, at the latest at the end of its task or stream;
 *   - the row of the current task before every event (0 if its records are missing).
 *
 * Streams come in any order, each as far as possible: a visitor keeps its state by stream and by task. Within a task, or a
 * unit, events always come in the order of the program. So where several streams have a part in a task (handover.c), a
 * stream is interrupted, and others are replayed, until the task's earlier parts are over. Streams are merged by time where a
 * paradigm requires it, and where tasks move and records are missing or contradict each other. What one stream reports about
 * a task of another one (an early fulfilment, the cancellation of a task that never ran, a dependence, a parent) is not
 * ordered with the task's own events.
 */
#ifndef OTTER_BUILDER_REPLAY_REPLAY_H
#define OTTER_BUILDER_REPLAY_REPLAY_H

#include "builder/model/tables.h"
#include "builder/model/paradigm.h"
#include "builder/current/thread.h"
#include "builder/support/progress.h"

/* Where and when an event is. `ticks` are the dump's; the late end of a worker (Q3) has those of the join. */
struct point {
	uint32_t stream; /* row of dump.streams */
	uint32_t task;   /* current BEFORE the event; row of model.tasks, 0 unknown */
	uint64_t ticks;
	uint32_t unit; /* of another paradigm, current BEFORE the event; row of model.units, 0 none or unknown */
};

enum scope_type {
	SCOPE_SYNC,      /* kind: sync_kind, a barrier, taskwait or taskgroup */
	SCOPE_SYNC_WAIT, /* kind: sync_kind; inside its SCOPE_SYNC */
	SCOPE_REDUCTION,
	SCOPE_WORK, /* kind: work_kind */
	SCOPE_MASKED,
	SCOPE_MUTEX,   /* kind: mutex_kind critical, ordered or atomic; from mutex_acquire to mutex_released */
	SCOPE_TARGET,  /* kind: target_kind; on the host */
	SCOPE_DATA_OP, /* kind: target_data_op, without _async */
	SCOPE_SUBMIT   /* the launch of a kernel; kernels of a host that is a device itself run in it */
};

#define GRAPHS_AT_ONCE 2 /* graphs that may visit the same replay, each with a number of its own */

struct scope {
	enum scope_type type;
	const struct paradigm *paradigm; /* the paradigm that the scope is part of, which defines its meaning; NULL: OpenMP */
	unsigned kind;
	uint32_t construct;
	uint32_t region;
	uint64_t count;         /* SCOPE_WORK: iterations */
	uint64_t chunks;        /* SCOPE_WORK, when it is left: number of its chunks that the thread executed; 0: unknown */
	uint64_t chunks_before; /* SCOPE_WORK: for the replay: chunks that the stream had counted, and that no scope has got */
	uint64_t wait_id;       /* SCOPE_MUTEX */
	uint64_t enter_ticks;
	bool is_reduction; /* SCOPE_SYNC: a barrier with which the runtime reduces; the program has no such barrier */
	bool is_acquired;  /* SCOPE_MUTEX: mutex_acquired was seen */
	uint8_t around;    /* for builder/states/, which sets it when the scope is entered: the task's state around it */
	uint32_t nodes[GRAPHS_AT_ONCE]; /* for builder/graph/, which sets it when a SCOPE_SYNC is entered: its node, 0 none */
	uint32_t operation;             /* SCOPE_TARGET, SCOPE_DATA_OP, SCOPE_SUBMIT: row of model.operations */
	uint32_t arrival;               /* SCOPE_SYNC barriers: its number in model.arrivals */
	uint32_t ordinal;               /* SCOPE_SYNC barriers: how many barriers its implicit task began before it, from 0 */
	/*
	 * Differs from the numbers of all other open scopes. Numbers are small, from 0, and are used again after a
	 * scope was left. So a visitor can keep what it knows about open scopes in an array. number % dump.n_streams is
	 * the stream that gave the number: the one in which the scope was entered, unless its task moves.
	 */
	uint32_t number;
};

struct dependence {
	uint64_t variable;
	unsigned type; /* dependence_type */
};

enum mutex_event { MUTEX_ACQUIRE, MUTEX_ACQUIRED, MUTEX_RELEASED, MUTEX_NEST_BEGIN, MUTEX_NEST_END, MUTEX_INIT, MUTEX_DESTROY };

struct mutex {
	enum mutex_event event;
	unsigned kind; /* mutex_kind */
	uint64_t wait_id;
	uint32_t construct;
	/*
	 * MUTEX_ACQUIRED and its MUTEX_RELEASED: the number of this acquisition among all of this mutex in the order of
	 * time, from 1; always 1 if gather did not find the orders. 0: the mutex was not acquired here.
	 */
	uint32_t order;
};

/* A visitor. Every function may be NULL. Each returns 0, or -1, after it printed the error, to stop the replay. */
struct replay_ops {
	int (*stream_begin)(void *self, const struct point *at); /* the stream's first record */
	int (*stream_end)(void *self, const struct point *at);   /* after all that was open was closed */

	int (*region_begin)(void *self, const struct point *at, uint32_t region);
	int (*region_end)(void *self, const struct point *at, uint32_t region);
	int (*implicit_begin)(void *self, const struct point *at, uint32_t task);
	int (*implicit_end)(void *self, const struct point *at, uint32_t task);

	/* Explicit tasks, target tasks, and the dummy tasks of taskwaits with dependences (task_flags_taskwait). */
	int (*task_create)(void *self, const struct point *at, uint32_t task);
	int (*dependences)(void *self, const struct point *at, uint32_t task, const struct dependence *list, size_t n);
	/*
	 * The runtime made `sink` wait for `source`. Comes after the list of `sink` on the same stream, for each source
	 * that has not completed.
	 */
	int (*task_dependence)(void *self, const struct point *at, uint32_t source, uint32_t sink);
	/*
	 * `prior` stops (status: task_status) and `next` runs. `next` is 0 for fulfilments, taskwait_complete, and
	 * tasks that were cancelled before they started: then the current task stays. TASK_STATUS_CUT: the record of
	 * the end of `prior` is missing, and it ends here.
	 */
	int (*task_switch)(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status);

	int (*scope_enter)(void *self, const struct point *at, struct scope *scope);
	int (*scope_leave)(void *self, const struct point *at, struct scope *scope);

	int (*mutex)(void *self, const struct point *at, const struct mutex *mutex);
	int (*cancel)(void *self, const struct point *at, uint32_t task, unsigned flags);
	int (*flush)(void *self, const struct point *at, uint32_t construct);
	int (*control_tool)(void *self, const struct point *at, uint64_t command, uint64_t modifier);
	int (*dispatch)(void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations);

	/*
	 * The native thread becomes an OpenMP thread, or ceases to be one, if the runtime reports that. type:
	 * thread_type.
	 */
	int (*thread_begin)(void *self, const struct point *at, unsigned type);
	int (*thread_end)(void *self, const struct point *at);

	/*
	 * The kernel took the thread off its processor (is_off), or gave it one again; why: off_why. While it is
	 * off_why_unknown, the thread may run, and other events come. No other two overlap.
	 */
	int (*processor)(void *self, const struct point *at, unsigned why, bool is_off);

	/* What the recorder reports about itself. */
	int (*thread_attach)(void *self, const struct point *at, uint64_t tid);
	int (*thread_detach)(void *self, const struct point *at);
	int (*buffer_flush)(void *self, const struct point *at, uint64_t end_ticks);
	int (*measurement)(void *self, const struct point *at, bool is_on);
	/* Records are missing between is_begin and the next one; all that was open is closed in between. */
	int (*records_missing)(void *self, const struct point *at, bool is_begin);

	/*
	 * No event: called repeatedly on a thread that has no stream to replay, while others replay; never on two threads at
	 * once. It may prepare a little of what the other functions will need soon, and sets *has_made if it has.
	 */
	int (*prepare)(void *self, bool *has_made);

	/*
	 * The functions may be called for several streams at the same time, on several threads: for one stream on one
	 * thread at a time, its events in order. So they write only what belongs to the stream, to a task that is current
	 * there, or to one that is created there. The events of a task come one after the other, whatever streams they
	 * are in, and each sees what was written at those before. Must be the first member that is no function.
	 */
	bool is_by_stream;
	/* By enum paradigm_number: its functions for events of that paradigm. NULL: those of struct paradigm's visitors. */
	const void *const *own;
};

struct visitor {
	const struct replay_ops *ops;
	void *self;
};

/*
 * Replays a gathered dump for all visitors at once; on all threads of OpenMP if each of them is_by_stream, and the model
 * is_apart. Counts quirks and repairs into the model. 0, or -1 if a visitor stopped it.
 */
int replay_run(const struct model *model, const struct visitor *visitors, size_t n_visitors, struct progress *progress);

#endif
