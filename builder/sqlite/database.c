/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes otter.sqlite: see database.h. The order of statements and rows is that of the tables, and nothing in the file
 * comes from the machine or the time: the same dumps make the same bytes, for every number of threads. Only this folder
 * uses libsqlite3.
 */
#include "builder/sqlite/database.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA_VERSION        1          /* docs/sqlite.md; a change of tables.def, or of the schema below, is a new one */
#define SCHEMA_APPLICATION_ID 0x4f747472 /* "Ottr" */

#define NAME  "otter.sqlite"
#define NODES "nodes.sqlite" /* removed before the directory gets its name */

/* A table that is being written. */
struct table_stream {
	struct database_file *file;
	struct inserter inserter;
};

/* Prints what is wrong, once. Returns -1. */
static int fail(struct database_file *file, int rc)
{
	const char *why = file->db != NULL && rc == sqlite3_errcode(file->db) ? sqlite3_errmsg(file->db) : sqlite3_errstr(rc);
	int number = file->db != NULL ? sqlite3_system_errno(file->db) : 0;
	bool has_number = number != 0 && (rc == SQLITE_IOERR || rc == SQLITE_CANTOPEN);
	/* Relaxed: only the first thread to fail prints. */
	if (!__atomic_exchange_n(&file->database->has_failed, true, __ATOMIC_RELAXED))
		error("%s/" NAME ": could not be written whole: %s", file->place.dir, has_number ? strerror(number) : why);
	return -1;
}

/* Relaxed: it only saves work on another thread, which ends with an error either way. */
static bool has_failed(const struct database_file *file)
{
	return __atomic_load_n(&file->database->has_failed, __ATOMIC_RELAXED);
}

static int run(struct database_file *file, const char *sql)
{
	int rc = sqlite3_exec(file->db, sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : fail(file, rc);
}

/* ---- The schema ---- */

/* SQLite keeps the text of a statement, with its line breaks: those of this version are here in every file. */
#define LINE_MAX_BYTES       117
#define LINE_MAX_BYTES_NODES 115

static const char schema_views[] =
	"CREATE VIEW tasks AS SELECT nodes.*, label, file, function FROM nodes LEFT JOIN constructs ON construct = number\n"
	"  WHERE id = task;\n";

static const char schema_indices[] = "CREATE INDEX edges_by_source ON edges (source);\n"
				     "CREATE INDEX edges_by_target ON edges (target);\n"
				     "CREATE INDEX nodes_by_parent ON nodes (parent);\n"
				     "CREATE INDEX intervals_by_time ON state_intervals (process, stream, begin_ns);\n"
				     "CREATE UNIQUE INDEX summary_by_name ON summary (name);\n";

static const char *const sql_types[] = {
	[TYPE_KEY] = "INTEGER PRIMARY KEY",
	[TYPE_NODE] = "INTEGER REFERENCES nodes",
	[TYPE_CONSTRUCT] = "INTEGER REFERENCES constructs",
	[TYPE_PROCESS] = "INTEGER REFERENCES processes",
	[TYPE_PATH] = "INTEGER REFERENCES spawn",
	[TYPE_NUMBER] = "INTEGER",
	[TYPE_REAL] = "REAL",
	[TYPE_TEXT] = "TEXT",
	[TYPE_HANDLE] = "TEXT",
	[TYPE_ANY] = "ANY",
};

static int make_table(struct database_file *file, enum table_id table)
{
	const struct column *columns = table_formats[table].columns;
	unsigned n = table_n_columns(table);
	size_t line_begin = 0, line_max = table == TABLE_nodes ? LINE_MAX_BYTES_NODES : LINE_MAX_BYTES;
	struct buffer sql = {NULL, 0, 0};
	buffer_put_text(&sql, "CREATE TABLE ");
	buffer_put_text(&sql, table_formats[table].name);
	buffer_put_text(&sql, " (");
	for (unsigned i = 0; i < n; i++) {
		const char *name = columns[i].name, *quote = sqlite3_keyword_check(name, (int)strlen(name)) ? "\"" : "";
		char *column = text_format("%s%s%s %s%s", quote, name, quote, sql_types[columns[i].type], i + 1 < n ? "," : "");
		bool is_full = sql.n - line_begin + 1 + strlen(column) > line_max;
		line_begin = is_full ? sql.n + 1 : line_begin;
		buffer_put_text(&sql, i == 0 ? "" : is_full ? "\n  " : " ");
		buffer_put_text(&sql, column);
		free(column);
	}
	buffer_put(&sql, ") STRICT", sizeof ") STRICT");
	int rc = run(file, sql.bytes);
	buffer_free(&sql);
	return rc;
}

static int make_tables(struct database_file *file)
{
	int rc = 0;
	for (unsigned table = 0; table < TABLES && rc == 0; table++)
		if (table_formats[table].sinks & SINK_SQLITE)
			rc = make_table(file, table);
	return rc == 0 ? run(file, schema_views) : rc;
}

/* ---- Rows ---- */

static void *open_table(struct table_store *store, enum table_id table)
{
	struct database_file *file = (struct database_file *)store;
	struct table_stream *stream = memory_zeroed(1, sizeof *stream, NAME);
	stream->file = file;
	int rc = inserter_open(&stream->inserter, file->db, table);
	if (rc == SQLITE_OK)
		return stream;
	fail(file, rc);
	inserter_close(&stream->inserter);
	free(stream);
	return NULL;
}

static ssize_t put_rows(void *self, const char *rows, size_t n_bytes)
{
	struct table_stream *stream = self;
	int rc = has_failed(stream->file) ? SQLITE_ABORT : inserter_put(&stream->inserter, rows, n_bytes);
	if (rc == SQLITE_OK)
		return (ssize_t)n_bytes;
	fail(stream->file, rc);
	errno = EIO;
	return 0;
}

static int close_table(void *self)
{
	struct table_stream *stream = self;
	int rc = has_failed(stream->file) ? -1 : 0;
	inserter_close(&stream->inserter);
	free(stream);
	return rc;
}

/* ---- The files ---- */

static int close_file(struct database_file *file)
{
	int rc = sqlite3_close(file->db);
	if (rc != SQLITE_OK)
		return fail(file, rc);
	file->db = NULL;
	return 0;
}

static int open_file(struct database_file *file, struct database *d, const char *name)
{
	*file = (struct database_file){
		.store = {open_table, put_rows, close_table}, .place = {.dir = d->dir}, .database = d, .name = name};
	file->place.store = &file->store;
	char *path = text_format("%s/%s", d->dir, name);
	int rc = sqlite3_open_v2(path, &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	free(path);
	if (rc != SQLITE_OK)
		return fail(file, rc);
	sqlite3_extended_result_codes(file->db, 0);
	sqlite3_limit(file->db, SQLITE_LIMIT_WORKER_THREADS, omp_get_max_threads());
	char *settings = text_format("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;\n"
				     "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768; PRAGMA foreign_keys = OFF;\n"
				     "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN EXCLUSIVE;\n",
				     SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	int result = run(file, settings);
	free(settings);
	return result;
}

int database_open(struct database *d, const char *dir)
{
	*d = (struct database){.dir = dir};
	/* SQLite's memory statistics are not used, and take a lock at each allocation. Later calls change nothing. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* Temporary files, for sorting an index, are in the output directory, and have no name. */
	sqlite3_temp_directory = sqlite3_mprintf("%s", dir);
	if (open_file(&d->whole, d, NAME) != 0 || make_tables(&d->whole) != 0)
		return -1;
	return open_file(&d->nodes, d, NODES) == 0 ? make_table(&d->nodes, TABLE_nodes) : -1;
}

/* Copies the nodes to the other tables: record by record, as SQLite does where both have the same schema and no index. */
static int bring_nodes(struct database_file *whole)
{
	char *path = text_format("%s/" NODES, whole->place.dir);
	char *attach = sqlite3_mprintf("ATTACH %Q AS other", path);
	int result = attach == NULL ? fail(whole, SQLITE_NOMEM) : run(whole, attach);
	sqlite3_free(attach);
	if (result == 0)
		result = run(whole, "BEGIN EXCLUSIVE; INSERT INTO main.nodes SELECT * FROM other.nodes; COMMIT; DETACH other");
	if (result == 0 && unlink(path) != 0)
		result = error("%s: %s", path, strerror(errno));
	free(path);
	return result;
}

int database_finish(struct database *d)
{
	if (has_failed(&d->whole) || run(&d->nodes, "COMMIT") != 0 || close_file(&d->nodes) != 0)
		return -1;
	if (run(&d->whole, "COMMIT") != 0 || bring_nodes(&d->whole) != 0)
		return -1;
	if (run(&d->whole, "BEGIN EXCLUSIVE") != 0 || run(&d->whole, schema_indices) != 0 || run(&d->whole, "COMMIT") != 0)
		return -1;
	return close_file(&d->whole);
}

void database_close(struct database *d)
{
	sqlite3_close_v2(d->whole.db);
	sqlite3_close_v2(d->nodes.db);
	sqlite3_free(sqlite3_temp_directory);
	sqlite3_temp_directory = NULL;
	*d = (struct database){.dir = NULL};
}
