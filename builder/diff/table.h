/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a table that support/csv.h wrote (RFC 4180): the first line names the columns, every row has as many fields as
 * there are columns, and the last line is ended. Called by run.c for the tables of an earlier build; one thread.
 */
#ifndef OTTER_BUILDER_DIFF_TABLE_H
#define OTTER_BUILDER_DIFF_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {
	char *path, *text; /* of the file; its bytes, of which fields are parts */
	char **fields;     /* n_rows + 1 times n_columns, row by row; the first row has the names of the columns */
	size_t n_rows, n_columns, n_fields, capacity;
	size_t *lines; /* by row: its line in the file, from 1 */
	size_t lines_capacity;
};

/* Reads DIR/NAME. 0, or -1 after it printed the error; in both cases table_free() is needed. */
int table_read(struct table *table, const char *dir, const char *name);
void table_free(struct table *table);

/* The number of the column, or -1 after it printed that the table has none of this name. */
int table_column(const struct table *table, const char *name);

/* A field of the row, from 1 on. */
static inline const char *table_field(const struct table *table, size_t row, int column)
{
	return table->fields[row * table->n_columns + (size_t)column];
}

/* The same as a number. 0, or -1 after it printed that it is none. */
int table_number(const struct table *table, size_t row, int column, uint64_t *number);

#endif
