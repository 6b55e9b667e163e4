/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of Argobots' work units: rows of model.units. A row is one run of a unit, from its creation or revival to
 * its end; a revived unit has a row for each run, linked by `before`. There are also rows for those that act without
 * having been created: the primary unit, its scheduler, and external threads. Filled by argobots/unit*.c and
 * argobots/gather.c, read by everything later; one thread.
 */
#ifndef OTTER_BUILDER_MODEL_UNITS_H
#define OTTER_BUILDER_MODEL_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum unit_kind {
	UNIT_UNKNOWN,   /* no record says of which kind it is */
	UNIT_ULT,       /* a user-level thread: it has a stack of its own */
	UNIT_TASKLET,   /* it has no stack of its own */
	UNIT_SCHEDULER, /* it runs directly on an execution stream's thread, or its function is in the library */
	UNIT_PRIMARY,   /* the unit that called ABT_init */
	UNIT_EXTERNAL,  /* an OS thread that is no execution stream, and creates, joins or resumes units */
	UNIT_ROOT,      /* the library's own unit below a main scheduler, which 1.1 reports; visitors do not see it */
	UNIT_KINDS
};

/* Bits of unit.state. */
enum {
	UNIT_SEEN = 1,       /* it did something, or something was done to it: it is a node of the graph */
	UNIT_CREATED = 2,    /* its create or revive record is there */
	UNIT_STARTED = 4,    /* it ran */
	UNIT_ENDED = 8,      /* finished or cancelled; if it was not created: the library was finalised, or its thread ended */
	UNIT_CANCELLED = 16, /* it was cancelled instead of finishing */
	UNIT_CUT = 32,       /* the record of its end, or of a stop, is missing */
	UNIT_JOINED = 64,
	UNIT_FREED = 128,
	UNIT_MIGRATED = 256,      /* it ran on more than one stream */
	UNIT_CONTRADICTORY = 512, /* records contradict each other about it: archives leave it out */
	UNIT_ACTED = 1024,        /* a record names it as the one that did something */
	UNIT_MUTED = 2048,        /* it had not ended when ABT_finalize muted the library, which may have run it since then */
	UNIT_MAY_WAIT = 4096      /* time in which records do not show whether it worked or waited counts as waiting */
};

struct work_unit {
	uint64_t handle;    /* 0: an external thread */
	uint64_t pool;      /* handle of the pool that it was created into; 0 none */
	uint64_t last_pool; /* handle of the pool that it was pushed to last, as far as its stops and resumptions show */
	uint64_t create_ticks, start_ticks, end_ticks, free_ticks;
	uint64_t wait_ticks;    /* time that it was suspended, until it was resumed, or polled */
	uint64_t queued_ticks;  /* time that it could have run: from its creation, revival, resumption or yield until it ran */
	uint64_t n_polls;       /* runs in which it did nothing but find that it still has to wait */
	uint32_t stack_bytes;   /* 0: none, or unknown */
	uint32_t creator;       /* row of the unit that created or revived it; 0 unknown */
	uint32_t before;        /* row of the run before this one, which it revives; 0 none */
	uint32_t after;         /* primary unit, external thread: row of the unit that its OS thread was before; 0 none */
	uint32_t first;         /* row of the unit's first run */
	uint32_t generation;    /* the n-th unit, from 1, with this handle in the process: (handle, generation) is the unit */
	uint32_t ordinal;       /* it is the n-th run of the unit, from 1 */
	uint32_t number;        /* among the runs that its creator created and revived, from 1; 0 if the creator is unknown */
	uint32_t n_created;     /* runs that this one created and revived */
	uint32_t construct;     /* row: CONSTRUCT_UNIT, _TASKLET, ..., with the work function */
	uint32_t create_stream; /* row of the stream in which it was created; an external thread's own stream */
	uint32_t run_stream;    /* row of the stream in which it ran first */
	uint32_t last_stream;   /* row of the stream in which it ran last */
	uint32_t run_rank;      /* rank of the execution stream that it ran on first; UINT32_MAX unknown */
	uint32_t last_rank;     /* rank of the execution stream that it ran on last; UINT32_MAX unknown */
	uint32_t n_moves;       /* how often it continued in another stream than where it had stopped */
	uint32_t n_runs;        /* how often it began to run or continued, without polls */
	uint32_t n_yields;      /* how often it yielded, without polls */
	uint32_t n_suspends;    /* how often it was suspended, until it was resumed */
	uint32_t life;          /* the library's n-th life (ABT_init to ABT_finalize), from 1; 0: before any recorded begin */
	uint16_t state;         /* UNIT_ bits */
	uint8_t kind;           /* enum unit_kind */
	uint8_t depth;          /* in the stack of units at its first run; 0: directly on the thread, as a main scheduler */
};

/* What a unit waits for. */
struct unit_wait {
	unsigned sync;   /* unit_sync */
	uint64_t object; /* handle of the object: for unit_sync_unit_join, of a unit; 0 none */
};

const char *unit_kind_name(enum unit_kind kind);

/*
 * "completed", "cancelled", "unfinished" or "never started"; "unknown" where the library may have run it without a
 * report (UNIT_MUTED); "" for external threads and the like.
 */
const char *unit_state_name(const struct work_unit *unit);

/*
 * Does a unit that yields for this (unit_sync) poll? Then it runs again to look whether it still has to wait. Other
 * yields are the program's own.
 */
bool unit_sync_polls(unsigned sync);

/* Does a unit that stops for this wait for another one's end? */
bool unit_sync_joins(unsigned sync);

/* The name of a value of unit_sync. */
const char *unit_sync_name(unsigned sync);

#endif
