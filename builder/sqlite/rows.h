/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts rows of text, as CSV has them, into a table of a database. Used by database.c; one thread at a time.
 */
#ifndef OTTER_BUILDER_SQLITE_ROWS_H
#define OTTER_BUILDER_SQLITE_ROWS_H

#include <sqlite3.h>
#include <stddef.h>

#define ROWS_COLUMNS_MAX 48

struct row_writer {
	sqlite3_stmt *insert;
	unsigned n_columns;
	struct row_column {
		enum { COLUMN_TEXT, COLUMN_INTEGER, COLUMN_ANY } type;
		char *bytes; /* that are bound; they stay where they are as long */
		size_t n, capacity;
	} columns[ROWS_COLUMNS_MAX];
};

/* `columns`: their names with commas between them, in the order in which the rows have them. SQLITE_OK, or what went wrong. */
int row_writer_open(struct row_writer *writer, sqlite3 *db, const char *table, const char *columns);

/* Whole rows. SQLITE_OK, or what went wrong. */
int row_writer_put(struct row_writer *writer, const char *rows, size_t n_bytes);

void row_writer_close(struct row_writer *writer);

#endif
