/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of Argobots' work units while their records are read. Private to the files of this state machine:
 *   unit.c          rows, which unit a handle means, which unit runs
 *   unit_records.c  what each kind of record does
 *   unit_life.c     the same for creations and revivals, and for the library's beginning and end
 * Functions with the type int return 0, or -1 after an error message (that of units_emit()).
 */
#ifndef OTTER_BUILDER_ARGOBOTS_UNIT_STATE_H
#define OTTER_BUILDER_ARGOBOTS_UNIT_STATE_H

#include "builder/model/tables.h"
#include "builder/argobots/unit.h"

enum now_state { NOW_READY, NOW_RUNNING, NOW_SUSPENDED, NOW_ENDED };

/* The state of one run. */
struct unit_now {
	uint32_t stream;                  /* NOW_RUNNING: row of the stream that it runs on */
	uint32_t joiner;                  /* row of the unit that joined it first, 0 none */
	uint32_t life;                    /* the life of the library that it belongs to: in the next life it is gone */
	uint8_t state, is_freed, has_run; /* state: enum now_state */
	uint8_t has_polled;               /* its latest stop was a yield that polls, for `wait` */
	uint8_t is_looking;               /* it runs again after such a stop, and has done nothing since */
	struct unit_wait wait;            /* what it waited for at its latest stop */
	uint64_t since_ticks;             /* time of its latest stop; 0 none, or it was resumed since */
	uint64_t acted_ticks;             /* time when it last ran, or did something to another one */
};

/* The state of one stream. */
struct units_stream {
	uint64_t tid; /* OS thread that has the stream */
	uint64_t last_ticks;
	uint32_t *stack; /* rows by depth: each unit runs above the one before, a main scheduler has depth 0; 0 unknown */
	size_t n, capacity;
	uint32_t external; /* row of the thread itself, if it is no execution stream and has done something; 0 none */
	uint32_t own;      /* row of the primary unit or external thread that the thread was last; 0 none */
	uint32_t stopped;  /* row of the unit that stopped, if the last run or stop on this stream was a stop; else 0 */
	bool is_xstream;   /* the thread is an execution stream's */
	bool is_known;     /* no record is missing since the thread took the stream */
};

/* ---- unit.c ---- */

static inline const struct work_unit *units_row(const struct units *u, uint32_t row)
{
	return &u->model->units[row];
}

/* The row to write to. In the first pass only. */
static inline struct work_unit *units_row_to_fill(struct units *u, uint32_t row)
{
	return &u->filling->units[row];
}

/* Sets the kind of a unit, and the construct of that kind without a function. In the first pass only. */
void units_set_kind(struct units *u, uint32_t row, enum unit_kind kind);

/*
 * The next row: a new one in the first pass, the same one again in the second. If there is no such row in the second
 * pass, this is row 0, has_changed is set, and units_emit() fails from now on.
 */
uint32_t units_new_row(struct units *u, uint64_t handle, enum unit_kind kind);

/* A new row for a handle, which means this unit from now on. */
uint32_t units_new_unit(struct units *u, uint64_t handle, enum unit_kind kind);

/*
 * The current record contradicts others about the unit `row`. Counts a repair of that name, and warns of the first of
 * each name; `expected` ends the message. While is_blind, this is the quirk unit_not_whole instead. The first pass
 * alone counts.
 */
void unit_repair(struct units *u, uint32_t stream, uint32_t row, const char *name, const char *expected);

/* Counts a quirk, in the first pass. */
void unit_quirk(struct units *u, const char *name);

/* Was the unit freed, or does it belong to an earlier life of the library? */
bool units_is_gone(const struct units *u, uint32_t row);

/*
 * The row of the unit that the record is about. If it was not created, it is made up, and this is a repair unless it is
 * a main scheduler.
 */
uint32_t units_subject(struct units *u, uint32_t stream, uint64_t handle, bool is_scheduler);

/* The row of the unit that a record names as the one that acts; 0: it names none. */
uint32_t units_named(struct units *u, uint32_t stream, uint64_t handle);

/* The row of the innermost unit on a stream's stack that is known, else of its external thread; 0 none. */
uint32_t units_top(const struct units_stream *s);

/* Passes an event on to the caller of units_begin(). -1, after an error message, also if has_changed is set. */
int units_emit(struct units *u, uint32_t stream, struct unit_event event, uint64_t ticks);

/* The same for a switch. */
int units_emit_switch(struct units *u, uint32_t stream, struct unit_switch change, uint64_t ticks);

/* Takes the innermost unit off the stream's stack, and emits that switch: `change` has the reason and the wait. */
int units_leave(struct units *u, uint32_t stream, struct unit_switch change, uint64_t ticks);

/*
 * Takes all units at this depth and above off the stream's stack, because the records of their stops are missing.
 * `repair` is the repair's name, NULL if the missing records are known already.
 */
int unit_cut(struct units *u, uint32_t stream, size_t depth, uint64_t ticks, const char *repair);

/* If the stream's thread is an external one that has done something, ends its unit. */
int units_end_external(struct units *u, uint32_t stream, uint64_t ticks);

/*
 * The unit joins another one, or polls for `wait` once more. Did it only check, since it ran last, whether it still has
 * to wait for that?
 */
bool units_was_look(const struct units *u, uint32_t row, struct unit_wait wait);

/*
 * Notes that the unit stands for the stream's thread itself (a primary unit, an external thread), and which other unit did so
 * before.
 */
void units_note_own(struct units *u, uint32_t stream, uint32_t row);

/* Puts a unit on the stream's stack, at this depth, and emits that switch. */
int units_put(struct units *u, uint32_t stream, uint32_t row, size_t depth, uint64_t ticks, enum unit_reason reason);

/*
 * The recorder counts polls in one record as long as nothing else runs on their stream in between. If execution streams
 * share a pool, the unit itself may have run on another stream meanwhile (quirk polled_in_turns).
 * units_polls_elsewhere(): does the unit run on a stream whose next record counts its polls? Then it may have stopped
 * there. units_stop_polling(): if so, it has stopped there now, because it has to run on another stream.
 */
bool units_polls_elsewhere(const struct units *u, uint32_t row);
int units_stop_polling(struct units *u, uint32_t row, uint64_t ticks);

/*
 * Sets *row to the unit that acts: the one with this handle; if the record names none, the unit that runs on the
 * stream, or the external thread itself; 0 unknown.
 */
int units_actor(struct units *u, uint32_t stream, uint64_t handle, uint64_t ticks, uint32_t *row);

/* ---- unit_life.c: one kind of record each; `more` is the unit_more record that follows it, or NULL ---- */

int units_on_create(struct units *u, uint32_t stream, const struct record *r, const struct record *more);
int units_on_revive(struct units *u, uint32_t stream, const struct record *r, const struct record *more);
int units_on_spawn(struct units *u, uint32_t stream, const struct record *r); /* the thread is known as an execution stream */

int units_on_begin(struct units *u, uint32_t stream, const struct record *r);
int units_on_end(struct units *u, uint32_t stream, const struct record *r);

#endif
