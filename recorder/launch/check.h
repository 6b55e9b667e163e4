/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks what may prevent a trace, or is worth knowing before one: the program, the recorder, the directories, the
 * settings. `--check` prints all of it; after a run without a dump, the launcher prints the findings that may explain
 * that. All of recorder/launch/ runs in the launcher's one thread.
 */
#ifndef OTTER_RECORDER_LAUNCH_CHECK_H
#define OTTER_RECORDER_LAUNCH_CHECK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/format.h"
#include "recorder/launch/gomp.h"
#include "recorder/launch/target.h"

/* The version that the recorder library must have. */
#define RECORDER_VERSION OTTER_VERSION_STRING " format " FORMAT_VERSION_STRING

/* The launcher's options, and what it found for them. The environment has been prepared for the program already. */
struct launch {
	char recorder[PATH_MAX]; /* libotter-ompt.so */
	char dir[PATH_MAX];      /* where dumps go, absolute */
	char id[64];             /* OTTER_LAUNCH: identifies the dumps of this launch */
	char ring_dir[PATH_MAX]; /* where rings go, empty: into the dumps */
	bool has_run;            /* the environment names the run, or the job */
	bool is_in_job;          /* a batch job, or a rank of MPI */
	bool was_disabled;       /* OMP_TOOL was "disabled" */
	bool has_switches;       /* context switches will be recorded */
	char abt[PATH_MAX];      /* libotter-abt.so if the program uses Argobots, else empty */
	struct target target;
	struct gomp gomp;
};

enum check_kind {
	CHECK_GOOD,
	CHECK_WORTH_KNOWING,
	CHECK_WARNING, /* may be why there is no dump */
	CHECK_PROBLEM  /* there will be no dump, or an incomplete one */
};

#define CHECKS_MAX 32

struct checks {
	struct check {
		enum check_kind kind;
		char *text;
	} all[CHECKS_MAX];
	size_t n;
};

/* Programs compiled by flang do not pass the kind of their worksharing loops to LLVM's runtime, which prints a warning
 * (Q29). Only KMP_WARNINGS=0 would silence it, and all other warnings with it. */
#define FLANG_WARNING                                                                                                              \
	"it is compiled by flang: LLVM's runtime may print its warning #189 once, about a worksharing loop, because a recorder "   \
	"listens; nothing else depends on it, and --events=-work avoids it"

/* Is that warning possible? It is not where worksharing constructs are not recorded. */
bool check_may_warn(const struct launch *launch);

void check_find(struct checks *checks, const struct launch *launch);
void check_free(struct checks *checks);

/* Finds the version and the format that a recorder library contains, like "0.1.0 format 1.0". False: it is not a
 * recorder. */
bool check_recorder_version(const char *path, char version[64]);

#endif
