/* SPDX-License-Identifier: BSD-3-Clause
 *
 * constructs.csv: a row for each place in the source that some record names, with its figures if the answer was requested.
 * docs/tables.md describes the columns. Runs on one thread.
 */
#include "builder/answer/answer.h"
#include "builder/graph/path.h"
#include "builder/tables/row.h"
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

static void put_ns(struct row_writer *to, const struct dump *dump, bool is_known, uint64_t ticks)
{
	row_put_u64_if(to, is_known, is_known ? dump_duration_ns(dump, ticks) : 0);
}

/* Writes the figures of the construct, or empty cells. */
static void put_figures(struct row_writer *to, const struct dump *dump, const struct answer *answer, uint32_t c)
{
	static const double shares[] = {0, 0.1, 0.5, 0.9, 0.99, 1};
	bool is_known = answer->is_made && answer->track.same[c] == c; /* else they are in the row of that construct */
	const struct figure nothing = {0}, *figure = is_known ? &answer->figures[c] : &nothing;
	const struct price none = {0}, *price = is_known ? &answer->prices.rows[c] : &none;
	bool is_task = price->n_tasks != 0;
	row_put_u64_if(to, is_known, figure->count);
	put_ns(to, dump, is_known, figure->own_ticks);
	put_ns(to, dump, is_known, figure->wait_ticks);
	put_ns(to, dump, is_known, figure->path_ticks);
	put_ns(to, dump, is_known, (uint64_t)figure->blamed_ticks);
	for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
		put_ns(to, dump, is_task, histogram_percentile(&price->own, shares[i]));
	put_ns(to, dump, is_task, histogram_percentile(&price->start, 0.5));
	put_ns(to, dump, is_task, histogram_percentile(&price->start, 0.9));
	put_ns(to, dump, is_task, price->create_ticks + price->start_ticks);
	row_put_u64_if(to, is_task, histogram_below(&price->own, price->create_ticks + price->start_ticks));
	put_ns(to, dump, price->cutoff_ticks != 0, price->cutoff_ticks);
	put_ns(to, dump, price->cutoff_ticks != 0, price->saved_ticks);
	row_put_u64_if(to, figure->n_chunks != 0, figure->n_chunks);
	row_put_u64_if(to, is_known, figure->path_blocked_ns);
	row_put_u64_if(to, is_known, figure->path_device_ns);
}

static void put_construct(struct row_writer *to, const struct trace *trace, const struct answer *answer, uint64_t offset,
			  uint32_t c, const uint32_t *n_on_path)
{
	const struct construct *construct = &trace->model.constructs[c];
	row_put_u64(to, offset + c);
	row_put_word(to, construct_kind_name(construct->kind));
	row_put_text(to, construct->label);
	row_put_text(to, construct->file);
	row_put_u64_if(to, construct->line != 0, construct->line);
	row_put_text(to, construct->function);
	row_put_u64_if(to, n_on_path != NULL, n_on_path != NULL ? n_on_path[c] : 0);
	put_figures(to, &trace->dump, answer, c);
	row_end(to);
}

int answer_constructs_csv(const struct trace *trace, const struct answer *answer, const struct graph *graph,
			  const struct table_place *place)
{
	const struct model *m = &trace->model;
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_constructs) != 0)
		return -1;
	struct uses uses = {graph, memory_zeroed(m->n_constructs, sizeof *uses.n_on_path, WHAT)};
	bool has_path = graph->path != NULL && graph->path->places != NULL;
	if (has_path)
		graph_each_node(graph, count_node, &uses);
	for (uint32_t c = 1; c < m->n_constructs; c++)
		put_construct(&to, trace, answer, graph->before.n_constructs, c, has_path ? uses.n_on_path : NULL);
	free(uses.n_on_path);
	return row_writer_close(&to);
}

/* ---- grain.csv ---- */

/*
 * grain.csv: how long tasks of each construct executed, and how long they were ready before they began, by powers of two.
 * docs/tables.md describes the columns. Runs on one thread.
 */

#define LENGTHS 65 /* 0 ns, and powers of two */

/* Which power of two, from 1; 0: none. */
static unsigned length_of(uint64_t ns)
{
	return ns == 0 ? 0 : 64 - (unsigned)__builtin_clzll(ns);
}

static void add_up(uint64_t *counts, const struct dump *dump, const struct histogram *histogram)
{
	for (unsigned class = 0; histogram->counts != NULL && class < HISTOGRAM_CLASSES; class ++)
		if (histogram->counts[class] != 0)
			counts[length_of(dump_duration_ns(dump, histogram_class_begin(class)))] += histogram->counts[class];
}

int answer_grain_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before,
		     const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_grain) != 0)
		return -1;
	for (uint32_t c = 1; answer->is_made && c < answer->prices.n; c++) {
		const struct price *price = &answer->prices.rows[c];
		uint64_t own[LENGTHS] = {0}, start[LENGTHS] = {0};
		add_up(own, &trace->dump, &price->own);
		add_up(start, &trace->dump, &price->start);
		for (unsigned i = 0; i < LENGTHS; i++) {
			if (own[i] + start[i] == 0)
				continue;
			row_put_u64(&to, trace->process);
			row_put_u64(&to, n_constructs_before + c);
			row_put_text(&to, trace->model.constructs[c].label);
			row_put_u64(&to, i == 0 ? 0 : UINT64_C(1) << (i - 1));
			row_put_u64(&to, own[i]);
			row_put_u64(&to, start[i]);
			row_end(&to);
		}
	}
	return row_writer_close(&to);
}
