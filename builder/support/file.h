/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of the output directory. Each output opens and closes its own, on the thread that writes it.
 */
#ifndef OTTER_BUILDER_SUPPORT_FILE_H
#define OTTER_BUILDER_SUPPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Makes DIR/NAME, which must not exist, and opens it for writing. NULL after it printed the error. */
FILE *file_open(const char *dir, const char *name);

/* The same, for reading, too. */
FILE *file_open_both(const char *dir, const char *name);

/* As file_open, but it may exist: what is written comes after what is in it. *is_new: nothing is. */
FILE *file_append(const char *dir, const char *name, bool *is_new);

/* Closes it. -1, after it printed the error, if anything that was written since file_open did not reach the file. */
int file_close(FILE *file, const char *dir, const char *name);

/* Writes a value into DIR/NAME, which must not exist. 0, or -1 with the error printed. The value stays the caller's. */
struct json_t;
int file_json(const struct json_t *value, const char *dir, const char *name);

/* Is there a file, or a directory, DIR/NAME? */
bool file_is_there(const char *dir, const char *name);

/* ---- Nameless ---- */

/*
 * A file without a name: it is gone when it is closed, however the builder ends. Needs no memory. Any thread.
 */

/* A new file for reading and writing, whose name begins with `name` and is gone at once. Its descriptor, or -1 with errno set. */
int nameless_open(const char *name);
/* What follows `name`, before six more characters, in the name that the file has for a moment. A killed builder may leave it. */
#define NAMELESS_MARK ".nameless-"

#endif
