/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of each mutex by the place where it was acquired: how often, how long it was held, how long threads
 * waited for it. build.c hands over the replay's events; mutexes_csv.c and the summary read the rows. One thread.
 */
#ifndef OTTER_BUILDER_GRAPH_MUTEXES_H
#define OTTER_BUILDER_GRAPH_MUTEXES_H

#include "builder/replay/replay.h"
#include "builder/support/map.h"

/* One mutex, acquired at one place. A lock that is acquired in two lines has two rows. */
struct mutex_row {
	uint32_t construct; /* where it is acquired */
	unsigned kind;      /* mutex_kind, as the acquisition was reported */
	uint64_t wait_id;   /* the runtime's handle of it */
	uint64_t n_acquired;
	uint64_t n_failed;   /* tests that did not acquire it, and acquisitions that the records do not show the end of */
	uint64_t held_ticks; /* from acquired to released, the outermost of nested ones, where both are recorded */
	uint64_t wait_ticks; /* from acquire to acquired */
};

struct mutexes {
	struct mutex_row *rows; /* in the order of their first acquisition in the replay */
	uint32_t n_rows;
	size_t rows_capacity;
	struct map handles; /* wait id -> number from 1 */
	struct map places;  /* (construct, handle's number, kind) -> row + 1 */
	struct mutex_thread {
		struct mutex_hold {
			uint32_t row;
			uint64_t since_ticks;
		} * holds; /* what its thread holds, in the order of acquisition */
		size_t n_holds, holds_capacity;
		bool is_acquiring;
		struct mutex_hold acquiring;
	} * threads; /* by row of dump.streams */
	size_t n_threads;
};

/* MUTEXES_NONE: the event neither acquired a mutex nor released one. */
#define MUTEXES_NONE UINT32_MAX

/*
 * Takes an event of the replay. The row of the mutex that it acquired (not within itself) or released for good, or
 * MUTEXES_NONE.
 */
uint32_t mutexes_event(struct mutexes *mutexes, const struct model *model, const struct point *at, const struct mutex *mutex);

/* The records of this stream have a gap: what its thread held is not known any more. */
void mutexes_forget(struct mutexes *mutexes, uint32_t stream);

/* After the last event. */
void mutexes_finish(struct mutexes *mutexes);
void mutexes_free(struct mutexes *mutexes);

/* The kind of a row in words: "critical", "lock", "test_lock", ... */
const char *mutex_kind_word(unsigned kind);

#endif
