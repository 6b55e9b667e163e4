/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a table: the file is read whole, and its fields are cut in place.
 */
#include "builder/diff/run.h"
#include "builder/support/array.h"
#include "builder/support/diag.h"
#include "builder/tables/row.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define WHAT "a table"

/* The whole file, with a 0 after it. NULL after it printed the error. */
static char *read_file(const char *path, size_t *n_bytes)
{
	struct stat status;
	FILE *file = fopen(path, "rbe");
	char *text = NULL;
	if (file == NULL || fstat(fileno(file), &status) != 0)
		error("%s: cannot be read: %s", path, strerror(errno));
	else if (!S_ISREG(status.st_mode))
		error("%s: is not a file", path);
	else {
		text = memory_get((size_t)status.st_size + 1, 1, WHAT);
		*n_bytes = fread(text, 1, (size_t)status.st_size, file);
		text[*n_bytes] = '\0';
	}
	if (file != NULL)
		fclose(file);
	return text;
}

static int bad(const struct table *table, size_t line, const char *what)
{
	return error("%s:%zu: %s", table->path, line, what);
}

/*
 * Cuts out the field at *at, and leaves *at after the character that ends it, which is in *end. 0, or -1 if quotes are
 * not as they must be.
 */
static int cut_field(char **at, char *end, char **field, size_t *line)
{
	char *p = *at, *out = p;
	*field = p;
	if (*p != '"') {
		p += strcspn(p, ",\"\r\n");
		out = p;
	} else {
		for (p++; *p != '\0' && (*p != '"' || p[1] == '"'); p++) {
			p += *p == '"';
			*line += *p == '\n';
			*out++ = *p;
		}
		if (*p++ != '"')
			return -1;
	}
	*end = *p;
	*at = p + 1;
	*out = '\0';
	if (**field == '\'' && row_is_marked(*field))
		++*field;
	return *end == ',' || *end == '\n' ? 0 : -1;
}

static int cut_row(struct table *table, char **at, size_t *line)
{
	size_t n = 0, first = *line;
	char end = ',';
	array_reserve(table->lines, table->n_rows + 2, table->lines_capacity);
	table->lines[table->n_columns != 0 ? table->n_rows + 1 : 0] = first;
	for (; end == ','; n++) {
		array_reserve(table->fields, table->n_fields + 1, table->capacity);
		if (cut_field(at, &end, &table->fields[table->n_fields], line) != 0)
			return bad(table, *line, "the line is cut, or its quotes are wrong");
		table->n_fields++;
	}
	(*line)++;
	if (table->n_columns == 0)
		table->n_columns = n;
	else if (n != table->n_columns)
		return error("%s:%zu: has %zu fields, and there are %zu columns", table->path, first, n, table->n_columns);
	else
		table->n_rows++;
	return 0;
}

int table_read(struct table *table, const char *dir, const char *name)
{
	size_t n_bytes = 0, line = 1;
	*table = (struct table){.path = text_format("%s/%s", dir, name)};
	table->text = read_file(table->path, &n_bytes);
	if (table->text == NULL)
		return -1;
	if (n_bytes == 0)
		return error("%s: is empty", table->path);
	if (memchr(table->text, '\0', n_bytes) != NULL)
		return error("%s: is not a table: it has a byte 0", table->path);
	for (char *at = table->text; at < table->text + n_bytes;)
		if (cut_row(table, &at, &line) != 0)
			return -1;
	return 0;
}

void table_free(struct table *table)
{
	free(table->path);
	free(table->text);
	free(table->fields);
	free(table->lines);
	*table = (struct table){0};
}

int table_column(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (strcmp(table->fields[i], name) == 0)
			return (int)i;
	return error("%s: has no column '%s'", table->path, name);
}

int table_number(const struct table *table, size_t row, int column, uint64_t *number)
{
	const char *text = table_field(table, row, column);
	char *end;
	errno = 0;
	*number = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0)
		return 0;
	return error("%s:%zu: the column '%s' is no number", table->path, table->lines[row], table->fields[column]);
}
