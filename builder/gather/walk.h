/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of model_gather(), shared by the files gather*.c: the pass over the records, stream by stream, and behind it what needs
 * all streams' tables at once.
 */
#ifndef OTTER_BUILDER_GATHER_WALK_H
#define OTTER_BUILDER_GATHER_WALK_H

#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/model/tables.h"
#include "builder/dump/timeline.h"

/* One taking of a mutex, as the pass over the records met it. */
struct acquisition {
	uint64_t wait_id;
	uint64_t ticks;
	uint32_t stream;
	uint32_t index; /* among the stream's acquisitions */
};

/* What devices have delivered: gather_device.c's, over all streams. */
struct walk_device {
	uint32_t activity; /* that continuation records are of, 0 none */
	bool is_reading;   /* continuation records are of the last reading */
	uint32_t n_text, n_text_left;
	char text[256];
	struct device_reading *readings;
	size_t n_readings, readings_capacity;
	struct map name_rows; /* hash -> place in names + 1 */
	const char **names;   /* that devices call things */
	size_t n_names, names_capacity;
};

/* What the pass knows while it walks one stream. */
struct walk {
	struct model *m;
	uint32_t stream;      /* row */
	uint32_t task;        /* current */
	uint64_t since_ticks; /* when it became current */
	uint64_t tid;         /* of the thread that has the stream */
	/* Implicit tasks that this thread is in, innermost last, with what was current around each. */
	struct walk_frame {
		uint32_t task, outer;
		uint32_t n_threads;                          /* of the team, as its begin says */
		uint32_t n_implicit_barriers;                /* of the one kind that older runtimes have for all of them */
		uint64_t barrier_codeptr, barrier_end_ticks; /* of the last one */
		size_t n_suspended;                          /* at its begin */
		bool is_alias;                               /* of the task around it */
		size_t own;       /* index + 1 of this one or, of an alias, the nearest around it that is none; 0 none */
		size_t n_regions; /* open at its begin */
	} * frames;
	size_t n_frames, frames_capacity;
	/* Regions that this thread encountered and that are open. */
	uint32_t *open_regions;
	size_t n_open_regions, open_regions_capacity;
	/* Explicit tasks suspended on this thread, by the order of their suspension: the dual-stack rule (docs/design.md). */
	uint32_t *suspended;
	size_t n_suspended, suspended_capacity;
	/* Dummies of taskwaits with dependences that the thread is in, and the one whose end was the last record. */
	uint32_t *waits;
	size_t n_waits, waits_capacity;
	uint32_t ended_wait;
	uint64_t n_records;       /* so far, this one included */
	uint64_t ended_wait_at;   /* that many */
	uint64_t region_at;       /* a region began with this one */
	uint32_t n_missing_roots; /* initial tasks made up so far */
	uint64_t new_root_at;     /* a root's initial task began, or is made up, with this one */
	bool is_whole;            /* nothing is missing since the thread took the stream */
	struct acquisition *acquisitions;
	size_t n_acquisitions, acquisitions_capacity;
	struct map tids; /* of all threads met */
	uint32_t n_own_acquisitions;
	struct walk_device device;
	uint32_t operation;              /* that the last record without continuation is of, 0 none */
	char type[256];                  /* of the device announced last */
	uint32_t n_type, n_type_left;    /* so far, and still to come */
	uint64_t implementation_barrier; /* return address of the one that is open, 0 none */
	uint64_t reduction_barrier;      /* of one in which something was reduced, and behind which nothing has come yet */
	struct timeline timeline;
	unsigned group_kind;  /* of the record that continuation records belong to */
	uint64_t n_announced; /* of those, how many are still to come */
};

/* 0, or -1 when memory is out. */
#define PUSH(array, n, capacity, ...)                                                                                              \
	(array_reserve((void **)&(array), (n) + 1, &(capacity), sizeof *(array)) ? ((array)[(n)++] = (__VA_ARGS__), 0) : -1)

static inline void gather_make_current(struct walk *w, uint32_t task, uint64_t ticks)
{
	if (ticks > w->since_ticks)
		w->m->tasks[w->task].busy_ticks += ticks - w->since_ticks;
	w->task = task;
	w->since_ticks = ticks;
}

/*
 * The task that a record names as the thread's own. Behind regions of one thread in regions of one thread libomp may name one around the
 * innermost implicit task: that one is meant (Q38). An initial task that was made up has no id.
 */
uint32_t gather_other(const struct walk *w, uint32_t task);

static inline uint32_t gather_own(const struct walk *w, uint64_t id)
{
	uint32_t task = model_task(w->m, id);
	bool is_sure = task == w->task || (task != 0 && task_is_explicit(&w->m->tasks[task]));
	return is_sure ? task : gather_other(w, task);
}

/*
 * gather_doubt.c: the record at hand contradicts others, or itself. A repair of that name is counted, and said at the first of each name,
 * with where the record is and `format`, which says what it is and what was expected.
 */
void gather_contradiction(struct walk *w, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* So that nothing is to be believed about the task, either. */
void gather_doubt(struct walk *w, uint32_t task, const char *name, const char *expected);

/* A task's id, for messages. */
uint32_t gather_id_stream(const struct model *m, uint32_t task);
unsigned long long gather_id_counter(const struct model *m, uint32_t task);

/* What contradicts itself once all streams are known: tasks, then teams. */
void gather_check_tasks(struct model *m);
int gather_check_teams(struct model *m);

/* gather_region.c: one record each. 0, or -1 when memory is out. */
int gather_parallel_begin(struct walk *w, const struct record *r);
void gather_parallel_end(struct walk *w, const struct record *r);
int gather_implicit_begin(struct walk *w, const struct record *r);
int gather_implicit_end(struct walk *w, const struct record *r);
int gather_sync_begin(struct walk *w, const struct record *r);
/* Something comes behind a reduction that is not its construct's barrier: the reduction's own barrier is none of the program's. */
int gather_settle_reduction(struct walk *w);
void gather_sync_end(struct walk *w, const struct record *r);
/* The ends of the thread's implicit tasks are not there. */
int gather_implicit_missing(struct walk *w);

/* A root thread is there whose initial task libomp did not report: in a forked child, and of its helper team (LLVM 18 and older). */
int gather_missing_root(struct walk *w, uint64_t ticks);

/* Takes all but the first n of the suspended tasks away: whatever becomes of them is out of order. */
void gather_drop_suspended(struct walk *w, size_t n);

/* gather_task.c: likewise. */
int gather_task_create(struct walk *w, const struct record *r);
int gather_task_schedule(struct walk *w, const struct record *r);
/* The explicit task goes on here. */
void gather_resume(struct walk *w, uint32_t row, uint64_t ticks);

/* gather_target.c: a record, or continuation record, that may be about devices. 0, or -1 when memory is out. */
int gather_target(struct walk *w, const struct record *r);
/* gather_device.c: likewise, of records that devices made. */
int gather_device(struct walk *w, const struct record *r);
/* When they were, and which of them follow each other; frees what the walk has of them. 0, or -1. */
int gather_settle_device(struct walk *w);
/* What no record alone says: devices, the sizes of what was deleted, what failed. 0, or -1. */
int gather_settle_target(struct model *m);
/* Adds a row, unless there are too many. 0, or -1. */
int gather_add_device(struct model *m, struct device device);

/* gather_unannounced.c: where no device was announced, a row for each that something was done to. 0, or -1. */
int gather_unannounced_devices(struct model *m);

/* Numbers every mutex's acquisitions in the order of time, over all streams, into model.lock_orders. */
int gather_lock_orders(struct model *m, struct acquisition *list, size_t n);

/* Finds the distinct teams, and which one each region has. */
int gather_teams(struct model *m);

#endif
