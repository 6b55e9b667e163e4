/* SPDX-License-Identifier: BSD-3-Clause
 *
 * constructs.csv: a row for each place in the source that some record names, with its figures where what limits the run
 * was asked for. docs/tables.md describes the columns. Called by outputs.c on one thread.
 */
#include "builder/answer/files.h"
#include "builder/graph/path.h"
#include "builder/support/csv.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "the tables"

struct uses {
	const struct graph *graph;
	uint32_t *n_on_path; /* by construct: how many of its nodes are on the critical path */
};

static int count_node(void *self, const struct node_view *node)
{
	const struct uses *u = self;
	u->n_on_path[node->construct] += path_place(u->graph, node->id) != 0;
	return 0;
}

static void put_ns(struct csv *csv, const struct dump *dump, bool is_known, uint64_t ticks)
{
	csv_number_if(csv, is_known, is_known ? dump_duration_ns(dump, ticks) : 0);
}

/* The figures of the construct, or nothing. */
static void put_figures(struct csv *csv, const struct dump *dump, const struct answer *answer, uint32_t c)
{
	static const double shares[] = {0, 0.1, 0.5, 0.9, 0.99, 1};
	bool is_known = answer->is_made && answer->track.same[c] == c; /* else they are in that one's row */
	const struct figure nothing = {0}, *figure = is_known ? &answer->figures[c] : &nothing;
	const struct price none = {0}, *price = is_known ? &answer->prices.rows[c] : &none;
	bool is_task = price->n_tasks != 0;
	csv_number_if(csv, is_known, figure->count);
	put_ns(csv, dump, is_known, figure->own_ticks);
	put_ns(csv, dump, is_known, figure->wait_ticks);
	put_ns(csv, dump, is_known, figure->path_ticks);
	put_ns(csv, dump, is_known, (uint64_t)figure->blamed_ticks);
	for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
		put_ns(csv, dump, is_task, spread_percentile(&price->own, shares[i]));
	put_ns(csv, dump, is_task, spread_percentile(&price->start, 0.5));
	put_ns(csv, dump, is_task, spread_percentile(&price->start, 0.9));
	put_ns(csv, dump, is_task, price->create_ticks + price->start_ticks);
	csv_number_if(csv, is_task, spread_below(&price->own, price->create_ticks + price->start_ticks));
	put_ns(csv, dump, price->cutoff_ticks != 0, price->cutoff_ticks);
	put_ns(csv, dump, price->cutoff_ticks != 0, price->saved_ticks);
	csv_number_if(csv, figure->n_chunks != 0, figure->n_chunks);
}

static void put_construct(struct csv *csv, const struct trace *trace, const struct answer *answer, uint64_t offset, uint32_t c,
			  const uint32_t *n_on_path)
{
	const struct construct *construct = &trace->model.constructs[c];
	csv_number(csv, offset + c);
	csv_word(csv, construct_kind_name(construct->kind));
	csv_text(csv, construct->label);
	csv_text(csv, construct->file);
	csv_number_if(csv, construct->line != 0, construct->line);
	csv_text(csv, construct->function);
	csv_number_if(csv, n_on_path != NULL, n_on_path != NULL ? n_on_path[c] : 0);
	put_figures(csv, &trace->dump, answer, c);
	csv_end_row(csv);
}

int answer_constructs_csv(const struct trace *trace, const struct answer *answer, const struct graph *graph,
			  const struct csv_place *place)
{
	const struct model *m = &trace->model;
	struct csv csv;
	if (csv_open(
		    &csv, place, "constructs.csv",
		    "number,kind,label,file,line,function,path,count,own_ns,wait_ns,path_ns,blamed_ns,own_least_ns,own_p10_ns,"
		    "own_p50_ns,own_p90_ns,own_p99_ns,own_most_ns,start_p50_ns,start_p90_ns,cost_ns,below_cost,cutoff_ns,cutoff_saves_ns,chunks") !=
	    0)
		return -1;
	struct uses uses = {graph, memory_zeroed(m->n_constructs, sizeof *uses.n_on_path, WHAT)};
	bool has_path = graph->path != NULL && graph->path->places != NULL;
	if (has_path)
		graph_each_node(graph, count_node, &uses);
	for (uint32_t c = 1; c < m->n_constructs; c++)
		put_construct(&csv, trace, answer, graph->before.n_constructs, c, has_path ? uses.n_on_path : NULL);
	free(uses.n_on_path);
	return csv_close(&csv);
}
