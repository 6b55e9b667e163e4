/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter.sqlite: a file that takes the rows of the tables (csv_store). It is filled in one transaction, without a journal,
 * in the output directory, which has a temporary name until all is complete. Used by outputs.c; one thread at a time.
 */
#ifndef OTTER_BUILDER_SQLITE_DATABASE_H
#define OTTER_BUILDER_SQLITE_DATABASE_H

#include "builder/support/csv.h"

struct database {
	struct csv_store store; /* must be the first member */
	struct csv_place place; /* of tables that go into this file */
	struct sqlite3 *db;     /* NULL: it is not open */
	bool has_failed;        /* the error is printed */
};

/* Makes DIR/otter.sqlite, with its tables; `dir` must last. 0, or -1 with the error printed. */
int database_open(struct database *database, const char *dir);

/* After the last row: makes the indices, and completes the file. 0, or -1 with the error printed. */
int database_finish(struct database *database);

/* Closes it, complete or not. */
void database_close(struct database *database);

#endif
