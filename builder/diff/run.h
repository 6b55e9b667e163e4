/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A recorded run, as the comparison of runs sees it: what summary.json, constructs.csv and spawn.csv of its build have. Read by
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
	uint32_t above;     /* the path that it goes on from, with a lower index; of a process itself */
	uint32_t construct; /* of the run's constructs, or a STEP_... */
	uint64_t count, own_ns;
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
	size_t n_numbers;        /* rows of constructs.csv, of which some have no figures */
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

#endif
