/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive that is being written: its definitions, which are kept until it is closed, and the process whose events
 * are being written. Every file of this folder calls OTF2 through it: each error code of the library is checked here,
 * and attributes of the next event are added here. One thread.
 *
 * No function of this folder is called otf2_...: the library exports its own internal functions under such names, and
 * the executable's would take their place.
 */
#ifndef OTTER_BUILDER_OTF2_ARCHIVE_H
#define OTTER_BUILDER_OTF2_ARCHIVE_H

#include "builder/otf2/definitions.h"
#include "builder/support/map.h"
#include "builder/dump/samples.h"
#include "builder/model/paradigm.h"
#include "builder/model/tables.h"

#include <otf2/otf2.h>
#include <pthread.h>

/* ---- Process ---- */

/*
 * What the archive's writer keeps about the process that it is writing, from otf2.c's begin to its end: one location
 * for each stream, what is open on it, and what has been written about tasks and about Argobots' units. Everything here
 * is an array of the archive's own: the model is only read. What belongs to a location or a task is used by one thread at
 * a time, the rest does not change while events are written.
 */

#define UNSET UINT32_MAX /* a number that is not there: no row, no reference, no task */

/*
 * How the archive names a task: (communicator of its binding team, rank of the creating thread in it, that thread's
 * number for it). comm UNSET: not looked up so far.
 */
struct key {
	uint32_t comm, rank, generation;
};

/* A region that is open on a location. */
struct open_region {
	uint32_t construct; /* in the model; with `kind`, what the region is wherever it is entered */
	enum region_kind kind;
	uint32_t region; /* the same, by the location's number for it */
	uint32_t task;   /* the current task by the replay; OPEN_UNIT: UNSET */
	uint32_t owner;  /* the current task by the archive: another one only if records contradict each other; OPEN_UNIT: 0 */
	uint32_t around; /* OPEN_IMPLICIT: the task that was current before; else 0 */
	uint32_t unit;   /* OPEN_UNIT: the unit; else 0 */
	uint32_t team;   /* OPEN_IMPLICIT: the implicit task of the team around it that is innermost on the location, or 0 */
	struct key key;  /* the owner's */
	enum open_type { OPEN_SCOPE, OPEN_TASK, OPEN_IMPLICIT, OPEN_INITIAL, OPEN_UNIT } type;
	bool is_lowest; /* its owner had no other region open when it was entered */
};

#define RECENT_REGIONS 64
#define RECENT_RANKS   4

/* A mutex that a task has taken on this location. */
struct lock_hold {
	uint32_t lock, order, task, depth;
	uint32_t before; /* place + 1 of another hold of this mutex, 0 none; while location.hold_of is in use */
	uint64_t
		due; /* when another thread acquires the mutex, which is released before that; UINT64_MAX: not before its release */
};

/*
 * All that belongs to one stream. Only its own events change it, and they are on one thread at a time; other locations
 * may be written meanwhile.
 */
struct location {
	OTF2_EvtWriter *writer;         /* NULL: not yet or no longer open */
	uint32_t stream;                /* row of dump.streams */
	OTF2_AttributeList *attributes; /* of the next event; writing the event empties it */
	uint64_t last_time;
	uint32_t task;     /* the current task by the replay; UNSET: to be looked up */
	uint32_t running;  /* the current task by the archive; 0: what the location began with; UNSET: none, it is complete */
	uint32_t key_task; /* the task that `key` is of; UNSET: of none */
	struct key key;
	/*
	 * The latest key that was found: of a task of this region (UNSET: none) that is created on a stream whose tasks have
	 * the n_alike rows after alike_base. All those of the same region have this comm and rank, too.
	 */
	uint32_t alike_base, n_alike, alike_region;
	struct key alike;
	uint32_t team_task;       /* the implicit task whose team is the innermost one here, or 0 */
	struct open_region *open; /* outermost first */
	uint32_t n_open;
	size_t open_capacity;
	struct lock_hold *holds;
	struct map hold_of; /* number of a mutex -> place + 1 in `holds` of the latest of it; while there are many (holds.c) */
	uint32_t n_holds;
	uint64_t next_due; /* the least of the holds' times `due` */
	struct fork {
		uint32_t region;
		uint32_t height; /* how many regions were open: they are when it joins, too */
	} * forks;               /* whose join is not written yet: outermost first */
	uint32_t n_forks;
	size_t holds_capacity, forks_capacity;
	struct recent_rank {
		uint32_t team, stream, rank; /* team 0: none */
	} recent_ranks[RECENT_RANKS];        /* the latest answers of current.c's team_rank() */
	uint64_t recent_wait_id;             /* of the latest mutex; it has this number, if that is not 0 */
	uint32_t recent_lock;
	uint32_t *solos; /* streams for which a communicator of their own was needed here (current.c) */
	uint32_t n_solos;
	size_t solos_capacity;
	uint32_t sections;             /* construct of the latest sections region */
	uint32_t unit;                 /* the current unit by the archive; 0: the thread's implicit task */
	uint32_t thread;               /* the main scheduler that the thread was created with; 0: none */
	uint64_t tid;                  /* of the OS thread that has the stream */
	uint32_t units_height;         /* how many regions were open when the thread joined the units' team */
	bool is_in_units;              /* the thread is in that team */
	bool is_unit_over;             /* the current unit is complete, and nothing was switched to since */
	unsigned state, state_written; /* OMPT's numbers: the thread's state, and the metric's latest value, or UNSET */
	bool is_on;                    /* measurement */
	bool is_muted; /* nothing is written: the location is outside of the part of the time that is written (part.c) */
	enum { PART_BEFORE, PART_IN, PART_AFTER } part; /* where the latest event lies relative to that part */
	struct cursor samples;                          /* after `sample`, which is the next one to be written, where has_sample */
	struct sample sample;
	bool has_sample;
	bool has_flush;                  /* one that is not written yet: */
	uint64_t flush_begin, flush_end; /* of what is left of it */
	bool is_on_early;                /* measurement was turned on to close something while recording was off */
	bool is_finished;
	bool has_holes;               /* see the archive's fields of these names */
	bool has_states, has_samples; /* likewise */
	bool has_split_teams;         /* a thread's stay in a team is in several pieces */
	bool is_fork_alone;           /* the team that was forked last has not begun here */
	bool is_scattered;            /* a task here had regions open elsewhere, too: TASK_BIT_OPEN is no longer valid */

	/* The numbers in this location's events that are its own until the process is over (intern.h). */
	struct interned interned;
	struct map region_slots; /* construct * REGION_KINDS + kind -> region + 1 */
	struct recent_region {
		uint32_t construct, kind, region; /* region UNSET: none */
	} recent_regions[RECENT_REGIONS];
	char apart[64]; /* so that no two locations share a cache line */
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
	struct open_region *open; /* OpenMP's regions that are open in it while it is stopped */
	uint32_t n_open, open_on; /* open_on: the location on which they are open, row + 1 */
	uint32_t generation;      /* its number among the units that its thread created, from 1 */
	uint32_t created_on;      /* the stream that creates it in the archive */
	uint32_t n_fragments;
	uint32_t
		thread; /* a stream's main scheduler: the first run of it on the OS thread, which the thread's number is of; 0 none */
	bool goes_on;   /* the same OS thread runs it again when it is revived */
	uint32_t written_on, runs_on, waker; /* rows + 1 of locations, 0: none: its latest event, where it runs, what resumed it */
	uint8_t bits;                        /* UNIT_BIT_ */
};

struct process {
	const struct model *model;
	struct process_def *def;
	struct location *locations; /* by row of dump.streams */
	uint32_t *solo_comms;       /* by stream: the communicator of it alone + 1, 0: not needed so far */
	uint32_t first_solo;        /* the location's first own communicator of one thread has this number, in its events */
	struct map device_regions;  /* as a location's region_slots: what is entered on devices' queues */
	uint32_t *team_comms;       /* by row of model.teams */
	uint32_t helper_team;       /* of the runtime's own threads for target tasks (Q22); 0 none */
	uint32_t *helper_ranks;     /* by stream: its rank in the communicator of that team, if it is in there */
	unsigned char *task_bits;   /* by task: TASK_BIT_, for the location where it is current */
	bool *is_created;           /* by task: its creation is written; for the location where that is */
	bool has_movers;            /* some task ran on more than one stream */
	/*
	 * Marked tasks, each with a row in `suspended`, in the order of their numbers: a bit for each task that is
	 * marked, and before each 64 of them the number of those that come before.
	 */
	uint64_t *marked;
	uint32_t *marked_before;
	struct suspended *suspended;
	uint32_t n_suspended;
	struct unit_written *units; /* by row of model.units */
	uint32_t units_comm;
	uint32_t first_lock;
	bool is_converted;              /* time stamps are ns of real time, else ticks */
	uint64_t first_time, last_time; /* time stamps of the process's first and last event */
	uint64_t n_plain_ticks;         /* ticks less than this after first_time are time stamps unchanged; 0 where is_converted */
};

enum {
	TASK_BIT_STARTED = 1,
	TASK_BIT_COMPLETED = 2,
	TASK_BIT_OPEN = 4 /* it owns open regions; cleared when the lowest of them is left */
};

static inline bool task_bit(const struct process *p, uint32_t task, unsigned bit)
{
	return (p->task_bits[task] & bit) != 0;
}

static inline void task_bit_set(struct process *p, uint32_t task, unsigned bit)
{
	p->task_bits[task] |= (unsigned char)bit;
}

static inline void task_bit_clear(struct process *p, uint32_t task, unsigned bit)
{
	p->task_bits[task] &= (unsigned char)~bit;
}

/* Records contradict each other about the task: the archive has no event of it, nor of what was done in it. */
static inline bool task_is_left_out(const struct process *p, uint32_t task)
{
	return (p->model->tasks[task].state & TASK_CONTRADICTORY) != 0;
}

/* The unit's latest event is on this location, at this time. */
static inline void unit_note(struct process *p, const struct location *l, uint64_t time, uint32_t unit)
{
	p->units[unit].last_time = time;
	p->units[unit].written_on = l->stream + 1;
}

struct point;
struct scope;

struct archive {
	OTF2_Archive *otf2;
	OTF2_AttributeList *attributes; /* of a device's next event; writing the event empties it */
	char *path;                     /* of the anchor file */
	uint64_t trace_id;
	bool has_failed;    /* any thread may set it; nothing else is published by it */
	unsigned n_files;   /* number of event files that stay open now (library.c) */
	unsigned max_files; /* upper limit of n_files */
	pthread_mutex_t spare_lock;
	struct spare_chunk *spare_chunks; /* writers' memory that no writer has now (library.c) */

	struct process_def *processes;
	size_t n_processes, n_ended;
	struct location_def *locations;
	uint32_t n_locations;
	bool is_complete;                  /* all dumps are */
	bool has_holes;                    /* something was repaired or left out, or recording was off for a while */
	bool has_all_locks, has_all_teams; /* those events were recorded */
	bool has_states, has_samples;      /* the metrics were written */
	bool has_units;                    /* of Argobots */

	struct interned interned;
	struct comm_def *comms;
	uint32_t n_comms;
	size_t comms_capacity;
	uint32_t *members; /* rows of locations */
	size_t n_members, members_capacity;
	uint32_t n_locks;

	void *of_paradigm[N_PARADIGMS]; /* what a paradigm keeps until the archive is closed; NULL: nothing */

	/* The clock. */
	bool is_converted; /* time stamps are ns of real time, else ticks */
	uint64_t ticks_per_second;
	uint64_t first_time, last_time; /* time stamps of the first and last event */
	uint64_t first_realtime_ns;

	/* Strings that events refer to. */
	uint32_t string_schedules[4]; /* static, dynamic, guided, other */
	uint32_t string_cancel, string_detach, string_unfinished, string_yield, string_suspend;

	struct process now;
};

/* Passes OTF2's messages to this archive, instead of OTF2 printing them. NULL: to no archive. */
void archive_listen(struct archive *a);

/* Prints the first error of an archive, which then is not finished. Always -1. */
int archive_failed(struct archive *a, OTF2_ErrorCode code, const char *what);

/* Writes an event of a location with OTF2_EvtWriter_NAME; outside of the part of the time that is written, nothing. */
#define WRITE_EVENT(l, name, ...)                                                                                                  \
	(__builtin_expect((l)->is_muted, 0) ? archive_write_nothing(l) : OTF2_EvtWriter_##name((l)->writer, __VA_ARGS__))

/* The attributes go with the event. */
static inline OTF2_ErrorCode archive_write_nothing(struct location *l)
{
	return OTF2_AttributeList_RemoveAllAttributes(l->attributes);
}

/* Checks an error code of OTF2; all of them are checked here. Returns 0, or -1 after archive_failed. */
static inline int archive_check(struct archive *a, OTF2_ErrorCode code, const char *what)
{
	return __builtin_expect(code != OTF2_SUCCESS, 0) ? archive_failed(a, code, what) : 0;
}

/* Adds an attribute of the next event to its list: a number, a number unless it is 0, a string. 0 or -1. */
int archive_add_u64(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint64_t value);
int archive_add_nonzero(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint64_t value);
int archive_add_string(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint32_t string);

/* ---- Paradigms ---- */

/* Each definition is one call that may fail: the first failure ends the function that it is in. */
#define DEFINE(a, what, ...)                                                                                                       \
	do {                                                                                                                       \
		if (archive_check((a), OTF2_GlobalDefWriter_Write##what(__VA_ARGS__), "defining a " #what) != 0)                   \
			return -1;                                                                                                 \
	} while (0)

/* What a paradigm defines when the archive is closed: each kind after those of OpenMP, so that numbers are dense. */
enum definition {
	DEFINE_PARADIGMS,
	DEFINE_NODES, /* of the system tree */
	DEFINE_NODE_DOMAINS,
	DEFINE_LOCATION_GROUPS,
	DEFINE_LOCATIONS,
	DEFINE_LOCATION_PROPERTIES,
	DEFINE_WINDOWS /* with their groups and communicators */
};

struct definitions {
	OTF2_GlobalDefWriter *writer;
	const struct def_names *names;
	uint32_t n_nodes; /* DEFINE_NODES: those of the system tree so far */
};

/* What a paradigm does for the archive. Each may be NULL. Those that return an int: 0, or -1 after archive_failed(). */
struct archive_hooks {
	/* A process begins, archive.now; on one thread, as all else but the scopes. */
	void (*begin)(struct archive *a);
	/* A scope of the paradigm is entered, or left: on the thread that has the location. */
	int (*scope_enter)(struct archive *a, const struct point *at, const struct scope *scope);
	int (*scope_leave)(struct archive *a, const struct point *at, const struct scope *scope);
	/* After the last event of the process's threads: writes the events of the paradigm's own locations. */
	int (*end)(struct archive *a);
	/* Called in any case, at the end: frees what `begin` made for the process. */
	void (*free_process)(struct process *p);
	/* The archive is closed: writes the paradigm's definitions of one kind. */
	int (*define)(struct archive *a, enum definition kind, const struct definitions *definitions);
	/* Called in any case, at the end: frees the paradigm's place in of_paradigm. */
	void (*free)(struct archive *a);
};

/* ---- Clock ---- */

/*
 * The archive's time stamps: the ticks of the dumps, where these come from one counter, else ns of real time. One
 * thread.
 */

/* Do the dumps' ticks come from one counter? */
bool clock_is_shared(const struct trace *traces, size_t n_traces);

/* Finds the first and the last time stamp of the process that begins, and with it the archive's. */
void clock_begin(struct archive *a, const struct trace *trace);

/* Ticks as ns of real time. */
uint64_t clock_convert(const struct process *p, uint64_t ticks);

uint64_t clock_stamp_slow(const struct process *p, uint64_t ticks);

/* The time stamp of `ticks`, never before the process's first and never after its last. */
static inline uint64_t clock_stamp(const struct process *p, uint64_t ticks)
{
	return __builtin_expect(ticks - p->first_time < p->n_plain_ticks, 1) ? ticks : clock_stamp_slow(p, ticks);
}

/* ---- Definitions ---- */

/*
 * The archive's global definitions: called by otf2.c when the archive is closed. One thread.
 */

/* Writes all definitions, when all events are written. 0 or -1. */
int defs_write(struct archive *a);

#endif
