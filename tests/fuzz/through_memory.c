/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The whole way of run.c but its files. See through.h.
 */
#include "tests/fuzz/through.h"
#include "builder/graph/files.h"
#include "builder/gather/gather.h"
#include "builder/dump/list.h"
#include "builder/summary/summary.h"
#include "builder/symbols/symbols.h"
#include "tests/fuzz/contract.h"
#include "tests/fuzz/memory_files.h"

#include <stdlib.h>
#include <string.h>

static int check_node(void *self, const struct node_view *node)
{
	const struct graph *graph = self;
	const struct model *m = graph->model;
	PROMISED(node->kind > NODE_NONE && node->kind < NODE_KINDS, "kinds of nodes");
	PROMISED(node->task < m->n_tasks && node->region < m->n_regions && node->construct < m->n_constructs, "rows of tables");
	PROMISED(node->stream == UINT32_MAX || node->stream < m->dump->n_streams, "rows of streams");
	return 0;
}

static int check_edge(void *self, const struct edge_view *edge)
{
	const struct graph *graph = self;
	uint32_t n = graph->model->n_tasks + graph->n_nodes;
	PROMISED(edge->source < n && edge->target < n && edge->source != 0 && edge->target != 0, "an edge joins two nodes");
	PROMISED(edge->kind < EDGE_KINDS, "kinds of edges");
	return 0;
}

static int check_exclusive(void *self, const uint32_t *nodes, uint32_t n)
{
	const struct graph *graph = self;
	PROMISED(n >= 2, "a set of two and more");
	for (uint32_t i = 0; i < n; i++)
		PROMISED(nodes[i] != 0 && nodes[i] < graph->model->n_tasks + graph->n_nodes, "sets of nodes");
	return 0;
}

/* Takes what is written, and forgets it. */
static ssize_t forget(void *self, const char *bytes, size_t n)
{
	(void)self;
	(void)bytes;
	return (ssize_t)n;
}

static void write_texts(const struct graphs *graphs, const struct summary *summary)
{
	FILE *out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = forget});
	if (out == NULL)
		abort();
	summary_print(summary, out);
	PROMISED(list_dump(&graphs->traces[0].dump, out) == 0, "the listing of whatever can be read");
	if (graphs->graphs[0].level == GRAPH_TASK) {
		struct canonical_list *list = NULL;
		canonical_collect(&list, &graphs->traces[0], &graphs->graphs[0], false);
		PROMISED(graph_canonical(list, out) == 0, "the canonical list of every graph");
		canonical_free_list(list);
	}
	fclose(out);
}

static void look_at(const struct image *image, const struct graphs *graphs, const struct states *states)
{
	const struct graph *graph = &graphs->graphs[0];
	struct summary summary;
	graph_each_node(graph, check_node, (void *)(uintptr_t)graph);
	graph_each_edge(graph, check_edge, (void *)(uintptr_t)graph);
	graph_each_exclusive(graph, check_exclusive, (void *)(uintptr_t)graph);
	summary_begin(&summary, graphs->traces, graphs->n, NULL);
	for (size_t i = 0; i < graphs->n; i++)
		summary_collect(&summary, &graphs->traces[i], &graphs->graphs[i], &states[i], &(struct answer){0},
				&(struct what_if){0}, &(struct findings){0});
	summary_finish(&summary);
	if (image->has_texts)
		write_texts(graphs, &summary);
	summary_free(&summary);
}

/* A graph that is only counted has the counts of the one that is kept. */
static void check_counted(const struct graph *kept)
{
	struct model model = {0};
	struct graph graph;
	struct graph_counts wanted = {0}, counts = {0};
	struct progress progress = {0};
	const struct visitor visitor = {&graph_ops, &graph};
	PROMISED(model_gather(&model, kept->model->dump, true) == 0, "a dump is gathered again");
	graph_begin(&graph, &model, kept->level, GRAPH_COUNTED);
	PROMISED(replay_run(&model, &visitor, 1, &progress) == 0 && graph_finish(&graph) == 0, "a graph that is only counted");
	graph_count(kept, &wanted);
	graph_count(&graph, &counts);
	PROMISED(memcmp(&wanted, &counts, sizeof counts) == 0, "a graph that is only counted has the same counts");
	PROMISED(tally_total(&graph.repairs) == tally_total(&kept->repairs) &&
			 tally_total(&model.notes->repairs) == tally_total(&kept->model->notes->repairs) &&
			 tally_total(&model.notes->quirks) == tally_total(&kept->model->notes->quirks),
		 "a graph that is only counted has the same quirks and repairs");
	graph_free(&graph);
	model_free(&model);
}

static void build(const struct image *image, struct trace *trace)
{
	struct graph graph = {0};
	struct progress progress = {0};
	struct states states = {0};
	struct contract *contract = NULL;
	int rc = model_gather(&trace->model, &trace->dump, true);
	if (rc == 0) {
		graph_begin(&graph, &trace->model, image->level, GRAPH_KEPT);
		contract = contract_begin(&trace->model);
		struct visitor visitors[] = {
			{&contract_ops, contract}, {&states_ops, &states}, {&exclusion_ops, &states}, {&graph_ops, &graph}};
		states_begin(&states, &trace->model, NULL, 0);
		graph.busy = &states.busy;
		graph.blocked = trace->model.switches.are_recorded ? &states.blocked : NULL;
		rc = replay_run(&trace->model, visitors, sizeof visitors / sizeof *visitors, &progress);
		states_finish(&states);
		contract_end(contract, rc == 0);
	}
	PROMISED(rc == 0, "whatever can be read is replayed");
	PROMISED(graph_finish(&graph) == 0, "the graph of whatever can be read");
	struct symbols *symbols = symbols_open();
	symbols_resolve(symbols, &trace->model);
	symbols_close(symbols);
	struct graphs graphs = {trace, &graph, 1};
	look_at(image, &graphs, &states);
	check_counted(&graph);
	states_free(&states);
	graph_free(&graph);
	model_free(&trace->model);
}

void through_memory(const uint8_t *data, size_t n_bytes)
{
	static struct image image;
	struct trace trace = {0};
	image_make(&image, data, n_bytes);
	memory_files_show(&image);
	if (dump_open(&trace.dump, MEMORY_DUMP) == 0) {
		build(&image, &trace);
		dump_close(&trace.dump);
	}
	PROMISED(memory_files_are_closed(), "what was opened is closed");
	memory_files_show(NULL);
}
