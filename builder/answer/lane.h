/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sweep over the time of a process, and its lanes, one a thread: what account.c and spend.c share; not to be used
 * elsewhere.
 */
#ifndef OTTER_BUILDER_ANSWER_LANE_H
#define OTTER_BUILDER_ANSWER_LANE_H

#include "builder/answer/account.h"
#include "builder/answer/awaited.h"

/* Why a node ends late: others that wait for it wait for that first. */
enum late_by { LATE_PREEMPTION, LATE_EXCLUSION, LATE_FORK, LATES };

/* What a unit of Argobots wants that could go on; what counts first comes first. */
enum unit_wish { UNIT_WANTS_MUTEX, UNIT_WANTS_THREAD, UNIT_WISHES };

/* A bit for each state from the first one to the last one. */
#define STATE_BITS(first, last) ((2u << (last)) - (1u << (first)))
_Static_assert(STATE_NONE < 32, "each state has its bit");

/* What others have waited for nodes, as sums over time. */
struct waited_for {
	double shared;         /* the number of threads that wait, divided among the nodes */
	double crowded_shared; /* the same of those for which there would have been no processor */
	double ticks;          /* for how long some waited */
};

/* What a lane is counted as. */
enum {
	LANE_WAITS = 1,
	LANE_WANTS = 2, /* a processor */
	LANE_SEEKS = 4,
	LANE_LIVES = 8,
	LANE_LIVES_LAST = 16 /* the same; its node is one with whose end something can go on */
};

struct lane {
	const struct track_stream *stream; /* of the thread */
	struct series_reader reader;
	bool is_open;
	enum state state;
	uint64_t since_ticks;       /* of the state, or of the latest change of what it is told by */
	uint32_t node;              /* that began last, 0 none, ... */
	uint32_t blocker;           /* ... and its row of blockers */
	unsigned counted;           /* LANE_WAITS and so on: what it is since it came into its state, and to its node */
	bool ends_with_record;      /* the stretch that is told does: it has that record's cost in it */
	bool is_node_over;          /* preempted: it had ended before that, and the thread is in a synchronisation */
	uint64_t *spent;            /* account_thread.ticks of its thread */
	size_t next_started;        /* in track_stream.started */
	bool has_units;             /* the thread executes units of Argobots */
	size_t next_unit, end_unit; /* in net.unit_nodes */
	double taken[UNIT_WISHES];  /* sweep_over_time.taken when the lane was told last */
	uint32_t next_fragment, end_fragment;
	uint32_t next_task;                  /* the task that begins next, 0 none */
	uint64_t task_ticks, fragment_ticks; /* when these begin; UINT64_MAX: never */
	uint32_t next_node;                  /* the node that begins next, 0 none, ... */
	uint64_t next_ticks;                 /* ... and when; UINT64_MAX: never */
	struct waited_for told;              /* that of nodes as its own is, when it was told last */
	double crowded;                      /* that of the sweep at since_ticks */
	struct late {
		double ticks; /* the node would have ended so much sooner */
		uint32_t cause;
	} late[LATES];
	/* mutex_turns.c */
	struct mutex_reader mutexes;
	uint32_t asks;        /* for this mutex, and others may, too; 0 none */
	uint32_t next_asking; /* number of a lane from 1, 0 none */
	uint32_t asks_at;     /* construct at which it asks */
	uint64_t asks_since;
	bool is_mutex_free;                          /* nobody else has it; otherwise it waits, or nothing is known */
	bool is_off;                                 /* it has no processor while it asks */
	uint64_t taken_ticks, free_ticks, off_ticks; /* of the present state: in which another one has it; none; none, and is_off */
	size_t run;                                  /* of its waits: in track_stream.runs, ... */
	uint32_t n_of_run;                           /* ... and how many of that run are over */
	uint32_t role;                               /* awaited.h */
};

struct sweep_over_time {
	const struct net *net;
	const struct track *track;
	const struct blockers *blockers;
	struct account *account;
	struct causes *causes;
	struct awaited awaited;
	struct turns *turns; /* at mutexes */
	struct lane *lanes;
	size_t n_lanes;
	uint32_t n_waiting;
	uint32_t n_live[2];              /* by blocker.is_last of their nodes */
	struct waited_for waited_for[2]; /* the same */
	/*
	 * Where there are more threads than processors, those that have nothing to do could not all have run. A sum over time: of
	 * the share of them that could not.
	 */
	uint64_t n_processors; /* UINT64_MAX: no fewer than threads, or unknown */
	uint32_t n_wanting;    /* lanes that work, or would if they had a processor */
	double crowded;
	uint64_t now;
	struct phase {
		uint64_t begin_ticks;
		uint32_t construct;
	} * regions; /* and times in which there are units that have not ended; in the order in which they began */
	uint32_t n_regions, next_region;
	uint64_t *joins; /* when regions end, in order */
	uint32_t next_join;
	uint32_t region;           /* construct of the one that began last, 0 none */
	struct ready_units *ready; /* of Argobots; NULL: there are none */
	double taken[UNIT_WISHES]; /* sum over time of what share of the idle streams units could have had */
	uint32_t task_construct;   /* of the explicit task that began last, 0 none */
};

static inline const struct blocker *blocker_of(const struct sweep_over_time *s, const struct lane *lane)
{
	return &s->blockers->rows[lane->blocker];
}

static inline bool is_waiting(enum state state)
{
	return track_is_sync(state);
}

/* Is the thread in a node that others may wait for? */
static inline bool is_live(const struct lane *lane)
{
	const unsigned in_node = STATE_BITS(STATE_WORK_SERIAL, STATE_WORK_REDUCTION) |
				 STATE_BITS(STATE_WAIT_MUTEX, STATE_WAIT_TARGET_UPDATE) | 1u << STATE_BLOCKED;
	bool is_out = lane->state == STATE_PREEMPTED && !lane->is_node_over;
	return lane->node != 0 && ((in_node >> lane->state & 1) != 0 || is_out);
}

/* Does the thread have a processor, or want one, for something other than waiting? */
static inline bool is_wanting(const struct lane *lane)
{
	const unsigned wanting = STATE_BITS(STATE_WORK_SERIAL, STATE_WORK_REDUCTION) | 1u << STATE_OVERHEAD | 1u << STATE_PREEMPTED;
	return wanting >> lane->state & 1;
}

static inline bool is_region_open(const struct sweep_over_time *s)
{
	return s->next_region > s->next_join;
}

/* Does the thread look for units, or poll, while there are some? */
static inline bool is_seeking(const struct sweep_over_time *s, const struct lane *lane)
{
	return lane->has_units && (is_waiting(lane->state) || (lane->state == STATE_IDLE && is_region_open(s)));
}

/* phases.c: fills in `regions` and `joins`. */
void phases_find(struct sweep_over_time *s);

/* idle.c: units of Argobots that are ready, and that nobody has taken yet. */
void ready_units_begin(struct sweep_over_time *s);
void ready_units_free(struct sweep_over_time *s);
/* The lane looks for units from now on, or does not any more. */
void ready_units_seek(struct sweep_over_time *s, bool begins);
/* When the next unit will be ready. */
uint64_t ready_units_next(const struct sweep_over_time *s);
/* What is ready by now. */
void ready_units_step(struct sweep_over_time *s);
/* The node begins, or goes on. */
void ready_units_take(struct sweep_over_time *s, uint32_t node);
/* So much time passes: how many of the idle threads could have taken one meanwhile. */
double ready_units_pass(struct sweep_over_time *s, double length);

/* mutex_turns.c: which lane has a mutex, and which ones ask for it. */
/* When the lanes are open. 0, or -1 with the error printed; turns_free() in any case. */
int turns_begin(struct sweep_over_time *s);
void turns_free(struct sweep_over_time *s);
/* What happens to mutexes on the lane at the time of its next event about one. 0, or -1 with the error printed. */
int turns_step(struct sweep_over_time *s, struct lane *lane);
/* The lane has waited so long for a mutex: for who has it. */
void turns_blame(struct sweep_over_time *s, struct lane *lane, uint64_t length);
/* Has it only no processor, and nobody has the mutex that it asks for? */
static inline bool turns_is_off(const struct lane *lane)
{
	return track_is_mutex(lane->state) && lane->is_mutex_free && lane->is_off;
}
/* The lane asks for a mutex no more, or for a while. */
void turns_end_wait(struct sweep_over_time *s, struct lane *lane);

/* spend.c */
/* Find the task, and the fragment of one, that begin next on the lane, after it has come to another one; ... */
void lane_find_task(struct sweep_over_time *s, struct lane *lane);
void lane_find_fragment(struct sweep_over_time *s, struct lane *lane);
/* ... then which node is the next one of these, and of units. */
void lane_find_next(struct sweep_over_time *s, struct lane *lane);
/* The row of a cause about one construct. */
uint32_t lane_cause(struct sweep_over_time *s, enum limit limit, enum cause_sort sort, uint32_t construct);
/* The construct of the synchronisation, of the mutex, or of the target construct, that the thread waits for now; 0 unknown. */
uint32_t lane_awaited(const struct lane *lane);
/* The lane has come to its node, the first of its task. */
void lane_begin_task(struct sweep_over_time *s, struct lane *lane);
/* The lane was in its state, and in its node, until now. */
void lane_tell(struct sweep_over_time *s, struct lane *lane);
/* What was told of it since it asked for a mutex that seemed free, free_ticks and off_ticks, was exclusion. */
void lane_take_back(struct sweep_over_time *s, struct lane *lane);

#endif
