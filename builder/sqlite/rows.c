/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts rows of text into a table: see rows.h. The rows are those that are written as CSV, so that no table can differ from
 * its file: they are put together on several threads, and here on one a field becomes a parameter of a prepared statement
 * that inserts several rows. A field that is as when the statement was executed last stays bound, which most are: kinds,
 * flags, states, and what is empty.
 */
#include "builder/sqlite/rows.h"
#include "builder/support/array.h"
#include "builder/support/buffer.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The type of each column that is named, as the table has it. */
static int find_types(struct row_writer *writer, sqlite3 *db, const char *table, const char *columns)
{
	for (const char *name = columns; name != NULL && writer->n_columns < ROWS_COLUMNS_MAX; writer->n_columns++) {
		const char *type = "", *comma = strchr(name, ',');
		char *column = comma != NULL ? text_format("%.*s", (int)(comma - name), name) : text_copy(name);
		int rc = sqlite3_table_column_metadata(db, NULL, table, column, &type, NULL, NULL, NULL, NULL);
		free(column);
		if (rc != SQLITE_OK)
			return rc;
		bool is_any = strcmp(type, "ANY") == 0 || strcmp(type, "REAL") == 0;
		writer->types[writer->n_columns] = is_any                         ? COLUMN_ANY
						   : strcmp(type, "INTEGER") == 0 ? COLUMN_INTEGER
										  : COLUMN_TEXT;
		name = comma != NULL ? comma + 1 : NULL;
	}
	return SQLITE_OK;
}

/* INSERT INTO table ("id","kind") VALUES (?,?),(?,?): some columns are named as SQL's own words. */
static char *make_insert(const char *table, const char *columns, unsigned n_columns, unsigned n_rows)
{
	char marks[ROWS_AT_ONCE * (2 * ROWS_COLUMNS_MAX + 2)], *mark = marks;
	char *names = memory_get(3 * strlen(columns) + 3, 1, "otter.sqlite"), *at = names;
	for (unsigned row = 0; row < n_rows; row++) {
		mark = text_put(mark, row == 0 ? "(" : ",(", row == 0 ? 1 : 2);
		for (unsigned i = 0; i < n_columns; i++)
			mark = text_put(mark, i == 0 ? "?" : ",?", i == 0 ? 1 : 2);
		mark = text_put(mark, ")", 1);
	}
	*at++ = '"';
	for (const char *p = columns; *p != '\0'; p++)
		at = *p == ',' ? text_put(at, "\",\"", 3) : text_put(at, p, 1);
	char *sql = text_format("INSERT INTO %s (%.*s\") VALUES %.*s", table, (int)(at - names), names, (int)(mark - marks), marks);
	free(names);
	return sql;
}

int row_writer_open(struct row_writer *writer, sqlite3 *db, const char *table, const char *columns)
{
	*writer = (struct row_writer){.n_rows = 0};
	int rc = find_types(writer, db, table, columns);
	for (unsigned many = 0; many < 2 && rc == SQLITE_OK; many++) {
		char *sql = make_insert(table, columns, writer->n_columns, many ? ROWS_AT_ONCE : 1);
		rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, many ? &writer->insert_all : &writer->insert_one,
					NULL);
		free(sql);
	}
	return rc;
}

void row_writer_close(struct row_writer *writer)
{
	sqlite3_finalize(writer->insert_all);
	sqlite3_finalize(writer->insert_one);
	for (unsigned i = 0; i < ROWS_AT_ONCE * writer->n_columns; i++)
		free(writer->fields[i].bytes);
	*writer = (struct row_writer){.n_rows = 0};
}

/* Is it a whole number, and of 64 bits with a sign? */
static bool read_integer(const char *text, size_t n, sqlite3_int64 *number)
{
	sqlite3_int64 value = 0;
	size_t i = n > 1 && text[0] == '-';
	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text[i] - '0', &value))
			return false;
	*number = n > 0 && text[0] == '-' ? -value : value;
	return i == n && n > 0;
}

static int bind_any(sqlite3_stmt *insert, int place, const char *text, size_t n)
{
	sqlite3_int64 integer;
	char *end;
	if (read_integer(text, n, &integer))
		return sqlite3_bind_int64(insert, place, integer);
	double real = strtod(text, &end);
	return end == text + n ? sqlite3_bind_double(insert, place, real)
			       : sqlite3_bind_text(insert, place, text, (int)n, SQLITE_STATIC);
}

/* Binds the field, which ends with a 0. */
static int bind(sqlite3_stmt *insert, int place, const struct row_field *f, enum column_type type)
{
	sqlite3_int64 number;
	if (f->n == 0)
		return sqlite3_bind_null(insert, place);
	if (type == COLUMN_TEXT)
		return sqlite3_bind_text(insert, place, f->bytes, (int)f->n, SQLITE_STATIC);
	if (type == COLUMN_ANY)
		return bind_any(insert, place, f->bytes, f->n);
	return sqlite3_bind_int64(insert, place, read_integer(f->bytes, f->n, &number) ? number : INT64_MAX); /* a damaged dump's */
}

static int set_field(struct row_writer *writer, unsigned i, const char *text, size_t n)
{
	unsigned place = writer->n_rows * writer->n_columns + i;
	struct row_field *f = &writer->fields[place];
	if (f->n == n && (n == 0 || memcmp(f->bytes, text, n) == 0))
		return SQLITE_OK;
	array_reserve((void **)&f->bytes, n + 1, &f->capacity, 1);
	memcpy(f->bytes, text, n);
	f->bytes[n] = '\0';
	f->n = n;
	return bind(writer->insert_all, (int)place + 1, f, writer->types[i]);
}

static int execute(sqlite3_stmt *insert)
{
	int rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* A field in quotes, from behind the first of them. *at is set behind the last one. */
static int set_quoted(struct row_writer *writer, unsigned i, const char **at, const char *end)
{
	const char *p = *at;
	char *text = memory_get((size_t)(end - p), 1, "otter.sqlite");
	size_t n = 0;
	for (; p < end; text[n++] = *p++)
		if (*p == '"' && (p + 1 == end || *++p != '"'))
			break;
	*at = p;
	int rc = set_field(writer, i, text, n);
	free(text);
	return rc;
}

/* One row. *at is set behind its end. */
static int put_row(struct row_writer *writer, const char **at, const char *end)
{
	const char *p = *at;
	for (unsigned i = 0; i < writer->n_columns; i++) {
		int rc;
		if (*p == '"') {
			p++;
			rc = set_quoted(writer, i, &p, end);
		} else {
			const char *text = p;
			while (*p != ',' && *p != '\n')
				p++;
			rc = set_field(writer, i, text, (size_t)(p - text));
		}
		if (rc != SQLITE_OK)
			return rc;
		if (p == end || *p != (i + 1 == writer->n_columns ? '\n' : ','))
			return SQLITE_INTERNAL;
		p++;
	}
	*at = p;
	if (++writer->n_rows < ROWS_AT_ONCE)
		return SQLITE_OK;
	writer->n_rows = 0;
	return execute(writer->insert_all);
}

int row_writer_put(struct row_writer *writer, const char *rows, size_t n_bytes)
{
	const char *end = rows + n_bytes;
	if (n_bytes > 0 && end[-1] != '\n') /* what looks for the end of a row finds it */
		return SQLITE_INTERNAL;
	for (int rc; rows < end;)
		if ((rc = put_row(writer, &rows, end)) != SQLITE_OK)
			return rc;
	return SQLITE_OK;
}

int row_writer_flush(struct row_writer *writer)
{
	int rc = SQLITE_OK;
	for (unsigned row = 0; row < writer->n_rows && rc == SQLITE_OK; row++) {
		const struct row_field *fields = &writer->fields[row * writer->n_columns];
		for (unsigned i = 0; i < writer->n_columns && rc == SQLITE_OK; i++)
			rc = bind(writer->insert_one, (int)i + 1, &fields[i], writer->types[i]);
		rc = rc == SQLITE_OK ? execute(writer->insert_one) : rc;
	}
	writer->n_rows = 0;
	return rc;
}
