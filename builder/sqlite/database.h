/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter.sqlite: a file that takes the rows of the tables (csv_store). It is filled without a journal, in the output directory,
 * which has a temporary name until all is complete. The nodes are half of all: they go into a file of their own first, so that
 * another thread can insert them. Used by outputs_sqlite.c; each of the two files by one thread at a time.
 */
#ifndef OTTER_BUILDER_SQLITE_DATABASE_H
#define OTTER_BUILDER_SQLITE_DATABASE_H

#include "builder/support/csv.h"

#include <stdatomic.h>

/* A file that takes tables. */
struct database_file {
	struct csv_store store; /* must be the first member */
	struct csv_place place; /* of tables that go into this file */
	struct database *database;
	const char *name;
	struct sqlite3 *db; /* NULL: it is not open */
};

struct database {
	struct database_file whole, nodes; /* the table `nodes` goes into the latter */
	const char *dir;                   /* NULL: it was never opened */
	atomic_bool has_failed;            /* the error is printed */
};

/* Makes DIR/otter.sqlite, with its tables; `dir` must last. 0, or -1 with the error printed. */
int database_open(struct database *database, const char *dir);

/* After the last row: makes the indices, and completes the file. 0, or -1 with the error printed. */
int database_finish(struct database *database);

/* Closes it, complete or not. */
void database_close(struct database *database);

#endif
