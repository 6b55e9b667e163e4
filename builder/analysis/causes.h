/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Causes: what is blamed for time in which threads did not work. A cause is a kind and one or two constructs; causes are
 * numbered in the order in which they are found. Runs on one thread.
 */
#ifndef OTTER_BUILDER_ANALYSIS_CAUSES_H
#define OTTER_BUILDER_ANALYSIS_CAUSES_H

#include "builder/support/map.h"
#include "builder/model/state.h"

#include <stdint.h>

/* What limits a run, in the terms of docs/analyses.md. */
enum limit {
	LIMIT_NONE,
	LIMIT_CREATION,   /* a thread makes tasks more slowly than the others run them */
	LIMIT_GRAIN,      /* tasks or regions that are too small for their overhead */
	LIMIT_CHAIN,      /* dependences */
	LIMIT_WAIT,       /* a wait that serialises the run, or holds up all threads for one task */
	LIMIT_IMBALANCE,  /* of a loop, a region, or of tasks before a barrier */
	LIMIT_EXCLUSION,  /* a lock, a critical section, a mutexinoutset */
	LIMIT_SERIAL,     /* outside of regions */
	LIMIT_RUNTIME,    /* ready tasks that no thread takes, threads that wake up late */
	LIMIT_PREEMPTION, /* other programs, or more threads than processors */
	LIMIT_DATA,       /* target constructs: transfers, and waiting for devices */
	LIMIT_BLOCKED,    /* sleeps, files, mutexes of other libraries: what the runtime does not know, in a region */
	LIMIT_BINDING,    /* threads share a processor while the process may use others */
	LIMIT_DOACROSS,   /* iterations of a loop wait for others at their sinks */
	LIMIT_HANG,       /* the process was killed, or still runs, and its threads have stopped to make records */
	LIMITS
};

/* The kinds of causes with the same limit. */
enum cause_sort {
	CAUSE_PLAIN,
	CAUSE_UNDEFERRED, /* wait: for a task that its creator has to execute at once */
	CAUSE_SCHEDULING, /* runtime: tasks of this construct were ready */
	CAUSE_RESUMING,   /* runtime: what follows a synchronisation was ready */
	CAUSE_FORK,       /* runtime: the region had begun, but not yet on this thread */
	CAUSE_ACQUIRING,  /* runtime: a thread requested a mutex that no other thread held */
	CAUSE_BLOCKED,    /* serial: most of the time the one thread was blocked, by a sleep, a file or another process */
	CAUSE_CROWDED,    /* preemption: there are more threads than processors */
	CAUSE_UNUSED,     /* serial: a region that has fewer threads than there are */
	CAUSE_SINGLE,     /* serial: a construct that one thread of a team executes, and the others wait */
	CAUSE_CHUNKS,     /* grain: the chunks in which a loop is handed out */
	CAUSE_REGIONS,    /* grain: regions that consist mostly of their beginning and end */
	CAUSE_ALONE,      /* serial: the run had one thread, and could have had more */
	CAUSE_HOT,        /* exclusion: a mutex that is held for so short a time that handing it over costs as much or more */
	CAUSE_PROCESS,    /* binding: the process's own mask leaves processors of the machine out */
	CAUSE_DEADLOCK,   /* hang: threads wait for each other in a circle */
	CAUSE_SORTS
};

struct cause {
	enum limit limit; /* these four are the key (map_put_row) */
	enum cause_sort sort;
	uint32_t construct;   /* row of model.constructs */
	uint32_t other;       /* chain: of the task that depends; 0 none */
	double ticks;         /* time in which threads did not work */
	double crowded_ticks; /* the part of ticks in which they would have had no processor */
	double blocked_ticks; /* serial: time in which the one thread was blocked */
};

enum { CAUSES_LATEST = 8 };

struct causes {
	struct cause *rows; /* row 0: none */
	uint32_t n;
	size_t capacity;
	struct map row_of; /* by map_put_row */
	/* The rows of the latest look-ups, by a hash of their constructs: most look-ups repeat one of these. */
	uint32_t latest[LIMITS][CAUSE_SORTS][CAUSES_LATEST];
};

void causes_begin(struct causes *causes);
void causes_free(struct causes *causes);

/* The row of a cause, which is added if it is new; the latest row may be another one. */
uint32_t causes_search(struct causes *causes, enum limit limit, enum cause_sort sort, uint32_t construct, uint32_t other);

static inline uint32_t causes_row(struct causes *causes, enum limit limit, enum cause_sort sort, uint32_t construct, uint32_t other)
{
	uint32_t *latest = &causes->latest[limit][sort][(construct ^ other) % CAUSES_LATEST];
	const struct cause *row = &causes->rows[*latest];
	if (*latest == 0 || row->construct != construct || row->other != other)
		*latest = causes_search(causes, limit, sort, construct, other);
	return *latest;
}

static inline void causes_blame(struct causes *causes, uint32_t row, double ticks)
{
	causes->rows[row].ticks += ticks;
}

/* `crowded`: the share of the time in which there was no processor. */
static inline void causes_blame_crowded(struct causes *causes, uint32_t row, double ticks, double crowded)
{
	causes->rows[row].ticks += ticks;
	causes->rows[row].crowded_ticks += ticks * crowded;
}

const char *limit_name(enum limit limit);
/* NULL for CAUSE_PLAIN. */
const char *cause_sort_name(enum cause_sort sort);

/* ---- Places ---- */

/*
 * Where threads waited: how long, and how often, in which state at which construct. Filled in by track.c for each stream,
 * on its thread, and by the account (mutex_turns.c); the other files of this folder, the report and the summary read it.
 */

/* How long, and how often, threads were in a state at a construct: a wait, a mutex, or the runtime at work. */
struct wait_place {
	uint32_t construct;
	enum state state;
	uint64_t ticks, count, longest_ticks;
};

struct wait_places {
	struct wait_place *rows;
	size_t n, capacity;
	struct map row_of; /* construct * STATES + state -> row + 1 */
	size_t latest;     /* the row of the latest look-up */
};

/* The row, which is added if it is new; valid until the next call. */
struct wait_place *places_row(struct wait_places *places, uint32_t construct, enum state state);

/* The row, or NULL. */
const struct wait_place *places_find(const struct wait_places *places, uint32_t construct, enum state state);

/* Adds to the row what `more` has: how often and how long threads were in the state, and the longest time of one. */
void places_add(struct wait_places *places, uint32_t construct, enum state state, const struct wait_place *more);

void places_free(struct wait_places *places);

#endif
