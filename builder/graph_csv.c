/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes.csv and edges.csv: the whole graph as tables.
 */
#include "builder/graph_files.h"
#include "builder/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

FILE *graph_file_open(const char *dir, const char *name)
{
	char *path;
	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		error("out of memory");
		return NULL;
	}
	FILE *file = fopen(path, "wex");
	if (file == NULL)
		error("%s: cannot be written: %s", path, strerror(errno));
	free(path);
	return file;
}

int graph_file_close(FILE *file, const char *dir, const char *name)
{
	int is_bad = ferror(file);
	if (fclose(file) != 0 || is_bad)
		return error("%s/%s: could not be written whole: %s", dir, name, strerror(errno));
	return 0;
}

uint64_t graphs_offset(const struct graphs *graphs, size_t process)
{
	uint64_t offset = 0;
	for (size_t i = 0; i < process; i++)
		offset += graphs->graphs[i].model->n_tasks - 1 + graphs->graphs[i].n_nodes;
	return offset;
}

struct csv {
	FILE *out;
	const struct trace *trace;
	const struct graph *graph;
	uint64_t offset;
};

static void time_field(const struct csv *csv, uint64_t ticks)
{
	if (ticks != 0)
		fprintf(csv->out, ",%" PRIu64, dump_ns(&csv->trace->dump, ticks));
	else
		fputc(',', csv->out);
}

static void flags_field(FILE *out, unsigned flags)
{
	const char *separator = ",";
	for (unsigned bit = 0; bit < 12; bit++)
		if (flags & 1u << bit) {
			fprintf(out, "%s%s", separator, event_flag_name("task_flags", bit));
			separator = "|";
		}
	if (flags == 0)
		fputc(',', out);
}

static int node_row(void *self, const struct node_view *node)
{
	const struct csv *csv = self;
	const struct construct *construct = &csv->graph->model->constructs[node->construct];
	FILE *out = csv->out;
	fprintf(out, "%" PRIu64 ",%s,", csv->offset + node->id, node_kind_name(node->kind));
	text_csv(out, construct->label[0] != '\0' ? construct->label : node_kind_name(node->kind));
	fputc(',', out);
	text_csv(out, construct->file);
	fputc(',', out);
	if (construct->line != 0)
		fprintf(out, "%u", construct->line);
	fputc(',', out);
	text_csv(out, construct->function);
	fprintf(out, ",%u,", csv->trace->process);
	if (node->task != 0)
		fprintf(out, "%" PRIu64, csv->offset + node->task);
	fprintf(out, ",%u,", node->region);
	if (node->stream != UINT32_MAX)
		fprintf(out, "%u", csv->trace->dump.streams[node->stream].number);
	flags_field(out, node->flags);
	fprintf(out, ",%s",
		node->state & TASK_CANCELLED   ? "cancelled"
		: node->state & TASK_COMPLETED ? "completed"
		: node->state & TASK_STARTED   ? "unfinished"
		: node->state & TASK_SEEN      ? "never started"
					       : "");
	time_field(csv, node->create_ticks);
	time_field(csv, node->begin_ticks);
	time_field(csv, node->end_ticks);
	fprintf(out, ",%" PRIu64 "\n", dump_duration_ns(&csv->trace->dump, node->busy_ticks));
	return ferror(out) ? -1 : 0;
}

static int edge_row(void *self, const struct edge_view *edge)
{
	const struct csv *csv = self;
	const char *dependence = edge->dependence != 0 ? event_enum_name("dependence_type", edge->dependence) : NULL;
	fprintf(csv->out, "%" PRIu64 ",%" PRIu64 ",%s,%s\n", csv->offset + edge->source, csv->offset + edge->target,
		edge_kind_name(edge->kind), dependence != NULL ? dependence : "");
	return ferror(csv->out) ? -1 : 0;
}

int graph_csv(const struct graphs *graphs, const char *dir)
{
	FILE *nodes = graph_file_open(dir, "nodes.csv");
	FILE *edges = nodes != NULL ? graph_file_open(dir, "edges.csv") : NULL;
	if (edges == NULL) {
		if (nodes != NULL)
			fclose(nodes);
		return -1;
	}
	fputs("id,kind,label,file,line,function,process,task,region,stream,flags,state,create_ns,begin_ns,end_ns,busy_ns\n", nodes);
	fputs("source,target,kind,dependence\n", edges);
	for (size_t i = 0; i < graphs->n; i++) {
		struct csv csv = {nodes, &graphs->traces[i], &graphs->graphs[i], graphs_offset(graphs, i)};
		graph_each_node(csv.graph, node_row, &csv);
		csv.out = edges;
		graph_each_edge(csv.graph, edge_row, &csv);
	}
	int rc = graph_file_close(nodes, dir, "nodes.csv");
	return graph_file_close(edges, dir, "edges.csv") != 0 ? -1 : rc;
}
