/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What kind of program the launcher is asked to run, and which OpenMP runtime it will load. Found out without running any of it: files are
 * read, and the loader (ours, never one that the program names) is asked for the libraries it would load. Called before the fork.
 */
#ifndef OTTER_RECORDER_LAUNCH_TARGET_H
#define OTTER_RECORDER_LAUNCH_TARGET_H

#include <limits.h>
#include <stdbool.h>

enum target_kind {
	TARGET_MISSING,        /* no such program */
	TARGET_NOT_EXECUTABLE, /* a file that may not be executed */
	TARGET_DYNAMIC,
	TARGET_STATIC,
	TARGET_FOREIGN, /* for another processor */
	TARGET_SCRIPT,  /* what it starts is not known */
	TARGET_OTHER
};

struct target {
	enum target_kind kind;
	char path[PATH_MAX];    /* as found in PATH */
	char libomp[PATH_MAX];  /* LLVM's (or Intel's) runtime among its libraries, else empty */
	char libgomp[PATH_MAX]; /* gcc's */
	bool is_gomp_first;     /* of the two, its symbols are found */
	bool has_libomp_inside; /* linked statically */
	bool has_libgomp_inside;
	char libabt[PATH_MAX];    /* Argobots among its libraries, else empty */
	bool has_libabt_inside;   /* linked statically */
	bool has_otter;           /* it is linked to the recorder, which needs no other way in */
	bool is_privileged;       /* set-user-id or the like: the loader and the runtime ignore the environment */
	char own_tool[PATH_MAX];  /* the object that defines ompt_start_tool itself, else empty */
	char not_found[PATH_MAX]; /* a library that the loader will not find */
};

void target_examine(struct target *target, const char *name);

/* Is the runtime that it will use gcc's, which has no tools interface, and can another take its place? */
bool target_needs_libomp(const struct target *target);

/*
 * LLVM's libomp, to be loaded in libgomp's place: OTTER_LIBOMP, what the loader finds, the newest below /usr/lib. False: there is none, or
 * its path cannot stand in LD_PRELOAD.
 */
bool target_find_libomp(const struct target *target, char path[PATH_MAX]);

#endif
