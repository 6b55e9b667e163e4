/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a timeline shows: for each thread its slices, stretches in which it executed one task (or one unit of Argobots) without
 * a change of task and without a wait for others, and its states; and the flows between slices: from a task's creator, along
 * dependences, from a task's end to the task that it resumes, from the last arrival at a barrier, and from a unit to one that
 * it resumes.
 *
 * Slices of a thread do not overlap. A task that is suspended has several. The time in which a task waits at a barrier, at a
 * taskwait, at the end of a taskgroup, or for a region that it has encountered, is in none of its slices.
 *
 * During the replay, slices and states are logged by stream, each on its thread, a few bytes a slice (varint_log.h). Once the
 * graph is finished, slices_link() finds the flows, and chunks of the logs are read in any order, on several threads.
 */
#ifndef OTTER_BUILDER_SLICES_SLICES_H
#define OTTER_BUILDER_SLICES_SLICES_H

#include "builder/graph/files.h"
#include "builder/support/varint_log.h"
#include "builder/states/states.h"
#include "builder/replay/sink.h"

/* The item that a slice belongs to: a row of model.tasks, or model.n_tasks + a row of model.units; or one of these. */
#define ITEM_NONE 0
#define ITEM_LOST UINT32_MAX /* no task: records of the thread are missing in this time */

/* A slice is written in one piece, unless it starts more than this many flows. */
#define SLICE_STARTS_MAX 256

enum slice_piece {
	SLICE_WHOLE,
	SLICE_BEGIN, /* of a slice that starts many flows: a first part of them */
	SLICE_MORE,  /* then, at a time within the slice, more of them */
	SLICE_END
};

/* The slice, or piece of one, that is shown next on a thread. */
struct slice {
	enum slice_piece piece;
	uint32_t stream, item;
	uint64_t begin_ticks;
	uint64_t ticks;                /* SLICE_MORE: its time; SLICE_WHOLE, SLICE_END: the slice's end; SLICE_BEGIN: unknown */
	uint64_t before_ticks;         /* the last time that was shown before it on this thread: never after its own */
	uint64_t before_begin_ticks;   /* begin of the slice that was shown before; SLICE_MORE, SLICE_END: of the same slice */
	bool is_first;                 /* it is the first one of the thread */
	bool is_of_first, is_of_last;  /* it is a piece of the item's first slice, and of its last one */
	bool is_cut;                   /* it is the task's last slice, and the record of the task's end is missing */
	const uint64_t *starts, *ends; /* ids of flows that begin and end here; they end at the slice's begin */
	size_t n_starts, n_ends;
};

#define NO_STREAM UINT32_MAX

/* A bit in addition to the state, in the first byte of its record. */
#define STATE_HAS_PLACE 32
_Static_assert(STATES < STATE_HAS_PLACE, "a state's number has these bits");

/* A state that a thread is in. */
struct state_slice {
	uint32_t stream;
	enum state state;
	uint64_t begin_ticks, end_ticks;
	uint64_t before_ticks, before_begin_ticks;
	bool is_first;
	uint32_t construct; /* a wait: the construct at which the thread waits, 0 unknown */
	uint32_t awaited;   /* a wait: the construct of what let it end, 0 unknown */
	/* STATE_PREEMPTED and STATE_BLOCKED: what the kernel says about it; NULL: nothing. */
	const struct off_processor *off;
	bool has_next_cpu; /* the thread got a processor again */
	uint32_t taken_by; /* STATE_PREEMPTED: the first stream of the process that got the processor meanwhile, or NO_STREAM */
};

struct slice_stream {
	struct log slices, states;
	uint32_t item;                    /* item of the open slice; ITEM_NONE: no slice is open */
	uint32_t ordinal;                 /* of the open slice among those of its item */
	uint64_t begin_ticks, last_ticks; /* begin of the open slice; time of the last event that may change the task */
	bool is_settled;                  /* the open slice is in the part of the time that is shown, and has its ordinal */
	bool is_written;                  /* SLICE_BEGIN of the open slice is in the log */
	bool is_begun, is_lost;           /* there was an event; records are missing now */
	uint32_t wait;                    /* row of waits, from 1, after which the open slice resumes its task; 0 none */
	uint32_t arrival;                 /* the same, of arrivals */
	uint32_t release;                 /* the same, of slices.releases */
	uint32_t starts[SLICE_STARTS_MAX];
	size_t n_starts;
	uint64_t starts_ticks; /* of the first one of them */
	struct slice_wait {
		uint32_t task, waker; /* the task that waits; the last task that it waited for, 0 none */
		uint64_t begin_ticks, end_ticks;
		uint64_t node_ticks; /* when its node ends: that of a taskgroup ends after the wait */
		uint32_t around;     /* the row of the next wait that lasted longer and began earlier, from 1; 0 none */
	} * waits;                   /* waits after which a slice begins */
	size_t n_waits, waits_capacity;
	struct slice_wait latest; /* the latest wait that is over, if no slice has begun after it yet */
	struct slice_arrival {
		uint32_t region, barrier;          /* the barrier of that number of the region's team */
		uint32_t item, ordinal;            /* the last slice before the thread left the barrier */
		uint64_t begin_ticks, end_ticks;   /* of that slice */
		uint64_t next_ticks;               /* begin of the first slice after the barrier; UINT64_MAX: none */
		uint64_t enter_ticks, leave_ticks; /* of the barrier */
		uint32_t construct;                /* that the thread, or its task, comes from to the barrier */
		uint32_t around;                   /* as in slice_wait */
		uint32_t latest;                   /* the arrival that came last, from 1; 0: none came later */
		uint32_t waker;                    /* the arrival that released this one, from 1; 0: there is no such flow */
		uint32_t first, next;              /* the first arrival that this one released, from 1; the waker's next one */
	} * arrivals;                              /* at barriers */
	size_t n_arrivals, arrivals_capacity;
	struct {
		uint32_t item, ordinal;
		uint64_t begin_ticks, end_ticks;
	} last; /* the slice that was closed last */
	struct {
		uint32_t task, row; /* the task's next slice begins after this row of arrivals; task 0: none */
		uint64_t ticks;     /* if it begins then */
		uint32_t joined;    /* the row of the primary thread's arrival at the end of a region that it has not left yet */
	} barrier;
	/* waits.c: constructs, 0 none. */
	uint32_t acquiring, target; /* the latest mutex that the thread acquires, and the latest target construct */
	uint32_t shared;            /* the worksharing construct that its implicit task took part in since the latest barrier */
	uint32_t waiter;            /* the task that waits, if the thread does */
	char apart[64];             /* so that no two streams share a cache line */
};

struct slices {
	struct sink beside;    /* of the same output: it receives the same tasks and states as the slices; all 0: none */
	bool is_without_flows; /* set by the caller: nothing is kept for flows, and slices_link() is not called */
	/* Set by the caller for each process before slices_begin(); NULL: states have neither construct nor awaited. */
	const struct states *states;
	const struct trace *trace;
	const struct model *m;
	struct spill spill;
	char *dir;
	struct slice_stream *streams; /* by row of dump.streams */
	uint32_t n_items;
	uint32_t *n_slices; /* by item */
	uint8_t *flags;     /* by item: SLICE_HAS_ bits */
	uint8_t *forks;     /* by region: the slice that encountered it is there */
	uint16_t *waiting;  /* by task: in how many waits it is */
	uint32_t *sync_of;  /* by task: the construct that it waits at, 0 none; NULL where `states` is */
	/* For units of Argobots; NULL: the process has no units. */
	uint32_t *resumed; /* by unit: the row of releases after which its next slice begins, from 1; 0 none */
	uint64_t *stopped; /* by unit: end of its last closed slice */
	struct slice_release {
		uint32_t stream, item, ordinal; /* the slice in which a unit was released */
		uint64_t begin_ticks;           /* of that slice */
		uint64_t next_ticks;            /* begin of the released unit's next slice; UINT64_MAX: none */
	} * releases;
	size_t n_releases, releases_capacity;
	uint32_t *release_order; /* rows of releases by stream and begin of the slice */
	const struct graph *graph;
	struct slice_got { /* when a thread got a processor */
		uint64_t ticks;
		uint32_t cpu, stream;
	} * gots; /* by processor, in the order of time */
	size_t n_gots;
	struct ready_delays delays; /* of the process's tasks; nothing before slices_link() */
	struct slice_links {
		uint32_t *first; /* by task: its first row of `edges`; one more ends the last. NULL: no such flows exist */
		uint32_t *edges; /* numbers of edges */
	} leaving, arriving;
	uint32_t *members, *first_member; /* implicit tasks by region: first_member[region] in members */
	struct slice_arrival *arrivals;   /* of all streams, one stream after the other */
	uint32_t *first_arrival;          /* by stream, and where the last one's end */
	/* File i has the slices that begin before cuts[i], and not before cuts[i - 1]. NULL: all slices are in one file. */
	const uint64_t *cuts;
	size_t n_cuts;
	uint16_t *file_first, *file_last; /* by item: in which files its first and its last slice are */
};

/* All 0 before. 0, or -1 with the error printed; slices_close() in any case. */
int slices_open(struct slices *slices, const char *dir, const char *name);
void slices_close(struct slices *slices);

/*
 * For each process: begin, the replay with slices_ops and slices_pass_state, link, reading, end. A caller that reads no states
 * does not pass them.
 */
void slices_begin(struct slices *slices, const struct trace *trace);
extern const struct replay_ops slices_ops;
int slices_pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);
int slices_end(struct slices *slices);

/* Finds the flows. The graph must stay as long as slices are read. */
void slices_link(struct slices *slices, const struct graph *graph);

/*
 * Divides slices into n + 1 files, by the time at which they begin: the first file has those before cuts[0]. From then on,
 * slices have only flows from and to slices of the same file. `cuts` is not copied. 0, or -1 with the error printed.
 */
int slices_divide(struct slices *slices, const uint64_t *cuts, size_t n);
size_t slices_file(const struct slices *slices, uint64_t begin_ticks);

/* The chunks of all streams, numbered: for each stream those of slices, and then those of states. */
struct slices_chunk {
	size_t stream, chunk;
	bool has_states;
};
size_t slices_n_chunks(const struct slices *slices);
struct slices_chunk slices_chunk(const struct slices *slices, size_t number);

/* Calls the function for each slice, or state, of a chunk, in the order of time. Any thread. 0, or -1 with the error printed. */
int slices_read(const struct slices *slices, size_t stream, size_t chunk, void (*show)(void *self, const struct slice *slice),
		void *self);
int slices_read_states(const struct slices *slices, size_t stream, size_t chunk,
		       void (*show)(void *self, const struct state_slice *slice), void *self);

/* Do these flows exist: from the creator of a task or unit to it, and from an edge's source to its target? */
enum { SLICE_HAS_CREATOR = 1, SLICE_IS_WAKER = 2, SLICE_IS_JOINED = 4 };
bool slices_has_create(const struct slices *slices, uint32_t item);
bool slices_has_edge(const struct slices *slices, uint32_t edge);
/* The same for the flow from the last arrival at a barrier to the arrival in this row. */
bool slices_has_release(const struct slices *slices, uint32_t row);

/* Flow ids: unique in the run. */
enum slice_flow { FLOW_CREATE, FLOW_DEPEND, FLOW_WAKE, FLOW_RELEASE };
static inline uint64_t slices_flow_id(const struct slices *slices, enum slice_flow kind, uint32_t number)
{
	return (uint64_t)(slices->trace->process + 1) << 36 | (uint64_t)number << 2 | kind;
}

/* barriers.c: called by slices.c, on the thread of the stream, and by link.c. */
void slices_leave_barrier(struct slices *slices, const struct point *at, const struct scope *scope);
void slices_end_member(struct slices *slices, const struct point *at, uint32_t task);
void slices_leave_region(struct slices *slices, const struct point *at, uint32_t region);
void slices_go_on(const struct slices *slices, struct slice_stream *s);
void slices_link_barriers(struct slices *slices);

/* waits.c: called by slices.c, on the thread of the stream, and by read.c, on any. */
void slices_enter_scope(struct slices *slices, const struct point *at, const struct scope *scope);
void slices_leave_scope(struct slices *slices, const struct point *at, const struct scope *scope);
int slices_mutex(void *self, const struct point *at, const struct mutex *mutex);
/* The construct that the thread has waited at in this state, which ends; 0 none, or unknown. */
uint32_t slices_wait_construct(const struct slices *slices, uint32_t stream, enum state state);
/* The construct that the latest slice of a thread comes from to a barrier. */
uint32_t slices_barrier_construct(const struct slices *slices, const struct slice_stream *s);
/* When all waits and arrivals are known: finds those around each. */
void slices_nest_waits(struct slices *slices);
/* processors.c: called by slices_link(), and by waits.c on any thread. */
void slices_sort_processors(struct slices *slices);
/* Finds what the kernel says about a state without a processor. */
void slices_find_off(const struct slices *slices, struct state_slice *slice);
/* Finds what the wait of the task was for, or what the kernel says about the state. */
void slices_explain_state(const struct slices *slices, struct state_slice *slice, uint32_t task);

/* Does a task wait in the scope? In a taskgroup it waits only at the end, which has a scope of its own. */
static inline bool slices_is_wait(const struct scope *scope)
{
	return scope->type == (scope->kind == sync_kind_taskgroup ? SCOPE_SYNC_WAIT : SCOPE_SYNC);
}

/* For paradigms: an event that may change the current task or unit. 0, or -1 with the error printed. */
int slices_catch_up(struct slices *slices, const struct point *at);
/*
 * The open slice starts something else: an item; or a region, whose number comes after those of items. 0, or -1 with the error
 * printed.
 */
int slices_start(struct slices *slices, const struct point *at, uint32_t what);

/* What the paradigm that has units does for flows. On one thread: streams with units are replayed together. */
struct slices_unit_hooks {
	/* A slice of the unit is settled: links it to the release that it follows (slice_release). */
	void (*go_on)(struct slices *slices, struct slice_stream *s, uint32_t unit);
	/* In slices_link(): sorts the releases by the slices in which they happen. */
	void (*link)(struct slices *slices);
};

/* The name of the item's slices: its construct, else its kind; a name of the model, not quoted. */
const char *slices_name(const struct slices *slices, uint32_t item);
/* The name of an activity on a device. */
const char *slices_activity_name(const struct model *m, const struct activity *activity);
/* The row of the construct that the item is named after; and the kind of its node in the graph. */
uint32_t slices_construct(const struct slices *slices, uint32_t item);
enum node_kind slices_kind(const struct slices *slices, uint32_t item);
/* The number of its node in nodes.csv; 0 none. */
uint64_t slices_node(const struct slices *slices, uint32_t item);
/* How long its task was ready before this slice, which is its first one, began, in ns. False: it is not, or that is not known. */
bool slices_ready_ns(const struct slices *slices, const struct slice *slice, uint64_t *ns);

/* ---- Counters ---- */

/*
 * Counters over time for timelines: how many threads run, how many wait, and how many tasks are ready that no thread has
 * begun; averages of as many windows as parallelism.csv has rows. Used by the outputs that other tools show as timelines
 * (perfetto/, chrome/), on one thread but for the sweep of the windows.
 */

enum counter { COUNTER_RUNNING, COUNTER_READY, COUNTER_WAITING, COUNTERS };

/* Counters of the present process. */
struct counters {
	uint64_t *bounds;         /* of the windows, in ticks */
	double *values[COUNTERS]; /* by window: on average */
	size_t n_windows;
};

/* Fills in the sink for slices.beside. `counters`, all 0 before, must live as long as it. 0, or -1 with the error printed. */
int counters_open(struct counters *counters, struct sink *sink, const char *dir, size_t n_bins);

/* Forgets the process. */
void counters_end(struct counters *counters);

#endif
