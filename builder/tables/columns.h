/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables and their columns at run time, made from tables.def. Constant; any thread.
 */
#ifndef OTTER_BUILDER_TABLES_COLUMNS_H
#define OTTER_BUILDER_TABLES_COLUMNS_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum table_id {
#define TABLE(table, sinks) TABLE_##table,
#include "builder/tables/tables.def"
	TABLES
};

/* COLUMN_nodes_id: the column's place in its table, from 0. */
enum column_place {
#define TABLE(table, sinks)                               COLUMN_BEFORE_##table = -1,
#define COLUMN(table, column, type, unit, meaning, empty) COLUMN_##table##_##column,
#include "builder/tables/tables.def"
};

/* Types of columns: tables.def describes them. */
enum column_type {
	TYPE_KEY,
	TYPE_NODE,
	TYPE_CONSTRUCT,
	TYPE_PROCESS,
	TYPE_PATH,
	TYPE_NUMBER,
	TYPE_REAL,
	TYPE_TEXT,
	TYPE_HANDLE,
	TYPE_ANY
};

struct column {
	enum table_id table;
	enum column_type type;
	const char *name, *unit, *meaning, *empty; /* unit: "-": none; meaning and empty: as Markdown */
};

enum table_sink { SINK_CSV = 1, SINK_SQLITE = 2 };

struct table_format {
	const char *name, *file; /* nodes; nodes.csv */
	unsigned sinks;          /* enum table_sink, joined by | */
	const struct column *columns;
};

#define COLUMNS_MAX 48 /* no table has more */

extern const struct table_format table_formats[TABLES];

unsigned table_n_columns(enum table_id table);

/* ---- Rows as cells ---- */

/*
 * Rows as cells, as a store gets them from a row_writer. A cell is a byte with its type, and its value; a row has as many cells
 * as its table has columns, and nothing between or after them. CELL_SLACK bytes after the last row can be read. Constant; any
 * thread.
 */

#define CELL_SLACK 8

enum cell_type {
	CELL_EMPTY,      /* nothing follows */
	CELL_NUMBER,     /* and CELL_NUMBER + n up to n = 8: the n lower bytes of a number, little-endian; the others are 0 */
	CELL_REAL = 100, /* a double */
	CELL_TEXT        /* uint32_t: how many bytes, not 0; then these */
};

struct cell {
	enum cell_type type;
	uint32_t n;
	union {
		uint64_t number;
		double real;
		const char *text; /* n bytes, without a 0 after them */
	};
};

/* Writes a number at `at`, where CELL_SLACK + 1 bytes are free. Returns what is after it. */
static inline char *cell_put_number(char *at, uint64_t number)
{
	unsigned n_bytes = number == 0 ? 0 : 8 - (unsigned)__builtin_clzll(number) / 8;
	uint64_t bytes = htole64(number);
	*at++ = (char)(CELL_NUMBER + n_bytes);
	memcpy(at, &bytes, sizeof bytes);
	return at + n_bytes;
}

/* Reads the cell at `at`, and returns what is after it. */
static inline const char *cell_read(struct cell *cell, const char *at)
{
	unsigned type = (unsigned char)*at++;
	cell->type = (enum cell_type)type;
	if (type == CELL_EMPTY)
		return at;
	if (type <= CELL_NUMBER + 8) {
		unsigned n_bytes = type - CELL_NUMBER;
		uint64_t bytes;
		memcpy(&bytes, at, sizeof bytes);
		cell->type = CELL_NUMBER;
		cell->number = n_bytes == 0 ? 0 : le64toh(bytes) << (64 - 8 * n_bytes) >> (64 - 8 * n_bytes);
		return at + n_bytes;
	}
	if (type == CELL_REAL) {
		memcpy(&cell->real, at, sizeof cell->real);
		return at + sizeof cell->real;
	}
	memcpy(&cell->n, at, sizeof cell->n);
	cell->text = at + sizeof cell->n;
	return cell->text + cell->n;
}

#endif
