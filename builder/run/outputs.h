/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What otter-build can write, as a table (outputs.def).
 *
 * A set of outputs is a bit mask: 1 << number of the row. A set of their options is one of BY_ constants.
 */
#ifndef OTTER_BUILDER_RUN_OUTPUTS_H
#define OTTER_BUILDER_RUN_OUTPUTS_H

#include "builder/replay/sink.h"
#include "builder/run/run.h"

struct answer;
struct canonical_list;
struct database;
struct drawn;
struct graphs;
struct callpaths;
struct states;
struct summary;
struct what_if;
struct findings;

enum output_trait {
	TRAIT_TASK_GRAPH = 1, /* goes with --graph=task only */
	TRAIT_FOR_PEOPLE = 2, /* not with --quiet */
	TRAIT_WHOLE = 4,      /* not with --from and --to, and not with --task */
	TRAIT_THREADS = 8,    /* not with --task */
	/* Left out by default where it would be large (bounds.c): by the run's nodes, or records. */
	TRAIT_BY_NODES = 16,
	TRAIT_BY_RECORDS = 32,
	TRAIT_BY_INTERVALS = 64,
	TRAIT_ASKED_OF_TASK = 128 /* with --task only if it is requested */
};

enum output_option_number {
#define OUTPUT_OPTION(name, ...) OUTPUT_##name,
#include "builder/run/outputs.def"
#undef OUTPUT_OPTION
	N_OUTPUT_OPTIONS
};

enum output_option_bit {
#define OUTPUT_OPTION(name, ...) BY_##name = 1 << OUTPUT_##name,
#include "builder/run/outputs.def"
#undef OUTPUT_OPTION
};

struct output_option {
	const char *name, *help; /* NULL: the user cannot give it */
	bool is_default;
	unsigned traits;
};

extern const struct output_option output_options[N_OUTPUT_OPTIONS];

/* What an output is made from. Only what the selected outputs need is there. */
struct built {
	const struct options *options;
	const char *directory;    /* where files are written; NULL if no selected output writes any */
	const char *place;        /* its name when everything is written */
	struct table_place files; /* the tables of this directory */
	bool has_each_state;      /* thread states are wanted one by one */
	struct trace *traces;     /* their records may be put down (dump_take_up) */
	size_t n_traces;
	const struct graphs *graphs;
	const struct states *states;     /* one a trace */
	const struct answer *answer;     /* of the current process */
	const struct what_if *what_if;   /* the same */
	const struct findings *findings; /* the same */
	const struct summary *summary;
	struct drawn *drawn; /* graph.dot or graph.svg */
	const struct callpaths *callpaths;
	struct canonical_list *const *canonical;
	struct database *database; /* otter.sqlite; not open before the first output that writes into it */
};

#define SINKS_OF_OUTPUT 2

struct output_row {
	unsigned options, traits, needs;
	const char *const *files; /* ends with NULL */
	/* Each is NULL, or returns 0, or -1 after it printed the error. */
	int (*follow)(struct sink *sinks, const struct built *built); /* opens SINKS_OF_OUTPUT at most, the others stay zero */
	int (*append)(const struct built *built);
	int (*write)(const struct built *built);
	int (*print)(const struct built *built);
};

extern const struct output_row output_rows[];
extern const unsigned n_output_rows; /* 64 at most */

/* The options that are selected where the user selects none. */
unsigned output_options_default(void);
/* The outputs that any of these options selects. */
uint64_t outputs_of(unsigned options);
/* The outputs that are made: for a task (--task), none that is about threads. */
uint64_t outputs_selected(const struct options *options);
/* The name of an option that selects it. */
const char *output_option_of(unsigned row);

static inline bool output_is_selected(uint64_t outputs, unsigned row)
{
	return outputs >> row & 1;
}

/* Do any of these write files? */
bool outputs_have_files(uint64_t outputs);
/* The stages that these outputs need, with all that these need (stages.h). */
unsigned outputs_need(uint64_t outputs, const struct options *options, bool has_each_state);

/* Could this be a file of an output, whatever is selected? */
bool output_is_file(const char *name);

/* outputs_sqlite.c: otter.sqlite. */
int sqlite_follow(struct sink *sinks, const struct built *built);
int sqlite_append(const struct built *built);
int sqlite_write(const struct built *built);

#endif
