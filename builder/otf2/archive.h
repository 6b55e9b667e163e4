/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the OTF2 sink share: the archive with its definitions, which live until it is closed, and the process that is
 * being written, which lives from begin to end. One thread.
 *
 *   otf2.c           opens and closes the archive, begins and ends a process
 *   otf2_defs.c      collects definitions and writes them
 *   otf2_regions.c   which region a construct is
 *   otf2_location.c  a location's writer: time stamps, open regions
 *   otf2_events.c    the visitor: streams, teams, scopes
 *   otf2_current.c   which task is current on a location
 *   otf2_tasks.c     the visitor: tasks
 *   otf2_locks.c     the visitor: mutexes
 *   otf2_target.c    the visitor: what the host does for devices
 *   otf2_units.c     the visitor: Argobots' work units, who they are and what happens to them
 *   otf2_fragments.c where they run
 *   otf2_device.c    locations of devices, and what ran on them
 *   otf2_device_defs.c  their definitions
 *   otf2_states.c    thread states, a metric
 *   otf2_samples.c   what the runtime said of them, another
 *
 * No function here is called otf2_...: the library exports its own internal functions under such names, and the executable's
 * would take their place.
 */
#ifndef OTTER_BUILDER_OTF2_ARCHIVE_H
#define OTTER_BUILDER_OTF2_ARCHIVE_H

#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/otf2/definitions.h"
#include "builder/dump/samples.h"
#include "builder/replay/sink.h"

#include <otf2/otf2.h>

#define OTF2_CHUNK_BYTES (256 << 10) /* the least that OTF2 takes; more is no faster and costs readers memory */
#define UNSET            UINT32_MAX

/* A region open on a location, and whose. */
struct open_region {
	uint32_t region;
	uint32_t task;   /* as the replay says */
	uint32_t owner;  /* the one that the archive has it from: another one only where records contradict each other */
	uint32_t around; /* OPEN_IMPLICIT: the task that ran before; OPEN_UNIT: the unit */
	enum open_type { OPEN_SCOPE, OPEN_TASK, OPEN_IMPLICIT, OPEN_INITIAL, OPEN_UNIT } type;
};

/* A mutex that a task has taken on this location. */
struct lock_hold {
	uint32_t lock, order, task, depth;
};

struct location {
	OTF2_EvtWriter *writer; /* NULL: not yet or no longer open */
	uint64_t last_time;
	uint32_t task;            /* current, as replay said last; UNSET: to be looked up */
	uint32_t running;         /* current, as the archive says; 0: where the location began, UNSET: none, its task is complete */
	struct open_region *open; /* outermost first */
	uint32_t n_open, open_capacity;
	struct lock_hold *holds;
	uint32_t n_holds, holds_capacity;
	uint32_t rank_team, rank;      /* the last answer of team_rank() */
	uint32_t solo_comm;            /* the comm of this location alone, UNSET: not needed so far */
	uint32_t sections;             /* construct of the latest sections region */
	uint32_t unit;                 /* Argobots': current, as the archive says; 0: the thread's implicit task */
	uint32_t thread;               /* the main scheduler that the thread was created with, 0 none */
	uint32_t units_height;         /* regions that were open when it joined the units' team */
	bool is_in_units;              /* it did */
	bool is_unit_over;             /* its current unit is complete, and nothing was switched to since */
	unsigned state, state_written; /* of the thread, by OMPT's number; what the metric says so far, UNSET: nothing */
	bool is_on;                    /* measurement */
	struct cursor samples;         /* behind `sample`, the next one, where there is one */
	struct sample sample;
	bool has_sample;
	bool is_on_early; /* for what was closed while recording was off */
	bool is_finished;
};

/* What is kept of a marked task: its open regions while it is suspended, and where it runs. */
struct suspended {
	struct open_region *open;
	uint32_t n_open;
	uint32_t n_fragments;
	uint32_t runs_on;   /* row of the location + 1; 0: none */
	uint64_t last_time; /* it did something: nothing of it is earlier on another location */
};

/* What the archive has of a unit of Argobots. */
struct unit_written {
	uint64_t last_time;       /* it did something: nothing of it is earlier on another location */
	struct open_region *open; /* what OpenMP has open in it while it is stopped ... */
	uint32_t n_open, open_on; /* ... on this location, row + 1 */
	uint32_t generation;      /* among what its thread created, from 1 */
	uint32_t n_fragments;
	uint32_t written_on, runs_on, waker; /* rows of locations + 1: the latest event, where it runs, who resumed it; 0 none */
	uint8_t bits;
};

/* The process that is being written. */
struct process {
	const struct model *model;
	struct process_def *def;
	struct location *locations; /* by stream row */
	uint32_t *region_refs;      /* construct * REGION_KINDS + kind -> region, UNSET: not defined yet */
	uint32_t n_region_refs;
	uint32_t first_comm;       /* of team 1 */
	unsigned char *task_bits;  /* four bits a task: TASK_BIT_ */
	struct map suspended_rows; /* marked task -> row of suspended */
	struct suspended *suspended;
	uint32_t n_suspended, suspended_capacity;
	struct unit_written *units; /* by row of model.units */
	uint32_t units_comm;
	struct map lock_rows; /* wait id -> number of the lock in this process + 1 */
	uint32_t first_lock, n_locks;
	bool is_converted;              /* stamps are ns of real time, else ticks */
	uint64_t first_time, last_time; /* of the process, as stamps */
};

struct archive {
	OTF2_Archive *otf2;
	OTF2_AttributeList *attributes;
	char *path; /* of its anchor file */
	uint64_t trace_id;
	bool has_failed;
	char detail[200]; /* what OTF2 itself said last */

	struct process_def *processes;
	size_t n_processes, n_ended;
	struct location_def *locations;
	uint32_t n_locations;
	bool is_complete; /* all dumps are */
	bool has_holes;   /* replay had to repair something, recording was off for a while, or contradictions were left out */
	bool has_all_locks, has_all_teams; /* those events were recorded */
	bool has_states, has_samples;      /* the metrics were written */
	bool has_units;                    /* of Argobots */

	char **strings;
	uint32_t n_strings, strings_capacity;
	struct map string_rows; /* hash -> string, chained through string_next */
	uint32_t *string_next;
	struct region_def *regions;
	uint32_t n_regions, regions_capacity;
	struct map region_rows;
	uint32_t *region_next;
	struct comm_def *comms;
	uint32_t n_comms, comms_capacity;
	uint32_t *members; /* locations' rows */
	size_t n_members, members_capacity;
	uint32_t n_locks;

	/* Devices: filled process by process, behind all that is of threads. */
	struct device_def *devices;
	uint32_t n_devices, devices_capacity;
	struct queue_def *queues;
	uint32_t n_queues, queues_capacity;
	uint32_t n_windows;
	OTF2_Paradigm device_paradigm;

	/* Clock. */
	bool is_converted;
	uint64_t ticks_per_second;
	uint64_t first_time, last_time; /* of all events, as stamps */
	uint64_t first_realtime_ns;

	/* Strings that events name. */
	uint32_t string_schedules[4]; /* static, dynamic, guided, other */
	uint32_t string_cancel, string_detach, string_unfinished, string_yield, string_suspend;

	struct process now;
};

extern const struct replay_ops archive_ops;

/* 0, or -1 with the error said: every answer of OTF2 goes through it. */
int archive_failed(struct archive *a, OTF2_ErrorCode code, const char *what);
static inline int archive_check(struct archive *a, OTF2_ErrorCode code, const char *what)
{
	return __builtin_expect(code != OTF2_SUCCESS, 0) ? archive_failed(a, code, what) : 0;
}
int archive_out_of_memory(struct archive *a);

/* ---- otf2_defs.c. UNSET when memory is out ---- */
uint32_t archive_string(struct archive *a, const char *text);
uint32_t archive_region_def(struct archive *a, const struct region_def *def);
uint32_t archive_comm(struct archive *a, uint32_t parent, const uint32_t *streams, uint32_t n_streams);
int archive_write_definitions(struct archive *a);
void archive_free_definitions(struct archive *a);

/* The group of a comm: behind those of all locations, one a paradigm. */
static inline uint32_t archive_group(const struct archive *a, uint32_t comm)
{
	return comm + 1 + a->has_units;
}

/* ---- otf2_regions.c ---- */
uint32_t archive_region_slow(struct archive *a, uint32_t construct, enum region_kind kind);
/* The region that a construct is entered as. */
static inline uint32_t archive_region(struct archive *a, uint32_t construct, enum region_kind kind)
{
	uint32_t slot = construct * REGION_KINDS + kind;
	uint32_t region = slot < a->now.n_region_refs ? a->now.region_refs[slot] : UNSET;
	return region != UNSET ? region : archive_region_slow(a, construct, kind);
}
/* Names the regions that the process defined. */
int archive_name_regions(struct archive *a);
OTF2_RegionRole region_kind_role(enum region_kind kind);
OTF2_Paradigm region_kind_paradigm(enum region_kind kind);

/* ---- otf2_location.c ---- */
static inline uint32_t location_stream(const struct archive *a, const struct location *l)
{
	return (uint32_t)(l - a->now.locations);
}
/* Opens the writer, with ProgramBegin on the process's first location. */
int location_open(struct archive *a, uint32_t stream);
/* Closes whatever is open, writes ProgramEnd, counts the events and lets the writer go. */
int location_finish(struct archive *a, uint32_t stream);
/* Consumers refuse an archive without its local definitions, empty as they are: all numbers in the events are global. */
int location_leave_definitions(struct archive *a, uint64_t id);
/* The time stamp of `ticks`: never below the location's last one, never outside the process. Turns measurement on again. */
uint64_t location_stamp(struct archive *a, struct location *l, uint64_t ticks);
uint64_t process_time(const struct process *p, uint64_t ticks);
int location_measurement(struct archive *a, struct location *l, uint64_t ticks, bool is_on);
/* Puts a region onto those that are open, and enters it: as it is. */
int location_push(struct archive *a, struct location *l, uint64_t time, const struct open_region *region,
		  OTF2_AttributeList *attributes);
int location_enter_with(struct archive *a, struct location *l, uint64_t time, uint32_t region, uint32_t task, enum open_type type,
			OTF2_AttributeList *attributes);
static inline int location_enter(struct archive *a, struct location *l, uint64_t time, uint32_t region, uint32_t task,
				 enum open_type type)
{
	return location_enter_with(a, l, time, region, task, type, NULL);
}
/* The place of a task's own region on the location, or l->n_open. */
uint32_t location_find_open(const struct location *l, uint32_t task);
/* Leaves the innermost region. */
int location_leave_with(struct archive *a, struct location *l, uint64_t time, OTF2_AttributeList *attributes);
static inline int location_leave(struct archive *a, struct location *l, uint64_t time)
{
	return location_leave_with(a, l, time, NULL);
}
/* Leaves the innermost region of a kind and what is inside it, if the task has one open here. */
int location_leave_kind(struct archive *a, struct location *l, uint64_t time, enum region_kind kind, uint32_t task);
/* The implicit task whose team is the innermost one on the location, or 0. */
uint32_t location_team_task(const struct location *l);
int location_parameter(struct archive *a, struct location *l, uint64_t time, uint32_t parameter, uint64_t value);
int location_pass(struct archive *a, struct location *l, uint64_t time, uint32_t region, uint32_t task); /* Enter and Leave */
/* Leaves everything down to and without `n_open` regions, finishing the tasks and teams that these belong to. */
int location_unwind(struct archive *a, struct location *l, uint64_t time, uint32_t n_open);

/* ---- otf2_current.c ---- */
/* How the archive calls a task. */
struct key {
	uint32_t comm, rank, generation;
};
int current_key(struct archive *a, uint32_t task, struct key *key);
/* May the task be current on the location? And from when on, `time` being the location's: that is its last time then. */
bool current_can_be(const struct process *p, const struct location *l, uint32_t task);
uint64_t current_time(const struct process *p, struct location *l, uint64_t time, uint32_t task);
/* Makes one current that may be: the one whose region is open, or what the location began with. */
int current_any(struct archive *a, struct location *l, uint64_t time);
/* What is kept of a marked task: NULL where nothing is, or, to be kept, where memory is out. */
const struct suspended *current_find(const struct process *p, uint32_t task);
struct suspended *current_keep(struct archive *a, uint32_t task);
/* The task becomes current on the location, or stops. */
int current_note(struct archive *a, struct location *l, uint64_t time, uint32_t task, bool is_here);
uint32_t event_team_comm(struct archive *a, uint32_t implicit_task);
int event_task_switch(struct archive *a, struct location *l, uint64_t time, uint32_t task);

/* ---- otf2_tasks.c ---- */
enum { TASK_BIT_STARTED = 1, TASK_BIT_COMPLETED = 2, TASK_BIT_CREATED = 4 };
static inline bool task_bit(const struct process *p, uint32_t task, unsigned bit)
{
	return ((unsigned)p->task_bits[task >> 1] >> (task & 1) * 4 & bit) != 0;
}
static inline void task_bit_set(struct process *p, uint32_t task, unsigned bit)
{
	p->task_bits[task >> 1] |= (unsigned char)(bit << (task & 1) * 4);
}
/* Records contradict each other about the task: the archive has no event of it, nor of what was done in it. */
static inline bool task_is_left_out(const struct process *p, uint32_t task)
{
	return (p->model->tasks[task].state & TASK_DOUBTFUL) != 0;
}
int event_task_create(void *self, const struct point *at, uint32_t task);
int event_task_schedule(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status);
int event_task_complete(struct archive *a, struct location *l, uint64_t time, uint32_t task, uint32_t status);
int event_team_end(struct archive *a, struct location *l, uint64_t time, const struct open_region *implicit);
int event_run_slow(struct archive *a, struct location *l, uint64_t time, uint32_t task);
/* Before an event that belongs to a task: the archive must say that this task is the current one. */
static inline int event_run(struct archive *a, struct location *l, uint64_t time, uint32_t task)
{
	return l->running == task ? 0 : event_run_slow(a, l, time, task);
}

/* Before an event that belongs to the current task: its start may be missing in the records, and is made up for. *time may become later. */
int event_follow(struct archive *a, struct location *l, const struct point *at, uint64_t *time);

/* ---- otf2_target.c ---- */
/* Is the scope a target region, an operation on data, or a launch? Such a one is entered and left here. */
bool event_is_operation(const struct scope *scope);
int event_operation_enter(struct archive *a, const struct point *at, const struct scope *scope);
int event_operation_leave(struct archive *a, const struct point *at, const struct scope *scope);
/* An attribute for the next event. */
int archive_add_u64(struct archive *a, uint32_t attribute, uint64_t value);

/* ---- otf2_states.c ---- */
int event_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);
/* Writes the location's state as it is, if the metric does not say so. */
int location_state(struct archive *a, struct location *l, uint64_t time);
uint32_t archive_state_names(struct archive *a); /* a string; UNSET when memory is out */

/* ---- otf2_samples.c ---- */
void location_samples_begin(struct archive *a, struct location *l, uint32_t stream);
/* Writes the samples up to this stamp. */
int location_samples(struct archive *a, struct location *l, uint64_t until);
uint32_t archive_sample_names(struct archive *a); /* a string; UNSET when memory is out */

/* ---- otf2_units.c ---- */
/* Names the process's units: before its first event. */
int archive_begin_units(struct archive *a);
/* Is something missing? Behind its last event. */
void archive_end_units(struct archive *a);
void process_free_units(struct process *p);
/* The location's unit becomes the current task, in place of one of OpenMP's. */
int location_run_unit(struct archive *a, struct location *l, uint64_t time);
/* Leaves the innermost region, a unit's, which goes on elsewhere if at all. */
int location_cut_unit(struct archive *a, struct location *l, uint64_t time);
/* The thread is no longer one of the units' team. */
int location_leave_units(struct archive *a, struct location *l, uint64_t time);
int event_unit_xstream(void *self, const struct point *at, uint64_t xstream, uint64_t rank);
int event_unit_create(void *self, const struct point *at, uint32_t unit, uint32_t creator);
int event_unit_switch(void *self, const struct point *at, const struct unit_switch *change);
int event_unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count);
int event_unit_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait);
int event_unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first);

/* ---- otf2_locks.c ---- */
int event_mutex(void *self, const struct point *at, const struct mutex *mutex);

/* ---- otf2_device.c ---- */
/* Finds the process's devices and queues: before its first event. */
int archive_begin_devices(struct archive *a);
/* Writes the queues' events: behind the replay. */
int archive_write_devices(struct archive *a);
/* The place in the process's window of a device that some transfer names, UNSET for any other: what RmaPut and RmaGet call `remote`. */
uint32_t archive_device_rank(const struct archive *a, int32_t number);
/* The location group of a device's memory, or of the process's for DEVICE_HOST. */
uint32_t archive_memory_group(const struct archive *a, int32_t number);
/* Attributes for the next event: from which memory to which. */
int archive_add_memory_spaces(struct archive *a, int32_t source, int32_t destination);

/* ---- otf2_device_defs.c: each 0, or -1 with the error said; nothing without devices. Names are strings. ---- */
int archive_define_device_paradigm(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t name);
int archive_define_device_nodes(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t first_node, uint32_t class);
int archive_define_device_domains(struct archive *a, OTF2_GlobalDefWriter *w);
int archive_define_device_groups(struct archive *a, OTF2_GlobalDefWriter *w);
int archive_define_queues(struct archive *a, OTF2_GlobalDefWriter *w);
int archive_define_queue_properties(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t hwid_name);
int archive_define_windows(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t name);

#endif
