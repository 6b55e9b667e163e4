/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Causes: what is blamed for time in which threads did not work. A cause is a kind and one or two constructs; causes are
 * numbered as they come up. Used by the other files of this folder, on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_CAUSES_H
#define OTTER_BUILDER_ANSWER_CAUSES_H

#include "builder/support/map.h"

#include <stdint.h>

/* What limits a run, by the words of docs/analyses.md. */
enum limit {
	LIMIT_NONE,
	LIMIT_CREATION,   /* a thread makes tasks more slowly than the others run them */
	LIMIT_GRAIN,      /* tasks, or regions, too small for what one costs */
	LIMIT_CHAIN,      /* dependences */
	LIMIT_WAIT,       /* a wait that serialises, or holds everything up for one task */
	LIMIT_IMBALANCE,  /* of a loop, a region, or of tasks before a barrier */
	LIMIT_EXCLUSION,  /* a lock, a critical section, a mutexinoutset */
	LIMIT_SERIAL,     /* outside of regions */
	LIMIT_RUNTIME,    /* ready tasks that nobody takes, threads that wake up late */
	LIMIT_PREEMPTION, /* other programs, or more threads than processors */
	LIMIT_DATA,       /* target constructs: transfers, and waiting for devices */
	LIMITS
};

/* Of LIMIT_WAIT and LIMIT_RUNTIME: which of them. */
enum cause_sort {
	CAUSE_PLAIN,
	CAUSE_UNDEFERRED, /* wait: for a task that its creator has to execute at once */
	CAUSE_SCHEDULING, /* runtime: tasks of this construct were ready */
	CAUSE_RESUMING,   /* runtime: what follows a synchronisation was ready */
	CAUSE_FORK,       /* runtime: the region had begun, and not yet on this thread */
	CAUSE_ACQUIRING,  /* runtime: a mutex was asked for that nobody else had */
	CAUSE_BLOCKED,    /* serial: most of the time the one thread was blocked, by a sleep, a file or another process */
	CAUSE_CROWDED,    /* preemption: there are more threads than processors */
	CAUSE_UNUSED,     /* serial: a region that has fewer threads than there are */
	CAUSE_SINGLE,     /* serial: a construct that one thread of a team executes, and the others wait */
	CAUSE_CHUNKS,     /* grain: the chunks in which a loop is handed out */
	CAUSE_REGIONS,    /* grain: regions, of which most is their beginning and end */
	CAUSE_SORTS
};

struct cause {
	enum limit limit;
	enum cause_sort sort;
	uint32_t construct;   /* row of model.constructs */
	uint32_t other;       /* chain: of the task that depends; 0 none */
	double ticks;         /* of threads that did not work */
	double crowded_ticks; /* of these, in which they would have had no processor */
	double blocked_ticks; /* serial: in which the one thread was blocked */
};

enum { CAUSES_LATEST = 8 };

struct causes {
	struct cause *rows; /* row 0: none */
	uint32_t n;
	size_t capacity;
	struct map buckets; /* hash of limit, sort and constructs -> row; more by probing */
	/* Rows that were asked for last, by CAUSES_LATEST of their constructs: most often one of these is asked for again. */
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

/* `crowded`: which share of the time there was no processor. */
static inline void causes_blame_crowded(struct causes *causes, uint32_t row, double ticks, double crowded)
{
	causes->rows[row].ticks += ticks;
	causes->rows[row].crowded_ticks += ticks * crowded;
}

const char *limit_name(enum limit limit);
/* NULL of CAUSE_PLAIN. */
const char *cause_sort_name(enum cause_sort sort);

#endif
