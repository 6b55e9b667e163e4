/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes otter.sqlite: see database.h. The order of statements and rows is that of the tables, and nothing in the file
 * comes from the machine or the time: the same dumps make the same bytes, for every number of threads. Only this folder
 * uses libsqlite3.
 */
#include "builder/sqlite/database.h"
#include "builder/sqlite/rows.h"
#include "builder/sqlite/schema.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME  "otter.sqlite"
#define NODES "nodes.sqlite" /* gone before the directory has its name */

/* A table that is being written. */
struct stream {
	struct database_file *file;
	struct row_writer writer;
};

/* Prints what is wrong, once. Returns -1. */
static int fail(struct database_file *file, int rc)
{
	const char *why = file->db != NULL && rc == sqlite3_errcode(file->db) ? sqlite3_errmsg(file->db) : sqlite3_errstr(rc);
	int number = file->db != NULL ? sqlite3_system_errno(file->db) : 0;
	bool has_number = number != 0 && (rc == SQLITE_IOERR || rc == SQLITE_CANTOPEN);
	/* Relaxed: only the first thread to fail prints. */
	if (!atomic_exchange_explicit(&file->database->has_failed, true, memory_order_relaxed))
		error("%s/" NAME ": could not be written whole: %s", file->place.dir, has_number ? strerror(number) : why);
	return -1;
}

/* Relaxed: it spares work on another thread, which ends with an error either way. */
static bool has_failed(const struct database_file *file)
{
	return atomic_load_explicit(&file->database->has_failed, memory_order_relaxed);
}

static int run(struct database_file *file, const char *sql)
{
	int rc = sqlite3_exec(file->db, sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : fail(file, rc);
}

/* ---- Rows ---- */

static ssize_t put_rows(void *self, const char *rows, size_t n_bytes)
{
	struct stream *stream = self;
	int rc = has_failed(stream->file) ? SQLITE_ABORT : row_writer_put(&stream->writer, rows, n_bytes);
	if (rc == SQLITE_OK)
		return (ssize_t)n_bytes;
	fail(stream->file, rc);
	errno = EIO;
	return 0;
}

static int close_stream(void *self)
{
	struct stream *stream = self;
	row_writer_close(&stream->writer);
	free(stream);
	return 0;
}

static FILE *open_table(struct csv_store *store, const char *name, const char *columns)
{
	struct database_file *file = (struct database_file *)store;
	struct stream *stream = memory_zeroed(1, sizeof *stream, NAME);
	char *table = text_format("%.*s", (int)strcspn(name, "."), name); /* without ".csv" */
	stream->file = file;
	int rc = row_writer_open(&stream->writer, file->db, table, columns);
	free(table);
	FILE *out = rc == SQLITE_OK ? fopencookie(stream, "w", (cookie_io_functions_t){.write = put_rows, .close = close_stream})
				    : NULL;
	if (out != NULL) {
		setvbuf(out, NULL, _IONBF, 0); /* so that each write has whole rows */
		return out;
	}
	fail(file, rc == SQLITE_OK ? SQLITE_NOMEM : rc);
	close_stream(stream);
	return NULL;
}

static int close_table(struct csv_store *store, FILE *out)
{
	fclose(out);
	return has_failed((const struct database_file *)store) ? -1 : 0;
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
	*file = (struct database_file){.store = {open_table, close_table}, .place = {.dir = d->dir}, .database = d, .name = name};
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
	/* Nobody asks how much memory it has: counting takes a lock at each allocation. Later calls change nothing. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* What is sorted for an index goes where the output goes, and has no name. */
	sqlite3_temp_directory = sqlite3_mprintf("%s", dir);
	if (open_file(&d->whole, d, NAME) != 0 || run(&d->whole, schema_nodes) != 0 || run(&d->whole, schema_tables) != 0)
		return -1;
	return open_file(&d->nodes, d, NODES) == 0 ? run(&d->nodes, schema_nodes) : -1;
}

/* Brings the nodes to the other tables, record by record as SQLite does where both have the same schema and no index. */
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
