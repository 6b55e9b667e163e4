/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables as CSV: rows are put together in a small buffer, which is handed to stdio when it is full.
 */
#include "builder/support/csv.h"
#include "builder/support/file.h"

#include <string.h>

static void flush(struct csv *csv)
{
	fwrite_unlocked(csv->bytes, 1, csv->n_bytes, csv->out);
	csv->n_bytes = 0;
}

static void put(struct csv *csv, const char *text, size_t n)
{
	if (n > sizeof csv->bytes - csv->n_bytes) {
		flush(csv);
		if (n > sizeof csv->bytes) {
			fwrite_unlocked(text, 1, n, csv->out);
			return;
		}
	}
	memcpy(csv->bytes + csv->n_bytes, text, n);
	csv->n_bytes += n;
}

static void put_byte(struct csv *csv, char byte)
{
	if (csv->n_bytes == sizeof csv->bytes)
		flush(csv);
	csv->bytes[csv->n_bytes++] = byte;
}

static void begin_field(struct csv *csv)
{
	if (csv->is_in_row)
		put_byte(csv, ',');
	csv->is_in_row = true;
}

int csv_open(struct csv *csv, const char *dir, const char *name, const char *columns)
{
	csv->out = file_open(dir, name);
	if (csv->out == NULL)
		return -1;
	csv->dir = dir;
	csv->name = name;
	csv->n_bytes = 0;
	csv->is_in_row = false;
	put(csv, columns, strlen(columns));
	put_byte(csv, '\n');
	return 0;
}

int csv_close(struct csv *csv)
{
	flush(csv);
	return file_close(csv->out, csv->dir, csv->name);
}

void csv_empty(struct csv *csv, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		begin_field(csv);
}

static inline void put_number(struct csv *csv, uint64_t number, unsigned base)
{
	char digits[24];
	size_t at = sizeof digits;
	do {
		digits[--at] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number != 0);
	put(csv, digits + at, sizeof digits - at);
}

void csv_number(struct csv *csv, uint64_t number)
{
	begin_field(csv);
	put_number(csv, number, 10);
}

void csv_handle(struct csv *csv, uint64_t handle)
{
	begin_field(csv);
	if (handle == 0)
		return;
	put(csv, "0x", 2);
	put_number(csv, handle, 16);
}

void csv_word(struct csv *csv, const char *word)
{
	begin_field(csv);
	put(csv, word, strlen(word));
}

void csv_append(struct csv *csv, const char *word)
{
	put(csv, word, strlen(word));
}

void csv_text(struct csv *csv, const char *text)
{
	begin_field(csv);
	if (strpbrk(text, ",\"\r\n") == NULL) {
		put(csv, text, strlen(text));
		return;
	}
	put_byte(csv, '"');
	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '"')
			put_byte(csv, '"');
		put_byte(csv, *p);
	}
	put_byte(csv, '"');
}

void csv_end_row(struct csv *csv)
{
	put_byte(csv, '\n');
	csv->is_in_row = false;
}
