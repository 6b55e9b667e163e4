/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One run of the builder on its way: what run.c owns, and what its parts do with it. Used by these alone:
 *   run.c      the way from the options to the exit status
 *   opening.c  opens the dumps, and chooses those that are built
 *   process.c  builds the processes, one after the other
 *   verdict.c  what is known of all dumps once they are built
 * All on the main thread.
 */
#ifndef OTTER_BUILDER_JOB_H
#define OTTER_BUILDER_JOB_H

#include "builder/answer/answer.h"
#include "builder/graph/files.h"
#include "builder/lint/lint.h"
#include "builder/outputs.h"
#include "builder/picture/files.h"
#include "builder/run.h"
#include "builder/spawn/spawn.h"
#include "builder/sqlite/database.h"
#include "builder/states/states.h"
#include "builder/states/task_times.h"
#include "builder/summary/summary.h"
#include "builder/support/output.h"
#include "builder/support/progress.h"
#include "builder/whatif/whatif.h"

#define MAX_SINKS      64 /* as many as outputs */
#define BOUNDED_TABLES 4

struct symbols;

struct job {
	const struct options *options;
	uint64_t outputs;                        /* those of the options, without what is too large (bounds.h) */
	uint64_t n_bounded_rows[BOUNDED_TABLES]; /* of the tables that bounds.c knows, so far */
	unsigned needs;                          /* enum output_need, of all outputs */
	char **paths;                            /* of the dumps */
	size_t n_paths, paths_capacity;
	size_t n_open;                /* traces with an open dump */
	bool has_left_out;            /* some of the dumps given are of other runs */
	size_t n_left_out;            /* processes of the run that are not built (--process) */
	size_t n_outside;             /* those that have no time between --from and --to */
	uint64_t longest_ns;          /* how long the longest process lasted */
	bool is_passing;              /* nothing asks for a process once it is built */
	struct tally repairs;         /* of the processes that were given back */
	struct graph_numbers numbers; /* of the processes that were built */
	struct trace *traces;
	struct graph *graphs;
	struct states *states;
	struct answer answer;   /* of the process that is built; with NEEDS_FIGURES */
	struct what_if what_if; /* the same */
	struct lint_track lint_track;
	struct findings findings;
	struct graph answer_graph; /* the fragment graph that only the answer asks for */
	struct times_finder times; /* of the process that is built; with NEEDS_TASK_TIMES */
	struct spawn_tree tree;    /* of the process that is built; with NEEDS_SPAWN */
	struct spawn spawn;        /* of those that are built */
	struct sink sinks[MAX_SINKS];
	size_t n_sinks;
	struct symbols *symbols;
	struct summary summary;
	struct canonical_list *canonical;
	struct database database;
	struct drawn drawn;
	struct output output;
	struct progress progress;
};

/* opening.c: adds a dump, or, of a directory of dumps, all of them by name, to the paths. 0, or -1 with the error printed. */
int find_dumps(struct job *job, const char *path);
/* opening.c: opens all dumps, and leaves open what is to be built. 0, or -1 with the error printed. */
int open_dumps(struct job *job);
/*
 * Is it whole, so that reading it a second time finds the same, and tells no damage a second time? One with an end needs
 * no record for its life (runs.c).
 */
bool can_take_up(const struct dump *dump);

/*
 * process.c: gathers and replays each process for the outputs that follow, and hands what was built to those that are
 * made while processes are built. 0, or -1 with the error printed.
 */
int build_processes(struct job *job, const struct built *built);

/* What is known of all dumps once they are built. What was not built was not checked for repairs. */
struct verdict {
	struct tally repairs, damage;
	uint64_t n_lost;
	bool is_complete, is_snapshot;
	bool is_good;
};

/* verdict.c */
struct verdict judge(const struct job *job);
/* --strict: prints why nothing is written. Returns the exit status. */
int refuse(const struct job *job, const struct verdict *verdict);

#endif
