/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events of Argobots' work units that visitors of the replay see (docs/graph.md, "Units of Argobots"). The replay determines
 * which unit a handle means, which unit runs, and which unit acts if the record does not name it. Visitors get rows of
 * model.units, which are complete before the replay begins. On each stream they see:
 *
 *   - unit_switch reports each change of the current unit. Current units form a stack: a unit runs above its scheduler,
 *     and when it stops (by its own unit_switch) the scheduler is current again, without a record of it. The scheduler
 *     may be unknown (0).
 *   - a unit is current on one stream at a time; it stops there before it runs elsewhere. A unit that becomes current
 *     (UNIT_BEGIN, UNIT_RUN) stops (any other reason) exactly once, at the latest after the last record. But
 *     UNIT_CANCEL of a unit that does not run switches nothing.
 *   - the unit that creates, revives, joins, resumes or frees is the current one (at->unit), or, if that is unknown,
 *     the one that the record names. An external thread has a row of its own (UNIT_EXTERNAL), which is current from the
 *     first thing that it does to its end.
 *   - events of units come with the task that is current for OpenMP (at->task), and OpenMP's events with the unit
 *     (at->unit).
 *   - units of kind UNIT_ROOT are never named.
 */
#ifndef OTTER_BUILDER_ARGOBOTS_EVENTS_H
#define OTTER_BUILDER_ARGOBOTS_EVENTS_H

#include "builder/model/units.h"
#include "builder/replay/replay.h"

enum unit_reason {
	/*
	 * next is current, without a record of its run: the primary unit, its scheduler, an external thread, or the
	 * record is missing
	 */
	UNIT_BEGIN,
	UNIT_RUN,     /* next runs above prior; prior continues when next stops */
	UNIT_YIELD,   /* prior stops, and can continue at any time */
	UNIT_SUSPEND, /* prior stops until it is resumed */
	UNIT_FINISH,  /* prior ends */
	UNIT_CANCEL,  /* prior ends; if it was not running, the current unit stays the same */
	/*
	 * prior is not current any more, without a record of its end: the library is finalised, or an external thread
	 * has ended
	 */
	UNIT_END,
	UNIT_STOP_MISSING /* prior has stopped, and the record of this is missing */
};

struct unit_switch {
	uint32_t prior, next; /* rows; 0: unknown, or none. When prior stops, next is the scheduler below it. */
	enum unit_reason reason;
	unsigned depth;        /* of the unit that runs or stops; 0: directly on the thread */
	struct unit_wait wait; /* UNIT_YIELD, UNIT_SUSPEND: what prior waits for */
	uint64_t pool;         /* UNIT_YIELD: handle of the pool that prior is pushed to; 0 unknown */
	bool was_look;         /* UNIT_YIELD: since prior ran last, it has only found that it still has to wait */
};

/* What a visitor of the replay does at events of units. Any may be NULL. Each returns 0, or -1 after an error message. */
struct unit_ops {
	/* Argobots is initialised, or finalised. `life` counts from 1; units end in their life. */
	int (*unit_life)(void *self, const struct point *at, uint32_t life, bool is_begin);
	/*
	 * From here on the thread is this execution stream. Handles and ranks are used again. `rank` is UINT64_MAX if
	 * it is not known.
	 */
	int (*unit_xstream)(void *self, const struct point *at, uint64_t xstream, uint64_t rank);
	/*
	 * A run is created; or a unit that has ended is revived: then model.units[unit].before is the run before.
	 * creator: 0 unknown.
	 */
	int (*unit_create)(void *self, const struct point *at, uint32_t unit, uint32_t creator);
	int (*unit_revive)(void *self, const struct point *at, uint32_t unit, uint32_t creator);
	int (*unit_switch)(void *self, const struct point *at, const struct unit_switch *change);
	/*
	 * Since its latest run, the current unit has yielded and run again `count` times, with nothing else in between:
	 * it polls, or yields on its own (unit_sync_polls()). was_look: all that time it only found that it still has
	 * to wait.
	 */
	int (*unit_poll)(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count,
			 bool was_look);
	/* The suspended unit may continue. waker: 0 unknown. wait: what it waited for, as in its unit_switch. */
	int (*unit_resume)(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);
	/*
	 * The joiner knows that the run has ended. Comes again, with is_first false, if the unit is freed. was_look:
	 * since the joiner ran, or acted, last, it may have done nothing but wait for that.
	 */
	int (*unit_join)(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look);
	int (*unit_free)(void *self, const struct point *at, uint32_t unit, uint32_t by);
};

#endif
