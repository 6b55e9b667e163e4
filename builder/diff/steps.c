/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a run's paths of creation: spawn.csv, which builds from before it was there lack. Its rows name constructs by their
 * number in constructs.csv.
 */
#include "builder/diff/run.h"
#include "builder/support/diag.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

#define NAME "spawn.csv"

enum column { COLUMN_NUMBER, COLUMN_ABOVE, COLUMN_CONSTRUCT, COLUMN_NAME, COLUMN_COUNT, COLUMN_OWN, COLUMNS };

static const char *const columns[COLUMNS] = {"number", "above", "construct", "name", "count", "own_ns"};

static int by_number(const void *key, const void *member)
{
	uint64_t number = *(const uint64_t *)key, other = ((const struct diff_construct *)member)->number;
	return cmp(number, other);
}

/* Constructs are in the order of their numbers. Those without figures, of a process that executed nothing, are all unknown. */
static int find_construct(const struct diff_run *run, const struct table *table, size_t row, const int at[COLUMNS], uint32_t *index)
{
	uint64_t number;
	if (table_field(table, row, at[COLUMN_CONSTRUCT])[0] == '\0') {
		*index = strcmp(table_field(table, row, at[COLUMN_NAME]), "other paths") == 0 ? STEP_OTHERS : STEP_UNKNOWN;
		return 0;
	}
	if (table_number(table, row, at[COLUMN_CONSTRUCT], &number) != 0)
		return -1;
	const struct diff_construct *found = NULL;
	if (run->n_constructs != 0)
		found = bsearch(&number, run->constructs, run->n_constructs, sizeof *found, by_number);
	if (found == NULL && (number == 0 || number > run->n_numbers))
		return error("%s:%zu: the construct is none of constructs.csv", table->path, table->lines[row]);
	*index = found != NULL ? (uint32_t)(found - run->constructs) : STEP_UNKNOWN;
	return 0;
}

static int read_step(const struct diff_run *run, const struct table *table, size_t row, const int at[COLUMNS])
{
	struct diff_step *step = &run->steps[row - 1];
	uint64_t number, above = row;
	bool has_above = table_field(table, row, at[COLUMN_ABOVE])[0] != '\0';
	if (table_number(table, row, at[COLUMN_NUMBER], &number) != 0 ||
	    (has_above && table_number(table, row, at[COLUMN_ABOVE], &above) != 0) ||
	    table_number(table, row, at[COLUMN_COUNT], &step->count) != 0 ||
	    table_number(table, row, at[COLUMN_OWN], &step->own_ns) != 0)
		return -1;
	if (number != row || above == 0 || (has_above && above >= row))
		return error("%s:%zu: the rows are not in the order in which otter-build writes them", table->path,
			     table->lines[row]);
	step->above = (uint32_t)(above - 1);
	step->construct = STEP_PROCESS;
	return has_above ? find_construct(run, table, row, at, &step->construct) : 0;
}

static int read_rows(struct diff_run *run, const struct table *table)
{
	int at[COLUMNS];
	for (unsigned i = 0; i < COLUMNS; i++)
		if ((at[i] = table_column(table, columns[i])) < 0)
			return -1;
	if (table->n_rows >= STEP_OTHERS)
		return error("%s: has too many rows", table->path);
	run->steps = memory_zeroed(table->n_rows + 1, sizeof *run->steps, "the paths of creation");
	run->n_steps = table->n_rows;
	for (size_t row = 1; row <= table->n_rows; row++)
		if (read_step(run, table, row, at) != 0)
			return -1;
	return 0;
}

int diff_run_read_steps(struct diff_run *run, const char *dir)
{
	if (!file_is_there(dir, NAME))
		return 0;
	struct table table = {0};
	int rc = table_read(&table, dir, NAME) == 0 ? read_rows(run, &table) : -1;
	table_free(&table);
	return rc;
}
