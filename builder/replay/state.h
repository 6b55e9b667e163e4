/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the replay keeps, by stream, and how it talks to its visitors. Shared by the files of replay/, and by no other file.
 *
 * replay.c  which record comes next, from which stream
 * story.c   regions, implicit and explicit tasks, as the thread's story tells them
 * close.c   threads that end, and late flushes
 * scope.c   what is open inside a task: synchronisations, worksharing, mutual exclusion
 * target.c  target constructs, operations on data, launches
 * unit.c    Argobots' work units
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
	struct thread thread; /* who is current */
	uint32_t unit;        /* Argobots': current, 0 unknown or none */
	uint64_t last_ticks;  /* of the last event delivered */
	struct map held;      /* mutexes taken: wait id -> acquisition number */
	struct late_flush {
		uint64_t begin_ticks, end_ticks;
	} * late_flushes; /* of a worker behind its team's join, whose own end is not yet reported */
	size_t n_late_flushes, late_flushes_capacity;
	uint32_t n_operations; /* target regions, data operations, launches so far */
	uint32_t n_acquired;   /* acquiring records so far: index into model.lock_orders */
	bool has_begun, is_attached;
	bool are_flushes_due; /* the implicit task that late flushes waited for has ended */
	bool is_off;          /* the program has ended, or paused, the recording */
};

struct replay {
	const struct model *model;
	const struct visitor *visitors;
	size_t n_visitors;
	struct frames frames;
	struct units units;
	struct map ended_parts; /* untied tasks whose last part has ended without a word (Q33) */
	struct stream_state *streams;
	struct dependence *dependences; /* of the record at hand */
	size_t dependences_capacity;
	struct progress *progress;
	unsigned n_since_progress;
};

/* Calls one function of every visitor; evaluates to 0, or -1 as soon as one fails. */
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

static inline void replay_quirk(struct replay *r, const char *name)
{
	tally_add(&r->model->notes->quirks, name, 1);
}

static inline void replay_repair(struct replay *r, const char *name)
{
	if (*name != '\0')
		tally_add(&r->model->notes->repairs, name, 1);
}

/* ---- story.c ---- */

/* Listens to the stories; self is a stream_state. */
extern const struct thread_ops replay_story_ops;

/* ---- close.c ---- */

/* A buffer flush: it comes after the end of an implicit task that has ended already. */
int replay_buffer_flush(struct replay *r, struct stream_state *s, const struct record *record);
/* The flushes that came too late, once their implicit task has ended. */
int replay_late_flushes(struct replay *r, struct stream_state *s);

int replay_thread_end(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- scope.c ---- */

/* Records that are about scopes and mutexes. 1: not one of them. */
int replay_scope_record(struct replay *r, struct stream_state *s, const struct record *record);

/* A scope of the current task; its region and time are filled in here. */
int replay_enter_scope(struct replay *r, struct stream_state *s, struct scope scope, uint64_t ticks);

/* Leaves the innermost scope of this type and kind, and what was left open inside it. */
int replay_leave_scope(struct replay *r, struct stream_state *s, enum scope_type type, unsigned kind, uint64_t ticks);

/* Leaves the scopes of a task down to `n_left`; `repair` as above, NULL being "scope_without_end". */
int replay_leave_scopes(struct replay *r, struct stream_state *s, uint32_t task, uint32_t n_left, uint64_t ticks,
			const char *repair);

/* Behind the last record: leaves what contradictory records left open in tasks that nobody is in any more. All frames are gone then. */
int replay_leave_rest(struct replay *r);

/* ---- target.c ---- */

/* Records that are about target constructs and devices. 1: not one of them. */
int replay_target_record(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- unit.c ---- */

int replay_unit_begin(struct replay *r);

/* Any record, in dumps that have units. 1: it is not about units, or not about them alone. */
int replay_unit_record(struct replay *r, struct stream_state *s, const struct record *record);

/* Records of the stream are missing here. */
int replay_unit_gap(struct replay *r, struct stream_state *s);

/* Behind the last record of all streams. */
int replay_unit_finish(struct replay *r);

#endif
