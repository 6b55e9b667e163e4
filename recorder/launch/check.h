/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands in the way of a trace, or is worth knowing before one: the program, the recorder, the directories, the settings. `--check` prints
 * all of it; after a run without a dump the launcher prints what explains that.
 */
#ifndef OTTER_RECORDER_LAUNCH_CHECK_H
#define OTTER_RECORDER_LAUNCH_CHECK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/format.h"
#include "recorder/launch/target.h"

/* What the recorder library must say of itself. */
#define RECORDER_VERSION OTTER_VERSION_STRING " format " FORMAT_VERSION_STRING

/* What the launcher was asked to do, and with what. The environment is the program's already. */
struct launch {
	char recorder[PATH_MAX]; /* libotter-ompt.so */
	char dir[PATH_MAX];      /* where dumps go, absolute */
	char run[64];            /* OTTER_RUN: tells this run's dumps from others */
	bool may_preload;
	bool is_preloading;
	bool was_disabled;     /* OMP_TOOL was "disabled" */
	char libomp[PATH_MAX]; /* what takes libgomp's place, else empty */
	char abt[PATH_MAX];    /* libotter-abt.so, where the program uses Argobots, else empty */
	struct target target;
};

enum finding_kind {
	FINDING_GOOD,
	FINDING_WORTH_KNOWING,
	FINDING_DOUBT,  /* may be why there is no dump */
	FINDING_PROBLEM /* there will be no dump, or an incomplete one */
};

#define FINDINGS_MAX 32

struct findings {
	struct finding {
		enum finding_kind kind;
		char *text;
	} all[FINDINGS_MAX];
	size_t n;
};

void check_find(struct findings *findings, const struct launch *launch);
void check_free(struct findings *findings);

/* The version and the format that a recorder library names, like "0.1.0 format 1.0"; false: it is not one. */
bool check_recorder_version(const char *path, char version[64]);

#endif
