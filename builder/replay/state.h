/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the replay keeps for each stream, and how it calls its visitors. Shared by the files of replay/ and the replay hooks of
 * paradigms. All functions that work on a stream run on the thread that replays this stream at the time.
 *
 * run.c       a whole replay; the merge by time, where that is needed
 * replay.c    the replay of one stream: passes each record to the file that handles its kind
 * schedule.c  which stream continues, and which one waits
 * handover.c  where streams wait for each other
 * frames.c    the scopes that are open
 * thread.c    regions, implicit and explicit tasks, as the thread's state machine reports them
 * other.c     threads that end, late flushes, threads without a processor, and all other events that are no scopes
 * scope.c     the scopes that are open inside a task: synchronisations, worksharing
 * mutex.c     mutual exclusion
 */
#ifndef OTTER_BUILDER_REPLAY_STATE_H
#define OTTER_BUILDER_REPLAY_STATE_H

#include "builder/current/barrier.h"
#include "builder/current/thread.h"
#include "builder/dump/timeline.h"
#include "builder/replay/frames.h"
#include "builder/support/lockset.h"

#include <stddef.h>

/* ---- Handover ---- */

/*
 * Several streams have a part in some tasks, one after the other: in those that moved, those whose completion another thread
 * reports (Q33), and detached ones, which another thread may fulfil. Each stream is replayed separately, but such a task is
 * handed over from stream to stream: its stops are the records at which a stream begins or resumes its part in the task. A
 * stream waits at a stop until the task's earlier stops, in the order of time, are over. A stop is over as soon as the
 * task is not current in the stream any more.
 *
 * In a program a stop waits only for earlier stops, so streams cannot wait for each other in a cycle. Where records or
 * clocks contradict that, schedule.c breaks the cycle.
 *
 * handover.c finds the stops in a pass of its own over the records, which dumps without such tasks do not need. During the
 * replay a task's struct task_handover belongs to the stream that is at one of its stops; n_over and `waiting` belong to the thread
 * that holds the lock of schedule.c.
 */

struct stream_state;

/* A record at which a stream waits for the task. */
struct stop {
	uint64_t place; /* of the record: segment << 32 | index */
	uint64_t ticks;
	uint32_t task, handover; /* index in handovers.all */
	uint32_t stream;
	uint32_t nth;     /* among the task's stops, from 0 */
	bool is_first;    /* known to be the task's first one in its stream */
	bool is_report;   /* the record reports that the task completed, and the task is not current in its stream */
	bool is_reported; /* the task's next stop is such a report, in another stream */
};

struct task_handover {
	uint32_t task;
	uint32_t first, n_stops;      /* in handovers.order */
	uint32_t n_over;              /* atomic: stops that are over */
	bool is_ended;                /* its last part has ended without a record (Q33) */
	struct frame *frame;          /* its scopes, if it moves; NULL: none yet */
	struct lockset *held;         /* the mutexes that it holds, if it moves; NULL: it never held any */
	struct stream_state *waiting; /* atomic */
};

struct handovers {
	struct task_handover *all; /* by the row of the task */
	size_t n;
	uint32_t *rows;     /* by row of model.tasks: index in `all` + 1; NULL where `all` is empty */
	struct stop *stops; /* by stream, then by place; the last one has the place UINT64_MAX */
	uint32_t *order;    /* task by task: indices in `stops`, in the order of time */
	size_t *of_stream;  /* by row of dump.streams: its first stop */
};

/* Finds the tasks. finds_stops: also finds where they are handed over, which takes a pass over the records. */
void handovers_begin(struct handovers *handovers, const struct model *m, bool finds_stops);
void handovers_free(struct handovers *handovers);

/* The task's row in handovers.all; NULL: only one stream has a part in it. */
static inline struct task_handover *handovers_find(const struct handovers *handovers, uint32_t task)
{
	uint32_t row = handovers->n != 0 ? handovers->rows[task] : 0;
	return row != 0 ? &handovers->all[row - 1] : NULL;
}

#define RECENT_CONSTRUCTS 16

struct stream_state {
	struct timeline timeline;
	uint32_t row;
	struct replay *replay;
	struct thread thread; /* its state machine: which task is current */
	struct point at;      /* of the previous event; its unit is the one that is current now */
	struct frames frames;
	struct lockset held;            /* the mutexes that its thread holds, but not those of tasks that move */
	const struct stop *stop;        /* the next one */
	const struct stop *stop_end;    /* after the last one */
	const struct stop *open;        /* the stop whose part is not over: its task is current here; NULL: none */
	const struct stop *awaited;     /* the stream waits for the stops before this one; NULL: it does not wait */
	const struct stop *cut;         /* the stream no longer waits for the stops before this one; NULL: no wait was cut */
	struct stream_state *next;      /* in a list of schedule.c: of streams that are ready, or that wait for the same task */
	struct dependence *dependences; /* of the current record */
	size_t dependences_capacity;
	unsigned n_since_progress;
	struct {
		uint64_t key; /* code address << 8 | kind */
		uint32_t row;
	} constructs[RECENT_CONSTRUCTS]; /* those looked up last */
	struct late_flush {
		uint64_t begin_ticks, end_ticks;
	} * late_flushes; /* of a worker after its team's join, before the end of its implicit task is reported */
	size_t n_late_flushes, late_flushes_capacity;
	uint32_t n_operations; /* target regions, data operations, launches so far */
	uint64_t n_chunks;     /* chunks of loops that are assigned to scopes so far */
	size_t next_early_end; /* index into model.early_ends */
	uint32_t n_acquired;   /* acquiring records so far: index into model.lock_orders */
	bool has_begun, is_attached;
	bool are_flushes_due; /* the implicit task that late flushes waited for has ended */
	size_t next_off;      /* index of the stream's next interval without a processor, or of the one that it is in */
	uint64_t off_ticks;   /* up to this time that interval has no event */
	bool is_off_processor;
	bool is_off;    /* the program has stopped or paused the recording */
	char apart[64]; /* so that no two streams share a cache line */
};

/* A function of a visitor. Each list of them ends with one that is NULL. */
struct visitor_call {
	void (*function)(void);
	void *self;
};

#define REPLAY_FUNCTIONS (offsetof(struct replay_ops, is_by_stream) / sizeof(void (*)(void)))

#define PROGRESS_EVERY 65536 /* records */

struct replay {
	const struct model *model;
	const struct visitor_call *calls[REPLAY_FUNCTIONS]; /* for each function of struct replay_ops: the visitors that have it */
	struct handovers handovers;
	const struct visitor *visitors;
	size_t n_visitors;
	struct replayed {
		const struct paradigm *paradigm;
		void *self;       /* of replay_begin */
	} paradigms[N_PARADIGMS]; /* paradigms that have records in the dump */
	size_t n_paradigms;
	struct replayed eager[N_PARADIGMS]; /* those of them that take each record before OpenMP's replay (replay_record) */
	size_t n_eager;
	struct stream_state *streams;
	struct progress *progress;
	bool is_merged;     /* streams are merged by time */
	bool are_by_stream; /* all visitors can work on several streams at once */
};

/*
 * Calls one function of every visitor; the arguments are evaluated for each of them. The result is 0, or -1 as soon as a
 * visitor returns it.
 */
#define VISIT(replay, name, ...)                                                                                                   \
	({                                                                                                                         \
		int visit_rc = 0;                                                                                                  \
		const struct visitor_call *visit_c = (replay)->calls[offsetof(struct replay_ops, name) / sizeof(void (*)(void))];  \
		for (; visit_c->function != NULL && visit_rc == 0; visit_c++) {                                                    \
			__typeof__((struct replay_ops){0}.name) visit_f = (__typeof__(visit_f))visit_c->function;                  \
			visit_rc = visit_f(visit_c->self, __VA_ARGS__);                                                            \
		}                                                                                                                  \
		visit_rc;                                                                                                          \
	})

/* The point of the stream's next event: at `ticks`, but never earlier than the previous event. Valid until the next call. */
static inline const struct point *replay_point(struct stream_state *s, uint64_t ticks)
{
	if (ticks > s->at.ticks)
		s->at.ticks = ticks;
	s->at.task = s->thread.task;
	return &s->at;
}

static inline void replay_quirk(struct stream_state *s, const char *name)
{
	tally_add(&model_notes(s->replay->model, s->row)->quirks, name, 1);
}

static inline void replay_repair(struct stream_state *s, const char *name)
{
	if (*name != '\0')
		tally_add(&model_notes(s->replay->model, s->row)->repairs, name, 1);
}

/* The construct of a record, as model_find_construct() returns it. */
static inline uint32_t replay_construct(struct stream_state *s, enum construct_kind kind, uint64_t codeptr)
{
	uint64_t key = codeptr << 8 | kind;
	size_t recent = (key ^ key >> 9 ^ key >> 13) % RECENT_CONSTRUCTS;
	if (s->constructs[recent].key != key || s->constructs[recent].row == 0) {
		s->constructs[recent].key = key;
		s->constructs[recent].row = model_find_construct(s->replay->model, kind, codeptr);
	}
	return s->constructs[recent].row;
}

/* ---- replay.c ---- */

/* Takes the stream's next record, which timeline_peek() has returned, and calls the visitors with its events. 0, or -1. */
int replay_record(struct replay *r, struct stream_state *s, const struct record *record);

/* Is this the kind of a callback's record without continuation records, about neither devices nor the thread itself? */
static inline bool replay_is_frequent(unsigned kind)
{
	return kind >= EVENT_parallel_begin && kind <= EVENT_nest_lock_end && kind != EVENT_dependences;
}

/* Takes a record that neither scope.c nor mutex.c handles. 0, or -1. */
int replay_other(struct replay *r, struct stream_state *s, const struct record *record);

/* After the stream's last record: replay_close() closes all that is open, replay_end() calls stream_end. 0, or -1. */
int replay_close(struct replay *r, struct stream_state *s);
int replay_end(struct replay *r, struct stream_state *s);

/* Closes and ends all streams after the last records of all. 0, or -1. */
int replay_end_all(struct replay *r);

/* Does the task move between streams, so that its scopes and mutexes go with it? */
static inline bool task_moves(const struct task *task)
{
	return task->state & (TASK_MIGRATED | TASK_ENDED_ELSEWHERE);
}

/* ---- run.c ---- */

/* The visitor's own functions for the paradigm's events; NULL: none. */
const void *replay_own_ops(const struct visitor *visitor, enum paradigm_number number);

/* ---- schedule.c ---- */

/* Replays all streams without a merge, and closes and ends them. 0, or -1. */
int replay_schedule(struct replay *r);

/* ---- thread.c ---- */

/* Listens to the threads' state machines; `self` is a stream_state. */
extern const struct thread_ops replay_thread_ops;

/* Passes one record, which is no continuation record, to the thread's state machine. 0, or -1. */
int replay_step(struct replay *r, struct stream_state *s, const struct record *record);

/*
 * Where streams are not merged, and the stream waits for no other: replays the next records of the segment, up to the one
 * before index `end`, as long as they are of frequent kinds. 0, or -1.
 */
int replay_frequent(struct replay *r, struct stream_state *s, uint32_t end);

/* ---- other.c ---- */

/* A buffer flush. If the implicit task around it has ended already, visitors see it later, after that end. 0, or -1. */
int replay_buffer_flush(struct replay *r, struct stream_state *s, const struct record *record);
/* The implicit task has ended: visits the flushes that waited for it. 0, or -1. */
int replay_late_flushes(struct replay *r, struct stream_state *s);

/* Did the runtime finalize the recorder, so that all that it reports was recorded? */
bool replay_is_finalized(const struct replay *r);
/*
 * If this is a worker in its team's closing barrier and the join is known, its implicit task ended at the join, and the
 * runtime reports no end (Q36). 0, or -1.
 */
int replay_end_past_join(struct replay *r, struct stream_state *s, uint64_t ticks);
int replay_thread_end(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- scope.c ---- */

/* Takes a record about scopes. 0, or -1. */
int replay_scope_record(struct replay *r, struct stream_state *s, const struct record *record);

/* Enters a scope of the current task; its region and time are filled in here. 0, or -1. */
int replay_enter_scope(struct replay *r, struct stream_state *s, struct scope *scope, uint64_t ticks);

/* Leaves the innermost scope of this type and kind, after all that was left open inside it. 0, or -1. */
int replay_leave_scope(struct replay *r, struct stream_state *s, enum scope_type type, unsigned kind, uint64_t ticks);

/*
 * Leaves the scopes of a task until n_left remain. repair: the name to count for each; NULL means "scope_without_end".
 * 0, or -1.
 */
int replay_leave_scopes(struct replay *r, struct stream_state *s, uint32_t task, uint32_t n_left, uint64_t ticks,
			const char *repair);

/*
 * After the last record of the stream: leaves what contradictory records left open in tasks that no thread is in any
 * more. 0, or -1.
 */
int replay_leave_rest(struct replay *r, struct stream_state *s);

/* After the last record of all streams: the same, for tasks that move. 0, or -1. */
int replay_leave_handover(struct replay *r);

/* The frame of a task in this stream, and that of the current task. Where it does not exist: `makes` creates it; else NULL. */
struct frame *replay_frame_of(struct stream_state *s, uint32_t task, bool makes);
static inline struct frame *replay_frame(struct stream_state *s, bool makes)
{
	struct frame *top = frames_top(&s->frames, s->thread.task);
	return top != NULL ? top : replay_frame_of(s, s->thread.task, makes);
}

/* The task starts in this stream as the innermost one. */
static inline void replay_start_task(struct stream_state *s, uint32_t task)
{
	const struct task *row = &s->replay->model->tasks[task];
	if (!task_moves(row) && !(row->state & TASK_MARKED) && !s->frames.is_scattered)
		frames_start(&s->frames, task);
}

/* For the next one, where the task's frame is not the last one of the stack. */
void replay_drop_other(struct stream_state *s, uint32_t task);

/* The task has ended. */
static inline void replay_drop_task(struct stream_state *s, uint32_t task)
{
	if (frames_top(&s->frames, task) != NULL)
		frames_pop(&s->frames);
	else
		replay_drop_other(s, task);
}

/* ---- mutex.c ---- */

/* Takes a record about mutexes. 0, or -1. */
int replay_mutex_record(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- other.c: threads without a processor ---- */

/* Reports to the visitors when the stream's thread had no processor, up to `ticks`. 0, or -1. */
int replay_processor_until(struct replay *r, struct stream_state *s, uint64_t ticks);

/* The same; inline, as most often there is nothing to report. */
static inline int replay_processor(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	return r->model->switches.are_recorded && ticks > s->off_ticks ? replay_processor_until(r, s, ticks) : 0;
}

/* Takes a record that the state machine has taken, and from which more events follow than the state machine's. 0, or -1. */
static inline int replay_rest(struct replay *r, struct stream_state *s, const struct record *record)
{
	switch (record_kind(record)) {
	case EVENT_sync_region_begin:
	case EVENT_sync_region_end:
	case EVENT_sync_region_wait_begin:
	case EVENT_sync_region_wait_end:
	case EVENT_reduction_begin:
	case EVENT_reduction_end:
	case EVENT_work_begin:
	case EVENT_work_end:
	case EVENT_masked_begin:
	case EVENT_masked_end: return replay_scope_record(r, s, record);
	case EVENT_mutex_acquire:
	case EVENT_mutex_acquired:
	case EVENT_mutex_released:
	case EVENT_lock_init:
	case EVENT_lock_destroy:
	case EVENT_nest_lock_begin:
	case EVENT_nest_lock_end: return replay_mutex_record(r, s, record);
	default: return replay_other(r, s, record);
	}
}

#endif
