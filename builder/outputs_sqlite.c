/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter.sqlite as outputs: the tables of the other outputs, with a database in place of files. Rows of processes come when
 * these are built, what is known of the whole run at the end. Called by run.c and process.c through the table of outputs.
 */
#include "builder/graph/files.h"
#include "builder/outputs.h"
#include "builder/sqlite/database.h"
#include "builder/states/files.h"
#include "builder/summary/processes.h"
#include "builder/summary/summary.h"

/* The same, but its tables go to the database, which the first one opens. False after the error is printed. */
static bool put_into_database(const struct built *built, struct built *into)
{
	*into = *built;
	if (built->database->dir == NULL && database_open(built->database, built->directory) != 0)
		return false;
	into->files = built->database->whole.place;
	return !built->database->has_failed;
}

/* Nodes go to one file on one thread, what is about them to the other file on another one. */
int output_append_sqlite(const struct built *built)
{
	struct built into;
	int n_failed = 0;
	if (!put_into_database(built, &into))
		return -1;
#pragma omp parallel sections num_threads(2) reduction(+ : n_failed)
	{
#pragma omp section
		n_failed += graph_nodes_csv(built->graphs, &built->database->nodes.place) != 0;
#pragma omp section
		n_failed += output_append_constructs(&into) != 0 || output_append_edges(&into) != 0 ||
			    output_append_exclusive(&into) != 0;
	}
	return n_failed == 0 ? 0 : -1;
}

int output_append_sqlite_threads(const struct built *built)
{
	struct built into;
	if (!put_into_database(built, &into) || output_append_states(&into) != 0 || output_append_waits(&into) != 0)
		return -1;
	if (output_append_grain(&into) != 0 || output_append_speedups(&into) != 0 || output_append_lint(&into) != 0)
		return -1;
	if (output_append_mutexes(&into) != 0 || output_append_units(&into) != 0)
		return -1;
	return output_append_samples(&into);
}

int output_follow_sqlite_intervals(struct sink *sink, const struct built *built)
{
	struct built into;
	if (!built->has_each_state)
		return 0;
	return put_into_database(built, &into) ? sink_intervals_open(sink, &built->database->whole.place) : -1;
}

int output_follow_sqlite_parallelism(struct sink *sink, const struct built *built)
{
	struct built into;
	if (!put_into_database(built, &into))
		return -1;
	return sink_parallelism_open(sink, &built->database->whole.place, built->options->n_bins, built->traces, built->states);
}

int output_write_sqlite_spawn(const struct built *built)
{
	struct built into;
	return put_into_database(built, &into) ? output_write_spawn(&into) : -1;
}

int output_write_sqlite_end(const struct built *built)
{
	struct built into;
	if (!put_into_database(built, &into) || output_write_processes(&into) != 0)
		return -1;
	return summary_values(built->summary, &into.files) == 0 ? database_finish(built->database) : -1;
}
