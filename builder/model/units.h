/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of Argobots' work units. A row is one run of a unit, from its creation or revival to its end: a revived unit has a row for each
 * run, and `before` links them. There are further rows for those that act without having been created: the primary unit, its scheduler,
 * external threads.
 */
#ifndef OTTER_BUILDER_MODEL_UNITS_H
#define OTTER_BUILDER_MODEL_UNITS_H

#include <stdint.h>

enum unit_kind {
	UNIT_UNKNOWN,   /* no record says what it is */
	UNIT_ULT,       /* with a stack of its own */
	UNIT_TASKLET,   /* without */
	UNIT_SCHEDULER, /* of an execution stream: directly on its thread, or inside the library's code */
	UNIT_PRIMARY,   /* the one that called ABT_init */
	UNIT_EXTERNAL,  /* an OS thread that is no execution stream: what it creates, joins, resumes */
	UNIT_ROOT,      /* the library's own below a main scheduler (1.1 reports it): visitors are not told of it */
	UNIT_KINDS
};

/* Bits of unit.state. */
enum {
	UNIT_SEEN = 1,       /* something happened to it, or it did something: it is a node */
	UNIT_CREATED = 2,    /* its create or revive record is there */
	UNIT_STARTED = 4,    /* it ran */
	UNIT_ENDED = 8,      /* finished or cancelled; of who was not created: gone with the library, or with the thread */
	UNIT_CANCELLED = 16, /* in place of finishing */
	UNIT_CUT = 32,       /* the record of its end, or of a stop, is missing */
	UNIT_JOINED = 64,
	UNIT_FREED = 128,
	UNIT_MIGRATED = 256, /* it ran on more than one stream */
	UNIT_DOUBTFUL = 512, /* records contradict each other about it: archives leave it out */
	UNIT_ACTED = 1024    /* it was named as the one that does something */
};

struct work_unit {
	uint64_t handle;    /* 0: an external thread */
	uint64_t pool;      /* where it was pushed when it was created; 0 none */
	uint64_t last_pool; /* where it was pushed last, as far as its stops and resumptions tell */
	uint64_t create_ticks, start_ticks, end_ticks, free_ticks;
	uint64_t busy_ticks;    /* running, without what ran above it */
	uint64_t wait_ticks;    /* suspended: until it was resumed */
	uint64_t queued_ticks;  /* neither: created, revived, resumed, or having yielded, until it ran */
	uint64_t n_polls;       /* runs that only found that it has to wait on */
	uint32_t stack_bytes;   /* 0: none, or unknown */
	uint32_t creator;       /* row: who created or revived it; 0 unknown */
	uint32_t before;        /* row: the run that this one revives; 0 none */
	uint32_t first;         /* row: of its first run */
	uint32_t generation;    /* the n-th unit, from 1, that had this handle in the process: (handle, generation) is the unit */
	uint32_t ordinal;       /* its n-th run, from 1 */
	uint32_t number;        /* among the runs that its creator created and revived, from 1; 0 where the creator is unknown */
	uint32_t n_created;     /* runs that it created and revived itself */
	uint32_t construct;     /* CONSTRUCT_UNIT and so on, with the work function */
	uint32_t create_stream; /* row: where it was created; of an external thread its stream */
	uint32_t run_stream;    /* row: where it ran first */
	uint32_t last_stream;   /* row: and last */
	uint32_t run_rank;      /* of the execution stream that this was then; UINT32_MAX unknown */
	uint32_t last_rank;
	uint32_t n_moves;    /* how often it went on elsewhere than where it had stopped */
	uint32_t n_runs;     /* how often it ran, or went on; polls not counted */
	uint32_t n_yields;   /* polls not counted */
	uint32_t n_suspends; /* how often it stopped until it was resumed */
	uint32_t life;       /* of the library, from 1; 0: before any begin that was recorded */
	uint16_t state;
	uint8_t kind;
	uint8_t depth; /* of stacked units, at its first run: 0 a main scheduler */
};

/* What a unit waits for. */
struct unit_wait {
	unsigned sync;   /* unit_sync */
	uint64_t object; /* handle: of a unit_join a unit's; 0 none */
};

const char *unit_kind_name(enum unit_kind kind);
/* "completed", "cancelled", "unfinished", "never started"; of whoever is no unit "". */
const char *unit_state_name(const struct work_unit *unit);
/* Of unit_sync. */
const char *unit_sync_name(unsigned sync);

#endif
