/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of gather/ share, and no other file uses: the state of the pass over the records, stream by stream,
 * and the steps after it that need the tables of all streams at once.
 *
 * Streams are walked by several threads at the same time, each by one. What a stream knows has one writer:
 *
 * - A row that the stream's own ids address is the stream's: what creates a task, and all of a region.
 * - What runs a task (state, start_ticks, end_ticks) is written into its row by the first stream that claims it
 *   (gather_run), and by others into tables of their own. gather_join_runs() brings them together in the order of
 *   streams: it does not matter who was first.
 * - The rest is kept in lists by stream, which gather_join() brings together in the same order.
 *
 * What a stream reads of tasks and regions is what its own records have told, so that it does not depend on how far
 * other streams have come. A few rare records need more than that (gather_needs_order()). Then all streams are
 * walked once more, one after the other, and a stream may read what those before it have found.
 */
#ifndef OTTER_BUILDER_GATHER_WALK_H
#define OTTER_BUILDER_GATHER_WALK_H

#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/model/code.h"
#include "builder/model/tables.h"
#include "builder/dump/timeline.h"
#include "builder/story/thread.h"

#include <pthread.h>

/*
 * The acquisitions of a stream, in its order: of each the time since the one before and the number of the mutex among those
 * of the stream, in 7 bits a byte; in blocks, which are given back one by one. An acquisition that is earlier than the one
 * before has the time of that one. Used by locks.c.
 */
struct acquisitions {
	struct acquisition_block *first, *last;
	uint64_t last_ticks, recent_wait_id;
	uint32_t n, n_mutexes, recent; /* recent: number of recent_wait_id; 0 before the first mutex */
	struct map rows;               /* wait id -> number of the mutex, from 1 */
};

/* What devices have delivered, over all streams. Used by device.c. */
struct walk_device {
	uint32_t activity; /* row that continuation records belong to, 0 none */
	bool is_reading;   /* continuation records belong to the last reading */
	uint32_t n_text, n_text_left;
	char text[256];
	struct device_reading *readings;
	size_t n_readings, readings_capacity;
	struct map name_rows; /* hash -> index in names + 1 */
	const char **names;   /* that devices gave to activities */
	size_t n_names, names_capacity;
};

#define RECENT_CONSTRUCTS 64

/* What all walks share. */
struct gathering {
	struct model *m;
	struct walk **walks; /* by row of dump.streams */
	bool has_lock_orders;
	bool is_serial;  /* streams are walked one after the other */
	int needs_order; /* atomic: they have to be */
	struct modules modules;
	pthread_mutex_t modules_lock; /* used by undeferred.c */
	struct walk_device device;    /* where is_serial */
};

/* What a stream knows about how a task ran whose row another stream has claimed. */
struct partial_run {
	uint32_t row, stream;
	struct task task;         /* state, start_ticks and end_ticks */
	struct partial_run *next; /* of the same row in a later stream, once all streams have been walked */
};

/* A repair that is the first one of its name in the stream: a warning is printed later, in the order of streams. */
struct first_repair {
	const char *name;
	char *text;
};

/* A construct as the stream met it; `global` is its row in model.constructs, after gather_join(). */
struct met_construct {
	uint64_t codeptr; /* as the record has it */
	enum construct_kind kind;
	bool has_place; /* the address is the program's */
	uint32_t global;
};

/* What the first pass knows while it walks a stream. */
struct walk {
	struct model *m;
	struct gathering *g;
	uint32_t stream;         /* row */
	struct task nobody;      /* takes what is told about task 0 */
	struct map partial_rows; /* row of model.tasks -> index in `partials` + 1 */
	struct partial_run *partials;
	size_t n_partials, partials_capacity;
	uint32_t recent_partial; /* index + 1 of the one that was asked for last; 0: none was */
	/* Tasks of other streams that go on after missing records, if any stream has created or started them. */
	struct resumption {
		uint32_t row;
		uint64_t ticks;
	} * resumptions;
	size_t n_resumptions, resumptions_capacity;
	struct first_repair *repairs;
	size_t n_repairs, repairs_capacity;
	/* Used by constructs.c: row 0 is the unknown construct. */
	struct met_construct *constructs;
	size_t n_constructs, constructs_capacity;
	struct map construct_rows; /* codeptr << 8 | kind -> row */
	struct {
		uint64_t key;
		uint32_t row;
	} recent[RECENT_CONSTRUCTS]; /* a cache of rows: a program has few constructs, and uses each very often */
	uint64_t n_events[EVENT_KIND_LIMIT];
	bool is_plain[EVENT_KIND_LIMIT]; /* by kind: see is_plain() in gather.c */
	uint64_t first_ticks;
	struct delay_record *delays;
	size_t n_delays, delays_capacity;
	uint32_t dependent; /* the task that the last list of dependences is of */
	struct excluded *excluded;
	size_t n_excluded, excluded_capacity;
	struct map reduction_barriers; /* codeptr -> any value */
	struct closing {
		uint32_t task, number;
	} * closings; /* see model_set_closing_barrier() */
	size_t n_closings, closings_capacity;
	uint64_t n_unknown_waits;
	struct thread thread; /* who is current */
	uint64_t n_records;   /* so far, this one included, without those that the recorder makes by itself */
	/* The row of the dummy task of a wait with dependences, and the number of the record that ended it. */
	uint32_t ended_wait;
	uint64_t ended_wait_at;
	struct map pairs;     /* two constructs -> enum code_answer + 1; used by undeferred.c */
	uint64_t new_root_at; /* number of the record at which a root's initial task began, or was made up; 0 none */
	uint64_t n_in_place;  /* tasks that were created in another task's name: see gather_settle_splits() */
	/* What other streams have to confirm: see gather_check_claims(). */
	struct claim *claims;
	size_t n_claims, claims_capacity;
	struct acquisitions acquisitions;
	struct arrival_list arrivals;
	struct map tids;              /* of its threads */
	uint32_t operation;           /* row that the last record, continuations aside, is about; 0 none */
	char type[256];               /* of the device announced last */
	uint32_t n_type, n_type_left; /* so far, and still to come */
	/* Used by constructs.c. */
	struct map latest_work;   /* task -> construct of the worksharing or taskloop region that it began last */
	struct map open_targets;  /* task -> row of its innermost open target region in model.operations, 0 none */
	uint32_t innermost_group; /* construct of a taskgroup, if the latest record about a scope is its begin; else 0 */
	struct timeline timeline;
	unsigned group_kind;  /* of the record that continuation records belong to */
	uint64_t n_announced; /* how many continuation records are still to come */
};

/* Appends an element to an array. */
#define PUSH(array, n, capacity, ...)                                                                                              \
	do {                                                                                                                       \
		array_reserve((void **)&(array), (n) + 1, &(capacity), sizeof *(array));                                           \
		(array)[(n)++] = (__VA_ARGS__);                                                                                    \
	} while (0)

/* The record needs what only streams before this one can tell: they have to be walked one after the other. */
static inline void gather_needs_order(struct walk *w)
{
	__atomic_store_n(&w->g->needs_order, 1, __ATOMIC_RELAXED); /* read again after all walks have ended */
}

/* Does the row belong to an id that this stream gave, and is it there by now? Rows of other streams may be written. */
static inline bool gather_is_own(const struct walk *w, uint32_t task)
{
	return thread_made(&w->thread, task);
}

/* The task's flags: 0 unless the stream's own records have told them. */
static inline unsigned gather_flags(const struct walk *w, uint32_t task)
{
	return gather_is_own(w, task) ? w->m->tasks[task].flags : 0;
}

static inline bool gather_is_explicit(const struct walk *w, uint32_t task)
{
	return !(gather_flags(w, task) & (task_flags_implicit | task_flags_initial));
}

/* A region of this stream, or, where streams are walked in order, any one. NULL for region 0, and if order is needed. */
static inline struct region *gather_region(struct walk *w, uint32_t region)
{
	const uint32_t *base = w->m->region_rows.base;
	if ((region > base[w->stream] && region <= base[w->stream + 1]) || (w->g->is_serial && region != 0))
		return &w->m->regions[region];
	if (region != 0)
		gather_needs_order(w);
	return NULL;
}

/* ---- runs.c: what runs a task ---- */

/* Takes the row for this stream, or adds a partial_run. */
struct task *gather_claim_run(struct walk *w, uint32_t row);
/* Another stream has claimed the row: has this one a partial_run of it? */
bool gather_has_partial(struct walk *w, uint32_t row);

/* Where the stream keeps what it knows about how a task ran: state, start_ticks, end_ticks. Valid until the next call. */
static inline struct task *gather_run(struct walk *w, uint32_t row)
{
	struct task *task = &w->m->tasks[row];
	uint32_t owner = __atomic_load_n(&task->run_stream, __ATOMIC_RELAXED); /* orders nothing: only the owner writes the rest */
	return __builtin_expect(owner == w->stream + 1, 1) ? task : gather_claim_run(w, row);
}

/* After all streams: brings together what several streams know about a task. */
void gather_join_runs(struct gathering *g);

/* ---- join.c: after all streams ---- */

/* Brings together in the order of streams what the walks have found, and frees them. */
void gather_join(struct gathering *g);
void gather_free_walks(struct gathering *g);

/* ---- repairs.c: records that contradict each other ---- */

/*
 * The current record contradicts others, or itself. Counts a repair with this name. If it is the first one with this
 * name, prints a warning: the place of the record, then `format`, which tells what the record is and what was expected.
 */
void gather_repair(struct walk *w, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* runs.c: the same, and marks the task as one about which records contradict each other (TASK_CONTRADICTORY). */
void gather_repair_task(struct walk *w, uint32_t task, const char *name, const char *expected);

/* The two parts of a task's id, for messages: the number of the stream, and the counter in it. */
uint32_t gather_id_stream(const struct model *m, uint32_t task);
unsigned long long gather_id_counter(const struct model *m, uint32_t task);

/* A conclusion that a thread's story drew from one record, and that only another stream can confirm. */
enum claim_kind {
	/* An untied task's last part ended without a record: another thread reports that the task completed (Q33). */
	CLAIM_PART_END,
	/*
	 * A task that is not current here completed: either its last part ended elsewhere without a record (Q33), or it
	 * never ran.
	 */
	CLAIM_COMPLETED
};

struct claim {
	enum claim_kind kind;
	uint32_t task;
	/* Where the record is, for the message. */
	uint32_t stream_number, record;
	uint64_t segment;
};

void gather_claim(struct walk *w, enum claim_kind kind, uint32_t task);
/* After all streams: counts a repair for each of the stream's claims that no stream has confirmed. */
void gather_check_claims(const struct walk *w);

/* After all streams: counts repairs for contradictory records about tasks, and about teams. */
void gather_check_tasks(struct model *m);
void gather_check_teams(struct model *m);

/* After all streams: counts a repair about a task. If it is the first one with its name, prints the task's id and the text. */
void gather_repair_row(struct model *m, uint32_t row, const char *name, const char *text);

/*
 * undeferred.c: a task was created. If it is the second half of an undeferred task with dependences, whose first half
 * is the wait that has just ended, the wait's dependences become the task's (Q34). construct: the row of the task's
 * kind and address; returns the one that the task gets.
 */
uint32_t gather_join_wait(struct walk *w, uint32_t task, enum construct_kind kind, uint32_t construct, uint64_t codeptr);

/* settle.c: after all streams: fills in what only all of them together tell of tasks. */
void gather_settle_tasks(struct model *m);

/* split.c: after all streams: which tasks are the runtime's own, and split a taskloop (Q44). */
void gather_settle_splits(struct model *m);

/* ---- task.c, region.c: what a thread's story tells becomes rows ---- */

/* Takes the next record, which is no continuation, to the thread's story, and what that tells into the tables. */
void gather_step(struct walk *w, const struct record *r);
extern const struct thread_ops gather_story_ops;
/* The explicit task starts, or goes on, in this stream. */
void gather_resume(struct walk *w, uint32_t row, uint64_t ticks);

/* Each takes one event of the story. */
void gather_region_begin(struct walk *w, const struct thread_event *e);
void gather_region_end(struct walk *w, const struct thread_event *e);
void gather_implicit_begin(struct walk *w, const struct thread_event *e);
void gather_alias(struct walk *w, const struct thread_event *e);
void gather_implicit_end(struct walk *w, const struct thread_event *e);
/* A sync_region_end, after the story has taken it: a team joined when its closing barrier ended. */
void gather_sync_end(struct walk *w, const struct record *r);
uint32_t gather_missing_root(void *self, uint32_t n);
/* A sync_region_begin, after the story has taken it: an implicit task may have come to a barrier of its team. */
void gather_arrival(struct walk *w, const struct record *r);
/* A task_dependence: a task has to wait for another one. */
void gather_delay(struct walk *w, const struct record *r);
/* A list of dependences, or what continues one: which tasks exclude others. */
void gather_excluded(struct walk *w, const struct record *r);

/* ---- constructs.c ---- */

/*
 * The row of the construct (kind, codeptr), as model_construct() has it: in walk.constructs, or, where streams are walked
 * in order, in model.constructs.
 */
uint32_t gather_meet_construct(struct walk *w, enum construct_kind kind, uint64_t codeptr, uint64_t key, size_t recent);
static inline uint32_t gather_construct(struct walk *w, enum construct_kind kind, uint64_t codeptr)
{
	uint64_t key = codeptr << 8 | kind;
	size_t recent = (key ^ key >> 9) % RECENT_CONSTRUCTS; /* where streams are walked in order, none is there */
	if (w->recent[recent].key == key && w->recent[recent].row != 0)
		return w->recent[recent].row;
	return gather_meet_construct(w, kind, codeptr, key, recent);
}
/* Its return address; 0: unknown, or the runtime's own. */
uint64_t gather_codeptr(const struct walk *w, uint32_t construct);

/* Any record, after the story and target.c have taken it. */
void gather_constructs(struct walk *w, const struct record *r);
/*
 * The construct of a task. A task that a taskloop creates inside the runtime has no address (Q9): it gets the
 * taskloop's.
 */
uint32_t gather_task_construct(struct walk *w, enum construct_kind kind, uint32_t construct, uint64_t codeptr);
/* The task has ended: forgets its open target regions and its latest worksharing region. */
void gather_forget_places(struct walk *w, uint32_t task);
/* After gather_settle_target() and gather_settle_device(): fills in what follows from the target region around. */
void gather_settle_operations(struct model *m);

/* target.c: a record or continuation record, which may be about devices. */
void gather_target(struct walk *w, const struct record *r);
/* device.c: the same for records that devices made. */
void gather_device(struct walk *w, const struct record *r);
/* Gives activities their device, operation, time and queue, and frees gathering.device. */
void gather_settle_device(struct gathering *g);
/* Fills in what no record alone tells: devices, the sizes of what was deleted, which allocations failed. */
void gather_settle_target(struct model *m);

/*
 * device_table.c: a record that announces a device, a continuation record with a part of its type, a record that ends
 * it.
 */
void gather_device_initialize(struct walk *w, const struct record *r);
void gather_device_text(struct walk *w, const struct record *r);
void gather_device_finalize(struct walk *w, const struct record *r);
/* If no device was announced: adds a row for each device that operations use. */
void gather_unannounced_devices(struct model *m);

/* locks.c: a mutex was acquired; all acquisitions of every mutex get numbers in the order of time, over all streams, in
 * model.lock_orders; and what is left of a stream's is freed. */
void gather_acquired(struct acquisitions *a, uint64_t wait_id, uint64_t ticks);
void gather_lock_orders(const struct gathering *g);
void gather_free_acquisitions(struct acquisitions *a);

/* teams.c: finds the distinct teams, and the team of each region. */
void gather_teams(struct model *m);

#endif
