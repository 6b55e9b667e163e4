/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of tables, as CSV or as cells: they are put together in a buffer, which is handed to stdio when it is full, or by blocks
 * of rows on several threads. A store is a stream of stdio as well (fopencookie), which gets them unbuffered.
 */
#include "builder/tables/row.h"
#include "builder/support/blocks.h"
#include "builder/support/diag.h"
#include "builder/support/file.h"
#include "builder/tables/columns.h"

#include <errno.h>

/* ---- The registry's columns ---- */

enum column_number {
#define TABLE(table, sinks)                               FIRST_##table, BEFORE_##table = FIRST_##table - 1,
#define COLUMN(table, column, type, unit, meaning, empty) NUMBER_##table##_##column,
#include "builder/tables/tables.def"
	COLUMNS
};

static const struct column all_columns[COLUMNS] = {
#define COLUMN(table, column, type, unit, meaning, empty) {TABLE_##table, TYPE_##type, #column, #unit, meaning, empty},
#include "builder/tables/tables.def"
};

#define CSV    SINK_CSV
#define SQLITE SINK_SQLITE
const struct table_format table_formats[TABLES] = {
#define TABLE(table, sinks) {#table, #table ".csv", sinks, &all_columns[FIRST_##table]},
#include "builder/tables/tables.def"
};

unsigned table_n_columns(enum table_id table)
{
	const struct column *end = table + 1 < TABLES ? table_formats[table + 1].columns : all_columns + COLUMNS;
	return (unsigned)(end - table_formats[table].columns);
}

#define BLOCK_ITEMS  4096
#define SAMPLES      16 /* number of samples of SAMPLE_ITEMS each that are formatted to estimate the size of all */
#define SAMPLE_ITEMS ((size_t)512)

static void flush(struct row_writer *to)
{
	fwrite_unlocked(to->text.bytes, 1, to->text.n, to->out);
	to->text.n = 0;
}

void row_writer_more(struct row_writer *to)
{
	if (to->out != NULL)
		flush(to);
	buffer_room(&to->text, ROW_BYTES);
	if (to->out == NULL)
		to->full = to->text.capacity - ROW_BYTES;
}

static void put_names(struct row_writer *to)
{
	const struct column *columns = table_formats[to->table].columns;
	for (unsigned i = 0; i < table_n_columns(to->table); i++)
		row_put_word(to, columns[i].name);
	row_end(to);
}

static FILE *open_store(struct row_writer *to, struct table_store *store)
{
	to->stream = store->open(store, to->table);
	FILE *out = to->stream != NULL ? fopencookie(to->stream, "w", (cookie_io_functions_t){.write = store->put}) : NULL;
	if (out != NULL)
		setvbuf(out, NULL, _IONBF, 0); /* so that each write has whole rows */
	else if (to->stream != NULL) {
		store->close(to->stream);
		error("%s: %s", table_formats[to->table].name, strerror(errno));
	}
	return out;
}

int row_writer_open(struct row_writer *to, const struct table_place *place, enum table_id table)
{
	bool is_new = false;
	*to = (struct row_writer){.place = place, .table = table, .empty = place->store != NULL ? CELL_EMPTY : ','};
	to->out = place->store != NULL ? open_store(to, place->store) : file_append(place->dir, table_formats[table].file, &is_new);
	if (to->out == NULL)
		return -1;
	buffer_room(&to->text, ROW_BUFFER_BYTES);
	to->full = row_is_csv(to) ? ROW_BUFFER_BYTES - ROW_BYTES : ROW_CELL_BYTES;
	if (is_new)
		put_names(to);
	return 0;
}

int row_writer_close(struct row_writer *to)
{
	flush(to);
	buffer_free(&to->text);
	if (to->place->store == NULL)
		return file_close(to->out, to->place->dir, table_formats[to->table].file);
	fclose(to->out);
	return to->place->store->close(to->stream);
}

struct row_writer row_writer_apart(const struct row_writer *like)
{
	struct row_writer apart = {.empty = like->empty};
	row_writer_more(&apart);
	return apart;
}

struct rows {
	const struct row_writer *to;
	row_put_items *put;
	const void *self;
	size_t n;
};

static void format_rows(void *self, size_t block, struct buffer *text)
{
	const struct rows *r = self;
	struct row_writer rows = {.empty = r->to->empty, .text = *text};
	size_t first = block * BLOCK_ITEMS, end = r->n - first > BLOCK_ITEMS ? first + BLOCK_ITEMS : r->n;
	row_writer_more(&rows);
	r->put(r->self, &rows, first, end);
	*text = rows.text;
}

void row_writer_fill(struct row_writer *to, size_t n, row_put_items *put, const void *self)
{
	struct rows rows = {to, put, self, n};
	flush(to);
	blocks_write(to->out, (n + BLOCK_ITEMS - 1) / BLOCK_ITEMS, format_rows, &rows);
}

uint64_t row_measure(size_t n, row_put_items *put, const void *self)
{
	struct row_writer rows = {.empty = ','};
	size_t n_bytes = 0, n_items = n < SAMPLES * SAMPLE_ITEMS ? n : SAMPLES * SAMPLE_ITEMS;
	row_writer_more(&rows);
	for (size_t i = 0, first = 0; i < n_items; i += SAMPLE_ITEMS, first += n / SAMPLES) {
		bool is_all = n_items == n;
		size_t begin = is_all ? i : first, end = n - begin > SAMPLE_ITEMS ? begin + SAMPLE_ITEMS : n;
		put(self, &rows, begin, end);
		n_bytes += rows.text.n;
		rows.text.n = 0;
	}
	buffer_free(&rows.text);
	return n_items == 0 ? 0 : (uint64_t)((double)n_bytes / (double)n_items * (double)n);
}

void row_writer_append(struct row_writer *to, struct row_writer *rows)
{
	flush(to);
	fwrite_unlocked(rows->text.bytes, 1, rows->text.n, to->out);
	rows->text.n = 0;
}

struct row_word row_word_make(const char *word)
{
	struct row_word made = {.n = strnlen(word, sizeof made.bytes - 2) + 1};
	memcpy(made.bytes, word, made.n - 1);
	made.bytes[made.n - 1] = ',';
	return made;
}

/* ---- Cells ---- */

static void put_cell(struct row_writer *to, enum cell_type type, const void *value, size_t n_bytes)
{
	char *at = to->text.bytes + to->text.n;
	*at = (char)type;
	buffer_end_at(&to->text, text_put(at + 1, value, n_bytes));
}

void row_put_number_cell(struct row_writer *to, uint64_t number)
{
	buffer_end_at(&to->text, cell_put_number(to->text.bytes + to->text.n, number));
}

void row_put_text_cell(struct row_writer *to, const char *text, size_t n)
{
	uint32_t n_bytes = (uint32_t)n;
	if (n == 0) {
		row_put_empty(to, 1);
		return;
	}
	put_cell(to, CELL_TEXT, &n_bytes, sizeof n_bytes);
	buffer_end_at(&to->text, text_put(to->text.bytes + to->text.n, text, n));
}

/* ---- Fields ---- */

void row_put_real(struct row_writer *to, double number)
{
	if (row_is_csv(to))
		row_end_field(to, to->text.bytes + to->text.n + sprintf(to->text.bytes + to->text.n, "%.17g", number));
	else
		put_cell(to, CELL_REAL, &number, sizeof number);
}

void row_put_bytes(struct row_writer *to, const char *word, size_t n)
{
	if (row_is_csv(to))
		row_end_field(to, text_put(to->text.bytes + to->text.n, word, n));
	else
		row_put_text_cell(to, word, n);
}

void row_put_digits(struct row_writer *to, uint64_t handle)
{
	char digits[2 + TEXT_HEX_MAX] = "0x", *at = row_is_csv(to) ? to->text.bytes + to->text.n : digits;
	char *end = text_hex(text_put(at, "0x", 2), handle, 1);
	if (row_is_csv(to))
		row_end_field(to, end);
	else
		row_put_text_cell(to, at, (size_t)(end - at));
}

void row_put_fields(struct row_writer *to, const char *fields, size_t n)
{
	buffer_room(&to->text, n + ROW_BYTES);
	buffer_put(&to->text, fields, n);
}

static char *put_quoted(char *at, const char *mark, const char *text)
{
	*at++ = '"';
	at = text_put(at, mark, strlen(mark));
	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '"')
			*at++ = '"';
		*at++ = *p;
	}
	*at++ = '"';
	return at;
}

void row_put_text(struct row_writer *to, const char *text)
{
	size_t n = strlen(text);
	buffer_room(&to->text, 2 * n + 4 + ROW_BYTES);
	if (!row_is_csv(to)) {
		row_put_text_cell(to, text, n);
		return;
	}
	char *at = to->text.bytes + to->text.n;
	const char *mark = row_is_marked(text) ? "'" : "";
	if (strpbrk(text, ",\"\r\n") != NULL)
		row_end_field(to, put_quoted(at, mark, text));
	else
		row_end_field(to, text_put(text_put(at, mark, strlen(mark)), text, n));
}
