/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts rows of text, as CSV has them, into a table of a database. Used by database.c; one thread at a time.
 */
#ifndef OTTER_BUILDER_SQLITE_ROWS_H
#define OTTER_BUILDER_SQLITE_ROWS_H

#include <sqlite3.h>
#include <stddef.h>

#define ROWS_COLUMNS_MAX 48
#define ROWS_AT_ONCE     16 /* one statement for so many takes half the time */

struct row_writer {
	sqlite3_stmt *insert_all, *insert_one; /* ROWS_AT_ONCE rows; those that are left at the end */
	unsigned n_columns, n_rows;            /* n_rows: that are bound, and not inserted yet */
	enum column_type { COLUMN_TEXT, COLUMN_INTEGER, COLUMN_ANY } types[ROWS_COLUMNS_MAX];
	struct row_field {
		char *bytes; /* that are bound; they stay where they are as long */
		size_t n, capacity;
	} fields[ROWS_AT_ONCE * ROWS_COLUMNS_MAX]; /* row by row, n_columns each */
};

/* `columns`: their names with commas between them, in the order in which the rows have them. SQLITE_OK, or what went wrong. */
int row_writer_open(struct row_writer *writer, sqlite3 *db, const char *table, const char *columns);

/* Whole rows, some of which may be inserted later. SQLITE_OK, or what went wrong. */
int row_writer_put(struct row_writer *writer, const char *rows, size_t n_bytes);

/* Inserts the rows that are left. SQLITE_OK, or what went wrong. */
int row_writer_flush(struct row_writer *writer);

void row_writer_close(struct row_writer *writer);

#endif
