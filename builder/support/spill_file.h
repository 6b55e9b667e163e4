/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes that have to wait until their place in an output comes, or until they are read again: in a file without a name
 * in the output directory, so that they take no memory. Runs on the thread of each stream.
 */
#ifndef OTTER_BUILDER_SUPPORT_SPILL_FILE_H
#define OTTER_BUILDER_SUPPORT_SPILL_FILE_H

#include <stddef.h>
#include <sys/types.h>

struct spill {
	const char *dir, *name; /* for error messages: what the bytes belong to */
	int file;
	off_t n_used; /* relaxed: only places have to differ */
};

/* The strings must last until spill_close(). 0, or -1 with the error printed. */
int spill_open(struct spill *spill, const char *dir, const char *name);
void spill_close(struct spill *spill); /* also of one that was not opened */

/* Where the bytes are now, or -1 with the error printed. Any thread. */
off_t spill_put(struct spill *spill, const void *bytes, size_t n);

/* The bytes that were put there. Any thread. 0, or -1 with the error printed. */
int spill_get(const struct spill *spill, off_t place, void *bytes, size_t n);

/* Forgets all of them. 0, or -1 with the error printed. */
int spill_empty(struct spill *spill);

#endif
