/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the archive's writer keeps about the process that it is writing, from otf2.c's begin to its end: one location
 * for each stream, what is open on it, and what has been written about tasks and about Argobots' units. Everything here
 * is an array of the archive's own: the model is only read. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_PROCESS_H
#define OTTER_BUILDER_OTF2_PROCESS_H

#include "builder/dump/samples.h"
#include "builder/model/tables.h"
#include "builder/otf2/definitions.h"
#include "builder/support/map.h"

#include <otf2/otf2.h>

#define UNSET UINT32_MAX /* a number that is not there: no row, no reference, no task */

/* A region that is open on a location. */
struct open_region {
	uint32_t region;
	uint32_t task;   /* the current task by the replay; OPEN_UNIT: UNSET */
	uint32_t owner;  /* the current task by the archive: another one only if records contradict each other; OPEN_UNIT: 0 */
	uint32_t around; /* OPEN_IMPLICIT: the task that was current before; else 0 */
	uint32_t unit;   /* OPEN_UNIT: the unit; else 0 */
	enum open_type { OPEN_SCOPE, OPEN_TASK, OPEN_IMPLICIT, OPEN_INITIAL, OPEN_UNIT } type;
	bool is_lowest; /* its owner had no other region open when it was entered */
};

/* A mutex that a task has taken on this location. */
struct lock_hold {
	uint32_t lock, order, task, depth;
};

struct location {
	OTF2_EvtWriter *writer; /* NULL: not yet or no longer open */
	uint64_t last_time;
	uint32_t task;    /* the current task by the replay; UNSET: to be looked up */
	uint32_t running; /* the current task by the archive; 0: what the location began with; UNSET: none, it is complete */
	struct open_region *open; /* outermost first */
	uint32_t n_open;
	size_t open_capacity;
	struct lock_hold *holds;
	uint32_t n_holds;
	uint32_t *forks; /* regions whose fork is written, and whose join is not: outermost first */
	uint32_t n_forks;
	size_t holds_capacity, forks_capacity;
	uint32_t rank_team, rank;      /* the last answer of current.c's team_rank() */
	uint32_t solo_comm;            /* the comm of this location alone; UNSET: not needed so far */
	uint32_t sections;             /* construct of the latest sections region */
	uint32_t unit;                 /* the current unit by the archive; 0: the thread's implicit task */
	uint32_t thread;               /* the main scheduler that the thread was created with; 0: none */
	uint64_t tid;                  /* of the OS thread that has the stream */
	uint32_t units_height;         /* how many regions were open when the thread joined the units' team */
	bool is_in_units;              /* the thread is in that team */
	bool is_unit_over;             /* the current unit is complete, and nothing was switched to since */
	unsigned state, state_written; /* OMPT's numbers: the thread's state, and the metric's latest value, or UNSET */
	bool is_on;                    /* measurement */
	struct cursor samples;         /* after `sample`, which is the next one to be written, where has_sample */
	struct sample sample;
	bool has_sample;
	bool is_on_early; /* measurement was turned on to close something while recording was off */
	bool is_finished;
};

/* What is kept about a marked task: its open regions while it is suspended, and where it runs. */
struct suspended {
	struct open_region *open;
	uint32_t n_open;
	uint32_t n_fragments;
	uint32_t runs_on;   /* row of the location + 1; 0: none */
	uint64_t last_time; /* of its latest event: nothing of the task comes earlier on another location */
};

enum { UNIT_BIT_CREATED = 1, UNIT_BIT_STARTED = 2, UNIT_BIT_COMPLETED = 4, UNIT_BIT_THREAD = 8 };

/* What has been written about a unit of Argobots. */
struct unit_written {
	uint64_t last_time;       /* of its latest event: nothing of the unit comes earlier on another location */
	struct open_region *open; /* OpenMP's regions that are open in it while it is stopped ... */
	uint32_t n_open, open_on; /* ... on this location, row + 1 */
	uint32_t generation;      /* its number among the units that its thread created, from 1 */
	uint32_t n_fragments;
	uint32_t written_on, runs_on, waker; /* rows of locations + 1, 0 none: its latest event, where it runs, who resumed it */
	uint8_t bits;                        /* UNIT_BIT_ */
};

struct process {
	const struct model *model;
	struct process_def *def;
	struct location *locations; /* by row of dump.streams */
	uint32_t *region_refs;      /* construct * REGION_KINDS + kind -> region; UNSET: not defined yet */
	uint32_t n_region_refs;
	uint32_t *team_comms;      /* by row of model.teams */
	uint32_t helper_team;      /* of the runtime's own threads for target tasks (Q22); 0 none */
	uint32_t *helper_ranks;    /* by stream: its rank in the communicator of that team, if it is in there */
	unsigned char *task_bits;  /* by task, four bits each: TASK_BIT_ */
	bool is_scattered;         /* a task had regions open on two locations: TASK_BIT_OPEN tells nothing any more */
	struct map suspended_rows; /* marked task -> row of suspended + 1 */
	struct suspended *suspended;
	uint32_t n_suspended;
	size_t suspended_capacity;
	struct unit_written *units; /* by row of model.units */
	uint32_t units_comm;
	struct map lock_rows; /* wait id -> number of the lock in this process + 1 */
	uint32_t first_lock, n_locks;
	bool is_converted;              /* time stamps are ns of real time, else ticks */
	uint64_t first_time, last_time; /* time stamps of the process's first and last event */
};

static inline uint32_t location_stream(const struct process *p, const struct location *l)
{
	return (uint32_t)(l - p->locations);
}

enum {
	TASK_BIT_STARTED = 1,
	TASK_BIT_COMPLETED = 2,
	TASK_BIT_CREATED = 4,
	TASK_BIT_OPEN = 8 /* it owns open regions; cleared when the lowest of them is left */
};

static inline bool task_bit(const struct process *p, uint32_t task, unsigned bit)
{
	return ((unsigned)p->task_bits[task >> 1] >> (task & 1) * 4 & bit) != 0;
}

static inline void task_bit_set(struct process *p, uint32_t task, unsigned bit)
{
	p->task_bits[task >> 1] |= (unsigned char)(bit << (task & 1) * 4);
}

static inline void task_bit_clear(struct process *p, uint32_t task, unsigned bit)
{
	p->task_bits[task >> 1] &= (unsigned char)~(bit << (task & 1) * 4);
}

/* Records contradict each other about the task: the archive has no event of it, nor of what was done in it. */
static inline bool task_is_left_out(const struct process *p, uint32_t task)
{
	return (p->model->tasks[task].state & TASK_CONTRADICTORY) != 0;
}

#endif
