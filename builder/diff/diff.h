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

#include <stdio.h>

/* A construct of one side or both. */
struct diff_entry {
	const struct diff_row *a, *b; /* NULL: that side does not have it */
	bool is_moved;                /* matched, but not by its line */
	struct noise_change figures[FIGURES];
	bool is_changed[FIGURES]; /* beyond noise, and large enough to matter */
};

struct diff {
	const struct diff_side *sides;
	size_t n_sides;
	double threshold; /* by which share B may take longer */
	/* Of two sides; n_entries 0 with others: */
	struct noise_change wall;
	bool is_slower, is_faster, has_other_limit;
	struct diff_entry *entries; /* those first whose times differ most */
	size_t n_entries;
	/* Of several sides, and of two with different numbers of threads: */
	bool has_scaling;
	size_t base;                         /* the side with the fewest threads */
	size_t *rows;                        /* by side, and row of the base: the row of that side, or NO_ROW */
	double *threads, *wall_ns, *work_ns; /* by side: medians */
};

/* To be freed. The sides live as long. */
void diff_make(struct diff *diff, const struct diff_side *sides, size_t n_sides, double threshold);
void diff_free(struct diff *diff);

/* The place that a side's construct is shown by. */
const struct diff_place *diff_entry_place(const struct diff_entry *entry);

void diff_print(const struct diff *diff, FILE *out);

/* What is in diff.json: json_t, which jansson.h declares. */
struct json_t *diff_object(const struct diff *diff);

/* DIR/diff.json. 0, or -1 after it printed the error. */
int diff_json(const struct diff *diff, const char *dir);

#endif
