/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints docs/tables.md with the columns that builder/tables/tables.def has: tables_md < docs/tables.md. All other lines are
 * printed as they are read. The tests compare the two; exit status 1 where the page lacks a table, or its rows.
 */
#include "builder/tables/columns.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table that the heading is of; TABLES: it is of none that is written as CSV. */
static unsigned table_of(const char *line)
{
	unsigned i = 0;
	for (; i < TABLES; i++) {
		size_t n = strlen(table_formats[i].file);
		bool is_named = strncmp(line, "## ", 3) == 0 && strncmp(line + 3, table_formats[i].file, n) == 0;
		if (is_named && line[3 + n] == '\n' && table_formats[i].sinks & SINK_CSV)
			break;
	}
	return i;
}

static void print_rows(unsigned table)
{
	const struct column *c = table_formats[table].columns;
	for (unsigned n = table_n_columns(table); n > 0; n--, c++)
		printf("| `%s` |%s%s | %s |%s%s |\n", c->name, *c->unit != '-' ? " " : "", *c->unit != '-' ? c->unit : "",
		       c->meaning, *c->empty != '\0' ? " " : "", c->empty);
}

int main(void)
{
	char *line = NULL;
	size_t n_bytes = 0;
	unsigned table = TABLES, n_missing = 0;
	bool has_rows[TABLES] = {false};
	while (getline(&line, &n_bytes, stdin) > 0) {
		if (line[0] == '#')
			table = table_of(line);
		bool is_row = table < TABLES && strncmp(line, "| `", 3) == 0;
		if (!is_row)
			fputs(line, stdout);
		if (table < TABLES && strncmp(line, "|---", 4) == 0) {
			print_rows(table);
			has_rows[table] = true;
		}
	}
	free(line);
	for (unsigned i = 0; i < TABLES; i++)
		if (table_formats[i].sinks & SINK_CSV && !has_rows[i]) {
			fprintf(stderr, "the page has no columns of %s\n", table_formats[i].file);
			n_missing++;
		}
	return fflush(stdout) == 0 && n_missing == 0 ? 0 : 1;
}
