/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the longest chain through the graph, where each node counts as long as what it executed itself. It takes one
 * walk over the nodes, each after all of its predecessors, and so time linear in nodes and edges. Of several chains
 * that are equally long, the one over the lower-numbered nodes is taken, from the end. Called by build.c after the
 * replay, at the fragment level; one thread.
 */
#include "builder/graph/path.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "the critical path"

/* Without the time in which its task was blocked: path_node_ns() has both. */
static uint64_t work_ns_of(const struct dump *dump, const struct node_view *node)
{
	const struct activity *a = node->activity;
	if (node->unit != NULL && node->unit->kind == UNIT_SCHEDULER) /* looking for work is no work */
		return 0;
	if (a != NULL && a->begin_ticks != 0 && a->end_ticks != 0)
		return dump_ns(dump, a->end_ticks) - dump_ns(dump, a->begin_ticks);
	if (node->kind == NODE_UNIT_WAIT || node->kind == NODE_UNIT_JOIN)
		return 0; /* a unit that polls looks again and again, which is no work */
	return dump_duration_ns(dump, node->busy_ticks);
}

uint64_t path_node_ns(const struct dump *dump, const struct node_view *node)
{
	return work_ns_of(dump, node) + dump_duration_ns(dump, node->blocked_ticks);
}

uint32_t path_place(const struct graph *graph, uint32_t node)
{
	return graph->path != NULL && graph->path->places != NULL ? graph->path->places[node] : 0;
}

bool path_has_edge(const struct graph *graph, uint32_t source, uint32_t target)
{
	uint32_t place = path_place(graph, source);
	return place != 0 && path_place(graph, target) == place + 1;
}

static const struct {
	const char *name, *text;
} reasons[PATH_REASONS] = {
	{"running", "the program is still running"},
	{"records_missing", "records are missing"},
	{"repaired", "events are missing"},
	{"paused", "recording was paused"},
	{"taskgroup_waits", "waiting at the end of taskgroups was not recorded"},
	{"events_left_out", "OTTER_EVENTS left out events that it takes"},
	{"contradictory_records", "records contradict each other"},
	{"outside_of_units", "what threads did before they came to Argobots, and between two of its lives, is not known"},
	{"units_muted", "what ABT_finalize ran was not reported"},
	{"unit_polls", "whether units worked or waited between two polls, or until they joined, is not known"},
	{"undeferred_or_wait",
	 "without the program's file, whether undeferred tasks have the dependences of the waits before them is not known"},
	{"undeferred_tasks", "which tasks the program made undeferred is not known"},
	{"unknown_fulfillers", "events were fulfilled by threads that were in no task"},
	{"root_threads", "how the program orders the threads that it made itself is not recorded"},
	{"openmp_in_units", "how OpenMP's tasks and Argobots' units are ordered is not recorded"},
	{"mutual_exclusion", "the span leaves out mutual exclusion"},
};

const char *path_reason_text(unsigned bit)
{
	return reasons[bit].text;
}

const char *path_reason_name(unsigned bit)
{
	return reasons[bit].name;
}

/* ---- How much is known ---- */

/* Is it a group of events that make no nodes, no edges and no times of nodes? */
static bool is_spared(const char *word, size_t length)
{
	static const char *const spared[] = {"thread", "reduction", "work",  "dispatch",         "masked", "lock_init",
					     "flush",  "cancel",    "error", "sync_region_wait", "switch"};
	for (size_t i = 0; i < sizeof spared / sizeof *spared; i++)
		if (strlen(spared[i]) == length && strncmp(word, spared[i], length) == 0)
			return true;
	return false;
}

/* `setting` is OTTER_EVENTS as the recorder noted it: does it leave out events that the path is made of? */
static bool lacks_events(const char *setting)
{
	for (const char *word = setting; *word != '\0';) {
		size_t length = strcspn(word, ",");
		if (*word == '-' && length > 1 && !is_spared(word + 1, length - 1))
			return true;
		word += length + (word[length] == ',');
	}
	return false;
}

/*
 * Is it a repair because records are missing? Then what is there is right, and further records could only make the path
 * longer. All other repairs are because records contradict each other.
 */
static bool is_of_missing(const char *repair)
{
	static const char *const names[] = {"missing_segments",
					    "lost_records",
					    "scope_open_at_gap",
					    "scope_open_at_end",
					    "thread_left_scope_open",
					    "scope_without_end",
					    "task_without_end",
					    "implicit_task_without_end",
					    "region_without_end",
					    "scope_end_without_begin",
					    "implicit_task_end_without_begin",
					    "region_end_without_begin",
					    "cut_dependence_list",
					    "cut_group",
					    "kernel_without_submit",
					    "device_record_invalid",
					    "device_record_without_time",
					    "device_end_before_begin",
					    "device_clock_unknown",
					    "device_without_buffer",
					    "dependence_not_in_list",
					    "dependences_left_out",
					    "transparent_task",
					    "dependences_not_checked"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], repair) == 0)
			return true;
	return false;
}

/* What is not known of Argobots' units. */
static unsigned find_unit_reasons(const struct model *m)
{
	unsigned found = m->n_events[EVENT_unit_begin] > 1 ? PATH_OUTSIDE : 0;
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		found |= unit->kind == UNIT_EXTERNAL ? PATH_OUTSIDE : 0;
		found |= unit->state & UNIT_MUTED ? PATH_MUTED : 0;
		found |= unit->state & UNIT_MAY_WAIT ? PATH_POLLS : 0;
	}
	return found;
}

/*
 * Has the program threads of its own with OpenMP in them? Each has an initial task, and that one was made, or waited for, by
 * another one is not recorded. Neither is the order of an initial task and of the units that run on its thread.
 */
static unsigned find_root_reasons(const struct model *m)
{
	unsigned n_roots = 0;
	for (uint32_t row = 1; row < m->n_tasks && n_roots < 2; row++) {
		const struct task *task = &m->tasks[row];
		bool is_root = task->flags & task_flags_initial && m->regions[task->region].state & REGION_INITIAL;
		n_roots += is_root && (task->state & (TASK_SEEN | TASK_HELPER)) == TASK_SEEN;
	}
	return (n_roots > 1 ? PATH_ROOTS : 0u) | (n_roots > 0 && m->n_units > 1 ? PATH_OPENMP_IN_UNITS : 0u);
}

static unsigned find_reasons(const struct graph *graph)
{
	const struct model *m = graph->model;
	const struct dump *dump = m->dump;
	unsigned found = dump->is_snapshot ? PATH_RUNNING : 0;
	if (!dump->is_complete || tally_total(&dump->damage) != 0)
		found |= PATH_RECORDS_MISSING;
	for (unsigned i = 0; i < m->notes->repairs.n_rows; i++)
		found |= is_of_missing(m->notes->repairs.rows[i].name) ? PATH_REPAIRED : PATH_CONTRADICTORY;
	for (unsigned i = 0; i < graph->repairs.n_rows; i++)
		found |= is_of_missing(graph->repairs.rows[i].name) ? PATH_REPAIRED : PATH_CONTRADICTORY;
	found |= m->n_events[EVENT_recording_off] != 0 ? PATH_PAUSED : 0;
	found |= m->n_unknown_waits != 0 ? PATH_WAITS : 0;
	found |= graph->has_unknown_waits ? PATH_GROUP_WAITS : 0;
	found |= find_unit_reasons(m);
	found |= find_root_reasons(m);
	found |= graph->order.has_unknown_orders ? PATH_UNDEFERRED : 0;
	found |= graph->order.has_unknown_fulfills ? PATH_FULFILLERS : 0;
	found |= lacks_events(meta_setting(&dump->meta, "events")) ? PATH_EVENTS : 0;
	return found;
}

/* ---- The walk ---- */

/* By node. */
enum { MARK_OPEN = 1, MARK_DONE = 2, MARK_HAS_NEXT = 4, MARK_IS_NODE = 8 };

/*
 * The chain to a node is known when those to all nodes before it are. Nearly every edge is one of two that the tables
 * imply: from what came before the node by itself (graph_own_source), and from the last node of a task to what waits for
 * the task. The rest is `edges`.
 */
struct walk {
	const struct graph *graph;
	size_t n;             /* node numbers, 0 included */
	unsigned char *marks; /* by node: bits */
	uint32_t *before;     /* by node: the one before it on the longest chain to it, 0 none */
	uint64_t *ns;         /* by node: how long that chain is; with the node itself when it is done */
	uint32_t *joined;     /* by node: a task that it waits for, whose chain is still to be taken up, 0 none ... */
	uint32_t *next;       /* ... and by task: the next one of these */
	struct walk_edge {
		uint32_t source;
		uint32_t next; /* of the same target: place + 1, 0 none */
	} * edges;
	size_t n_edges, edges_capacity;
	uint32_t *first_edge; /* by node: place + 1 of an edge to it that is still to be taken up, 0 none; NULL: there are none */
	uint32_t *open;       /* nodes whose chain is not known yet, each because that of the next one is not */
	size_t n_open, open_capacity;
	bool has_cycle;
};

static void add_edge(struct walk *w, uint32_t source, uint32_t target)
{
	if (source == 0)
		return;
	array_reserve((void **)&w->edges, w->n_edges + 1, &w->edges_capacity, sizeof *w->edges);
	if (w->first_edge == NULL)
		w->first_edge = memory_zeroed(w->n, sizeof *w->first_edge, WHAT);
	w->edges[w->n_edges++] = (struct walk_edge){source, w->first_edge[target]};
	w->first_edge[target] = (uint32_t)w->n_edges;
}

static int keep_edge(void *self, const struct edge_view *edge)
{
	add_edge(self, edge->source, edge->target);
	return 0;
}

static void make_walk(struct walk *w)
{
	const struct graph *graph = w->graph;
	w->marks = memory_zeroed(w->n, 1, WHAT);
	w->before = memory_zeroed(w->n, sizeof *w->before, WHAT);
	w->ns = memory_zeroed(w->n, sizeof *w->ns, WHAT);
	w->joined = memory_zeroed(w->n, sizeof *w->joined, WHAT);
	w->next = memory_zeroed(graph->model->n_tasks, sizeof *w->next, WHAT);
	if (graph->left_out != NULL) { /* which edges there are only graph_each_edge knows */
		graph_each_edge(graph, keep_edge, w);
		return;
	}
	for (uint32_t task = 1; task < graph->model->n_tasks; task++) {
		uint32_t joiner = graph->joiners[task];
		if (joiner == 0 || !graph_task_is_node(graph, task))
			continue;
		w->next[task] = w->joined[joiner];
		w->joined[joiner] = task;
	}
	for (size_t i = 0; i < graph->n_edges; i++)
		add_edge(w, graph_edge_source(graph, &graph->edges[i]), graph->edges[i].target);
}

struct weight {
	uint64_t work_ns, blocked_ns;
	bool is_node;
};

/* What path_node_ns() says of the node. Only devices and Argobots' units make that more than its own time. */
static struct weight weigh(const struct graph *graph, uint32_t id)
{
	const struct model *m = graph->model;
	if (m->n_activities != 0 || m->n_units != 0) {
		struct node_view view = graph_node(graph, id);
		if (view.kind == NODE_NONE)
			return (struct weight){0, 0, false};
		return (struct weight){work_ns_of(m->dump, &view), dump_duration_ns(m->dump, view.blocked_ticks), true};
	}
	const struct node *node = graph_inner_node(graph, id);
	bool is_node = node != NULL ? node->is_placed : graph_task_is_node(graph, id);
	uint64_t busy_ticks = node != NULL ? node->busy_ticks : graph->first_fragments[id].busy_ticks;
	uint64_t blocked_ticks = graph->n_blocked != 0 ? graph_blocked_ticks(graph, id) : 0;
	if (!is_node)
		return (struct weight){0, 0, false};
	return (struct weight){dump_duration_ns(m->dump, busy_ticks), dump_duration_ns(m->dump, blocked_ticks), true};
}

static void open_node(struct walk *w, uint32_t id)
{
	w->has_cycle |= w->marks[id] & MARK_OPEN;
	w->marks[id] |= MARK_OPEN;
	array_reserve((void **)&w->open, w->n_open + 1, &w->open_capacity, sizeof *w->open);
	w->open[w->n_open++] = id;
}

/* The chain to the source, and from it to the node. False: it is not known yet, and comes first. */
static bool take_up(struct walk *w, uint32_t source, uint32_t id)
{
	w->marks[source] |= MARK_HAS_NEXT;
	if (!(w->marks[source] & MARK_DONE)) {
		open_node(w, source);
		return false;
	}
	bool is_longer = w->ns[source] > w->ns[id] || w->before[id] == 0;
	if (is_longer || (w->ns[source] == w->ns[id] && source < w->before[id])) {
		w->ns[id] = w->ns[source];
		w->before[id] = source;
	}
	return true;
}

/* Each edge to the node is taken up once, but for its own one. False: the chain of another node comes first. */
static bool take_all_up(struct walk *w, uint32_t id)
{
	const struct graph *graph = w->graph;
	uint32_t own = graph->left_out == NULL ? graph_own_source(graph, id) : 0;
	if (own != 0 && !take_up(w, own, id))
		return false;
	for (uint32_t *task = &w->joined[id]; *task != 0; *task = w->next[*task])
		if (!take_up(w, graph->tasks[*task].last, id))
			return false;
	uint32_t none = 0, *edge = w->first_edge != NULL ? &w->first_edge[id] : &none;
	for (; *edge != 0; *edge = w->edges[*edge - 1].next)
		if (!take_up(w, w->edges[*edge - 1].source, id))
			return false;
	return true;
}

static void walk(struct walk *w, struct path *path)
{
	for (uint32_t root = 1; root < w->n && !w->has_cycle; root++) {
		if (!(w->marks[root] & MARK_DONE))
			open_node(w, root);
		while (w->n_open > 0 && !w->has_cycle) {
			uint32_t id = w->open[w->n_open - 1];
			if (!take_all_up(w, id))
				continue;
			struct weight weight = weigh(w->graph, id);
			w->n_open--;
			w->ns[id] += weight.work_ns + weight.blocked_ns;
			w->marks[id] |= weight.is_node ? MARK_DONE | MARK_IS_NODE : MARK_DONE;
			path->work_ns += weight.work_ns;
		}
	}
}

/* The last node of the longest chain; sets span and work. 0: the graph has no node, or a cycle. */
static uint32_t take_walk(struct walk *w, struct path *path)
{
	uint32_t last = 0;
	walk(w, path);
	if (w->has_cycle) {
		path->reasons |= PATH_CONTRADICTORY;
		return 0;
	}
	for (uint32_t id = 1; id < w->n; id++)
		if ((w->marks[id] & (MARK_IS_NODE | MARK_HAS_NEXT)) == MARK_IS_NODE && (last == 0 || w->ns[id] > path->span_ns)) {
			path->span_ns = w->ns[id];
			last = id;
		}
	return last;
}

/* Lists the chain's nodes, from its end back; `before` becomes path.places. */
static void trace_back(struct walk *w, struct path *path, uint32_t last)
{
	for (uint32_t id = last; id != 0; id = w->before[id])
		path->n_nodes++;
	path->nodes = memory_get(path->n_nodes, sizeof *path->nodes, WHAT);
	uint32_t place = path->n_nodes;
	for (uint32_t id = last; id != 0; id = w->before[id])
		path->nodes[--place] = id;
	memset(w->before, 0, w->n * sizeof *w->before);
	for (place = 0; place < path->n_nodes; place++)
		w->before[path->nodes[place]] = place + 1;
	path->places = w->before;
	w->before = NULL;
}

static void find(const struct graph *graph, struct path *path)
{
	struct walk w = {.graph = graph, .n = (size_t)graph->model->n_tasks + graph->n_nodes};
	make_walk(&w);
	uint32_t last = take_walk(&w, path);
	if (last != 0)
		trace_back(&w, path, last);
	else
		*path = (struct path){.reasons = path->reasons};
	free(w.marks);
	free(w.before);
	free(w.ns);
	free(w.joined);
	free(w.next);
	free(w.edges);
	free(w.first_edge);
	free(w.open);
}

void graph_find_path(struct graph *graph)
{
	if (graph->level != GRAPH_FRAGMENT)
		return;
	struct path *path = graph->path = memory_zeroed(1, sizeof *path, WHAT);
	path->reasons = find_reasons(graph);
	if (path->reasons & (PATH_EVENTS | PATH_CONTRADICTORY))
		return;
	path->bound = path->reasons != 0 ? PATH_LOWER : PATH_EXACT;
	find(graph, path);
}

void graph_free_path(struct graph *graph)
{
	if (graph->path == NULL)
		return;
	free(graph->path->nodes);
	free(graph->path->places);
	free(graph->path);
	graph->path = NULL;
}
