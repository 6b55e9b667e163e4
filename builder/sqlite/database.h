/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter.sqlite: a file that takes the rows of the tables (table_store). It is filled without a journal, in the output
 * directory, which has a temporary name until all is complete. The nodes are half of all: they go into a file of their own
 * first, so that another thread can insert them. One thread at a time.
 */
#ifndef OTTER_BUILDER_SQLITE_DATABASE_H
#define OTTER_BUILDER_SQLITE_DATABASE_H

#include "builder/tables/row.h"
#include "builder/tables/columns.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Inserter ---- */

/*
 * Puts rows of cells into a table of a database. Each inserter is used by one thread at a time, which is the only one that uses
 * the database then.
 */

struct inserter {
	sqlite3 *db;
	const char *table;
	char *module;         /* the name of the virtual table that has the rows */
	sqlite3_stmt *insert; /* of the columns in `used`: others have been empty so far */
	uint64_t used;        /* a bit for each column */
	unsigned n_columns;
	char *columns[COLUMNS_MAX]; /* names in quotes, as some are SQL's own words */
	const char *at, *end;       /* the rows that are left, the one in `cells` first */
	const char *next;           /* the row after that one; NULL: none in `cells` */
	struct cell cells[COLUMNS_MAX];
};

/* The inserter must stay where it is until inserter_close(), which is called in any case. SQLITE_OK, or what went wrong. */
int inserter_open(struct inserter *inserter, sqlite3 *db, enum table_id table);

/* Whole rows. SQLITE_OK, or what went wrong. */
int inserter_put(struct inserter *inserter, const char *rows, size_t n_bytes);

void inserter_close(struct inserter *inserter);

/* A file that takes tables. */
struct database_file {
	struct table_store store; /* must be the first member */
	struct table_place place; /* of tables that go into this file */
	struct database *database;
	const char *name;
	struct sqlite3 *db; /* NULL: it is not open */
};

struct database {
	struct database_file whole, nodes; /* the table `nodes` goes into the latter */
	const char *dir;                   /* NULL: it was never opened */
	bool has_failed;                   /* the error is printed */
};

/* Makes DIR/otter.sqlite, with its tables; `dir` must last. 0, or -1 with the error printed. */
int database_open(struct database *database, const char *dir);

/* After the last row: makes the indices, and completes the file. 0, or -1 with the error printed. */
int database_finish(struct database *database);

/* Closes it, complete or not. */
void database_close(struct database *database);

#endif
