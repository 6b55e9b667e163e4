/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out the kind of the program, and which OpenMP runtime it will load. Nothing of the program is run: files are
 * read, and the loader (this launcher's, never one that the program names) lists the libraries that it would load.
 */
#ifndef OTTER_RECORDER_LAUNCH_TARGET_H
#define OTTER_RECORDER_LAUNCH_TARGET_H

#include <limits.h>
#include <stdbool.h>

enum target_kind {
	TARGET_MISSING,        /* there is no such program */
	TARGET_NOT_EXECUTABLE, /* the file may not be executed */
	TARGET_DYNAMIC,
	TARGET_STATIC,
	TARGET_FOREIGN, /* for another processor */
	TARGET_SCRIPT,  /* it is not known what it starts */
	TARGET_OTHER
};

enum sanitizer {
	SANITIZER_NONE,
	SANITIZER_OTHER,  /* that of addresses or leaks: it has to be the first library of the program */
	SANITIZER_THREADS /* it reports what it does not see a runtime order */
};

struct target {
	enum target_kind kind;
	char path[PATH_MAX];    /* as found in PATH */
	char libomp[PATH_MAX];  /* LLVM's (or Intel's) runtime among its libraries, else empty */
	char libgomp[PATH_MAX]; /* gcc's */
	bool is_gomp_first;     /* if both are there, libgomp's symbols are found */
	bool has_libomp_inside; /* linked statically */
	bool has_libgomp_inside;
	char libabt[PATH_MAX];   /* Argobots among its libraries, else empty */
	bool has_libabt_inside;  /* linked statically */
	bool is_flangs;          /* flang compiled its main program */
	bool has_otter;          /* it is linked to the recorder, which needs no preloading */
	bool is_privileged;      /* set-user-id or similar: the recorder does not record it */
	char executor[PATH_MAX]; /* what executes it: the loader that it names, or a script's interpreter; else empty */
	bool has_our_loader;     /* it, or what executes the script, is started by the loader that started the launcher */
	enum sanitizer sanitizer;
	char uses_openacc[PATH_MAX]; /* the object that names OpenACC's entries, else empty */
	char own_tool[PATH_MAX];     /* the object that defines ompt_start_tool itself, else empty */
	char not_found[PATH_MAX];    /* a library that the loader does not find, else empty */
};

void target_examine(struct target *target, const char *name);

/* Will it use gcc's runtime, which has no tools interface? */
bool target_needs_libomp(const struct target *target);

#endif
