/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What otter-build can write, as a table (outputs.def). main.c asks it for options, run.c for what the selected outputs
 * need and for their functions.
 *
 * A set of outputs is a bit mask: 1 << number of the row.
 */
#ifndef OTTER_BUILDER_OUTPUTS_H
#define OTTER_BUILDER_OUTPUTS_H

#include "builder/replay/sink.h"
#include "builder/run.h"

struct answer;
struct canonical_list;
struct database;
struct drawn;
struct graphs;
struct spawn;
struct states;
struct summary;
struct what_if;
struct findings;

/* What is gathered, kept or visited for an output. What no selected output needs is left out. */
enum output_need {
	NEEDS_REPLAY = 1,         /* the tables of each process, and its replay */
	NEEDS_GRAPH_COUNTS = 2,   /* how many nodes and edges of each kind there are */
	NEEDS_GRAPH = 4,          /* the nodes and edges themselves */
	NEEDS_STATES = 8,         /* how long each thread was in which state */
	HEARS_STATES = 16,        /* the same as NEEDS_STATES where thread states are wanted one by one; elsewhere nothing */
	NEEDS_LOCK_ORDERS = 32,   /* model.lock_orders */
	NEEDS_SYMBOLS = 64,       /* labels, functions and lines of the constructs */
	NEEDS_SOME_SYMBOLS = 128, /* the same, of processes with work units of Argobots, or with mutexes */
	NEEDS_SUMMARY = 256,
	NEEDS_CANONICAL = 1024,   /* the canonical edge list */
	NEEDS_RECORDS = 512,      /* the dump again, after its process was built */
	NEEDS_ANSWER = 2048,      /* what limits the run, to be shown */
	NEEDS_WHAT_IF = 4096,     /* the whole curve over threads */
	NEEDS_FIGURES = 8192,     /* as NEEDS_ANSWER, for pictures, which show what it is made from */
	NEEDS_SPAWN = 65536,      /* the paths on which tasks, regions and units were created */
	NEEDS_GROUPS = 131072,    /* the graph by construct and path */
	NEEDS_TASK_TIMES = 16384, /* what each task waited, and cost its creator */
	NEEDS_VARIABLES = 32768   /* names of the variables that dependences and mutexes are about */
};

enum output_trait {
	TRAIT_TASK_GRAPH = 1, /* goes with --graph=task only */
	TRAIT_FOR_PEOPLE = 2, /* not with --quiet */
	TRAIT_WHOLE = 4,      /* not with --from and --to, and not with --task */
	TRAIT_THREADS = 8,    /* not with --task */
	/* Left out by default where it would be large (bounds.h): by the run's nodes, or records. */
	TRAIT_BY_NODES = 16,
	TRAIT_BY_RECORDS = 32,
	TRAIT_BY_INTERVALS = 64,
	TRAIT_ASKED_OF_TASK = 128 /* with --task only where it is asked for */
};

/* What an output is made from. Only what the selected outputs need is there. */
struct built {
	const struct options *options;
	const char *directory;  /* where files are written; NULL if no selected output writes any */
	const char *place;      /* its name when everything is written */
	struct csv_place files; /* the tables of this directory */
	bool has_each_state;    /* thread states are wanted one by one */
	struct trace *traces;   /* their records may be put down (dump_take_up) */
	size_t n_traces;
	const struct graphs *graphs;
	const struct states *states;     /* one a trace */
	const struct answer *answer;     /* of the process in turn */
	const struct what_if *what_if;   /* the same */
	const struct findings *findings; /* the same */
	const struct summary *summary;
	struct drawn *drawn; /* graph.dot or graph.svg */
	const struct spawn *spawn;
	struct canonical_list *const *canonical;
	struct database *database; /* otter.sqlite; not open before the first output that writes into it */
};

struct output_row {
	const char *option, *help; /* help: NULL where another row has it */
	bool is_default;
	unsigned traits, needs;
	const char *const *files; /* ends with NULL */
	/* One of these four. Each returns 0, or -1 after it printed the error. */
	int (*follow)(struct sink *sink, const struct built *built); /* leaves the sink as it is where there is nothing to write */
	int (*append)(const struct built *built);
	int (*write)(const struct built *built);
	int (*print)(const struct built *built);
};

extern const struct output_row output_rows[];
extern const unsigned n_output_rows; /* 64 at most */

#define OUTPUT_FOLLOWER(name, ...) int output_follow_##name(struct sink *sink, const struct built *built);
#define OUTPUT_APPENDER(name, ...) int output_append_##name(const struct built *built);
#define OUTPUT_WRITER(name, ...)   int output_write_##name(const struct built *built);
#define OUTPUT_PRINTER(name, ...)  int output_print_##name(const struct built *built);
#include "builder/outputs.def"
#undef OUTPUT_FOLLOWER
#undef OUTPUT_APPENDER
#undef OUTPUT_WRITER
#undef OUTPUT_PRINTER

/* The outputs that an option selects; 0: it is no option of an output. */
uint64_t outputs_of_option(const char *option);
/* Those that write what a comparison reads: summary.json with the answer, constructs.csv and spawn.csv. */
uint64_t outputs_for_comparison(void);
/* Those that are selected where no option selects any. */
uint64_t outputs_default(void);

static inline bool output_is_selected(uint64_t outputs, unsigned row)
{
	return outputs >> row & 1;
}

/* Do any of these write files? */
bool outputs_have_files(uint64_t outputs);
/* What these outputs need together, each need with all that follows from it. */
unsigned outputs_need(uint64_t outputs, enum graph_level level, bool has_each_state);

/* Could this be a file of an output, whatever is selected? */
bool output_is_file(const char *name);

#endif
