/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The output directory. It is filled under a temporary name beside its place, and gets its final name when everything
 * in it is complete. Nothing that exists is overwritten; --force replaces a directory only if the builder wrote
 * everything in it.
 *
 * One directory at a time, opened and committed by the main thread. output_abandon is for every other end of the
 * process, on any thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_OUTPUT_H
#define OTTER_BUILDER_SUPPORT_OUTPUT_H

#include <stdbool.h>

struct output {
	char *path;      /* the final name */
	char *temporary; /* where files are written until then */
	int lock;        /* the temporary directory, locked: its builder lives */
	bool is_forced;
	bool (*is_own)(const char *name); /* could the builder have written a file of this name? */
};

/*
 * Makes the temporary directory, with the permissions that the umask leaves, and removes those that killed builders have
 * left for the same output. 0, or -1 after it printed the error (the place is taken, ...).
 */
int output_open(struct output *output, const char *path, bool is_forced, bool (*is_own)(const char *name));

/* Gives the directory its final name. 0, or -1 after it printed the error. */
int output_commit(struct output *output);

/* Removes what was written, if it was not committed, and frees the rest. */
void output_close(struct output *output);

/*
 * A directory in $TMPDIR (/var/tmp) for what is only read again by this process, which only its user may read: made by the
 * first call. NULL after it printed the error. output_scratch_end() removes it, if there is one.
 */
const char *output_scratch(void);
void output_scratch_end(void);

/*
 * Between the two, output_abandon on another thread waits. For the part of an output that makes directories: OTF2 makes
 * all on the way to its archive, and so would make the temporary one again after it was removed.
 */
void output_hold(void);
void output_release(void);

/*
 * Removes the directory, if one is open, and the scratch directory, while other threads may still write into it. The caller
 * must end the process then: no directory can be opened, committed or closed any more (a thread that tries it waits for the
 * end). exit() does this by itself.
 */
void output_abandon(void);

/* The exit status of such a process: EXIT_FAILED, or with --diff EXIT_TROUBLE (diag.h). Set before there are threads. */
extern int output_abandon_status;

/* ---- Ending ---- */

/*
 * Signals that end the builder: the temporary directory is removed first.
 */

/* Called once by main(), before any other thread is there. */
void ending_prepare(void);

#endif
