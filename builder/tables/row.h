/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the rows of a table (tables.def), field by field in the order of its columns. What is put becomes text of a CSV file
 * (RFC 4180: the first line names the columns, fields are separated by commas), or cells for a store such as a database
 * (columns.h). Rows of a long table are put together on several threads (row_writer_fill).
 *
 * Tables have millions of rows, so rows are put together here and not by printf. A failing write is noticed when the
 * table is closed. A writer is used by one thread at a time.
 */
#ifndef OTTER_BUILDER_TABLES_ROW_H
#define OTTER_BUILDER_TABLES_ROW_H

#include "builder/support/buffer.h"
#include "builder/tables/columns.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ROW_BUFFER_BYTES (1 << 16)
#define ROW_CELL_BYTES   (1 << 15) /* cells take half of the room of text */
#define ROW_BYTES        2048      /* no row is longer, but for what row_put_text and row_put_fields add */

/* What takes tables instead of a directory. Several may be open at once. */
struct table_store {
	/* Returns the stream for `put` and `close`, or NULL after it printed the error. */
	void *(*open)(struct table_store *store, enum table_id table);
	/* Takes whole rows of cells: their bytes, or 0 with errno set after it printed the error. */
	ssize_t (*put)(void *stream, const char *rows, size_t n_bytes);
	/* 0, or -1 after it printed what became of the rows. */
	int (*close)(void *stream);
};

/* Where tables go. */
struct table_place {
	const char *dir;           /* a directory with room for files */
	struct table_store *store; /* NULL: they are files of this directory */
};

struct row_writer {
	FILE *out; /* NULL: rows stay in `text` */
	const struct table_place *place;
	void *stream; /* the store's */
	enum table_id table;
	char empty;         /* an empty field: ',' of CSV, or CELL_EMPTY */
	size_t full;        /* with more bytes than these, rows go to the file, or more room is made */
	struct buffer text; /* always with room for a row; in CSV, each field has a comma after it until the row ends */
};

/* Begins the table, or continues it. `place` must last until row_writer_close. Returns 0, or -1 with the error printed. */
int row_writer_open(struct row_writer *to, const struct table_place *place, enum table_id table);

/* 0, or -1 with the error printed. */
int row_writer_close(struct row_writer *to);

/* A writer without a file, for rows that row_writer_append() adds to this one later. Its text is to be freed. */
struct row_writer row_writer_apart(const struct row_writer *like);

/* Adds rows that were put together without a file, and leaves none there. */
void row_writer_append(struct row_writer *to, struct row_writer *rows);

/*
 * Adds the rows of the items 0 to n - 1 in order. `put` puts those of some of them into `rows`, from `first` to before
 * `end`: on several threads at the same time, each with `rows` of its own.
 */
typedef void row_put_items(const void *self, struct row_writer *rows, size_t first, size_t end);
void row_writer_fill(struct row_writer *to, size_t n, row_put_items *put, const void *self);

/* Estimates how many bytes these rows would take as CSV, from a sample of them. */
uint64_t row_measure(size_t n, row_put_items *put, const void *self);

/* Makes room for a row: rows go to the file before, if the table has one. */
void row_writer_more(struct row_writer *to);

/* A word of Otter's own, as field: made once where it comes often. It has 46 bytes at most. */
struct row_word {
	char bytes[48];
	size_t n;
};
struct row_word row_word_make(const char *word);

/* The same for cells: called by the functions below. */
void row_put_number_cell(struct row_writer *to, uint64_t number);
void row_put_text_cell(struct row_writer *to, const char *text, size_t n);

static inline bool row_is_csv(const struct row_writer *to)
{
	return to->empty == ',';
}

/* The next fields of the row: n empty ones. */
static inline void row_put_empty(struct row_writer *to, unsigned n)
{
	memset(to->text.bytes + to->text.n, to->empty, n);
	to->text.n += n;
}

static inline void row_end_field(struct row_writer *to, char *end)
{
	*end = ',';
	to->text.n = (size_t)(end + 1 - to->text.bytes);
}

static inline void row_put_u64(struct row_writer *to, uint64_t number)
{
	if (row_is_csv(to))
		row_end_field(to, text_decimal(to->text.bytes + to->text.n, number));
	else
		row_put_number_cell(to, number);
}

/* A number where there is one, else an empty field. */
static inline void row_put_u64_if(struct row_writer *to, bool has_number, uint64_t number)
{
	if (has_number)
		row_put_u64(to, number);
	else
		row_put_empty(to, 1);
}

/* A number with a fraction, or a negative one: at most 17 digits. */
void row_put_real(struct row_writer *to, double number);

/* A handle or another 64-bit id, as 0x and hexadecimal digits; empty for 0, as most are. */
void row_put_digits(struct row_writer *to, uint64_t handle);
static inline void row_put_hex(struct row_writer *to, uint64_t handle)
{
	if (handle != 0)
		row_put_digits(to, handle);
	else
		row_put_empty(to, 1);
}

/* A word of Otter's own, which needs no quotes: n bytes, or all. ROW_BYTES have room for those of a row. */
void row_put_bytes(struct row_writer *to, const char *word, size_t n);
static inline void row_put_word(struct row_writer *to, const char *word)
{
	if (*word != '\0')
		row_put_bytes(to, word, strlen(word));
	else
		row_put_empty(to, 1);
}

static inline void row_put_ready_word(struct row_writer *to, const struct row_word *word)
{
	if (row_is_csv(to)) {
		memcpy(to->text.bytes + to->text.n, word->bytes, sizeof word->bytes);
		to->text.n += word->n;
	} else {
		row_put_text_cell(to, word->bytes, word->n - 1);
	}
}

/*
 * Programs for spreadsheets execute a cell that begins with one of these. In CSV an apostrophe before it makes it text; a text
 * that has apostrophes there already gets one more, so that a reader takes one from each text of which this is true.
 */
static inline bool row_is_marked(const char *text)
{
	text += strspn(text, "'");
	return *text != '\0' && strchr("=+-@\t\r", *text) != NULL;
}

/* Any text. */
void row_put_text(struct row_writer *to, const char *text);

/* Whole fields that were put into a writer of the same kind (row_writer_apart) before: n bytes of its text. */
void row_put_fields(struct row_writer *to, const char *fields, size_t n);

/* Ends the row. */
static inline void row_end(struct row_writer *to)
{
	if (row_is_csv(to))
		to->text.bytes[to->text.n - 1] = '\n';
	if (to->text.n > to->full)
		row_writer_more(to);
}

#endif
