/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts rows of text into a table: see rows.h. The rows are those that are written as CSV, so that no table can differ from
 * its file. SQLite reads them as a virtual table, so that one statement inserts a whole block of them: to bind the fields of
 * a row and execute a statement for it takes longer than to insert it. Most columns of a long table are empty in all of its
 * rows: a column is inserted from the first row on that has something in it.
 */
#include "builder/sqlite/rows.h"
#include "builder/support/buffer.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 18 /* a number of so many fits into 64 bits with a sign */

/* SQLite's names: a virtual table and a cursor over it begin with what SQLite keeps in them. */
struct row_table {
	sqlite3_vtab base;
	struct row_writer *writer;
};

/* ---- Fields ---- */

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

/* What is between quotes, with one quote for two of them. It takes no more than its place in the row. */
static void give_quoted(sqlite3_context *result, const struct row_field *f)
{
	char *text = memory_get(f->n + 1, 1, "otter.sqlite");
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++) {
		text[n++] = f->text[i];
		i += f->text[i] == '"';
	}
	sqlite3_result_text(result, text, (int)n, free);
}

static void give_any(sqlite3_context *result, const struct row_field *f)
{
	sqlite3_int64 integer;
	char number[64], *end = NULL;
	if (read_integer(f->text, f->n, &integer)) {
		sqlite3_result_int64(result, integer);
		return;
	}
	if (f->n < sizeof number) {
		*text_put(number, f->text, f->n) = '\0';
		double real = strtod(number, &end);
		if (end == number + f->n) {
			sqlite3_result_double(result, real);
			return;
		}
	}
	sqlite3_result_text(result, f->text, (int)f->n, SQLITE_STATIC);
}

/* The rows stay where they are until the statement ends. */
static void give_field(sqlite3_context *result, const struct row_field *f, enum column_type type)
{
	if (f->n == 0)
		sqlite3_result_null(result);
	else if (type == COLUMN_INTEGER)
		sqlite3_result_int64(result, f->number);
	else if (f->is_quoted)
		give_quoted(result, f);
	else if (type == COLUMN_ANY)
		give_any(result, f);
	else
		sqlite3_result_text(result, f->text, (int)f->n, SQLITE_STATIC);
}

/* ---- Rows ---- */

/* Reads digits at p, no more than surely fit, with nothing else before the end of the field. False: it is no such field. */
static inline bool read_digits(struct row_field *f, const char **p)
{
	const char *at = *p;
	uint64_t number = 0;
	for (unsigned digit; (digit = (unsigned)*at - '0') <= 9; at++)
		number = number * 10 + digit;
	f->text = *p;
	f->n = (size_t)(at - *p);
	f->number = (sqlite3_int64)number;
	if (f->n > DIGITS_MAX || (*at != ',' && *at != '\n'))
		return false;
	*p = at;
	return true;
}

/* Reads the field at p, and sets p to what is after it; that is no comma and no end of a row where rows are damaged. */
static inline void read_field(struct row_field *f, enum column_type type, const char **p, const char *end)
{
	if (type == COLUMN_INTEGER && read_digits(f, p))
		return;
	const char *at = *p;
	f->is_quoted = *at == '"';
	f->text = at += f->is_quoted;
	if (f->is_quoted) {
		while (at < end && (*at != '"' || (++at < end && *at == '"')))
			at++;
		f->n = (size_t)(at - f->text) - 1;
	} else {
		while (*at != ',' && *at != '\n')
			at++;
		f->n = (size_t)(at - f->text);
	}
	if (type == COLUMN_INTEGER && !read_integer(f->text, f->n, &f->number))
		f->number = INT64_MAX; /* a damaged dump's */
	*p = at;
}

/*
 * Reads the first of the rows that are left. Where it has something in a column that the statement leaves out, the statement
 * ends before it, and row_writer_put() makes another one.
 */
static int read_row(struct row_writer *writer)
{
	const char *p = writer->at;
	uint64_t used = 0;
	writer->next = NULL;
	if (p == writer->end)
		return SQLITE_OK;
	for (unsigned i = 0; i < writer->n_columns; i++) {
		read_field(&writer->fields[i], writer->columns[i].type, &p, writer->end);
		used |= (uint64_t)(writer->fields[i].n != 0) << i;
		if (p == writer->end || *p++ != (i + 1 == writer->n_columns ? '\n' : ','))
			return SQLITE_INTERNAL;
	}
	if ((used & ~writer->used) == 0)
		writer->next = p;
	writer->used |= used;
	return SQLITE_OK;
}

/* ---- The virtual table, as SQLite asks for it ---- */

static int connect_rows(sqlite3 *db, void *self, int n_words, const char *const *words, sqlite3_vtab **table, char **why)
{
	(void)n_words, (void)words, (void)why;
	struct row_writer *writer = self;
	struct buffer sql = {NULL, 0, 0};
	buffer_put_text(&sql, "CREATE TABLE rows (");
	for (unsigned i = 0; i < writer->n_columns; i++) {
		buffer_put_text(&sql, i == 0 ? "" : ",");
		buffer_put_text(&sql, writer->columns[i].name);
	}
	buffer_put(&sql, ")", sizeof ")");
	int rc = sqlite3_declare_vtab(db, sql.bytes);
	buffer_free(&sql);
	struct row_table *made = rc == SQLITE_OK ? sqlite3_malloc(sizeof *made) : NULL;
	if (made == NULL)
		return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
	*made = (struct row_table){.writer = writer};
	*table = &made->base;
	return SQLITE_OK;
}

static int disconnect_rows(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

static int plan_rows(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1;
	return SQLITE_OK;
}

static int open_rows(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
	(void)table;
	*cursor = sqlite3_malloc(sizeof **cursor);
	if (*cursor == NULL)
		return SQLITE_NOMEM;
	**cursor = (sqlite3_vtab_cursor){NULL};
	return SQLITE_OK;
}

static int close_rows(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static struct row_writer *writer_of(const sqlite3_vtab_cursor *cursor)
{
	return ((const struct row_table *)cursor->pVtab)->writer;
}

static int first_row(sqlite3_vtab_cursor *cursor, int plan, const char *plan_name, int n_values, sqlite3_value **values)
{
	(void)plan, (void)plan_name, (void)n_values, (void)values;
	return read_row(writer_of(cursor));
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	struct row_writer *writer = writer_of(cursor);
	writer->at = writer->next;
	return read_row(writer);
}

static int has_no_row(sqlite3_vtab_cursor *cursor)
{
	return writer_of(cursor)->next == NULL;
}

static int give_column(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int i)
{
	const struct row_writer *writer = writer_of(cursor);
	give_field(result, &writer->fields[i], writer->columns[i].type);
	return SQLITE_OK;
}

/* Nothing asks for it, but each virtual table has it. */
static int give_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
	const struct row_writer *writer = writer_of(cursor);
	*number = writer->end - writer->at;
	return SQLITE_OK;
}

static const sqlite3_module rows_module = {
	.xConnect = connect_rows, /* without xCreate it is there without being made, and not in the file */
	.xBestIndex = plan_rows,
	.xDisconnect = disconnect_rows,
	.xOpen = open_rows,
	.xClose = close_rows,
	.xFilter = first_row,
	.xNext = next_row,
	.xEof = has_no_row,
	.xColumn = give_column,
	.xRowid = give_number,
};

/* ---- The writer ---- */

static void find_columns(struct row_writer *writer, const char *columns)
{
	for (const char *name = columns; name != NULL && writer->n_columns < ROWS_COLUMNS_MAX;) {
		const char *comma = strchr(name, ',');
		int n = comma != NULL ? (int)(comma - name) : (int)strlen(name);
		writer->columns[writer->n_columns++].name = text_format("\"%.*s\"", n, name);
		name = comma != NULL ? comma + 1 : NULL;
	}
}

/* The type of each column, as the table has it. */
static int find_types(struct row_writer *writer)
{
	int rc = SQLITE_OK;
	for (unsigned i = 0; i < writer->n_columns && rc == SQLITE_OK; i++) {
		const char *type = "";
		struct row_column *column = &writer->columns[i];
		char *name = text_format("%.*s", (int)strlen(column->name) - 2, column->name + 1);
		rc = sqlite3_table_column_metadata(writer->db, NULL, writer->table, name, &type, NULL, NULL, NULL, NULL);
		free(name);
		bool is_any = strcmp(type, "ANY") == 0 || strcmp(type, "REAL") == 0;
		column->type = is_any ? COLUMN_ANY : strcmp(type, "INTEGER") == 0 ? COLUMN_INTEGER : COLUMN_TEXT;
	}
	return rc;
}

/* INSERT INTO table ("id","kind") SELECT "id","kind" FROM rows */
static int prepare(struct row_writer *writer)
{
	struct buffer names = {NULL, 0, 0};
	for (unsigned i = 0; i < writer->n_columns; i++)
		if (writer->used >> i & 1) {
			buffer_put_text(&names, names.n == 0 ? "" : ",");
			buffer_put_text(&names, writer->columns[i].name);
		}
	char *sql = text_format("INSERT INTO %s (%.*s) SELECT %.*s FROM %s", writer->table, (int)names.n, names.bytes, (int)names.n,
				names.bytes, writer->module);
	sqlite3_finalize(writer->insert);
	writer->insert = NULL;
	int rc = sqlite3_prepare_v3(writer->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &writer->insert, NULL);
	free(sql);
	buffer_free(&names);
	return rc;
}

int row_writer_open(struct row_writer *writer, sqlite3 *db, const char *table, const char *columns)
{
	*writer = (struct row_writer){.db = db, .table = text_copy(table), .module = text_format("rows_of_%s", table)};
	find_columns(writer, columns);
	int rc = find_types(writer);
	return rc == SQLITE_OK ? sqlite3_create_module_v2(db, writer->module, &rows_module, writer, NULL) : rc;
}

void row_writer_close(struct row_writer *writer)
{
	sqlite3_finalize(writer->insert);
	sqlite3_create_module_v2(writer->db, writer->module, NULL, NULL, NULL);
	for (unsigned i = 0; i < writer->n_columns; i++)
		free(writer->columns[i].name);
	free(writer->table);
	free(writer->module);
	*writer = (struct row_writer){.n_columns = 0};
}

int row_writer_put(struct row_writer *writer, const char *rows, size_t n_bytes)
{
	writer->at = rows;
	writer->end = rows + n_bytes;
	if (n_bytes > 0 && writer->end[-1] != '\n') /* what looks for the end of a row finds it */
		return SQLITE_INTERNAL;
	while (writer->at < writer->end) {
		uint64_t used = writer->used;
		if (writer->insert != NULL) {
			int rc = sqlite3_step(writer->insert);
			sqlite3_reset(writer->insert);
			if (rc != SQLITE_DONE)
				return rc;
		} else if (read_row(writer) != SQLITE_OK) {
			return SQLITE_INTERNAL;
		}
		if (writer->used != used || writer->insert == NULL) {
			int rc = prepare(writer);
			if (rc != SQLITE_OK)
				return rc;
		}
	}
	return SQLITE_OK;
}
