/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a table as CSV (RFC 4180): the first line names the columns, fields are separated by commas. Called by whoever
 * writes a table of the output directory. Rows of a long table are put together on several threads (csv_rows). They may
 * go into a store instead of a file, which takes the same rows.
 *
 * Tables have millions of rows, so rows are put together here and not by printf. A failing write is noticed when the
 * table is closed.
 */
#ifndef OTTER_BUILDER_SUPPORT_CSV_H
#define OTTER_BUILDER_SUPPORT_CSV_H

#include "builder/support/buffer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CSV_BUFFER_BYTES (1 << 16)
#define CSV_ROW_BYTES    2048 /* no row is longer, what csv_text and csv_fields add left aside */

/* What takes tables instead of a directory. */
struct csv_store {
	/* A stream for the rows of a table; each write has whole ones. NULL after it printed the error. */
	FILE *(*open)(struct csv_store *store, const char *name, const char *columns);
	/* 0, or -1 after it printed what became of the rows. */
	int (*close)(struct csv_store *store, FILE *out);
};

/* Where tables go. */
struct csv_place {
	const char *dir;         /* in which there is room for files */
	struct csv_store *store; /* NULL: they are files of this directory */
};

struct csv {
	FILE *out; /* NULL: rows stay in `text` */
	const struct csv_place *place;
	const char *name;
	struct buffer text; /* always with room for a row; each field has a comma after it until the row ends */
};

/*
 * Begins the table NAME, or goes on with it; `columns` is its first line. `place` and `name` must last until csv_close. 0,
 * or -1 with the error printed.
 */
int csv_open(struct csv *csv, const struct csv_place *place, const char *name, const char *columns);

/* 0, or -1 with the error printed. */
int csv_close(struct csv *csv);

/*
 * Adds the rows of the items 0 to n - 1 in order. `put` puts those of some of them into `rows`, from `first` to before
 * `end`: on several threads at the same time, each with `rows` of its own.
 */
typedef void csv_put_rows(const void *self, struct csv *rows, size_t first, size_t end);
void csv_rows(struct csv *csv, size_t n, csv_put_rows *put, const void *self);

/* How many bytes these rows would take, by some of them. */
uint64_t csv_measure(size_t n, csv_put_rows *put, const void *self);

/* Adds rows that were put together without a file, and leaves none there. */
void csv_add(struct csv *csv, struct csv *rows);

/* Makes room for n bytes and a row: rows go to the file before, if the table has one. */
void csv_more(struct csv *csv, size_t n);

/* A word of Otter's own, as field: made once where it comes often. It has 46 bytes at most. */
struct csv_word {
	char bytes[48];
	size_t n;
};
struct csv_word csv_make_word(const char *word);

/* The next fields of the row: n empty ones. */
static inline void csv_empty(struct csv *csv, unsigned n)
{
	memset(csv->text.bytes + csv->text.n, ',', n);
	csv->text.n += n;
}

static inline void csv_end_field(struct csv *csv, char *end)
{
	*end = ',';
	csv->text.n = (size_t)(end + 1 - csv->text.bytes);
}

static inline void csv_number(struct csv *csv, uint64_t number)
{
	csv_end_field(csv, text_decimal(csv->text.bytes + csv->text.n, number));
}

/* A number where there is one, else an empty field. */
static inline void csv_number_if(struct csv *csv, bool has_number, uint64_t number)
{
	if (has_number)
		csv_number(csv, number);
	else
		csv_empty(csv, 1);
}

/* A handle or another 64-bit id, as 0x and hexadecimal digits; empty for 0. */
void csv_handle(struct csv *csv, uint64_t handle);

/* A word of Otter's own, which needs no quotes; any text. */
void csv_word(struct csv *csv, const char *word);
void csv_text(struct csv *csv, const char *text);

static inline void csv_ready_word(struct csv *csv, const struct csv_word *word)
{
	memcpy(csv->text.bytes + csv->text.n, word->bytes, sizeof word->bytes);
	csv->text.n += word->n;
}

/* Fields that were put into a csv before, each with a comma after it. */
void csv_fields(struct csv *csv, const char *fields, size_t n);

/* Appends to the field that was written last. */
void csv_append(struct csv *csv, const char *word);

/* Ends the row. */
static inline void csv_end_row(struct csv *csv)
{
	csv->text.bytes[csv->text.n - 1] = '\n';
	if (csv->text.capacity - csv->text.n < CSV_ROW_BYTES)
		csv_more(csv, 0);
}

#endif
