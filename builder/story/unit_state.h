/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of Argobots' work units while their records go by. Shared by units.c (rows, who is meant, who runs), units_records.c and units_create.c
 * (what each record does to them) and units_order.c (what must come before it), by nobody else.
 */
#ifndef OTTER_BUILDER_STORY_UNIT_STATE_H
#define OTTER_BUILDER_STORY_UNIT_STATE_H

#include "builder/model/tables.h"
#include "builder/story/unit.h"

enum now_state { NOW_READY, NOW_RUNNING, NOW_SUSPENDED, NOW_ENDED };

struct unit_now {
	uint32_t stream; /* NOW_RUNNING: row */
	uint32_t joiner; /* the first */
	uint32_t life;   /* of the library: in the next one it is gone */
	uint8_t state, is_freed, has_run;
	struct unit_wait wait; /* at its latest stop */
	uint64_t since_ticks;  /* of its latest stop */
};

struct units_stream {
	uint64_t tid;
	uint64_t last_ticks;
	uint32_t *stack; /* by depth: who runs on whom; 0 unknown */
	size_t n, capacity;
	uint32_t external; /* row of the thread, where it is no execution stream and has done something */
	uint32_t stopped;  /* who stopped with the last record about who runs; 0: somebody ran */
	bool is_xstream;
	bool is_known; /* nothing is missing since the thread took the stream */
};

/* ---- units.c ---- */

static inline struct work_unit *units_row(struct units *u, uint32_t row)
{
	return &u->model->units[row];
}

/* What it is, before its function is known. */
void units_be_of_kind(struct units *u, uint32_t row, enum unit_kind kind);

uint32_t units_new_row(struct units *u, uint64_t handle, enum unit_kind kind);

/* A row for a handle that had none, or had another unit. 0: memory is out. */
uint32_t units_new_unit(struct units *u, uint64_t handle, enum unit_kind kind);

void unit_doubt(struct units *u, uint32_t stream, uint32_t row, const char *name, const char *expected);

void unit_quirk(struct units *u, const char *name);

bool units_is_gone(const struct units *u, uint32_t row);

/* A unit that something happens to, or that does something. 0: memory is out. */
uint32_t units_subject(struct units *u, uint32_t stream, uint64_t handle, bool is_scheduler);

/* A unit that a record names as the one that acts. 0: it names none, or memory is out. */
uint32_t units_named(struct units *u, uint32_t stream, uint64_t handle);

/* The innermost one that is known. */
uint32_t units_top(const struct units_stream *s);

int units_tell(struct units *u, uint32_t stream, struct unit_event event, uint64_t ticks);

int units_tell_switch(struct units *u, uint32_t stream, struct unit_switch change, uint64_t ticks);

/* Takes the innermost one off the stack. */
int units_leave(struct units *u, uint32_t stream, struct unit_switch change, uint64_t ticks);

/* Takes all off that are at the depth or above it, for want of a record of their stops; `repair` names why, NULL: that is known. */
int unit_cut(struct units *u, uint32_t stream, size_t depth, uint64_t ticks, const char *repair);

int units_end_external(struct units *u, uint32_t stream, uint64_t ticks);

/* Puts a unit on the stack, at its depth. */
int units_put(struct units *u, uint32_t stream, uint32_t row, size_t depth, uint64_t ticks, enum unit_reason reason);

/*
 * Polls are counted where nothing else ran on their stream between them; the unit itself may have run on another one meanwhile, where several share a pool.
 * Does the unit run where such polls come next? Then, and where it has to run now, it has stopped there. 0, or -1.
 */
bool units_polls_elsewhere(const struct units *u, uint32_t row);
int units_stop_polling(struct units *u, uint32_t row, uint64_t ticks);

/* The unit that a record says acts on its stream. */
int units_actor(struct units *u, uint32_t stream, uint64_t handle, uint64_t ticks, uint32_t *row);

/* ---- units_create.c: one record each; `more`: the unit_more record that follows it, or NULL ---- */

int units_on_create(struct units *u, uint32_t stream, const struct record *r, const struct record *more);
int units_on_revive(struct units *u, uint32_t stream, const struct record *r, const struct record *more);

#endif
