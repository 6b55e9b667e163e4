/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of gather/ and the gather hooks of paradigms: the state of the pass over the records, stream by stream,
 * and the steps after it that need the tables of all streams at once.
 *
 * Several threads walk the streams at the same time, one thread each stream. What a stream knows has one writer:
 *
 * - A stream owns the rows that its own ids address: how a task was created, and all fields of a region.
 * - How a task ran (state, start_ticks, end_ticks) is written into its row by the first stream that claims it
 *   (gather_run), and by others into tables of their own. gather_join_runs() merges them in the order of streams: it
 *   does not matter which stream was first.
 * - The rest is kept in lists by stream, which gather_join() merges in the same order.
 *
 * A stream reads only what its own records say of tasks and regions, so that the result does not depend on how far
 * other streams have come. A few rare records need more than that (gather_needs_order()). Then all streams are
 * walked once more, one after the other, and a stream may read what those before it have found.
 */
#ifndef OTTER_BUILDER_GATHER_STREAM_H
#define OTTER_BUILDER_GATHER_STREAM_H

#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/symbols/code.h"
#include "builder/model/paradigm.h"
#include "builder/model/tables.h"
#include "builder/dump/timeline.h"
#include "builder/current/thread.h"

#include <pthread.h>

/*
 * The acquisitions and releases of a stream, in its order: each has the time since the previous one, the number of the mutex
 * among those of the stream, and whether it is a release, as variable-length integers of 7 bits a byte; in blocks, which are
 * freed one by one. One with an earlier time than the previous one gets the previous one's time. Used by locks.c.
 */
struct acquisitions {
	struct acquisition_block *first, *last;
	uint64_t last_ticks, recent_wait_id;
	uint32_t n;                 /* acquisitions alone */
	uint32_t n_mutexes, recent; /* recent: number of recent_wait_id; 0 before the first mutex */
	struct map rows;            /* wait id -> number of the mutex, from 1 */
};

#define RECENT_CONSTRUCTS 64

/* What all walks share. */
struct gathering {
	struct model *m;
	struct gather_stream **walks; /* by row of dump.streams */
	bool has_lock_orders;
	bool is_serial;                        /* streams are walked one after the other */
	int needs_order;                       /* atomic: streams have to be walked one after the other */
	bool is_plain[EVENT_KIND_LIMIT];       /* by kind: see is_plain() in gather.c */
	bool is_of_paradigm[EVENT_KIND_LIMIT]; /* by kind: a paradigm gathers it */
	struct modules modules;
	pthread_mutex_t modules_lock;   /* used by undeferred.c */
	void *of_paradigm[N_PARADIGMS]; /* if is_serial: what gather_begin returned, NULL none */
};

/* How a task ran in this stream whose row another stream has claimed. */
struct partial_run {
	uint32_t row, stream;
	struct task task;         /* state, start_ticks and end_ticks */
	struct partial_run *next; /* of the same row in a later stream; set once all streams have been walked */
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

/* What the first pass knows of a stream while it walks over it. */
struct gather_stream {
	struct model *m;
	struct gathering *g;
	uint32_t stream;    /* row */
	struct task nobody; /* receives what records say about task 0 */
	/* runs.c: how tasks ran here whose rows other streams have claimed. */
	struct {
		struct map rows; /* row of model.tasks -> index in `runs` + 1 */
		struct partial_run *runs;
		size_t n, capacity;
		uint32_t recent; /* index + 1 of the one looked up last; 0: none */
	} partial;
	/* Tasks of other streams that resume here after missing records, if any stream has created or started them. */
	struct resumption {
		uint32_t row;
		uint64_t ticks;
	} * resumptions;
	size_t n_resumptions, resumptions_capacity;
	struct first_repair *repairs;
	size_t n_repairs, repairs_capacity;
	/* constructs.c: the constructs that the stream met; row 0 is the unknown one. */
	struct {
		struct met_construct *rows;
		size_t n, capacity;
		struct map row_of; /* codeptr << 8 | kind -> row */
		struct {
			uint64_t key;
			uint32_t row;
		} recent[RECENT_CONSTRUCTS]; /* a cache of rows: a program has few constructs, and uses each very often */
		struct map latest_work;      /* task -> construct of the worksharing or taskloop region that it began last */
		uint32_t innermost_group;    /* construct of a taskgroup, if the latest record about a scope is its begin; else 0 */
	} met;
	uint64_t n_events[EVENT_KIND_LIMIT];
	uint64_t first_ticks;
	struct delay_record *delays;
	size_t n_delays, delays_capacity;
	uint32_t dependent; /* the task that has the last list of dependences */
	struct excluded *excluded;
	size_t n_excluded, excluded_capacity;
	/* worksharing.c: worksharing regions whose end may be missing, by implicit task. */
	struct open_work {
		uint32_t task;
		uint32_t n_inside;     /* taskgroups and scope regions that are open and began since */
		uint64_t inside_ticks; /* when the outermost of these began */
	} * works;
	size_t n_works, works_capacity;
	struct early_end *early_ends;
	size_t n_early_ends, early_ends_capacity;
	struct map reduction_barriers; /* codeptr -> any value */
	struct closing {
		uint32_t task, number;
	} * closings; /* see model_set_closing_barrier() */
	size_t n_closings, closings_capacity;
	uint64_t n_unknown_waits;
	struct thread thread; /* its state machine: which task is current */
	uint64_t n_records;   /* so far, this one included, without those that the recorder makes by itself */
	/* undeferred.c: the wait with dependences that ended last. */
	struct {
		uint32_t wait; /* row of its dummy task */
		uint64_t at;   /* number of the record that ended it */
	} ended;
	struct map pairs;     /* two constructs -> enum code_answer + 1; used by undeferred.c */
	uint64_t new_root_at; /* number of the record at which a root's initial task began, or was made up; 0 none */
	uint64_t n_in_place;  /* tasks that were created in another task's name: see gather_settle_splits() */
	/* What other streams have to confirm: see gather_check_claims(). */
	struct claim *claims;
	size_t n_claims, claims_capacity;
	struct acquisitions acquisitions;
	struct arrival_list arrivals;
	struct map tids; /* thread ids of its threads */
	struct timeline timeline;
	/* gather.c: the record that continuation records belong to. */
	struct {
		unsigned kind;
		uint64_t n_announced; /* how many continuation records are still to come */
	} group;
};

/* The record needs what only streams before this one have found: streams have to be walked one after the other. */
static inline void gather_needs_order(struct gather_stream *w)
{
	__atomic_store_n(&w->g->needs_order, 1, __ATOMIC_RELAXED); /* read again after all walks have ended */
}

/* Does the row belong to an id that this stream has given so far? Other threads may write the rows of other streams. */
static inline bool gather_is_own(const struct gather_stream *w, uint32_t task)
{
	return thread_made(&w->thread, task);
}

/* The task's flags: 0 unless the stream's own records have them. */
static inline unsigned gather_flags(const struct gather_stream *w, uint32_t task)
{
	return gather_is_own(w, task) ? w->m->tasks[task].flags : 0;
}

static inline bool gather_is_explicit(const struct gather_stream *w, uint32_t task)
{
	return !(gather_flags(w, task) & (task_flags_implicit | task_flags_initial));
}

/* A region of this stream, or, where streams are walked in order, any one. NULL for region 0, and if order is needed. */
static inline struct region *gather_region(struct gather_stream *w, uint32_t region)
{
	const uint32_t *base = w->m->region_rows.base;
	if ((region > base[w->stream] && region <= base[w->stream + 1]) || (w->g->is_serial && region != 0))
		return &w->m->regions[region];
	if (region != 0)
		gather_needs_order(w);
	return NULL;
}

/* ---- runs.c: how tasks ran ---- */

/* Takes the row for this stream, or adds a partial_run. */
struct task *gather_claim_run(struct gather_stream *w, uint32_t row);
/* Another stream has claimed the row: has this one a partial_run of it? */
bool gather_has_partial(struct gather_stream *w, uint32_t row);

/* Where the stream keeps what it knows about how a task ran: state, start_ticks, end_ticks. Valid until the next call. */
static inline struct task *gather_run(struct gather_stream *w, uint32_t row)
{
	struct task *task = &w->m->tasks[row];
	uint32_t owner = __atomic_load_n(&task->run_stream, __ATOMIC_RELAXED); /* relaxed: only the owner writes the rest */
	return __builtin_expect(owner == w->stream + 1, 1) ? task : gather_claim_run(w, row);
}

/* After all streams: merges what several streams know about a task. */
void gather_join_runs(struct gathering *g);

/* ---- join.c: after all streams ---- */

/* gather_join() merges what the walks have found, in the order of streams; gather_free_walks() frees the walks. */
void gather_join(struct gathering *g);
void gather_free_walks(struct gathering *g);

/* ---- repairs.c: records that contradict each other ---- */

/*
 * The current record contradicts others, or itself. Counts a repair with this name. If it is the first one with this
 * name, prints a warning: the place of the record, then `format`, which says what the record is and what was expected.
 */
void gather_repair(struct gather_stream *w, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* runs.c: the same, and marks the task as one about which records contradict each other (TASK_CONTRADICTORY). */
void gather_repair_task(struct gather_stream *w, uint32_t task, const char *name, const char *expected);

/* The two parts of a task's id, for messages: the number of the stream, and the counter in it. */
uint32_t gather_id_stream(const struct model *m, uint32_t task);
unsigned long long gather_id_counter(const struct model *m, uint32_t task);

/* A conclusion that a thread's state machine drew from one record, and that only another stream can confirm. */
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

void gather_claim(struct gather_stream *w, enum claim_kind kind, uint32_t task);
/* After all streams: counts a repair for each of the stream's claims that no stream has confirmed. */
void gather_check_claims(const struct gather_stream *w);

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
uint32_t gather_join_wait(struct gather_stream *w, uint32_t task, enum construct_kind kind, uint32_t construct, uint64_t codeptr);

/* settle.c: after all streams: fills in the fields of tasks that depend on several streams. */
void gather_settle_tasks(struct model *m);

/* split.c: after all streams: which tasks are the runtime's own, and split a taskloop (Q44). */
void gather_settle_splits(struct model *m);

/* ---- task.c, region.c: turn the events of a thread's state machine into rows ---- */

/* Passes the next record, which is no continuation record, to the thread's state machine, and adds its events to the tables. */
void gather_step(struct gather_stream *w, const struct record *r);
extern const struct thread_ops gather_thread_ops;
/* The explicit task starts, or resumes, in this stream. */
void gather_resume(struct gather_stream *w, uint32_t row, uint64_t ticks);

/* Each takes one event of the state machine. */
void gather_region_begin(struct gather_stream *w, const struct thread_event *e);
void gather_region_end(struct gather_stream *w, const struct thread_event *e);
void gather_implicit_begin(struct gather_stream *w, const struct thread_event *e);
void gather_alias(struct gather_stream *w, const struct thread_event *e);
void gather_implicit_end(struct gather_stream *w, const struct thread_event *e);
/* A sync_region_end, after the state machine has taken it: a team joined when its closing barrier ended. */
void gather_sync_end(struct gather_stream *w, const struct record *r);
uint32_t gather_missing_root(void *self, uint32_t n);
/* A sync_region_begin, after the state machine has taken it: an implicit task may have reached a barrier of its team. */
void gather_arrival(struct gather_stream *w, const struct record *r);
/* A task_dependence: a task has to wait for another one. */
void gather_delay(struct gather_stream *w, const struct record *r);
/* A list of dependences, or its continuation record: notes which tasks exclude others. */
void gather_excluded(struct gather_stream *w, const struct record *r);

/* worksharing.c: a begin or end of a synchronisation or of worksharing; after all streams: adds what the stream found. */
void gather_worksharing(struct gather_stream *w, const struct record *r);
void gather_join_early_ends(struct gather_stream *w, size_t *capacity);

/* ---- constructs.c ---- */

/*
 * The row of the construct (kind, codeptr), as model_construct() has it: in met.rows, or, where streams are walked in
 * order, in model.constructs.
 */
uint32_t gather_meet_construct(struct gather_stream *w, enum construct_kind kind, uint64_t codeptr, uint64_t key, size_t recent);
static inline uint32_t gather_construct(struct gather_stream *w, enum construct_kind kind, uint64_t codeptr)
{
	uint64_t key = codeptr << 8 | kind;
	size_t recent = (key ^ key >> 9) % RECENT_CONSTRUCTS; /* where streams are walked in order, the cache is empty */
	if (w->met.recent[recent].key == key && w->met.recent[recent].row != 0)
		return w->met.recent[recent].row;
	return gather_meet_construct(w, kind, codeptr, key, recent);
}
/* The construct's return address; 0: unknown, or the runtime's own. */
uint64_t gather_codeptr(const struct gather_stream *w, uint32_t construct);

/* Any record, after the state machine has taken it. */
void gather_constructs(struct gather_stream *w, const struct record *r);
/*
 * The construct of a task. A task that a taskloop creates inside the runtime has no address (Q9): it gets the
 * taskloop's.
 */
uint32_t gather_task_construct(struct gather_stream *w, enum construct_kind kind, uint32_t construct, uint64_t codeptr);
/* The task has ended: forgets its latest worksharing region, and what paradigms know of it. */
void gather_forget_places(struct gather_stream *w, uint32_t task);
/* locks.c: notes that a mutex was acquired, or released; numbers all acquisitions of every mutex in the order of time, over all
 * streams, in model.lock_orders, and finds those whose release is late; frees what is left of a stream's acquisitions. */
void gather_acquired(struct acquisitions *a, uint64_t wait_id, uint64_t ticks);
void gather_released(struct acquisitions *a, uint64_t wait_id, uint64_t ticks);
void gather_lock_orders(const struct gathering *g);
void gather_free_acquisitions(struct acquisitions *a);

/* teams.c: finds the distinct teams, and the team of each region. */
void gather_teams(struct model *m);

#endif
