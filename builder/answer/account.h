/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The account of a run: the time of all threads, from the first record to the last one, is divided without remainder into
 * what they did, and the time in which they did not work is blamed on causes. docs/analyses.md has the rules. Called by
 * answer.c, on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_ACCOUNT_H
#define OTTER_BUILDER_ANSWER_ACCOUNT_H

#include "builder/answer/causes.h"
#include "builder/answer/net.h"
#include "builder/answer/track.h"

/* What the time of threads was spent for. */
enum spent {
	SPENT_WORK,      /* in tasks */
	SPENT_SERIAL,    /* without a region, or in none that was there */
	SPENT_WAITING,   /* in synchronisations, for work of others */
	SPENT_EXCLUSION, /* for mutexes that others had */
	SPENT_RUNTIME,   /* in the runtime */
	SPENT_RECORDER,  /* for records of what they worked, and of what the runtime did: a calibrated cost of each */
	SPENT_PREEMPTED,
	SPENT_BLOCKED,
	SPENT_DATA, /* in target constructs */
	SPENT_UNKNOWN,
	SPENTS
};

struct account {
	struct account_thread {
		uint32_t stream; /* row of dump.streams */
		uint64_t ticks[SPENTS];
	} * threads;
	uint32_t n_threads; /* that executed something */
	uint64_t wall_ticks;
	uint64_t ticks[SPENTS];     /* their sum is n_threads * wall_ticks */
	uint64_t serial_wall_ticks; /* in which no region was open */
	/*
	 * Of the times in which threads asked for mutexes, those in which nobody else had them, by the state that they seemed to wait
	 * in; and what all of these times were: waits, of the runtime, or without a processor.
	 */
	struct wait_places no_waits, mutex_parts;
};

/* What a node holds up while it runs. */
struct blocker {
	uint32_t cause; /* row of `causes` */
	uint32_t place; /* construct that it executes: of a task, or what an implicit task is in before its next barrier */
	uint32_t sync;  /* construct of the synchronisation at which its end is waited for, 0 none */
	bool is_last;   /* something can go on when it ends, because all else that it waits for is over by then */
};

/* Of all nodes. Most hold up the same as many others do, so that each different blocker is there once. */
struct blockers {
	struct blocker *rows; /* row 0: of nodes of which nothing is known */
	size_t n, capacity;
	uint32_t *row_of;   /* by node */
	struct map buckets; /* while they are found: hash of a row -> row + 1; more by probing */
};

static inline const struct blocker *blockers_of(const struct blockers *blockers, uint32_t node)
{
	return &blockers->rows[blockers->row_of[node]];
}

/* To be freed. */
void blockers_find(struct blockers *blockers, struct causes *causes, struct net *net, const struct track *track);
void blockers_free(struct blockers *blockers);

/*
 * Fills in the account and the blame of `causes`. `waits`: who is waited for, as causes of LIMIT_WAIT with the synchronisation's
 * construct and, as the other one, that of the task; and of LIMIT_EXCLUSION with the constructs where the mutex is asked for,
 * and where the one that has it acquired it. 0, or -1 with the error printed; account_free() in any case.
 */
int account_make(struct account *account, struct causes *causes, struct causes *waits, const struct net *net,
		 const struct track *track, const struct blockers *blockers);
void account_free(struct account *account);

/* What the account will have, for those who want it before it is made. */
uint32_t account_n_threads(const struct net *net, const struct track *track);
uint64_t account_wall_ticks(const struct net *net);

const char *spent_name(enum spent spent);

#endif
