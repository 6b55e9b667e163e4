/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state machine of Argobots' work units: which unit each record means, and which unit runs on each stream. The library
 * names a unit by an address (its handle), which another unit may get when the first one has been freed. Only the
 * records of all streams in the order of time show which unit is meant. units_record() gets every record in that order
 * (merge.h), and reports what happened to which rows of model.units (units.h says what a row is).
 *
 * It runs twice: gather.c fills the table from its reports, and replay.c passes them on to the visitors. Both
 * passes get the records in the same order, so both find the same rows. One thread.
 */
#ifndef OTTER_BUILDER_ARGOBOTS_UNIT_H
#define OTTER_BUILDER_ARGOBOTS_UNIT_H

#include "builder/argobots/events.h"
#include "builder/dump/reader.h"
#include "builder/model/units.h"
#include "builder/support/map.h"

struct model;

/* What a record says about units. */
enum unit_event_kind {
	UNIT_EVENT_LIFE_BEGIN,
	UNIT_EVENT_LIFE_END,
	UNIT_EVENT_XSTREAM,
	UNIT_EVENT_CREATE,
	UNIT_EVENT_REVIVE,
	UNIT_EVENT_SWITCH,
	UNIT_EVENT_POLL,
	UNIT_EVENT_RESUME,
	UNIT_EVENT_JOIN,
	UNIT_EVENT_FREE
};

struct unit_event {
	enum unit_event_kind kind;
	uint32_t stream; /* row of dump.streams */
	uint64_t ticks;
	uint32_t unit;             /* row of the unit to which it happens */
	uint32_t other;            /* CREATE, REVIVE, RESUME, JOIN, FREE: row of the unit that does it, 0 unknown */
	struct unit_switch change; /* SWITCH */
	struct unit_wait wait;     /* POLL, RESUME: what the unit waits for */
	uint64_t count;            /* POLL: how often it stopped and ran again; XSTREAM: the rank; LIFE: the life's number */
	uint64_t handle;           /* XSTREAM */
	uint64_t pool;             /* RESUME: handle of the pool that the unit is pushed to; 0 unknown */
	bool is_first;             /* JOIN: it is this joiner's first join of this run */
	bool was_look;             /* POLL, JOIN: since the unit (JOIN: the joiner) ran last, it has only polled, or waited */
};

/* Receives the events. 0, or -1 after an error message, which stops the pass. */
typedef int units_function(void *self, const struct unit_event *event);

/* Returns the next record of a stream, and leaves it in the stream; NULL at the end of the stream. */
typedef const struct record *units_next(void *self, uint32_t stream);

/* The state of all units at the current record. */
struct units {
	const struct model *model;
	struct model *filling; /* the same in the first pass, which adds rows and counts quirks and repairs; NULL in the second */
	units_function *emit;
	units_next *next;
	void *self;           /* for emit and next */
	uint32_t n_units;     /* rows so far, row 0 included */
	struct unit_now *now; /* by row of model.units */
	size_t now_capacity, units_capacity;
	struct map alive;             /* handle -> row of the latest unit with this handle */
	struct map joiners;           /* row << 32 | joiner -> 1, for the second and further joiners of a run */
	struct units_stream *streams; /* by row of dump.streams */
	uint32_t life;                /* number of the library's current life (ABT_init to ABT_finalize), or of the last one */
	uint64_t n_unfreed;           /* units of this life that were created and are not freed */
	uint32_t first_of_life;       /* row: those from here on were added in this life */
	bool is_in_life;
	bool has_changed; /* the second pass met more units than the first one: the dump's files changed meanwhile */
	bool is_blind;    /* records may be missing in any stream: records that do not fit count as a quirk, not as a repair */
	const struct record *record; /* the current one, for messages; NULL at the end */
};

/*
 * Begins a pass; `filling` is the model itself in the first one, and NULL in the second one. Events go to `function`,
 * whose `self` is also that of `next`. units_end() ends it.
 */
void units_begin(struct units *units, const struct model *model, struct model *filling, units_function *function, units_next *next,
		 void *self);
void units_end(struct units *units);

/*
 * Takes one record of a stream. The caller passes every record for which units_is_of_interest(), in the order of time.
 * `more` is the unit_more record that follows it, or NULL. 0, or -1 after an error message (of `emit`, or because the
 * dump's files changed between the passes).
 */
int units_record(struct units *units, uint32_t stream, const struct record *record, const struct record *more);

/* Is it a record that units_record has to see? */
static inline bool units_is_of_interest(unsigned kind)
{
	return (kind >= EVENT_unit_begin && kind <= EVENT_unit_spawn) || kind == EVENT_thread_attach ||
	       kind == EVENT_thread_detach || kind == EVENT_recording_off;
}

/*
 * Has something not happened yet that must happen before this record? This is is_early of struct merge, with the units
 * as self (unit_records.c, "Order").
 */
bool units_is_early(void *self, uint32_t stream, const struct record *record);

/*
 * Records of the stream are missing before its next one: what ran there may have stopped. 0, or -1 after an error
 * message.
 */
int units_gap(struct units *units, uint32_t stream, uint64_t ticks);

/* After the last record: cuts what still runs. 0, or -1 after an error message. */
int units_finish(struct units *units);

/* The row of the unit that runs on a stream now; 0 none, or unknown. */
uint32_t units_current(const struct units *units, uint32_t stream);

#endif
