/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes.csv, edges.csv and exclusive.csv: the whole graph as tables.
 */
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/support/text.h"
#include "builder/support/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	char **places;  /* by construct: "label,file,line,function", quoted once for all its nodes */
	uint64_t n_set; /* exclusive sets so far, over all processes */
	char line[512];
	size_t n_line;
};

/* Lines are put together here and not by printf: a graph has millions of them. */
static void put_text(struct csv *csv, const char *text)
{
	size_t n = strlen(text);
	if (n > sizeof csv->line - csv->n_line) {
		fwrite_unlocked(csv->line, 1, csv->n_line, csv->out);
		csv->n_line = 0;
		if (n > sizeof csv->line) {
			fwrite_unlocked(text, 1, n, csv->out);
			return;
		}
	}
	memcpy(csv->line + csv->n_line, text, n);
	csv->n_line += n;
}

static void put_number(struct csv *csv, uint64_t number)
{
	char digits[24];
	size_t at = sizeof digits - 1;
	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	put_text(csv, digits + at);
}

static void put_handle(struct csv *csv, uint64_t handle)
{
	char digits[24];
	snprintf(digits, sizeof digits, "0x%" PRIx64, handle);
	put_text(csv, digits);
}

static int end_line(struct csv *csv)
{
	put_text(csv, "\n");
	fwrite_unlocked(csv->line, 1, csv->n_line, csv->out);
	csv->n_line = 0;
	return ferror_unlocked(csv->out) ? -1 : 0;
}

/* The quoted place of a construct. NULL when memory is out. */
static char *place_text(const struct construct *construct)
{
	char *text = NULL;
	size_t n_bytes = 0;
	FILE *out = open_memstream(&text, &n_bytes);
	if (out == NULL)
		return NULL;
	text_csv(out, construct->label);
	fputc(',', out);
	text_csv(out, construct->file);
	fputc(',', out);
	if (construct->line != 0)
		fprintf(out, "%u", construct->line);
	fputc(',', out);
	text_csv(out, construct->function);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void put_time(struct csv *csv, uint64_t ticks)
{
	put_text(csv, ",");
	if (ticks != 0)
		put_number(csv, dump_ns(&csv->trace->dump, ticks));
}

static void put_flags(struct csv *csv, unsigned flags)
{
	const char *separator = "";
	for (unsigned bit = 0; bit < 12; bit++)
		if (flags & 1u << bit) {
			const char *name = event_flag_name("task_flags", bit);
			put_text(csv, separator);
			put_text(csv, name != NULL ? name : "unknown");
			separator = "|";
		}
}

static const char *task_state_name(unsigned state)
{
	return state & TASK_CANCELLED   ? "cancelled"
	       : state & TASK_COMPLETED ? "completed"
	       : state & TASK_STARTED   ? "unfinished"
	       : state & TASK_SEEN      ? "never started"
					: "";
}

static void put_device(struct csv *csv, int32_t device)
{
	put_text(csv, ",");
	if (device == DEVICE_HOST)
		put_text(csv, "host");
	else
		put_number(csv, (uint64_t)device); /* never negative */
}

/* What a target region, data operation or submit is, how much, from which device to which, under which id. */
static void put_operation(struct csv *csv, const struct operation *operation, bool is_kernel)
{
	if (operation == NULL) {
		put_text(csv, ",,,,,,");
		return;
	}
	bool is_data = operation->type == OPERATION_DATA;
	const char *set = is_data ? "target_data_op" : "target_kind";
	const char *name = is_kernel                             ? "kernel"
			   : operation->type == OPERATION_SUBMIT ? "submit"
								 : event_enum_name(set, operation->kind);
	put_text(csv, ",");
	put_text(csv, name != NULL ? name : "unknown");
	put_text(csv, is_data && operation->is_async ? "_async," : ",");
	if (is_data)
		put_number(csv, operation->has_failed ? 0 : operation->n_bytes);
	put_device(csv, is_data ? operation->src_device : DEVICE_HOST);
	put_device(csv, is_data ? operation->dest_device : operation->device);
	put_text(csv, ",");
	put_number(csv, operation->id);
	put_text(csv, ",");
	if (operation->type == OPERATION_SUBMIT)
		put_number(csv, operation->requested);
}

/* Where on which device it was, and when, by the device's own clock: nothing that only the host knows is here. */
static void put_activity(struct csv *csv, const struct activity *activity)
{
	if (activity == NULL) {
		put_text(csv, ",,,,");
		return;
	}
	put_device(csv, activity->device);
	put_text(csv, ",");
	if (activity->queue != QUEUE_NONE)
		put_number(csv, activity->queue);
	put_time(csv, activity->begin_ticks);
	put_time(csv, activity->end_ticks);
}

/* What one of Argobots' units waits for, and the object's handle. */
static void put_wait(struct csv *csv, bool has_wait, unsigned sync, uint64_t object)
{
	put_text(csv, ",");
	if (has_wait)
		put_text(csv, unit_sync_name(sync));
	put_text(csv, ",");
	if (has_wait && object != 0)
		put_handle(csv, object);
}

/* Its number on the critical path, from 1: empty where it is not on it. */
static void put_place(struct csv *csv, uint32_t place)
{
	put_text(csv, ",");
	if (place != 0)
		put_number(csv, place);
}

static int node_row(void *self, const struct node_view *node)
{
	struct csv *csv = self;
	const char *place = csv->places[node->construct];
	put_number(csv, csv->offset + node->id);
	put_text(csv, ",");
	put_text(csv, node_kind_name(node->kind));
	put_text(csv, ",");
	if (place[0] == ',')
		put_text(csv, node_kind_name(node->kind)); /* no label: the kind is all that is known */
	put_text(csv, place);
	put_text(csv, ",");
	put_number(csv, csv->trace->process);
	put_text(csv, ",");
	if (node->task != 0 || node->unit_node != 0)
		put_number(csv, csv->offset + (node->task != 0 ? node->task : node->unit_node));
	put_text(csv, ",");
	put_number(csv, node->region);
	put_text(csv, ",");
	if (node->stream != UINT32_MAX)
		put_number(csv, csv->trace->dump.streams[node->stream].number);
	put_text(csv, ",");
	put_flags(csv, node->flags);
	put_text(csv, ",");
	bool is_own = node->unit != NULL && node->unit_node == node->id;
	put_text(csv, is_own ? unit_state_name(node->unit) : task_state_name(node->state));
	put_time(csv, node->create_ticks);
	put_time(csv, node->begin_ticks);
	put_time(csv, node->end_ticks);
	put_text(csv, ",");
	put_number(csv, dump_duration_ns(&csv->trace->dump, node->busy_ticks));
	put_operation(csv, node->operation, node->kind == NODE_KERNEL);
	put_activity(csv, node->activity);
	put_wait(csv, node->kind == NODE_UNIT_JOIN || node->kind == NODE_UNIT_WAIT, node->sync, node->object);
	put_place(csv, path_place(csv->graph, node->id));
	return end_line(csv);
}

static int edge_row(void *self, const struct edge_view *edge)
{
	struct csv *csv = self;
	put_number(csv, csv->offset + edge->source);
	put_text(csv, ",");
	put_number(csv, csv->offset + edge->target);
	put_text(csv, ",");
	put_text(csv, edge_kind_name(edge->kind));
	put_text(csv, ",");
	put_text(csv, edge_dependence_name(edge->dependence));
	put_wait(csv, edge->kind == EDGE_RESUME, edge->sync, edge->object);
	put_place(csv, path_has_edge(csv->graph, edge->source, edge->target) ? path_place(csv->graph, edge->source) : 0);
	return end_line(csv);
}

/* The quoted places of a model's constructs. NULL when memory is out (said). */
static char **quote_places(const struct model *m)
{
	char **places = calloc(m->n_constructs, sizeof *places);
	for (uint32_t c = 0; places != NULL && c < m->n_constructs; c++)
		if ((places[c] = place_text(&m->constructs[c])) == NULL) {
			while (c > 0)
				free(places[--c]);
			free(places);
			places = NULL;
		}
	if (places == NULL)
		error("out of memory for the tables");
	return places;
}

int graph_nodes_csv(const struct graphs *graphs, const char *dir)
{
	FILE *out = file_open(dir, "nodes.csv");
	if (out == NULL)
		return -1;
	fputs("id,kind,label,file,line,function,process,task,region,stream,flags,state,create_ns,begin_ns,end_ns,busy_ns,operation,bytes,src_device,dest_device,host_op_id,teams,device,queue,device_begin_ns,device_end_ns,sync,object,path\n",
	      out);
	int rc = 0;
	for (size_t i = 0; i < graphs->n && rc == 0; i++) {
		const struct model *m = graphs->graphs[i].model;
		struct csv csv = {out, &graphs->traces[i], &graphs->graphs[i], graphs_offset(graphs, i), quote_places(m), 0, "", 0};
		if (csv.places == NULL) {
			rc = -1;
			break;
		}
		graph_each_node(csv.graph, node_row, &csv); /* an error of the file is noticed when it is closed */
		for (uint32_t c = 0; c < m->n_constructs; c++)
			free(csv.places[c]);
		free(csv.places);
	}
	return file_close(out, dir, "nodes.csv") != 0 ? -1 : rc;
}

int graph_edges_csv(const struct graphs *graphs, const char *dir)
{
	FILE *out = file_open(dir, "edges.csv");
	if (out == NULL)
		return -1;
	fputs("source,target,kind,dependence,sync,object,path\n", out);
	for (size_t i = 0; i < graphs->n; i++) {
		struct csv csv = {out, &graphs->traces[i], &graphs->graphs[i], graphs_offset(graphs, i), NULL, 0, "", 0};
		graph_each_edge(csv.graph, edge_row, &csv);
	}
	return file_close(out, dir, "edges.csv");
}

static int exclusive_rows(void *self, const uint32_t *nodes, uint32_t n)
{
	struct csv *csv = self;
	csv->n_set++;
	for (uint32_t i = 0; i < n; i++) {
		put_number(csv, csv->trace->process);
		put_text(csv, ",");
		put_number(csv, csv->n_set);
		put_text(csv, ",");
		put_number(csv, csv->offset + nodes[i]);
		if (end_line(csv) != 0)
			return -1;
	}
	return 0;
}

int graph_exclusive_csv(const struct graphs *graphs, const char *dir)
{
	FILE *out = file_open(dir, "exclusive.csv");
	if (out == NULL)
		return -1;
	fputs("process,set,node\n", out);
	uint64_t n_set = 0;
	for (size_t i = 0; i < graphs->n; i++) {
		struct csv csv = {out, &graphs->traces[i], &graphs->graphs[i], graphs_offset(graphs, i), NULL, n_set, "", 0};
		graph_each_exclusive(csv.graph, exclusive_rows, &csv);
		n_set = csv.n_set;
	}
	return file_close(out, dir, "exclusive.csv");
}
