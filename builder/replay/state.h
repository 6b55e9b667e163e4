/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the replay keeps for each stream, and how it calls its visitors. Shared by the files of replay/; no other file
 * uses it. All that has to do with a stream runs on the thread that replays this stream at the time.
 *
 * run.c     a whole replay; the merge by time, where that is needed
 * replay.c  the replay of one stream: each record goes to the file that knows its kind
 * schedule.c  which stream goes on, and which one waits
 * hand.c    where streams wait for each other
 * frames.c  the scopes that are open
 * story.c   regions, implicit and explicit tasks, as the thread's story tells them
 * close.c   threads that end, and late flushes
 * scope.c   what is open inside a task: synchronisations, worksharing
 * mutex.c   mutual exclusion
 * target.c  target constructs, operations on data, launches
 * unit.c    Argobots' work units
 * processor.c  when a thread had no processor
 */
#ifndef OTTER_BUILDER_REPLAY_STATE_H
#define OTTER_BUILDER_REPLAY_STATE_H

#include "builder/replay/hand.h"
#include "builder/story/barrier.h"
#include "builder/story/thread.h"
#include "builder/dump/timeline.h"

#include <stddef.h>

#define RECENT_CONSTRUCTS 16

struct stream_state {
	struct timeline timeline;
	uint32_t row;
	struct replay *replay;
	struct thread thread; /* its story: which task is current */
	struct point at;      /* of the event before; its unit is the current one */
	struct frames frames;
	struct held held;               /* the mutexes that its thread holds, but not those of tasks that move */
	const struct stop *stop;        /* the next one */
	const struct stop *stop_end;    /* after the last one */
	const struct stop *open;        /* the stop whose part goes on: its task is current here; NULL: there is none */
	const struct stop *awaited;     /* it waits for the stops before this one; NULL: it does not wait */
	const struct stop *cut;         /* it waits no more for what comes before this one, although it should; NULL: it waits */
	struct stream_state *next;      /* in a list of schedule.c: of streams that can go on, or that wait for the same task */
	struct dependence *dependences; /* of the current record */
	size_t dependences_capacity;
	unsigned n_since_progress;
	struct {
		uint64_t key; /* code address << 8 | kind */
		uint32_t row;
	} constructs[RECENT_CONSTRUCTS]; /* that were looked up last */
	struct late_flush {
		uint64_t begin_ticks, end_ticks;
	} * late_flushes; /* of a worker after its team's join, whose own end is not reported yet */
	size_t n_late_flushes, late_flushes_capacity;
	uint32_t n_operations; /* target regions, data operations, launches so far */
	uint64_t n_chunks;     /* of loops, that scopes have got so far */
	uint32_t n_acquired;   /* acquiring records so far: index into model.lock_orders */
	bool has_begun, is_attached;
	bool are_flushes_due; /* the implicit task that late flushes waited for has ended */
	size_t next_off;      /* of the stream's stretches without a processor: the next one, or the one that it is in */
	uint64_t off_ticks;   /* up to then there is nothing to tell of the next one */
	bool is_off_processor;
	bool is_off;    /* the program has stopped or paused the recording */
	char apart[64]; /* so that no two streams share a cache line */
};

/* A function of a visitor. Each list of them ends with one that is NULL. */
struct call {
	void (*function)(void);
	void *self;
};

#define REPLAY_FUNCTIONS (offsetof(struct replay_ops, is_by_stream) / sizeof(void (*)(void)))

#define PROGRESS_EVERY 65536 /* records */

struct replay {
	const struct model *model;
	const struct call *calls[REPLAY_FUNCTIONS]; /* for each function of struct replay_ops: the visitors that have it */
	struct hands hands;
	struct units units;
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
		const struct call *visit_c = (replay)->calls[offsetof(struct replay_ops, name) / sizeof(void (*)(void))];          \
		for (; visit_c->function != NULL && visit_rc == 0; visit_c++)                                                      \
			visit_rc = ((__typeof__(((struct replay_ops *)NULL)->name))visit_c->function)(visit_c->self, __VA_ARGS__); \
		visit_rc;                                                                                                          \
	})

/* The point of the stream's next event: at `ticks`, but never before the event before it. Valid until the next call. */
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

/* The construct of a record, as model_find_construct() tells. */
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

/* Takes the stream's next record, which timeline_peek() has returned, and tells the visitors what it means. 0, or -1. */
int replay_record(struct replay *r, struct stream_state *s, const struct record *record);

/* Is it a callback's record, without continuation records, that is about neither devices nor the thread itself? */
static inline bool replay_is_frequent(unsigned kind)
{
	return kind >= EVENT_parallel_begin && kind <= EVENT_nest_lock_end && kind != EVENT_dependences;
}

/* Takes a record about none of the things that scope.c and mutex.c know. 0, or -1. */
int replay_other(struct replay *r, struct stream_state *s, const struct record *record);

/* After the stream's last record: closes all that is open, and calls stream_end. 0, or -1. */
int replay_close(struct replay *r, struct stream_state *s);
int replay_end(struct replay *r, struct stream_state *s);

/* Closes and ends all streams after the last records of all. 0, or -1. */
int replay_end_all(struct replay *r);

/* Does the task move between streams, so that its scopes and mutexes go with it? */
static inline bool task_moves(const struct task *task)
{
	return task->state & (TASK_MIGRATED | TASK_ENDED_ELSEWHERE);
}

/* ---- schedule.c ---- */

/* Replays all streams of a dump without units, and closes and ends them. 0, or -1. */
int replay_schedule(struct replay *r);

/* ---- story.c ---- */

/* Listens to the threads' stories; `self` is a stream_state. */
extern const struct thread_ops replay_story_ops;

/* Takes the thread's story one record further; it is no continuation. 0, or -1. */
int replay_step(struct replay *r, struct stream_state *s, const struct record *record);

/*
 * Where streams are not merged, and the stream waits for no other: takes the next records, amid their segment and before
 * the one at index `end`, as long as they are of frequent kinds, in the same way. 0, or -1.
 */
int replay_frequent(struct replay *r, struct stream_state *s, uint32_t end);

/* ---- close.c ---- */

/* A buffer flush. If the implicit task around it has ended already, visitors get it later, after that end. 0, or -1. */
int replay_buffer_flush(struct replay *r, struct stream_state *s, const struct record *record);
/* The implicit task has ended: visits the flushes that waited for it. 0, or -1. */
int replay_late_flushes(struct replay *r, struct stream_state *s);

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
int replay_leave_handed(struct replay *r);

/* The frame of a task in this stream, and that of the current task. makes: if it has none, it gets one; otherwise NULL. */
struct frame *replay_frame_of(struct stream_state *s, uint32_t task, bool makes);
static inline struct frame *replay_frame(struct stream_state *s, bool makes)
{
	struct frame *top = frames_top(&s->frames, s->thread.task);
	return top != NULL ? top : replay_frame_of(s, s->thread.task, makes);
}

/* The task goes on in this stream as the innermost one, for the first time. */
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

/* ---- target.c ---- */

/* Takes a record about target constructs or devices. 0, -1, or 1: it is about neither. */
int replay_target_record(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- processor.c ---- */

/* Tells the visitors when the stream's thread had no processor, as far as that came before `ticks`. 0, or -1. */
int replay_processor_until(struct replay *r, struct stream_state *s, uint64_t ticks);

/* The same, where there is nothing to tell. */
static inline int replay_processor(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	return r->model->switches.are_recorded && ticks > s->off_ticks ? replay_processor_until(r, s, ticks) : 0;
}

/* ---- unit.c ---- */

void replay_unit_begin(struct replay *r);

/* Takes any record of a dump that has units. 0, -1, or 1: it is not about units, or not only about them. */
int replay_unit_record(struct replay *r, struct stream_state *s, const struct record *record);

/* Records of the stream are missing here. 0, or -1. */
int replay_unit_gap(struct replay *r, struct stream_state *s);

/* After the last record of all streams. 0, or -1. */
int replay_unit_finish(struct replay *r);

/* Takes a record that the story alone does not tell all of, and that the story has taken. 0, or -1. */
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
