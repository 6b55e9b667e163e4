/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay: a dump's records become clean, nested events. It keeps one scope stack a task, applies the rules for what a
 * runtime does differently (quirks) and closes what records are missing for (repairs), so that a visitor sees
 *
 *   - for every stream: non-decreasing times; region, implicit-task and scope events that nest within each task;
 *   - for every scope entered, exactly one leave (at the latest at the end of its task or stream);
 *   - the current task always known by row (0 where its records are missing).
 *
 * Streams are replayed one after the other, or, where a task ran on several streams, or there are Argobots' units, merged by time: a visitor
 * keeps its state by stream and by task. Within a task, or a unit, events always come in the order of the program.
 *
 * Argobots (docs/graph.md, "Units of Argobots"): who is meant by a handle, who runs, and who acts without being named is settled; visitors get rows of
 * model.units, which are complete before the replay begins. What they see on each stream:
 *
 *   - unit_switch tells each change of the current unit. What is current is a stack: a unit runs above its scheduler, and when it stops (its own
 *     unit_switch) the scheduler is current again, without a word of the library. The scheduler may be unknown (0).
 *   - a unit is current on one stream at a time; it stops there before it runs elsewhere. One that begins to be current (UNIT_BEGIN, UNIT_RUN) stops
 *     (any other reason) exactly once, at the latest behind the last record. But UNIT_CANCEL of a unit that does not run switches nothing.
 *   - who creates, revives, joins, resumes, frees is the unit that is current there (at->unit), or, where that is unknown, whom the record names;
 *     an external thread has a row of its own (UNIT_EXTERNAL), which is current from the first thing that it does to its end.
 *   - an event of units comes with the task that is current for OpenMP (at->task), and OpenMP's events with the unit (at->unit).
 *   - units of kind UNIT_ROOT are never named.
 */
#ifndef OTTER_BUILDER_REPLAY_REPLAY_H
#define OTTER_BUILDER_REPLAY_REPLAY_H

#include "builder/model/tables.h"
#include "builder/story/thread.h"
#include "builder/story/unit.h"
#include "builder/support/progress.h"

/* Where and when: row of dump.streams, raw ticks (late worker ends clamped to the join), the task and the unit current BEFORE the event. */
struct point {
	uint32_t stream;
	uint32_t task;
	uint64_t ticks;
	uint32_t unit; /* of Argobots; 0 none, or unknown */
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

struct scope {
	enum scope_type type;
	unsigned kind;
	uint32_t construct;
	uint32_t region;
	uint64_t count;   /* SCOPE_WORK: iterations */
	uint64_t wait_id; /* SCOPE_MUTEX */
	uint64_t enter_ticks;
	bool is_reduction;  /* SCOPE_SYNC: a barrier that is the runtime's way to reduce, and not the program's */
	bool is_acquired;   /* SCOPE_MUTEX: mutex_acquired has come */
	uint32_t operation; /* SCOPE_TARGET, SCOPE_DATA_OP, SCOPE_SUBMIT: row of model.operations */
	uint32_t ordinal;   /* SCOPE_SYNC barriers: how many barriers its implicit task began before it, from 0 */
	/*
	 * Differs from that of every other open scope. Numbers are small, from 0, and those of closed scopes are used again, so that a visitor can keep
	 * what it knows of a scope in an array of its own.
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
	 * MUTEX_ACQUIRED and its MUTEX_RELEASED: acquisition number of this mutex in time, from 1, or 1 where orders were not gathered; 0: was
	 * never acquired here.
	 */
	uint32_t order;
};

/* A visitor. Every function may be NULL; each returns 0, or -1 to stop the replay (having said why). */
struct replay_ops {
	int (*stream_begin)(void *self, const struct point *at); /* the stream's first record */
	int (*stream_end)(void *self, const struct point *at);   /* after all that was open was closed */

	int (*region_begin)(void *self, const struct point *at, uint32_t region);
	int (*region_end)(void *self, const struct point *at, uint32_t region);
	int (*implicit_begin)(void *self, const struct point *at, uint32_t task);
	int (*implicit_end)(void *self, const struct point *at, uint32_t task);

	/* Explicit and target tasks, and the dummies of taskwait with dependences (task_flags_taskwait). */
	int (*task_create)(void *self, const struct point *at, uint32_t task);
	int (*dependences)(void *self, const struct point *at, uint32_t task, const struct dependence *list, size_t n);
	/* The runtime let `sink` wait for `source`: follows on the list of `sink` on the same stream, for sources that are not complete. */
	int (*task_dependence)(void *self, const struct point *at, uint32_t source, uint32_t sink);
	/*
	 * prior stops (status: task_status), next runs. next is 0 for fulfilments, taskwait_complete, and tasks that were cancelled
	 * before they started: then the current task stays. TASK_STATUS_CUT: the record of prior's end is missing, and it ends here.
	 */
	int (*task_switch)(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status);

	int (*scope_enter)(void *self, const struct point *at, struct scope *scope);
	int (*scope_leave)(void *self, const struct point *at, struct scope *scope);

	int (*mutex)(void *self, const struct point *at, const struct mutex *mutex);
	int (*cancel)(void *self, const struct point *at, uint32_t task, unsigned flags);
	int (*flush)(void *self, const struct point *at, uint32_t construct);
	int (*control_tool)(void *self, const struct point *at, uint64_t command, uint64_t modifier);
	int (*dispatch)(void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations);

	/* Argobots is initialised, and finalised; `life` counts from 1. Units of a life end in it. */
	int (*unit_life)(void *self, const struct point *at, uint32_t life, bool is_begin);
	/* From here on the thread is this execution stream. Handles and ranks are used again; rank is UINT64_MAX where it is not known. */
	int (*unit_xstream)(void *self, const struct point *at, uint64_t xstream, uint64_t rank);
	/* A run is created, or a unit that has ended is revived: then model.units[unit].before is the run before. creator: 0 unknown. */
	int (*unit_create)(void *self, const struct point *at, uint32_t unit, uint32_t creator);
	int (*unit_revive)(void *self, const struct point *at, uint32_t unit, uint32_t creator);
	int (*unit_switch)(void *self, const struct point *at, const struct unit_switch *change);
	/* The current unit has looked `count` times more whether it still has to wait, since its latest yield: it stopped and ran each time. */
	int (*unit_poll)(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count);
	/* The unit, which is suspended, may go on. waker: 0 unknown. `wait`: what it waited for, as at its unit_switch. */
	int (*unit_resume)(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);
	/* The joiner knows that the run has ended. Comes again where the unit is freed: then is_first is false. */
	int (*unit_join)(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first);
	int (*unit_free)(void *self, const struct point *at, uint32_t unit, uint32_t by);

	/* The native thread becomes, and ceases to be, one of OpenMP's: where it says so. type: thread_type. */
	int (*thread_begin)(void *self, const struct point *at, unsigned type);
	int (*thread_end)(void *self, const struct point *at);

	/* The recorder's own. */
	int (*thread_attach)(void *self, const struct point *at, uint64_t tid);
	int (*thread_detach)(void *self, const struct point *at);
	int (*buffer_flush)(void *self, const struct point *at, uint64_t end_ticks);
	int (*measurement)(void *self, const struct point *at, bool is_on);
	int (*records_missing)(void *self, const struct point *at,
			       bool is_begin); /* from the last one until the next; all is closed between */
};

struct visitor {
	const struct replay_ops *ops;
	void *self;
};

/* Replays a gathered dump for all visitors at once. Counts quirks and repairs into the model. 0, or -1 when a visitor stopped it. */
int replay_run(const struct model *model, const struct visitor *visitors, size_t n_visitors, struct progress *progress);

#endif
