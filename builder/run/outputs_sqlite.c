/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter.sqlite: the tables of the other outputs, with a database in place of files. Rows of a process are written when it is
 * built, what is known of the whole run at the end. Tables about threads are not made of a task (--task).
 */
#include "builder/answer/answer.h"
#include "builder/argobots/argobots.h"
#include "builder/callpaths/callpaths.h"
#include "builder/findings/findings.h"
#include "builder/graph/files.h"
#include "builder/run/outputs.h"
#include "builder/sqlite/database.h"
#include "builder/states/files.h"
#include "builder/summary/summary.h"
#include "builder/whatif/whatif.h"

static bool has_threads(const struct built *built)
{
	return built->options->family.task == 0;
}

int sqlite_follow(struct sink *sinks, const struct built *built)
{
	const struct table_place *place = &built->database->whole.place;
	size_t n = 0;
	if (database_open(built->database, built->directory) != 0)
		return -1;
	if (!has_threads(built))
		return 0;
	if (built->has_each_state && sink_intervals_open(&sinks[n++], place) != 0)
		return -1;
	int rc = sink_parallelism_open(&sinks[n], place, built->options->n_bins, built->traces, built->states);
	if (rc != 0 && n > 0) { /* where an output fails to open, nothing is left to close */
		sinks[0].close(sinks[0].self);
		sinks[0] = (struct sink){0};
	}
	return rc;
}

static int append_about_constructs(const struct built *b, const struct table_place *place)
{
	return answer_constructs_csv(b->traces, b->answer, &b->graphs->graphs[0], place) != 0 ||
	       graph_edges_csv(b->graphs, place) != 0 || graph_exclusive_csv(b->graphs, place) != 0;
}

static int append_about_threads(const struct built *b, const struct table_place *place)
{
	uint64_t n_before = b->graphs->graphs[0].before.n_constructs;
	if (states_csv(b->traces, b->states, b->n_traces, place) != 0 ||
	    answer_waits_csv(b->traces, b->answer, n_before, place) != 0 ||
	    answer_grain_csv(b->traces, b->answer, n_before, place) != 0 ||
	    what_if_speedups_csv(b->traces, b->what_if, n_before, place) != 0 ||
	    findings_csv(b->traces, b->findings, n_before, place) != 0)
		return -1;
	if (has_mutexes(b->graphs) && graph_mutexes_csv(b->graphs, place) != 0)
		return -1;
	if (has_units(b->graphs) && units_csv(b->graphs, place) != 0)
		return -1;
	return b->traces[0].dump.n_samples != 0 ? samples_csv(b->graphs, place) : 0;
}

/* Nodes go to one file on one thread, what is about them to the other file on another one. */
int sqlite_append(const struct built *built)
{
	const struct table_place *place = &built->database->whole.place;
	int n_failed = 0;
	if (built->database->has_failed)
		return -1;
#pragma omp parallel sections num_threads(2) reduction(+ : n_failed)
	{
#pragma omp section
		n_failed += graph_nodes_csv(built->graphs, &built->database->nodes.place) != 0;
#pragma omp section
		n_failed += append_about_constructs(built, place) != 0;
	}
	if (n_failed != 0)
		return -1;
	return has_threads(built) ? append_about_threads(built, place) : 0;
}

int sqlite_write(const struct built *built)
{
	const struct table_place *place = &built->database->whole.place;
	if (built->database->has_failed || (has_threads(built) && callpath_csv(built->callpaths, place) != 0) ||
	    processes_csv(built->traces, built->n_traces, place) != 0 || summary_values(built->summary, place) != 0)
		return -1;
	return database_finish(built->database);
}
