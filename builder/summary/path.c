/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of the critical path: work, span, what the path consists of by construct, and each transfer, launch and
 * kernel on it. Processes are independent of each other: the path of a run is the longest of theirs.
 */
#include "builder/support/array.h"
#include "builder/summary/summary.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"
#include "builder/support/sort.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED_ROWS       10   /* to people */
#define PRINTED_OPERATIONS 16   /* to people */
#define LISTED_OPERATIONS  1000 /* in summary.json; nodes.csv has all */

/* ---- Transfers, launches and kernels ---- */

static bool is_operation(const struct node_view *node)
{
	if (node->kind == NODE_DATA_OP)
		return operation_is_transfer(node->operation->kind);
	return node->kind == NODE_KERNEL || node->kind == NODE_SUBMIT;
}

static void name_device(char name[16], int32_t device)
{
	if (device == DEVICE_HOST)
		strcpy(name, "host");
	else
		snprintf(name, 16, "%" PRId32, device);
}

static struct path_operation view_operation(const struct dump *dump, const struct node_view *node)
{
	const struct operation *o = node->operation;
	bool is_data = node->kind == NODE_DATA_OP;
	const char *transfer = is_data ? event_enum_name("target_data_op", o->kind) : NULL;
	struct path_operation view = {
		.name = node->kind == NODE_KERNEL ? "kernel"
			: !is_data                ? "submit"
			: transfer != NULL        ? transfer
						  : "unknown",
		.n_bytes = is_data ? o->n_bytes : 0,
		.is_of_device = node->activity != NULL && node->activity->begin_ticks != 0 && node->activity->end_ticks != 0,
		/* A launch executes nothing itself, the fragments in it do: its length is shown instead. */
		.ns = node->kind == NODE_SUBMIT ? dump_duration_ns(dump, node->end_ticks - node->begin_ticks)
						: path_node_ns(dump, node),
	};
	name_device(view.from, is_data ? o->src_device : DEVICE_HOST);
	name_device(view.to, is_data ? o->dest_device : o->device);
	return view;
}

/* Lists the operations on the path, in the path's order. */
static void list_operations(struct path_summary *p, const struct graph *graph)
{
	size_t n_listed = p->n_operations < LISTED_OPERATIONS ? p->n_operations : LISTED_OPERATIONS;
	p->operations = memory_get(n_listed, sizeof *p->operations, "the summary");
	p->n_listed = 0;
	for (uint32_t i = 0; i < graph->path->n_nodes && p->n_listed < n_listed; i++) {
		struct node_view node = graph_node(graph, graph->path->nodes[i]);
		if (!is_operation(&node))
			continue;
		p->operations[p->n_listed] = view_operation(graph->model->dump, &node);
		p->operations[p->n_listed++].node = graph->before.n_nodes + node.id;
	}
}

/* ---- Constructs ---- */

/*
 * There is a row for each construct, and one for each kind of node, for constructs without a label. Rows with the same
 * label become one.
 */
static int by_label(const void *left, const void *right)
{
	const struct path_row *l = left, *r = right;
	return strcmp(l->label, r->label);
}

static int by_time(const void *left, const void *right)
{
	const struct path_row *l = left, *r = right;
	return cmp(r->ns, l->ns) ?: strcmp(l->label, r->label);
}

static void free_rows(struct path_summary *p)
{
	for (size_t i = 0; i < p->n_rows; i++)
		free(p->rows[i].label);
	free(p->rows);
	free(p->operations);
}

/* The rows keep copies of their labels. */
static void settle_rows(struct path_summary *p)
{
	size_t n = 0;
	sort_array(p->rows, p->n_rows, by_label);
	for (size_t i = 0; i < p->n_rows; i++) {
		if (p->rows[i].n_nodes == 0)
			continue;
		if (n > 0 && strcmp(p->rows[n - 1].label, p->rows[i].label) == 0) {
			p->rows[n - 1].n_nodes += p->rows[i].n_nodes;
			p->rows[n - 1].ns += p->rows[i].ns;
		} else
			p->rows[n++] = p->rows[i];
	}
	p->n_rows = n;
	sort_array(p->rows, n, by_time);
	for (size_t i = 0; i < n; i++)
		p->rows[i].label = text_copy(p->rows[i].label);
}

/* Replaces the path of another process by that of this one. */
static void take_path(struct path_summary *p, const struct graph *graph)
{
	const struct model *m = graph->model;
	free_rows(p);
	p->n_operations = 0;
	p->n_rows = (size_t)m->n_constructs + NODE_KINDS;
	p->rows = memory_zeroed(p->n_rows, sizeof *p->rows, "the summary");
	for (size_t i = 0; i < p->n_rows; i++)
		p->rows[i].label = (char *)(i < m->n_constructs ? m->constructs[i].label
								: node_kind_name((enum node_kind)(i - m->n_constructs)));
	for (uint32_t i = 0; i < graph->path->n_nodes; i++) {
		struct node_view node = graph_node(graph, graph->path->nodes[i]);
		bool has_label = m->constructs[node.construct].label[0] != '\0';
		struct path_row *row = &p->rows[has_label ? node.construct : m->n_constructs + (uint32_t)node.kind];
		row->n_nodes++;
		row->ns += path_node_ns(m->dump, &node);
		p->n_operations += is_operation(&node);
	}
	settle_rows(p);
	list_operations(p, graph);
}

/* ---- Mutual exclusion ---- */

struct longest {
	struct path_exclusion *exclusion;
	const struct graph *graph;
	uint64_t serial_ns; /* what comes beside any set */
};

static void take_longer(struct path_exclusion *exclusion, const char *kind, const char *label, uint64_t count, uint64_t ns,
			uint64_t serial_ns)
{
	if (exclusion->count != 0 && ns <= exclusion->ns)
		return;
	free(exclusion->label);
	*exclusion = (struct path_exclusion){kind, text_copy(label), count, ns, serial_ns};
}

static int see_set(void *self, const uint32_t *nodes, uint32_t n)
{
	struct longest *longest = self;
	const struct graph *graph = longest->graph;
	const struct model *m = graph->model;
	uint64_t ticks = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (nodes[i] >= m->n_tasks)
			continue;
		ticks += graph->busy->ticks[nodes[i]] + (graph->blocked != NULL ? graph->blocked->ticks[nodes[i]] : 0);
	}
	uint64_t ns = dump_duration_ns(m->dump, ticks);
	const char *label = nodes[0] < m->n_tasks ? m->constructs[m->tasks[nodes[0]].construct].label : "";
	take_longer(longest->exclusion, "mutexinoutset", label, n, ns, longest->serial_ns);
	return 0;
}

static const char *mutex_name(unsigned kind)
{
	const char *name = event_enum_name("mutex_kind", kind);
	return name != NULL ? name : "mutex";
}

/* Mutual exclusion in one process does not affect another one. */
static void collect_exclusion(struct path_exclusion *exclusion, const struct graph *graph, const struct states *states)
{
	const struct model *m = graph->model;
	struct longest longest = {exclusion, graph, dump_duration_ns(m->dump, exclusion_serial_ticks(NULL, m, graph->busy))};
	const struct exclusion *mutex = exclusions_longest(&states->exclusions);
	uint64_t ns = mutex != NULL ? dump_duration_ns(m->dump, mutex->ticks) : 0;
	if (mutex != NULL)
		take_longer(exclusion, mutex_name(mutex->kind), m->constructs[mutex->construct].label, mutex->n, ns,
			    dump_duration_ns(m->dump, exclusion_serial_ticks(mutex, m, graph->busy)));
	graph_each_exclusive(graph, see_set, &longest);
}

void summary_collect_path(struct path_summary *p, uint32_t process, const struct graph *graph, const struct states *states)
{
	const struct path *path = graph->path;
	if (path == NULL)
		return; /* another level of the graph */
	p->is_there = true;
	p->reasons |= path->reasons;
	p->work_ns += path->work_ns;
	collect_exclusion(&p->exclusion, graph, states);
	p->is_unknown = p->is_unknown || path->bound == PATH_UNKNOWN;
	if (path->bound == PATH_UNKNOWN || (p->is_known && path->span_ns <= p->span_ns))
		return;
	p->is_known = true;
	p->span_ns = path->span_ns;
	p->process = process;
	p->n_nodes = path->n_nodes;
	take_path(p, graph);
}

void summary_finish_path(struct path_summary *p)
{
	if (!p->is_known)
		return;
	p->reasons |= p->exclusion.count != 0 ? PATH_EXCLUSION : 0;
	p->bound = p->is_unknown || p->reasons != 0 ? PATH_LOWER : PATH_EXACT;
}

void summary_free_path(struct path_summary *p)
{
	free_rows(p);
	free(p->exclusion.label);
	*p = (struct path_summary){0};
}

/* The lower bound: no schedule takes less time. */
static uint64_t least_ns(const struct path_summary *p)
{
	uint64_t one_at_a_time_ns = p->exclusion.count != 0 ? p->exclusion.ns + p->exclusion.serial_ns : 0;
	return one_at_a_time_ns > p->span_ns ? one_at_a_time_ns : p->span_ns;
}

static double parallelism(const struct path_summary *p, uint64_t least_ns)
{
	return least_ns != 0 ? (double)p->work_ns / (double)least_ns : 1.0;
}

static double share(const struct path_summary *p, uint64_t ns)
{
	return p->span_ns != 0 ? (double)ns / (double)p->span_ns : 0.0;
}

/* ---- For people ---- */

static void print_operation(const struct path_operation *o, FILE *out)
{
	fprintf(out, "%-10s%s %s -> %s", "", o->name, o->from, o->to);
	if (strcmp(o->name, "kernel") != 0 && strcmp(o->name, "submit") != 0)
		fprintf(out, ", %" PRIu64 " bytes", o->n_bytes);
	fprintf(out, ", %.6f s by the %s's clock (node %" PRIu64 ")\n", (double)o->ns / 1e9, o->is_of_device ? "device" : "host",
		o->node);
}

static void print_reasons(const struct path_summary *p, FILE *out)
{
	const char *separator = p->bound == PATH_UNKNOWN ? "unknown: " : "; at least: ";
	for (unsigned bit = 0; bit < PATH_REASONS; bit++)
		if (p->reasons & 1u << bit) {
			fprintf(out, "%s%s", separator, path_reason_text(bit));
			separator = ", ";
		}
	fputs(p->bound == PATH_UNKNOWN && p->reasons == 0 ? "none\n" : "\n", out);
}

/* Prints which bound is the tighter one. */
static void print_exclusion(const struct path_summary *p, FILE *out)
{
	const struct path_exclusion *e = &p->exclusion;
	if (e->count == 0)
		return;
	const char *label = e->label[0] != '\0' ? e->label : "unknown construct";
	bool is_set = strcmp(e->kind, "mutexinoutset") == 0;
	fprintf(out, "%-10s%.6f s one at a time: %" PRIu64 "%s %s of %s; ", "", (double)e->ns / 1e9, e->count,
		is_set ? " tasks in" : " x", e->kind, label);
	if (least_ns(p) > p->span_ns)
		fprintf(out, "with what is serial, that is longer than the span: parallelism is at most %.2f\n",
			parallelism(p, least_ns(p)));
	else
		fprintf(out, "the span is longer\n");
}

void summary_print_path(const struct path_summary *p, FILE *out)
{
	if (!p->is_there)
		return;
	fprintf(out, "%-10s", "path");
	if (p->bound != PATH_UNKNOWN)
		fprintf(out, "span %.6f s, work %.6f s, average parallelism %.2f; %" PRIu32 " nodes", (double)p->span_ns / 1e9,
			(double)p->work_ns / 1e9, parallelism(p, p->span_ns), p->n_nodes);
	print_reasons(p, out);
	if (p->bound == PATH_UNKNOWN)
		return;
	print_exclusion(p, out);
	for (size_t i = 0; i < p->n_rows && i < PRINTED_ROWS && (i == 0 || share(p, p->rows[i].ns) >= 0.0005); i++)
		fprintf(out, "%-10s%5.1f%%  %.6f s  %" PRIu64 " x %s\n", "", 100 * share(p, p->rows[i].ns),
			(double)p->rows[i].ns / 1e9, p->rows[i].n_nodes, p->rows[i].label);
	for (size_t i = 0; i < p->n_listed && i < PRINTED_OPERATIONS; i++)
		print_operation(&p->operations[i], out);
	if (p->n_operations > PRINTED_OPERATIONS)
		fprintf(out, "%-10s%" PRIu64 " transfers, launches and kernels more in summary.json and nodes.csv\n", "",
			p->n_operations - PRINTED_OPERATIONS);
}

/* ---- For programs ---- */

static json_t *json_operation(const struct path_operation *o)
{
	return json_pack("{s:s, s:I, s:s, s:s, s:I, s:I, s:s}", "operation", o->name, "node", (json_int_t)o->node, "src_device",
			 o->from, "dest_device", o->to, "bytes", (json_int_t)o->n_bytes, "ns", (json_int_t)o->ns, "clock",
			 o->is_of_device ? "device" : "host");
}

json_t *summary_json_path(const struct path_summary *p)
{
	static const char *const bounds[] = {[PATH_UNKNOWN] = "unknown", [PATH_LOWER] = "lower", [PATH_EXACT] = "exact"};
	if (!p->is_there)
		return json_null();
	json_t *reasons = json_array(), *rows = json_array(), *operations = json_array();
	for (unsigned bit = 0; bit < PATH_REASONS; bit++)
		if (p->reasons & 1u << bit)
			json_array_append_new(reasons, json_string(path_reason_name(bit)));
	if (p->bound == PATH_UNKNOWN)
		return json_pack("{s:s, s:o, s:o*, s:o*}", "bound", bounds[p->bound], "reasons", reasons, "constructs", rows,
				 "operations", operations);
	for (size_t i = 0; i < p->n_rows; i++)
		json_array_append_new(rows, json_pack("{s:s, s:I, s:I, s:f}", "label", p->rows[i].label, "count",
						      (json_int_t)p->rows[i].n_nodes, "ns", (json_int_t)p->rows[i].ns, "share",
						      share(p, p->rows[i].ns)));
	for (size_t i = 0; i < p->n_listed; i++)
		json_array_append_new(operations, json_operation(&p->operations[i]));
	const struct path_exclusion *e = &p->exclusion;
	json_t *exclusion =
		e->count == 0 ? json_null()
			      : json_pack("{s:s, s:s, s:I, s:I, s:I}", "kind", e->kind, "label", e->label, "count",
					  (json_int_t)e->count, "ns", (json_int_t)e->ns, "serial_ns", (json_int_t)e->serial_ns);
	return json_pack("{s:s, s:o, s:I, s:I, s:f, s:f, s:o, s:I, s:I, s:o, s:I, s:o}", "bound", bounds[p->bound], "reasons",
			 reasons, "work_ns", (json_int_t)p->work_ns, "span_ns", (json_int_t)p->span_ns, "parallelism",
			 parallelism(p, p->span_ns), "parallelism_at_most", parallelism(p, least_ns(p)), "exclusion", exclusion,
			 "process", (json_int_t)p->process, "nodes", (json_int_t)p->n_nodes, "constructs", rows, "n_operations",
			 (json_int_t)p->n_operations, "operations", operations);
}
