/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The libraries that the loader would load for a program, as ldd lists them. The loader is this launcher's own, never one that
 * the program names, and it runs nothing of the program.
 */
#ifndef OTTER_RECORDER_LAUNCH_LIBRARIES_H
#define OTTER_RECORDER_LAUNCH_LIBRARIES_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct libraries {
	FILE *list;
	pid_t pid;
	char name[PATH_MAX]; /* of the current one, as its user names it */
	char path[PATH_MAX]; /* "": not found */
};

/* Returns the loader that started this launcher. */
bool libraries_loader(char loader[PATH_MAX]);

/* Begins the list. `program` NULL: this launcher, which needs none but libc. `search` is the LD_LIBRARY_PATH of the program, NULL ours; `preload` is loaded before its libraries, NULL:
 * none. False: there is no list. */
bool libraries_begin(struct libraries *libraries, const char *program, const char *search, const char *preload);

/* Takes the next one. False: there is none. */
bool libraries_next(struct libraries *libraries);

/* Ends the list. False: it is not complete. */
bool libraries_end(struct libraries *libraries);

/* Returns what follows the last slash. */
const char *libraries_base(const char *path);

#endif
