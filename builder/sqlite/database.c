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
#include <sys/stat.h>

#define NAME "otter.sqlite"

/* A table that is being written. */
struct stream {
	struct database *database;
	struct row_writer writer;
};

/* Prints what is wrong, once. Returns -1. */
static int fail(struct database *d, int rc)
{
	const char *why = d->db != NULL && rc == sqlite3_errcode(d->db) ? sqlite3_errmsg(d->db) : sqlite3_errstr(rc);
	int number = d->db != NULL ? sqlite3_system_errno(d->db) : 0;
	bool has_number = number != 0 && (rc == SQLITE_IOERR || rc == SQLITE_CANTOPEN);
	if (!d->has_failed)
		error("%s/" NAME ": could not be written whole: %s", d->place.dir, has_number ? strerror(number) : why);
	d->has_failed = true;
	return -1;
}

static int run(struct database *d, const char *sql)
{
	int rc = sqlite3_exec(d->db, sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : fail(d, rc);
}

/* ---- Rows ---- */

static ssize_t put_rows(void *self, const char *rows, size_t n_bytes)
{
	struct stream *stream = self;
	int rc = stream->database->has_failed ? SQLITE_ABORT : row_writer_put(&stream->writer, rows, n_bytes);
	if (rc == SQLITE_OK)
		return (ssize_t)n_bytes;
	fail(stream->database, rc);
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
	struct database *d = (struct database *)store;
	struct stream *stream = memory_zeroed(1, sizeof *stream, NAME);
	char *table = text_format("%.*s", (int)strcspn(name, "."), name); /* without ".csv" */
	stream->database = d;
	int rc = row_writer_open(&stream->writer, d->db, table, columns);
	free(table);
	FILE *out = rc == SQLITE_OK ? fopencookie(stream, "w", (cookie_io_functions_t){.write = put_rows, .close = close_stream})
				    : NULL;
	if (out != NULL) {
		setvbuf(out, NULL, _IONBF, 0); /* so that each write has whole rows */
		return out;
	}
	fail(d, rc == SQLITE_OK ? SQLITE_NOMEM : rc);
	close_stream(stream);
	return NULL;
}

static int close_table(struct csv_store *store, FILE *out)
{
	const struct database *d = (const struct database *)store;
	fclose(out);
	return d->has_failed ? -1 : 0;
}

/* ---- The file ---- */

int database_open(struct database *d, const char *dir)
{
	*d = (struct database){.store = {open_table, close_table}, .place = {.dir = dir}};
	d->place.store = &d->store;
	char *path = text_format("%s/" NAME, dir);
	/* Nobody asks how much memory it has: counting takes a lock at each allocation. Later calls change nothing. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* What is sorted for an index goes where the output goes, and has no name. */
	sqlite3_temp_directory = sqlite3_mprintf("%s", dir);
	int rc = sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	free(path);
	if (rc != SQLITE_OK)
		return fail(d, rc);
	sqlite3_extended_result_codes(d->db, 0);
	sqlite3_limit(d->db, SQLITE_LIMIT_WORKER_THREADS, omp_get_max_threads());
	char *settings = text_format("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;\n"
				     "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768; PRAGMA foreign_keys = OFF;\n"
				     "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN EXCLUSIVE;\n",
				     SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	int result = run(d, settings) == 0 ? run(d, schema_tables) : -1;
	free(settings);
	return result;
}

int database_finish(struct database *d)
{
	if (d->has_failed || run(d, schema_indices) != 0 || run(d, "COMMIT") != 0)
		return -1;
	int rc = sqlite3_close(d->db);
	if (rc != SQLITE_OK)
		return fail(d, rc);
	d->db = NULL;
	return 0;
}

void database_close(struct database *d)
{
	sqlite3_close_v2(d->db);
	sqlite3_free(sqlite3_temp_directory);
	sqlite3_temp_directory = NULL;
	d->db = NULL;
}
