/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary: what was recorded, what is missing, what the graph holds. For people on stdout, for programs as
 * summary.json. The builder calls it on the main thread: for each process when it is built, and for the files after the
 * last one.
 */
#ifndef OTTER_BUILDER_SUMMARY_SUMMARY_H
#define OTTER_BUILDER_SUMMARY_SUMMARY_H

#include "builder/summary/answer.h"
#include "builder/symbols/source_text.h"
#include "builder/model/paradigm.h"
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/states/states.h"
#include "builder/tables/row.h"
#include "builder/model/tables.h"
#include "builder/dump/samples.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Samples ---- */

/*
 * The summary's part about samples: in which states the runtime reported the threads, in all and by thread.
 */

struct thread_samples {
	const struct trace *trace;
	uint32_t stream; /* its number */
	struct sample_counts counts;
};

struct samples_summary {
	struct thread_samples *threads; /* by process and stream */
	size_t n_threads, capacity;
	struct sample_counts all;
};

/* Adds the samples of a process, whose trace lives as long as the summary. To be freed. */
void samples_collect(struct samples_summary *summary, const struct trace *trace);
void samples_summary_free(struct samples_summary *summary);

/* A line for people, where anything was sampled. */
void samples_print(const struct samples_summary *summary, FILE *out);

/* An object for programs; null where nothing was sampled. */
json_t *samples_json(const struct samples_summary *summary);

/* ---- Omitted ---- */

/*
 * Files that are written by default, but were left out as they would be large, as the summary reports them. bounds.c
 * finds them; one thread.
 */

#define OMITTED_MAX 8

struct omitted {
	struct omitted_file {
		const char *file, *option; /* its first name; the option that requests it, without "--" */
		const char *what;          /* what is counted: "nodes" */
		uint64_t count, n_bytes;   /* n_bytes: about how large the file would be; 0: not measured */
	} files[OMITTED_MAX];
	size_t n;
};

/* The file is left out. It has `count` rows by now; n_bytes are added to what earlier calls said. Texts are constant. */
void omitted_set(struct omitted *omitted, const char *file, const char *option, const char *what, uint64_t count, uint64_t n_bytes);

void summary_print_omitted(const struct omitted *omitted, FILE *out);
struct json_t;
struct json_t *summary_json_omitted(const struct omitted *omitted);

/* What a paradigm adds to the summary. On one thread. */
struct summary_hooks {
	/* Before the first process: returns `self` for the hooks below, all of which are called. */
	void *(*begin)(void);
	void (*collect)(void *self, const struct model *model, const struct states *states);
	/* After the last process was collected. May be NULL. */
	void (*finish)(void *self);
	/* On the screen: a paradigm's tasks, after those of OpenMP; then all else. One of them may be NULL. */
	void (*print_tasks)(const void *self, FILE *out);
	void (*print)(const void *self, FILE *out);
	/* In summary.json: the values of the paradigm's own keys, after the tasks. */
	void (*json)(const void *self, struct json_t *root);
	void (*free)(void *self);
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
	/* The longest work that only one task at a time can execute; count 0: none. */
	struct path_exclusion {
		const char *kind; /* of the mutex, or "mutexinoutset" */
		char *label;      /* of a construct with it, "" unknown; NULL with count 0 */
		uint64_t count;   /* how often it was held; of a set: its tasks */
		uint64_t ns;
		uint64_t serial_ns; /* what the initial task executes beside that */
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
	uint64_t n_stalls;     /* number of times that a store of the recorder waited for the file system */
	uint64_t stalled_ns;   /* how long these waits were; also counted as blocked, where a task was at work */
	uint64_t n_unknown;    /* number of threads of which only the two sums below are known */
	uint64_t running_ns, waiting_ns;
	uint64_t processor_ns;        /* of all threads of the processes; 0: not known */
	uint64_t unseen_ns;           /* the part of it that threads without records had, if that is a hundredth at least */
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

/* OpenMP runtimes without a tools interface that were mapped beside the one that was recorded. */
struct runtimes_summary {
	struct other_runtime {
		char *path;
		uint64_t n_processes, last_process; /* last_process: number + 1 of the last one that was collected */
	} * others;
	size_t n_others, capacity;
	uint64_t n_mpi; /* processes with a library of MPI */
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
	struct runtimes_summary runtimes;
	struct graph_counts graph;
	uint64_t n_exclusive_sets;
	uint64_t n_helpers;         /* threads that the runtime has for itself */
	struct thread_row *threads; /* by process and stream */
	size_t n_state_threads, threads_capacity;
	uint64_t life_ns; /* of all threads; the sum of state_ns */
	uint64_t state_ns[STATES], state_counts[STATES];
	struct samples_summary samples;
	struct processor_summary processors;
	void *of_paradigm[N_PARADIGMS]; /* of their summary_hooks */
	struct mutex_summary mutexes;
	struct path_summary path;
	struct answer_summary answer;
	struct omitted omitted; /* files that are written by default, and would be too large */
	struct tally quirks, repairs, damage;
	bool is_complete, is_snapshot;
	bool lacks_runtime; /* another runtime was in a process, and its threads used a hundredth of the processor time or more */
	uint64_t n_processes_outside; /* of which nothing is in the part */
	bool is_part;                 /* --from, --to: times, states, tasks and the graph are of a part of the processes' time: */
	uint64_t from_ns, to_ns;
	struct family family;      /* --task: the graph is that of a task and its descendants; task 0: it is not */
	uint64_t n_outside, n_cut; /* nodes that are left out, and those of which a part of the time is left out */
	size_t n_left_out;         /* processes of the run that are not built; not set by summary_begin() */
};

/* To be freed. The traces live as long. */
void summary_begin(struct summary *summary, const struct trace *traces, size_t n_processes, const struct symbols *symbols);
/* Adds a process when it is built. What is shown of it is copied: the tables may be freed. */
void summary_collect(struct summary *summary, const struct trace *trace, const struct graph *graph, const struct states *states,
		     const struct answer *answer, const struct what_if *what_if, const struct findings *findings);
/* After the last process. */
void summary_finish(struct summary *summary);

void summary_free(struct summary *summary);

void summary_print(const struct summary *summary, FILE *out);

/* What limits the run, which is known (answer.is_there), on one screen; `place`: where the files are. */
void summary_print_answer(const struct summary *summary, const char *place, struct source_rules rules, FILE *out);

/* DIR/summary.json. 0, or -1 after it printed the error. */
int summary_json(const struct summary *summary, const char *dir);
/* The content of summary.json, to be freed. */
struct json_t *summary_object(const struct summary *summary);
/* values.c: the same as a table. */
int summary_values(const struct summary *summary, const struct table_place *place);

/*
 * The parts of the above, each in a file: thread states (states.c), processors (processors.c), mutexes (mutexes.c), the
 * critical path (path.c), when recording was stopped (stopped.c), other runtimes (runtimes.c). Each collects, prints for people, and makes an object for
 * summary.json.
 */
struct json_t;
void summary_collect_states(struct summary *summary, const struct trace *trace, const struct states *states);
void summary_print_states(const struct summary *summary, FILE *out);
struct json_t *summary_json_states(const struct summary *summary);

void summary_collect_stop(struct stop_summary *stop, const struct trace *trace);
void summary_print_stop(const struct summary *summary, FILE *out);
struct json_t *summary_json_stop(const struct stop_summary *stop);

/* Does the process have any? To be called before its maps are freed. */
bool summary_collect_runtimes(struct runtimes_summary *runtimes, const struct trace *trace);
/* `title`: what each line begins with. */
void summary_print_runtimes(const struct summary *summary, const char *title, FILE *out);
struct json_t *summary_json_runtimes(const struct runtimes_summary *runtimes);
void summary_free_runtimes(struct runtimes_summary *runtimes);

/* unseen_ns: states_unseen_ns(). */
void summary_collect_processors(struct processor_summary *processors, const struct model *model, const struct states *states,
				uint64_t unseen_ns);
/* Called after the states, whose times it compares with work. */
void summary_print_processors(const struct summary *summary, FILE *out);
/* Prints nothing if unseen_ns is 0. `title`: what the line begins with. */
void summary_print_unseen(const struct processor_summary *processors, const char *title, FILE *out);
struct json_t *summary_json_processors(const struct summary *summary);

void summary_collect_mutexes(struct mutex_summary *mutexes, const struct graph *graph);
void summary_sort_mutexes(struct mutex_summary *mutexes); /* after the last process was collected */
void summary_print_mutexes(const struct mutex_summary *mutexes, FILE *out);
struct json_t *summary_json_mutexes(const struct mutex_summary *mutexes);
void summary_free_mutexes(struct mutex_summary *mutexes);

void summary_collect_path(struct path_summary *path, uint32_t process, const struct graph *graph, const struct states *states);
void summary_finish_path(struct path_summary *path); /* after the last process was collected */
void summary_print_path(const struct path_summary *path, FILE *out);
struct json_t *summary_json_path(const struct path_summary *path);

/* From which binaries names and lines come. NULL: from none. */
struct json_t *summary_json_binaries(const struct symbols *symbols);
void summary_free_path(struct path_summary *path);

/* ---- Processes ---- */

/*
 * The table of the processes of a run. Called by outputs.c and summary.c.
 */

/* DIR/processes.csv: a row for each process. 0, or -1 with the error printed. */
int processes_csv(const struct trace *traces, size_t n, const struct table_place *place);

/* The same as an array of objects. */
struct json_t;
struct json_t *processes_json(const struct trace *traces, size_t n);

#endif
