/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots' work units. The library names a unit by an address, which is another unit's as soon as the first one is freed: who is meant follows from
 * the order of all streams' records in time alone. units_record() knows it: given every record in that order (merge.h) it says what happened, to which
 * rows of model.units. It is asked twice: gather_unit.c fills the table from what it says, replay_unit.c tells the visitors; as the order is the same,
 * so are the rows.
 *
 * A row is one run of a unit: from its creation or revival to its end. A revived unit has a row for each run, linked by `before`. Further rows are of
 * whoever acts without having been created: the primary unit, its scheduler, external threads.
 */
#ifndef OTTER_BUILDER_STORY_UNIT_H
#define OTTER_BUILDER_STORY_UNIT_H

#include "builder/dump/reader.h"
#include "builder/model/units.h"
#include "builder/support/map.h"

struct model;

enum unit_reason {
	UNIT_BEGIN, /* next is current without having been run: the primary unit, its scheduler, an external thread, one whose run is missing */
	UNIT_RUN,     /* next runs, above prior, which goes on when next stops */
	UNIT_YIELD,   /* prior stops ... */
	UNIT_SUSPEND, /* ... until it is resumed */
	UNIT_FINISH,  /* ... for good */
	UNIT_CANCEL,  /* likewise; of a unit that does not run (prior is not the current one) nothing is switched */
	UNIT_END, /* prior is current no more, without a record of its own: the library is finalised, or an external thread has ended */
	UNIT_STOP_MISSING /* prior has stopped, and the record of it is missing */
};

struct unit_switch {
	uint32_t prior, next; /* rows; 0: unknown, or nobody. Behind a stop next is the scheduler below. */
	enum unit_reason reason;
	unsigned depth;        /* of the unit that runs or stops */
	struct unit_wait wait; /* UNIT_YIELD, UNIT_SUSPEND */
	uint64_t pool;         /* UNIT_YIELD: where it goes; 0 unknown */
};

/* What a record says of units, once its handles are rows. */
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
	uint32_t unit;
	uint32_t other; /* creator, waker, joiner, who frees: row, 0 unknown */
	struct unit_switch change;
	struct unit_wait wait; /* POLL, RESUME */
	uint64_t count;        /* POLL: how often; XSTREAM: the rank */
	uint64_t handle;       /* XSTREAM */
	uint64_t pool;         /* RESUME: where it is pushed to; 0 unknown */
	bool is_first;         /* JOIN: of this joiner */
};

/* What is told, and to whom. 0, or -1 to stop (having said why). */
typedef int units_function(void *self, const struct unit_event *event);

/* The record that comes next on a stream, NULL: none. */
typedef const struct record *units_next(void *self, uint32_t stream);

/* What is known of the units while their records go by. */
struct units {
	struct model *model;
	bool is_filling; /* rows are made, doubts are counted; else both were */
	units_function *tell;
	units_next *next;
	void *self;
	uint32_t n_units;     /* rows so far, row 0 included */
	struct unit_now *now; /* by row */
	size_t now_capacity, units_capacity;
	struct map alive;   /* handle -> row: the latest unit there */
	struct map joiners; /* row and joiner, of the second and further ones */
	struct units_stream *streams;
	uint32_t life;
	uint64_t n_unfreed; /* units of this life that were created and are not freed */
	bool is_in_life;
	bool is_blind;               /* records may be missing in any stream: what does not fit is no contradiction */
	const struct record *record; /* at hand, for messages */
};

/* 0, or -1 with the error said; units_end in any case. */
int units_begin(struct units *units, struct model *model, units_function *tell, units_next *next, void *self, bool is_filling);
void units_end(struct units *units);

/*
 * One record of a stream; of all kinds, in the order of time. `more`: the unit_more record that follows it, or NULL. 0, or -1 where `tell` said so
 * or memory is out.
 */
int units_record(struct units *units, uint32_t stream, const struct record *record, const struct record *more);

/* Is it a record that units_record has to see? */
static inline bool units_is_of_interest(unsigned kind)
{
	return (kind >= EVENT_unit_begin && kind <= EVENT_unit_other) || kind == EVENT_thread_attach ||
	       kind == EVENT_thread_detach || kind == EVENT_recording_off;
}

/* units_order.c: must something have come before this record that has not? Of struct merge; self: the units. */
bool units_is_early(void *self, uint32_t stream, const struct record *record);

/* Records of the stream are missing before the next one: whatever ran there is not known to run any more. */
int units_gap(struct units *units, uint32_t stream, uint64_t ticks);

/* Behind the last record: what still runs is cut. */
int units_finish(struct units *units);

/* The unit that runs on a stream now; 0 none, or unknown. */
uint32_t units_current(const struct units *units, uint32_t stream);

#endif
