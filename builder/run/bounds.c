/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides what is too large to be written by default: see job.h. Nothing is built twice for it: the number of records is
 * known when the dumps are open, the number of nodes when the graph of a process is built.
 */
#include "builder/run/job.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a record adds to an archive where most records are of tasks. */
#define ARCHIVE_RECORD_BYTES 22

static uint64_t with_trait(uint64_t outputs, unsigned trait)
{
	uint64_t found = 0;
	for (unsigned i = 0; i < n_output_rows; i++)
		found |= (uint64_t)(output_is_selected(outputs, i) && output_rows[i].traits & trait) << i;
	return found;
}

uint64_t bounds_by_records(uint64_t outputs, uint64_t n_records)
{
	uint64_t archive = n_records > BOUNDS_RECORDS ? with_trait(outputs, TRAIT_BY_RECORDS) : 0;
	uint64_t intervals = n_records > BOUNDS_INTERVAL_RECORDS ? with_trait(outputs, TRAIT_BY_INTERVALS) : 0;
	return archive | intervals;
}

uint64_t bounds_by_nodes(uint64_t outputs, uint64_t n_nodes)
{
	return n_nodes > BOUNDS_NODES ? with_trait(outputs, TRAIT_BY_NODES) : 0;
}

void bounds_set_by_records(struct job *job)
{
	uint64_t n_records = 0;
	bool has_samples = false;
	for (size_t i = 0; i < job->n_open; i++) {
		n_records += job->traces[i].dump.n_records;
		has_samples = has_samples || job->traces[i].dump.n_samples != 0;
	}
	uint64_t too_large = job->options->is_asked ? 0 : bounds_by_records(job->outputs, n_records);
	for (unsigned i = 0; i < n_output_rows; i++) {
		bool is_archive = output_rows[i].traits & TRAIT_BY_RECORDS;
		if (!output_is_selected(too_large, i) || (!is_archive && (!has_samples || job->options->has_states)))
			continue; /* states one by one were requested, or are not written anyway */
		job->outputs &= ~((uint64_t)1 << i);
		omitted_set(&job->summary.omitted, output_rows[i].files[0], output_option_of(i), "records", n_records,
			    is_archive ? n_records * ARCHIVE_RECORD_BYTES : 0);
	}
}

/* Removes a file that earlier processes have written, and returns its size in bytes. */
static uint64_t take_back(const struct job *job, const char *name)
{
	struct stat status;
	char *path = text_format("%s/%s", job->output.temporary, name);
	uint64_t n_bytes = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
	unlink(path);
	free(path);
	return n_bytes;
}

/* The tables with a row for each node, and the like. */
static const struct table {
	const char *file, *what;
	uint64_t (*n_bytes)(const struct graphs *graphs); /* NULL: not measured, as it is small beside the others */
} tables[] = {
	{"nodes.csv", "nodes", graph_nodes_csv_bytes},
	{"edges.csv", "edges", graph_edges_csv_bytes},
	{"exclusive.csv", "sets", NULL},
	{"units.csv", "units", NULL},
};
_Static_assert(sizeof tables / sizeof *tables == BOUNDED_TABLES, "job.h has a count for each");

static void count_rows(const struct graph *graph, uint64_t n[BOUNDED_TABLES])
{
	struct graph_counts counts = {{0}, {0}};
	graph_count(graph, &counts);
	for (unsigned kind = 0; kind < NODE_KINDS; kind++)
		n[0] += counts.nodes[kind];
	for (unsigned kind = 0; kind < EDGE_KINDS; kind++)
		n[1] += counts.edges[kind];
	n[2] += graph_n_exclusive(graph);
	n[3] += graph->model->n_units > 0 ? graph->model->n_units - 1 : 0;
}

void bounds_set_by_nodes(struct job *job, size_t i)
{
	const struct graphs graphs = {&job->traces[i], &job->graphs[i], 1};
	uint64_t *n = job->n_bounded_rows;
	if (job->options->is_asked || with_trait(job->selected, TRAIT_BY_NODES) == 0)
		return;
	count_rows(&job->graphs[i], n);
	uint64_t too_large = bounds_by_nodes(job->selected, n[0]), first = too_large & job->outputs;
	for (unsigned row = 0; row < n_output_rows; row++)
		for (unsigned t = 0; t < BOUNDED_TABLES; t++) {
			if (!output_is_selected(too_large, row) || strcmp(tables[t].file, output_rows[row].files[0]) != 0 ||
			    n[t] == 0)
				continue;
			uint64_t n_bytes = tables[t].n_bytes != NULL ? tables[t].n_bytes(&graphs) : 0;
			if (output_is_selected(first, row))
				n_bytes += take_back(job, tables[t].file);
			omitted_set(&job->summary.omitted, tables[t].file, output_option_of(row), tables[t].what, n[t], n_bytes);
		}
	job->outputs &= ~too_large;
}
