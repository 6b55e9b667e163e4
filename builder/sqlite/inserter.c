/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts rows into a table: see database.h. SQLite reads them as a virtual table, so that one statement inserts a whole block of
 * them: to bind the fields of a row and execute a statement for it takes longer than to insert it. Most columns of a long table
 * are empty in all of its rows: a column is inserted from the first row on that has something in it.
 */
#include "builder/sqlite/database.h"
#include "builder/support/buffer.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* SQLite's names: a virtual table and a cursor over it begin with what SQLite keeps in them. */
struct row_table {
	sqlite3_vtab base;
	struct inserter *inserter;
};

/*
 * Reads the first of the rows that are left. Where it has something in a column that the statement leaves out, the statement
 * ends before it, and inserter_put() makes another one.
 */
static int read_row(struct inserter *inserter)
{
	const char *at = inserter->at;
	uint64_t used = 0;
	inserter->next = NULL;
	if (at == inserter->end)
		return SQLITE_OK;
	for (unsigned i = 0; i < inserter->n_columns; i++) {
		if (at >= inserter->end) /* the row has fewer cells than columns */
			return SQLITE_INTERNAL;
		at = cell_read(&inserter->cells[i], at);
		used |= (uint64_t)(inserter->cells[i].type != CELL_EMPTY) << i;
	}
	if ((used & ~inserter->used) == 0)
		inserter->next = at;
	inserter->used |= used;
	return SQLITE_OK;
}

/* ---- The virtual table, as SQLite requires it ---- */

static int connect_rows(sqlite3 *db, void *self, int n_words, const char *const *words, sqlite3_vtab **table, char **why)
{
	(void)n_words, (void)words, (void)why;
	struct inserter *inserter = self;
	struct buffer sql = {NULL, 0, 0};
	buffer_put_text(&sql, "CREATE TABLE rows (");
	for (unsigned i = 0; i < inserter->n_columns; i++) {
		buffer_put_text(&sql, i == 0 ? "" : ",");
		buffer_put_text(&sql, inserter->columns[i]);
	}
	buffer_put(&sql, ")", sizeof ")");
	int rc = sqlite3_declare_vtab(db, sql.bytes);
	buffer_free(&sql);
	struct row_table *made = rc == SQLITE_OK ? sqlite3_malloc(sizeof *made) : NULL;
	if (made == NULL)
		return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
	*made = (struct row_table){.inserter = inserter};
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

static struct inserter *inserter_of(const sqlite3_vtab_cursor *cursor)
{
	return ((const struct row_table *)cursor->pVtab)->inserter;
}

static int first_row(sqlite3_vtab_cursor *cursor, int plan, const char *plan_name, int n_values, sqlite3_value **values)
{
	(void)plan, (void)plan_name, (void)n_values, (void)values;
	return read_row(inserter_of(cursor));
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	struct inserter *inserter = inserter_of(cursor);
	inserter->at = inserter->next;
	return read_row(inserter);
}

static int has_no_row(sqlite3_vtab_cursor *cursor)
{
	return inserter_of(cursor)->next == NULL;
}

/* Texts stay where they are until the statement ends. */
static int give_column(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int i)
{
	const struct cell *cell = &inserter_of(cursor)->cells[i];
	switch (cell->type) {
	case CELL_EMPTY: sqlite3_result_null(result); break;
	case CELL_NUMBER: /* SQLite's numbers are signed; larger ones come from damaged dumps */
		sqlite3_result_int64(result, cell->number > INT64_MAX ? INT64_MAX : (sqlite3_int64)cell->number);
		break;
	case CELL_REAL: sqlite3_result_double(result, cell->real); break;
	case CELL_TEXT: sqlite3_result_text(result, cell->text, (int)cell->n, SQLITE_STATIC); break;
	}
	return SQLITE_OK;
}

/* The row number. No statement reads it, but each virtual table must have it. */
static int give_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
	const struct inserter *inserter = inserter_of(cursor);
	*number = inserter->end - inserter->at;
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

/* ---- The inserter ---- */

static void find_columns(struct inserter *inserter, enum table_id table)
{
	inserter->n_columns = table_n_columns(table);
	for (unsigned i = 0; i < inserter->n_columns; i++)
		inserter->columns[i] = text_format("\"%s\"", table_formats[table].columns[i].name);
}

/* INSERT INTO table ("id","kind") SELECT "id","kind" FROM rows */
static int prepare(struct inserter *inserter)
{
	struct buffer names = {NULL, 0, 0};
	for (unsigned i = 0; i < inserter->n_columns; i++)
		if (inserter->used >> i & 1) {
			buffer_put_text(&names, names.n == 0 ? "" : ",");
			buffer_put_text(&names, inserter->columns[i]);
		}
	char *sql = text_format("INSERT INTO %s (%.*s) SELECT %.*s FROM %s", inserter->table, (int)names.n, names.bytes,
				(int)names.n, names.bytes, inserter->module);
	sqlite3_finalize(inserter->insert);
	inserter->insert = NULL;
	int rc = sqlite3_prepare_v3(inserter->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &inserter->insert, NULL);
	free(sql);
	buffer_free(&names);
	return rc;
}

int inserter_open(struct inserter *inserter, sqlite3 *db, enum table_id table)
{
	*inserter = (struct inserter){
		.db = db, .table = table_formats[table].name, .module = text_format("rows_of_%s", table_formats[table].name)};
	find_columns(inserter, table);
	return sqlite3_create_module_v2(db, inserter->module, &rows_module, inserter, NULL);
}

void inserter_close(struct inserter *inserter)
{
	sqlite3_finalize(inserter->insert);
	sqlite3_create_module_v2(inserter->db, inserter->module, NULL, NULL, NULL);
	for (unsigned i = 0; i < inserter->n_columns; i++)
		free(inserter->columns[i]);
	free(inserter->module);
	*inserter = (struct inserter){.n_columns = 0};
}

int inserter_put(struct inserter *inserter, const char *rows, size_t n_bytes)
{
	inserter->at = rows;
	inserter->end = rows + n_bytes;
	while (inserter->at < inserter->end) {
		uint64_t used = inserter->used;
		if (inserter->insert != NULL) {
			int rc = sqlite3_step(inserter->insert);
			sqlite3_reset(inserter->insert);
			if (rc != SQLITE_DONE)
				return rc;
		} else if (read_row(inserter) != SQLITE_OK) {
			return SQLITE_INTERNAL;
		}
		if (inserter->used != used || inserter->insert == NULL) {
			int rc = prepare(inserter);
			if (rc != SQLITE_OK)
				return rc;
		}
	}
	return SQLITE_OK;
}
