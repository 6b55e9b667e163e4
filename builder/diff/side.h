/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A side of the comparison: several runs of one program, and the constructs of all of them, as rows that can be matched
 * with those of another side. side.c puts the rows together, match.c matches them, diff.c calls both; one thread.
 */
#ifndef OTTER_BUILDER_DIFF_SIDE_H
#define OTTER_BUILDER_DIFF_SIDE_H

#include "builder/diff/tree.h"

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

/* Are the rows of the same kind, file and function? <, = or > 0: their order. */
int diff_row_compare_group(const struct diff_row *a, const struct diff_row *b);

/* Two rows at the same line of the source, or, without lines, of the same label? They are of the same group. */
bool diff_row_is_same(const struct diff_row *a, const struct diff_row *b);

/*
 * Rows of both sides that are the same construct: of_a[i] becomes the row of b that row i of a is, or NO_ROW; of_b the
 * other way round.
 */
void diff_match(const struct diff_side *a, const struct diff_side *b, size_t *of_a, size_t *of_b);

#endif
