/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of one run of the builder: what run.c owns, and what its parts do with it. Main thread.
 *   run.c      the way from the options to the exit status
 *   opening.c  opens the dumps, and chooses those that are built
 *   process.c  builds the processes, one after the other
 *   stages.c   what is made of a process
 */
#ifndef OTTER_BUILDER_RUN_JOB_H
#define OTTER_BUILDER_RUN_JOB_H

#include "builder/answer/answer.h"
#include "builder/callpaths/callpaths.h"
#include "builder/draw/files.h"
#include "builder/findings/findings.h"
#include "builder/graph/files.h"
#include "builder/run/outputs.h"
#include "builder/run/run.h"
#include "builder/run/stages.h"
#include "builder/sqlite/database.h"
#include "builder/states/states.h"
#include "builder/states/task_times.h"
#include "builder/summary/summary.h"
#include "builder/support/output.h"
#include "builder/support/progress.h"
#include "builder/whatif/whatif.h"

#define MAX_SINKS      (64 * SINKS_OF_OUTPUT)
#define BOUNDED_TABLES 4

struct symbols;

/* What the stages make of the current process; zero where no stage makes it. */
struct slots {
	struct trace *trace;
	struct graph *graph; /* its own of job.graphs and job.states, which outputs know by the number of the process */
	struct states *states;
	struct times_finder times;
	struct callpath_tree tree;
	struct graph *fragments; /* the graph that the answer is made of: `graph`, or own_fragments */
	struct graph own_fragments;
	struct answer answer;
	struct findings_track findings_track;
	struct findings findings;
	struct what_if what_if;
	struct visitor visitors[N_STAGES + MAX_SINKS];
	size_t n_visitors;
	struct state_listener listeners[N_STAGES + MAX_SINKS];
	size_t n_listeners;
};

struct job {
	const struct options *options;
	uint64_t selected;                       /* outputs of the options */
	uint64_t outputs;                        /* the same without what is too large (bounds.c) */
	uint64_t n_bounded_rows[BOUNDED_TABLES]; /* of the tables that bounds.c knows, so far */
	unsigned needs;                          /* the stages of all outputs */
	char **paths;                            /* of the dumps */
	size_t n_paths, paths_capacity;
	size_t n_open;                /* traces with an open dump */
	bool has_left_out;            /* some of the dumps given are of other runs */
	size_t n_left_out;            /* processes of the run that are not built (--process) */
	size_t n_outside;             /* those that have no time between --from and --to */
	uint64_t longest_ns;          /* how long the longest process lasted */
	struct tally repairs;         /* of the processes that were built */
	struct graph_numbers numbers; /* the same */
	struct trace *traces;
	struct graph *graphs;
	struct states *states;
	struct slots now;
	struct symbols *symbols;
	struct callpaths callpaths; /* of the processes that were built */
	struct summary summary;
	struct canonical_list *canonical;
	struct sink sinks[MAX_SINKS];
	size_t n_sinks;
	struct database database;
	struct drawn drawn;
	struct output output;
	struct progress progress;
};

/* opening.c: adds a dump, or all dumps of a directory by name, to the paths. Returns 0, or -1 with the error printed. */
int find_dumps(struct job *job, const char *path);
/* opening.c: opens all dumps, and leaves open what is to be built. 0, or -1 with the error printed. */
int open_dumps(struct job *job);
/*
 * opening.c: is the dump whole, so that reading it a second time finds the same, and reports no damage again? The life of a
 * dump with an end is known without its records (runs.c).
 */
bool can_take_up(const struct dump *dump);

/* process.c: 0, or -1 with the error printed. */
int build_processes(struct job *job, const struct built *built);

/* stages.c: the answer of the current process, for outputs that are not pictures: empty if only pictures need it. */
const struct answer *shown_answer(const struct job *job);

/* ---- Bounds ---- */

/*
 * Outputs that are written by default are bounded: those that grow with the run are left out where they would be large, and
 * the summary reports it (summary/summary.h). Main thread.
 */

#define BOUNDS_NODES            1000000   /* of all processes, in tables with a row for each */
#define BOUNDS_RECORDS          100000000 /* of all dumps, for the archive */
#define BOUNDS_INTERVAL_RECORDS 4000000   /* and for thread states one by one, which are fewer */

/* Those of the outputs that would be too large with this number of records, or nodes. */
uint64_t bounds_by_records(uint64_t outputs, uint64_t n_records);
uint64_t bounds_by_nodes(uint64_t outputs, uint64_t n_nodes);

/* When all dumps are open: leaves out what would be too large by the number of records. */
void bounds_set_by_records(struct job *job);
/*
 * When a process is built, before it is written: leaves out what is too large by the number of nodes, with what earlier
 * processes have added to it.
 */
void bounds_set_by_nodes(struct job *job, size_t i);

#endif
