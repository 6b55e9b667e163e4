/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary: what was recorded, what is missing, what the graph holds. For people on stdout, for programs as
 * summary.json. The builder calls it on the main thread: for each process when it is built, and for the files after the
 * last one.
 */
#ifndef OTTER_BUILDER_SUMMARY_SUMMARY_H
#define OTTER_BUILDER_SUMMARY_SUMMARY_H

#include "builder/summary/answer.h"
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/states/states.h"
#include "builder/summary/omitted.h"
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
	char *type;
	uint64_t n_kernels, kernels_ns, n_data, n_transfers, transfers_ns, transferred_bytes, n_native, n_queues;
	uint64_t n_untimed; /* of all these: those at an unknown time */
};

struct device_summaries {
	struct device_summary *rows; /* by first appearance */
	size_t n, capacity;
};

/* A work function of Argobots' units. */
struct unit_function {
	char *label;
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
	unsigned reasons;          /* of all processes */
	bool is_known, is_unknown; /* of one process at least */
	uint32_t process, n_nodes; /* its number; of the path */
	uint64_t work_ns;          /* of all processes */
	uint64_t span_ns;
	struct path_row {
		char *label;
		uint64_t n_nodes, ns;
	} * rows; /* by construct, the longest first */
	size_t n_rows;
	uint64_t n_operations; /* transfers, launches and kernels on the path; the first of them are listed: */
	struct path_operation {
		const char *name;
		char from[16], to[16];
		uint64_t n_bytes, ns, node;
		bool is_of_device; /* ns is the device's time, else the host's */
	} * operations;
	size_t n_listed;
	/* What takes longest of what only one task at a time can execute; count 0: there is nothing. */
	struct path_exclusion {
		const char *kind; /* of the mutex, or "mutexinoutset" */
		char *label;      /* of a construct with it, "" unknown; NULL with count 0 */
		uint64_t count;   /* how often it was held; of a set: its tasks */
		uint64_t ns;
	} exclusion;
};

struct mutex_summary {
	struct mutex_place {
		char *label;
		const char *kind;
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

struct symbols;

/* When and why recording was stopped in the process where that came first. */
struct stop_summary {
	uint64_t n_processes; /* in which it was stopped; 0: nothing else is set */
	uint32_t process;
	unsigned cause; /* a loss_cause; 0: one that this version does not know */
	uint64_t ns, realtime_ns;
};

/* The states of a thread, or of several that had a stream one after the other. */
struct thread_row {
	uint32_t process, number; /* of the stream */
	uint64_t ns[STATES], counts[STATES], life_ns;
};

/* All processes of a run, added up. */
struct summary {
	const struct symbols *symbols; /* from which binaries names come */
	const struct trace *traces;    /* of which no more than the meta and the counts are used once they are collected */
	size_t n_processes;
	enum graph_level level;
	uint64_t n_threads, n_records, n_lost, stalled_ns, wall_ns, busy_ns;
	uint64_t lost[LOSS_CAUSES];
	uint64_t events[EVENT_KIND_LIMIT];
	uint64_t n_initial, n_implicit, n_explicit, n_target;
	struct stop_summary stop;
	struct graph_counts graph;
	uint64_t n_exclusive_sets;
	struct target_summary target;
	struct thread_row *threads; /* by process and stream */
	size_t n_state_threads, threads_capacity;
	uint64_t life_ns; /* of all threads; the sum of state_ns */
	uint64_t state_ns[STATES], state_counts[STATES];
	struct samples_summary samples;
	struct processor_summary processors;
	struct device_summaries devices;
	struct unit_summary units;
	struct mutex_summary mutexes;
	struct path_summary path;
	struct answer_summary answer;
	struct omitted omitted; /* files that are written by default, and would be too large */
	struct tally quirks, repairs, damage;
	bool is_complete, is_snapshot;
	uint64_t n_processes_outside; /* of which nothing is in the part */
	bool is_part;                 /* --from, --to: times, states, tasks and the graph are of a part of the processes' time: */
	uint64_t from_ns, to_ns;
	struct family family;      /* --task: the graph is that of a task and its descendants; task 0: it is not */
	uint64_t n_outside, n_cut; /* nodes that are left out, and those of which a part of the time is left out */
	size_t n_left_out;         /* processes of the run that are not built; not set by summary_begin() */
};

/* To be freed. The traces live as long. */
void summary_begin(struct summary *summary, const struct trace *traces, size_t n_processes, const struct symbols *symbols);
/* Adds a process when it is built. What is shown of it is copied: the tables may be given back. */
void summary_collect(struct summary *summary, const struct trace *trace, const struct graph *graph, const struct states *states,
		     const struct answer *answer, const struct what_if *what_if, const struct findings *findings);
/* After the last process. */
void summary_finish(struct summary *summary);

void summary_free(struct summary *summary);

void summary_print(const struct summary *summary, FILE *out);

/* What limits the run, which is known (answer.is_there), on one screen; `place`: where the files are. */
void summary_print_answer(const struct summary *summary, const char *place, FILE *out);

/* DIR/summary.json. 0, or -1 after it printed the error. */
int summary_json(const struct summary *summary, const char *dir);
/* What summary.json has, to be given back. */
struct json_t *summary_object(const struct summary *summary);
/* values.c: the same as a table. */
int summary_values(const struct summary *summary, const struct csv_place *place);

/*
 * The parts of the above, each in a file: thread states (states.c), processors (processors.c), what the host did for
 * devices (target.c), what devices reported (device.c), Argobots' work units (units.c), mutexes (mutexes.c), the
 * critical path (path.c), when recording was stopped (stopped.c). Each collects, prints for
 * people, and makes an object for summary.json.
 */
struct json_t;
void summary_collect_states(struct summary *summary, const struct trace *trace, const struct states *states);
void summary_print_states(const struct summary *summary, FILE *out);
struct json_t *summary_json_states(const struct summary *summary);

void summary_collect_stop(struct stop_summary *stop, const struct trace *trace);
void summary_print_stop(const struct summary *summary, FILE *out);
struct json_t *summary_json_stop(const struct stop_summary *stop);

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

void summary_collect_path(struct path_summary *path, uint32_t process, const struct graph *graph, const struct states *states);
void summary_finish_path(struct path_summary *path); /* after the last process was collected */
void summary_print_path(const struct path_summary *path, FILE *out);
struct json_t *summary_json_path(const struct path_summary *path);

/* binaries.c: from which binaries names and lines come. NULL: from none. */
struct json_t *summary_json_binaries(const struct symbols *symbols);
void summary_free_path(struct path_summary *path);

#endif
