/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables as CSV: rows are put together in a buffer, which is handed to stdio when it is full, or by blocks of rows on
 * several threads.
 */
#include "builder/support/csv.h"
#include "builder/support/blocks.h"
#include "builder/support/file.h"

#define BLOCK_ITEMS  4096
#define SAMPLES      16 /* of SAMPLE_ITEMS each: so many are formatted to measure all */
#define SAMPLE_ITEMS 512

static void flush(struct csv *csv)
{
	fwrite_unlocked(csv->text.bytes, 1, csv->text.n, csv->out);
	csv->text.n = 0;
}

void csv_more(struct csv *csv, size_t n)
{
	if (csv->out != NULL && csv->text.n > 0 && csv->text.bytes[csv->text.n - 1] == '\n')
		flush(csv);
	buffer_room(&csv->text, n + CSV_ROW_BYTES);
}

int csv_open(struct csv *csv, const struct csv_place *place, const char *name, const char *columns)
{
	bool is_new = false;
	struct csv_store *store = place->store;
	FILE *out = store != NULL ? store->open(store, name, columns) : file_append(place->dir, name, &is_new);
	*csv = (struct csv){out, place, name, {NULL, 0, 0}};
	if (csv->out == NULL)
		return -1;
	buffer_room(&csv->text, CSV_BUFFER_BYTES);
	if (is_new) {
		csv_word(csv, columns);
		csv_end_row(csv);
	}
	return 0;
}

int csv_close(struct csv *csv)
{
	flush(csv);
	buffer_free(&csv->text);
	struct csv_store *store = csv->place->store;
	return store != NULL ? store->close(store, csv->out) : file_close(csv->out, csv->place->dir, csv->name);
}

struct rows {
	csv_put_rows *put;
	const void *self;
	size_t n;
};

static void format_rows(void *self, size_t block, struct buffer *text)
{
	const struct rows *r = self;
	struct csv rows = {NULL, NULL, NULL, *text};
	size_t first = block * BLOCK_ITEMS, end = r->n - first > BLOCK_ITEMS ? first + BLOCK_ITEMS : r->n;
	csv_more(&rows, 0);
	r->put(r->self, &rows, first, end);
	*text = rows.text;
}

void csv_rows(struct csv *csv, size_t n, csv_put_rows *put, const void *self)
{
	struct rows rows = {put, self, n};
	flush(csv);
	blocks_write(csv->out, (n + BLOCK_ITEMS - 1) / BLOCK_ITEMS, format_rows, &rows);
}

uint64_t csv_measure(size_t n, csv_put_rows *put, const void *self)
{
	struct csv rows = {NULL, NULL, NULL, {NULL, 0, 0}};
	size_t n_bytes = 0, n_items = n < SAMPLES * SAMPLE_ITEMS ? n : SAMPLES * SAMPLE_ITEMS;
	csv_more(&rows, 0);
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

void csv_add(struct csv *csv, struct csv *rows)
{
	flush(csv);
	fwrite_unlocked(rows->text.bytes, 1, rows->text.n, csv->out);
	rows->text.n = 0;
}

struct csv_word csv_make_word(const char *word)
{
	struct csv_word made = {.n = strnlen(word, sizeof made.bytes - 2) + 1};
	memcpy(made.bytes, word, made.n - 1);
	made.bytes[made.n - 1] = ',';
	return made;
}

void csv_handle(struct csv *csv, uint64_t handle)
{
	char *at = csv->text.bytes + csv->text.n;
	csv_end_field(csv, handle == 0 ? at : text_hex(text_put(at, "0x", 2), handle, 1));
}

void csv_fields(struct csv *csv, const char *fields, size_t n)
{
	if (csv->text.capacity - csv->text.n < n + CSV_ROW_BYTES)
		csv_more(csv, n);
	buffer_put(&csv->text, fields, n);
}

void csv_word(struct csv *csv, const char *word)
{
	csv_end_field(csv, text_put(csv->text.bytes + csv->text.n, word, strlen(word)));
}

void csv_append(struct csv *csv, const char *word)
{
	csv->text.n--; /* the comma */
	csv_word(csv, word);
}

void csv_text(struct csv *csv, const char *text)
{
	size_t n = strlen(text);
	csv_more(csv, 2 * n + 3);
	if (strpbrk(text, ",\"\r\n") == NULL) {
		csv_word(csv, text);
		return;
	}
	char *at = csv->text.bytes + csv->text.n;
	*at++ = '"';
	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '"')
			*at++ = '"';
		*at++ = *p;
	}
	*at++ = '"';
	csv_end_field(csv, at);
}
