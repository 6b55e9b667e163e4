/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary: what was recorded, what is missing, what the graph holds. For people on stdout, for programs as
 * summary.json. run.c calls it on the main thread when all processes are built; summary.json is written beside other
 * files, on any thread.
 */
#ifndef OTTER_BUILDER_SUMMARY_SUMMARY_H
#define OTTER_BUILDER_SUMMARY_SUMMARY_H

#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/states/states.h"
#include "builder/summary/samples.h"

#define TARGET_DATA_OPS 10 /* kinds of target_data_op, without _async; 0: others */

/* What the host did for devices. */
struct target_summary {
	uint64_t n_regions, n_submits, n_devices;
	uint64_t n_helpers; /* the runtime's hidden helper threads, which execute target tasks */
	struct {
		uint64_t n, n_bytes;
		uint64_t n_failed; /* of n; their bytes are not in n_bytes */
	} operations[TARGET_DATA_OPS];
};

/* What a device reported of itself, by its own clock. */
struct device_summary {
	int32_t number;
	const char *type;
	uint64_t n_kernels, kernels_ns, n_data, n_transfers, transfers_ns, transferred_bytes, n_native, n_queues;
	uint64_t n_untimed; /* of all these: those at an unknown time */
};

struct device_summaries {
	struct device_summary *rows; /* by first appearance */
	size_t n, capacity;
};

/* A work function of Argobots' units. */
struct unit_function {
	const char *label;
	uint64_t n, n_runs, n_yields, n_suspends, n_polls;
	/*
	 * What all runs executed, and the shortest and the longest one; how long they were suspended, and ready to run.
	 */
	uint64_t busy_ns, min_ns, max_ns, wait_ns, queued_ns;
};

struct unit_summary {
	uint64_t n[UNIT_KINDS]; /* rows of model.units */
	uint64_t n_lives, n_runs, n_yields, n_suspends, n_polls, n_revived, n_cancelled, n_migrated;
	uint64_t busy_ns;                /* without schedulers */
	struct unit_function *functions; /* the longest first */
	size_t n_functions, capacity;
};

/* The critical path of the process that has the longest one. */
struct path_summary {
	bool is_there; /* only the fragment level has one */
	enum path_bound bound;
	unsigned reasons; /* of all processes */
	size_t process;
	uint64_t work_ns; /* of all processes */
	uint64_t span_ns;
	struct path_row {
		const char *label;
		uint64_t n_nodes, ns;
	} * rows; /* by construct, the longest first */
	size_t n_rows;
	uint64_t n_operations; /* transfers, launches and kernels on the path */
	/* What takes longest of what only one task at a time can execute; count 0: there is nothing. */
	struct path_exclusion {
		const char *kind;  /* of the mutex, or "mutexinoutset" */
		const char *label; /* of a construct with it, "" unknown */
		uint64_t count;    /* how often it was held; of a set: its tasks */
		uint64_t ns;
	} exclusion;
};

struct mutex_summary {
	struct mutex_place {
		const char *label, *kind;
		uint64_t n_mutexes, n_acquired, n_failed, held_ns, wait_ns;
	} * places; /* by process, construct and kind; those that were held longest first */
	size_t n_places;
};

/* What the kernel says about processors. */
struct processor_summary {
	bool are_recorded;     /* of one process at least */
	uint64_t work_ns;      /* all work: what preempted_ns and unknown_ns are compared with */
	uint64_t unknown_ns;   /* of work_ns: it is not known whether the thread had a processor */
	uint64_t n_migrations; /* how often a thread got another processor than it had left */
	uint64_t n_stalls;     /* stretches in which a store of the recorder's waited for the file system, */
	uint64_t stalled_ns;   /* and how long they were; also counted as blocked, where a task was at work */
	uint64_t n_unknown;    /* threads of which nothing is known but sums: */
	uint64_t running_ns, waiting_ns;
	uint64_t stolen_ns, total_ns; /* of this machine's processors, while the run lasted; total 0: not known */
};

/* All processes of a run, added up. */
struct summary {
	const struct graphs *graphs;
	uint64_t n_threads, n_records, n_lost, stalled_ns, wall_ns, busy_ns;
	uint64_t lost[LOSS_CAUSES];
	uint64_t events[EVENT_KIND_LIMIT];
	uint64_t n_initial, n_implicit, n_explicit, n_target;
	struct graph_counts graph;
	uint64_t n_exclusive_sets;
	struct target_summary target;
	const struct states *states; /* one a process */
	uint64_t life_ns;            /* of all threads; the sum of state_ns */
	uint64_t state_ns[STATES], state_counts[STATES];
	const struct samples_summary *samples;
	struct processor_summary processors;
	struct device_summaries devices;
	struct unit_summary units;
	struct mutex_summary mutexes;
	struct path_summary path;
	struct tally quirks, repairs, damage;
	bool is_complete, is_snapshot;
	uint64_t n_processes_outside; /* of which nothing is in the part */
	bool is_part;                 /* --from, --to: times, states, tasks and the graph are of a part of the processes' time: */
	uint64_t from_ns, to_ns;
	struct family family;      /* --task: the graph is that of a task and its descendants; task 0: it is not */
	uint64_t n_outside, n_cut; /* nodes that are left out, and those of which a part of the time is left out */
	size_t n_left_out;         /* processes of the run that are not built; not set by summary_collect() */
};

/* Adds everything up, when all traces are replayed and the samples are counted. `states`: one a trace. To be freed. */
void summary_collect(struct summary *summary, const struct graphs *graphs, const struct states *states,
		     const struct samples_summary *samples);

void summary_free(struct summary *summary);

void summary_print(const struct summary *summary, FILE *out);

/* DIR/summary.json. 0, or -1 after it printed the error. */
int summary_json(const struct summary *summary, const char *dir);

/*
 * The parts of the above, each in a file: thread states (states.c), processors (processors.c), what the host did for
 * devices (target.c), what devices reported (device.c), Argobots' work units (units.c), mutexes (mutexes.c), the
 * critical path (path.c). Each collects, prints for
 * people, and makes an object for summary.json.
 */
struct json_t;
void summary_collect_states(struct summary *summary);
void summary_print_states(const struct summary *summary, FILE *out);
struct json_t *summary_json_states(const struct summary *summary);

void summary_collect_processors(struct processor_summary *processors, const struct model *model, const struct states *states);
/* After the states, whose times it compares with work. */
void summary_print_processors(const struct summary *summary, FILE *out);
struct json_t *summary_json_processors(const struct summary *summary);

void summary_collect_target(struct target_summary *target, const struct model *model);
void summary_print_target(const struct target_summary *target, FILE *out);
struct json_t *summary_json_target(const struct target_summary *target);

void summary_collect_devices(struct device_summaries *devices, const struct model *model);
void summary_print_devices(const struct device_summaries *devices, FILE *out);
struct json_t *summary_json_devices(const struct device_summaries *devices);
void summary_free_devices(struct device_summaries *devices);

void summary_collect_units(struct unit_summary *units, const struct model *model, const struct busy *busy);
void summary_sort_units(struct unit_summary *units); /* after the last process was collected */
void summary_print_units(const struct unit_summary *units, FILE *out);
struct json_t *summary_json_units(const struct unit_summary *units);
void summary_free_units(struct unit_summary *units);

void summary_collect_mutexes(struct mutex_summary *mutexes, const struct graph *graph);
void summary_sort_mutexes(struct mutex_summary *mutexes); /* after the last process was collected */
void summary_print_mutexes(const struct mutex_summary *mutexes, FILE *out);
struct json_t *summary_json_mutexes(const struct mutex_summary *mutexes);
void summary_free_mutexes(struct mutex_summary *mutexes);

void summary_collect_path(struct path_summary *path, const struct graphs *graphs, const struct states *states);
void summary_print_path(const struct path_summary *path, const struct graphs *graphs, FILE *out);
struct json_t *summary_json_path(const struct path_summary *path, const struct graphs *graphs);
void summary_free_path(struct path_summary *path);

#endif
