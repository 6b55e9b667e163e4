/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sweep over the time of a process, with the state of each of its threads: shared by account.c, account_interval.c and
 * mutex_turns.c, and not used elsewhere.
 */
#ifndef OTTER_BUILDER_ANALYSIS_THREAD_SWEEP_H
#define OTTER_BUILDER_ANALYSIS_THREAD_SWEEP_H

#include "builder/analysis/account.h"
#include "builder/analysis/awaited.h"

/* Why a node ends late. What waits for the node is first blamed on this. */
enum late_by { LATE_PREEMPTION, LATE_BLOCKED, LATE_EXCLUSION, LATE_FORK, LATES };

/* What a ready unit of Argobots lacks, in the order of precedence. */
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

/* The counters of the sweep that a thread is part of. */
enum {
	THREAD_WAITS = 1,
	THREAD_WANTS = 2, /* a processor */
	THREAD_SEEKS = 4,
	THREAD_LIVES = 8,
	THREAD_LIVES_LAST = 16, /* the same, where the end of its node lets another node begin (blocker.is_last) */
	THREAD_IS_OFF = 32      /* it has no processor, and its node is over: it is late for what comes next */
};

/* A thread in the sweep. Its time since since_ticks is not accounted yet (account_interval()). */
struct thread_sweep {
	const struct track_stream *stream; /* of the thread */
	struct series_reader reader;       /* of its states */
	bool is_open;
	enum state state;
	uint64_t since_ticks;       /* of the state, or of the latest change of what the state is blamed on */
	uint32_t node;              /* the node that began last, 0 none */
	uint32_t blocker;           /* its row of blockers */
	unsigned counted;           /* THREAD_* bits since the state and the node began */
	bool ends_with_record;      /* the interval ends with a record, so it contains the cost of that record */
	bool is_node_over;          /* preempted after the node had ended: the thread is in a synchronisation */
	uint64_t *spent;            /* account_thread.ticks of its thread */
	size_t next_started;        /* index in track_stream.started */
	bool has_units;             /* the thread executes units of Argobots */
	size_t next_unit, end_unit; /* index in net.unit_nodes */
	double taken[UNIT_WISHES];  /* sweep_over_time.taken at since_ticks */
	uint32_t next_fragment, end_fragment;
	uint32_t next_task;                  /* the task that begins next, 0 none */
	uint64_t task_ticks, fragment_ticks; /* when these begin; UINT64_MAX: never */
	uint32_t next_node;                  /* the node that begins next, 0 none */
	uint64_t next_ticks;                 /* when it begins; UINT64_MAX: never */
	struct waited_for accounted;         /* sweep_over_time.waited_for of such nodes at since_ticks */
	double crowded;                      /* sweep_over_time.crowded at since_ticks */
	struct late {
		double ticks; /* by how much the node would have ended sooner */
		uint32_t cause;
	} late[LATES];
	/* mutex_turns.c */
	struct mutex_reader mutexes;
	uint32_t requested;       /* the mutex that the thread requests, 0 none */
	uint32_t next_requester;  /* of the same mutex: number of a thread from 1, 0 none */
	uint32_t requested_at;    /* construct of the request */
	uint64_t requested_since; /* time of the request */
	bool is_mutex_free;       /* no other thread holds the mutex. Else the thread waits for its holder, or none is known */
	bool is_off;              /* the thread has no processor during its request */
	uint64_t taken_ticks;     /* of the present state: how long another thread held the mutex */
	uint64_t free_ticks;      /* how long no other thread held it */
	uint64_t off_ticks;       /* how long no other thread held it, and this thread had no processor */
	size_t run;               /* index in track_stream.runs: the run of waits that the present wait is part of */
	uint32_t n_of_run;        /* how many waits of that run are over */
	uint32_t role;            /* awaited.h */
};

/* A mutex. Numbers of threads begin at 1; 0: none. */
struct mutex_turn {
	uint32_t holder;          /* the thread that holds it */
	uint32_t late;            /* the thread that held it before, and whose release is not recorded yet */
	uint32_t last;            /* the latest holder */
	uint32_t construct;       /* where the latest holder acquired it */
	uint32_t first_requester; /* first of the list by thread_sweep.next_requester */
};

struct mutex_turns {
	struct mutex_turn *rows; /* row 0: none */
	uint32_t **rows_of;      /* by thread and its own number of a mutex */
};

struct sweep_over_time {
	const struct net *net;
	const struct track *track;
	const struct blockers *blockers;
	struct account *account;
	struct causes *causes;
	struct awaited awaited;
	struct mutex_turns *turns;
	struct thread_sweep *threads;
	size_t n_threads;
	uint32_t n_waiting;
	uint32_t n_off;
	uint32_t n_live[2];              /* by blocker.is_last of their nodes */
	struct waited_for waited_for[2]; /* the same */
	/*
	 * Where there are more threads than processors, those that have nothing to do could not all have run. A sum over time: of
	 * the share of them that could not.
	 */
	uint64_t n_processors; /* UINT64_MAX: no fewer than threads, or unknown */
	uint32_t n_wanting;    /* threads that work, or would if they had a processor */
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
	struct ready_units *ready; /* of the paradigm that has units; NULL: the process has no units */
	double taken[UNIT_WISHES]; /* sum over time of what share of the idle streams units could have had */
	uint32_t task_construct;   /* of the explicit task that began last, 0 none */
};

static inline uint32_t thread_number(const struct sweep_over_time *s, const struct thread_sweep *thread)
{
	return (uint32_t)(thread - s->threads) + 1;
}

static inline const struct blocker *blocker_of(const struct sweep_over_time *s, const struct thread_sweep *thread)
{
	return &s->blockers->rows[thread->blocker];
}

static inline bool is_waiting(enum state state)
{
	return state_is_sync(state);
}

/* Is the thread in a node that others may wait for? */
static inline bool is_live(const struct thread_sweep *thread)
{
	const unsigned in_node = STATE_BITS(STATE_WORK_SERIAL, STATE_WORK_REDUCTION) |
				 STATE_BITS(STATE_WAIT_MUTEX, STATE_WAIT_TARGET_UPDATE) | 1u << STATE_BLOCKED;
	bool is_out = thread->state == STATE_PREEMPTED && !thread->is_node_over;
	return thread->node != 0 && ((in_node >> thread->state & 1) != 0 || is_out);
}

/* Does the thread have a processor, or want one, for something other than waiting? */
static inline bool is_wanting(const struct thread_sweep *thread)
{
	const unsigned wanting = STATE_BITS(STATE_WORK_SERIAL, STATE_WORK_REDUCTION) | 1u << STATE_OVERHEAD | 1u << STATE_PREEMPTED;
	return wanting >> thread->state & 1;
}

static inline bool is_region_open(const struct sweep_over_time *s)
{
	return s->next_region > s->next_join;
}

/* Does the thread look for units, or poll, while there are some? */
static inline bool is_seeking(const struct sweep_over_time *s, const struct thread_sweep *thread)
{
	return thread->has_units && (is_waiting(thread->state) || (thread->state == STATE_IDLE && is_region_open(s)));
}

/* phases.c: fills in `regions` and `joins`. */
void phases_find(struct sweep_over_time *s);

/*
 * Units that are ready, and that no thread has taken yet: what the paradigm that has them does for the sweep, whose `ready` is
 * its own. On the thread of the sweep.
 */
struct sweep_unit_hooks {
	/* Leaves `ready` NULL where no unit was executed. */
	void (*begin)(struct sweep_over_time *s);
	void (*free)(struct sweep_over_time *s);
	/* The thread looks for units from now on, or no longer does. */
	void (*seek)(struct sweep_over_time *s, bool begins);
	/* When the next unit will be ready; UINT64_MAX: never. */
	uint64_t (*next)(const struct sweep_over_time *s);
	/* Notes what is ready by now. */
	void (*step)(struct sweep_over_time *s);
	/* The node begins, or continues. */
	void (*take)(struct sweep_over_time *s, uint32_t node);
	/* Time passes by `length`. Returns how many of the idle threads could have taken a unit meanwhile. */
	double (*pass)(struct sweep_over_time *s, double length);
};

static inline const struct sweep_unit_hooks *sweep_hooks(const struct sweep_over_time *s)
{
	return s->net->graph->model->tasking->sweep;
}

static inline void ready_units_seek(struct sweep_over_time *s, bool begins)
{
	if (s->ready != NULL)
		sweep_hooks(s)->seek(s, begins);
}

static inline uint64_t ready_units_next(const struct sweep_over_time *s)
{
	return s->ready != NULL ? sweep_hooks(s)->next(s) : UINT64_MAX;
}

static inline void ready_units_step(struct sweep_over_time *s)
{
	if (s->ready != NULL)
		sweep_hooks(s)->step(s);
}

static inline double ready_units_pass(struct sweep_over_time *s, double length)
{
	return s->ready != NULL ? sweep_hooks(s)->pass(s, length) : 0;
}

/* mutex_turns.c: the holders of mutexes and the threads that request them. */
/* When the threads are open. 0, or -1 with the error printed; turns_free() in any case. */
int turns_begin(struct sweep_over_time *s);
void turns_free(struct sweep_over_time *s);
/* What happens to mutexes on the thread at the time of its next event about one. 0, or -1 with the error printed. */
int turns_step(struct sweep_over_time *s, struct thread_sweep *thread);
/* Is the lack of a processor all that the thread waits for, as no other one holds the mutex that it requests? */
static inline bool turns_is_off(const struct thread_sweep *thread)
{
	return state_is_mutex(thread->state) && thread->is_mutex_free && thread->is_off;
}
/* The thread ends or interrupts its request for a mutex. */
void turns_end_wait(struct sweep_over_time *s, struct thread_sweep *thread);

/* account_interval.c */
/* These find the task, and the fragment of one, that begin next on the thread, after it has begun another one. */
void sweep_find_task(struct sweep_over_time *s, struct thread_sweep *thread);
void sweep_find_fragment(struct sweep_over_time *s, struct thread_sweep *thread);
/* Then this finds which of these, and of the units, is the next node. */
void sweep_find_next(struct sweep_over_time *s, struct thread_sweep *thread);
/* The row of a cause about one construct. */
uint32_t sweep_cause(struct sweep_over_time *s, enum limit limit, enum cause_sort sort, uint32_t construct);
/* The construct of the synchronisation, of the mutex, or of the target construct, that the thread waits for now; 0 unknown. */
uint32_t sweep_awaited(const struct thread_sweep *thread);
/* The thread has begun its node, which is the first of its task. */
void account_begin_task(struct sweep_over_time *s, struct thread_sweep *thread);
/* The thread was in its state, and in its node, until now. */
void account_interval(struct sweep_over_time *s, struct thread_sweep *thread);
/* Is a thread in the runtime at s->now for so long that it may have been without a processor, and is that not known? */
bool account_is_resuming_in_doubt(const struct sweep_over_time *s);
/* The thread has waited for a mutex for `length` ticks: blames the holder. */
void account_mutex_wait(struct sweep_over_time *s, struct thread_sweep *thread, uint64_t length);
/* The time since the request for a mutex that seemed free, free_ticks and off_ticks, was exclusion: undoes its account. */
void account_take_back(struct sweep_over_time *s, struct thread_sweep *thread);

#endif
