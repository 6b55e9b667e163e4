/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the replay keeps for each stream, and how it calls its visitors. Shared by the files of replay/; no other file
 * uses it. All of it runs on the thread that replays.
 *
 * replay.c  which record comes next, from which stream
 * story.c   regions, implicit and explicit tasks, as the thread's story tells them
 * close.c   threads that end, and late flushes
 * scope.c   what is open inside a task: synchronisations, worksharing, mutual exclusion
 * target.c  target constructs, operations on data, launches
 * unit.c    Argobots' work units
 * processor.c  when a thread had no processor
 */
#ifndef OTTER_BUILDER_REPLAY_STATE_H
#define OTTER_BUILDER_REPLAY_STATE_H

#include "builder/replay/frames.h"
#include "builder/story/barrier.h"
#include "builder/story/thread.h"
#include "builder/dump/timeline.h"

struct stream_state {
	struct timeline timeline;
	uint32_t row;
	struct replay *replay;
	struct thread thread; /* its story: which task is current */
	uint32_t unit;        /* of Argobots, current; 0 unknown or none */
	uint64_t last_ticks;  /* of the event before */
	struct map held;      /* mutexes that are held: wait id -> acquisition number */
	struct late_flush {
		uint64_t begin_ticks, end_ticks;
	} * late_flushes; /* of a worker after its team's join, whose own end is not reported yet */
	size_t n_late_flushes, late_flushes_capacity;
	uint32_t n_operations; /* target regions, data operations, launches so far */
	uint32_t n_acquired;   /* acquiring records so far: index into model.lock_orders */
	bool has_begun, is_attached;
	bool are_flushes_due; /* the implicit task that late flushes waited for has ended */
	size_t next_off;      /* of the stream's stretches without a processor: the next one, or the one that it is in */
	bool is_off_processor;
	bool is_off; /* the program has stopped or paused the recording */
};

struct replay {
	const struct model *model;
	const struct visitor *visitors;
	size_t n_visitors;
	struct frames frames;
	struct units units;
	struct map ended_parts; /* untied tasks whose last part has ended without a record (Q33) */
	struct stream_state *streams;
	struct dependence *dependences; /* of the current record */
	size_t dependences_capacity;
	struct progress *progress;
	unsigned n_since_progress;
};

/* Calls one function of every visitor. The result is 0, or -1 as soon as a visitor returns it. */
#define VISIT(replay, function, ...)                                                                                               \
	({                                                                                                                         \
		int visit_rc = 0;                                                                                                  \
		for (size_t visit_i = 0; visit_i < (replay)->n_visitors && visit_rc == 0; visit_i++) {                             \
			const struct visitor *visit_v = &(replay)->visitors[visit_i];                                              \
			if (visit_v->ops->function != NULL)                                                                        \
				visit_rc = visit_v->ops->function(visit_v->self, __VA_ARGS__);                                     \
		}                                                                                                                  \
		visit_rc;                                                                                                          \
	})

/* The point of the stream's next event: at `ticks`, but never before the event before it. */
static inline struct point replay_point(struct stream_state *s, uint64_t ticks)
{
	if (ticks < s->last_ticks)
		ticks = s->last_ticks;
	s->last_ticks = ticks;
	return (struct point){s->row, s->thread.task, ticks, s->unit};
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

/* ---- story.c ---- */

/* Listens to the threads' stories; `self` is a stream_state. */
extern const struct thread_ops replay_story_ops;

/* ---- close.c ---- */

/* A buffer flush. If the implicit task around it has ended already, visitors get it later, after that end. 0, or -1. */
int replay_buffer_flush(struct replay *r, struct stream_state *s, const struct record *record);
/* The implicit task has ended: visits the flushes that waited for it. 0, or -1. */
int replay_late_flushes(struct replay *r, struct stream_state *s);

int replay_thread_end(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- scope.c ---- */

/* Takes a record about scopes or mutexes. 0, -1, or 1: it is about neither. */
int replay_scope_record(struct replay *r, struct stream_state *s, const struct record *record);

/* Enters a scope of the current task; its region and time are filled in here. 0, or -1. */
int replay_enter_scope(struct replay *r, struct stream_state *s, struct scope scope, uint64_t ticks);

/* Leaves the innermost scope of this type and kind, after all that was left open inside it. 0, or -1. */
int replay_leave_scope(struct replay *r, struct stream_state *s, enum scope_type type, unsigned kind, uint64_t ticks);

/*
 * Leaves the scopes of a task until n_left remain. repair: the name to count for each; NULL means "scope_without_end".
 * 0, or -1.
 */
int replay_leave_scopes(struct replay *r, struct stream_state *s, uint32_t task, uint32_t n_left, uint64_t ticks,
			const char *repair);

/*
 * After the last record: leaves what contradictory records left open in tasks that no thread is in any more. Frees all
 * frames. 0, or -1.
 */
int replay_leave_rest(struct replay *r);

/* ---- target.c ---- */

/* Takes a record about target constructs or devices. 0, -1, or 1: it is about neither. */
int replay_target_record(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- processor.c ---- */

/* Tells the visitors when the stream's thread had no processor, as far as that came before `ticks`. 0, or -1. */
int replay_processor_until(struct replay *r, struct stream_state *s, uint64_t ticks);

/* The same, where there is nothing to tell. */
static inline int replay_processor(struct replay *r, struct stream_state *s, uint64_t ticks)
{
	return r->model->switches.are_recorded ? replay_processor_until(r, s, ticks) : 0;
}

/* ---- unit.c ---- */

void replay_unit_begin(struct replay *r);

/* Takes any record of a dump that has units. 0, -1, or 1: it is not about units, or not only about them. */
int replay_unit_record(struct replay *r, struct stream_state *s, const struct record *record);

/* Records of the stream are missing here. 0, or -1. */
int replay_unit_gap(struct replay *r, struct stream_state *s);

/* After the last record of all streams. 0, or -1. */
int replay_unit_finish(struct replay *r);

#endif
