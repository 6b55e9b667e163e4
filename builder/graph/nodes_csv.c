/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes.csv: a row for each node of the graph. docs/tables.md describes the columns. Called by run.c after the last
 * process is replayed; rows on several threads.
 */
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/support/csv.h"

/* What the nodes of a process have in common. */
struct nodes {
	const struct trace *trace;
	const struct graph *graph;
	uint64_t node_offset, construct_offset; /* what this process adds to its numbers */
	struct csv_word kinds[NODE_KINDS];
};

/* Some rows of it, on one thread. */
struct node_rows {
	const struct nodes *nodes;
	struct csv *csv;
	unsigned flags; /* of the row before: its field, as most rows have the same */
	struct buffer flags_field;
};

static void put_time(struct csv *csv, const struct dump *dump, uint64_t ticks)
{
	csv_number_if(csv, ticks != 0, dump_ns(dump, ticks));
}

static void put_flags(struct node_rows *r, unsigned flags)
{
	if (flags != r->flags) {
		const char *separator = "";
		r->flags = flags;
		r->flags_field.n = 0;
		for (unsigned bit = 0; bit < 16; bit++)
			if (flags & 1u << bit) {
				const char *name = event_flag_name("task_flags", bit);
				buffer_put_text(&r->flags_field, separator);
				buffer_put_text(&r->flags_field, name != NULL ? name : "unknown");
				separator = "|";
			}
		buffer_put_text(&r->flags_field, ",");
	}
	if (flags == 0)
		csv_empty(r->csv, 1);
	else
		csv_fields(r->csv, r->flags_field.bytes, r->flags_field.n);
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
	if (device == DEVICE_HOST)
		csv_word(csv, "host");
	else
		csv_number(csv, (uint64_t)device); /* never negative */
}

/* What a target region, data operation or submit does: how many bytes, from which device to which, under which id. */
static void put_operation(struct csv *csv, const struct operation *operation, bool is_kernel)
{
	if (operation == NULL) {
		csv_empty(csv, 6);
		return;
	}
	bool is_data = operation->type == OPERATION_DATA;
	const char *set = is_data ? "target_data_op" : "target_kind";
	const char *name = is_kernel                             ? "kernel"
			   : operation->type == OPERATION_SUBMIT ? "submit"
								 : event_enum_name(set, operation->kind);
	csv_word(csv, name != NULL ? name : "unknown");
	if (is_data && operation->is_async)
		csv_append(csv, "_async");
	csv_number_if(csv, is_data, operation->has_failed ? 0 : operation->n_bytes);
	put_device(csv, is_data ? operation->src_device : DEVICE_HOST);
	put_device(csv, is_data ? operation->dest_device : operation->device);
	csv_handle(csv, operation->id);
	csv_number_if(csv, operation->type == OPERATION_SUBMIT, operation->requested);
}

/* Where on which device it was, and when, by the device's own clock; nothing of it comes from the host's records. */
static void put_activity(struct csv *csv, const struct dump *dump, const struct activity *activity)
{
	if (activity == NULL) {
		csv_empty(csv, 4);
		return;
	}
	put_device(csv, activity->device);
	csv_number_if(csv, activity->queue != QUEUE_NONE, activity->queue);
	put_time(csv, dump, activity->begin_ticks);
	put_time(csv, dump, activity->end_ticks);
}

static void put_wait(struct csv *csv, const struct node_view *node)
{
	if (node->kind != NODE_UNIT_JOIN && node->kind != NODE_UNIT_WAIT) {
		csv_empty(csv, 2);
		return;
	}
	csv_word(csv, unit_sync_name(node->sync));
	csv_handle(csv, node->object);
}

static void put_node(const struct node_rows *r, uint32_t node)
{
	csv_number_if(r->csv, node != 0, r->nodes->node_offset + node);
}

/* A time in ticks that is known: of a clock that went back it is 0. */
static void put_duration(const struct node_rows *r, bool is_known, uint64_t ticks)
{
	csv_number_if(r->csv, is_known, is_known ? dump_duration_ns(&r->nodes->trace->dump, ticks) : 0);
}

static uint64_t between(uint64_t since_ticks, uint64_t until_ticks)
{
	return until_ticks > since_ticks ? until_ticks - since_ticks : 0;
}

/* How long a task that began was ready before. Whoever has to wait for a task whose end is not recorded has no such time. */
static void put_ready(const struct node_rows *r, const struct node_view *node)
{
	const struct task *task = &r->nodes->graph->model->tasks[node->id];
	const struct task_times *times = r->nodes->graph->times;
	const unsigned both = TASK_CREATED | TASK_STARTED;
	uint64_t since_ticks = task->create_ticks, delay_ticks = ready_since(times->delays, node->id);
	bool is_known = task_is_explicit(task) && (task->state & both) == both && times->has_delays && delay_ticks != UINT64_MAX;
	put_duration(r, is_known, between(delay_ticks > since_ticks ? delay_ticks : since_ticks, task->start_ticks));
}

/* Of what a node's task did beside executing, that which the tables of tasks and units tell. */
static void put_times(const struct node_rows *r, const struct node_view *node)
{
	const struct model *m = r->nodes->graph->model;
	const struct task_times *times = r->nodes->graph->times;
	if (node->id >= m->n_tasks) {
		bool is_unit = node->unit != NULL && node->unit_node == node->id;
		csv_empty(r->csv, 1);
		put_duration(r, is_unit, is_unit ? node->unit->wait_ticks : 0);
		csv_empty(r->csv, 2);
		return;
	}
	bool is_known = m->n_units == 0 || !(node->flags & task_flags_initial);
	put_duration(r, is_known && times->preempted_ticks != NULL,
		     times->preempted_ticks != NULL ? times->preempted_ticks[node->id] : 0);
	put_duration(r, is_known, times->wait_ticks[node->id]);
	put_ready(r, node);
	put_duration(r, times->creation_ticks[node->id] != 0, times->creation_ticks[node->id] - 1);
}

static int put_row(void *self, const struct node_view *node)
{
	struct node_rows *r = self;
	const struct nodes *n = r->nodes;
	struct csv *csv = r->csv;
	const struct dump *dump = &n->trace->dump;
	unsigned line = n->graph->model->constructs[node->construct].line;
	bool is_unit = node->unit != NULL && node->unit_node == node->id;
	uint32_t place = path_place(n->graph, node->id);
	csv_number(csv, n->node_offset + node->id);
	csv_ready_word(csv, &n->kinds[node->kind]);
	csv_number_if(csv, node->construct != 0, n->construct_offset + node->construct);
	csv_number_if(csv, line != 0, line);
	csv_number(csv, n->trace->process);
	put_node(r, node->task != 0 ? node->task : node->unit_node);
	put_node(r, graph_parent(n->graph, node));
	csv_number(csv, node->region);
	csv_number_if(csv, node->stream != UINT32_MAX, node->stream != UINT32_MAX ? dump->streams[node->stream].number : 0);
	put_flags(r, node->flags & ~TASK_SPLIT); /* `kind` has it */
	csv_word(csv, is_unit ? unit_state_name(node->unit) : task_state_name(node->state));
	put_time(csv, dump, node->create_ticks);
	put_time(csv, dump, node->begin_ticks);
	put_time(csv, dump, node->end_ticks);
	csv_number(csv, dump_duration_ns(dump, node->busy_ticks));
	csv_number_if(csv, n->graph->model->switches.are_recorded, dump_duration_ns(dump, node->blocked_ticks));
	put_times(r, node);
	put_operation(csv, node->operation, node->kind == NODE_KERNEL);
	put_activity(csv, dump, node->activity);
	put_wait(csv, node);
	csv_number_if(csv, place != 0, place);
	csv_end_row(csv);
	return 0;
}

static void put_rows(const void *self, struct csv *csv, size_t first, size_t end)
{
	const struct nodes *n = self;
	struct node_rows r = {.nodes = n, .csv = csv};
	graph_each_node_in(n->graph, (uint32_t)first, (uint32_t)end, put_row, &r);
	buffer_free(&r.flags_field);
}

static struct nodes nodes_of(const struct graphs *graphs, size_t i)
{
	const struct graph *graph = &graphs->graphs[i];
	struct nodes n = {&graphs->traces[i], graph, graph->before.n_nodes, graph->before.n_constructs, {{{0}, 0}}};
	for (unsigned kind = 0; kind < NODE_KINDS; kind++)
		n.kinds[kind] = csv_make_word(node_kind_name(kind));
	return n;
}

int graph_nodes_csv(const struct graphs *graphs, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "nodes.csv",
		     "id,kind,construct,line,process,task,parent,region,stream,flags,state,create_ns,begin_ns,end_ns,busy_ns,"
		     "blocked_ns,preempted_ns,wait_ns,ready_ns,creation_ns,operation,bytes,src_device,dest_device,host_op_id,teams,"
		     "device,queue,device_begin_ns,device_end_ns,sync,object,path") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		struct nodes n = nodes_of(graphs, i);
		csv_rows(&csv, graph_n_ids(n.graph), put_rows, &n);
	}
	return csv_close(&csv);
}

uint64_t graph_nodes_csv_bytes(const struct graphs *graphs)
{
	uint64_t n_bytes = 0;
	for (size_t i = 0; i < graphs->n; i++) {
		struct nodes n = nodes_of(graphs, i);
		n_bytes += csv_measure(graph_n_ids(n.graph), put_rows, &n);
	}
	return n_bytes;
}
