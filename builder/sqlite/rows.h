/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts rows of text, as CSV has them, into a table of a database. Used by database.c; each writer by one thread at a time, which
 * is the only one that uses the database then.
 */
#ifndef OTTER_BUILDER_SQLITE_ROWS_H
#define OTTER_BUILDER_SQLITE_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROWS_COLUMNS_MAX 48

struct row_writer {
	sqlite3 *db;
	char *table, *module; /* the names of the table, and of the virtual table that has the rows */
	sqlite3_stmt *insert; /* of the columns in `used`: others have been empty so far */
	uint64_t used;        /* a bit for each column */
	unsigned n_columns;
	struct row_column {
		char *name; /* in quotes, as some are SQL's own words */
		enum column_type { COLUMN_TEXT, COLUMN_INTEGER, COLUMN_ANY } type;
	} columns[ROWS_COLUMNS_MAX];
	const char *at, *end; /* the rows that are left, the one in `fields` first */
	const char *next;     /* the row after that one; NULL: there is none in `fields` */
	struct row_field {
		const char *text;
		size_t n;
		sqlite3_int64 number; /* of a column of numbers */
		bool is_quoted;
	} fields[ROWS_COLUMNS_MAX];
};

/*
 * `columns`: their names with commas between them, in the order in which the rows have them. The writer must stay where it is
 * until row_writer_close(), which is called in any case. SQLITE_OK, or what went wrong.
 */
int row_writer_open(struct row_writer *writer, sqlite3 *db, const char *table, const char *columns);

/* Whole rows. SQLITE_OK, or what went wrong. */
int row_writer_put(struct row_writer *writer, const char *rows, size_t n_bytes);

void row_writer_close(struct row_writer *writer);

#endif
