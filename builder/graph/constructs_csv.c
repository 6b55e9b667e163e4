/* SPDX-License-Identifier: BSD-3-Clause
 *
 * constructs.csv: a row for each place in the source that some node comes from, or that acquires a mutex. docs/tables.md describes the columns.
 * Called by run.c after the last process is replayed; one thread.
 */
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/model/symbols.h"
#include "builder/support/csv.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* By construct: is it a node's or a mutex's, and how many of its nodes are on the critical path? */
struct use {
	bool is_used;
	uint32_t n_on_path;
};

struct uses {
	const struct graph *graph;
	struct use *rows;
};

static int count_node(void *self, const struct node_view *node)
{
	const struct uses *u = self;
	struct use *use = &u->rows[node->construct];
	use->is_used = true;
	use->n_on_path += path_place(u->graph, node->id) != 0;
	return 0;
}

static void put_construct(struct csv *csv, uint64_t number, const struct construct *c, bool has_path, uint32_t n_on_path)
{
	csv_number(csv, number);
	csv_word(csv, construct_kind_name(c->kind));
	csv_text(csv, c->label);
	csv_text(csv, c->file);
	csv_number_if(csv, c->line != 0, c->line);
	csv_text(csv, c->function);
	csv_number_if(csv, has_path, n_on_path);
	csv_end_row(csv);
}

static void put_process(struct csv *csv, const struct graph *graph, uint64_t offset)
{
	const struct model *m = graph->model;
	struct uses uses = {graph, memory_zeroed(m->n_constructs, sizeof *uses.rows, "the tables")};
	bool has_path = graph->path != NULL && graph->path->places != NULL;
	graph_each_node(graph, count_node, &uses);
	for (uint32_t row = 0; row < graph->mutexes.n_rows; row++)
		uses.rows[graph->mutexes.rows[row].construct].is_used = true;
	for (uint32_t c = 1; c < m->n_constructs; c++)
		if (uses.rows[c].is_used)
			put_construct(csv, offset + c, &m->constructs[c], has_path, uses.rows[c].n_on_path);
	free(uses.rows);
}

int graph_constructs_csv(const struct graphs *graphs, const char *dir)
{
	struct csv csv;
	if (csv_open(&csv, dir, "constructs.csv", "number,kind,label,file,line,function,path") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++)
		put_process(&csv, &graphs->graphs[i], graphs->graphs[i].before.n_constructs);
	return csv_close(&csv);
}
