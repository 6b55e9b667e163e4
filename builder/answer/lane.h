/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sweep over the time of a process, and its lanes, one a thread: what account.c and spend.c share; not to be used
 * elsewhere.
 */
#ifndef OTTER_BUILDER_ANSWER_LANE_H
#define OTTER_BUILDER_ANSWER_LANE_H

#include "builder/answer/account.h"
#include "builder/answer/backlog.h"
#include "builder/answer/awaited.h"

/* Why a node ends late: others that wait for it wait for that first. */
enum late_by { LATE_PREEMPTION, LATE_EXCLUSION, LATE_FORK, LATES };

struct lane {
	struct series_reader reader;
	bool is_open;
	bool has_units;   /* an execution stream of Argobots, which waits for something to run whenever it has no node */
	bool is_excluded; /* the node is no work: its unit looks again and again whether it can have a mutex */
	enum state state;
	uint64_t since_ticks;  /* of the state, or of the latest change of what it is told by */
	uint32_t node;         /* that began last, 0 none */
	bool ends_with_record; /* the stretch that is told does: it has that record's cost in it */
	bool is_node_over;     /* it had ended when the lane came into its state: the thread is in a synchronisation */
	uint64_t *spent;       /* account_thread.ticks of its thread */
	size_t next_started;   /* in track_stream.started */
	uint32_t next_fragment, end_fragment;
	size_t next_turn;                 /* in track_stream.turns */
	uint64_t backlog_ticks[BACKLOGS]; /* those of the sweep when the lane was told last */
	double shared[2], waited[2];      /* those of the sweep when its node was told last */
	struct late {
		double ticks; /* the node would have ended so much sooner */
		uint32_t cause;
	} late[LATES];
	size_t run;        /* of its waits: in track_stream.runs, ... */
	uint32_t n_of_run; /* ... and how many of that run are over */
	struct awaited_role role;
};

struct sweep_over_time {
	const struct net *net;
	const struct track *track;
	const struct blocker *blockers;
	struct account *account;
	struct causes *causes;
	struct awaited awaited;
	struct lane *lanes;
	size_t n_lanes;
	uint32_t n_waiting;
	uint32_t n_live[2]; /* by blocker.is_last of their nodes */
	double shared[2];   /* the same: sum over time of n_waiting, divided among these, ... */
	double waited[2];   /* ... and for how long n_waiting was not 0 */
	uint64_t now;
	uint32_t *regions; /* rows, in the order in which they began */
	uint32_t n_regions, next_region;
	uint64_t *joins; /* when regions end, in order */
	uint32_t next_join;
	uint32_t region;                  /* that began last, 0 none */
	uint32_t task_construct;          /* of the explicit task that began last, 0 none */
	struct backlog *backlog;          /* of units of Argobots; NULL: there are none */
	uint64_t backlog_ticks[BACKLOGS]; /* for how long there has been one of each sort */
};

static inline bool is_waiting(const struct lane *lane)
{
	if (lane->has_units && (lane->node == 0 || lane->is_excluded))
		return lane->node == 0;
	return track_is_sync(lane->state);
}

/* Is the thread in a node that others may wait for? */
static inline bool is_live(const struct lane *lane)
{
	enum state state = lane->state;
	return lane->node != 0 && !lane->is_excluded &&
	       (state_is_work(state) || track_is_mutex(state) || track_is_target(state) ||
		(state == STATE_PREEMPTED && !lane->is_node_over) || state == STATE_BLOCKED);
}

/* Units of Argobots need no region. */
static inline bool is_region_open(const struct sweep_over_time *s)
{
	return s->backlog != NULL || s->next_region > s->next_join;
}

/* spend.c */
/* The task that begins next on the lane; 0 in `task`: none does. */
const struct task *lane_next_task(const struct sweep_over_time *s, size_t i, uint32_t *task);
/* The node that begins next on the lane, and when; 0: none does. */
uint32_t lane_next_node(struct sweep_over_time *s, size_t i, uint64_t *ticks);
/* The row of a cause about one construct. */
uint32_t lane_cause(struct sweep_over_time *s, enum limit limit, enum cause_sort sort, uint32_t construct);
/* The construct of the synchronisation, of the mutex, or of the target construct, that the thread waits for now; 0 unknown. */
uint32_t lane_awaited(const struct sweep_over_time *s, size_t i);
/* The lane has come to its node, the first of its task. */
void lane_begin_task(struct sweep_over_time *s, struct lane *lane);
/* The lane was in its state, and in its node, until now. */
void lane_tell(struct sweep_over_time *s, size_t i);

#endif
