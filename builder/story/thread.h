/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The story of a thread: which task, implicit tasks, regions, suspended tasks and waits with dependences it has, before and after each of its
 * records. thread_step() knows the rules for it, those of OpenMP and those of what runtimes are known to do differently (the quirks of
 * docs/runtimes.md), and nothing else in the builder decides such a thing. It is asked twice: gather/ fills the tables from what it answers,
 * replay/ tells the visitors. It gets the same records of one stream in the same order both times, and looks at nothing else but what both passes
 * know at that record: so both get the same answers. A story belongs to one stream, and is told on the thread that reads that stream.
 *
 * The files: thread.c      the step, and what every record may show
 *            thread_switch.c  task_create and task_schedule: which explicit task is current
 *            thread_region.c  regions and implicit tasks
 *            thread_close.c   what must be over although no record says so
 *            barrier.c        which implicit barrier closes a region, and which one belongs to a reduction
 *            suspended.c      the list of suspended tasks
 */
#ifndef OTTER_BUILDER_STORY_THREAD_H
#define OTTER_BUILDER_STORY_THREAD_H

#include "builder/model/tables.h"
#include "builder/story/suspended.h"

/* An implicit task that the thread is in. */
struct thread_implicit {
	uint32_t task;      /* row; of an alias the initial task that it stands for */
	uint32_t outer;     /* the task that is current around it */
	uint32_t n_threads; /* of its team, as its begin says */
	bool is_alias;      /* it is another name of the initial task around it (Q31) */
	size_t own;         /* index + 1 of the innermost implicit task, this one included, that is no alias; 0: none is */
	size_t n_regions;   /* regions of the thread that were open at its begin */
	size_t n_suspended; /* entries in the list of suspended tasks at its begin */
	/* Implicit barriers of the one kind that older runtimes have (Q32): see barrier.h. */
	uint32_t n_implicit_barriers;
	uint64_t barrier_codeptr, barrier_end_ticks; /* of the last one */
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
	THREAD_PART_END,       /* the last part of task ended without a record (Q33), other goes on */
	THREAD_STATUS,         /* a status of task, and the current task stays: other is 0 */
	THREAD_OUT_OF_ORDER,   /* task stays suspended while one that was suspended before it goes on */
	THREAD_LEAVE, /* nothing is open any more in task, which is about to end, or to be unknown; 0: in none that is unknown */
	THREAD_REDUCTION, /* the barrier at value belongs to a reduction (Q41) */
	THREAD_QUIRK,     /* name: a quirk was met */
	THREAD_REPAIR     /* name: the record contradicts those before it, or one before it is missing; task, other: see there */
};

struct thread_event {
	enum thread_event_kind kind;
	const struct record *record; /* that says so; NULL: none does, it follows from others */
	uint64_t ticks;              /* 0: as early as the stream's order allows */
	uint32_t task, other, region;
	unsigned status;    /* task_status; TASK_STATUS_CUT: the record of the end of task is missing, and it ends here */
	const char *name;   /* THREAD_QUIRK, THREAD_REPAIR */
	const char *repair; /* of what is ended without a record: why. See thread_close() */
	uint64_t value;
	bool is_hidden; /* THREAD_REGION_BEGIN: only the runtime knows of this region (Q31) */
	bool is_back;
	const struct thread_implicit *implicit; /* THREAD_IMPLICIT_END: what was counted in it */
};

#define TASK_STATUS_CUT 0

struct thread;

/* Who listens. Each returns 0, or -1 to stop with the error said. An event is told before the story's own state changes. */
struct thread_ops {
	int (*tell)(void *self, const struct thread_event *event);
	/* The row of the n-th initial task, from 0, that no record of this stream begins (Q40); 0: there is none. */
	uint32_t (*missing_root)(void *self, uint32_t n, uint64_t ticks);
	/* All that is open is about to be closed for this reason: returns the one to name. May be NULL. */
	const char *(*closing)(void *self, const char *repair);
};

struct thread {
	const struct model *model;
	const struct thread_ops *ops;
	void *self;
	uint32_t stream;     /* row */
	uint32_t task;       /* current, 0 unknown */
	bool is_explicit;    /* the current task is known, and none of the thread's implicit tasks */
	uint64_t task_id;    /* by which a record named the current task as such; 0: none did */
	uint64_t tid;        /* of the OS thread that has the stream */
	bool is_whole;       /* no record is missing since it took the stream */
	unsigned parts_bit;  /* of task.state: set for each task that may have more than one part, as far as the pass knows */
	uint32_t latest_row; /* of the tasks with ids of this stream: the last one that was made so far */
	uint32_t n_missing_roots;
	struct thread_implicit *implicits; /* innermost last */
	size_t n_implicits, implicits_capacity;
	uint32_t *regions; /* encountered by this thread and open, innermost last */
	size_t n_regions, regions_capacity;
	struct suspended_tasks suspended;
	uint32_t *waits; /* dummies of taskwaits with dependences that the thread is in, innermost last */
	size_t n_waits, waits_capacity;
	bool is_region_new;              /* the last record, but for the recorder's own, began a region */
	uint64_t implementation_barrier; /* return address of the one that is open, 0 none */
	uint64_t reduction_barrier;      /* of one in which something was reduced, and after which nothing has come yet */
};

/* Begins the story of a stream; `task` is the id in the header of its first segment. thread_free() in any case. */
void thread_start(struct thread *t, const struct model *model, uint32_t stream, uint64_t task, const struct thread_ops *ops,
		  void *self);
void thread_free(struct thread *t);

/* Any record, and records of two kinds: see thread_step(). 0, or -1. */
int thread_step_any(struct thread *t, const struct record *record);
int thread_create(struct thread *t, const struct record *record);
int thread_schedule(struct thread *t, const struct record *record);

/* The next record, which is no continuation. 0, or -1. */
static inline int thread_step(struct thread *t, const struct record *record)
{
	unsigned kind = record_kind(record), flags = record_flags(record);
	bool is_wait = (kind == EVENT_sync_region_begin || kind == EVENT_sync_region_end) &&
		       (flags == sync_kind_taskwait || flags == sync_kind_taskgroup);
	/* The shortest way for the most frequent records: they name the task that is current, by the id that it is known by. */
	if (record->a != t->task_id || record->a == 0)
		return thread_step_any(t, record);
	if (kind == EVENT_task_schedule) {
		t->is_region_new = false;
		return thread_schedule(t, record);
	}
	if (kind == EVENT_task_create) {
		t->is_region_new = false;
		return thread_create(t, record);
	}
	if (!is_wait || t->reduction_barrier != 0)
		return thread_step_any(t, record);
	t->is_region_new = false;
	return 0; /* it waits for its children: nothing changes */
}

/* Records are missing before the next one: all that is open is closed, and the segment's header names the current task. 0, or -1. */
int thread_gap(struct thread *t, uint64_t task);

/*
 * Ends all that is open, innermost first; then the current task is unknown. `repair` names why something is ended without a record. NULL: its end
 * was recorded, and only what is left open inside counts as repaired. REPAIR_NONE: it is known to have ended, and nothing counts. 0, or -1.
 */
#define REPAIR_NONE ""
int thread_close(struct thread *t, uint64_t ticks, const char *repair);

/* Ends the innermost implicit task that is no alias, which must be there, with all that is open in it. 0, or -1. */
int thread_close_implicit(struct thread *t, uint64_t ticks, const char *repair);

/* Another thread reports that the current task, which is untied, has completed: its last part ends here (Q33). 0, or -1. */
int thread_end_part(struct thread *t, uint64_t ticks);

/* The innermost implicit task that is no alias, or NULL. */
static inline struct thread_implicit *thread_innermost(const struct thread *t)
{
	size_t own = t->n_implicits > 0 ? t->implicits[t->n_implicits - 1].own : 0;
	return own > 0 ? &t->implicits[own - 1] : NULL;
}

/* The task of a dependence record. libomp names the dummy of a wait in its creation alone: id 0 means the innermost one (Q16). */
static inline uint32_t thread_dependent(const struct thread *t, uint64_t id)
{
	return id == 0 && t->n_waits > 0 ? t->waits[t->n_waits - 1] : model_task(t->model, id);
}

/*
 * A worker reports the end of its team's closing barrier, and of its implicit task, when it is used again (Q3): both ended when the team joined.
 * When an implicit task ended, or its closing barrier, whose end was recorded, or follows from other records, at `ticks`.
 */
static inline uint64_t thread_end_ticks(const struct model *m, uint32_t task, uint64_t ticks)
{
	uint64_t join_ticks = m->regions[m->tasks[task].region].join_ticks;
	return m->tasks[task].thread != 0 && ticks > join_ticks ? join_ticks : ticks;
}

#endif
