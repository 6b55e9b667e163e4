/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of each mutex by the place where it was acquired: how often, how long it was held, how long threads
 * waited for it. build.c hands over the replay's events; mutexes_csv.c and the summary read the rows.
 */
#ifndef OTTER_BUILDER_GRAPH_MUTEXES_H
#define OTTER_BUILDER_GRAPH_MUTEXES_H

#include "builder/model/busy.h"
#include "builder/replay/replay.h"
#include "builder/support/held.h"
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
	uint64_t own_ticks;  /* of held_ticks: what the task that held it executed, where that is known, else all */
};

/* Rows in the order of their first acquisition: of a stream, or of all streams in their order. */
struct mutex_table {
	struct mutex_row *rows;
	uint32_t n_rows;
	size_t rows_capacity;
	struct map handles; /* wait id -> number from 1 */
	struct map places;  /* (construct, handle's number, kind) -> row + 1 */
	uint32_t latest;    /* row that was looked for last */
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
			uint64_t busy_ticks; /* of the task, until then */
		} * holds;                   /* what its thread holds */
		size_t n_holds, holds_capacity;
		struct held held; /* wait id -> place in `holds` + 1 */
		struct mutex_hold
			*stale; /* what it held when it acquired the same mutex again: another thread released it, perhaps */
		size_t n_stale, stale_capacity;
		struct mutex_release {
			uint64_t wait_id, ticks;
		} * foreign; /* releases of what the thread did not hold: of a task that moved, perhaps */
		size_t n_foreign, foreign_capacity;
		bool is_acquiring;
		struct mutex_hold acquiring;
		char apart[64]; /* from the next stream, which another thread may write: no cache line has both */
	} * streams;            /* by row of dump.streams */
	size_t n_streams;
};

/* `busy`: how long tasks execute, NULL: not known. MUTEXES_NONE: the event neither acquired a mutex nor released one. */
#define MUTEXES_NONE UINT32_MAX

/* The window must live as long as the mutexes do not finish. */
void mutexes_begin(struct mutexes *mutexes, size_t n_streams, const struct window *window);

/*
 * Takes an event of the replay, which may run several streams at the same time. The result is the construct where the
 * mutex was acquired which the event acquired (not within itself) or released for good, or MUTEXES_NONE. It is
 * MUTEXES_NONE, too, where the thread releases what another one acquired, as a task that moved may: what other threads
 * hold is known only after the replay. So such a lock has a scope_begin at the scope level, and no scope_end.
 */
uint32_t mutexes_event(struct mutexes *mutexes, const struct busy *busy, const struct point *at, const struct mutex *mutex);

/* The records of this stream have a gap: what its thread held is not known any more. */
void mutexes_forget(struct mutexes *mutexes, uint32_t stream);

/* After the last event: the rows of all streams. */
void mutexes_finish(struct mutexes *mutexes);
void mutexes_free(struct mutexes *mutexes);

/* The kind of a row in words: "critical", "lock", "test_lock", ... */
const char *mutex_kind_word(unsigned kind);

#endif
