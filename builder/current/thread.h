/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state machine of a thread: its current task, implicit tasks, regions, suspended tasks and waits with dependences, before
 * and after each of its records. thread_step() (step.h) knows the rules for these, those of OpenMP and those for what runtimes
 * are known to do differently (the quirks of docs/runtimes.md). No other file of the builder decides these.
 *
 * Two passes use the state machine: gather/ fills the tables from its events, replay/ calls the visitors. Both pass it the
 * same records of one stream in the same order. It depends only on what both passes know at that record, so both get the
 * same events. Each stream has a state machine of its own, which runs on the thread that reads the stream.
 *
 * The files: step.h           the step, inline for the most frequent records
 *            step_region.h    the same for regions and implicit tasks
 *            thread.c         the step of any record
 *            thread_switch.c  task_create and task_schedule: which explicit task is current
 *            thread_region.c  regions and implicit tasks where runtimes differ, or records are missing
 *            thread_close.c   what must have ended although no record reports it
 *            barrier.c        which implicit barrier closes a region, which one belongs to a reduction; stale addresses
 *            suspended.c      the list of suspended tasks
 */
#ifndef OTTER_BUILDER_CURRENT_THREAD_H
#define OTTER_BUILDER_CURRENT_THREAD_H

#include "builder/model/tables.h"
#include "builder/current/suspended.h"

/* An implicit task that the thread is in. */
struct thread_implicit {
	uint32_t task;            /* row; for an alias, that of the initial task that it stands for */
	uint32_t outer;           /* the task that is current around it */
	uint32_t n_threads;       /* of its team, according to its begin record */
	bool is_alias;            /* it is another name of the initial task around it (Q31) */
	size_t own;               /* index + 1 of the innermost implicit task that is no alias, this one included; 0: none */
	size_t n_regions;         /* regions of the thread that were open at its begin */
	size_t n_suspended;       /* entries in the list of suspended tasks at its begin */
	uint32_t lowest, highest; /* rows of `task` and `outer`, and of those of all implicit tasks around it, lie between these */
	uint32_t n_barriers;      /* barriers of all kinds that it has reached, those with which a runtime reduces included */
	/* Implicit barriers of the one kind that older runtimes have (Q32): see barrier.h. */
	uint32_t n_implicit_barriers;
	uint64_t barrier_codeptr, barrier_end_ticks; /* of the last of these barriers */
	uint64_t stale_codeptr; /* while it is in its closing barrier: the address that constructs in tasks there may get (Q60) */
};

enum thread_event_kind {
	THREAD_REGION_BEGIN,   /* region, which the current task encounters */
	THREAD_REGION_END,     /* region */
	THREAD_IMPLICIT_BEGIN, /* task, in region */
	THREAD_IMPLICIT_END,   /* task */
	THREAD_ALIAS,          /* task is another name of other (Q31) */
	THREAD_CREATE,         /* other creates task */
	THREAD_WAIT_END,       /* task, the dummy of a wait with dependences, is complete */
	THREAD_SWITCH,         /* task stops with this status, other runs; is_back: other was suspended here last */
	THREAD_PART_END,       /* the last part of task ended without a record (Q33), other resumes */
	THREAD_STATUS,         /* task gets this status, and the current task stays: other is 0 */
	THREAD_OUT_OF_ORDER,   /* task stays suspended while one that was suspended before it resumes */
	THREAD_LEAVE,     /* nothing is open any more in task, which is about to end or to be unknown; 0: nor in an unknown task */
	THREAD_REDUCTION, /* the barrier at value belongs to a reduction (Q41) */
	THREAD_QUIRK,     /* name: a quirk was met */
	THREAD_REPAIR     /* name: the record contradicts earlier ones, or one is missing; task, other: see thread_repair() */
};

struct thread_event {
	enum thread_event_kind kind;
	const struct record *record; /* the record that reports the event; NULL: the event follows from other records */
	uint64_t ticks;              /* 0: as early as the stream's order allows */
	uint32_t task, other, region;
	unsigned status;    /* task_status; TASK_STATUS_CUT: the record of the end of task is missing, and it ends here */
	const char *name;   /* THREAD_QUIRK, THREAD_REPAIR */
	const char *repair; /* why something is ended without a record: see thread_close() */
	uint64_t value;
	bool is_hidden; /* THREAD_REGION_BEGIN: only the runtime knows of this region (Q31) */
	bool is_back;
	const struct thread_implicit *implicit; /* THREAD_IMPLICIT_END: what was counted in it */
};

#define TASK_STATUS_CUT 0

struct thread;

/*
 * The listener of a state machine. `emit` gets an event before the state machine's own state changes; it returns 0, or -1, after it
 * printed the error, to stop the state machine.
 */
struct thread_ops {
	int (*emit)(void *self, const struct thread_event *event);
	/* The row of the n-th initial task, from 0, that no record of this stream begins (Q40); 0: none. */
	uint32_t (*missing_root)(void *self, uint32_t n);
	/* Has the explicit task, of which some stream has a part, perhaps a part in this stream before the current record? */
	bool (*may_be_back)(void *self, uint32_t task);
	/*
	 * In the first pass: the construct's address and the flags of a region, which another stream may have begun. May be
	 * NULL otherwise.
	 */
	uint64_t (*region_codeptr)(void *self, uint32_t region, unsigned *flags);
	/* All that is open is about to be closed for the reason `repair`: returns the reason to name. May be NULL. */
	const char *(*closing)(void *self, const char *repair);
};

struct thread {
	const struct model *model;
	const struct thread_ops *ops;
	void *self;
	uint32_t stream;       /* row */
	uint32_t task;         /* row of the current task, 0 unknown */
	bool is_explicit;      /* the current task is known, and is not an implicit task of this thread */
	uint32_t ended_serial; /* the implicit task of the region of one thread that ended last, 0 none (Q38) */
	uint64_t task_id;      /* id by which a record named the current task; 0: no record did */
	uint64_t tid;          /* of the OS thread that has the stream */
	bool is_whole;         /* no record is missing since it took the stream */
	bool is_first_pass;    /* the tables are being filled: what other streams have written into them must not matter */
	uint32_t latest_row;   /* the last task with an id of this stream that began or was created so far */
	uint32_t n_missing_roots;
	struct thread_implicit *implicits; /* innermost last */
	size_t n_implicits, implicits_capacity;
	uint32_t *regions; /* open regions that this thread encountered, innermost last */
	size_t n_regions, regions_capacity;
	struct suspended_tasks suspended;
	uint32_t *waits; /* dummies of taskwaits with dependences that the thread is in, innermost last */
	size_t n_waits, waits_capacity;
	uint32_t in_place;               /* the current task at a record that creates a task in another one's name; 0 none */
	uint64_t in_place_ticks;         /* of the first such record (Q44, or Q33) */
	bool is_region_new;              /* the last record that is not about the recorder itself began a region */
	uint64_t implementation_barrier; /* return address of the open barrier of this kind, 0 none */
	bool has_stale;                  /* some implicit task has, or had, a stale_codeptr */
	uint64_t reduction_barrier;      /* return address of the barrier in which something was just reduced, 0 none */
};

/* Has this stream created the task so far, or begun it? */
static inline bool thread_made(const struct thread *t, uint32_t task)
{
	return (task > t->model->task_rows.base[t->stream] && task <= t->latest_row) || task >= t->model->n_task_ids;
}

/*
 * Begins the state machine of a stream. `task` is the id in the header of its first segment. Always end it with thread_free().
 */
void thread_start(struct thread *t, const struct model *model, uint32_t stream, uint64_t task, const struct thread_ops *ops,
		  void *self);
void thread_free(struct thread *t);

/*
 * Records are missing before the next one. Closes all that is open; the current task is the one that the segment's
 * header names. 0, or -1.
 */
int thread_gap(struct thread *t, uint64_t task);

/*
 * Ends all that is open, innermost first; then the current task is unknown. `repair`: the name of the reason why something
 * ends without a record. NULL: its end was recorded, and only what is left open inside it counts as a repair. REPAIR_NONE: it
 * is known to have ended, and nothing counts. 0, or -1.
 */
#define REPAIR_NONE ""
int thread_close(struct thread *t, uint64_t ticks, const char *repair);

/* Ends the innermost implicit task that is no alias, which must be there, with all that is open in it. 0, or -1. */
int thread_close_implicit(struct thread *t, uint64_t ticks, const char *repair);

/* Another thread reports that the current, untied task has completed: its last part ends here (Q33). 0, or -1. */
int thread_end_part(struct thread *t, uint64_t ticks);

/* For thread_codeptr(), in barrier.c. */
bool thread_is_stale(const struct thread *t, const struct record *record);

/*
 * The return address of a record about a construct; 0 where it may be that of another construct (Q60). Call it in or after
 * the step with this record.
 */
static inline uint64_t thread_codeptr(const struct thread *t, const struct record *record)
{
	return t->has_stale && thread_is_stale(t, record) ? 0 : record->b;
}

/* The innermost implicit task that is no alias, or NULL. */
static inline struct thread_implicit *thread_innermost(const struct thread *t)
{
	size_t own = t->n_implicits > 0 ? t->implicits[t->n_implicits - 1].own : 0;
	return own > 0 ? &t->implicits[own - 1] : NULL;
}

/*
 * The task of a dependence record. libomp names the dummy task of a wait only when it creates it: id 0 means the
 * innermost wait (Q16).
 */
static inline uint32_t thread_dependent(const struct thread *t, uint64_t id)
{
	return id == 0 && t->n_waits > 0 ? t->waits[t->n_waits - 1] : model_task(t->model, id);
}

/*
 * When an implicit task, or its closing barrier, ended. ticks: the end as recorded, or as it follows from other
 * records. A worker reports both ends when it is used again (Q3), but both were at the team's join: then this is the
 * time of the join.
 */
static inline uint64_t thread_end_ticks(const struct model *m, uint32_t task, uint64_t ticks)
{
	const struct task *t = &m->tasks[task];
	uint64_t join_ticks = m->regions[t->region].join_ticks;
	return !task_is_explicit(t) && t->thread != 0 && ticks > join_ticks ? join_ticks : ticks;
}

#endif
