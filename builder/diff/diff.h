/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The comparison of runs: what differs between two sides, and how work grows with the number of threads over several.
 * docs/analyses.md has the rules. diff.c makes it, text.c prints it for people, json.c writes it for programs, and it is what the page of --report shows.
 * builder/compare.c calls them; one thread.
 */
#ifndef OTTER_BUILDER_DIFF_DIFF_H
#define OTTER_BUILDER_DIFF_DIFF_H

#include "builder/diff/noise.h"
#include "builder/diff/side.h"
#include "builder/support/shown.h"

#include <stdio.h>

/* A path of creation of a construct, on one side or both. */
struct diff_path {
	uint32_t a, b; /* nodes of the sides' trees, or NO_NODE */
	struct noise_change figures[PATH_FIGURES];
	bool is_changed[PATH_FIGURES];
};

/* A construct of one side or both. */
struct diff_entry {
	const struct diff_row *a, *b; /* NULL: that side does not have it */
	bool is_moved;                /* matched, but not by its line */
	struct noise_change figures[FIGURES];
	bool is_changed[FIGURES]; /* beyond noise, and large enough to matter */
	struct diff_path *paths;  /* those first whose times differ most, */
	size_t n_paths;           /* and no more than DIFF_PATHS; */
	size_t n_left_out;        /* the others */
};

#define DIFF_PATHS 20

struct diff {
	const struct diff_side *sides;
	size_t n_sides;
	double threshold; /* by which share B may take longer */
	/* Of two sides; n_entries 0 with others: */
	struct noise_change wall;
	bool is_slower, is_faster, has_other_limit;
	struct diff_entry *entries; /* those first whose times differ most */
	size_t n_entries;
	struct diff_path *paths; /* of all entries; NULL: a side does not have them */
	/* Of several sides, and of two with different numbers of threads: */
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

/* Do paths of creation tell more of the construct than its own figures? There are several, or another one. */
static inline bool diff_has_paths(const struct diff_entry *entry)
{
	return entry->n_paths > 1;
}

/* A change that is more than chance, and large enough to matter; and a count that is beyond all of the other side. */
bool diff_is_change(const struct diff *diff, const struct noise_change *change);
bool diff_is_other_count(const struct noise_change *count);

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
 * "by CREATOR", in so many columns; where other paths of the construct have the same creator, the nearest step above it that
 * they do not have, and "..".
 */
struct shown diff_path_name(const struct diff *diff, const struct diff_entry *entry, const struct diff_path *path, size_t width);

void diff_print(const struct diff *diff, FILE *out);

/* What is in diff.json: json_t, which jansson.h declares. */
struct json_t *diff_object(const struct diff *diff);

/* DIR/diff.json. 0, or -1 after it printed the error. */
int diff_json(const struct diff *diff, const char *dir);

#endif
