/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A recorded run, as the comparison of runs sees it: what summary.json and constructs.csv of its build have. Read by
 * builder/compare.c, used by the rest of this folder; one thread.
 */
#ifndef OTTER_BUILDER_DIFF_RUN_H
#define OTTER_BUILDER_DIFF_RUN_H

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
	uint64_t figures[FIGURES];
};

struct diff_run {
	char *path;     /* of the build, or of the dump that was built */
	char **dumps;   /* names of the dumps that it was built from, without .otter */
	size_t n_dumps; /* of these */
	uint64_t n_threads, wall_ns, work_ns;
	bool is_good;               /* complete, and nothing was repaired */
	char *limit;                /* the kind of what limits it */
	struct diff_place limiting; /* its construct, an empty label: none */
	double speedup;             /* what removing it would give at most */
	struct diff_construct *constructs;
	size_t n_constructs, capacity;
};

/* Does the directory have the files that are read? */
bool diff_run_is_there(const char *dir);

/* Reads a build; `path` is what it is called. 0, or -1 after it printed the error; both need diff_run_free(). */
int diff_run_read(struct diff_run *run, const char *dir, const char *path);
void diff_run_free(struct diff_run *run);

#endif
