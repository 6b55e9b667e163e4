/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the replay keeps, by stream, and how it talks to its visitors. Shared by the files replay*.c, by nobody else.
 *
 * replay.c       which record comes next, from which stream
 * replay_region.c threads, regions and implicit tasks
 * replay_task.c  explicit tasks: who is current
 * replay_close.c ends: of implicit tasks, threads, streams
 * replay_scope.c what is open inside a task: synchronisations, worksharing, mutual exclusion
 * replay_target.c target constructs, operations on data, launches
 * replay_unit.c  Argobots' work units
 */
#ifndef OTTER_BUILDER_REPLAY_STATE_H
#define OTTER_BUILDER_REPLAY_STATE_H

#include "builder/replay/frames.h"
#include "builder/story/suspended.h"
#include "builder/dump/timeline.h"

/* An implicit task that the thread is in. */
struct implicit {
	uint32_t task;
	uint32_t outer;     /* the task current around it */
	size_t n_regions;   /* regions of the thread that were open at its begin */
	size_t n_suspended; /* tasks of the thread that were suspended at its begin */
};

struct stream_state {
	struct timeline timeline;
	uint32_t row;
	uint32_t task;              /* current, 0 unknown */
	uint32_t unit;              /* Argobots': current, 0 unknown or none */
	uint64_t last_ticks;        /* of the last event delivered */
	struct implicit *implicits; /* innermost last */
	size_t n_implicits, implicits_capacity;
	uint32_t *regions; /* encountered by this thread and open, innermost last */
	size_t n_regions, regions_capacity;
	struct suspended_tasks suspended;
	uint32_t *waits; /* dummies of taskwaits with dependences that the thread is in, innermost last */
	size_t n_waits, waits_capacity;
	struct map held; /* mutexes taken: wait id -> acquisition number */
	struct late_flush {
		uint64_t begin_ticks, end_ticks;
	} * late_flushes; /* of a worker behind its team's join, whose own end is not yet reported */
	size_t n_late_flushes, late_flushes_capacity;
	uint32_t n_operations;    /* target regions, data operations, launches so far */
	uint32_t n_acquired;      /* acquiring records so far: index into model.lock_orders */
	uint64_t tid;             /* of the thread that has the stream */
	uint32_t n_missing_roots; /* initial tasks made up so far */
	bool has_begun, is_attached;
	bool is_off; /* the program has ended, or paused, the recording */
};

struct replay {
	struct model *model;
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

/* The point of an event: never before the last one of its stream. */
struct point replay_point(struct stream_state *s, uint64_t ticks);

/* Makes room for one more element. 0, or -1 with the error said. */
int replay_grow(void **array, size_t n, size_t *capacity, size_t element_bytes);

static inline void replay_quirk(struct replay *r, const char *name)
{
	tally_add(&r->model->quirks, name, 1);
}

static inline void replay_repair(struct replay *r, const char *name)
{
	if (*name != '\0')
		tally_add(&r->model->repairs, name, 1);
}

/* What one runtime is known to do is a quirk of that one, and contradicts the specification anywhere else. */
static inline void replay_deviation(struct replay *r, const char *name)
{
	tally_add(r->model->is_libomp ? &r->model->quirks : &r->model->repairs, name, 1);
}

/* ---- replay_region.c ---- */

/* One record each. 0, or -1. */
int replay_parallel_begin(struct replay *r, struct stream_state *s, const struct record *record);
int replay_parallel_end(struct replay *r, struct stream_state *s, const struct record *record);
int replay_implicit_begin(struct replay *r, struct stream_state *s, const struct record *record);
int replay_implicit_end(struct replay *r, struct stream_state *s, const struct record *record);
int replay_thread_attach(struct replay *r, struct stream_state *s, const struct record *record);
int replay_recording_on(struct replay *r, struct stream_state *s, const struct record *record);

/* Begins the initial task of a root thread that nobody reported, where gather found that one is needed here. */
int replay_missing_root(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- replay_task.c ---- */

/* If the current task's last part has ended without a word (Q33), and the record is the first one to show it: ends it. */
int replay_end_silent_part(struct replay *r, struct stream_state *s, const struct record *record);

/* Records that are about threads, regions and tasks. 1: not one of them. */
int replay_task_record(struct replay *r, struct stream_state *s, const struct record *record);

/* The task of a dependence record. libomp's dummies may be known by name to their creation alone: the innermost one is meant by id 0. */
uint32_t replay_dependent(const struct replay *r, const struct stream_state *s, uint64_t id);

/* ---- replay_close.c ---- */

/* The innermost implicit task of the stream, or NULL. */
struct implicit *replay_innermost(struct stream_state *s);

/* When an implicit task ended whose end was recorded, or is made up, at `ticks`: a worker not after its team's join (Q3). */
uint64_t replay_implicit_end_ticks(const struct replay *r, uint32_t row, uint64_t ticks);

/* Forgets tasks suspended since `bottom` that went on, and ended, on another thread. */
void replay_forget_moved(struct replay *r, struct stream_state *s, size_t bottom);

/*
 * In the following `repair` names why something is ended without a record. NULL: its end was recorded, and only what is left open inside counts.
 * REPAIR_NONE: it is known to have ended, and nothing counts.
 */
#define REPAIR_NONE ""

/* Ends the innermost implicit task with all that is open in it. */
int replay_close_implicit(struct replay *r, struct stream_state *s, uint64_t ticks, const char *repair);

/* Ends the regions that the thread encountered since `n_left` of them were open. */
int replay_close_regions(struct replay *r, struct stream_state *s, size_t n_left, uint64_t ticks, const char *repair);

/* Closes all that is open in a stream, innermost first. */
int replay_close_stream(struct replay *r, struct stream_state *s, uint64_t ticks, const char *repair);

/* A buffer flush: it comes behind the end of an implicit task that is already over. */
int replay_buffer_flush(struct replay *r, struct stream_state *s, const struct record *record);

int replay_thread_end(struct replay *r, struct stream_state *s, const struct record *record);

/* Is the region one that only the runtime knows of (Q31)? */
static inline bool replay_is_hidden(const struct replay *r, uint32_t region)
{
	return r->model->regions[region].state & REGION_HIDDEN;
}

/* ---- replay_scope.c ---- */

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

/* ---- replay_target.c ---- */

/* Records that are about target constructs and devices. 1: not one of them. */
int replay_target_record(struct replay *r, struct stream_state *s, const struct record *record);

/* ---- replay_unit.c ---- */

int replay_unit_begin(struct replay *r);

/* Any record, in dumps that have units. 1: it is not about units, or not about them alone. */
int replay_unit_record(struct replay *r, struct stream_state *s, const struct record *record);

/* Records of the stream are missing here. */
int replay_unit_gap(struct replay *r, struct stream_state *s);

/* Behind the last record of all streams. */
int replay_unit_finish(struct replay *r);

#endif
