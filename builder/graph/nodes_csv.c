/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes.csv: a row for each node of the graph. docs/tables.md describes the columns. Runs on several threads.
 */
#include "builder/graph/files.h"
#include "builder/graph/path.h"
#include "builder/tables/row.h"

/* Values that all nodes of a process share. */
struct nodes {
	const struct trace *trace;
	const struct graph *graph;
	uint64_t node_offset, construct_offset; /* what this process adds to its numbers */
	struct row_word kinds[NODE_KINDS];
};

/* A writer of some of the rows, on one thread. */
struct node_rows {
	const struct nodes *nodes;
	struct row_writer *to;
	unsigned flags; /* of the previous row, whose field is kept, as most rows have the same */
	struct buffer flags_field;
};

static void put_time(struct row_writer *to, const struct dump *dump, uint64_t ticks)
{
	row_put_u64_if(to, ticks != 0, dump_ns(dump, ticks));
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
	}
	if (flags == 0)
		row_put_empty(r->to, 1);
	else
		row_put_bytes(r->to, r->flags_field.bytes, r->flags_field.n);
}

static const char *task_state_name(unsigned state)
{
	return state & TASK_CANCELLED   ? "cancelled"
	       : state & TASK_COMPLETED ? "completed"
	       : state & TASK_STARTED   ? "unfinished"
	       : state & TASK_SEEN      ? "never started"
					: "";
}

static void put_device(struct row_writer *to, int32_t device)
{
	if (device == DEVICE_HOST)
		row_put_word(to, "host");
	else
		row_put_u64(to, (uint64_t)device); /* never negative */
}

/* Writes what a target region, data operation or submit does: the number of bytes, the devices, the id. */
static void put_operation(struct row_writer *to, const struct operation *operation, bool is_kernel)
{
	if (operation == NULL) {
		row_put_empty(to, 6);
		return;
	}
	bool is_data = operation->type == OPERATION_DATA;
	const char *set = is_data ? "target_data_op" : "target_kind";
	const char *name = is_kernel                             ? "kernel"
			   : operation->type == OPERATION_SUBMIT ? "submit"
								 : event_enum_name(set, operation->kind);
	char word[64];
	int n = snprintf(word, sizeof word, "%s%s", name != NULL ? name : "unknown",
			 is_data && operation->is_async ? "_async" : "");
	row_put_bytes(to, word, (size_t)n);
	row_put_u64_if(to, is_data, operation->has_failed ? 0 : operation->n_bytes);
	put_device(to, is_data ? operation->src_device : DEVICE_HOST);
	put_device(to, is_data ? operation->dest_device : operation->device);
	row_put_hex(to, operation->id);
	row_put_u64_if(to, operation->type == OPERATION_SUBMIT, operation->requested);
}

/* Writes the device, and the time by its own clock; none of this comes from the host's records. */
static void put_activity(struct row_writer *to, const struct dump *dump, const struct activity *activity)
{
	if (activity == NULL) {
		row_put_empty(to, 4);
		return;
	}
	put_device(to, activity->device);
	row_put_u64_if(to, activity->queue != QUEUE_NONE, activity->queue);
	put_time(to, dump, activity->begin_ticks);
	put_time(to, dump, activity->end_ticks);
}

static void put_wait(struct row_writer *to, const struct node_view *node)
{
	if (node->kind != NODE_UNIT_JOIN && node->kind != NODE_UNIT_WAIT) {
		row_put_empty(to, 2);
		return;
	}
	row_put_word(to, unit_sync_name(node->sync));
	row_put_hex(to, node->object);
}

static void put_node(const struct node_rows *r, uint32_t node)
{
	row_put_u64_if(r->to, node != 0, r->nodes->node_offset + node);
}

/* The time between two known times, in ticks; 0 if the clock went back. */
static void put_duration(const struct node_rows *r, bool is_known, uint64_t ticks)
{
	row_put_u64_if(r->to, is_known, is_known ? dump_duration_ns(&r->nodes->trace->dump, ticks) : 0);
}

/* For how long a task that began was ready before. Unknown if it waits for a task whose end is not recorded. */
static void put_ready(const struct node_rows *r, const struct node_view *node)
{
	const struct task_times *times = r->nodes->graph->times;
	uint64_t ticks = times->has_delays ? ready_before(r->nodes->graph->model, times->delays, node->id) : UINT64_MAX;
	put_duration(r, ticks != UINT64_MAX, ticks);
}

/* Writes what the tables of tasks and units have about a node's task besides executing. */
static void put_times(const struct node_rows *r, const struct node_view *node)
{
	const struct model *m = r->nodes->graph->model;
	const struct task_times *times = r->nodes->graph->times;
	if (node->id >= m->n_tasks) {
		bool is_unit = node->unit != NULL && node->unit_node == node->id;
		row_put_empty(r->to, 1);
		put_duration(r, is_unit, is_unit ? node->unit->wait_ticks : 0);
		row_put_empty(r->to, 2);
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
	struct row_writer *to = r->to;
	const struct dump *dump = &n->trace->dump;
	unsigned line = n->graph->model->constructs[node->construct].line;
	bool is_unit = node->unit != NULL && node->unit_node == node->id;
	uint32_t place = path_place(n->graph, node->id);
	row_put_u64(to, n->node_offset + node->id);
	row_put_ready_word(to, &n->kinds[node->kind]);
	row_put_u64_if(to, node->construct != 0, n->construct_offset + node->construct);
	row_put_u64_if(to, line != 0, line);
	row_put_u64(to, n->trace->process);
	put_node(r, node->task != 0 ? node->task : node->unit_node);
	put_node(r, graph_parent(n->graph, node));
	row_put_u64(to, node->region);
	row_put_u64_if(to, node->stream != UINT32_MAX, node->stream != UINT32_MAX ? dump->streams[node->stream].number : 0);
	put_flags(r, node->flags & ~TASK_SPLIT); /* `kind` has it */
	row_put_word(to, is_unit ? unit_state_name(node->unit) : task_state_name(node->state));
	put_time(to, dump, node->create_ticks);
	put_time(to, dump, node->begin_ticks);
	put_time(to, dump, node->end_ticks);
	row_put_u64(to, dump_duration_ns(dump, node->busy_ticks));
	row_put_u64_if(to, n->graph->model->switches.are_recorded, dump_duration_ns(dump, node->blocked_ticks));
	put_times(r, node);
	put_operation(to, node->operation, node->kind == NODE_KERNEL);
	put_activity(to, dump, node->activity);
	put_wait(to, node);
	row_put_u64_if(to, place != 0, place);
	row_end(to);
	return 0;
}

static void put_rows(const void *self, struct row_writer *to, size_t first, size_t end)
{
	const struct nodes *n = self;
	struct node_rows r = {.nodes = n, .to = to};
	graph_each_node_in(n->graph, (uint32_t)first, (uint32_t)end, put_row, &r);
	buffer_free(&r.flags_field);
}

static struct nodes nodes_of(const struct graphs *graphs, size_t i)
{
	const struct graph *graph = &graphs->graphs[i];
	struct nodes n = {&graphs->traces[i], graph, graph->before.n_nodes, graph->before.n_constructs, {{{0}, 0}}};
	for (unsigned kind = 0; kind < NODE_KINDS; kind++)
		n.kinds[kind] = row_word_make(node_kind_name(kind));
	return n;
}

int graph_nodes_csv(const struct graphs *graphs, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_nodes) != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		struct nodes n = nodes_of(graphs, i);
		row_writer_fill(&to, graph_n_ids(n.graph), put_rows, &n);
	}
	return row_writer_close(&to);
}

uint64_t graph_nodes_csv_bytes(const struct graphs *graphs)
{
	uint64_t n_bytes = 0;
	for (size_t i = 0; i < graphs->n; i++) {
		struct nodes n = nodes_of(graphs, i);
		n_bytes += row_measure(graph_n_ids(n.graph), put_rows, &n);
	}
	return n_bytes;
}
