/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model: the tables that a dump is gathered into (tasks, regions, teams, constructs, operations, activities,
 * units). Tasks and regions are addressed directly: the id (stream, counter) is row base[stream] + counter, so nothing
 * is hashed (ids.h has the exception, streams with far more ids than records). Row 0 of every table means "unknown" or
 * "none".
 *
 * gather/ fills the tables, on several threads, one for each stream; from then on several threads read them. replay/ and the
 * visitors keep what else they need in arrays of their own, by the same rows. Only the names of constructs are filled in
 * later, by symbols.c.
 */
#ifndef OTTER_BUILDER_MODEL_TABLES_H
#define OTTER_BUILDER_MODEL_TABLES_H

#include "builder/model/activity.h"
#include "builder/dump/switches.h"
#include "builder/model/arrivals.h"
#include "builder/model/construct.h"
#include "builder/support/map.h"
#include "builder/model/ids.h"
#include "builder/model/operation.h"
#include "builder/model/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Window ---- */

/*
 * The part of a process's time that outputs are about (--from, --to): run.c sets it in the model before the replay.
 * Whatever shows times or adds them up limits them to the part with these functions. Constant during the replay; any thread.
 */

/* The time from `from` on and before `to`, in ticks; if is_part is not set, all of the time. */
struct window {
	bool is_part;
	uint64_t from, to;
};

/* Does the part contain none of the process's time? */
static inline bool window_is_empty(const struct window *window)
{
	return window->is_part && window->from == window->to;
}

/* The time in the part that is nearest to `ticks`. */
static inline uint64_t window_clip(const struct window *window, uint64_t ticks)
{
	if (!window->is_part)
		return ticks;
	return ticks < window->from ? window->from : ticks > window->to ? window->to : ticks;
}

/* How much of this time is in the part. */
static inline uint64_t window_ticks(const struct window *window, uint64_t since, uint64_t until)
{
	uint64_t begin = window_clip(window, since), end = window_clip(window, until);
	return end > begin ? end - begin : 0;
}

/* Is some of this time in the part? An event without duration is in the part unless it is at the part's end. */
static inline bool window_meets(const struct window *window, uint64_t since, uint64_t until)
{
	return !window->is_part || (since < window->to && (until > window->from || since >= window->from));
}

/*
 * How deep the builder lets scopes nest in a task, and regions in a thread. No program comes near this; but damaged
 * records may nest without limit, and must not make every search slower and slower.
 */
#define NESTING_MAX 1000

/* Bits of task.state: what happened to the task. */
enum {
	TASK_SEEN = 1,      /* some record names it */
	TASK_CREATED = 2,   /* its create record, or its implicit_task_begin, is there */
	TASK_STARTED = 4,   /* it was switched to; an implicit task: it began */
	TASK_COMPLETED = 8, /* complete, cancel, late_fulfill or taskwait_complete was reported; an implicit task: its end */
	TASK_CANCELLED = 16,
	TASK_DETACHED = 32,   /* its body ended before it completed */
	TASK_MARKED = 64,     /* its scopes are closed at suspension: it moved between streams, or was resumed out of LIFO order */
	TASK_HAS_PARTS = 128, /* it was suspended and resumed */
	TASK_MIGRATED = 256,  /* its parts ran on more than one stream */
	TASK_HELPER = 1024,   /* of the runtime's own team for target tasks (Q22): its root's initial task, or a member */
	TASK_FULFILLED_OUTSIDE = 2048, /* its event was fulfilled by a thread in no task, which OpenMP may not know at all (Q12) */
	TASK_PART_ENDED = 4096,        /* untied: its last part ended without a record (Q33) */
	TASK_ENDED_ELSEWHERE = 512,    /* untied: a thread that did not run its last part reported the completion (Q33) */
	TASK_CONTRADICTORY = 8192,     /* records contradict each other about it: archives leave it out */
	TASK_CANCEL_CURRENT = 16384,   /* cancel was reported while it was the current task */
	TASK_CANCEL_WAITING = 32768    /* cancel was reported while it was not: before it started, or between its parts */
};

/*
 * An untied task with both: the cancel while it was current is the end of one part, the other one discards the rest
 * (Q42).
 */
#define TASK_PART_CANCELLED (TASK_CANCEL_CURRENT | TASK_CANCEL_WAITING)

/* More than one stream may have a part in the task: the replay hands it over from one to the next (replay/handover.c). */
#define TASK_HANDED (TASK_MIGRATED | TASK_ENDED_ELSEWHERE | TASK_DETACHED)

struct task {
	uint32_t parent;     /* encountering task; 0 for initial tasks of root threads */
	uint32_t construct;  /* row of constructs */
	uint32_t region;     /* implicit: its region; explicit: that of the task's binding team */
	uint32_t run_stream; /* row of dump.streams that ran its first part */
	uint16_t flags;      /* task_flags of the record, the lowest bits of them; TASK_SPLIT */
	uint16_t state;
	union {
		uint32_t thread;    /* implicit, initial: number in the team */
		uint32_t waits_for; /* dummy of a wait: the undeferred task that has these dependences, 0 none */
		uint32_t in_place;  /* other explicit: the runtime's own task that created it in its parent's place, 0 none (Q44) */
	};
	uint64_t create_ticks;
	uint64_t start_ticks;
	uint64_t end_ticks;
};

_Static_assert(sizeof(struct task) == 48, "reliability.md bounds the memory by what a task takes");

/* Was the task created by a task-generating construct? Implicit tasks of teams and initial tasks of root threads were not. */
static inline bool task_is_explicit(const struct task *task)
{
	return !(task->flags & (task_flags_implicit | task_flags_initial));
}

/*
 * A bit of task.flags that no record has: the task is the runtime's own, which splits a taskloop. What it creates are
 * tasks of the taskloop, and their parent is its own parent (Q44).
 */
#define TASK_SPLIT (1u << 15)

/* A bit of task.flags while model_gather() runs: TASK_CREATED, which becomes a bit of task.state after all streams. */
#define TASK_IS_CREATED (1u << 14)

static inline bool task_is_split(const struct task *task)
{
	return task->flags & TASK_SPLIT;
}

/* The runtime's own task that created this one in its parent's place; 0: none. */
static inline uint32_t task_in_place(const struct task *task)
{
	return task_is_explicit(task) && !(task->flags & task_flags_taskwait) ? task->in_place : 0;
}

struct region {
	uint32_t task;      /* row of the encountering task; 0 for the region around a root thread's initial task */
	uint32_t construct; /* row */
	uint32_t team;      /* row; 0 if no implicit task of the region was recorded */
	uint32_t requested; /* number of threads requested */
	uint32_t actual;    /* number of threads, as the primary thread's implicit task says */
	uint16_t n_members_seen;
	uint8_t flags; /* parallel_flags */
	uint8_t state; /* REGION_ bits */
	uint64_t begin_ticks;
	uint64_t join_ticks; /* end of the primary thread's closing barrier, else of its implicit task; UINT64_MAX: never seen */
	uint64_t end_ticks;  /* parallel_end; UINT64_MAX: never seen */
};

enum {
	REGION_SEEN = 1,      /* some record names it */
	REGION_ANNOUNCED = 2, /* its parallel_begin is there */
	REGION_ENDED = 4,
	REGION_INITIAL = 8, /* around a root thread's initial task */
	REGION_HELPER = 32, /* of the runtime's own team for target tasks (Q22) */
	REGION_HIDDEN = 16  /* the runtime's own inside a league: its implicit task stands for the league's initial task (Q31) */
};

/* A distinct team: its members in the order of their thread numbers, and the team around it. */
struct team {
	uint32_t parent;       /* row of the team around it, 0 none */
	uint32_t first_member; /* index in model.team_members */
	uint32_t n_members;
};

/*
 * Counts by name. While a pass or a visitor works on a stream, it adds to that stream's row, model_notes(m, stream), and
 * to no other. model.notes has what is found outside of streams, and the sum of all rows: model_sum_notes() adds them to it
 * in the order of streams, and empties them. model_gather() and replay_run() end with that. So during the replay
 * model.notes has what gather found, which never depends on what other streams do.
 */
struct notes {
	struct tally quirks, repairs;
	char apart[64]; /* so that no two streams share a cache line */
};

struct paradigm;

struct model {
	const struct dump *dump;
	struct task *tasks; /* row 0 unknown */
	uint32_t n_tasks;   /* rows, row 0 included */
	uint32_t *implicit; /* rows of implicit and initial tasks, in order */
	size_t n_implicit;
	unsigned task_flags;     /* all flags that tasks have */
	bool *has_helper_thread; /* by row of dump.streams: one of the runtime's own threads made it (TASK_HELPER) */
	struct region *regions;
	uint32_t n_regions;
	struct id_rows task_rows, region_rows;
	struct team *teams;
	uint32_t n_teams;
	uint32_t *team_members; /* rows of dump.streams */
	struct construct *constructs;
	uint32_t n_constructs;
	struct construct_index *construct_index; /* private to construct.c */
	uint64_t first_ticks, last_ticks;        /* of the process where its start and end are known, else of all records */
	uint64_t last_record_ticks;              /* time of the last record; 0: no records */
	struct window window;                    /* the part of that time which outputs are about; set by run.c */
	uint64_t n_events[EVENT_KIND_LIMIT];
	uint64_t n_threads;       /* distinct OS threads */
	uint64_t n_migrated;      /* tasks whose parts ran on more than one stream */
	bool is_sure;             /* no records are missing, and gather found none that contradict each other */
	bool is_apart;            /* no two streams have a part in the same task, except where it is handed over */
	bool has_handovers;       /* some task is handed over between streams (TASK_HANDED) */
	uint32_t n_task_ids;      /* rows below this have ids; rows from this on are initial tasks that were made up (Q40) */
	uint64_t n_unknown_waits; /* in teams of one: waits that an undeferred task may or may not have (Q45) */
	uint64_t n_aliases;       /* task ids that stand for another task (model_alias) */
	bool is_libomp;           /* the runtime is LLVM's: its quirks are resolved (docs/runtimes.md) */
	bool is_immediate;        /* the runtime was set to defer no task (KMP_TASKING=0, Q50) */
	struct switches switches; /* when threads had no processor */
	struct notes *notes;      /* not a table: the sum (see struct notes) */
	struct notes *stream_notes;
	struct operation *operations; /* row 0 none */
	uint32_t n_operations;        /* rows, row 0 included; 0: no operations */
	size_t operations_capacity;
	uint32_t *operation_base;  /* by row of dump.streams: the row of its first operation */
	struct map operation_rows; /* id -> row (ids.c) */
	struct device *devices;
	size_t n_devices, devices_capacity;
	struct activity *activities; /* row 0 none */
	uint32_t n_activities;       /* rows, row 0 included; 0: no activities */
	size_t activities_capacity;
	struct queue *queues;
	uint32_t n_queues;
	struct work_unit *units;        /* row 0 none */
	uint32_t n_units;               /* rows, row 0 included; 0: no units */
	const struct paradigm *tasking; /* the paradigm that has these units (paradigm.h); NULL: no units */
	struct delay_record {
		uint32_t source, sink; /* rows: the runtime reported that sink had to wait for source when it was created */
	} * delays;
	size_t n_delays, delays_capacity;
	struct excluded {
		uint32_t task;     /* row */
		uint64_t variable; /* address: the task may not run while another child of its parent runs that has the same one */
	} * excluded;              /* of each mutexinoutset dependence */
	size_t n_excluded;
	struct early_end {
		uint32_t stream; /* row of dump.streams */
		uint64_t ticks;  /* of a taskgroup's or scope region's begin: the worksharing region that is open ended before it */
	} * early_ends;          /* by stream, then by ticks */
	size_t n_early_ends;
	struct arrivals arrivals; /* at the barriers of teams */
	uint32_t **lock_orders;   /* by row of dump.streams: the acquisition number of each of its acquiring records; or NULL */
	struct map lock_rows;     /* wait id -> number of the mutex, from 1: in the order of streams, by first acquisition */
	uint32_t n_locks;
	struct map late_releases; /* mutex << 32 | acquisition number -> row of late_ticks + 1, where the release may be late */
	uint64_t *late_ticks;     /* of the next acquisition: no later than that the mutex was released */
	uint32_t n_late;
	size_t late_capacity;
	void *private_tables;         /* private to tables.c */
	struct model_string *strings; /* what model_keep() has copied */
};

/* Is it a region of the program: none of the runtime's own, and not that of an initial task? */
static inline bool region_is_programs(const struct region *region)
{
	return (region->state & (REGION_ANNOUNCED | REGION_INITIAL | REGION_HELPER | REGION_HIDDEN)) == REGION_ANNOUNCED;
}

/* When the region was over: its join, else its parallel_end; UINT64_MAX: neither was seen. */
static inline uint64_t region_end_ticks(const struct region *region)
{
	return region->join_ticks != UINT64_MAX ? region->join_ticks : region->end_ticks;
}

/* Was recording paused, or stopped? If the record of its end is missing, there may be only that of its next begin. */
static inline bool model_was_paused(const struct model *m)
{
	return m->n_events[EVENT_recording_off] != 0 || m->n_events[EVENT_recording_on] != 0;
}

/* What is counted while a pass works on the stream with this row. The model may be constant: this is no table. */
static inline struct notes *model_notes(const struct model *m, uint32_t stream)
{
	return &m->stream_notes[stream];
}

/* Have records been repaired so far, by earlier passes, or by this one in the stream? */
static inline bool model_has_repairs(const struct model *m, uint32_t stream)
{
	return m->notes->repairs.n_rows != 0 || model_notes(m, stream)->repairs.n_rows != 0;
}

/* After a pass, on one thread: adds what was counted in all streams to model.notes. */
void model_sum_notes(const struct model *m);

/* A copy of a text that lives as long as the model. */
const char *model_keep(struct model *m, const char *text);

/*
 * The task that a row stands for: the implicit task of a hidden region is another name of the initial task around it
 * (Q31), any other task stands for itself. model_set_alias() makes `row` stand for `of`.
 */
uint32_t model_alias(const struct model *m, uint32_t row);
void model_set_alias(struct model *m, uint32_t row, uint32_t of);

/* The row of a task's id, aliases followed; 0 for id 0, and for ids that no stream gave. */
static inline uint32_t model_task(const struct model *m, uint64_t id)
{
	size_t row = model_id_row(m->dump, id);
	uint32_t task = row < m->dump->n_streams ? id_rows_row(&m->task_rows, row, id_counter(id)) : 0;
	return m->n_aliases == 0 ? task : model_alias(m, task);
}

/*
 * The row of the task to which the stream with row `stream` gave this counter, aliases not followed; 0 if there is
 * none.
 */
static inline uint32_t model_own_task(const struct model *m, uint32_t stream, uint64_t counter)
{
	return id_rows_row(&m->task_rows, stream, counter);
}

/* The row of a region's id; 0 for id 0, and for ids that no stream gave. */
static inline uint32_t model_region(const struct model *m, uint64_t id)
{
	size_t row = model_id_row(m->dump, id);
	return row < m->dump->n_streams ? id_rows_row(&m->region_rows, row, id_counter(id)) : 0;
}

/*
 * From a task's row back to its stream's row, and to its number among the stream's tasks that have rows. The number is
 * the counter of the task's id unless the stream is not dense (ids.h). The same for regions.
 */
static inline void model_task_origin(const struct model *m, uint32_t task, uint32_t *stream_row, uint32_t *number)
{
	id_rows_origin(&m->task_rows, m->dump->n_streams, task, stream_row, number);
}

static inline void model_region_origin(const struct model *m, uint32_t region, uint32_t *stream_row, uint32_t *number)
{
	id_rows_origin(&m->region_rows, m->dump->n_streams, region, stream_row, number);
}

/* Is a task suspended until the end of the one that it has created? */
enum suspension {
	SUSPENDS_NOT,
	SUSPENDS,      /* by the program's text */
	SUSPENDS_MAYBE /* it was, but it is not known whether the text requires that: see undeferred.c */
};

/* construct.c: of the task that created `task`, after model_gather(). */
enum suspension model_suspends(const struct model *m, uint32_t task);

/*
 * Allocates the tables for what the dump can hold: the first step of model_gather(). 0, or -1 after an error message;
 * model_free() in any case.
 */
int model_allocate(struct model *m, const struct dump *dump);

/*
 * Makes up the initial task of a root thread whose runtime did not report it (Q40), and a region around it: the tables
 * grow. The task's row, or 0 where the tables are full. model_missing_root() returns the stream's n-th one, from 0; 0: the
 * stream has fewer.
 */
uint32_t model_add_root(struct model *m, uint32_t stream, uint32_t n);
uint32_t model_missing_root(const struct model *m, uint32_t stream, uint32_t n);

/*
 * For runtimes with one kind for all implicit barriers (Q32): which implicit barrier of an implicit task closes its
 * region, counted from 1; 0: none does.
 */
uint32_t model_closing_barrier(const struct model *m, uint32_t task);
void model_set_closing_barrier(struct model *m, uint32_t task, uint32_t number);

/*
 * Is this the return address of a barrier that libomp uses to reduce by a tree, in larger teams only (Q41)? The
 * program's text has no such barrier.
 */
bool model_is_reduction_barrier(const struct model *m, uint64_t codeptr);
void model_set_reduction_barrier(struct model *m, uint64_t codeptr);

void model_free(struct model *m);

/* ---- Trace ---- */

/*
 * One process of a run, on its way through the builder: its dump, and the tables that the dump was gathered into. Owned
 * by run.c; one thread.
 */

struct trace {
	struct dump dump;
	struct model model;
	uint32_t process; /* number in the run, from 0 */
};

#endif
