/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of each mutex by the place where it was acquired: how often, how long it was held, how long threads
 * waited for it. build.c hands over the replay's events; mutexes.csv and the summary are made of the rows.
 */
#ifndef OTTER_BUILDER_GRAPH_MUTEXES_H
#define OTTER_BUILDER_GRAPH_MUTEXES_H

#include "builder/model/busy.h"
#include "builder/replay/replay.h"
#include "builder/support/lockset.h"
#include "builder/support/map.h"

/* One mutex, acquired at one place. A lock that is acquired in two lines has two rows. */
struct mutex_row {
	uint32_t construct; /* where it is acquired */
	unsigned kind;      /* mutex_kind, as the acquisition was reported */
	uint64_t wait_id;   /* the runtime's handle of it */
	uint64_t n_acquired;
	uint64_t n_failed;   /* tests that did not acquire it, and acquisitions whose end is not recorded */
	uint64_t held_ticks; /* from acquired to released, the outermost of nested ones, where both are recorded */
	uint64_t wait_ticks; /* from acquire to acquired */
	uint64_t own_ticks;  /* the part of held_ticks that the holding task executed, if it is known; else all */
};

/* Rows in the order of their first acquisition: of a stream, or of all streams in their order. */
struct mutex_table {
	struct mutex_row *rows;
	uint32_t n_rows;
	size_t rows_capacity;
	struct map handles; /* wait id -> number from 1 */
	struct map places;  /* (construct, handle's number, kind) -> row + 1 */
	uint32_t latest;    /* the row of the latest look-up */
};

struct mutexes {
	struct mutex_row *rows; /* after the replay: in the order of streams */
	uint32_t n_rows;
	const struct window *window; /* only this part of the time counts */
	struct mutex_stream {
		struct mutex_table table;
		struct mutex_hold {
			uint32_t row, task;
			uint64_t since_ticks;
			uint64_t busy_ticks; /* the task's busy time until then */
		} * holds;                   /* the mutexes that the thread holds */
		size_t n_holds, holds_capacity;
		struct lockset held; /* wait id -> place in `holds` + 1 */
		struct mutex_hold
			*stale; /* holds of a mutex that it acquired again: perhaps another thread released it in between */
		size_t n_stale, stale_capacity;
		struct mutex_release {
			uint64_t wait_id, ticks;
		} * foreign; /* releases of mutexes that the thread did not hold: perhaps of a task that moved */
		size_t n_foreign, foreign_capacity;
		bool is_acquiring;
		struct mutex_hold acquiring;
		char apart[64]; /* padding: another thread may write the next stream, so they share no cache line */
	} * streams;            /* by row of dump.streams */
	size_t n_streams;
};

/* `busy`: how long tasks execute, NULL: not known. MUTEXES_NONE: the event neither acquired a mutex nor released one. */
#define MUTEXES_NONE UINT32_MAX

/* The window must live until the mutexes are finished. */
void mutexes_begin(struct mutexes *mutexes, size_t n_streams, const struct window *window);

/*
 * Takes an event of the replay, which may run several streams at the same time. If the event acquired a mutex (not within
 * itself) or released it for good, returns the construct where it was acquired; else MUTEXES_NONE. Also returns
 * MUTEXES_NONE if the thread releases what another one acquired, as a task that moved may: what other threads hold is known
 * only after the replay. So such a lock has a scope_begin at the scope level, but no scope_end.
 */
uint32_t mutexes_event(struct mutexes *mutexes, const struct busy *busy, const struct point *at, const struct mutex *mutex);

/* The records of this stream have a gap: from here on it is not known what its thread holds. */
void mutexes_forget(struct mutexes *mutexes, uint32_t stream);

/* After the last event: the rows of all streams. */
void mutexes_finish(struct mutexes *mutexes);
void mutexes_free(struct mutexes *mutexes);

/* The kind of a row in words: "critical", "lock", "test_lock", ... */
const char *mutex_kind_word(unsigned kind);

#endif
