/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A recorded run, as the comparison of runs uses it: read from summary.json, constructs.csv and spawn.csv of its build, by
 * builder/commands/diff.c, and used by the rest of this folder; one thread.
 */
#ifndef OTTER_BUILDER_DIFF_RUN_H
#define OTTER_BUILDER_DIFF_RUN_H

#include "builder/support/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of constructs.csv. */
enum diff_figure { FIGURE_COUNT, FIGURE_OWN, FIGURE_WAIT, FIGURE_BLAMED, FIGURES };

/* A place in the source; constructs of several processes at the same place are one. */
struct diff_place {
	char *kind, *label, *file, *function; /* "": not known */
	uint64_t line;                        /* 0: not known */
};

struct diff_construct {
	struct diff_place place;
	uint64_t number; /* in constructs.csv */
	uint64_t figures[FIGURES];
	size_t row; /* of the side, when that is finished */
};

/* What a step of a path of creation is, where it is no construct. */
#define STEP_PROCESS UINT32_MAX
#define STEP_UNKNOWN (UINT32_MAX - 1)
#define STEP_OTHERS  (UINT32_MAX - 2)

/* A path of creation, by its last step: a row of spawn.csv. */
struct diff_step {
	uint32_t above;     /* index of the path that it extends, which is lower; for a process: its own index */
	uint32_t construct; /* index in the run's constructs, or a STEP_... */
	uint64_t count, own_ns;
};

struct diff_run {
	char *path;     /* of the build, or of the dump that was built */
	char **dumps;   /* names of the dumps that it was built from, without .otter */
	size_t n_dumps; /* number of `dumps` */
	uint64_t n_threads, wall_ns, work_ns;
	bool is_good;                         /* complete, and nothing was repaired */
	char *limit;                          /* the kind of what limits it */
	struct diff_place limiting;           /* its construct, an empty label: none */
	double speedup;                       /* bound of the speedup from removing it: an upper one, or a lower one */
	bool is_lower_bound, is_gain_unknown; /* unknown: `speedup` says nothing */
	struct diff_construct *constructs;
	size_t n_constructs, capacity;
	size_t n_numbers;        /* number of rows of constructs.csv, some of which have no figures */
	struct diff_step *steps; /* NULL: it was built without paths of creation */
	size_t n_steps;
};

/* Does the directory have the files that are read? */
bool diff_run_is_there(const char *dir);

/* Reads a build; `path` is what it is called. 0, or -1 after it printed the error; both need diff_run_free(). */
int diff_run_read(struct diff_run *run, const char *dir, const char *path);
void diff_run_free(struct diff_run *run);

/* Reads DIR/spawn.csv when the constructs are read, if there is one. 0, or -1 after it printed the error. */
int diff_run_read_steps(struct diff_run *run, const char *dir);

/* ---- Table ---- */

/*
 * Reads a table that tables/row.h wrote (RFC 4180): the first line names the columns, every row has as many fields as
 * there are columns, and the last line is ended. Called by run.c for the tables of an earlier build; one thread.
 */

struct table {
	char *path, *text; /* of the file; its bytes, of which fields are parts */
	char **fields;     /* n_rows + 1 times n_columns, row by row; the first row has the names of the columns */
	size_t n_rows, n_columns, n_fields, capacity;
	size_t *lines; /* by row: its line in the file, from 1 */
	size_t lines_capacity;
};

/* Reads DIR/NAME. 0, or -1 after it printed the error; in both cases table_free() is needed. */
int table_read(struct table *table, const char *dir, const char *name);
void table_free(struct table *table);

/* The number of the column, or -1 after it printed that the table has none of this name. */
int table_column(const struct table *table, const char *name);

/* A field of the row, from 1 on. */
static inline const char *table_field(const struct table *table, size_t row, int column)
{
	return table->fields[row * table->n_columns + (size_t)column];
}

/* Parses the same as a number. 0, or -1 with the error printed if it is not a number. */
int table_number(const struct table *table, size_t row, int column, uint64_t *number);

/* ---- Tree ---- */

/*
 * The paths of creation of a side's runs as one tree: a node is a path, and its last step a construct of the side. All
 * processes of a run are one root, as their constructs are one. Made by side.c, matched and compared by paths.c; one thread.
 */

#define NO_NODE   UINT32_MAX
#define TREE_ROOT 0 /* a process: nothing created what is below */

enum path_figure { PATH_COUNT, PATH_OWN, PATH_FIGURES };

struct diff_tree {
	struct diff_node {
		uint32_t parent; /* with a lower number; the root's is itself */
		uint32_t step;   /* row of the side, or a STEP_... */
	} * nodes;
	uint32_t n_nodes; /* 0: a run was built without paths */
	size_t nodes_capacity, n_runs;
	uint64_t *values; /* by node, figure and run; 0 where a run does not have the path */
	size_t values_capacity;
	struct map children; /* parent << 32 | step -> node */
};

/* Called when the rows of the runs' constructs are set; to be freed. */
void diff_tree_make(struct diff_tree *tree, const struct diff_run *runs, size_t n_runs);
void diff_tree_free(struct diff_tree *tree);

/* By run. */
static inline const uint64_t *diff_tree_values(const struct diff_tree *tree, uint32_t node, enum path_figure figure)
{
	return tree->values + (node * (size_t)PATH_FIGURES + figure) * tree->n_runs;
}

/* The node to which a step leads from another one, or NO_NODE. */
static inline uint32_t diff_tree_child(const struct diff_tree *tree, uint32_t parent, uint32_t step)
{
	const uint32_t *child = map_get(&tree->children, (uint64_t)parent << 32 | step);
	return child != NULL ? *child : NO_NODE;
}

#endif
