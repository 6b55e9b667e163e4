/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The account of a run: the time of all threads, from the process's start to its end, is divided without remainder into
 * what they did, and the time in which they did not work is blamed on causes. docs/analyses.md has the rules. Runs on one
 * thread.
 */
#ifndef OTTER_BUILDER_ANALYSIS_ACCOUNT_H
#define OTTER_BUILDER_ANALYSIS_ACCOUNT_H

#include "builder/analysis/causes.h"
#include "builder/analysis/net.h"
#include "builder/analysis/track.h"
#include "builder/support/lower_bound.h"

/* What threads spent their time on. */
enum spent {
	SPENT_WORK,      /* in tasks */
	SPENT_SERIAL,    /* while no region is open, or in no task of an open one */
	SPENT_WAITING,   /* in synchronisations, for work of others */
	SPENT_EXCLUSION, /* waiting for mutexes that other threads held */
	SPENT_RUNTIME,   /* in the runtime */
	SPENT_RECORDER,  /* writing records of the program's work and of the runtime: a calibrated cost for each */
	SPENT_PREEMPTED,
	SPENT_BLOCKED,
	SPENT_DATA, /* in target constructs */
	SPENT_UNKNOWN,
	SPENTS
};

/* For how long a node's thread was blocked: it slept, or waited for a file or another library. */
struct blocked_node {
	uint32_t node;
	uint64_t ticks;
};

struct account {
	struct account_thread {
		uint32_t stream; /* row of dump.streams */
		uint64_t ticks[SPENTS];
		/* At the end of the time: its state, and the construct that it executes, or waits at; 0 not known. */
		enum state last_state;
		uint32_t last_construct;
		/* Where it waits for a mutex: the stream whose thread holds that, and where it acquired it. UINT32_MAX, 0: none */
		uint32_t holder, holder_construct;
	} * threads;
	uint32_t n_threads; /* that executed something; by stream, ascending */
	uint64_t wall_ticks;
	uint64_t ticks[SPENTS];     /* their sum is n_threads * wall_ticks */
	uint64_t serial_wall_ticks; /* in which no region was open */
	/*
	 * no_waits: requests for mutexes that no other thread held, by the state in which the thread seemed to wait.
	 * mutex_parts: what the time of all requests was: a wait, time of the runtime, or without a processor.
	 */
	struct wait_places no_waits, mutex_parts;
	struct blocked_node *blocked; /* a node may be several times in it */
	size_t n_blocked, blocked_capacity;
};

/* What a node holds up while it runs. */
struct blocker {
	uint32_t cause;   /* row of `causes` */
	uint32_t place;   /* construct that it executes: of a task, or what an implicit task is in before its next barrier */
	uint32_t sync;    /* construct of the synchronisation that waits for its end, 0 none */
	uint32_t is_last; /* 1: another node can begin when it ends, because all else that that one waits for is over by then */
};

/* The blockers of all nodes. Most nodes hold up the same as many others do, so each different blocker is stored once. */
struct blockers {
	struct blocker *rows; /* row 0: for nodes about which nothing is known */
	size_t n, capacity;
	uint32_t *row_of;       /* by node */
	struct map row_numbers; /* while blockers are searched for: by map_put_row */
};

static inline const struct blocker *blockers_of(const struct blockers *blockers, uint32_t node)
{
	return &blockers->rows[blockers->row_of[node]];
}

/* To be freed. */
void blockers_find(struct blockers *blockers, struct causes *causes, struct net *net, const struct track *track);
void blockers_free(struct blockers *blockers);

/*
 * Fills in the account and the blame of `causes`. `waits`: what is waited for, as causes of LIMIT_WAIT (`construct`: the
 * synchronisation, `other`: the task) and of LIMIT_EXCLUSION (`construct`: where the mutex is requested, `other`: where its holder
 * acquired it). 0, or -1 with the error printed; account_free() in any case.
 */
int account_make(struct account *account, struct causes *causes, struct causes *waits, const struct net *net,
		 const struct track *track, const struct blockers *blockers);
void account_free(struct account *account);

/* Numbers that the account will have, for callers that need them before it is made. */
uint32_t account_n_threads(const struct net *net, const struct track *track);
uint64_t account_wall_ticks(const struct net *net);

/* Does the thread wait at the end of the time, for others or for work? */
static inline bool account_waits_last(const struct account_thread *thread)
{
	return track_has_run(thread->last_state) || thread->last_state == STATE_IDLE;
}

/* The index of the stream's thread in account.threads; UINT32_MAX: it has none. */
static inline uint32_t account_find_thread(const struct account *account, uint32_t stream)
{
	uint32_t at = (uint32_t)lower_bound(i, 0, account->n_threads, account->threads[i].stream < stream);
	return at < account->n_threads && account->threads[at].stream == stream ? at : UINT32_MAX;
}

const char *spent_name(enum spent spent);

#endif
