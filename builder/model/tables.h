/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables that a dump is gathered into: tasks, regions, teams, constructs. Direct-addressed: a task id (stream, counter)
 * is row base[stream] + counter, so nothing is hashed (but where there are far more ids than records: model_ids.h). Row 0 of every table means "unknown" or "none".
 * Filled by gather.c. What a visitor of the replay needs besides, it keeps in arrays of its own, by the same rows.
 */
#ifndef OTTER_BUILDER_MODEL_TABLES_H
#define OTTER_BUILDER_MODEL_TABLES_H

#include "builder/model/activity.h"
#include "builder/support/map.h"
#include "builder/model/ids.h"
#include "builder/model/operation.h"
#include "builder/model/units.h"

/*
 * How deep scopes nest in a task, regions in a thread, before the builder stops to believe it: no program comes near, and what damaged
 * records nest without an end must not be searched without an end.
 */
#define NESTING_MAX 1000

/* What became of a task; bits of task.state. */
enum {
	TASK_SEEN = 1,      /* some record names it */
	TASK_CREATED = 2,   /* its create or begin record is there */
	TASK_STARTED = 4,   /* it was switched to, or began (implicit) */
	TASK_COMPLETED = 8, /* complete, cancel, late_fulfill, taskwait_complete, or implicit end */
	TASK_CANCELLED = 16,
	TASK_DETACHED = 32,   /* its body ended before it completed */
	TASK_MARKED = 64,     /* its regions are closed at suspension: it moved between streams, or was resumed out of LIFO order */
	TASK_HAS_PARTS = 128, /* it was suspended and resumed */
	TASK_MIGRATED = 256,  /* its parts ran on more than one stream */
	TASK_HELPER = 1024,   /* of the runtime's own team for target tasks: its root's initial task and its members */
	TASK_FULFILLED_OUTSIDE = 2048, /* its event was fulfilled by a thread that was in no task: OpenMP may not know it at all */
	TASK_PART_ENDED = 4096,        /* untied: its last part ended without a record (Q33) */
	TASK_ENDED_ELSEWHERE = 512,    /* untied: a thread that did not run its last part reported the completion */
	TASK_DOUBTFUL = 8192,          /* records contradict each other about it: archives leave it out */
	TASK_CANCEL_CURRENT = 16384,   /* cancel was reported of it where it was current */
	TASK_CANCEL_WAITING = 32768    /* cancel was reported of it where it was not: before it started, or between its parts */
};

/* Of an untied task, cancel where it is current is the end of one of its parts if the rest of it is cancelled too (Q42). */
#define TASK_PART_CANCELLED (TASK_CANCEL_CURRENT | TASK_CANCEL_WAITING)

struct task {
	uint32_t parent;     /* encountering task; 0 for initial tasks of root threads */
	uint32_t construct;  /* row of constructs */
	uint32_t region;     /* implicit: its region; explicit: that of the task's binding team */
	uint32_t run_stream; /* row of dump.streams that ran its first part */
	uint16_t flags;      /* task_flags of the record */
	uint16_t state;
	union {
		uint32_t thread;    /* implicit, initial: number in the team */
		uint32_t waits_for; /* dummy of a wait: the undeferred task that has these dependences, 0 none */
	};
	uint64_t create_ticks;
	uint64_t start_ticks;
	uint64_t end_ticks;
	uint64_t busy_ticks; /* running, without the tasks that ran in between */
};

_Static_assert(sizeof(struct task) == 56, "reliability.md bounds the memory by what a task takes");

/* Created by a construct of the program, and not the implicit task of a team or a root's initial task. */
static inline bool task_is_explicit(const struct task *task)
{
	return !(task->flags & (task_flags_implicit | task_flags_initial));
}

struct region {
	uint32_t task; /* encountering; 0 for the region around a root's initial task */
	uint32_t construct;
	uint32_t team;      /* row of teams; 0 where no implicit task of it was recorded */
	uint32_t requested; /* threads */
	uint32_t actual;    /* from the primary's implicit task */
	uint16_t n_members_seen;
	uint8_t flags; /* parallel_flags */
	uint8_t state; /* REGION_ bits */
	uint64_t begin_ticks;
	uint64_t join_ticks; /* end of the primary's closing barrier, else of its implicit task; UINT64_MAX: never seen */
	uint64_t end_ticks;  /* parallel_end; UINT64_MAX: never seen */
};

enum {
	REGION_SEEN = 1,
	REGION_ANNOUNCED = 2, /* by parallel_begin */
	REGION_ENDED = 4,
	REGION_INITIAL = 8, /* around a root thread's initial task */
	REGION_HELPER = 32, /* of the runtime's own team for target tasks */
	REGION_HIDDEN = 16  /* the runtime's own inside a league: its one implicit task is another name of the league's */
};

/* A distinct team: who, in order of thread number, and inside which team. */
struct team {
	uint32_t parent;
	uint32_t first_member; /* index into team_members */
	uint32_t n_members;
};

/* A place in the source that tasks, regions or synchronisations come from. */
enum construct_kind {
	CONSTRUCT_UNKNOWN,
	CONSTRUCT_INITIAL,
	CONSTRUCT_PARALLEL,
	CONSTRUCT_TEAMS,
	CONSTRUCT_TASK,
	CONSTRUCT_TARGET,
	CONSTRUCT_TASKWAIT,
	CONSTRUCT_TASKGROUP,
	CONSTRUCT_BARRIER,
	CONSTRUCT_REDUCTION,
	CONSTRUCT_LOOP,
	CONSTRUCT_SECTIONS,
	CONSTRUCT_SINGLE,
	CONSTRUCT_WORKSHARE,
	CONSTRUCT_DISTRIBUTE,
	CONSTRUCT_TASKLOOP,
	CONSTRUCT_SCOPE,
	CONSTRUCT_MASKED,
	CONSTRUCT_CRITICAL,
	CONSTRUCT_ORDERED,
	CONSTRUCT_ATOMIC,
	CONSTRUCT_LOCK,
	CONSTRUCT_FLUSH,
	CONSTRUCT_TARGET_ENTER_DATA,
	CONSTRUCT_TARGET_EXIT_DATA,
	CONSTRUCT_TARGET_UPDATE,
	CONSTRUCT_SUBMIT,
	CONSTRUCT_KERNEL,
	CONSTRUCT_UNIT, /* of Argobots; its codeptr is the work function, and no return address */
	CONSTRUCT_TASKLET,
	CONSTRUCT_SCHEDULER,
	CONSTRUCT_PRIMARY_UNIT,
	CONSTRUCT_EXTERNAL,
	CONSTRUCT_DATA_UNKNOWN,
	CONSTRUCT_DATA_ALLOC, /* from here on target_data_op, in its order */
	CONSTRUCT_DATA_TO_DEVICE,
	CONSTRUCT_DATA_FROM_DEVICE,
	CONSTRUCT_DATA_DELETE,
	CONSTRUCT_DATA_ASSOCIATE,
	CONSTRUCT_DATA_DISASSOCIATE,
	CONSTRUCT_DATA_TRANSFER,
	CONSTRUCT_DATA_MEMSET,
	CONSTRUCT_DATA_RECT,
	CONSTRUCT_KINDS
};

struct construct {
	uint64_t codeptr; /* return address, 0 unknown */
	enum construct_kind kind;
	/* From symbols.c: strings live as long as the model; "" unknown. */
	const char *label; /* what a person knows: "task@fib.c:12", or "task@fib+0x1234" */
	const char *file;  /* whole path */
	const char *function;
	unsigned line;
};

/* What was counted by name. Shared by all passes, and by visitors, for which the model itself is constant. */
struct notes {
	struct tally quirks, repairs;
};

struct model {
	const struct dump *dump;
	struct task *tasks; /* row 0 unknown */
	uint32_t n_tasks;   /* rows, row 0 included */
	struct region *regions;
	uint32_t n_regions;
	struct id_rows task_rows, region_rows;
	struct team *teams;
	uint32_t n_teams;
	uint32_t *team_members; /* rows of dump.streams */
	struct construct *constructs;
	uint32_t n_constructs;
	uint64_t first_ticks, last_ticks; /* of all records */
	uint64_t n_events[EVENT_KIND_LIMIT];
	uint64_t n_threads;           /* distinct OS threads */
	uint64_t n_migrated;          /* tasks whose parts ran on more than one stream */
	uint32_t n_task_ids;          /* rows below have ids; from here on initial tasks are made up */
	uint64_t n_aliases;           /* task ids that stand for another task */
	bool is_libomp;               /* LLVM's runtime, whose deviations are known */
	struct notes *notes;          /* not a table: every pass adds to it */
	struct operation *operations; /* row 0 none */
	uint32_t n_operations;        /* rows, row 0 included; 0 where there are none */
	size_t operations_capacity;
	uint32_t *operation_base;  /* by row of dump.streams: the row of its first operation */
	struct map operation_rows; /* by id: operation.c */
	struct device *devices;
	size_t n_devices, devices_capacity;
	struct activity *activities; /* row 0 none */
	uint32_t n_activities;       /* rows, row 0 included; 0 where there are none */
	size_t activities_capacity;
	struct queue *queues;
	uint32_t n_queues;
	struct work_unit *units;      /* row 0 none */
	uint32_t n_units;             /* rows, row 0 included; 0 where there are none */
	uint32_t **lock_orders;       /* by stream: acquisition numbers, in the order of its acquisitions; or NULL */
	void *private_tables;         /* construct hash and the like */
	struct model_string *strings; /* what constructs point to */
};

/* A copy of a text that lives as long as the model; NULL where memory is out. */
const char *model_keep(struct model *m, const char *text);

/* The row of dump.streams that has this number, or n_streams: for numbers that are not dense because a stream left no segment. */
size_t model_stream_row(const struct dump *dump, uint32_t number);

static inline size_t model_id_row(const struct dump *dump, uint64_t id)
{
	uint32_t number = id_stream(id);
	return number < dump->n_streams && dump->streams[number].number == number ? number : model_stream_row(dump, number);
}

/* Which task a row stands for: itself, but for the implicit task of a hidden region. */
uint32_t model_alias(const struct model *m, uint32_t row);
int model_set_alias(struct model *m, uint32_t row, uint32_t of);

/* Rows by id; 0 for id 0 and for ids that no stream gave. */
static inline uint32_t model_task(const struct model *m, uint64_t id)
{
	size_t row = model_id_row(m->dump, id);
	uint32_t task = row < m->dump->n_streams ? id_rows_row(&m->task_rows, row, id_counter(id)) : 0;
	return m->n_aliases == 0 ? task : model_alias(m, task);
}

/* The row of a task that the stream with row `stream` made, by its counter; aliases are not followed. 0 for counters that it did not give. */
static inline uint32_t model_own_task(const struct model *m, uint32_t stream, uint64_t counter)
{
	return id_rows_row(&m->task_rows, stream, counter);
}

static inline uint32_t model_region(const struct model *m, uint64_t id)
{
	size_t row = model_id_row(m->dump, id);
	return row < m->dump->n_streams ? id_rows_row(&m->region_rows, row, id_counter(id)) : 0;
}

/* The other way: the stream's row, and the task's number among those of the stream that have rows, which commonly is the id's counter. */
static inline void model_task_origin(const struct model *m, uint32_t task, uint32_t *stream_row, uint32_t *number)
{
	id_rows_origin(&m->task_rows, m->dump->n_streams, task, stream_row, number);
}

static inline void model_region_origin(const struct model *m, uint32_t region, uint32_t *stream_row, uint32_t *number)
{
	id_rows_origin(&m->region_rows, m->dump->n_streams, region, stream_row, number);
}

/*
 * The construct of (kind, codeptr), added where it is new. An address inside the OpenMP runtime tells nothing about the program, and
 * differs between teams of one thread and of many: it counts as unknown.
 */
uint32_t model_construct(struct model *m, enum construct_kind kind, uint64_t codeptr);

/* The same once the tables are complete: the nameless construct of the kind, or row 0, where no record of the first pass named it. */
uint32_t model_find_construct(const struct model *m, enum construct_kind kind, uint64_t codeptr);

/* Allocates the tables for what the dump can hold; gather.c's first step. 0, or -1. */
int model_allocate(struct model *m, const struct dump *dump);

/*
 * A root thread whose initial task nobody reported gets one, with a region of its own: the tables grow. Its row, or 0 when memory is out.
 * The replay finds the stream's n-th one, from 0, again; 0: there are not so many.
 */
uint32_t model_add_root(struct model *m, uint32_t stream, uint32_t n);
uint32_t model_missing_root(const struct model *m, uint32_t stream, uint32_t n);

/*
 * Runtimes with one kind for all implicit barriers: which of an implicit task's is the closing one, counted from 1; 0: none is.
 */
uint32_t model_closing_barrier(const struct model *m, uint32_t task);
int model_set_closing_barrier(struct model *m, uint32_t task, uint32_t number);

/*
 * Return addresses of barriers that a reduction is carried out in: libomp's tree, in larger teams alone, which the program's text does not
 * have (Q41).
 */
bool model_is_reduction_barrier(const struct model *m, uint64_t codeptr);
int model_set_reduction_barrier(struct model *m, uint64_t codeptr);

void model_free(struct model *m);

#endif
