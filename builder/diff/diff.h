/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The comparison of runs: what differs between two sides, and how work grows with the number of threads over several.
 * docs/analyses.md has the rules. diff.c makes it, text.c prints it for people, json.c writes it for programs, and it is what
 * the page of --report shows. builder/commands/diff.c calls them; one thread.
 */
#ifndef OTTER_BUILDER_DIFF_DIFF_H
#define OTTER_BUILDER_DIFF_DIFF_H

#include "builder/support/format.h"
#include "builder/diff/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- Noise ---- */

/*
 * What differs between two groups of runs, beyond what chance explains: medians, and a bootstrap interval of their
 * difference. The same numbers give the same interval in every run of the builder. docs/analyses.md has the rule. Called by
 * diff.c; one thread.
 */

struct noise_group {
	double median, least, most;
};

/* A figure on both sides. */
struct noise_change {
	struct noise_group a, b;
	double difference;      /* of the medians, B less A */
	bool has_interval;      /* both sides have several runs: */
	double lowest, highest; /* the difference is between these, by 95 % of the draws */
};

/* The group of n values; n is at least 1. */
struct noise_group noise_group(const uint64_t *values, size_t n);

/* n_a and n_b are at least 1. */
struct noise_change noise_compare(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b);

/* Is the difference more than chance makes, as far as the interval shows? */
static inline bool noise_excludes_zero(const struct noise_change *change)
{
	return change->has_interval && (change->lowest > 0 || change->highest < 0);
}

/*
 * Is a time's change more than chance makes, and large enough to matter? least: its smallest size, in the unit of the figure.
 * threshold: the share of A's median that it must be beyond, where a side has one run.
 */
bool noise_is_change(const struct noise_change *change, double threshold, double least);
/* Are all counts of a side above all those of the other? */
bool noise_is_other_count(const struct noise_change *count);

/*
 * The number of comparisons of runs without a difference, of which one on average has all runs of a side above all those
 * of the other by chance.
 */
double noise_chance(size_t n_a, size_t n_b);

/* ---- Side ---- */

/*
 * A side of the comparison: several runs of one program, and the constructs of all of them, as rows that can be matched
 * with those of another side. side.c puts the rows together, match.c matches them, diff.c calls both; one thread.
 */

#define NO_ROW SIZE_MAX

/* A construct of a side. */
struct diff_row {
	const struct diff_place *place;
	const char *file, *function; /* by which it is matched: the file's name without folders, the function without suffixes */
	size_t file_bytes, function_bytes;
	uint64_t position;         /* its line; without lines its offset */
	uint64_t *values[FIGURES]; /* by run; 0 where a run does not have the construct */
};

struct diff_side {
	const char *name;
	struct diff_run *runs;
	size_t n_runs, capacity;
	struct diff_row *rows; /* those of the same kind, file and function after each other, by position */
	size_t n_rows;
	struct diff_tree tree;
	/* What limits most of the runs: */
	const struct diff_run *limited; /* one of these runs */
	size_t n_limited, limiting;     /* how many they are; the row of their construct, or NO_ROW */
};

/* Makes the rows when all runs are read, and frees all. */
void diff_side_finish(struct diff_side *side);
void diff_side_free(struct diff_side *side);

/* Are the rows of the same kind, file and function; of the same file; of the same function? <, = or > 0: their order. */
int diff_row_compare_group(const struct diff_row *a, const struct diff_row *b);
int diff_row_compare_file(const struct diff_row *a, const struct diff_row *b);
int diff_row_compare_function(const struct diff_row *a, const struct diff_row *b);

/* Two rows at the same line of their files, or, without lines, of the same label? They are of the same kind and function. */
bool diff_row_is_same(const struct diff_row *a, const struct diff_row *b);

/*
 * Rows of both sides that are the same construct: of_a[i] becomes the row of b that row i of a is, or NO_ROW; of_b the
 * other way round.
 */
void diff_match(const struct diff_side *a, const struct diff_side *b, size_t *of_a, size_t *of_b);

/* A path of creation of a construct, on one side or both. */
struct diff_path {
	uint32_t a, b; /* nodes of the sides' trees, or NO_NODE */
	struct noise_change figures[PATH_FIGURES];
	bool is_changed[PATH_FIGURES];
};

/* A construct of one side or both. */
struct diff_entry {
	const struct diff_row *a, *b; /* NULL: that side does not have it */
	bool is_moved;                /* matched, but not by its file and line */
	struct noise_change figures[FIGURES];
	bool is_changed[FIGURES]; /* beyond noise, and large enough to matter */
	struct diff_path *paths;  /* those first whose times differ most */
	size_t n_paths;           /* at most DIFF_PATHS */
	size_t n_left_out;        /* number of further paths, which are not in `paths` */
};

#define DIFF_PATHS 20

struct diff {
	const struct diff_side *sides;
	size_t n_sides;
	double threshold; /* the share by which B may take longer */
	/* For two sides; n_entries is 0 for any other number: */
	struct noise_change wall;
	double least_ns; /* smaller changes of a time do not count as changes */
	bool is_slower, is_faster, has_other_limit;
	struct diff_entry *entries; /* those first whose times differ most */
	size_t n_entries;
	struct diff_path *paths; /* of all entries; NULL: a side does not have them */
	/* For several sides, and for two with different numbers of threads: */
	bool has_scaling;
	size_t base;                         /* the side with the fewest threads */
	size_t *rows;                        /* by side, and row of the base: the row of that side, or NO_ROW */
	double *threads, *wall_ns, *work_ns; /* by side: medians */
};

/* To be freed. The sides live as long. */
void diff_make(struct diff *diff, const struct diff_side *sides, size_t n_sides, double threshold);
void diff_free(struct diff *diff);

/* The place that a side's construct is shown by, and its name for people. */
const struct diff_place *diff_entry_place(const struct diff_entry *entry);

static inline const char *diff_place_name(const struct diff_place *place)
{
	return place->label[0] != '\0' ? place->label : place->kind;
}

/* Do paths of creation show more about the construct than its own figures? They do if there is more than one. */
static inline bool diff_has_paths(const struct diff_entry *entry)
{
	return entry->n_paths > 1;
}

/*
 * Gives each entry its paths. The entries are in the order of the rows of a, followed by those that are of b alone; of_a
 * and of_b as diff_match() has made them.
 */
void diff_compare_paths(struct diff *diff, const size_t *of_a, const size_t *of_b);

/*
 * A step of a path, by its name: n = 0 is the construct itself, 1 what created that, and so on up to "process", above which
 * is NULL.
 */
const char *diff_path_step(const struct diff *diff, const struct diff_path *path, size_t n);

/*
 * "by CREATOR", in `width` columns; where other paths of the construct have the same creator, the nearest step above it that
 * they do not have, and "..".
 */
struct formatted diff_path_name(const struct diff *diff, const struct diff_entry *entry, const struct diff_path *path,
				size_t width);

void diff_print(const struct diff *diff, FILE *out);

/* What is in diff.json: json_t, which jansson.h declares. */
struct json_t *diff_object(const struct diff *diff);

/* DIR/diff.json. 0, or -1 after it printed the error. */
int diff_json(const struct diff *diff, const char *dir);

#endif
