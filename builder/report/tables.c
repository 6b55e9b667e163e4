/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constructs, waits and the critical path of a process, for the page's tables: see parts.h. The figures are those of
 * constructs.csv and waits.csv.
 */
#include "builder/report/parts.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

#define CONSTRUCTS_MAX 2000 /* rows of the page */
#define WAITS_MAX      1000
#define PATH_MAX_PARTS 4000 /* stretches of the critical path on one thread each */

static json_int_t ns(const struct trace *trace, double ticks)
{
	return (json_int_t)dump_duration_ns(&trace->dump, ticks > 0 ? (uint64_t)ticks : 0);
}

/* ---- Constructs ---- */

struct weighed_construct {
	double weight;
	uint32_t row;
};

/* The largest weight first. */
static int by_weight(const void *left, const void *right)
{
	const struct weighed_construct *l = left, *r = right;
	return cmp(r->weight, l->weight) ?: cmp(l->row, r->row);
}

static json_t *own_times(const struct trace *trace, const struct price *price)
{
	static const double shares[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 1};
	if (price->n_tasks == 0)
		return json_null();
	json_t *times = json_array();
	for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
		json_array_append_new(times, json_integer(ns(trace, (double)histogram_percentile(&price->own, shares[i]))));
	return times;
}

/* The line of the construct, or null. */
static json_t *source_line(struct sources *sources, const struct construct *c)
{
	char *text = source_text(sources, c->file, c->line);
	json_t *line = text != NULL ? report_text(text) : json_null();
	free(text);
	return line;
}

static json_t *construct(const struct trace *trace, const struct answer *answer, uint32_t row, struct sources *sources)
{
	const struct construct *c = &trace->model.constructs[row];
	const struct figure *f = &answer->figures[row];
	const struct price *price = &answer->prices.rows[row];
	return json_pack("{s:I, s:s, s:o, s:o, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", //
			 "row", (json_int_t)row,                                                   //
			 "kind", construct_kind_name(c->kind),                                     //
			 "label", report_text(c->label),                                           //
			 "file", report_text(c->file),                                             //
			 "line", (json_int_t)c->line,                                              //
			 "function", report_text(c->function),                                     //
			 "count", (json_int_t)f->count,                                            //
			 "own_ns", ns(trace, (double)f->own_ticks),                                //
			 "wait_ns", ns(trace, (double)f->wait_ticks),                              //
			 "path_ns", ns(trace, (double)f->path_ticks),                              //
			 "blamed_ns", ns(trace, f->blamed_ticks),                                  //
			 "own_times_ns", own_times(trace, price),                                  //
			 "cost_ns",
			 price->n_tasks == 0 ? json_null()                                                                  //
					     : json_integer(ns(trace, (double)(price->create_ticks + price->start_ticks))), //
			 "source", source_line(sources, c));
}

static void add_constructs(json_t *process, const struct trace *trace, const struct answer *answer, struct sources *sources)
{
	const struct model *m = &trace->model;
	struct weighed_construct *rows = memory_get(m->n_constructs + (size_t)1, sizeof *rows, "report.html");
	json_t *constructs = json_array();
	uint32_t n = 0;
	for (uint32_t c = 1; c < m->n_constructs; c++) {
		const struct figure *f = &answer->figures[c];
		if (answer->track.same[c] == c && (f->count != 0 || f->blamed_ticks > 0))
			rows[n++] = (struct weighed_construct){(double)f->own_ticks + f->blamed_ticks, c};
	}
	sort_array(rows, n, by_weight);
	for (uint32_t i = 0; i < n && i < CONSTRUCTS_MAX; i++)
		json_array_append_new(constructs, construct(trace, answer, rows[i].row, sources));
	json_object_set_new(process, "constructs", constructs);
	json_object_set_new(process, "n_constructs", json_integer(n));
	free(rows);
}

/* ---- Waits ---- */

static json_t *wait_row(const struct trace *trace, const struct answer *answer, const struct wait_place *place)
{
	json_t *others = json_array();
	for (uint32_t i = 1; i < answer->waits.n; i++) {
		const struct cause *wait = &answer->waits.rows[i];
		if (wait_is_at(&trace->model, place, wait))
			json_array_append_new(others, json_pack("{s:I, s:o, s:I}", "row", (json_int_t)wait->other, "label",
								report_text(trace->model.constructs[wait->other].label), "ns",
								ns(trace, wait->ticks)));
	}
	return json_pack("{s:I, s:o, s:s, s:I, s:I, s:I, s:o}", "row", (json_int_t)place->construct, "label",
			 report_text(trace->model.constructs[place->construct].label), "state", state_name(place->state), "count",
			 (json_int_t)place->count, "total_ns", ns(trace, (double)place->ticks), "longest_ns",
			 ns(trace, (double)place->longest_ticks), "for", others);
}

static void add_waits(json_t *process, const struct trace *trace, const struct answer *answer)
{
	const struct wait_places *places = &answer->track.places;
	struct weighed_construct *rows = memory_get(places->n + 1, sizeof *rows, "report.html");
	json_t *waits = json_array();
	uint32_t n = 0;
	for (uint32_t i = 0; i < places->n; i++)
		if (track_is_wait(places->rows[i].state) && places->rows[i].ticks != 0)
			rows[n++] = (struct weighed_construct){(double)places->rows[i].ticks, i};
	sort_array(rows, n, by_weight);
	for (uint32_t i = 0; i < n && i < WAITS_MAX; i++)
		json_array_append_new(waits, wait_row(trace, answer, &places->rows[rows[i].row]));
	json_object_set_new(process, "waits", waits);
	free(rows);
}

/* ---- The critical path ---- */

/* A stretch of the path on one thread. */
struct path_stretch {
	uint32_t row, construct; /* in which most of it was spent */
	uint64_t begin_ticks, end_ticks, longest_ticks;
};

static void put_stretch(json_t *parts, const struct trace *trace, const struct path_stretch *s)
{
	json_int_t begin = (json_int_t)dump_ns(&trace->dump, s->begin_ticks), end = (json_int_t)dump_ns(&trace->dump, s->end_ticks);
	if (s->end_ticks > s->begin_ticks)
		json_array_append_new(parts,
				      json_pack("[I, I, I, I]", (json_int_t)s->row, begin, end - begin, (json_int_t)s->construct));
}

/* Was the node executed, and on which stream? For a unit that moved, it is the first one. */
static bool executed_on(const struct trace *trace, const struct net *net, uint32_t node, uint32_t *stream)
{
	uint32_t unit = net_unit(net, node);
	const struct task *task = &trace->model.tasks[net_task(net, node)];
	bool has_started = unit != 0 ? trace->model.units[unit].state & UNIT_STARTED : task->state & TASK_STARTED;
	*stream = unit != 0 ? trace->model.units[unit].run_stream : task->run_stream;
	return net_executes(net, node) && has_started && *stream < trace->dump.n_streams;
}

/*
 * Row, begin, length and construct of each stretch on one thread. Stretches shorter than the page can show are added to the
 * one before.
 */
static void add_path(json_t *process, const struct trace *trace, const struct answer *answer, const uint32_t *row_of)
{
	const struct net *net = &answer->net;
	const struct path *path = net->graph->path;
	json_t *parts = json_array();
	uint32_t n = path != NULL && path->bound != PATH_UNKNOWN ? path->n_nodes : 0;
	uint64_t shortest = n > PATH_MAX_PARTS ? answer->account.wall_ticks / PATH_MAX_PARTS : 0;
	struct path_stretch now = {0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = path->nodes[i], construct = net_task_construct(net, node);
		uint32_t stream;
		if (!executed_on(trace, net, node, &stream))
			continue;
		uint64_t begin = net_begin(net, node), end = net_end(net, node);
		bool is_same = row_of[stream] == now.row && construct == now.construct;
		if (now.end_ticks == 0 || (!is_same && end > now.begin_ticks + shortest)) {
			put_stretch(parts, trace, &now);
			now = (struct path_stretch){row_of[stream], construct, begin, end, end - begin};
			continue;
		}
		now.end_ticks = end > now.end_ticks ? end : now.end_ticks;
		if (end - begin > now.longest_ticks)
			now.construct = construct;
		now.longest_ticks = end - begin > now.longest_ticks ? end - begin : now.longest_ticks;
	}
	put_stretch(parts, trace, &now);
	json_object_set_new(process, "path", parts);
}

void tables_want(struct strips *rows, const struct trace *trace, const struct answer *answer)
{
	const struct net *net = &answer->net;
	const struct path *path = answer->is_made ? net->graph->path : NULL;
	struct weighed_construct longest[(STRIPS_CLOSE - 2 * STRIPS_CLOSE_EDGE) / 2] = {{0}};
	size_t n = 0, most = sizeof longest / sizeof *longest;
	for (uint32_t i = 0; path != NULL && path->bound != PATH_UNKNOWN && i < path->n_nodes; i++) {
		uint32_t node = path->nodes[i];
		uint32_t stream;
		if (!executed_on(trace, net, node, &stream))
			continue;
		struct weighed_construct part = {(double)(net_end(net, node) - net_begin(net, node)), node};
		size_t at = n < most ? n++ : most;
		for (; at > 0 && part.weight > longest[at - 1].weight; at--)
			if (at < most)
				longest[at] = longest[at - 1];
		if (at < most)
			longest[at] = part;
	}
	for (size_t i = 0; i < n; i++) {
		strips_want(rows, net_begin(net, longest[i].row));
		strips_want(rows, net_end(net, longest[i].row));
	}
}

void tables_add(json_t *process, const struct trace *trace, const struct answer *answer, const uint32_t *row_of,
		struct sources *sources)
{
	if (!answer->is_made)
		return;
	add_constructs(process, trace, answer, sources);
	add_waits(process, trace, answer);
	add_path(process, trace, answer, row_of);
}
