/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a table as CSV (RFC 4180): the first line names the columns, fields are separated by commas. Called by whoever
 * writes a table of the output directory; each table is written by one thread.
 *
 * Tables have millions of rows, so rows are put together here and not by printf. A failing write is noticed when the
 * table is closed.
 */
#ifndef OTTER_BUILDER_SUPPORT_CSV_H
#define OTTER_BUILDER_SUPPORT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CSV_BUFFER_BYTES 4096

struct csv {
	FILE *out;
	const char *dir, *name;
	bool is_in_row; /* the row has a field already */
	size_t n_bytes;
	char bytes[CSV_BUFFER_BYTES];
};

/*
 * Begins the table DIR/NAME; `columns` is its first line. `dir` and `name` must last until csv_close. 0, or -1 with the
 * error printed.
 */
int csv_open(struct csv *csv, const char *dir, const char *name, const char *columns);

/* 0, or -1 with the error printed. */
int csv_close(struct csv *csv);

/*
 * The next fields of the row: n empty ones; a number; a handle or another 64-bit id, as 0x and hexadecimal digits,
 * empty for 0.
 */
void csv_empty(struct csv *csv, unsigned n);
void csv_number(struct csv *csv, uint64_t number);
void csv_handle(struct csv *csv, uint64_t handle);

/* The next field: a word of Otter's own, which needs no quotes; any text. */
void csv_word(struct csv *csv, const char *word);
void csv_text(struct csv *csv, const char *text);

/* Appends to the field that was written last. */
void csv_append(struct csv *csv, const char *word);

/* Ends the row. */
void csv_end_row(struct csv *csv);

/* A number where there is one, else an empty field. */
static inline void csv_number_if(struct csv *csv, bool has_number, uint64_t number)
{
	if (has_number)
		csv_number(csv, number);
	else
		csv_empty(csv, 1);
}

#endif
