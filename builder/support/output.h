/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The output directory: filled under a temporary name beside its place, and renamed when everything is complete. Nothing that
 * exists is overwritten; --force replaces a directory only if nothing but the builder's own files is in it.
 */
#ifndef OTTER_BUILDER_SUPPORT_OUTPUT_H
#define OTTER_BUILDER_SUPPORT_OUTPUT_H

#include <stdbool.h>

struct output {
	char *path;      /* its final name */
	char *temporary; /* where files are written until then */
	bool is_forced;
};

/* Makes the temporary directory. 0, or -1 with the error said (the place is taken, ...). */
int output_open(struct output *output, const char *path, bool is_forced);

/* Gives the directory its final name. 0, or -1 with the error said. */
int output_commit(struct output *output);

/* Removes what was written so far, if it was not committed. In any case frees. */
void output_close(struct output *output);

/*
 * The process ends at once, by a signal of its own instruction (which held no lock of libc's, as it read a mapped file): removes what was
 * written so far. What another thread writes meanwhile may stay.
 */
void output_abandon(void);

#endif
