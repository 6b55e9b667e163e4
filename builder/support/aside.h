/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes that have to wait until their place in an output comes, or until somebody asks for them: in a file without a name
 * in the output directory, so that they take no memory. Used by outputs that follow the replay, on the thread of each
 * stream.
 */
#ifndef OTTER_BUILDER_SUPPORT_ASIDE_H
#define OTTER_BUILDER_SUPPORT_ASIDE_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

struct aside {
	const char *dir, *name; /* in errors: whose bytes these are */
	int file;
	_Atomic off_t n_used; /* relaxed: only places have to differ */
};

/* The strings must last until aside_close(). 0, or -1 with the error printed. */
int aside_open(struct aside *aside, const char *dir, const char *name);
void aside_close(struct aside *aside); /* also of one that was not opened */

/* Where the bytes are now, or -1 with the error printed. Any thread. */
off_t aside_put(struct aside *aside, const void *bytes, size_t n);

/* The bytes that were put there. Any thread. 0, or -1 with the error printed. */
int aside_get(const struct aside *aside, off_t place, void *bytes, size_t n);

/* Forgets all of them. 0, or -1 with the error printed. */
int aside_empty(struct aside *aside);

#endif
